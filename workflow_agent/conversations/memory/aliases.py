"""Other names of a workflow: made from its name, or given by people."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workflow_agent.conversations.memory.words import SHORTENINGS, initials, telling_words, words_of

MOST_ALIASES = 16
_LONGEST_ALIAS_CHARS = 60
_LONGEST_ALIAS_WORDS = 6

_LEAD = (
    r"(?:(?:ok(?:ay)?|and|so|also|please|from now on|hey)[, ]+)*"
    r"(?:let(?:['\u2019]?s| us)\s+|(?:can|could|shall|should|will)\s+(?:we|you|i)\s+(?:please\s+)?|"
    r"(?:we|i)(?:['\u2019]ll|\s+will|\s+usually|\s+always|\s+just|\s+like to)*\s+|please\s+|you can\s+)*"
)
_OBJECT = (
    r"(?P<what>it|(?:this|that)(?:\s+one)?|(?:this|that|the|my|our)\s+(?:[^,.;:!?\"]{1,60}?\s+)?"
    r"(?:workflow|process|flow|one|thing)|(?:this|that|the|my|our)\s+[^,.;:!?\"]{1,60}?(?=\s+[\"'\u201c\u2018`]))"
)
_TAIL = (
    r"(?:\s*,?\s+(?:from now on|for short|from here on|going forward|please|in future|instead|ok(?:ay)?))*"
    r"\s*[.!]*"
)
_QUOTED = r"[\"'\u201c\u2018`](?P<quoted>[^\"\u201d`]{1,60}?)[\"'\u201d\u2019`]"
_NAME = rf"(?:{_QUOTED}|(?P<bare>[^,.;:!?\"]{{1,60}}?))"
_IT = r"(?P<what>it|(?:this|that)(?:\s+one|\s+workflow|\s+process|\s+thing)?|the\s+workflow)"
_GIVEN = tuple(
    re.compile(pattern + _TAIL, re.IGNORECASE)
    for pattern in (
        rf"{_LEAD}(?:call|nickname|dub)\s+{_OBJECT}\s+{_NAME}",
        rf"{_LEAD}refer to\s+{_OBJECT}\s+as\s+{_NAME}",
        rf"{_LEAD}{_OBJECT}\s+is\s+(?:also\s+|usually\s+|better\s+)*(?:known as|called)\s+{_NAME}",
        rf"{_LEAD}(?:{_QUOTED}|(?P<bare>the\s+[^,.;:!?\"]{{1,60}}?))\s+(?:means|stands for)\s+{_IT}",
    )
)
_WHO_SAYS = r"(?:[a-z'\u2019]{1,20}\s+){1,6}?"
_OWN_NAME = r"(?P<bare>(?:the|our|my)\s+[^,.;:!?\"]{1,60}?)"
_SAID_SO = tuple(
    re.compile(pattern + _TAIL, re.IGNORECASE)
    for pattern in (
        rf"{_WHO_SAYS}(?:calls?|knows?|refers? to|speaks? of)\s+{_IT}\s+(?:only\s+|just\s+)?(?:as\s+)?{_OWN_NAME}",
        rf"(?:{_WHO_SAYS})?{_IT}\s+(?:goes by|is known as|is nicknamed|is referred to as|answers to)\s+{_OWN_NAME}",
    )
)
"""How somebody tells what people call a workflow, without quotes: "everybody knows it as the owl"."""
_QUOTE = re.compile(rf"(?<!\w){_QUOTED}(?!\w)")
_POINTS = re.compile(rf"(?<!\w){_IT}(?!\w)", re.IGNORECASE)
_NAMING_TEXT = (
    "call calls called name names nickname nicknamed known know knows refer refers referred say says said mean means "
    "alias term dub dubbed use uses go goes speak stands short among internally word slang"
)
_NAMING = frozenset(_NAMING_TEXT.split())
"""Words that say of a quoted name that people use it: "among ourselves that is 'the owl'"."""
_CASES = frozenset(("if", "unless", "should", "must", "until"))
_SAYS = re.compile(r"\b(?:it|this|that) (?:says?|said|tells?)\b", re.IGNORECASE)
"""The workflow says it, not people of the workflow."""
_ORDERS_TEXT = (
    "add create make build insert put keep find found enter rename set new draw split change delete remove move "
    "title label and"
)
_ORDERS = frozenset(_ORDERS_TEXT.split())
_BESIDE = re.compile(
    r"\b(?:from now on|from here on|going forward|for short|in future|nickname|dub|refer to|known as|usually|"
    r"always|like to)\b|^(?:we|i)\s+call\s+(?:this|that)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_PARTS_OF_A_WORKFLOW_TEXT = "step steps state states field form transition branch task trigger role decision"
_PARTS_OF_A_WORKFLOW = frozenset(_PARTS_OF_A_WORKFLOW_TEXT.split())
_NO_NAME_TEXT = (
    "when if after before from with off again later back once on in at to for up out every until because "
    "a done quits anything something nothing what whatever now"
)
_NO_NAME = frozenset(_NO_NAME_TEXT.split())


@dataclass(frozen=True, slots=True)
class GivenName:
    """What somebody wants a workflow to be called."""

    what: str
    """The words that say which workflow: `it`, `the expense approval`."""
    alias: str
    is_nickname: bool
    """Plainly beside its own name: "the Monday thing", "... for short"; "call it Travel costs" may rename."""


@lru_cache(maxsize=4_096)
def aliases_from_name(name: str) -> tuple[str, ...]:
    """Return what people shorten a name to: its telling words, common shortenings, its initials."""
    words = telling_words(name)
    made = [" ".join(words)] if words != words_of(name) else []
    if len(words) > 1:
        made += [word for word in words if len(word) > 2 and not word.isdigit()]
    short = [SHORTENINGS.get(word, word) for word in words]
    if short != words:
        made.append(" ".join(short))
    letters = initials(words)
    if len(letters) > 1:
        made.append(letters.upper())
    return distinct(made)


def distinct(aliases: Iterable[str]) -> tuple[str, ...]:
    """Return aliases in order, each once whatever its case, as many as are kept."""
    kept: dict[str, str] = {}
    for alias in aliases:
        kept.setdefault(" ".join(alias.split()).casefold(), alias)
    kept.pop("", None)
    return tuple(list(kept.values())[:MOST_ALIASES])


def given_aliases(name: str, aliases: Sequence[str]) -> tuple[str, ...]:
    """Return the aliases that people gave, without those that are made from the name."""
    made = {alias.casefold() for alias in (*aliases_from_name(name), name)}
    return tuple(alias for alias in aliases if alias.casefold() not in made)


def name_given_in(message: str) -> GivenName | None:
    """Return how a message wants a workflow to be called from now on, or None when it does not say.

    "Call it the Monday thing" gives a name; "add a step and call it Legal" names the step.
    """
    before: list[str] = []
    for sentence in _SENTENCE_END.split(message[:2_000].strip()):
        given = None if _PARTS_OF_A_WORKFLOW.intersection(before) else _given_by(sentence.strip())
        if given is not None:
            return given
        before = words_of(sentence)
    return None


def _given_by(sentence: str) -> GivenName | None:
    if sentence.endswith("?") and not sentence.casefold().startswith(("can ", "could ", "shall ")):
        return None
    for pattern in _GIVEN:
        match = pattern.fullmatch(sentence.rstrip("?").strip())
        if match is None or _PARTS_OF_A_WORKFLOW.intersection(words_of(match["what"])):
            continue
        alias = (match["quoted"] or match["bare"]).strip()
        words = words_of(alias)
        if words and words[0] not in _NO_NAME and len(words) <= _LONGEST_ALIAS_WORDS:
            is_nickname = words[0] in ("the", "my", "our") or _BESIDE.search(sentence) is not None
            return GivenName(match["what"], alias[:_LONGEST_ALIAS_CHARS], is_nickname)
    return _said_so(sentence)


def _said_so(sentence: str) -> GivenName | None:
    """Return the name that people use for a workflow, as somebody tells it; no order to give it one."""
    quoted = _QUOTE.search(sentence)
    if quoted is not None:
        text = f"{sentence[: quoted.start()]} {sentence[quoted.end() :]}"
        pointed, around = _POINTS.search(text), words_of(text)
        led_by = words_of(sentence[: quoted.start()])[-1:]
        is_told = _NAMING.intersection(around) or led_by in (["is"], ["our"], ["my"])
        is_case = _CASES.intersection(around) or (around[:1] == ["when"] and "mean" not in around) or _SAYS.search(text)
        is_order = {*_PARTS_OF_A_WORKFLOW, *_ORDERS}.intersection(around) or around[:1] == ["name"]
        if pointed is None or not is_told or is_case or is_order:
            return None
        return _nickname(pointed["what"], quoted["quoted"].strip())
    match = next(filter(None, (pattern.fullmatch(sentence) for pattern in _SAID_SO)), None)
    before = words_of(sentence[: match.start("bare")]) if match else []
    if match is None or {*_PARTS_OF_A_WORKFLOW, *_ORDERS}.intersection(before):
        return None
    return _nickname(match["what"], match["bare"].strip())


def _nickname(what: str, alias: str) -> GivenName | None:
    is_name = 0 < len(words_of(alias)) <= _LONGEST_ALIAS_WORDS
    return GivenName(what, alias[:_LONGEST_ALIAS_CHARS], is_nickname=True) if is_name else None
