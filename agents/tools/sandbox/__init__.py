"""Python that a model wrote, run where it can reach nothing: in Monty, or in a bubblewrap of its own."""
