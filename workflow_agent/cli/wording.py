"""How the command line says numbers of things."""


def counted(count: int, noun: str, several: str | None = None) -> str:
    """Return a count with its noun: `1 turn`, `1,200 turns`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"
