"""Small SVG charts, a few lines each."""

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LABEL, ROW = 720, 250, 26
COLOURS = ("#3b78b8", "#c0703a", "#4f9a60", "#8a5fa8")


def _picture(title: str, height: int, marks: Sequence[str]) -> str:
    frame = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13">'
    )
    background = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    heading = f'<text x="12" y="22" font-weight="600" fill="#1b1f24">{escape(title)}</text>'
    return "\n".join([frame, f"<title>{escape(title)}</title>", background, heading, *marks, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="#1b1f24">{escape(text)}</text>'


def bars(title: str, values: Mapping[str, float], unit: str) -> str:
    """Return a chart of one bar for each value, in their order."""
    widest = max(values.values(), default=0) or 1
    room = WIDTH - LABEL - 110
    marks: list[str] = []
    for at, (name, value) in enumerate(values.items()):
        top = 40 + at * ROW
        length = room * value / widest
        marks += [
            _text(LABEL - 8, top + 14, name, "end"),
            f'<rect x="{LABEL}" y="{top}" width="{length:.1f}" height="18" fill="{COLOURS[0]}"/>',
            _text(LABEL + length + 6, top + 14, f"{value:,.3g} {unit}".strip()),
        ]
    return _picture(title, 52 + len(values) * ROW, marks)


def lines(title: str, series: Mapping[str, Sequence[float]], unit: str, across: str) -> str:
    """Return a chart of one line for each series, over the same evenly spaced places."""
    top, bottom, left, right = 44, 300, 70, WIDTH - 20
    highest = max((max(values) for values in series.values()), default=0) or 1
    marks = [
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#8a939d"/>',
        _text(left - 6, top + 5, f"{highest:,.0f}", "end"),
        _text(left - 6, bottom + 5, "0", "end"),
        _text((left + right) / 2, bottom + 22, across, "middle"),
        _text(left, top - 6, unit),
    ]
    for at, (name, values) in enumerate(series.items()):
        step = (right - left) / max(len(values) - 1, 1)
        points = " ".join(
            f"{left + place * step:.1f},{bottom - (bottom - top) * value / highest:.1f}"
            for place, value in enumerate(values)
        )
        colour, below = COLOURS[at % len(COLOURS)], bottom + 46 + at * 20
        marks += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<rect x="{left}" y="{below - 10}" width="14" height="10" fill="{colour}"/>',
            _text(left + 22, below, name),
        ]
    return _picture(title, bottom + 50 + len(series) * 20, marks)
