"""Reading cases told as questions and labels: "Nobody home? Leave a note.", "Yes: pay. No: refuse."."""

from collections.abc import Sequence
from typing import Final

from workflow_agent.agent.offline.drafting.condition_ends import SPLIT
from workflow_agent.agent.offline.drafting.conditions import polarity_of
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.items import is_only_role
from workflow_agent.agent.offline.drafting.nouns import PREPOSITIONS
from workflow_agent.agent.offline.drafting.tokens import COMMA, Token, Tokens, lows, spoken
from workflow_agent.agent.offline.drafting.words import word_set

_ASKING: Final = word_set("is are was were does do did has have can could will would should")
_OPEN: Final = word_set("what who why how where which when whose whom")
_TO_US: Final = word_set("you we i me us")
_ANSWERS: Final = word_set("yes no y n")
_SAYS: Final = word_set("says say answers answer agrees agree accepts accept declines decline refuses refuse")
_MOST_WORDS: Final = 8
_MOST_LABEL_WORDS: Final = 4
_REST: Final = (
    ["below"],
    ["above"],
    ["under"],
    ["over"],
    ["less"],
    ["more"],
    ["otherwise"],
    ["else"],
    ["others"],
)
"""What is said of the other case, once a limit was told: "above 80: ...; below: ..."."""
_OTHERWISE: Final = Token("otherwise", "otherwise")
_IT: Final = Token("it", "it")
_IS: Final = Token("is", "is")
_IF: Final = Token("if", "if")
_YES: Final = Token("yes", "yes")


def told_as_cases(sentences: Sequence[Tokens], *, has_work: bool) -> list[Tokens]:
    """Return sentences with short questions and labels in front of work written as conditions.

    Args:
        sentences: In order; a question still has its mark, unless it is the last.
        has_work: Something was said before them that a condition can be about.
    """
    told: list[Tokens] = []
    paired = _paired_labels(sentences)
    condition: list[Token] | None = None
    for at, sentence in enumerate(sentences):
        is_question = sentence[-1].low == "?"
        words = lows(sentence[:-1]) if is_question else []
        label = (_label(sentence) or paired.get(at)) if has_work or told else None
        if is_question and (has_work or told) and _asks_for_a_case(words):
            condition = [*sentence[:-1]]
            if words[0] in _ASKING:
                told.append(_decision(sentence))
                condition = [_YES]
        elif label is not None and lows(label[0]) in _REST:
            told.append([_OTHERWISE, COMMA, *label[1]])
        elif label is not None:
            told.append([_IF, *label[0], SPLIT, *label[1]])
            condition = None
        elif condition is not None:
            told.append([_IF, *condition, SPLIT, *sentence])
            condition = None
        else:
            told.append(sentence[:-1] if is_question else sentence)
    return [sentence for sentence in told if sentence]


def is_decision(sentence: Tokens) -> bool:
    """Say whether a sentence is a question that is decided."""
    return len(sentence) == 1 and sentence[0].kind == "question"


def _paired_labels(sentences: Sequence[Tokens]) -> dict[int, tuple[Tokens, Tokens]]:
    """Return the labels that name two cases of one thing: "Theirs: ... Not theirs: ...", by position."""
    found: dict[int, tuple[Tokens, Tokens]] = {}
    for at in range(1, len(sentences)):
        one, other = _short_label(sentences[at - 1]), _short_label(sentences[at])
        if one and other and not set(lows(one[0])).isdisjoint(lows(other[0])):
            found |= {at - 1: ([_IT, _IS, *one[0]], one[1]), at: ([_IT, _IS, *other[0]], other[1])}
    return found


def _short_label(sentence: Tokens) -> tuple[Tokens, Tokens] | None:
    at = next(
        (at for at, token in enumerate(sentence[: _MOST_LABEL_WORDS + 1]) if token.low in (":", "→")), 0
    )
    is_plain = 0 < at < len(sentence) - 1 and all(token.kind == "word" for token in sentence[:at])
    if not is_plain or is_only_role(" ".join(lows(sentence[:at]))) or read_head(sentence[:at]) is not None:
        return None
    first = sentence[0]._replace(text=_inside(sentence[0]))
    return [first, *sentence[1:at]], sentence[at + 1 :]


def _inside(token: Token) -> str:
    """Return a sentence's first word as it is written inside one."""
    return token.low if token.text.istitle() else token.text


def _decision(sentence: Tokens) -> Tokens:
    text = spoken(sentence)
    return [Token(text[:1].upper() + text[1:], text.lower(), "question")]


def _asks_for_a_case(words: Sequence[str]) -> bool:
    is_short = 0 < len(words) <= _MOST_WORDS
    return is_short and words[0] not in _OPEN and _TO_US.isdisjoint(words)


def _label(sentence: Tokens) -> tuple[Tokens, Tokens] | None:
    """Return the case and the work of "approved: HR books it", "no stock: purchasing reorders"."""
    at = next(
        (at for at, token in enumerate(sentence[: _MOST_LABEL_WORDS + 1]) if token.low in (":", "→")), 0
    )
    if not at or at + 1 >= len(sentence) or any(token.kind != "word" for token in sentence[:at]):
        return None
    words = lows(sentence[:at])
    if is_only_role(" ".join(words)):
        return None
    says = sentence[at].low == "→" and not _SAYS.isdisjoint(words[1:])
    names_a_case = (
        says
        or words in _REST
        or words[0] in _ANSWERS | {"not", "in", "out"}
        or (at <= 2 and polarity_of(words) != "")
    )
    return (sentence[:at], sentence[at + 1 :]) if names_a_case and words[-1] not in PREPOSITIONS else None
