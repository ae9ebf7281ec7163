"""Understanding what a message asks for."""
