"""What commands print: pretty on a terminal, one item a line and nothing else in a pipe."""

import io
import json
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import Progress
from rich.rule import Rule
from rich.table import Column, Table
from rich.text import Text

from workflow_agent.cli.context import EXIT_FAILED, EXIT_USAGE, CommandFailed

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_KEPT = 40
"""So many characters of a column are kept before the next one gives way."""
_LEAST = 12
"""With less room than that for the column before the last, the last one is left out."""
_BETWEEN = 3
"""So many characters of a row lie between a column and the next."""
_MOMENT = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$")
_IN_CELLS = re.compile(r"\s+")
STDIN = Path("-")


def is_terminal() -> bool:
    """Say whether a person looks at standard output."""
    return sys.stdout.isatty()


def console() -> Console:
    """Return standard output with colours where it has them; NO_COLOR is honoured."""
    return Console(highlight=False, emoji=False, markup=False)


def harmless(text: str) -> str:
    """Return text from outside without what would steer a terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def print_json(value: Any) -> None:
    """Print JSON data for programs."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print text as it is."""
    typer.echo(harmless(text))


def print_note(text: str) -> None:
    """Tell whoever looks something that is no part of the output."""
    typer.echo(harmless(text), err=True)


def print_markdown(text: str) -> None:
    """Print Markdown: set on a terminal, as it is in a pipe."""
    if is_terminal():
        console().print(Markdown(harmless(text)))
    else:
        print_text(text)


def print_rows(titles: Sequence[str], rows: Iterable[Sequence[object]], none: str, *, is_cut: bool = False) -> None:
    """Print a table on a terminal, in a pipe one row a line with tabs between; `none` where there are no rows.

    With `is_cut` each row on a terminal is one line; what does not fit is cut.
    """
    cells = [[_cell(one) for one in row] for row in rows]
    if not cells:
        print_note(none)
    elif is_terminal():
        _print_table(titles, cells, is_cut=is_cut)
    else:
        for row in cells:
            typer.echo("\t".join(row))


def print_listed(
    found: Any,
    titles: Sequence[str],
    rows: Iterable[Sequence[object]],
    none: str,
    *,
    as_json: bool,
    is_cut: bool = False,
) -> None:
    """Print what was found as JSON where that is asked for, else as `print_rows` does."""
    if as_json:
        print_json(found)
    else:
        print_rows(titles, rows, none, is_cut=is_cut)


def _cell(value: object) -> str:
    return harmless(_IN_CELLS.sub(" ", "" if value is None else str(value)).strip())


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, is_cut: bool) -> None:
    shown = [[_MOMENT.sub(r"\1 \2", cell) for cell in row] for row in rows]
    room = _room(titles, shown) if is_cut else None
    if room is not None and not room:
        _print_table(titles[:-1], [row[:-1] for row in rows], is_cut=True)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column(titles[0], no_wrap=True, overflow="fold", style="cyan")
    for title in titles[1:]:
        table.add_column(title, no_wrap=is_cut)
    for row in shown:
        table.add_row(*(row if room is None else map(_shortened, row, room)))
    console().print(table)


def _room(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[int]:
    """Return how wide each column of a table may be so that a row is one line; none where the last has no room.

    The last one gives way first, then the one before.
    """
    widest = [max(cell_len(one) for one in column) for column in zip(titles, *rows, strict=True)]
    kept = [widest[0], *(min(one, _KEPT) for one in widest[1:-1])]
    room = console().width - sum(kept) - _BETWEEN * len(widest)
    lacking = max(cell_len(titles[-1]) - room, 0)
    if lacking and kept[-1] - lacking < _LEAST and len(kept) > 1:
        return []
    return [*kept[:-1], kept[-1] - lacking, room + lacking]


def _shortened(text: str, width: int) -> Text:
    cell = Text(text)
    cell.truncate(width, overflow="ellipsis")
    return cell


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names and values, one a line; what is not there is left out."""
    shown = {name: _cell(value) for name, value in facts.items() if value not in (None, "", [], ())}
    width = max(map(len, shown), default=0)
    for name, value in shown.items():
        if is_terminal():
            console().print(Text(f"{name:{width}}  ", style="bold").append(value, style="not bold"))
        else:
            typer.echo(f"{name}\t{value}")


@contextmanager
def progress(what: str, total: int) -> Generator[Callable[[], None]]:
    """Show, on standard error and to a person only, how far a long work is; give what counts one more."""
    if total <= 1 or not sys.stderr.isatty():
        yield lambda: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def confirm_or_refuse(question: str, *, is_sure: bool) -> None:
    """Go on where somebody is sure, or says so at a terminal; else the command fails."""
    if is_sure:
        return
    if not (sys.stdin.isatty() and is_terminal()):
        raise CommandFailed("Nobody can be asked here; say --yes to do it.", EXIT_USAGE)
    if not typer.confirm(question):
        raise CommandFailed("Nothing was done.", EXIT_FAILED)


_NO_WIDTH = 1_000_000


def piped(view: Iterable[RenderableType]) -> str:
    """Return the lines of a view, each as long as what it says."""
    out = io.StringIO()
    console = Console(file=out, width=_NO_WIDTH, color_system=None, highlight=False, emoji=False, markup=False)
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


def wide_table(title: str | None, *columns: Column) -> Table:
    """Return a table as wide as the terminal, without rows yet."""
    return Table(*columns, title=title, title_justify="left", title_style="bold", expand=True, show_edge=False)


def narrow(title: str) -> Column:
    """Return a column as wide as what it holds."""
    return Column(title, no_wrap=True)


def figures(title: str) -> Column:
    """Return a column of numbers."""
    return Column(title, justify="right", no_wrap=True)


def folded(title: str, ratio: int, style: str = "") -> Column:
    """Return a column that shares the width that is left, its text folded."""
    return Column(title, ratio=ratio, overflow="fold", style=style)


def facts_table(facts: Iterable[tuple[str, str | None]]) -> Table:
    """Return a table of names and what is said of each; None is left out, and a name that stands above."""
    table = Table.grid(Column(style="dim", no_wrap=True), Column(overflow="fold"), padding=(0, 2))
    before = ""
    for name, said in facts:
        if said is not None:
            table.add_row("" if name == before else name, clean(said))
            before = name
    return table


def clean(text: str, style: str = "") -> Text:
    """Return text in which whatever would move the cursor or change colours is marked."""
    return Text(harmless(text.replace("\t", "    ")), style=style)


def counted(count: int, noun: str, several: str | None = None) -> str:
    """Return a count with its noun: `1 turn`, `1,200 turns`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def read_text(file: Path) -> str:
    """Return what a file holds, or standard input where it is `-`."""
    try:
        return sys.stdin.read() if file == STDIN else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CommandFailed(f"{str(file)!r} cannot be read: {reason}.", EXIT_USAGE) from error


def write_or_print(text: str, output: Path | None) -> None:
    """Put text into a file, or print it where no file is named."""
    if output is None:
        print_text(text.rstrip("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandFailed(f"{str(output)!r} cannot be written: {error.strerror}.") from error
    print_note(f"Written to {output}.")
