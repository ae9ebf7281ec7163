"""What an order means by an encoder fitted to labelled ones: intent, slots, and the edits that these make."""
