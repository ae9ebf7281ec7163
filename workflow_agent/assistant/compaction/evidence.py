"""Whether the turns say what a summary says of them, sentence by sentence."""

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from workflow_agent.assistant.compaction import facts
from workflow_agent.assistant.compaction.checks import language_of
from workflow_agent.assistant.compaction.statements import (
    Statement,
    Statements,
    clauses,
    is_unit,
    says_little,
    statement_of,
    stem,
)
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import AgentReply, Event, UserMessage

MOST_UNSUPPORTED: Final = 0.5
"""Of a summary's sentences: with more of them it is not used at all."""
_MOST_NEW: Final = 0.7
_FEWEST_NEW: Final = 3
_ENOUGH: Final = 0.5
_WORD: Final = re.compile(r"[^\W\d_]+")
_OPPOSITES: Final = tuple(
    tuple(frozenset(side.split()) for side in pair.split("/"))
    for pair in (
        "above over exceeding more exceeds/below under less fewer",
        "always every/never no",
        "first/last",
        "minimum least/maximum most",
        "approve approved approves/reject rejected rejects declined",
        "increase increased raised higher/decrease decreased lowered lower",
        "enable enabled on/disable disabled off",
        "internal/external",
        "allowed may can/forbidden prohibited",
        "open opened/close closed",
        "before/after",
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
    )
)
_ORDER: Final = re.compile(r"\b(before|after)\b", re.IGNORECASE)
_SAME_MATTER: Final = 0.6
"""So many of the words beside a number: then it is the same number of the same thing."""
_FEWEST_AROUND: Final = 2
_REPLACES: Final = re.compile(r"\breplac(?:e|es|ed|ing)\b", re.IGNORECASE)
_AGENT: Final = re.compile(r"\w+ed by (?:the |an? |our |their )?(?!\w+ing\b)([^\W\d_]+)")
_PLACED: Final = re.compile(r"\b(by|to|with|from|in|at|for|via|through) (?:the |an? )?([^\W\d_]+)", re.IGNORECASE)
_A_UNIT: Final = re.compile(r"\ban? (?:minute|hour|day|week|month|quarter|year)\b", re.IGNORECASE)
_OPEN: Final = re.compile(r"\b(?:whether|open|unclear|asked|asks|question|wonders?|unanswered)\b", re.IGNORECASE)
_NUMBER: Final = r"(?:[€$£] ?)?(\d[\d.,]*|\w+)"
_AT_MOST: Final = re.compile(
    r"\b(?:up to|at most|no more than|not more than|under|below|less than|fewer than|within|maximum(?: of)?|"
    rf"no later than|not exceeding) {_NUMBER}"
    r"|(\d[\d.,]*)(?: \w+)? (?:at most|or less|or fewer|at the latest)\b",
    re.IGNORECASE,
)
_AT_LEAST: Final = re.compile(
    rf"\b(?:over|above|more than|exceed(?:s|ing)?|at least|no less than|beyond|minimum(?: of)?) {_NUMBER}|"
    r"(\d[\d.,]*)(?: \w+)? (?:or more|and more|at least|or above)\b",
    re.IGNORECASE,
)
_BORNE_OUT_BY: Final = {
    "deleted archived": ("deleted",),
    "removed": ("deleted", "modified"),
    "created built drafted": ("created",),
    "added made inserted wrote written": ("created", "modified"),
    "edited renamed changed updated modified moved replaced connected set fixed corrected": ("modified",),
    "ran executed started triggered sent published deployed exported imported approved emailed": (),
    "notified paid ordered cancelled canceled restored signed called booked submitted": (),
}
_DEEDS: Final = {verb: kinds for verbs, kinds in _BORNE_OUT_BY.items() for verb in verbs.split()}
"""Past forms, and which changes on record bear them out."""
_DEED: Final = re.compile(rf"\b({'|'.join(_DEEDS)})\b", re.IGNORECASE)
_STARTERS: Final = frozenset(
    {"open", "pending", "according", "whether", "goal", "topic", "plan", "status", "user", "both", "next"}
)
"""Words that an entry of a summary begins with."""
_NO_DEED: Final = re.compile(
    r"\b(?:is|are|be|being|not|never|been not|get|gets|if|when|once)\s+"
    r"(?:(?:\w+ly|now|also|still|always|only)\s+)?$"
)


class Evidence:
    """What a summary may say.

    Args:
        told: Lines that hold already: the summary so far, and the ledger.
        events: The turns that are summed up.
    """

    def __init__(self, told: str, events: Iterable[Event]) -> None:
        texts = facts.sentences(told)
        deeds = [one for one in facts.sentences(told) if _DEED.search(one)]
        changes: list[tuple[str, frozenset[str]]] = []
        for event in events:
            own = facts.sentences(event.content)
            texts += own
            touched = list(event.workflows_touched) if isinstance(event, AgentReply) else []
            for one in touched:
                texts.append(f"{one.change} {one.id} ({one.name})")
                changes.append((one.change, frozenset(statement_of(f"{one.id} {one.name}").words)))
            if touched or isinstance(event, UserMessage):
                deeds += (one for one in own if _DEED.search(one) and not one.endswith("?"))
        self._sentences = Statements(map(statement_of, texts))
        self._parts = Statements(statement_of(part) for text in texts for part in clauses(text))
        self._words = {word for one in self._sentences.all for word in one.words}
        self._words |= {"1"} if any(_A_UNIT.search(text) for text in texts) else set()
        self._uncapitalised = {stem(word) for text in texts for word in _WORD.findall(text) if word.islower()}
        self._language = language_of(" ".join(texts))
        self._deeds = [(statement_of(one), one.casefold()) for one in deeds]
        self._changes = changes

    def why_not(self, sentence: str, *, is_deed: bool = False, is_question: bool = False) -> str | None:
        """Return what of a sentence of the summary is not so; None where it may stand.

        Args:
            sentence: One sentence or entry.
            is_deed: Whether it stands among what was done.
            is_question: Whether it stands among the open questions.
        """
        spoken = language_of(sentence)
        is_foreign = spoken is not None and self._language is not None and spoken != self._language
        said = statement_of(sentence, has_names=not is_foreign)
        if is_foreign:
            missing = [one for one in said.values if one[0].isdigit() and one not in self._words]
            return f"{missing[0]!r} is nowhere" if missing else None
        return (
            self._unknown_value(said)
            or self._unknown_quote(sentence)
            or self._unknown_agent(sentence)
            or self._swapped_place(said)
            or self._misplaced_value(said, sentence)
            or self._wrong_polarity(sentence)
            or self._wrong_bound(sentence)
            or (None if is_question else self._question(said))
            or self._opposite(said)
            or self._unknown_deed(said, is_deed=is_deed)
            or self._invention(said)
        )

    def _unknown_value(self, said: Statement) -> str | None:
        missing = [one for one in self._named(said) if one not in self._words]
        return f"{missing[0]!r} is nowhere" if missing else None

    def _named(self, said: Statement) -> frozenset[str]:
        """Return the values of a statement, and its first word where that may be a name."""
        first = _WORD.match(said.text)
        if first is None or not first[0][0].isupper() or stem(first[0].casefold()) in self._uncapitalised:
            return said.values
        word = stem(first[0].casefold())
        is_ordinary = first[0].casefold().endswith(("s", "ing", "ed", "ion", "ment", "al", "ly", "er", "e", "t"))
        is_ordinary = is_ordinary or says_little(word) or first[0].casefold() in _STARTERS
        if word not in said.words or (word not in self._words and is_ordinary):
            return said.values
        return said.values | {word}

    def _unknown_quote(self, sentence: str) -> str | None:
        known = [" ".join(one.text.casefold().split()) for one in self._sentences.all]
        for quote in facts.quotes(sentence):
            bare = quote.casefold().rstrip(".,;!?")
            if not any(bare in one for one in known):
                return f"nobody said {quote!r}"
        return None

    def _unknown_agent(self, sentence: str) -> str | None:
        for match in _AGENT.finditer(sentence):
            word = stem(match[1].casefold())
            if word not in self._words and not says_little(word):
                return f"{match[1]!r} is nowhere"
        return None

    def _swapped_place(self, said: Statement) -> str | None:
        """Say which word of a clause stands in the place of another: "by mail" for "by freight"."""
        words = set(said.words)
        for preposition, place in _placed(said.text):
            others = words - {place}
            if len(others) < _FEWEST_AROUND:
                continue
            held = [one for one in self._holding(place) if words <= set(one.words)]
            swapped = [
                part
                for one in held
                for part in _parts_of(one)
                if others <= set(part.words)
                and place not in part.words
                and any(same == preposition and rival not in words for same, rival in _placed(part.text))
            ]
            if held and len(swapped) == len(held):
                return f"{place!r} is said of something else"
        return None

    def _misplaced_value(self, said: Statement, sentence: str) -> str | None:
        for part in clauses(sentence):
            stated = statement_of(part)
            values = self._named(said) & set(stated.words)
            for value in values:
                around = set(stated.words) - {value}
                if len(around) < _FEWEST_AROUND:
                    around = set(said.words) - {value}
                held = self._holding(value)
                if around and not any(around & set(one.words) for one in held):
                    return f"{value!r} is said of something else"
                if self._is_of_another(value, stated):
                    return f"{value!r} is said of something else"
            for one, other in combinations(sorted(values), 2):
                if self._are_apart(one, other):
                    return f"{one!r} and {other!r} are said of different things"
        return None

    def _is_of_another(self, value: str, stated: Statement) -> bool:
        """Say whether what is told of a value is told of another one of its kind, in another clause.

        "Claims need two signatures, contracts three" does not say that claims need three.
        """
        around = set(stated.words) - {value}
        mine = [self._parts.all[at] for at in self._parts.holding(value)]
        if len(around) < _FEWEST_AROUND or any(around & set(one.words) for one in mine):
            mine_words = {word for one in mine for word in one.words}
            around = {word for word in around & stated.values if word not in mine_words}
        if not around:
            return False
        together = [one for one in self._holding(value) if around <= set(one.words)]
        return bool(together) and all(
            any(around <= set(part.words) and _has_rival(part, value, stated) for part in _parts_of(one))
            for one in together
        )

    def _holding(self, value: str) -> list[Statement]:
        return [self._sentences.all[place] for place in self._sentences.holding(value)]

    def _are_apart(self, one: str, other: str) -> bool:
        """Say whether two values never go together, and another of its kind stands in the place of one."""
        mine, theirs = self._holding(one), self._holding(other)
        if any(other in held.words for held in mine):
            return False
        rivals = any(_kind(value) == _kind(other) for held in mine for value in held.values - {one})
        return rivals or any(_kind(value) == _kind(one) for held in theirs for value in held.values - {other})

    def _wrong_polarity(self, sentence: str) -> str | None:
        for part in clauses(sentence):
            if _REPLACES.search(part):
                # What takes the place of another is said in many ways that deny nothing.
                continue
            said = statement_of(part)
            words = set(said.words)
            affirmed = words - said.denied
            counts = self._sentences.overlaps(words)
            most = max(counts.values(), default=0)
            nearest = [self._sentences.all[at] for at, count in counts.items() if count == most]
            nearest = [one for one in nearest if not one.text.endswith("?")]
            if nearest and most >= _ENOUGH * len(words):
                if said.denied and all(_affirms(one, said.denied) for one in nearest):
                    return "the turns do not deny it"
                least = 0 if most == len(words) else _ENOUGH * most
                if affirmed == words and all(len(words & one.denied) > least for one in nearest):
                    return "the turns deny it"
            # What is denied wherever it is named is not to be told as so, nor the other way round.
            for value in said.values:
                held = self._holding(value)
                if held and all((value in one.denied) != (value in said.denied) for one in held):
                    return f"{value!r} is not denied" if value in said.denied else f"{value!r} is denied"
        return None

    def _wrong_bound(self, sentence: str) -> str | None:
        for part in clauses(sentence):
            said = statement_of(part)
            for number, bound in _bounds(part).items():
                around = set(said.words) - {number}
                for place in self._parts.holding(number):
                    told = self._parts.all[place]
                    other = _bounds(told.text).get(number, bound)
                    if other != bound and len(around & set(told.words)) >= _SAME_MATTER * len(around):
                        return f"the turns say {other} {number!r}, not {bound}"
        return None

    def _question(self, said: Statement) -> str | None:
        if said.text.endswith("?") or _OPEN.search(said.text):
            return None
        nearest = self._nearest(said)
        asked = bool(nearest) and all(one.text.endswith("?") for one in nearest)
        same = asked and set(said.words) <= set(nearest[0].words)
        return "it was only asked" if same else None

    def _opposite(self, said: Statement) -> str | None:
        mine = _plain(said.text)
        nearest = self._nearest(said)
        for sides in _OPPOSITES:
            for here, there in (sides, sides[::-1]):
                if not mine & here or mine & there or not nearest:
                    continue
                wrong = [one for one in nearest if _plain(one.text) & there and not _plain(one.text) & here]
                if "before" in here | there:
                    wrong = [one for one in nearest if _is_reversed(said.text, one.text)]
                if len(wrong) == len(nearest):
                    return f"the turns say {min(there)!r}, not {min(mine & here)!r}"
        return None

    def _nearest(self, said: Statement) -> Sequence[Statement]:
        counts = self._sentences.overlaps(said.words)
        most = max(counts.values(), default=0)
        if most < min(2, len(set(said.words))):
            return ()
        return [self._sentences.all[place] for place, count in counts.items() if count == most]

    def _unknown_deed(self, said: Statement, *, is_deed: bool) -> str | None:
        text = said.text
        found = [one[1].casefold() for one in _DEED.finditer(text) if not _NO_DEED.search(text[: one.start()])]
        if not found and is_deed and not self._nearest(said):
            return "nothing of the kind was done"
        verbs = [one for one in found if not said.is_negated and not _OPEN.search(text)]
        for verb in verbs:
            others = set(said.words) - {stem(verb), stem("workflow"), stem("step")}
            is_recorded = any(
                change in _DEEDS[verb] and (not others or names & others) for change, names in self._changes
            )
            is_told = any(
                verb in text.split() and not stated.is_negated and (not others or others & set(stated.words))
                for stated, text in self._deeds
            )
            if not is_recorded and not is_told:
                return f"nobody {verb} it"
        return None

    def _invention(self, said: Statement) -> str | None:
        new = said.others - self._words
        if len(new) >= _FEWEST_NEW and len(new) > _MOST_NEW * len(said.others):
            return "the turns speak of something else"
        return None


def _kind(value: str) -> str:
    return "number" if value[0].isdigit() else "unit" if is_unit(value) else "name"


def _bounds(text: str) -> dict[str, str]:
    """Return the numbers of a text that are a bound, and which."""
    found: dict[str, str] = {}
    read = re.sub(r"\b(?:no|not) (?:more than|exceeding)", "up to", re.sub(r"\bno less than", "at least", text))
    for pattern, bound in ((_AT_MOST, "at most"), (_AT_LEAST, "more than")):
        for match in pattern.finditer(read):
            value = next(iter(statement_of(f"a {match[1] or match[2]}").values), None)
            if value is not None and value[0].isdigit():
                found.setdefault(value, bound)
    return found


def _placed(text: str) -> list[tuple[str, str]]:
    """Return the words that a preposition leads to, with it."""
    return [(one[1].casefold(), stem(one[2].casefold())) for one in _PLACED.finditer(text)]


def _affirms(told: Statement, denied: frozenset[str]) -> bool:
    """Say whether a statement has words that another one denies, and denies none of them."""
    return bool(denied & set(told.words)) and not denied & told.denied


def _parts_of(told: Statement) -> list[Statement]:
    return [statement_of(part) for part in clauses(told.text)]


def _has_rival(part: Statement, value: str, stated: Statement) -> bool:
    """Say whether a clause has another value of a kind in the place of one, which a statement leaves out."""
    rivals = {one for one in part.values if _kind(one) == _kind(value)}
    first = part.words[0] if _kind(value) == "name" and part.text[:1].isupper() else None
    rivals |= {first} if first else set()
    return value not in part.words and bool(rivals - set(stated.words))


def _plain(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _is_reversed(text: str, other: str) -> bool:
    """Say whether two sentences put the same things into another order."""
    mine, theirs = _ORDER.search(text), _ORDER.search(other)
    if mine is None or theirs is None:
        return False
    left, right = _sides(text, mine)
    first, second = _sides(other, theirs)
    straight, crossed = len(left & first) + len(right & second), len(left & second) + len(right & first)
    same = mine[1].casefold() == theirs[1].casefold()
    return crossed > straight if same else straight > crossed


def _sides(text: str, at: re.Match[str]) -> tuple[set[str], set[str]]:
    return set(statement_of(text[: at.start()]).words), set(statement_of(text[at.end() :]).words)


def supported(summary: Summary, evidence: Evidence) -> tuple[Summary, tuple[str, ...], int]:
    """Return a summary without what the turns do not say, what that was, and how much there was to check."""
    gone: list[str] = []
    checked = 0

    def kept(entries: Iterable[str], name: str = "") -> list[str]:
        nonlocal checked
        held: list[str] = []
        for one in entries:
            checked += 1
            why = evidence.why_not(one, is_deed=name == "done", is_question=name == "open_questions")
            held += [] if why else [one]
            gone.extend([f"{one} ({why})"] if why else [])
        return held

    lists = {name: tuple(kept(getattr(summary, name), name)) for name in Summary.model_fields if name != "text"}
    text = " ".join(kept(facts.sentences(summary.text)))
    return Summary(**lists, text=text), tuple(gone), checked
