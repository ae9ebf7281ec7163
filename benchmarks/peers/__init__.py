"""What people would use instead, doing the same: `make bench-peers`."""
