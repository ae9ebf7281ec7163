"""Hosts on PostgreSQL that are struck at every point of a turn, and what was lost or doubled."""
