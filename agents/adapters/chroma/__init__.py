"""Long-term findings in Chroma: an index that can be rebuilt, and the local server that owns it."""
