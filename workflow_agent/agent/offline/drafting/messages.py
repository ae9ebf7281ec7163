"""Clauses that tell of a message: "the supplier gets an email", "a reminder goes out"."""

from workflow_agent.agent.offline.drafting.actors import Memory
from workflow_agent.agent.offline.drafting.clauses import Clause
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.services import service_call
from workflow_agent.agent.offline.drafting.statements import Statement, Task
from workflow_agent.agent.offline.drafting.tokens import lows


def received(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "the supplier gets an email": a message is sent."""
    if clause.lemma not in ("get", "receive") or clause.actor.kind != "person" or not is_message(clause):
        return None
    name = clause.actor.name or "recipient"
    said = object_words(clause.rest, memory)
    uses = service_call("send", [word.lower() for word in said]) or "notification.send"
    memory.person = name
    task_name = capitalised(["Send", *said, "to", name])
    return [
        Task(
            task_name,
            "action",
            "send",
            None,
            {"uses": uses, "with": {"to": name}},
            words=keywords(["send", *said, name]),
            has_subject=True,
        )
    ]


def gone_out(clause: Clause, memory: Memory) -> list[Statement] | None:
    """Read "a reminder goes out": a message is sent."""
    if (
        clause.lemma != "go"
        or lows(clause.rest[:1]) != ["out"]
        or clause.head is None
        or not is_message(clause)
    ):
        return None
    said = object_words(clause.head.subject, memory)
    words = ["send", *said]
    uses = service_call("send", [word.lower() for word in said]) or "notification.send"
    return [
        Task(
            capitalised(words),
            "action",
            "send",
            None,
            {"uses": uses},
            words=keywords(words),
            has_subject=True,
        )
    ]


def is_message(clause: Clause) -> bool:
    """Say whether a clause speaks of a message."""
    words = clause.words
    return any(
        word in words
        for word in (
            "email",
            "mail",
            "notification",
            "message",
            "sms",
            "reminder",
            "letter",
            "confirmation",
            "text",
            "invitation",
        )
    )
