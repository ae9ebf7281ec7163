"""Clauses that order nothing and give the reason for what is ordered: "nobody reads it, get rid of it"."""

import re
from collections.abc import Iterator

from workflow_agent.agent.offline.intents.stems import content_words, likeness, phrase_score
from workflow_agent.agent.offline.intents.text import begins_with_order, masked_quotes
from workflow_agent.agent.offline.skills.steps import Known, StepFinder, StepUnclear

_TELLS = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|wasn't|takes?|took|too|fails?|breaks?|stops?|costs?|nobody|"
    r"no one|never|always|keeps?|don't|doesn't|didn't|"
    r"can't|cannot|we|they|people|has|have|had|there's|it's|that's)\b",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"\b(?:should|must|shall|has to|have to|needs? to|ought to|wants?|would like|let|please)\b|\?",
    re.IGNORECASE,
)
"""Such a clause wants something done, so that passing over it would be wrong."""
_SUBJECT = re.compile(
    r"(?:the |our |that |this )?([^,;]{2,80}?) (?:is|are|was|were|isn't|aren't|wasn't|takes?|took|never|"
    r"fails?|breaks?|stops?|costs?|always|keeps?|doesn't|don't|has|have|had|can't|cannot)\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?:nobody|no one|noone|we|they|people|everybody|everyone|i)(?: (?:never|always|really|don't|do not|"
    r"ever|no longer|hardly|all|just))* \w+ (?:at |to |for |about )?(?:the |our )?([^,;]{2,80})",
    re.IGNORECASE,
)
_FOR = re.compile(r"\b(?:for|of|about|with|in) (?:the |our )?([^,;]{2,80})$", re.IGNORECASE)
_CLEARLY = 0.8


def is_remark(text: str) -> bool:
    """Say whether a clause tells how things are and wants nothing."""
    told, _ = masked_quotes(text)
    return bool(_TELLS.search(told)) and not begins_with_order(told) and not _WISHES.search(told)


def step_of_remark(text: str, finder: StepFinder) -> str | None:
    """Return the one step that a remark speaks of, or None; what was spoken of before stays as it was."""
    before = finder.last
    for phrase in _phrases(text):
        try:
            found = finder.find(phrase)
        except StepUnclear:
            continue
        finder.last = before
        if _is_clearly(finder, found, phrase):
            return found
    named = [step for step in finder.steps if step.type != "end" and _is_named(step, text)]
    return named[0].id if len(named) == 1 else None


def _phrases(text: str) -> Iterator[str]:
    for pattern in (_FOR, _SUBJECT, _OBJECT):
        if match := (pattern.search(text) if pattern is _FOR else pattern.match(text)):
            yield match[1]


def _is_clearly(finder: StepFinder, step_id: str, phrase: str) -> bool:
    step = next(one for one in finder.steps if one.id == step_id)
    return phrase_score(phrase, [step.name, step.id.replace("_", " ")]) >= _CLEARLY


def _is_named(step: Known, text: str) -> bool:
    said = content_words(text)
    return all(
        any(likeness(word, one, related=False) > 0 for one in said) for word in content_words(step.name)
    )
