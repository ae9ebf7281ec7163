"""SVG elements as text, everything in them escaped."""

from html import escape


def element(name: str, *inside: str, **attributes: str | float | None) -> str:
    """Return an element; its attributes are escaped, what is inside is markup already.

    `class_` is `class`, `font_size` is `font-size`; an attribute that is None is left out.
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{listed}>{''.join(inside)}</{name}>" if inside else f"<{name}{listed}/>"


def words(text: str) -> str:
    """Return a text as markup, without the characters XML forbids."""
    return escape(_allowed(text), quote=False)


def number(value: float) -> str:
    """Return a number in its shortest form, to a tenth."""
    return f"{round(value, 1) + 0.0:g}" if abs(value) < 100_000 else f"{value:.0f}"


def _value(value: str | float) -> str:
    return number(value) if isinstance(value, int | float) else escape(_allowed(value), quote=True)


def _allowed(text: str) -> str:
    return "".join(char for char in text if _is_allowed(char))


def _is_allowed(char: str) -> bool:
    code = ord(char)
    return char in "\t\n\r" or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000
