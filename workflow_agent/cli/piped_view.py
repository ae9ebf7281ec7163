"""A view for a terminal as plain lines for a pipe: no boxes, no rules, nothing cut to a width."""

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

_NO_WIDTH = 1_000_000


def piped(view: Iterable[RenderableType]) -> str:
    """Return the lines of a view, each as long as what it says."""
    out = io.StringIO()
    console = Console(
        file=out, width=_NO_WIDTH, color_system=None, highlight=False, emoji=False, markup=False
    )
    for part in view:
        for bare in _bare(part):
            console.print(bare)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _bare(part: RenderableType) -> Iterator[RenderableType]:
    """Yield what a part says, without what only decorates it."""
    if isinstance(part, Panel):
        yield Text(str(part.title or ""))
        yield from _bare(part.renderable)
    elif isinstance(part, Rule):
        yield Text(str(part.title))
    elif isinstance(part, Group):
        for inner in part.renderables:
            yield from _bare(inner)
    elif isinstance(part, Padding):
        # What was indented for the eye stays so: it tells what belongs to a turn.
        for inner in _bare(part.renderable):
            yield Padding(inner, (0, 0, 0, part.left), expand=False)
    else:
        if isinstance(part, Table):
            part.box, part.expand = None, False
        yield part
