"""Sentences as what they state: their telling words, their values, and whether they deny."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from workflow_agent.assistant.compaction import facts


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


_TOKEN: Final = re.compile(r"\w+(?:[-.,:/'\u2019]\w+)*%?")
_CLAUSE: Final = re.compile(
    # What it begins with stands first and alone: the engine skips all else.
    r"[;:,\s](?:(?<=[;:,])\s+|(?<=\s)\s*(?:[-\u2013\u2014]\s+|\((?=\w)"
    r"|(?=(?i:and|but|while|whereas|instead of|rather than|without|except)\b)))"
)
_THOUSANDS: Final = re.compile(r"(?<=\d)[,.](?=\d{3}(?!\d))")
_ORDINAL: Final = re.compile(r"(?<=\d)(?:st|nd|rd|th)$")
_QUOTED: Final = "\"'“”`*()[]"
_PREFERRED: Final = re.compile(
    r"\b((?:prefer(?:s|red)? \S|cho(?:ose|se|sen)|picked|selected|favou?red)[^.;]*?) over\b(?! \d)"
    r"|\b((?:prefer(?:s|red)?) (?!to\b)[^.;,]*?) to (?=an? |the |[\w' -]*?\w+s\b)"
    r"|\b((?:like|want)(?:s|d|ed)? [^.;,]*?) (?:better|more) than\b"
    r"|\brather\b([^.;]*?) than\b",
    re.IGNORECASE,
)
_PREFERRING: Final = ("prefer", "cho", "picked", "selected", "avo", "rather", " than")
"""What a text has to have, one of it, to say what is preferred."""
_STOPPING: Final = re.compile(r"\bstop(?:s|ped)? (?=\w+ing\b)", re.IGNORECASE)
"""A machine that stopped denies nothing."""
_ONE_UNIT: Final = re.compile(r"\bone (?=(?:minute|hour|day|week|month|quarter|year)\b)", re.IGNORECASE)
_STEM_CHARS: Final = 6
_ENDINGS: Final = ("ings", "ing", "ied", "ies", "ed", "es", "s", "e", "y")
_LEAST_STEM: Final = 3
_SMALL: Final = word_set(
    "during while within until since whether "
    "a an the and or but if of to in on at by for from with as is are was were be been being am it "
    "its this that these those there here he she they them his her their i you we us our my your me "
    "who whom which what when where how why do does did has have had will would shall should can "
    "could may might must so than then also too very just up out about into over per each any some "
    "all both more most such own same s t re ve ll d m im ive said says say told tell asked ask wants "
    "want wanted user users assistant conversation turn turns mr mrs ms dr prof"
)
_EVERYDAY: Final = word_set(
    "absolutely again ages ago almost already also although always amazing another any anybody anyone "
    "anything anyway appreciate around ask away awesome back bad beautiful because become been began "
    "begin behind believe best better between big bit both brilliant bring bye call came can't certainly "
    "chance come coming could couldn't couple course cool day days deal definitely did didn't different "
    "does doesn't doing done don't during each easy either else enjoy enough especially even evening ever "
    "every everybody everyone everything exactly excellent exciting experience fact fair fantastic far "
    "fascinating feel feeling feels felt few final finally find fine first forever forget forward found "
    "friend friends full fun funny gave get gets getting give glad go goes going gone gonna good goodbye "
    "got gotta great guess guy guys had haha half hand happen happened happens happy hard haven't hear "
    "heard hello help helped helps here hey hi hold honest honestly hope hoping how's huge hug hugs idea "
    "i'd i'll i'm important incredible indeed inspiration inspiring instead interesting isn't it'll it's "
    "i've join just keep kept kind knew know knows large last lately later least leave left less let "
    "let's life like likely little live lol long longer look looked looking looks lot lots love loved "
    "lovely luck lucky made make makes making many matter matters maybe mean means meant meet mind minute "
    "moment moments morning most much must nearly need needed needs new next nice night note often oh "
    "okay ok old once one ones only open ought own part past people perfect perhaps person pictures place "
    "plan please plenty point posted possible pretty probably problem proud put question quick quickly "
    "quite ran rather reach read ready real really reason remember remind reminds right run said same saw "
    "say saying says see seem seemed seems seen sense set several share shared sharing she's short should "
    "show side simple simply since small smile something sometime sometimes soon sorry sort sound sounded "
    "sounds special spend spent stand start started starting stay step still stop stuff such super "
    "support sure surprise take taken takes taking talk talked talking tell telling terrible thank thanks "
    "that'll that's the then there's they'd they'll they're they've thing things think thinking thought "
    "though through time times today together told tomorrow tonight too took totally tough tried true try "
    "trying turn turned turns under understand until up upon us use used using usually very wait waiting "
    "wanna want wanted wants was wasn't watch way ways we'd week weekend weeks we'll well went we're "
    "weren't we've what's whatever while whole who's why will wish with without wonder wonderful won't "
    "word words work worked working works world worth would wouldn't wow write wrong yeah year years yep "
    "yes yet you'd you'll young you're you've yay "
)
"""Words that people say of anything."""
_DENIALS: Final = word_set(
    "dont doesnt didnt cant wont isnt arent wasnt werent shouldnt "
    "not no never without none neither nor cannot can't don't doesn't didn't won't isn't aren't "
    "wasn't weren't shouldn't mustn't hasn't haven't wouldn't couldn't nothing nobody avoid avoids "
    "avoided avoiding refuse refused forbid forbids forbidden prohibit prohibited "
    "exclude excluded except instead replace replaces replaced replacing abandon abandoned reject "
    "rejects rejected drop drops dropped skip skipped "
    "exempt exempts exempted bypass bypasses "
    "dislikes dislike disliked hates hate hated unwanted ruled"
)
_DIGITS_OF: Final = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20",
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100",
    "thousand": "1000", "million": "1000000", "dozen": "12", "twice": "2x",
}  # fmt: skip
_CLOSED: Final = word_set(
    "red blue green yellow orange purple black white grey gray brown pink amber monday tuesday "
    "wednesday thursday friday saturday sunday january february march april june july august "
    "september october november december euro euros eur usd dollar dollars gbp pounds chf hourly daily weekly "
    "monthly quarterly yearly nightly north south east west"
)
"""Words that have no synonym: another one of them is another fact."""
_SPANS: Final = word_set(
    "minute minutes hour hours day days week weeks month months quarter quarters year years night half"
)
"""Words that measure: "in the following week" states none."""
_SAME: Final = {
    "annually": "yearly", "euro": "eur", "euros": "eur", "dollar": "usd",
    "dollars": "usd", "pounds": "gbp", "sent": "send", "ran": "run", "paid": "pay", "made": "make",
    "built": "build", "chose": "choose", "kept": "keep", "held": "hold", "gave": "give", "given": "give",
    "took": "take", "taken": "take", "brought": "bring", "bought": "buy", "sold": "sell", "began": "begin",
    "begun": "begin",
    "wrote": "write", "written": "write", "drew": "draw", "drawn": "draw", "woke": "wake", "woken": "wake",
}  # fmt: skip
_RULE: Final = re.compile(
    r"\b(?:must|have to|has to|needs? to|may only|only|goes? to|go to|at least|at most|no more than"
    r"|not allowed|allowed|requires?|required|responsible|owns?|approves?|signs?|limit|maximum|minimum)\b",
    re.IGNORECASE,
)
_PREFERENCE: Final = re.compile(
    r"\bi(?:'d)? (?:really )?(?:prefer|like|love|hate|dislike|want|rather)\b", re.IGNORECASE
)
_DEADLINE: Final = re.compile(r"\b(?:deadline|due|no later than|expires?|by the end of|until)\b", re.IGNORECASE)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the beginning that a word shares with its other forms; what holds a digit stays whole."""
    if not word.isalpha():
        return word
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= _LEAST_STEM), "")
    root = word[: len(word) - len(ending)]
    # "Sundays" has the stem of "Sunday".
    return (root[:-1] if ending == "s" and root[-1] == "y" and len(root) > _LEAST_STEM else root)[:_STEM_CHARS]


_UNITS: Final = frozenset(map(stem, _CLOSED | _SPANS)) | {"may"}
_SAYS_LITTLE: Final = frozenset(map(stem, _EVERYDAY | _SMALL)) - _UNITS
_PIECE: Final = re.compile(r"\S+")
_MOST_BETWEEN: Final = 2


def says_little(word: str) -> bool:
    """Say whether a stem is of a word that people say of anything."""
    return word in _SAYS_LITTLE


def words_within(text: str) -> tuple[str, ...]:
    """Return the telling words of a part of a sentence, which does not begin it: a capital there begins a name."""
    return statement_of(f"x {text}").words[1:]


def is_denial(word: str) -> bool:
    """Say whether a word denies what it is said of."""
    return word in _DENIALS or word.endswith("n't")


def gist_of(text: str, common: Container[str]) -> str:
    """Return the pieces of a sentence that tell something, word for word, "…" for what is left out.

    Denials stay, and so do small words between two that tell something; common stems tell nothing in this talk,
    however rare they are elsewhere.
    """
    pieces = _PIECE.findall(text)
    telling = [at for at, one in enumerate(pieces) if _tells(one, common)]
    if not telling:
        return ""
    kept: list[str] = [] if telling[0] == 0 else ["…"]
    for at, following in zip(telling, [*telling[1:], len(pieces)], strict=True):
        kept.append(pieces[at])
        if following == len(pieces):
            kept += ["…"] if at + 1 < len(pieces) else []
        elif following - at - 1 <= _MOST_BETWEEN:
            kept += pieces[at + 1 : following]
        else:
            kept.append("…")
    return " ".join(kept)


def _tells(piece: str, common: Container[str]) -> bool:
    folded = piece.strip(_QUOTED + ".,;:!?…").casefold().replace("\u2019", "'")
    if is_denial(folded):
        return True
    words = statement_of(piece).words
    return any(word not in _SAYS_LITTLE and word not in common for word in words)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or a clause."""

    text: str
    words: tuple[str, ...]
    """Stems of its telling words, in order; values among them."""
    values: frozenset[str]
    """Numbers, ids, names, and words that have no synonym."""
    is_negated: bool
    denied: frozenset[str]
    """Words that stand after a denial, up to the end of its clause; before it, where it ends the clause. Not
    those that another clause affirms."""

    @property
    def others(self) -> frozenset[str]:
        """Return its telling words that are no values."""
        return frozenset(self.words) - self.values


@lru_cache(maxsize=8_192)
def statement_of(text: str, *, has_names: bool = True) -> Statement:
    """Return what a sentence or a part of one states; where all nouns have a capital, none begins a name."""
    words: list[str] = []
    values: set[str] = set()
    denied: set[str] = set()
    affirmed: set[str] = set()
    denials = place = 0
    low = text.casefold()
    prefers = any(word in low for word in _PREFERRING)
    for clause in clauses(_PREFERRED.sub(r"\1\2\3\4 instead of ", text) if prefers else text):
        before, last_denial = denials, -1
        plain: set[str] = set()
        for match in _TOKEN.finditer(_spelled_out(clause)):
            raw = match[0].strip(_QUOTED)
            folded = raw.casefold().replace("\u2019", "'")
            place += 1
            if folded == "because":
                # A reason is none of what is denied.
                before = denials
            if is_denial(folded):
                denials += 1
                last_denial = len(words)
                continue
            folded = _SAME.get(folded.removesuffix("'s"), folded.removesuffix("'s"))
            is_month = raw == "May" and place > 1
            is_label = raw == "A" and place > 1
            if not (is_month or is_label) and (folded in _SMALL or (folded == "one" and place > 1)):
                continue
            told = _value_of(raw, folded, place > 1 and has_names)
            word = told or stem(folded)
            words.append(word)
            values |= {told} if told else set()
            (denied if (denials - before) % 2 else plain).add(word)
        # "Overtime is forbidden."
        is_all_denied = last_denial == len(words) and (denials - before) % 2 == 1
        (denied if is_all_denied else affirmed).update(plain)
    return Statement(text, tuple(words), frozenset(values), denials % 2 == 1, frozenset(denied - affirmed))


def _spelled_out(text: str) -> str:
    read = text.replace("€", " EUR ").replace("$", " USD ").replace("£", " GBP ")
    read = _STOPPING.sub("no longer ", read)
    return _ONE_UNIT.sub("1 ", read.replace("rather than", "instead of"))


def _value_of(raw: str, folded: str, may_be_name: bool) -> str | None:
    if not raw.isalpha() and any(map(str.isdigit, raw)):
        return _ORDINAL.sub("", _THOUSANDS.sub("", folded)).strip("%,.") or None
    if folded in _DIGITS_OF:
        return _DIGITS_OF[folded]
    if folded in _CLOSED or (may_be_name and raw[:1].isupper()) or (len(raw) > 1 and raw.isupper()):
        return stem(folded)
    return folded if "_" in raw else None


def is_unit(value: str) -> bool:
    """Say whether a value is of a kind that has few: a colour, a day, a month, a currency, a span of time."""
    return value in _UNITS


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence that state something each."""
    return [one for one in _CLAUSE.split(sentence) if one.strip()]


# What stands for earlier turns is read at each compaction, and may be nearest to whatever a summary says.
@lru_cache(maxsize=8_192)
def stated_in(sentence: str) -> tuple[Statement, ...]:
    """Return what each clause of a sentence states."""
    return tuple(map(statement_of, clauses(sentence)))


@lru_cache(maxsize=8_192)
def kinds_of(sentence: str, *, is_users: bool) -> tuple[str, ...]:
    """Return of which kinds a sentence is that must not leave the window without a line.

    Nobody but the user decides, rules, prefers or asks.
    """
    asks = sentence.endswith("?")
    binding = {
        "decision": not asks and facts.DECISION.search(sentence),
        "rule": not asks and (facts.INSTRUCTION.search(sentence) or _RULE.search(sentence)),
        "preference": not asks and _PREFERENCE.search(sentence),
        "open question": asks or facts.PENDING.search(sentence),
    }
    told = {
        "name": facts.people_in(sentence) or facts.quotes(sentence) or facts.identifiers(sentence),
        "number": facts.quantities_in(sentence),
        "deadline": facts.dates_in(sentence) or _DEADLINE.search(sentence),
    }
    found = [kind for kind, hit in binding.items() if hit and is_users]
    return (*found, *(kind for kind, hit in told.items() if hit))


class Statements:
    """Statements by their words: which of them says most of what another one does."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.all: Sequence[Statement] = list(statements)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self.all):
            for word in set(one.words):
                self._places[word].append(place)

    def holding(self, word: str) -> list[Statement]:
        """Return the statements that have a word."""
        return [self.all[place] for place in self._places.get(word, ())]

    def overlaps(self, words: Iterable[str]) -> list[tuple[Statement, int]]:
        """Return how many of some words each statement has; those with none are left out."""
        held = Counter(place for word in dict.fromkeys(words) for place in self._places.get(word, ()))
        return [(self.all[place], count) for place, count in held.items()]

    def nearest(self, words: Iterable[str]) -> tuple[list[Statement], int]:
        """Return the statements that have most of some words, and how many that is."""
        held = self.overlaps(words)
        most = max((count for _, count in held), default=0)
        return [one for one, count in held if count == most], most
