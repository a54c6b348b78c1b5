"""Telling people: who, when, by which channel, and what it says."""
