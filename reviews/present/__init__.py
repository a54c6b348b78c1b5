"""What pages show, made from rows and values: words, figures, cards, charts. No requests, no writes."""
