"""Answers about what is set: lengths of time, retries, services, forms, labels, single steps."""

import re
from collections.abc import Mapping

from workflow_agent.agent.offline.intents.stems import content_words, phrase_score
from workflow_agent.agent.offline.skills.answers import Answer, Inquiry, all_named, mentions
from workflow_agent.agent.offline.skills.answers_flow import FLOW
from workflow_agent.agent.offline.skills.answers_people import PEOPLE
from workflow_agent.agent.offline.wording.lists import clipped, joined
from workflow_agent.agent.offline.wording.workflow import named, starts_line, way_on, who_and_how
from workflow_agent.domain.durations import duration_in_words
from workflow_agent.domain.workflow import Step, Workflow

_WHOLE = re.compile(
    r"^(?:it|this|that|everything|the whole thing|the (?:whole |entire )?(?:workflow|process|flow)|)$",
    re.IGNORECASE,
)
_TELLING_CHARS = 4
_MOST_FOUND = 3
_PROPERTIES = (
    (re.compile(r"deadline|timeout|time limit|\bsla\b"), "untimed"),
    (re.compile(r"\bretr(?:y|ies)\b"), "retries"),
    (re.compile(r"\b(?:loop|cycle)s?\b"), "loops"),
    (re.compile(r"\bparallel|same time\b"), "parallels"),
    (re.compile(r"\b(?:trigger|schedule)s?\b"), "starts"),
    (re.compile(r"\bapprovals?\b"), "approvals"),
    (re.compile(r"\berror (?:path|handling|branch)|fallback\b"), "error_paths"),
    (re.compile(r"\bform\b"), "form"),
)


def _how_long(inquiry: Inquiry) -> str | None:
    phrase = inquiry.slot("step", "who")
    if not _WHOLE.match(phrase) and (steps := inquiry.steps(phrase)):
        return " ".join(_length_of(step) for step in steps)
    return _untimed(inquiry)


def _length_of(step: Step) -> str:
    if step.duration:
        return f"{named(step)} lasts {duration_in_words(step.duration)}."
    if step.timeout:
        return f"{named(step)} may take {duration_in_words(step.timeout)} at most."
    return f"Nothing limits {named(step)}: it has no deadline."


def _untimed(inquiry: Inquiry) -> str | None:
    steps = [step for step in inquiry.workflow.steps if step.type != "end"]
    timed = [step for step in steps if step.timeout or step.duration]
    waiting = [step for step in steps if step.type in ("human", "event") and not step.timeout]
    parts = [_length_of(step) for step in timed]
    if waiting:
        parts.append(f"No deadline is set for {all_named(waiting)}, so no total can be given.")
    return " ".join(parts) or f"No times are set in **{inquiry.workflow.name}**."


def _retries(inquiry: Inquiry) -> str | None:
    steps = inquiry.steps(inquiry.slot("step")) if inquiry.slot("step") else []
    if not steps:
        steps = [step for step in inquiry.workflow.steps if step.retry] or [
            s for s in inquiry.workflow.steps if s.type == "action"
        ]
    return (
        " ".join(_retry_of(step) for step in steps) or f"Nothing in **{inquiry.workflow.name}** is retried."
    )


def _retry_of(step: Step) -> str:
    if step.retry is None:
        return f"{named(step)} is not retried."
    pause = f", {duration_in_words(step.retry.interval)} apart" if step.retry.interval else ""
    return f"{named(step)} is tried up to {step.retry.max_attempts} times{pause}."


def _unretried(inquiry: Inquiry) -> str | None:
    steps = [step for step in inquiry.workflow.steps if step.type == "action"]
    return " ".join(_retry_of(step) for step in steps) or "No step runs by itself."


def _touches(inquiry: Inquiry) -> str | None:
    thing = inquiry.slot("thing")
    if not thing:
        return _services(inquiry)
    found = mentions(inquiry.workflow, thing)
    if found:
        return f"Yes: {joined(found)}."
    return f"No, nothing in **{inquiry.workflow.name}** mentions {clipped(thing, 80)!r}."


def _services(inquiry: Inquiry) -> str | None:
    used = [f"`{step.uses}` in {named(step)}" for step in inquiry.workflow.steps if step.uses]
    used += [f"{a.effect.type} by the automation `{a.id}`" for a in inquiry.workflow.automations]
    return (
        f"**{inquiry.workflow.name}** uses {joined(used)}."
        if used
        else f"**{inquiry.workflow.name}** names no outside service."
    )


def _is_there(inquiry: Inquiry) -> str | None:
    thing = inquiry.slot("thing", "subject")
    kind = next((kind for pattern, kind in _PROPERTIES if pattern.search(thing.lower())), None)
    if kind is not None:
        return _HAS[kind](inquiry)
    steps = inquiry.steps(thing)
    if steps:
        return f"Yes: {all_named(steps)}."
    return _touches_thing(inquiry.workflow, thing)


def _touches_thing(workflow: Workflow, thing: str) -> str:
    found = mentions(workflow, thing)
    return (
        f"Yes: {joined(found)}."
        if found
        else f"No, **{workflow.name}** has nothing like {clipped(thing, 80)!r}."
    )


def _approvals(inquiry: Inquiry) -> str | None:
    return PEOPLE["by_type"](inquiry)


def _error_paths(inquiry: Inquiry) -> str | None:
    ways = [edge for edge in inquiry.workflow.transitions if edge.type == "error"]
    steps = {step.id: step for step in inquiry.workflow.steps}
    if not ways:
        return f"No, **{inquiry.workflow.name}** has no error path."
    return "Yes:\n\n" + "\n".join(f"- {named(steps[e.from_])} {way_on(inquiry.workflow, e)}" for e in ways)


def _form(inquiry: Inquiry) -> str | None:
    phrase = inquiry.slot("step", "who")
    meant = inquiry.steps(phrase) if phrase else []
    forms = [step for step in meant or inquiry.workflow.steps if step.form and step.form.fields]
    if not forms:
        return f"No step of **{inquiry.workflow.name}** has a form with fields."
    lines: list[str] = []
    for step in forms:
        fields = [
            f"{f.label or f.key} ({f.type}{', required' if f.required else ''})"
            for f in (step.form.fields if step.form else ())
        ]
        lines.append(f"{named(step)} asks for {joined(fields)}.")
    return "\n".join(lines)


def _meta(inquiry: Inquiry) -> str | None:
    workflow = inquiry.workflow
    changed = f" Last changed {workflow.updated_at:%Y-%m-%d %H:%M} UTC." if workflow.updated_at else ""
    tags = f"tags: {', '.join(workflow.tags)}" if workflow.tags else "no tags"
    aliases = f"also called {', '.join(workflow.aliases)}" if workflow.aliases else "no other names"
    about = f" {clipped(workflow.description, 300)}" if workflow.description else ""
    head = f"**{workflow.name}** (`{workflow.id}`) is at version {workflow.version}"
    return f"{head}; {tags}; {aliases}.{changed}{about}"


def _step(inquiry: Inquiry) -> str | None:
    text = inquiry.text.lower()
    phrase = inquiry.slot("step") or (
        f"step {inquiry.slot('n')}" if inquiry.slot("n") else inquiry.slot("ord") or text
    )
    steps = inquiry.steps(phrase)
    if not steps:
        return None
    return "\n\n".join(_about(inquiry.workflow, step) for step in steps)


def _about(workflow: Workflow, step: Step) -> str:
    facts = who_and_how(step)
    text = (
        named(step)
        + (f": {facts}." if facts else ".")
        + (f" {clipped(step.description, 300)}" if step.description else "")
    )
    ways = "\n".join(f"- {way_on(workflow, edge)}" for edge in workflow.outgoing(step.id))
    return f"{text}\n\n{ways}" if ways else text


def _about_words(inquiry: Inquiry) -> str | None:
    """Return the steps that share a telling word with a question of no known kind."""
    words = [word for word in content_words(inquiry.slot("thing")) if len(word) >= _TELLING_CHARS]
    steps = inquiry.workflow.steps
    scored = [(sum(phrase_score(word, [step.name]) > 0 for word in words), step) for step in steps]
    best = max((score for score, _ in scored), default=0)
    found = [step for score, step in scored if score == best > 0]
    if not found or len(found) > _MOST_FOUND:
        return None
    told = "\n\n".join(_about(inquiry.workflow, step) for step in found)
    name = inquiry.workflow.name
    return f"I can't answer that directly. This is what **{name}** says nearest to it:\n\n{told}"


FACTS: Mapping[str, Answer] = {
    "about": _about_words,
    "how_long": _how_long,
    "untimed": _untimed,
    "retries": _retries,
    "unretried": _unretried,
    "touches": _touches,
    "is_there": _is_there,
    "form": _form,
    "meta": _meta,
    "step": _step,
}
_HAS: Mapping[str, Answer] = {
    **FACTS,
    **FLOW,
    "approvals": _approvals,
    "error_paths": _error_paths,
    "starts": lambda inquiry: starts_line(inquiry.workflow),
}
ANSWERS: Mapping[str, Answer] = {**PEOPLE, **FLOW, **FACTS}
