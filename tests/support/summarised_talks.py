"""Talks with true and untrue summaries of them, as files of cases tell them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.compacted_talks import said
from workflow_agent.conversations.document import AgentReply, Event, WorkflowTouch


@dataclass(frozen=True)
class Talk:
    """What was said and done in a talk, and what summaries say of it."""

    name: str
    events: tuple[Event, ...]
    lies: tuple[str, ...]
    honest: tuple[str, ...]


def talks_in(path: Path) -> list[Talk]:
    """Return the talks of a file; its first lines say how to read it."""
    return [_talk(one) for one in path.read_text("utf-8").split("\n# ")[1:]]


def _talk(text: str) -> Talk:
    name, *lines = text.strip().splitlines()
    told: list[str] = []
    did: dict[int, list[str]] = {}
    replied: dict[int, str] = {}
    for line in lines:
        match line[:2], line[2:]:
            case "> ", message:
                told.append(message)
            case "< ", deed:
                *did[len(told)], replied[len(told)] = deed.split(" | ")
            case "= ", reply:
                replied[len(told)] = reply
            case _:
                pass
    lies, honest = (tuple(line[2:] for line in lines if line.startswith(sign)) for sign in ("- ", "+ "))
    return Talk(name, tuple(_events(told, did, replied)), lies, honest)


def _events(told: list[str], did: dict[int, list[str]], replied: dict[int, str]) -> Iterator[Event]:
    for event in said(*told).events:
        if not isinstance(event, AgentReply) or event.turn not in replied:
            yield event
            continue
        touched = ()
        if event.turn in did:
            change, workflow, name = did[event.turn]
            facts = {"id": workflow, "name": name, "version": 2, "change": change}
            touched = (WorkflowTouch.model_validate(facts),)
        yield event.model_copy(update={"content": replied[event.turn], "workflows_touched": touched})
