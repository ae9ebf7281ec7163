"""What one sentence says against those that come nearest to it: opposites, bounds, order, how many, why."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from workflow_agent.assistant.compaction.statements import (
    Statement,
    Statements,
    clauses,
    is_unit,
    says_little,
    statement_of,
    stem,
    words_within,
)

_WORD: Final = re.compile(r"[^\W\d_]+")
_OPPOSITES: Final = tuple(
    tuple(frozenset(side.split()) for side in pair.split("/"))
    for pair in (
        "above over exceeding more exceeds older/below under less fewer younger",
        "always every/never no",
        "first/last",
        "minimum least/maximum most",
        "approve approved approves/reject rejected rejects declined",
        "increase increased raised higher/decrease decreased lowered lower",
        "enable enabled on/disable disabled off",
        "internal/external",
        "include included includes/exclude excluded excludes",
        "inpatients inpatient/outpatients outpatient",
        "allowed may can/forbidden prohibited",
        "open opened/close closed",
        "all both/none neither",
        "early earlier/late later",
        "required mandatory/optional",
        "accept accepted/decline declined refuse refused",
        "buy bought/sell sold",
        "win won/lose lost",
        "start starts begin begins/end ends stop stops",
        "customer customers/vendor vendors supplier suppliers",
        "only/all everyone everybody anyone anybody",
        "long/short",
        "first/second",
        "second/third",
        "add added adds insert inserted/remove removed removes delete deleted",
        "fail failed fails failure/succeed succeeded succeeds success successful",
        "like likes love loves/hate hates dislike dislikes",
        "manual manually/automatic automatically",
        "public/private",
        "online/offline",
        "import imported imports/export exported exports",
        "show shows shown/hide hides hidden",
        "join joins joined/leave leaves left",
        "longer/shorter",
        "larger bigger/smaller",
        "faster/slower",
        "valid/invalid",
        "complete completed/incomplete",
        "agree agreed agrees/disagree disagreed disagrees",
        "rise rises rose risen/fall falls fell fallen",
        "temporary/permanent",
        "morning/evening afternoon",
        "weekday weekdays/weekend weekends",
        "encrypted/unencrypted",
        "signed/unsigned",
        "paid/unpaid",
        "domestic national/foreign international",
        "heavy heavier/light lighter",
        "cheap cheaper/expensive dearer",
    )
)
_ORDER: Final = re.compile(r"\b(before|after)\b(?! \d)|\b(?:(prior to|ahead of)|(following|once))\b", re.IGNORECASE)
_NUMBER: Final = r"(?:[€$£] ?)?(\d[\w.,-]*|\w+)"
_LESS: Final = "(?:younger|lighter|lower|shorter|smaller|cooler|colder|earlier|cheaper|slower|thinner|narrower)"
_MORE: Final = "(?:older|heavier|higher|longer|larger|taller|bigger|warmer|hotter|later|dearer|faster|thicker|wider)"
_AT_MOST: Final = re.compile(
    r"\b(?:up to|at most|no more than|not more than|under|below|less than|fewer than|within|maximum(?: of)?|max\.?|"
    rf"not exceeding|{_LESS} than|no {_MORE} than|capped at|cap (?:\w+ ){{1,4}}at) {_NUMBER}"
    r"|(?<![\d.,])(\d[\d.,]*+)(?: \w+)? (?:at most|or less|or fewer|at the latest)\b",
    re.IGNORECASE,
)
_AT_LEAST: Final = re.compile(
    r"\b(?:over|above|more than|exceed(?:s|ing)?|at least|no less than|beyond|minimum(?: of)?|min\.?|"
    rf"(?<!no ){_MORE} than|no {_LESS} than) {_NUMBER}"
    r"|(?<![\d.,])(\d[\d.,]*+)(?: \w+)? (?:or more|and more|at least|(?:or|and) (?:above|older|up)|upwards|onwards)\b",
    re.IGNORECASE,
)
_SIDES: Final = (
    (
        re.compile(r"\bwith (?:an? |the |any |their |its )?((?:[\w'-]+ ){0,1}[\w'-]+)", re.IGNORECASE),
        re.compile(r"\bwithout (?:an? |the |any |their |its )?((?:[\w'-]+ ){0,1}[\w'-]+)", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:until|till|by|before|up to) (?:the )?(\d[\w:.-]*)", re.IGNORECASE),
        re.compile(r"\b(?:from|since|after|as of|starting) (?:the )?(\d[\w:.-]*)", re.IGNORECASE),
    ),
)
_DENIED_BEFORE: Final = re.compile(r"(?:\bnot|\bno longer|\bnever|n't)(?: \w+)? with", re.IGNORECASE)
_COMPLEMENT: Final = re.compile(
    r"\b(?:above|over|beyond|below|under|more|less|larger|smaller|bigger) (?:that|it|this|those)\b|\botherwise\b",
    re.IGNORECASE,
)
_SAME_MATTER: Final = 0.6
"""So many of the words beside a number: then it is the same number of the same thing."""
_EACH: Final = re.compile(
    r"\b(?:every|all|each|everyone|everybody|anyone|anybody|always|any|whatever)\b"
    r"(?! (?:\d|day|week|month|year|time|other|\w+day\b))",
    re.IGNORECASE,
)
_ONLY_SOME: Final = re.compile(
    r"\b(?:on request|upon request|on demand|somebody|someone|condition|only|if|when|unless|except|some|most|few|"
    r"several|half|above|over|below|under|more than|less than|at least|younger|older|not|"
    r"otherwise|whose|without|depending)\b|n't\b",
    re.IGNORECASE,
)
_WHICH: Final = r"(?:from|in|with|of|at|who|whose|that|outside|on)"
_STEM: Final = 5
_REASON: Final = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|on account of|as a result of|thanks to|on grounds of)\b(.+)", re.IGNORECASE
)
_SO_MUCH_OF_A_REASON: Final = 0.5
_PLANNED: Final = re.compile(
    r"\b(?:should we|shall (?:we|i)|perhaps|maybe|might|could(?! not)|can you|can we|i can|would(?! not)|"
    r"not sure|if you want|plan(?:s|ning|ned)? to|going to|will|we'll|"
    r"want(?:s|ed)? to|wish(?:es|ed)? to|tr(?:y|ied) to|would like to|hope[sd]? to|meant to|"
    r"i'll|(?:thinking|thought) (?:of|about)|consider\w*)\b|'ll\b",
    re.IGNORECASE,
)
_IDEA: Final = re.compile(
    r"\b(?:perhaps|maybe|might|possib\w+|some ?day|not (?:yet )?sure|think(?:s|ing) (?:of|about)|thought (?:of|about)|"
    r"consider\w*|(?-i:may)|could|propos\w+|suggest\w*|idea|wonder\w*|would|should (?:we|i)|shall (?:we|i))\b",
    re.IGNORECASE,
)
_WONDERED: Final = re.compile(
    r"\b(?:want to know|wonder|not sure|do you know|let me ask|ask .{2,20} (?:if|whether))\b", re.IGNORECASE
)
_SPOKEN_OF: Final = re.compile(
    r"\b(?:declin|reject|refus|dropp|postpon|consider|ask|offer|suggest|propos|want|discuss|mention|not(?:ed|ing)|doubt"
    r"|decid|plan|wish|request|turned down|turn down|agree|disagree|hope)\w*\b",
    re.IGNORECASE,
)
"""Told of as spoken of, not as done."""
_DONE: Final = re.compile(
    r"\b(?:was|were|has been|have been|had|has|have) (?:\w+ly |already |not )?(?:\w{2,}ed|set|put|sent|made|built|sold|"
    r"cut|begun|gone|given|written|taken|paid|bought|brought|held|found|won|chosen|told|shown|drawn|done)\b"
    r"|\bnow (?:\w{3,}s|\w{2,}ed)\b|^\W*\w+ (?:\w+ )?\w{2,}ed\b",
    re.IGNORECASE,
)


# A statement is asked for each pair of opposites.
@lru_cache(maxsize=2_048)
def _plain_words(text: str) -> frozenset[str]:
    """Return the words of a text, folded."""
    return frozenset(_WORD.findall(text.casefold()))


def opposite_in(said: Statement, nearest: Sequence[Statement]) -> str | None:
    """Return which word of a statement the nearest ones say the opposite of."""
    if not nearest:
        return None
    is_bound = bool(said.denied or bounds_in(said.text))
    for sides in _OPPOSITES:
        for here, there in (sides, sides[::-1]):
            mine = _affirmed(said, here)
            if not mine or _plain_words(said.text) & there or (is_bound and sides is _OPPOSITES[0]):
                continue
            if all(_affirmed(one, there) and not _plain_words(one.text) & here for one in nearest):
                return f"the turns say {min(there)!r}, not {min(mine)!r}"
    return None


def _affirmed(told: Statement, words: frozenset[str]) -> set[str]:
    """Return which of some words a statement has and does not deny: "do not agree" does not say "agree"."""
    return {word for word in _plain_words(told.text) & words if stem(word) not in told.denied}


def sides_of(text: str) -> tuple[set[str], set[str]] | None:
    """Return the words of what a clause puts first and of what it puts after that; None where it puts nothing so."""
    clause = next((part for part in clauses(text) if _ORDER.search(part)), None)
    match = _ORDER.search(clause) if clause else None
    if clause is None or match is None:
        return None
    left, right = (set(words_within(one)) for one in (clause[: match.start()], clause[match.end() :]))
    left, right = (left, right) if left else (set(words_within(text.partition(clause)[2])), right)
    is_before = bool(match[2]) or (match[1] or "").casefold() == "before"
    return (left, right) if is_before else (right, left)


def is_turned(words: Sequence[str], first: set[str], then: set[str]) -> bool:
    """Say whether words come in a text after those that should follow them."""
    return min(words.index(one) for one in first & set(words)) > max(words.index(one) for one in then & set(words))


def bounds_in(text: str) -> dict[str, str]:
    """Return the numbers of a text that are a bound, and which."""
    found: dict[str, str] = {}
    read = re.sub(r"\b(?:no|not) (?:more than|exceeding)", "up to", re.sub(r"\bno less than", "at least", text))
    for pattern, bound in ((_AT_MOST, "at most"), (_AT_LEAST, "more than")):
        for match in pattern.finditer(read):
            value = next(iter(statement_of(f"a {match[1] or match[2]}").values), None)
            if value is not None and value[0].isdigit():
                found.setdefault(value, bound)
    return found


def other_bound(said: Statement, told: Iterable[Statement], number: str, bound: str) -> str | None:
    """Return the bound that statements of the same matter give a number, where it is another one."""
    around = {word for word in said.words if word != number and not is_unit(word) and not says_little(word)}
    found: str | None = None
    for one in told:
        other = bounds_in(one.text).get(number)
        shared = len(around & set(one.words))
        if _COMPLEMENT.search(one.text):
            # "Up to 750 he signs it himself, above that the director": both sides are told of.
            continue
        if other is None or not shared or shared < _SAME_MATTER * len(around):
            continue
        # "Claims above 750 need it" and "claims up to 750 do not" say the same.
        if other == bound or bool(said.denied) != bool(one.denied):
            return None
        found = other
    return f"the turns say {found} {number!r}, not {bound}" if found else None


def other_side(said: Statement, sentences: Statements) -> str | None:
    """Return what of a clause the turns tell with the opposite word in front of it wherever they tell of it.

    "Until 31 January" is not "from 31 January", and "with a photo" is not "without a photo".
    """
    for sides in _SIDES:
        for at, side in enumerate(sides):
            for match in side.finditer(said.text):
                words = words_within(match[1])
                # "Not with a card" is without one; "not until Friday" is from then on.
                if not words or (said.denied and (sides is not _SIDES[0] or _DENIED_BEFORE.search(said.text))):
                    continue
                held = [one for one in sentences.holding(words[-1]) if set(words) <= set(one.words)]
                here = any(_has_side(side, words, one.text) for one in held)
                there = [one for one in held if _has_side(sides[1 - at], words, one.text)]
                if there and not here and len(there) == len(held):
                    return f"the turns say {match[1]!r} with the opposite before it"
    return None


def _has_side(side: re.Pattern[str], words: Sequence[str], text: str) -> bool:
    return any(set(words) <= set(words_within(match[1])) for match in side.finditer(text))


def is_beyond(said: Statement, told: Statement) -> bool:
    """Say whether a statement is about what lies on the other side of another one's bound."""
    bounds = bounds_in(said.text)
    others = bounds_in(told.text) if bounds else {}
    return any(others.get(number, bound) != bound for number, bound in bounds.items())


def too_many_in(said: Statement, nearest: Sequence[Statement]) -> str | None:
    """Say whether a statement tells of all what the nearest ones tell of some."""
    each = _EACH.search(said.text)
    if not nearest or each is None or said.denied or _ONLY_SOME.search(said.text):
        return None
    of_some = _ONLY_SOME
    if whom := _WORD.search(said.text, each.end()):
        them = re.escape(whom[0][:_STEM])
        of_some = re.compile(rf"\b{them}\w* {_WHICH}\b|\b\d+ (?:\w+ )?{them}", re.IGNORECASE)
    is_of_all = of_some.search(said.text) is None
    is_only_of_some = all(
        (_ONLY_SOME.search(one.text) or (is_of_all and of_some.search(one.text))) and not _EACH.search(one.text)
        for one in nearest
    )
    return "the turns say it only of some" if is_only_of_some else None


def invented_reason(sentence: str, known: frozenset[str], denied: frozenset[str]) -> str | None:
    """Return why a reason given in a sentence is none that the turns know, or one that they deny."""
    match = _REASON.search(sentence)
    if match is None:
        return None
    words = {word for word in words_within(match[1]) if not says_little(word)}
    if words and words <= denied:
        return f"the turns deny the reason {match[0]!r}"
    if words and len(words & known) < _SO_MUCH_OF_A_REASON * len(words):
        return f"nobody gave the reason {match[0]!r}"
    return None


def is_asked(text: str) -> bool:
    """Say whether a sentence only asks, or says that somebody does."""
    return text.endswith("?") or _WONDERED.search(text) is not None


def is_idea(text: str) -> bool:
    """Say whether a sentence tells of something that might be."""
    return _IDEA.search(text) is not None


def is_uncertain(text: str) -> bool:
    """Say whether a sentence asks, offers or plans."""
    return is_asked(text) or _PLANNED.search(text) is not None


def is_spoken_of(text: str) -> bool:
    """Say whether a sentence tells of something as offered, refused or talked about."""
    return _SPOKEN_OF.search(text) is not None


def only_planned(said: Statement, nearest: Sequence[Statement]) -> str | None:
    """Say whether a statement tells as done what the nearest ones only plan, offer or ask."""
    if not nearest or said.denied or _PLANNED.search(said.text) or is_spoken_of(said.text):
        return None
    is_planned = _DONE.search(said.text) and all(is_uncertain(one.text) for one in nearest)
    return "it was only planned or asked" if is_planned else None
