"""Reading the turn: the message, the facts, what was done so far."""
