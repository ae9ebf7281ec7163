"""Numbers, spans of time, times of day and denials in one wording, however they were told."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from workflow_agent.workflows.model.terms import NUMBERS

_Rule = tuple[str, re.Pattern[str], str]
"""The word that a text must have for the pattern to be tried, the pattern, and what takes its place."""


def _rules(*rows: tuple[str, str, str]) -> Sequence[_Rule]:
    return [(needed, re.compile(pattern, re.IGNORECASE), plain) for needed, pattern, plain in rows]


_ONES: Final = {word: number for number, word in enumerate(NUMBERS)}
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_UNDER_TEN: Final = "|".join(list(_ONES)[1:10])
_SMALL: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_UNDER_TEN}))?|{'|'.join(sorted(_ONES, key=len, reverse=True))})"
_SCALED: Final = rf"(?:an? |{_SMALL} |\d+ )(?:{'|'.join(_SCALES)})"
_IN_WORDS: Final = re.compile(
    rf"\b(?:{_SCALED}(?: (?:{'|'.join(_SCALES)}))*(?:(?: and|,)? (?:{_SCALED}|{_SMALL}))*|{_SMALL})\b", re.IGNORECASE
)
_NUMBER_WORDS: Final = (*_ONES, *_TENS, *_SCALES)
_A_FEW: Final = frozenset({"zero", "one"})
"""More often a word than a number, where they stand alone."""
_MINUTES: Final = {"minute": 1, "hour": 60, "day": 1_440, "week": 10_080}
_MONTHS: Final = {"month": 1, "year": 12}
SPANS: Final = ("minute", "hour", "day", "week", "month", "year")
_UNIT: Final = "|".join(SPANS)
_FRACTIONS: Final = _rules(
    ("quarter", r"\b(?:a |one )?quarter of an hour\b", "15 minutes"),
    ("quarter", r"\bthree quarters of an hour\b", "45 minutes"),
    ("half", r"\b(?:half an|a half|one half) hour\b|\bhalf-hour\b", "30 minutes"),
    ("half", r"\b(?:an|one|1) hour and a half\b|\b(?:one|1) and a half hours\b", "90 minutes"),
    ("half a dozen", r"\bhalf a dozen\b", "6"),
    ("half a thousand", r"\bhalf a thousand\b", "500"),
    ("half", r"\bhalf a day\b", "12 hours"),
    ("half", r"\bhalf a year\b", "6 months"),
    ("fortnight", r"\b(?:a )?fortnight\b", "2 weeks"),
    ("times", r"\b(?:two|2) times\b", "twice"),
    ("time", r"\b(?:one time|a single time)\b", "once"),
    ("one ", rf"\bone (?=(?:{_UNIT})\b)", "1 "),
    (" a", rf"\ban? (?=(?:{_UNIT}) (?:before|after|later|earlier|ahead|in advance|at most)\b)", "1 "),
    (" a", r"\b(within|after|in|least|most|every|of) an? (?=hour|minute|day|week|month|year)", r"\1 1 "),
)
RATES: Final = {unit: f"{unit}ly" for unit in ("hour", "night", "week", "month", "quarter", "year")} | {"day": "daily"}
"""How often, by the unit."""
_EACH: Final = re.compile(
    rf"\b(?:per|every|each|once an?|(twice) an?|(?<=\d )an?|(?<=times )an?|(?<=eur )an?|(?<=euros )an?|(?<=usd )an?"
    rf"|(?<=dollars )an?|(?<=pounds )an?) ({'|'.join(RATES)})\b",
    re.IGNORECASE,
)
_PER_AND: Final = re.compile(rf"\bper (\w+) and ({'|'.join(RATES)})\b", re.IGNORECASE)
_AND_A_HALF: Final = re.compile(r"\b(\d{1,6}|one|an?)( [a-z]+)? and a half\b", re.IGNORECASE)
_SHARES: Final = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_SHARE: Final = re.compile(rf"\b(\d{{1,3}}|one)[ -]({'|'.join(_SHARES)})s?\b", re.IGNORECASE)
_JOINED: Final = re.compile(r"\b(\d+)-(?!(?:minute|hour|day|week|month|year)\b)([a-z]{3,})\b")
"""A "9-person" studio has 9 persons."""
_SPAN: Final = re.compile(
    rf"\b(\d+(?:\.\d+)?)[ -](?:(working|business|calendar) )?({_UNIT})s?(?:\b|'|\u2019)", re.IGNORECASE
)
_ELIDED: Final = re.compile(
    rf"\b(\d+[ -]({_UNIT})s?\b[^.;\d]{{1,60}}?(?<![\w$€£.:-])\d+)(?=[.,;!?]|$| (?:and|but|or|instead|to the)\b)",
    re.IGNORECASE,
)
"""Five weeks, "but I said three"."""
_PAST_OR_TO: Final = re.compile(
    r"(?<![\d.,:])\b(half past|(?:a )?quarter (?:past|to)|(?:(?<=at )|(?<=by ))(?:5|10|20|25) (?:past|to)"
    r"(?= \d{1,2}(?:[.,;!?)](?!\d)|$| (?:in|so|on|and|or|each|every|sharp)\b))) (\d{1,2})\b(?![%\w:])",
    re.IGNORECASE,
)
"""It is at 20 to 6, but 20 to 30 boxes are no time."""
_CLOCK: Final = re.compile(
    r"(?<![\w.:-])(\d{1,2})(?::(\d\d))?(?![\d:])( o'clock)?(?: ?([ap])\.?m\b\.?"
    r"| in the (morning|afternoon|evening)\b| at (night)\b)?",
    re.IGNORECASE,
)
_HOURS: Final = re.compile(r"\b(\d{1,2}) (and|to|until|till) (\d{1,2}) o'clock\b", re.IGNORECASE)
_LATE: Final = ("p", "afternoon", "evening", "night")
NOON: Final = 12
_EARLY: Final = 6


_MONTH_NAMES: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATES: Final = (
    re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH_NAMES})\b"),
    re.compile(rf"\b(?P<month>{_MONTH_NAMES}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)"),
)
_FROM_TO: Final = re.compile(rf"\b(\d{{1,2}})(?: to | until | till |\s?[-\u2013]\s?)(\d{{1,2}}) ({_MONTH_NAMES})\b")
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL: Final = re.compile(rf"\b(?:{'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_REWRITTEN: Final = _rules(
    (" shift", r"\b(day|night|early|late) shift\b", r"\1_shift"),
    ("previous ", r"\bprevious (?=year|month|week|season|term)\b", "last "),
    ("ing ", r"\b(?:coming|following) (?=year|month|week|season|term)\b", "next "),
    ("", r"\b(?-i:(Dr|Mr|Mrs|Ms|St|Prof)\. (?=[A-Z]))", r"\1 "),
    ("t ", r"\b(next|last) (year|month|week|season|term|time|summer|winter|spring|autumn)\b", r"\1_\2"),
    (" down", r"\bturn(s|ed)? down\b", "refused"),
    ("touch", r"\b(?:don't|do not|never) touch\b", "do not change"),
    (
        "",
        (
            r"\b(?:(?:is|are|was|were|stay(?:s|ed)?|remain(?:s|ed)?|left) "
            r"(?:as (?:it|they) (?:was|were)|unchanged|untouched)|stay(?:s|ed)? the same)\b"
        ),
        "was not changed",
    ),
    (
        "once ",
        (
            r"\bonce (?=(?:an? |the |all |it |they |we |he |she |his |her |their |its |our |your |my )"
            r"(?!day|week|month|year|quarter))"
        ),
        "when ",
    ),
    ("at once", r"\bat once\b", "together"),
    ("left out", r"\bleft out\b", "excluded"),
    ("out", r"\bleave ((?:\w+ ){1,3})out\b", r"exclude \1"),
    ("before", r"\b(?:nobody|no one) ((?:[\w']+ ){0,6}?)before\b", r"everybody \1only after"),
    (
        "without",
        r"\b(?:nobody|no one) ((?:[\w']+ ){0,6}?)without\b(?:([^,]{0,40}), not even\b)?",
        r"everybody \1only with\2",
    ),
    ("after ", r"\bafter (?:them|that|this|it|which)\b", "then"),
    ("no one", r"\bno one\b", "nobody"),
    ("neither", r"\bneither\b", "no"),
    ("nor", r",? \bnor\b", " and no"),
    ("without", r"^without ([\w ]{2,40}?),? (?:no|nothing|nobody) (.*?)\.?$", r"\2 only with \1"),
    ("no", r"\b(?:no|not) more than\b|\bnot exceeding\b", "at most"),
    ("more than", r"\b(?:not|cannot|can't|never) ((?:[\w']+ ){0,4}?)more than\b", r"\1at most"),
    (" than", r"\b(?:no|not) (?:less|fewer) than\b", "at least"),
    (" not exist", r"\b(?:the |an? )?([\w' -]{2,40}?) (?:does|do|did) not exist\b", r"there is no \1"),
    ("", r"\b(every|all|each) (\w+) (?:but|except) \w+\b", r"\1 \2"),
    ("outside ", r"\b(?-i:(?:from )?outside (?:of )?(?=[A-Z]))", "from non-"),
    (" unless", r"\b(?:not|never|cannot|\w+n't|doesnt|dont|cant|wont) ((?:[\w']+ ){0,6}?)unless\b", r"\1only if"),
    # What is not done without a thing is done only with it.
    ("without", r"\b(?:not|never|cannot|can't|n't|no) ((?:[\w']+ ){0,6}?)without\b", r"\1only with"),
)
_DIGIT: Final = re.compile(r"\d")


# What stands for earlier turns is read anew by each compaction.
@lru_cache(maxsize=8_192)
def plain_wording(text: str) -> str:
    """Return a sentence with its quantities and a few denials in one wording.

    "Two hundred and five" is 205, "48 hours" and "two days" are both 2-day, "half past six in the evening" is
    18:30, "no more than" is "at most". A span keeps its unit: another unit is another fact.
    """
    text = _reworded(text, _FRACTIONS)
    folded = text.casefold()
    if any(word in folded for word in _NUMBER_WORDS):
        text = _IN_WORDS.sub(_in_digits, text)
    if " " in text:
        text = _EACH.sub(_times, _PER_AND.sub(r"per \1 per \2", text))
    if "half" in folded:
        text = _AND_A_HALF.sub(_with_half, text)
    if _DIGIT.search(text):
        text = _SHARE.sub(_percent, text)
        text = _FROM_TO.sub(r"\1 \3 to \2 \3", text)
        text = _DATES[0].sub(r"\1-\2", text)
        text = _DATES[1].sub(r"\g<day>-\g<month>", text)
        text = _HOURS.sub(r"\1:00 \2 \3:00", text)
        text = _PAST_OR_TO.sub(_clock_time, text)
        text = _CLOCK.sub(_of_24_hours, text)
        text = _JOINED.sub(r"\1 \2", _SPAN.sub(_span, _ELIDED.sub(r"\1 \2s", text)))
    return _reworded(text, _REWRITTEN)


def _reworded(text: str, rules: Sequence[_Rule]) -> str:
    """Return a text with each rule applied; a pattern is tried only where the text has the word that it needs."""
    folded = text.casefold()
    for needed, pattern, plain in rules:
        if needed in folded:
            text = pattern.sub(plain, text)
            folded = text.casefold()
    return text


def with_counts(text: str) -> str:
    """Return a sentence with the number beside each ordinal: after the second reminder two were sent."""
    return _ORDINAL.sub(lambda match: f"{match[0]} {_ORDINALS.index(match[0].casefold()) + 1}", text)


def _in_digits(match: re.Match[str]) -> str:
    words = match[0].casefold().replace("-", " ").replace(",", "").split()
    if len(words) == 1 and words[0] in _A_FEW:
        return match[0]
    total = current = 0
    for word in words:
        if word in _SCALES:
            scale = _SCALES[word]
            current = max(current, 1) * scale
            if scale > 100:
                total, current = total + current, 0
        elif word not in ("a", "an", "and"):
            current += _ONES.get(word) or _TENS.get(word) or (int(word) if word.isdecimal() else 0)
    return str(total + current)


def _times(match: re.Match[str]) -> str:
    often = RATES[match[2].casefold()]
    return f"{match[1]} {often}" if match[1] else often


def _clock_time(match: re.Match[str]) -> str:
    hour = int(match[2])
    said = match[1].casefold().removeprefix("a ")
    count, _, way = said.partition(" ")
    minutes = {"half": 30, "quarter": 15}.get(count) or int(count)
    if hour > 24:
        return match[0]
    return f"{hour}:{minutes:02d}" if way == "past" else f"{hour - 1}:{60 - minutes}"


def _of_24_hours(match: re.Match[str]) -> str:
    hour, half = int(match[1]), (match[4] or match[5] or match[6] or "").casefold()
    if not (match[2] or match[3] or half):
        return match[0]
    if half in _LATE and hour < NOON and not (half == "night" and hour < _EARLY):
        hour += NOON
    return f"{hour}:{match[2] or '00'}"


def _with_half(match: re.Match[str]) -> str:
    count = int(match[1]) if match[1].isdecimal() else 1
    return f"{count}.5{match[2] or ''}"


def _percent(match: re.Match[str]) -> str:
    count = int(match[1]) if match[1].isdecimal() else 1
    return f"{100 * count / _SHARES[match[2].casefold()]:g} percent"


def _span(match: re.Match[str]) -> str:
    count, unit = float(match[1]), match[3].casefold()
    sizes = _MINUTES if unit in _MINUTES else _MONTHS
    if match[2]:
        # Ten working days are not two weeks.
        return f"{count:g}-{unit} {match[2]}"
    whole = count * sizes[unit]
    largest = next((name for name, size in reversed(sizes.items()) if whole % size == 0), next(iter(sizes)))
    return f"{whole / sizes[largest]:g}-{largest}"
