"""The digest that needs no language model."""

from agents.reasoners.extractive.digest import extract_digest

__all__ = ["extract_digest"]
