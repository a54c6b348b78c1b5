"""Texts to vectors, behind one setting."""
