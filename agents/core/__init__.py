"""Values and pure rules: the standard library and pydantic only."""
