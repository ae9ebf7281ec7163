"""Answers about people: who does what, which steps are whose."""

from collections.abc import Mapping

from workflow_agent.agent.offline.intents.stems import phrase_score
from workflow_agent.agent.offline.skills.answers import Answer, Inquiry, all_named
from workflow_agent.agent.offline.wording.lists import counted, joined
from workflow_agent.agent.offline.wording.workflow import condition_of, named, roles_of
from workflow_agent.domain.workflow import Step, Transition

_LEADS = ("who is", "who's", "who has to", "who does", "who gets", "who", "whose", "by whom is", "to whom is")
_TAILS = (" what in there", " what in it", " what here", " what", " in there", " in it", " here")
_SAME_ROLE = 0.6
_SAME_WORD = 0.9


def _who_all(inquiry: Inquiry) -> str | None:
    roles = roles_of(inquiry.workflow)
    if not roles:
        return f"No step of **{inquiry.workflow.name}** has an owner."
    lines = "\n".join(f"- **{role}**: {all_named(steps)}" for role, steps in roles.items())
    verb = "role is" if len(roles) == 1 else "roles are"
    return f"{len(roles)} {verb} involved in **{inquiry.workflow.name}**:\n\n{lines}"


def _unowned(inquiry: Inquiry) -> str | None:
    steps = [step for step in inquiry.workflow.steps if step.type == "human" and not step.assignee]
    if steps:
        return f"No owner is set for {all_named(steps)}."
    return f"Every step of **{inquiry.workflow.name}** that a person does has an owner."


def _who(inquiry: Inquiry) -> str | None:
    phrase = inquiry.slot("step", "act", "what")
    asked = _verb_phrase(inquiry.text) or phrase
    steps = inquiry.steps(asked) or (inquiry.steps(phrase) if phrase else [])
    steps = _decided(inquiry, asked) or _decided_so(inquiry, asked, steps) or steps
    if not steps:
        return None
    return " ".join(_owner(step) for step in steps)


def _verb_phrase(text: str) -> str:
    lowered = text.lower()
    lead = next((lead for lead in _LEADS if lowered.startswith(lead + " ")), "")
    asked = text[len(lead) :].strip(" ?")
    return next((asked.removesuffix(tail) for tail in _TAILS if asked.lower().endswith(tail)), asked)


def _decided(inquiry: Inquiry, phrase: str) -> list[Step]:
    """Return the steps where a person takes the decision a phrase names: "who approves?"."""
    return [
        step for step in inquiry.workflow.steps
        if step.type in ("human", "decision", "state") and step.assignee
        and any(_is_decision(phrase, edge) for edge in inquiry.workflow.outgoing(step.id))
    ]  # fmt: skip


def _decided_so(inquiry: Inquiry, asked: str, found: list[Step]) -> list[Step]:
    """Return who decides by the verb alone, where nothing found does that: "who approves expenses?".

    A step that is called as what is asked about is meant itself: "who approves the finance review?".
    """
    verb, _, thing = asked.partition(" ")
    for step in found:
        is_it = phrase_score(verb, [step.name, step.id]) >= _SAME_WORD
        is_about_it = phrase_score(thing, [step.name]) >= _SAME_WORD
        if is_it or not is_about_it or phrase_score(step.name, [thing]) >= _SAME_WORD:
            return []
    return _decided(inquiry, verb) if found else []


def _is_decision(phrase: str, edge: Transition) -> bool:
    return phrase_score(phrase, [condition_of(edge)]) >= _SAME_WORD


def _owner(step: Step) -> str:
    if step.assignee:
        return f"**{step.assignee}**, in {named(step)}."
    if step.type == "action":
        return f"Nobody: {named(step)} runs by itself" + (f", through `{step.uses}`." if step.uses else ".")
    return f"Nobody is set for {named(step)}."


def _what_role_does(inquiry: Inquiry) -> str | None:
    who = inquiry.slot("who")
    roles = roles_of(inquiry.workflow)
    meant = [role for role in roles if phrase_score(who, [role]) >= _SAME_ROLE]
    if not meant:
        if "step" in inquiry.slots or inquiry.steps(who):
            return None
        known = joined(list(roles)) or "not set"
        return f"{who!r} has no step in **{inquiry.workflow.name}**. The roles are {known}."
    return " ".join(f"**{role}** does {all_named(roles[role])}." for role in meant)


def _count(inquiry: Inquiry) -> str | None:
    workflow = inquiry.workflow
    thing = inquiry.slot("things") or "steps"
    ends = [step for step in workflow.steps if step.type == "end"]
    counts: list[tuple[str, str, int]] = [
        ("roles people persons participants teams", "role", len(roles_of(workflow))),
        ("approvals approvers reviews", "approval", len(_approvals(inquiry))),
        (
            "decisions branches conditions",
            "branch",
            len([edge for edge in workflow.transitions if edge.type == "condition"]),
        ),
        ("ends outcomes endings", "end", len(ends)),
        ("transitions connections arrows edges links", "transition", len(workflow.transitions)),
        ("triggers schedules", "trigger", len(workflow.triggers)),
        ("deadlines timeouts", "deadline", len([step for step in workflow.steps if step.timeout])),
        ("waits pauses", "wait", len([step for step in workflow.steps if step.type == "wait"])),
        ("versions changes", "version", workflow.version),
    ]
    for words, noun, number in counts:
        if any(phrase_score(thing, [word]) >= 0.9 for word in words.split()):
            plural = "branches" if noun == "branch" else None
            return f"**{workflow.name}** has {counted(number, noun, plural)}."
    work = len(workflow.steps) - len(ends)
    tail = f", {work} to do and {counted(len(ends), 'end')}" if ends else ""
    return f"**{workflow.name}** has {counted(len(workflow.steps), 'step')}{tail}."


def _approvals(inquiry: Inquiry) -> list[Step]:
    """Return the steps where a person decides: their ways on have conditions."""
    deciding = {edge.from_ for edge in inquiry.workflow.transitions if edge.type in ("condition", "default")}
    return [step for step in inquiry.workflow.steps if step.type == "human" and step.id in deciding]


def _by_type(inquiry: Inquiry) -> str | None:
    text = inquiry.text.lower()
    steps = inquiry.workflow.steps
    if "approval" in text:
        found, what = _approvals(inquiry), "approvals"
    elif "decision" in text:
        found = [s for s in steps if s.type == "decision"] or _approvals(inquiry)
        what = "decisions"
    elif "wait" in text:
        found, what = [s for s in steps if s.type == "wait"], "waits"
    elif "end step" in text:
        found, what = [s for s in steps if s.type == "end"], "ends"
    elif any(
        word in text for word in ("manual", "human", "people", "hand", "somebody", "someone", "anybody")
    ):
        found, what = [s for s in steps if s.type == "human"], "steps that people do"
    else:
        found, what = (
            [s for s in steps if s.type in ("action", "subworkflow")],
            "steps that run by themselves",
        )
    if not found:
        return f"**{inquiry.workflow.name}** has no {what}."
    return f"The {what} of **{inquiry.workflow.name}**: {all_named(found)}."


PEOPLE: Mapping[str, Answer] = {
    "who_all": _who_all,
    "unowned": _unowned,
    "who": _who,
    "what_role_does": _what_role_does,
    "count": _count,
    "by_type": _by_type,
}
