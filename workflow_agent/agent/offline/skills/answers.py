"""What answers about a workflow's inside share: finding the steps that are meant, where things are."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from workflow_agent.agent.offline.intents.stems import content_words, likeness
from workflow_agent.agent.offline.skills.steps import StepFinder, StepUnclear
from workflow_agent.agent.offline.wording.lists import clipped, joined
from workflow_agent.agent.offline.wording.workflow import named
from workflow_agent.domain.triggers import describe_trigger
from workflow_agent.domain.workflow import Step, Workflow

_MOST_STEPS = 8
_GENERIC = frozenset(
    {
        "service",
        "services",
        "system",
        "systems",
        "api",
        "tool",
        "app",
        "application",
        "server",
        "platform",
        "channel",
        "step",
    }
)


@dataclass(frozen=True)
class Inquiry:
    """A question about one workflow."""

    workflow: Workflow
    text: str
    slots: Mapping[str, str]
    last: str | None
    """The step spoken of before, for "it"."""

    def slot(self, *names: str) -> str:
        """Return the first of these slots that the question fills, or nothing."""
        return next((self.slots[name] for name in names if name in self.slots), "")

    def steps(self, phrase: str) -> list[Step]:
        """Return the steps a phrase means: one, several that fit equally well, or none."""
        finder = StepFinder.of(self.workflow, last=self.last)
        try:
            ids = finder.find_all(phrase)
        except StepUnclear as unclear:
            ids = [candidate.id for candidate in unclear.candidates]
        return [step for step in self.workflow.steps if step.id in ids][:_MOST_STEPS]

    def step(self, step_id: str) -> Step:
        """Return the step with an id that is known to exist."""
        return next(step for step in self.workflow.steps if step.id == step_id)


Answer = Callable[[Inquiry], str | None]
"""Returns the answer, or None when the question cannot be about what it looks for."""


def all_named(steps: Iterable[Step]) -> str:
    """Return the names of steps with their ids, as a phrase."""
    return joined([named(step) for step in steps])


def nothing_about(workflow: Workflow, asked: str) -> str:
    """Return the answer when a workflow says nothing about a question, with what its steps are."""
    names = joined([f"{step.name} (`{step.id}`)" for step in workflow.steps[:12]])
    return (
        f"I find nothing in **{workflow.name}** that answers “{clipped(asked, 120)}”. Its steps are {names}."
    )


def mentions(workflow: Workflow, thing: str) -> list[str]:
    """Return where a workflow mentions a thing: steps by id, automations, triggers, the description."""
    words = content_words(thing)
    wanted = [word for word in words if word not in _GENERIC] or words
    found = [named(step) + _why(step, wanted) for step in workflow.steps if _has(wanted, _texts(step))]
    found += [f"the automation `{a.id}` ({a.effect.type})" for a in workflow.automations
              if _has(wanted, [a.id, a.effect.type, *_strings(a.effect.with_)])]  # fmt: skip
    found += [
        f"the trigger {describe_trigger(t)!r}"
        for t in workflow.triggers
        if _has(wanted, [describe_trigger(t)])
    ]
    if not found and _has(wanted, [workflow.description]):
        found.append("the description")
    return found


def _why(step: Step, wanted: Sequence[str]) -> str:
    return f", which calls `{step.uses}`" if step.uses and _has(wanted, [step.uses]) else ""


def _texts(step: Step) -> list[str]:
    plain = [
        step.name,
        step.uses,
        step.description,
        step.event,
        step.assignee,
        step.workflow,
        step.escalate_to,
    ]
    return [*(text for text in plain if text), *_strings(step.with_)]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        named = cast("Mapping[str, Any]", value).items()
        return [text for item in named for part in item for text in _strings(part)]
    if isinstance(value, list | tuple):
        return [text for item in cast("Sequence[Any]", value) for text in _strings(item)]
    return []


def _has(wanted: Sequence[str], texts: Iterable[str]) -> bool:
    """Say whether every wanted word is in the texts, endings aside."""
    words = {word for text in texts for word in re.findall(r"[a-z0-9]+", text.lower())}
    return bool(wanted) and all(
        any(likeness(w, word, related=False) >= 0.8 for word in words) for w in wanted
    )
