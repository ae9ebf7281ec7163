"""`bench`: what it costs and what it keeps, measured on this machine."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.leaving import EXIT_NOT_FOUND, CommandFailed, or_exit
from workflow_agent.cli.printing import print_note, print_rows
from workflow_agent.cli.wiring import wiring_of

_PACKAGE = Path(__file__).parents[1]
_SUITE = "benchmarks"
Name = Annotated[str | None, typer.Argument(help="One of --list; all timings unless given.")]


def bench(
    context: typer.Context,
    name: Name = None,
    checkout: Annotated[
        Path | None, typer.Option(help="A checkout of workflow-agent (default: this one).")
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the benchmarks instead.")] = False,
) -> None:
    """Run the benchmarks, which belong to a checkout of the sources.

    Their data is not installed with the package; where there is no checkout
    this says how to get one. What a benchmark prints is its report.

    Examples:

      workflow-agent bench --list

      workflow-agent bench eval_modes

      workflow-agent bench
    """
    code = or_exit(lambda: _bench(context, name, checkout, list_them=list_them))
    raise typer.Exit(code)


def _bench(context: typer.Context, name: str | None, checkout: Path | None, *, list_them: bool) -> int:
    root = _checkout(checkout)
    found = dict(_benchmarks(root / _SUITE))
    if list_them:
        print_rows(("benchmark", "what"), found.items(), "There are no benchmarks.")
        return 0
    if name is not None and name not in found:
        raise CommandFailed(
            f"There is no benchmark {name[:100]!r}; there are {', '.join(found)}.", EXIT_NOT_FOUND
        )
    program = (
        ["pytest", _SUITE, "--benchmark-only", "-q"] if name is None
        else ["pytest", f"{_SUITE}/{name}.py", "--benchmark-only", "-q"] if name.startswith("test_")
        else [f"{_SUITE}.{name}"]
    )  # fmt: skip
    print_note(f"Running in {root}: python -m {' '.join(program)}")
    return wiring_of(context).run_program([sys.executable, "-m", *program], root)


def _checkout(named: Path | None) -> Path:
    """Return the checkout to run in: the one named, the one the package is in, or one around here."""
    here = Path.cwd()
    candidates = [named] if named is not None else [_PACKAGE.parent, here, *here.parents]
    for one in candidates:
        if (one / _SUITE / "__init__.py").is_file() and (one / _PACKAGE.name).is_dir():
            return one
    where = f"{str(named)!r} is not a checkout" if named is not None else "This is an installed package"
    raise CommandFailed(
        f"{where}, and the benchmarks belong to the sources: clone the repository and run "
        "`make bench` in it, or name it with --checkout.",
        EXIT_NOT_FOUND,
    )


def _benchmarks(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of every benchmark and the first line that it says about itself."""
    for path in sorted(folder.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        is_report = "__main__" in text and not path.stem.startswith("fit_")
        if path.stem.startswith("test_") or is_report:
            said = ast.get_docstring(ast.parse(text)) or ""
            yield path.stem, said.partition("\n")[0]
