"""How the offline model says things."""
