"""Mode inference: which of the five prompt modules should lead the answer to a message."""
