"""The reasoner that asks a language model: compact prompts out, checked answers in."""
