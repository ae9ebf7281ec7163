"""What an answer tells of steps: who does one, how long it may take, what is around it, and what it has."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import SERVICES
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.walks import branches
from workflow_agent.assistant.offline.wording import condition_of, joined, named, way_on
from workflow_agent.workflows.model.durations import duration_in_words
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_MOST_TOLD = 6


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: what is so, and whether that is a yes or a no."""

    text: str
    verdict: bool | None = None

    def whole(self) -> str:
        """Return the answer with its yes or no in front."""
        if self.verdict is None:
            return self.text
        begins = self.text.startswith("**") or self.text[:1].islower()
        return f"{'Yes' if self.verdict else 'No'}{': ' if begins else '. '}{self.text}"


def names(steps: Iterable[Step]) -> str:
    """Return the names of steps, joined."""
    return joined([named(step) for step in steps])


def lines(found: Iterable[str], *, verdict: bool | None = None) -> Told | None:
    """Return lines as an answer; None where there are none."""
    text = "\n".join(list(found)[:_MOST_TOLD])
    return Told(text, verdict) if text else None


def are(steps: Sequence[Step]) -> str:
    """Return the verb for some steps."""
    return "is" if len(steps) == 1 else "are"


def with_doer(step: Step) -> str:
    """Return a step's name with who does it."""
    return named(step) + (f", done by {step.assignee}" if step.assignee else "")


def with_limits(step: Step) -> str:
    """Return a step's name with its limits."""
    limits = [
        duration_in_words(step.timeout) if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
        f"{step.retry.max_attempts} attempts" if step.retry else "",
        f"escalated to {step.escalate_to}" if step.escalate_to else "",
    ]
    told = joined([one for one in limits if one])
    return named(step) + (f", {told}" if told else "")


def time_of(step: Step) -> str:
    """Return how long a step may take."""
    parts = [
        f"has {duration_in_words(step.timeout)}" if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
    ]
    told = joined([part for part in parts if part])
    late = f"; then it goes to {step.escalate_to}" if step.escalate_to else ""
    return f"{named(step)} {told}{late}." if told else f"{named(step)} has no deadline."


def assigned(workflow: Workflow, steps: Iterable[Step], verdict: bool | None = None) -> Told | None:
    """Return who does steps; of a decision that nobody does, and of an end, who does what comes before."""
    return lines((_doer(workflow, s) for s in doing(workflow, steps)), verdict=verdict)


def _doer(workflow: Workflow, step: Step) -> str:
    if step.assignee:
        return f"{named(step)}: **{step.assignee}**."
    # Of a state nobody is set: who may move on says each way by itself.
    moves = [f"{way_on(workflow, e)}, by who has `{e.permission}`" for e in workflow.outgoing(step.id) if e.permission]
    if moves:
        return f"{named(step)}: {'; '.join(moves)}."
    return f"{named(step)}: nobody is set" + (f", it calls `{step.uses}`." if step.uses else ".")


def doing(workflow: Workflow, steps: Iterable[Step]) -> list[Step]:
    """Return the steps with those before a decision that nobody does, and before an end, in its place."""
    found = [
        one
        for step in steps
        for one in (sources(workflow, step) if step.type in ("decision", "end") and not step.assignee else [step])
    ]
    return list({step.id: step for step in found if step.type not in ("fork", "join")}.values())


def after(workflow: Workflow, step: Step) -> str:
    """Return what comes after a step."""
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"Nothing comes after {named(step)}: it is where the workflow ends."
    if len(ways) == 1:
        return f"After {named(step)}: {through(workflow, ways[0])}."
    return f"After {named(step)}:\n\n" + "\n".join(f"- {through(workflow, edge)}" for edge in ways)


def through(workflow: Workflow, edge: Transition) -> str:
    """Return a way on, with the steps behind a fork or a join, which is nothing that happens."""
    target, told = workflow.step(edge.to), way_on(workflow, edge)
    if target is not None and target.type in ("fork", "join"):
        inner = [s for e in workflow.outgoing(target.id) if (s := workflow.step(e.to))]
        return f"{told}, then{' at the same time' if target.type == 'fork' else ''} {names(inner)}"
    return f"{told}, done by {target.assignee}" if target is not None and target.assignee else told


def sources(workflow: Workflow, step: Step) -> list[Step]:
    """Return the steps right before one, those before a fork or a join in its place."""
    seen: list[Step] = []
    for one in (s for e in workflow.incoming(step.id) if (s := workflow.step(e.from_))):
        past = [s for e in workflow.incoming(one.id) if (s := workflow.step(e.from_))]
        seen += past if one.type in ("fork", "join") else [one]
    return seen


def before(workflow: Workflow, step: Step) -> str:
    """Return what comes before a step."""
    told = [with_doer(s) for s in sources(workflow, step)]
    return f"Before {named(step)}: {joined(told)}." if told else f"{named(step)} comes first."


def taken(workflow: Workflow, ways: Iterable[Transition]) -> list[str]:
    """Return where ways are taken and lead, a line each."""
    return [f"At {named(s)}: {through(workflow, e)}." for e in ways if (s := workflow.step(e.from_))]


def is_named(who: str, words: Sequence[Token]) -> bool:
    """Say whether each of some words is one of what somebody is called."""
    name = content_of(who.replace("_", " "))
    return all(any(akin(token.lower, one) for one in name) for token in words)


def in_case(when: str) -> str:
    """Return a case as what a way is taken in."""
    return when if when == "otherwise" else f"if {when}"


def loop_line(workflow: Workflow, edge: Transition) -> str:
    """Return where a way back begins and leads."""
    ends = [named(s) for one in (edge.from_, edge.to) if (s := workflow.step(one))]
    when = condition_of(edge)
    return f"from {' back to '.join(ends)}" + (f", {in_case(when)}" if when else "")


@dataclass(frozen=True, slots=True)
class Property:
    """What a step may have, or be."""

    label: str
    holds: Callable[[Workflow, Step], bool]
    lacked: str = ""
    """What a step has that is not so."""


def _parts(flow: Workflow, step: Step) -> bool:
    return len([e for e in flow.outgoing(step.id) if e.type != "error"]) > 1 and step.type != "fork"


def _decides(flow: Workflow, step: Step) -> bool:
    several = _parts(flow, step)
    if step.type == "action" and not several:
        # "Send rejection" tells what was decided.
        return False
    if step.type == "human" and several:
        return True
    texts = (step.name, *(condition_of(e) for e in flow.outgoing(step.id)))
    said = [word for text in texts for word in content_of(text)]
    return any(akin(word, one) for word in said for one in word_set("inquiry.verdicts"))


def channels_in(tokens: Tokens) -> frozenset[str]:
    """Return the services that words name by which messages are sent."""
    said = (word for token in tokens for word in (token.lower, token.lemma))
    return frozenset(SERVICES[word].partition(".")[0] for word in said if word in SERVICES)


def channel(step: Step) -> str:
    """Return the service that a step calls."""
    return (step.uses or "").partition(".")[0]


def _tells(_: Workflow, step: Step) -> bool:
    said = any(akin(word, one) for word in content_of(step.name)[:1] for one in word_set("answers.informing"))
    return step.type in ("action", "human") and (said or channel(step) in word_set("answers.channels"))


def falls(flow: Workflow, step: Step) -> bool:
    """Say whether something is drawn for the failure of a step."""
    return bool(step.retry) or any(e.type == "error" for e in flow.outgoing(step.id))


PROPERTIES = {
    "with_deadline": Property("with a deadline", lambda _, s: bool(s.timeout), "no deadline"),
    "with_retry": Property("tried again on failure", lambda _, s: bool(s.retry)),
    "with_escalation": Property("with an escalation", lambda _, s: bool(s.escalate_to), "no escalation"),
    "with_owner": Property("with somebody who does it", lambda _, s: bool(s.assignee), "nobody who does it"),
    "automatic": Property("automatic", lambda _, s: s.type not in ("human", "decision") and not s.assignee),
    "manual": Property("done by people", lambda _, s: s.type == "human" or bool(s.assignee)),
    "optional": Property("done only in some cases", lambda _, s: s.when is not None),
    "branches": Property("with several ways on", _parts, "one way on only"),
    "approvals": Property("deciding or approving", _decides),
    "parallel": Property("in parallel branches", lambda flow, s: any(s in row for row in branches(flow))),
    "messages": Property("sending a message", _tells),
    "waits": Property("waiting for something", lambda _, s: s.type in ("wait", "event") or bool(s.duration)),
    "error_handling": Property(
        "with a way out or another try when it fails", falls, "no way out and no other try when it fails"
    ),
}
"""By the kind of question that asks for it."""
