"""`bench`, `evals` and `evidence`: what it costs, what people thought of replies, how the call history was used."""

import ast
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote

import typer

from workflow_agent.cli import group
from workflow_agent.cli.backends import command, get_if_there
from workflow_agent.cli.context import (
    EXIT_NOT_FOUND,
    AsJson,
    Backend,
    CommandFailed,
    DataDir,
    chosen_settings,
    wiring_of,
)
from workflow_agent.cli.output import print_note, print_rows
from workflow_agent.conversations.call_history import PATTERNS, CallRecord
from workflow_agent.conversations.calls import PROGRAM_TOOL
from workflow_agent.storage.files.conversation_documents import call_histories
from workflow_agent.values.stored import JsonObject

_PACKAGE = Path(__file__).parents[1]
_SUITE = "benchmarks"


def bench(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="One of --list; the whole report unless given.")] = None,
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
    root = _checkout(checkout)
    found = {measured: (about, program) for measured, about, program in _benchmarks(root / _SUITE)}
    if list_them:
        rows = ((measured, about) for measured, (about, _) in found.items())
        print_rows(("benchmark", "what"), rows, "There are none.")
        return
    if name is not None and name not in found:
        raise CommandFailed(f"There is no benchmark {name[:100]!r}; there are {', '.join(found)}.", EXIT_NOT_FOUND)
    program = [_SUITE] if name is None else found[name][1]
    print_note(f"Running in {root}: python -m {' '.join(program)}")
    raise typer.Exit(wiring_of(context).run_program([sys.executable, "-m", *program], root))


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


def _benchmarks(folder: Path) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield the parts of the report, then what has its own: name, first line, and the module with its arguments."""
    for name, module in _sections(folder / "__main__.py"):
        file = next(one for one in (folder / "measured" / module, folder / module) if one.is_file())
        yield name, _first_line(file), [_SUITE, name]
    for path in sorted(folder.glob("*.py")):
        if not path.stem.startswith(("__", "fit_")) and "__main__" in path.read_text(encoding="utf-8"):
            yield path.stem, _first_line(path), [f"{_SUITE}.{path.stem}"]


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


evals = group("evals")
_ESSENTIALS = ("window_tokens", "budget_tokens", "used_tokens", "level", "strategy", "breakdown", "turns", "compaction")
_CHANGES = ("created", "modified", "deleted")
_PROGRAM_DEPTH = 2
Rated = Literal["up", "down"]


@evals.callback()
def about() -> None:
    """Make evaluation cases of what people thought of replies."""


@command(evals, "from-conversations")
def from_conversations(
    backend: Backend, rated: Annotated[Rated | None, typer.Option(help="Only replies that were rated so.")] = None
) -> None:
    """Print each rated turn as an evaluation case, one JSON object a line.

    A case has the message, what the model's window held in figures, the
    reply, its rating and note, and the workflows it dealt with as they were
    before and after. Notes and messages are people's own words. What was
    rated up is read by: make eval-model MODEL=... FILE=cases.jsonl

    Examples:
      workflow-agent evals from-conversations > cases.jsonl
      workflow-agent evals from-conversations --rated down
    """
    made = 0
    for summary in backend.pages("/conversations"):
        for case in _cases(backend, summary["id"], rated):
            typer.echo(json.dumps(case, ensure_ascii=False))
            made += 1
    print_note(f"Cases: {made}.")


def _cases(backend: Backend, conversation_id: str, rated: Rated | None) -> Iterator[dict[str, Any]]:
    path = f"/conversations/{quote(conversation_id, safe='')}"
    given = backend.get(path)["feedback"]
    wanted = {key: one for key, one in given.items() if rated is None or one["rating"] == rated}
    for event_id, feedback in sorted(wanted.items(), key=lambda one: one[1]["turn"]):
        turn = backend.get(f"{path}/turns/{feedback['turn']}")
        reply = next(one for one in turn["replies"] if one["id"] == event_id)
        context = reply["context"]
        yield {
            "conversation_id": conversation_id,
            "turn": feedback["turn"],
            "run_id": reply["run_id"],
            "message": turn["message"]["content"],
            "options": turn["message"]["options"],
            "context": {name: context[name] for name in _ESSENTIALS if name in context},
            "agent": reply["author"],
            "mode": reply["mode"]["name"],
            "model": reply["model"],
            "reply": reply["content"],
            "finish_reason": reply["finish_reason"],
            "tools_used": reply["tools_used"],
            "workflows": [_versions(backend, reply["run_id"], one) for one in reply["workflows_touched"]],
            "rating": feedback["rating"],
            "note": feedback["note"],
            "rated_at": feedback["at"],
        }


def _versions(backend: Backend, run_id: str, touch: Mapping[str, Any]) -> dict[str, Any]:
    """Return what became of a workflow in a run; a version is null where there was none, or none is kept."""
    before, after = touch["version"], touch["version"]
    if touch["change"] in _CHANGES:
        by_run = _versions_by(backend, run_id, touch["id"])
        before = (min(by_run) - 1 or None) if by_run else None
        after = None if touch["change"] == "deleted" else after
    return {
        "id": touch["id"],
        "name": touch["name"],
        "change": touch["change"],
        "version_before": before,
        "version_after": after,
        "before": _document(backend, touch["id"], before),
        "after": _document(backend, touch["id"], after) if after != before else None,
    }


def _document(backend: Backend, workflow_id: str, version: int | None) -> dict[str, Any] | None:
    """Return a version of a workflow; None where there was none, or none is kept."""
    if version is None:
        return None
    kept = get_if_there(backend, f"/workflows/{quote(workflow_id, safe='')}/versions/{version}")
    return kept and kept["document"]


def _versions_by(backend: Backend, run_id: str, workflow_id: str) -> list[int]:
    """Return the versions of a workflow that a run made; none where the workflow is gone."""
    versions = get_if_there(backend, f"/workflows/{quote(workflow_id, safe='')}/versions") or {"items": ()}
    return [one["version"] for one in versions["items"] if one["author"].get("run_id") == run_id]


def evidence(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Report how often, and how, programs of the model used the call history.

    Reads the conversations below the data directory; changes nothing.

    Examples:
      workflow-agent evidence
      workflow-agent evidence --data-dir ~/workflows --json
    """
    found = _evidence_of(call_histories(chosen_settings(data_dir=data_dir).data_dir))
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        typer.echo(f"{name.replace('_', ' ')}: {json.dumps(value)}")


def _evidence_of(histories: Iterable[Sequence[CallRecord]]) -> JsonObject:
    """Return what the call histories show, one of them a conversation."""
    conversations = records = 0
    programs: list[CallRecord] = []
    inner: Counter[str] = Counter()
    for history in histories:
        conversations += 1
        records += len(history)
        programs += [record for record in history if record.method_name == PROGRAM_TOOL]
        inner.update(record.method_name for record in history if record.depth == _PROGRAM_DEPTH)
    used = Counter(pattern for record in programs for pattern in record.history_query_patterns or ())
    return {
        "conversations": conversations,
        "records": records,
        "programs": len(programs),
        "programs_that_failed": sum(not record.outcome_summary.ok for record in programs),
        "programs_that_read_the_history": sum(bool(record.history_access_detected) for record in programs),
        "patterns": {pattern: used[pattern] for pattern in PATTERNS},
        "calls_by_programs": dict(inner.most_common()),
    }
