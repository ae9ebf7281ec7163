"""A backend that people and programs talk to about workflows."""
