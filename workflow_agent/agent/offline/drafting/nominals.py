"""Reading steps that are only named: "a legal review", "approval by the CFO", "kickoff meeting"."""

from workflow_agent.agent.offline.drafting.actors import Memory, person_at, person_name
from workflow_agent.agent.offline.drafting.items import is_only_role
from workflow_agent.agent.offline.drafting.limits import without_limits
from workflow_agent.agent.offline.drafting.nouns import is_role, is_thing, role_name
from workflow_agent.agent.offline.drafting.phrases import capitalised, keywords, object_words
from workflow_agent.agent.offline.drafting.services import service_call
from workflow_agent.agent.offline.drafting.statements import Task
from workflow_agent.agent.offline.drafting.tasks import call_fields, outcomes_in
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows
from workflow_agent.agent.offline.drafting.verbs import NOMINALS, Verb, is_form, lemma, verb_of


def nominal_task(tokens: Tokens, memory: Memory) -> Task | None:
    """Return the step a noun phrase names: "a legal review", "approval by the CFO", "kickoff meeting"."""
    rest, fields = without_limits([token for token in tokens if token.low not in ("(", ")")])
    words = object_words(rest, memory)
    if not words or not any(char.isalpha() for word in words for char in word):
        return None
    length = next((token for token in rest if token.kind == "duration"), None)
    if length is not None and not {"wait", "pause", "delay"}.isdisjoint(lows(rest)):
        return Task(
            capitalised(words), "wait", "wait", fields={"duration": length.value}, words=frozenset({"wait"})
        )
    verb = _nominal_verb(lows(rest))
    said = " ".join(token.text for token in rest)
    assignee = role_name(said.split()) if is_only_role(said) else _nominal_role(rest)
    is_human = assignee is not None or (verb is not None and verb.kind == "human") or _is_gathering(words)
    outcomes = outcomes_in(tokens, verb)
    name = capitalised(words)
    if not is_human:
        fields |= call_fields(
            service_call(verb.base if verb else "", lows(rest)),
            verb or Verb("", "action"),
            rest,
            is_person=False,
        )
    if assignee is not None:
        memory.person = assignee
    return Task(
        name=name, type="human" if is_human else "action", lemma=verb.base if verb else "", assignee=assignee,
        fields=fields, outcomes=outcomes, judges=verb is not None and verb.judges, words=keywords(words),
        has_subject=True,
    )  # fmt: skip


def _is_gathering(words: list[str]) -> bool:
    return words[-1].lower() in (
        "meeting",
        "workshop",
        "session",
        "briefing",
        "interview",
        "training",
        "call",
        "visit",
    )


def _nominal_verb(words: list[str]) -> Verb | None:
    named = [word for word in words[:6] if word in NOMINALS]
    for word in [*named, *reversed(words[:6])]:
        verb = verb_of(lemma(word))
        if verb is not None and not is_form(word, "s", "past") and verb.kind in ("human", "action"):
            return verb
    return None


def _nominal_role(tokens: Tokens) -> str | None:
    for at, token in enumerate(tokens):
        if token.low in ("by", "from", "with") and at + 1 < len(tokens):
            found = person_at(tokens, at + 1)
            if found is not None:
                return found[0]
    for at, token in enumerate(tokens[:-1]):
        if is_role(token.low) and not (is_thing(token.low) and at == 0 and not is_role(token.low)):
            start = at
            return role_name([word.text.removesuffix("'s") for word in tokens[start : at + 1]])
        if token.low.endswith("'s") and is_role(token.low.removesuffix("'s")):
            return person_name([token._replace(text=token.text[:-2], low=token.low[:-2])])
    return None
