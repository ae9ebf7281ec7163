"""What a text states that must not be lost: ids, numbers, dates, names, and sentences that bind."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP: Final = re.compile(r"^[ \t]*<[?!/]?[A-Za-z][\w:.-]*(?:[\s/>?][^\n]*)?$", re.MULTILINE)
_CLOSING: Final = re.compile(r"</[A-Za-z]|/>")
_OBJECT: Final = re.compile(r"[{\[]\s*[{\[\"]")
_JSON: Final = json.JSONDecoder()
_LEAST_CHARS: Final = 80
"""JSON that is shorter is an aside, not a document."""
_MOST_TRIED: Final = 8
"""Beginnings of JSON that come to nothing, before the rest is taken for prose."""


def without_documents(text: str) -> str:
    """Return what somebody says in a text, each document in it replaced by a line's end.

    What a document holds is no fact of the talk: read in, it is in the workflow; sent out, it was made from
    one. Its keys and coordinates would crowd out what was agreed.
    """
    plain = _FENCED.sub("\n", text)
    return _without_json(_MARKUP.sub("", plain) if _CLOSING.search(plain) else plain)


def _without_json(text: str) -> str:
    kept: list[str] = []
    at = tried = 0
    while tried < _MOST_TRIED and (begins := _OBJECT.search(text, at)) is not None:
        try:
            _, end = _JSON.raw_decode(text, begins.start())
        except (ValueError, RecursionError):
            tried += 1
            end = begins.end()
            kept.append(text[at:end])
        else:
            is_document = end - begins.start() >= _LEAST_CHARS
            kept += (text[at : begins.start()], "\n") if is_document else (text[at:end],)
        at = end
    return "".join([*kept, text[at:]])


MOST_SENTENCE_CHARS: Final = 400
SEPARATOR: Final = " · "
"""Between the facts of a line of the ledger."""
_READ_CHARS: Final = 32_000
_WORDS_BEFORE: Final = 4
_WORDS_AFTER: Final = 2
WORKFLOW_ID: Final = re.compile(r"\bwf_[a-z0-9][a-z0-9_-]{0,60}")
RUN_ID: Final = re.compile(r"\brun_[a-z0-9][a-z0-9_-]{1,110}")
_OTHER_ID: Final = re.compile(r"\b[A-Za-z]{1,12}[-_#]?\d[\w-]{0,40}|\b[A-Z]{2,12}(?:[-_][A-Z0-9]{1,20})+\b")
_SLUG: Final = re.compile(
    r"(?<![\w/.-])[a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){1,8}(?![\w/.-])|(?<=`)[a-z][a-z0-9_-]{1,63}(?=`)"
)
_NUMBER: Final = re.compile(r"(?<![\w.-])[€$£]?\d+(?:[.,:]\d+)*%?")
_QUOTE: Final = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|(?<!\w)'([^'\n]{2,80})'(?!\w)")
_SENTENCE_END: Final = re.compile(
    # What most places lack is asked for first.
    r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bNo\.)(?<!\b[A-Z]\.)\s+|\n+"
)
_LIST_NUMBER: Final = re.compile(r"^[ \t>]*\d{1,3}[.)][ \t]+", re.MULTILINE)
_LIST_ITEM: Final = re.compile(r"[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]")
_EXAMPLES: Final = re.compile(r"\b(?:you can say|for example|things like)\b[^.!?\n]*:$", re.IGNORECASE)
_EXAMPLE: Final = re.compile(r"\b(?:say|for example)[,:]? [\"“]", re.IGNORECASE)
_CLAUSE_END: Final = (",", ";", ":", ".", "!", "?")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DATE: Final = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b(?:,? \d{{4}})?"
    rf"|\b{_MONTH}\.? \d{{1,4}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|\bQ[1-4](?: \d{{4}})?\b"
    r"|\b(?:on|by|until|before|after|since|every|each|next|last|this) "
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_NUMBER_WORDS: Final = frozenset(
    {
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen",
        "twenty", "thirty", "forty", "fifty", "sixty", "ninety", "hundred", "thousand", "million", "dozen",
        "half", "twice",
    }
)  # fmt: skip
_PERSON: Final = re.compile(r"(?<=[a-zà-ÿ0-9,] )[A-Z][a-zà-ÿ]{1,30}(?: [A-Z][a-zà-ÿ]{1,30}){1,3}\b")
DECISION: Final = re.compile(
    r"\bwe(?:'ve| have)? (?:agreed?|decided|settled|concluded|chose|chosen)\b"
    r"|\b(?:it is|it's|that's) (?:agreed|decided)\b|\bdecisions?\b|\blet's go with\b|\bgo with\b"
    r"|\bthe plan is\b|\bagreed:|\bdecided:",
    re.IGNORECASE,
)
INSTRUCTION: Final = re.compile(
    r"\bfrom now on\b|\balways\b|\bnever\b|\bgoing forward\b|\bin (?:the )?future\b|\bwhenever\b"
    r"|\b(?:every|each) time\b|\bby default\b|\bremember\b|\bmake sure\b"
    r"|\bi(?:'d| would)? (?:prefer|rather|hate)\b|\bprefers?\b|\bmy preference\b"
    r"|\binstead of\b|\brather than\b|\bno longer\b|\brules?\b:|\bour (?:rule|policy)\b"
    r"|\bstop (?:using|doing|adding|asking|calling|writing)\b|\bstanding instruction",
    re.IGNORECASE,
)
ORDER: Final = re.compile(
    r"\b(?:first|then|after(?:wards?)?|before(?:hand)?|later|earlier|previously|since|until|till|finally"
    r"|meanwhile|eventually|at last|in the end|by the time|once|as soon as|followed|preceded)\b",
    re.IGNORECASE,
)
"""Words that put one thing before another."""
PAST: Final = re.compile(
    r"^(?!(?:when|if|whenever|add|put|insert|move|create|make|build|then|please|can|could|should)\b)"
    r"(?!.*\b(?:should|must|shall|will|would|needs? to|has to|have to|gets?|if)\b).*?"
    r"\b(?:\w{2,}ed|was|were|ran|came|went|took|became|began|got|left|built|made|did|sent|met|held|fell|rose"
    r"|broke|found|bought|sold|had|gave|paid|lost|won|grew|kept|saw|told|wrote|put|set|cut|let|shut|split)\b",
    re.IGNORECASE,
)
"""A sentence that tells of something past, and does not describe how a workflow runs."""
PENDING: Final = re.compile(
    r"\b(?:awaiting|waiting (?:for|on)|pending"
    r"|needs? (?:an? |the |my |his |her |their )?(?:approval|confirmation|sign-?off)"
    r"|to be (?:approved|confirmed|signed)|not (?:yet )?(?:approved|confirmed|signed)"
    r"|still (?:has|have) to (?:approve|confirm))\b",
    re.IGNORECASE,
)
ERROR: Final = re.compile(
    r"^(?!(?:please |now |and |can you |could you )*"
    r"(?:add|set|give|make|put|insert|create|connect|remove|drop|delete|change|rename|retry|let|when|if)\b)"
    r".*?\b(?:errors?|exception|failed|fails|failure|traceback|timed out|timeout)\b",
    re.IGNORECASE,
)
"""A sentence that tells of a failure, and does not say what shall be done about one."""


def unnumbered(text: str) -> str:
    """Return a text without the numbers of its lists: they say where an item stands and nothing else."""
    return _LIST_NUMBER.sub("", text)


def stating(reply: str) -> str:
    """Return a reply without documents and what it only suggests to say: "for example:" and its list."""
    kept: list[str] = []
    suggests = False
    for line in without_documents(reply).splitlines():
        suggests = _EXAMPLES.search(line.strip()) is not None or (
            suggests and (not line.strip() or _LIST_ITEM.match(line) is not None)
        )
        if not suggests:
            kept.append(" ".join(one for one in _SENTENCE_END.split(line) if not _EXAMPLE.search(one)))
    return "\n".join(kept)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, one of them a line at most, without surrounding space."""
    pieces = _SENTENCE_END.split(unnumbered(text[:_READ_CHARS]))
    return [one.strip(" \t-*•") for one in pieces if one.strip(" \t-*•")]


def entries(text: str) -> list[str]:
    """Return the sentences of what stands for earlier turns, of a line with several facts each of them."""
    return [one for line in text.splitlines() for fact in line.split(SEPARATOR) for one in _of_fact(fact)]


# What stands for earlier turns has the same facts at each compaction.
@lru_cache(maxsize=8_192)
def _of_fact(fact: str) -> tuple[str, ...]:
    return tuple(sentences(fact))


def matching(pattern: re.Pattern[str], told: Iterable[str]) -> Iterator[str]:
    """Yield the sentences that match and ask nothing; a very long one is cut, visibly."""
    for sentence in told:
        if pattern.search(sentence) and not sentence.endswith("?"):
            is_long = len(sentence) > MOST_SENTENCE_CHARS
            yield sentence[: MOST_SENTENCE_CHARS - 1] + "…" if is_long else sentence


def identifiers(text: str) -> list[str]:
    """Return everything that looks like an id, in order of appearance, each once."""
    read = text[:_READ_CHARS]
    found = [(m.start(), m[0]) for one in (WORKFLOW_ID, RUN_ID, _OTHER_ID, _SLUG) for m in one.finditer(read)]
    return list(dict.fromkeys(one.rstrip("-_") for _, one in sorted(found)))


def slugs(text: str) -> list[str]:
    """Return what may be the id of a step: words joined by underscores, or marked as code."""
    found = (one[0] for one in _SLUG.finditer(text[:_READ_CHARS]))
    return [one for one in dict.fromkeys(found) if not one.startswith(("wf_", "run_", "evt_", "cv_", "call_"))]


def numbers(text: str) -> list[str]:
    """Return the bare numbers of a text, each once."""
    return list(dict.fromkeys(one[0].rstrip(".,:") for one in _NUMBER.finditer(text[:_READ_CHARS])))


def quotes(text: str) -> list[str]:
    """Return the quoted strings of a text, without their marks, each once."""
    found = (one[1] or one[2] or one[3] for one in _QUOTE.finditer(text[:_READ_CHARS]))
    return list(dict.fromkeys(one.strip() for one in found))


def dates_in(sentence: str) -> list[str]:
    """Return the dates of a sentence, each with the words that lead to it."""
    return [_with_words_before(sentence, match) for match in _DATE.finditer(sentence)]


def people_in(sentence: str) -> list[str]:
    """Return names of several capitalised words, each with the words that lead to it."""
    return [_with_words_before(sentence, match) for match in _PERSON.finditer(sentence)]


def _with_words_before(sentence: str, match: re.Match[str]) -> str:
    before = sentence[: match.start()].split()[-_WORDS_BEFORE:]
    while before and any(word.endswith(_CLAUSE_END) for word in before[:-1]):
        before = before[1:]
    return " ".join([*before, match[0]]).strip(" ,;:")


def quantities_in(sentence: str) -> list[str]:
    """Return the numbers and numbered ids of a sentence with their nouns: "limit is 4,500 EUR"."""
    words = sentence.split()
    at = [place for place, word in enumerate(words) if _is_quantity(word)]
    spans: list[tuple[int, int]] = []
    for place in at:
        first, last = _clause_around(words, place)
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return [" ".join(words[first : last + 1]).strip(" ,;:.!?()") for first, last in spans]


def _is_quantity(word: str) -> bool:
    bare = word.strip("\"'“”(),;:.!?`*")
    if bare.isalpha():
        return bare.lower() in _NUMBER_WORDS
    return any(sign.isdigit() for sign in bare)


def _clause_around(words: list[str], place: int) -> tuple[int, int]:
    first = last = place
    while first > max(place - _WORDS_BEFORE, 0) and not words[first - 1].endswith(_CLAUSE_END):
        first -= 1
    while last < min(place + _WORDS_AFTER, len(words) - 1) and not words[last].endswith(_CLAUSE_END):
        last += 1
    return first, last
