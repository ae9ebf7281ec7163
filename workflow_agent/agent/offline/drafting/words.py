"""Tables of words, written as text."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())
