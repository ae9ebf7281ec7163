"""Making names: of a topic ("onboarding suppliers"), or of what is worked on."""

from typing import Any

from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, is_thing, singular
from workflow_agent.agent.offline.drafting.verbs import NOMINAL_OF, NOMINALS, is_form, verb_of


def topic_name(topic: str) -> str:
    """Return a topic as a name: "onboarding suppliers" is `Supplier onboarding`."""
    words = [
        word for word in topic.split() if word.lower() not in DETERMINERS | {"new"} or len(topic.split()) < 2
    ]
    while words and words[-1].lower() in ("please", "thanks", "us", "me", "too", "for", "and"):
        words.pop()
    if not words:
        return ""
    if len(words) == 1 and not is_form(words[0].lower(), "ing") and words[0].lower() not in NOMINALS:
        words = [singular(words[0].lower()) if words[0].islower() else words[0], "process"]
    first = words[0].lower()
    if len(words) > 1 and _begins_with_verb(words):
        words = [*_singular_last(words[1:]), _noun_of(first)]
    else:
        words = _singular_last(words) if len(words) <= 3 else words
    name = " ".join(words)[:100]
    return name[:1].upper() + name[1:]


def _begins_with_verb(words: list[str]) -> bool:
    """Say whether a topic is an activity and its object: "onboarding suppliers", "track loans"."""
    first, second = words[0].lower(), words[1].lower()
    if is_form(first, "ing"):
        return second not in ("of", "and", "process")
    is_noun = is_thing(first) or words[-1].lower() in NOMINALS
    return is_form(first, "base") and not is_form(second, "base") and not is_noun


def _singular_last(words: list[str]) -> list[str]:
    last = words[-1]
    return [
        *words[:-1],
        singular(last.lower()) if last.islower() and last.lower() not in ("sales", "goods", "news") else last,
    ]


def _noun_of(word: str) -> str:
    verb = verb_of(word)
    if verb is None or verb.base not in NOMINAL_OF:
        return word if word.endswith("ing") else f"{word}ing"
    return NOMINAL_OF[verb.base]


def derived_name(steps: list[dict[str, Any]], thing: str, triggers: list[dict[str, Any]]) -> str:
    """Return a name made of what is worked on and what is decided about it."""
    work = [step for step in steps if step["type"] in ("human", "action", "state")]
    about = thing or _event_thing(triggers)
    judged = next((noun for step in work if (noun := _judgement(step["name"]))), None)
    if about and judged and judged not in about.lower().split():
        return _sentence(f"{_plain(about)} {judged}")
    if about:
        return _sentence(f"{_plain(about)} process")
    if not work:
        return "New workflow"
    if len(work) == 1:
        return work[0]["name"]
    return f"{work[0]['name']} to {work[-1]['name'][:1].lower()}{work[-1]['name'][1:]}"[:120]


def _judgement(name: str) -> str | None:
    for word in name.lower().split()[:1]:
        base = NOMINALS.get(word, word)
        verb = verb_of(base)
        if verb is not None and verb.judges:
            return NOMINAL_OF.get(verb.base)
    return None


def _event_thing(triggers: list[dict[str, Any]]) -> str:
    event = next((trigger["event"] for trigger in triggers if trigger["type"] == "event"), "")
    return event.split(".")[0].replace("_", " ")


def _plain(thing: str) -> str:
    return " ".join(_singular_last(thing.split()))


def _sentence(text: str) -> str:
    return (text[:1].upper() + text[1:])[:120]
