"""A piece of a text around what was looked for."""

EXCERPT_CHARS = 240


def excerpt(text: str, word: str, chars: int = EXCERPT_CHARS) -> str:
    """Return a piece of a text around the first place of a word, with `…` where more was left out.

    Args:
        text: What to cut from.
        word: What to show, case-folded; where the text does not hold it, its beginning is shown.
        chars: How long the piece may be.
    """
    start = max(text.casefold().find(word) - chars // 3, 0)
    piece = text[start : start + chars]
    return ("…" if start else "") + piece + ("…" if start + chars < len(text) else "")
