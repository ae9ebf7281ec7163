"""Migration."""
