"""New steps from who is to do what: "the team lead look over the expense"."""

import re
from collections.abc import Iterator

from workflow_agent.agent.offline.intents.numbers import unquoted
from workflow_agent.agent.offline.skills.plan import Plan
from workflow_agent.agent.offline.skills.steps import PRONOUNS
from workflow_agent.agent.offline.turn.outcome import JsonObject
from workflow_agent.domain.workflow_parsing import slug

_NOBODY = PRONOUNS | {"we", "you", "i", "there", "somebody", "someone"}
_ARTICLE = re.compile(r"^(?:the|our|an?|some)\s+", re.IGNORECASE)
_BESIDE = re.compile(r"\s+(?:also|then|too|first|always|now)$", re.IGNORECASE)
_ROLES = frozenset({"lead", "head", "chair", "support", "staff", "partner", "desk", "board", "host", "judge"})
"""Verbs that more often end a role: "the team lead"."""
_MOST_WORDS = 5
_PLAIN = re.compile(r"[a-z]{2,20}")


def deed_draft(plan: Plan, who: str, act: str) -> JsonObject:
    """Return the new step in which somebody does something; what is said in front of the verb may be a role.

    Args:
        plan: What new steps are drafted with.
        who: As it was said, with or without an article; a pronoun is nobody.
        act: What is done, the verb in its base form.
    """
    subject = _BESIDE.sub("", _ARTICLE.sub("", unquoted(who)))
    if subject.lower() in _NOBODY:
        return {key: value for key, value in plan.step_draft(act).items() if key != "assignee"}
    if "'s " in subject:
        return plan.step_draft(act, assignee=subject)
    for role, told in _told(f"{subject} {act}".split(" ")):
        parsed = plan.drafting.parse_step(told) or {}
        if slug(str(parsed.get("assignee") or "-")) == slug(role):
            return plan.step_draft(told)
    draft = plan.step_draft(f"{subject} {act}")
    return draft if "assignee" in draft else plan.step_draft(act, assignee=subject.lower())


def _told(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each way to part a role from its verb, with the verb as it is said of somebody: "looks"."""
    for at in range(1, min(len(words), _MOST_WORDS + 1)):
        verb = words[at]
        if _PLAIN.fullmatch(verb) and not (verb in _ROLES and at + 1 < len(words)):
            yield " ".join(words[:at]), " ".join([*words[:at], _third_person(verb), *words[at + 1 :]])


def _third_person(verb: str) -> str:
    if re.search(r"[^s]s$", verb):
        return verb
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search(r"[^aeiou]y$", verb) else f"{verb}s"
