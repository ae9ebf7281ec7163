"""The histories of other services in files and directories, each with the place it was read from."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_agent.cli.documents import STDIN, read_text
from workflow_agent.cli.leaving import EXIT_NOT_FOUND, CommandFailed
from workflow_agent.domain.errors import InvalidInput
from workflow_agent.domain.migration import History, histories_in

_LINES = ".jsonl"
_SUFFIXES = (".json", _LINES)
_STDIN_NAME = "stdin"


@dataclass(frozen=True, slots=True)
class Found:
    """A history and where it was read, or why it could not be read."""

    place: str
    old_id: str
    history: History | None = None
    refused: str | None = None


def files_of(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return the files that are meant, and what those in them are called that have no id of their own.

    In a directory these are all its files, in the order of their names.

    Raises:
        CommandFailed: A path is not there, or a directory has no such file.
    """
    found: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES and one.is_file())
            if not inside:
                raise CommandFailed(
                    f"There is no {' or '.join(_SUFFIXES)} file in {str(path)!r}.", EXIT_NOT_FOUND
                )
            found += [(one, one.relative_to(path).with_suffix("").as_posix()) for one in inside]
        elif path == STDIN:
            found.append((path, _STDIN_NAME))
        elif path.exists():
            found.append((path, path.stem))
        else:
            raise CommandFailed(f"There is no file {str(path)!r}.", EXIT_NOT_FOUND)
    return found


def histories_of(file: Path, stem: str) -> Iterator[Found]:
    """Yield the histories of a file; where one cannot be read, what is wrong and where.

    Args:
        file: Its end tells whether it holds a document, or one on each line.
        stem: What a history is called that has no id.
    """
    try:
        text = read_text(file)
    except CommandFailed as error:
        yield Found(str(file), stem, refused=error.message)
        return
    if file.suffix == _LINES:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield from _read(line, f"{file}:{number}", f"{stem}-{number}", first_line=number)
    else:
        yield from _read(text, str(file), stem)


def _read(text: str, place: str, stem: str, first_line: int = 1) -> Iterator[Found]:
    try:
        document: Any = json.loads(text, parse_constant=_no_number)
        histories = histories_in(document)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        yield Found(place, stem, refused=f"line {line}, column {error.colno}: not JSON: {error.msg}")
    except InvalidInput as error:
        yield Found(place, stem, refused=error.message)
    except (ValueError, RecursionError) as error:
        yield Found(place, stem, refused=f"not JSON: {error}")
    else:
        for number, one in enumerate(histories):
            many = len(histories) > 1
            unnamed = f"{stem}-{number + 1}" if many else stem
            yield Found(f"{place}#/{number}" if many else place, one.id or unnamed, one)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
