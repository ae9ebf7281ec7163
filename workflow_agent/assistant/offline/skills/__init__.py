"""What the offline model can do, a generator for each."""
