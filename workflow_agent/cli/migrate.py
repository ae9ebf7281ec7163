"""`migrate`: bring in conversations that another service kept."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workflow_agent.assistant.turns.bundles import Bundle, opened, packed
from workflow_agent.cli.backends import get_if_there, with_backend
from workflow_agent.cli.context import EXIT_CONFLICT, EXIT_FAILED, EXIT_NOT_FOUND, AsJson, Backend, CommandFailed
from workflow_agent.cli.output import STDIN, counted, print_json, print_note, print_rows, progress, read_text
from workflow_agent.conversations.document import Conversation
from workflow_agent.conversations.migration.history import SOURCE, History, conversation_of, source_digest
from workflow_agent.conversations.migration.shapes import histories_in
from workflow_agent.errors import InvalidInput

NEW, THERE, REFUSED, TAKEN = "new", "there already", "refused", "id taken"
_MOST_PLACES = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A history: where it was read, and what becomes of it."""

    place: str
    old_id: str
    state: str
    why: str = ""
    history: History | None = None
    conversation: Conversation | None = None
    notes: tuple[str, ...] = ()
    left: tuple[dict[str, Any], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as plain JSON data, without what does not apply."""
        made = self.conversation
        plain: dict[str, Any] = {"place": self.place, "old_id": self.old_id, "state": self.state}
        if made is not None:
            plain |= {
                "id": made.id,
                "turns": made.turn_count,
                "messages": len(made.events),
                "from": made.events[0].at.isoformat(),
                "to": made.events[-1].at.isoformat(),
            }
        optional = {"why": self.why, "notes": list(self.notes), "left": list(self.left)}
        return plain | {name: value for name, value in optional.items() if value}


@with_backend(makes=True)
def migrate(
    backend: Backend,
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files or directories with .json or .jsonl; - is stdin.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, do nothing.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Bring in the rest where something is wrong.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring in conversations that another service kept.

    Reads flat histories (conversation_id and turns with user_message,
    agent_response, timestamp, mcp_tools_used) and message lists as OpenAI's
    API takes them. All is read and checked before anything is stored; where
    something is wrong, nothing is. What is there already stays as it is.

    Examples:
      workflow-agent migrate histories --dry-run
      workflow-agent migrate histories chat.jsonl
      workflow-agent migrate histories --json | jq '.[].state'
    """
    at = datetime.now(UTC)
    found = [one for file in files_of(paths) for one in histories_of(*file)]
    entries = _planned(backend, found, at)
    wrong = [one for one in entries if one.state in (REFUSED, TAKEN)]
    is_stopped = bool(wrong) and not skip_bad
    if not dry_run and not is_stopped:
        _bring_in(backend, [one for one in entries if one.state == NEW])
    if as_json:
        print_json([one.as_dict() for one in entries])
    else:
        _print(entries)
    _conclude(entries, wrong, is_done=not dry_run and not is_stopped)


def _planned(backend: Backend, found: Sequence[Entry], at: datetime) -> list[Entry]:
    """Return what is to become of each history, in order; one id is given once."""
    entries: list[Entry] = []
    given: dict[str, tuple[str, str]] = {}
    for one in found:
        if one.history is None:
            entries.append(one)
            continue
        made, digest = conversation_of(one.history, "", one.old_id, at), source_digest(one.history)
        if refused := _refusal(made):
            entries.append(replace(one, state=REFUSED, why=refused))
            continue
        first = given.setdefault(made.id, (digest, one.place))
        if first[1] != one.place:
            state, why = (THERE, "") if first[0] == digest else (TAKEN, f"{first[1]} has the same id")
        else:
            state, why = _state_of(backend, made.id, digest)
        lost = made.metadata[SOURCE].get("too_large", 0)
        too_large = (f"{lost} of what was not taken is too large to be kept",) if lost else ()
        notes = (*one.history.notes, *too_large)
        left = tuple({"pointer": piece.pointer, "why": piece.why} for piece in one.history.left)
        entries.append(replace(one, state=state, why=why, conversation=made, notes=notes, left=left))
    return entries


def _refusal(made: Conversation) -> str:
    """Return why a conversation could not be stored; nothing where it can."""
    document = packed(Bundle(made, {}))
    try:
        opened(document["payload"], document["sha256"])
    except InvalidInput as error:
        return error.message
    return ""


def _state_of(backend: Backend, conversation_id: str, digest: str) -> tuple[str, str]:
    """Return what a conversation of this id is, where there is one."""
    stored = get_if_there(backend, f"/conversations/{conversation_id}")
    if stored is None:
        return NEW, ""
    source = stored.get("metadata", {}).get(SOURCE)
    if not isinstance(source, dict):
        return TAKEN, f"a conversation that began here has the id {conversation_id!r}"
    if source.get("sha256") != digest:  # pyright: ignore[reportUnknownMemberType] - JSON
        return (TAKEN, f"{conversation_id!r} was made of an earlier state of this history; delete it to renew it")
    return THERE, ""


def _bring_in(backend: Backend, entries: Sequence[Entry]) -> None:
    with progress("Bringing in", len(entries)) as one_more:
        for number, entry in enumerate(entries):
            assert entry.conversation is not None  # noqa: S101 - new ones have one
            try:
                backend.post("/conversations/import", packed(Bundle(entry.conversation, {})))
            except CommandFailed as error:
                raise CommandFailed(
                    f"{entry.place}: {error.message}\n{number} of {len(entries)} came in before; "
                    "mend this one and run it again.",
                    error.exit_code,
                ) from error
            one_more()


def _print(entries: Iterable[Entry]) -> None:
    rows = (
        (
            one.state,
            one.place,
            one.conversation.id if one.conversation else "",
            one.conversation.turn_count if one.conversation else "",
            _remark(one),
        )
        for one in entries
    )
    print_rows(("state", "place", "id", "turns", "remark"), rows, "There was nothing to read.")


def _remark(entry: Entry) -> str:
    said = [entry.why, *entry.notes]
    if entry.left:
        reasons = dict.fromkeys(one["why"] for one in entry.left)
        said.append(f"{len(entry.left)} not taken as messages: {', '.join(reasons)}")
    return "; ".join(one for one in said if one)


def _conclude(entries: Sequence[Entry], wrong: Sequence[Entry], *, is_done: bool) -> None:
    fresh = [one for one in entries if one.state == NEW]
    turns = sum(one.conversation.turn_count for one in fresh if one.conversation)
    did = "Brought in" if is_done else "Would bring in"
    print_note(
        f"{did} {counted(len(fresh), 'conversation')} with {counted(turns, 'turn')}; "
        f"{counted(sum(one.state == THERE for one in entries), 'was', 'were')} there already."
    )
    if not wrong:
        return
    kept = "The rest was brought in." if is_done else "Nothing was changed; --skip-bad leaves these out."
    places = "\n".join(f"  {one.place}: {one.why}" for one in wrong[:_MOST_PLACES])
    code = EXIT_FAILED if any(one.state == REFUSED for one in wrong) else EXIT_CONFLICT
    raise CommandFailed(f"{len(wrong)} cannot be brought in. {kept}\n{places}", code)


_LINES = ".jsonl"
_SUFFIXES = (".json", _LINES)


def files_of(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return the files that are meant, and what those in them are called that have no id of their own.

    In a directory these are all its files, in the order of their names.
    """
    found: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.suffix in _SUFFIXES and one.is_file())
            if not inside:
                raise CommandFailed(f"There is no {' or '.join(_SUFFIXES)} file in {str(path)!r}.", EXIT_NOT_FOUND)
            found += [(one, one.relative_to(path).with_suffix("").as_posix()) for one in inside]
        elif path == STDIN:
            found.append((path, "stdin"))
        elif path.exists():
            found.append((path, path.stem))
        else:
            raise CommandFailed(f"There is no file {str(path)!r}.", EXIT_NOT_FOUND)
    return found


def histories_of(file: Path, stem: str) -> Iterator[Entry]:
    """Yield the histories of a file; where one cannot be read, what is wrong and where.

    Args:
        file: Its end tells whether it holds a document, or one on each line.
        stem: What a history is called that has no id.
    """
    try:
        text = read_text(file)
    except CommandFailed as error:
        yield Entry(str(file), stem, REFUSED, error.message)
        return
    if file.suffix == _LINES:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield from _read(line, f"{file}:{number}", f"{stem}-{number}", first_line=number)
    else:
        yield from _read(text, str(file), stem)


def _read(text: str, place: str, stem: str, first_line: int = 1) -> Iterator[Entry]:
    try:
        document: Any = json.loads(text, parse_constant=_no_number)
        histories = histories_in(document)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        yield Entry(place, stem, REFUSED, f"line {line}, column {error.colno}: not JSON: {error.msg}")
    except InvalidInput as error:
        yield Entry(place, stem, REFUSED, error.message)
    except (ValueError, RecursionError) as error:
        yield Entry(place, stem, REFUSED, f"not JSON: {error}")
    else:
        many = len(histories) > 1
        for number, one in enumerate(histories):
            unnamed = f"{stem}-{number + 1}" if many else stem
            yield Entry(f"{place}#/{number}" if many else place, one.id or unnamed, NEW, history=one)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
