"""`bench`: what it costs and what it keeps, measured on this machine."""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from workflow_agent.cli.context import EXIT_NOT_FOUND, CommandFailed, or_exit, wiring_of
from workflow_agent.cli.output import print_note, print_rows

_PACKAGE = Path(__file__).parents[1]
_SUITE = "benchmarks"
Name = Annotated[str | None, typer.Argument(help="One of --list; the whole report unless given.")]


def bench(
    context: typer.Context,
    name: Name = None,
    checkout: Annotated[Path | None, typer.Option(help="A checkout of workflow-agent (default: this one).")] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the benchmarks instead.")] = False,
) -> None:
    """Measure what it costs and what it keeps, and write the report.

    Without a name everything that `make bench` runs, which takes minutes:
    turns beside the bare agent, their parts, the start, what is sent. The
    figures stand in benchmarks/REPORT.md, beside those of the run before. A
    name runs one part of it, or an evaluation, which prints what it finds.

    The benchmarks belong to a checkout of the sources; where there is none,
    this says how to get one.

    Examples:

      workflow-agent bench --list

      workflow-agent bench eval_modes

      workflow-agent bench starting --checkout ~/workflow-agent

      workflow-agent bench
    """
    code = or_exit(lambda: _bench(context, name, checkout, list_them=list_them))
    raise typer.Exit(code)


def _bench(context: typer.Context, name: str | None, checkout: Path | None, *, list_them: bool) -> int:
    root = _checkout(checkout)
    found = {one.name: one for one in _benchmarks(root / _SUITE)}
    if list_them:
        print_rows(("benchmark", "what"), ((one.name, one.about) for one in found.values()), "There are none.")
        return 0
    if name is not None and name not in found:
        raise CommandFailed(f"There is no benchmark {name[:100]!r}; there are {', '.join(found)}.", EXIT_NOT_FOUND)
    program = [_SUITE] if name is None else found[name].program
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


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Something that can be measured by itself."""

    name: str
    about: str
    program: Sequence[str]
    """The module that measures it, and its arguments."""


def _benchmarks(folder: Path) -> Iterator[Benchmark]:
    """Yield the parts of the report, then what has a report of its own, each with its own first line."""
    for name, module in _sections(folder / "__main__.py"):
        file = next(one for one in (folder / "measured" / module, folder / module) if one.is_file())
        yield Benchmark(name, _first_line(file), [_SUITE, name])
    for path in sorted(folder.glob("*.py")):
        if not path.stem.startswith(("__", "fit_")) and "__main__" in path.read_text(encoding="utf-8"):
            yield Benchmark(path.stem, _first_line(path), [f"{_SUITE}.{path.stem}"])


def _sections(runner: Path) -> Iterator[tuple[str, str]]:
    """Yield the parts of the report, each with the file that measures it, as the runner lists them."""
    # Read instead of imported: a checkout may be of another version than this package.
    for node in ast.walk(ast.parse(runner.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.AnnAssign) or ast.unparse(node.target) != "SECTIONS":
            continue
        if isinstance(node.value, ast.Dict):
            for key, measure in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), f"{ast.unparse(measure).partition('.')[0]}.py"


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
