"""Values and rules: no I/O and no framework beyond pydantic."""
