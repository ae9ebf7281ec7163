"""Reading conditions: whether one is a verdict, a failure, a silence or a fact."""

from typing import Final

from workflow_agent.agent.offline.drafting.actors import Memory, actor_of, agent_of, head_noun
from workflow_agent.agent.offline.drafting.clause_heads import ADVERBS
from workflow_agent.agent.offline.drafting.condition_words import BE, NEGATIVE, NOT, POSITIVE
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, GENERIC, is_role, is_system, is_thing
from workflow_agent.agent.offline.drafting.phrases import keywords
from workflow_agent.agent.offline.drafting.statements import Condition, ConditionKind, Polarity
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows, spoken
from workflow_agent.agent.offline.drafting.verbs import lemma, verb_of
from workflow_agent.agent.offline.drafting.words import word_set

_MAX_TEXT_CHARS: Final = 300
_CHANGES: Final = word_set(
    "changes revision revisions rework corrections modifications amendments edits improvements"
)
_FAILURES: Final = word_set(
    "fail fails failed failing error errors crash crashes crashed unavailable unreachable exception "
                             "failure breaks timeout")  # fmt: skip
_ANSWERS: Final = word_set(
    "answer respond reply react act decide approve response reaction feedback happen do decision "
                            "confirm sign pick")  # fmt: skip
_REPLIES: Final = word_set("answer reply respond response react")
_SILENCE: Final = word_set("nobody silence nothing noone")
_OUTCOME_FILL: Final = BE | ADVERBS | NOT | DETERMINERS | word_set(
    "by it he she they and or of them him her result answer decision outcome everything all case looks "
    "look seems as check "
    "with comes come back says say there were any need needs needed required requested asked asks for "
    "requests are ask "
    "still from something anything both either one agrees")  # fmt: skip


def read_condition(tokens: Tokens, memory: Memory) -> Condition:
    """Return what a condition's tokens mean."""
    words = lows(tokens)
    kind, polarity = _kind_of(tokens, words)
    length = next((str(token.value) for token in tokens if token.kind == "duration"), None)
    text = spoken(tokens)[:_MAX_TEXT_CHARS] or "it holds"
    return Condition(text, kind, polarity, keywords(words), _actor_in(tokens, memory), length)


def _actor_in(tokens: Tokens, memory: Memory) -> str | None:
    agent = agent_of(tokens)
    if agent is not None:
        return agent[0]
    head = read_head(tokens)
    if head is None or not head.subject or head.subject[0].low in GENERIC | {"nobody"}:
        return None
    actor = actor_of(head.subject, memory)
    return actor.name if actor.kind == "person" and is_role(head_noun(head.subject)) else None


def _kind_of(tokens: Tokens, words: list[str]) -> tuple[ConditionKind, Polarity]:
    if _is_silence(tokens, words):
        return "timeout", ""
    if not _FAILURES.isdisjoint(words) or _goes_wrong(words):
        negated = not NOT.isdisjoint(words) or "without" in words
        return ("generic", "approved") if negated else ("error", "rejected")
    polarity = polarity_of(words)
    if polarity and _says_no_more(words):
        return "outcome", polarity
    return "generic", polarity if polarity and _speaks_of_verdict(words) else ""


def _goes_wrong(words: list[str]) -> bool:
    return "wrong" in words and not {"goes", "go", "went"}.isdisjoint(words)


def _is_silence(tokens: Tokens, words: list[str]) -> bool:
    """Say whether a condition is that nobody answers, or not in time."""
    if words[-1:] == ["no"]:
        return False
    says_nobody = not _SILENCE.isdisjoint(words) or "one" in words[1:2]
    silent = says_nobody or not NOT.isdisjoint(words) or "without" in words
    lemmas = {lemma(word) for word in words}
    has_length = any(token.kind == "duration" for token in tokens)
    if silent and has_length and (says_nobody or not _ANSWERS.isdisjoint(lemmas)):
        return True
    return silent and not _REPLIES.isdisjoint(lemmas)


def polarity_of(words: list[str]) -> Polarity:
    """Return the verdict that words give, or nothing."""
    negated = not NOT.isdisjoint(words[:-1] or words) or words[:1] == ["no"]
    if not _CHANGES.isdisjoint(words):
        return "approved" if negated else "changes"
    if words[-2:] == ["not", "work"]:
        return "rejected"
    for word in words:
        verb = verb_of(word)
        if (verb is not None and verb.verdict == "rejected") or word in NEGATIVE - {"no"}:
            return "approved" if negated and word != "no" else "rejected"
        if (verb is not None and verb.verdict == "approved") or word in POSITIVE:
            return "rejected" if negated else "approved"
    return "rejected" if words[-1:] == ["no"] or words == ["no"] else ""


def _speaks_of_verdict(words: list[str]) -> bool:
    return any(verb is not None and verb.verdict for verb in map(verb_of, words))


def _says_no_more(words: list[str]) -> bool:
    """Say whether a condition is a bare verdict about who or what was spoken of."""
    rest = [
        word for word in words
        if word not in _OUTCOME_FILL | POSITIVE | NEGATIVE | _CHANGES and not is_role(word)
        and not (is_thing(word) or is_system(word)) and not _is_verdict(word) and word[:1].isalnum()
    ]  # fmt: skip
    return len(rest) <= 1 and not any(word[:1].isdigit() for word in rest)


def _is_verdict(word: str) -> bool:
    verb = verb_of(word)
    return verb is not None and bool(verb.verdict)
