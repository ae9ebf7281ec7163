"""What commands print: pretty on a terminal, one item a line and nothing else in a pipe."""

import json
import re
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_IN_CELLS = re.compile(r"\s+")


def is_terminal() -> bool:
    """Say whether a person looks at standard output."""
    return sys.stdout.isatty()


def console() -> "Console":
    """Return standard output with colours where it has them; NO_COLOR is honoured."""
    from rich.console import Console  # noqa: PLC0415 - help texts need not wait for it

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
    if not is_terminal():
        print_text(text)
        return
    from rich.markdown import Markdown  # noqa: PLC0415 - help texts need not wait for it

    console().print(Markdown(harmless(text)))


def print_rows(titles: Sequence[str], rows: Iterable[Sequence[object]], none: str) -> None:
    """Print a table on a terminal, in a pipe one row a line with tabs between.

    Args:
        titles: Of the columns.
        rows: The cells.
        none: What to say, beside the output, when there are no rows.
    """
    cells = [[_cell(one) for one in row] for row in rows]
    if not cells:
        print_note(none)
    elif is_terminal():
        _print_table(titles, cells)
    else:
        for row in cells:
            typer.echo("\t".join(row))


def _cell(value: object) -> str:
    return harmless(_IN_CELLS.sub(" ", "" if value is None else str(value)).strip())


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich import box  # noqa: PLC0415 - help texts need not wait for it
    from rich.table import Table  # noqa: PLC0415 - help texts need not wait for it

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, title in enumerate(titles):
        table.add_column(
            title, no_wrap=number == 0, overflow="fold" if number == 0 else "ellipsis",
            style="cyan" if number == 0 else "",
        )  # fmt: skip
    for row in rows:
        table.add_row(*row)
    console().print(table)


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names and values, one a line; what is not there is left out."""
    shown = {name: _cell(value) for name, value in facts.items() if value not in (None, "", [], ())}
    width = max(map(len, shown), default=0)
    for name, value in shown.items():
        if is_terminal():
            from rich.text import Text  # noqa: PLC0415 - help texts need not wait for it

            console().print(Text(f"{name:{width}}  ", style="bold").append(value, style="not bold"))
        else:
            typer.echo(f"{name}\t{value}")


@contextmanager
def progress(what: str, total: int) -> Generator[Callable[[], None]]:
    """Show, on standard error and to a person only, how far a long work is; give what counts one more."""
    if total <= 1 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console  # noqa: PLC0415 - help texts need not wait for it
    from rich.progress import Progress  # noqa: PLC0415 - help texts need not wait for it

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
