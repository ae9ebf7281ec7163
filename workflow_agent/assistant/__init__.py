"""Whatever talks to a model."""
