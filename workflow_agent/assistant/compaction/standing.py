"""What of some turns was left open or turned down: who proposes, asks or wishes has not decided yet."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final, NamedTuple

from workflow_agent.assistant.compaction.contradictions import is_idea, is_spoken_of
from workflow_agent.assistant.compaction.statements import Statement, says_little, statement_of, stem, word_set

_WISHED: Final = re.compile(
    r"\b(?!I\b|We\b|You\b)(?:[A-Z][\w.]*(?: [a-z]+)?|(?:[Tt]he|[Oo]ur|[Mm]y|[Ss]ome) \w+(?: \w+)?) "
    r"(?:(?:would|also|really|still) )*"
    r"(?:wants?|wanted|wish\w*|likes? to|'d like|asked?|asks|says?|said|thinks?|thought|insists?|insisted|keeps? asking"
    r"|propos\w+|suggest\w*)\b"
)
"""Somebody else than the speakers would have it so."""
_PROPOSED: Final = re.compile(
    r"\b(?:should|could|shall|can|may|do) (?:we|i|it|they|you|the|there)\b.*\?$|\b(?:what|how) about\b|\bwhat if\b",
    re.IGNORECASE,
)
_REFUSED: Final = re.compile(
    r"(?:^|[,;:.!] |\b(?:say|said|says|told (?:him|her|them)|is a|answer is|and|but|so|we|i) )no\b"
    r"(?! (?:one|longer|more)\b)"
    r"|\b(?:reject|declin|refus|veto|turned? (?:\w+ ){0,4}?down|oppos|against (?:it|that|this)|dismiss|scrap"
    r"|ruled (?:it|that|this) out|not happening|out of the question|(?:forget|leave|drop|skip) (?:it|that|this|them)\b"
    r"|decided against|(?:absolutely|certainly|rather) not|(?:not|never) going to|won't|will not|stays? out|nope"
    r"|(?:do not|don't|didn't|did not) (?:want|need|like|do) (?:it|that|this|any))",
    re.IGNORECASE,
)
_UNDECIDED: Final = re.compile(
    r"\b(?:undecided|unclear|not (?:yet )?(?:sure|decided|settled|agreed|signed)|un(?:settled|resolved|answered)"
    r"|(?:haven't|hasn't|have not|has not|didn't) (?:yet )?(?:decided?|made up|agreed|settled|heard|answered)"
    r"|(?:don't|do not|doesn't) know|still (?:checking|thinking|waiting|open|discussing|to be)|negotiat\w+"
    r"|park(?:ed)? (?:it|that|this)|parked|sleep on|think (?:about|over|on) (?:it|that|this)|mull|get back to you"
    r"|let you know|to be (?:decided|discussed)|(?:leave|left|stays?|remains?|keep|kept|is) (?:\w+ ){0,3}?open\b"
    r"|open (?:question|point|item|issue)|(?:need|have) to (?:ask|check|discuss)|(?:we|i) wait\b"
    r"|(?:must|has to|have to) (?:answer|decide)|will ask|i'll ask|ask me again|ask (?:\w+ ){1,4}?first"
    r"|nothing (?:is )?(?:signed|settled|decided)|pending|tbd)",
    re.IGNORECASE,
)
_TELLS_SO: Final = re.compile(
    r"\b(?:not|no|never|nobody|none|nothing|without|(?:still|is|are|left|kept|keeps?|remains?|stays?) open"
    r"|open (?:question|point)|whether|might|may|could|would|should|undecided|unclear|unsure|idea|asked|asks|question"
    r"|wonder\w*|unanswered|pending|raised|rais(?:e|ing)|against|instead|only an?|still|yet|if|possib\w+|perhaps"
    r"|considered|considering|discussed|thinks|thought|negotiat\w+|hop(?:es?|ed|ing)|plan\w*)\b|n't\b"
    r"|\b(?:reject|declin|refus|veto|dismiss|oppos|ruled out|turned down|turn down|park|postpon|deferr?|shelv|overrul)",
    re.IGNORECASE,
)
"""What tells of something as open or refused itself."""
_AS_WISHED: Final = re.compile(
    r"\b(?:as|like|following|at) (?:[\w.'\u2019-]+ ){1,4}?(?:wanted|proposed|suggested|asked(?: for)?|wished"
    r"|recommended|requested|suggestion|proposal|idea|request|wish)\b",
    re.IGNORECASE,
)
_SETTLED: Final = re.compile(
    r"\b(?:decided|agreed|approved|accepted|adopted|confirmed|settled|chose|chosen|granted|(?:went|go|gone) ahead)\b",
    re.IGNORECASE,
)
_AGREES: Final = re.compile(
    r"^\W*(?:yes|yep|yeah|ok(?:ay)?|sure|please|do (?:it|that|so)|go|good|great|fine|agreed|right|exactly|let's|perfect"
    r"|add (?:it|that|them)|sounds?)\b",
    re.IGNORECASE,
)
_OF_DECIDING: Final = frozenset(
    map(
        stem,
        word_set(
            "decided agreed approved accepted adopted confirmed settled chose chosen granted suggestion suggested "
            "proposal proposed idea request requested wanted wished recommended have get put use user will now"
        ),
    )
)
_OF_REFUSING: Final = frozenset(
    map(stem, word_set("rejected declined refused dismissed ruled vetoed overruled opposed because so since"))
)
_REFUSED_IT: Final = re.compile(
    r"\b(?:reject|declin|refus|veto|dismiss|oppos|ruled out|overrul|not (?:want|accept|agree|allow))", re.IGNORECASE
)
_WHICH: Final = re.compile(r"(?<!^)\b(?:when|where|who|which|whose|while|because|they) .*$", re.IGNORECASE)
_TURNED_DOWN: Final = "it was turned down"
_LEFT_OPEN: Final = "it was left open"
_ENOUGH: Final = 0.6
_FEWEST: Final = 2
_LONGEST_ANSWER: Final = 8
"""Words of a message that only answers what stands before it."""


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """What the user and the assistant say in a turn, sentence by sentence, and whether it changed a workflow."""

    user: Sequence[str]
    reply: Sequence[str]
    is_changed: bool


class _Told(NamedTuple):
    """The telling words of a sentence, those that it denies, and what became of what it tells; None where it is so."""

    words: frozenset[str]
    denied: frozenset[str]
    outcome: str | None


class Standing:
    """What some turns, in their order, tell as so, and what they leave open or turn down."""

    def __init__(self, turns: Sequence[SaidTurn]) -> None:
        self._told: list[_Told] = []
        for turn, following in zip(turns, [*turns[1:], SaidTurn((), (), is_changed=False)], strict=False):
            answer = _Answer(following)
            told = [
                *reversed(list(_outcomes(turn, answer))),
                *((one, _outcome_of_reply(one, turn, answer)) for one in turn.reply),
            ]
            self._told += (_Told(_telling(one), statement_of(one).denied, outcome) for one, outcome in told)
        self._having = Counter(word for one in self._told for word in one.words)

    def unsettled(self, said: Statement) -> str | None:
        """Return what became of what a sentence tells as settled; None where the turns do not say otherwise."""
        text = _AS_WISHED.sub("", said.text)
        settled = _SETTLED.search(text)
        # "It was agreed that the intake refuses images" tells of no refusal.
        told = text[: settled.start()] if settled else _WHICH.sub("", text)
        if _TELLS_SO.search(told) or (is_spoken_of(text) and not settled):
            return None
        raised = self._raised(_telling(text) - _OF_DECIDING)
        return raised.outcome if raised else None

    def is_refusal(self, said: Statement) -> bool:
        """Say whether a sentence tells of a refusal that the turns tell of too."""
        if not _REFUSED_IT.search(said.text):
            return False
        raised = self._raised(_telling(said.text) - _OF_DECIDING - _OF_REFUSING, _ENOUGH - 0.1)
        return raised is not None and raised.outcome == _TURNED_DOWN

    def _raised(self, words: frozenset[str], least: float = _ENOUGH) -> "_Told | None":
        """Return what was brought up and not done that has most of some words; None where they are told as so."""
        if len(words) < _FEWEST:
            return None
        weights = {word: log(1 + len(self._told) / self._having[word]) for word in words if self._having[word]}
        shares = [(sum(weights[word] for word in weights.keys() & one.words), one) for one in self._told]
        most = max((share for share, one in shares if one.outcome), default=0.0)
        if most < least * sum(weights.values()) or len(weights) < _FEWEST:
            return None
        raised = next(one for share, one in shares if share == most and one.outcome)
        rarest = max(words & raised.words, key=lambda word: weights[word])
        is_told = any(
            share >= most and one.outcome is None and rarest in one.words and not words & one.denied
            for share, one in shares
        )
        return None if is_told else raised


class _Answer:
    """What the user says in the turn that follows; without one there is no answer."""

    def __init__(self, turn: SaidTurn) -> None:
        self.agrees = any(map(_AGREES.search, turn.user))
        self.refuses = any(map(_REFUSED.search, turn.user))
        self.refuses_first = any(map(_REFUSED.search, turn.user[:1]))
        self.is_undecided = any(map(_UNDECIDED.search, turn.user))
        self.is_changed = turn.is_changed
        self.words = frozenset(word for one in turn.user for word in _telling(one))
        self.is_short = bool(turn.user) and sum(len(one.split()) for one in turn.user) <= _LONGEST_ANSWER
        """Whether it only answers what stands before it."""


def _outcome_of_reply(sentence: str, turn: SaidTurn, answer: _Answer) -> str | None:
    if not turn.is_changed and _UNDECIDED.search(sentence):
        return _LEFT_OPEN
    if not (is_idea(sentence) or sentence.endswith("?")):
        return None
    if answer.is_changed:
        return ""
    if answer.is_undecided:
        return _LEFT_OPEN
    return _TURNED_DOWN if answer.refuses_first else ""


def _outcomes(turn: SaidTurn, answer: _Answer) -> Iterator[tuple[str, str | None]]:
    """Yield the user's sentences, the last first, each with what became of it.

    None where it is told as so, "" where it is only asked or wished and nobody says more.
    """
    reply_refuses, reply_is_undecided = (any(map(one.search, turn.reply)) for one in (_REFUSED, _UNDECIDED))
    # Of the sentences behind the one that is looked at.
    refuses = is_undecided = False
    for sentence in reversed(turn.user):
        refuses = refuses or _REFUSED.search(sentence) is not None
        own_undecided = _UNDECIDED.search(sentence) is not None
        is_undecided = is_undecided or own_undecided
        is_raised = own_undecided or is_idea(sentence) or _PROPOSED.search(sentence) or _WISHED.search(sentence)
        if not is_raised:
            yield sentence, "" if sentence.endswith("?") else None
            continue
        is_spoken_of_next = not answer.words.isdisjoint(_telling(sentence))
        is_answered = answer.is_short or is_spoken_of_next
        is_made = answer.is_changed and (answer.agrees or is_spoken_of_next)
        if refuses:
            yield sentence, _TURNED_DOWN
        elif turn.is_changed or (is_made and not (is_answered and answer.refuses)):
            yield sentence, None
        elif is_undecided or reply_is_undecided or (is_answered and answer.is_undecided):
            yield sentence, _LEFT_OPEN
        else:
            yield sentence, _TURNED_DOWN if reply_refuses or (is_answered and answer.refuses) else ""


@lru_cache(maxsize=4_096)
def _telling(sentence: str) -> frozenset[str]:
    return frozenset(word for word in statement_of(f"x {sentence}").words if not says_little(word)) - {"x"}
