"""What an order means by learned models: its intent, the slots in it, and the edits that these make."""
