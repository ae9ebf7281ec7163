"""The ledger: facts that are carried over word for word, extracted by rule and never by a model."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from workflow_agent.assistant.compaction import facts
from workflow_agent.conversations.compactions import Ledger
from workflow_agent.conversations.document import AgentReply, Event, UserMessage
from workflow_agent.conversations.iterations import ToolCall
from workflow_agent.conversations.memory.aliases import name_given_in
from workflow_agent.conversations.runs import Run
from workflow_agent.values.stored import JsonObject

MOST_CHARS: Final = 24_000
"""Of all entries together; what is over goes oldest first, and into the loss record."""
_FIRST_TO_GO: Final = (
    "run_ids", "errors", "pending", "numbers", "dates", "names", "step_ids", "events", "workflow_ids",
    "decisions", "instructions",
)  # fmt: skip
_ERROR_CHARS: Final = 200
_LOOK: Final = re.compile(
    r"turn (?P<first>\d+)(?:, again in (?P<last>\d+))?: "
    r"(?P<look>(?:viewed|discussed|analysed) wf_\S+) (?P<name>.*)"
)
_STEP_ARGUMENTS: Final = frozenset(
    {"step", "step_id", "steps", "before", "after", "between", "from", "to", "from_step", "to_step", "start", "target"}
)


def ledger_of(events: Iterable[Event], runs: Sequence[Run] = ()) -> Ledger:
    """Return the facts of whole turns, oldest first, and of which of the conversation's runs failed in them.

    What binds is taken from the user's own words alone: nobody else's text may give instructions.
    """
    found: dict[str, list[str]] = {name: [] for name in Ledger.model_fields}
    turns: set[int] = set()
    for event in events:
        if isinstance(event, UserMessage):
            turns.add(event.turn)
            _from_message(event, found)
        elif isinstance(event, AgentReply):
            _from_reply(event, found)
        else:
            _ids(event.content, found)
    for run in runs:
        if run.turn in turns and run.status == "failed" and run.error is not None:
            found["errors"].append(f"turn {run.turn}: {run.error.type}: {run.error.message}"[:_ERROR_CHARS])
    return Ledger(**{name: tuple(dict.fromkeys(entries)) for name, entries in found.items()})


def _ids(text: str, found: dict[str, list[str]]) -> None:
    found["workflow_ids"] += (one[0].rstrip("-_") for one in facts.WORKFLOW_ID.finditer(text))
    found["run_ids"] += (one[0].rstrip("-_") for one in facts.RUN_ID.finditer(text))
    found["step_ids"] += facts.slugs(text)


def _from_message(message: UserMessage, found: dict[str, list[str]]) -> None:
    text = facts.without_documents(message.content)
    told = facts.sentences(text)
    _ids(text, found)
    binding: set[str] = set()
    if not message.is_external:
        decisions = list(facts.matching(facts.DECISION, told))
        instructions = list(facts.matching(facts.INSTRUCTION, told))
        binding = {*decisions, *instructions}
        found["decisions"] += decisions
        found["instructions"] += (one for one in instructions if one not in decisions)
        found["pending"] += (f"turn {message.turn}: {one}" for one in facts.matching(facts.PENDING, told))
    found["errors"] += (f"turn {message.turn}: {one}"[:_ERROR_CHARS] for one in facts.matching(facts.ERROR, told))
    # A sentence that binds is kept whole: its figures are in it.
    _figures([one for one in told if one not in binding], found)
    if not message.is_external:
        order = (one for one in facts.matching(facts.ORDER, told) if one not in binding)
        found["events"] += (f"turn {message.turn}: {one}" for one in order if facts.PAST.search(one))
    found["names"] += (one for one in facts.quotes(text) if not any(one in other for other in binding))
    given = name_given_in(text)
    if given is not None:
        found["names"].append(f"{given.what} = {given.alias}")


def _figures(told: Sequence[str], found: dict[str, list[str]]) -> None:
    for sentence in told:
        dates = facts.dates_in(sentence)
        found["dates"] += dates
        found["numbers"] += (one for one in facts.quantities_in(sentence) if one not in dates)
        found["names"] += facts.people_in(sentence)


def _from_reply(reply: AgentReply, found: dict[str, list[str]]) -> None:
    told = facts.stating(reply.content)
    _ids(told, found)
    found["numbers"] += (one for sentence in facts.sentences(told) for one in facts.quantities_in(sentence))
    found["names"] += facts.quotes(told)
    for touch in reply.workflows_touched:
        found["workflow_ids"].append(touch.id)
        found["names"].append(f"{touch.id} = {touch.name}")
        found["events"].append(f"turn {reply.turn}: {touch.change} {touch.id} ({touch.name})")
    if reply.preview is not None:
        found["pending"].append(
            f"turn {reply.turn}: {reply.preview.action} of {reply.preview.workflow_name} was shown, not made"
        )
    for iteration in reply.iterations:
        for message in iteration.messages:
            for call in message.tool_calls:
                found["step_ids"] += _steps_of(call)
            failed = (one for one in message.results if one.outcome == "failed")
            found["errors"] += (f"turn {reply.turn}: {one.name}: {one.content}"[:_ERROR_CHARS] for one in failed)


def _steps_of(call: ToolCall) -> Iterable[str]:
    """Return the steps that the arguments of a call name by id."""
    waiting: list[object] = [call.args]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value  # pyright: ignore[reportUnknownArgumentType] - JSON
        if isinstance(value, dict):
            arguments: JsonObject = value  # pyright: ignore[reportUnknownVariableType] - JSON
            for name, inner in arguments.items():
                if name in _STEP_ARGUMENTS and isinstance(inner, str):
                    yield from facts.slugs(f"`{inner}`")
                elif name != "with":
                    # What a service is called with has fields of its own: `to` names whom it writes to.
                    waiting.append(inner)


def merged(*ledgers: Ledger, most_chars: int = MOST_CHARS) -> tuple[Ledger, tuple[str, ...]]:
    """Return ledgers, older facts first, as one, each fact once, and what had to go because it is too much."""
    kept = {
        name: list(dict.fromkeys(entry for one in ledgers for entry in getattr(one, name)))
        for name in Ledger.model_fields
    }
    kept["events"] = _looks_joined(kept["events"])
    excess = sum(len(one) for entries in kept.values() for one in entries) - most_chars
    gone: list[str] = []
    for name in _FIRST_TO_GO:
        while excess > 0 and kept[name]:
            gone.append(kept[name].pop(0))
            excess -= len(gone[-1])
    return Ledger(**{name: tuple(entries) for name, entries in kept.items()}), tuple(gone)


def _looks_joined(events: Sequence[str]) -> list[str]:
    """Return events in which a workflow that was only looked at has one entry a way of looking.

    It stands where the workflow was looked at first, says when that was done last, and has the name of then.
    """
    kept: dict[str, str] = {}
    for event in events:
        look = _LOOK.fullmatch(event)
        if look is None:
            kept[event] = event
            continue
        before = _LOOK.fullmatch(kept.get(look["look"], event))
        assert before is not None  # noqa: S101 - only looks are kept under such a key
        turns = {int(at) for one in (before, look) for at in (one["first"], one["last"]) if at}
        again = f", again in {max(turns)}" if len(turns) > 1 else ""
        kept[look["look"]] = f"turn {min(turns)}{again}: {look['look']} {look['name']}"
    return list(kept.values())
