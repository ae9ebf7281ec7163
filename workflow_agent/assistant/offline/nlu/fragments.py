"""Messages that say only what is other than before: "no, 3 days", "before that", "not the clerk, the nurse"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from workflow_agent.assistant.offline.clauses import is_actor_word, read_head
from workflow_agent.assistant.offline.lexicon import is_near, word_set
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, text_of
from workflow_agent.assistant.offline.values import duration_at, durations_in

_MOST_TOKENS = 24
_JUDGING = ("be", "sound", "seem", "look")
_DENIES = ("not", "never", "instead", "than")
_UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_PLACES = ("before", "after", "behind", "front", "ahead", "between")

Kind = Literal["length", "number", "amount", "attempts", "place", "name", "words", "next"]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One value of a message that leaves the rest out."""

    kind: Kind
    value: Any = None
    """A length in ISO 8601, a number, a name, or "before", "after" and "between" of a place; what is next."""
    words: Tokens = ()
    """What names a step or somebody; of a place where it is, none where the one of before is meant; who does what is
    next."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a message says: its values, and how it goes on from what was said before."""

    fragments: tuple[Fragment, ...]
    corrects: bool
    """Whether it says that something was wrong: "no", "sorry", "I meant"."""
    repeats: bool
    """Whether it says the same of something else: "too", "same for"."""
    joins: bool
    """Whether it begins as what goes on: "and"."""
    names: bool
    """Whether it gives a name: "call it"."""
    does: bool = False
    """Whether it tells who does something: "the nurse does it"."""
    wants: bool = False
    """Whether it asks for something to be done, or to be otherwise: "make that", "better"."""
    doubtful: bool = False
    """Whether it is only weighed, or may be told of something else: "maybe 3", "I have 10 minutes"."""
    reasons: tuple[str, ...] = ()
    """What it tells beside them: "that is too short"."""

    @property
    def names_something(self) -> bool:
        """Whether one of its values is a step or somebody."""
        return any(one.kind == "words" for one in self.fragments)


def said_in(text: str) -> Said | None:
    """Return what a message says that leaves the rest out; None where it says more than that, or asks."""
    tokens: Tokens = tuple(t for t in read_tokens(text) if not t.is_("second") or "second thought" not in text.lower())
    if not tokens or len(tokens) > _MOST_TOKENS or ("?" in text and not _asks_politely(tokens)):
        return None
    if (remark := _told_of_before(tokens, text)) is not None:
        return remark
    if (following := _following(tokens, text)) is not None:
        # "Then the coffee" may be no work.
        is_plain = following.words or any(t.kind == "quoted" or t.is_("follow") for t in tokens)
        return Said((following,), corrects=False, repeats=False, joins=True, names=False, doubtful=not is_plain)
    is_idiom = tokens[0].is_("call", "name") and any(t.is_("a", "an") for t in tokens[2:3])
    if _is_asked(tokens) or _is_relative(tokens) or is_idiom:
        return None
    if _is_denied(tokens):
        return _told_alone(text)
    parts = [(denied, part, None if _is_too_much(part) else _fragments(part)) for denied, part in _parts(tokens)]
    if any(found is None and not (_is_too_much(part) or _tells_of_value(part)) for _, part, found in parts):
        return None
    reasons = [text_of(part, text) for _, part, found in parts if found is None]
    # Of "3, not 5" the 5 is what was wrong.
    fragments = [one for denied, _, found in parts if not denied for one in found or ()]
    judges = bool(reasons) and all(_is_remark(part) for _, part, _ in parts)
    # "Not 4 days" says what it should not be; "not the clerk" may take one off.
    refused = [one.kind for denied, _, found in parts if denied for one in found or ()]
    denies = all(denied or not _bare(part) for denied, part, _ in parts) and (
        tokens[0].is_("instead") or any(kind not in ("words", "name") for kind in refused)
    )
    if not fragments and (judges or denies):
        return _told_alone(text)
    if not fragments or len({one.kind for one in fragments}) < len(fragments):
        return None
    if any(t.text == "%" for t in tokens):
        fragments = [replace(one, kind="amount") if one.kind == "number" else one for one in fragments]
    corrects = any(t.among("correcting.wrong") for t in tokens)
    repeats = any(t.among("correcting.also") or (t.is_("well") and t is not tokens[0]) for t in tokens)
    joins = tokens[0].is_("and", "&", "plus")
    # "We call that a success" and "call it a day" give no name.
    names = any(one.is_("call", "name") and other.lower in PRONOUNS for one, other in pairwise(tokens)) and not any(
        t.is_("we", "they", "people", "a", "an") for t in tokens
    )
    # "She hands over the keys as well" and "and hand over the keys" name a step by its verb.
    may_act = names or joins or (repeats and any(t.is_("he", "she", "they") for t in tokens))
    for words in (one.words for one in fragments if one.kind == "words"):
        goes_on = corrects or repeats or joins or names or _may_be_somebody(words)
        if not goes_on or (_orders(words) and not may_act):
            # "Delete it" and "version history" stand by themselves.
            return None
    return Said(
        tuple(fragments),
        corrects,
        repeats,
        joins,
        names,
        does=any(t.is_("do", "handle") for t in tokens),
        wants=any(t.among("correcting.wanted") for t in tokens),
        doubtful=_is_doubtful(tokens, fragments),
        reasons=tuple(reasons),
    )


def _told_of_before(tokens: Tokens, text: str) -> Said | None:
    """Return what is told of what was, and no order: "that took 3 hours", "that makes 2 changes"."""
    was = any(t.lower in word_set("correcting.past") for t in tokens) and not any(
        t.is_("mean", "wrong") for t in tokens
    )
    beside = [t for t in tokens if not (_is_around(t) or t.value is not None or t.is_(*_PLACES, *_UNITS))]
    if was and any(t.value is not None for t in tokens) and not any(t.is_content for t in beside):
        # "Before that it was 1 day".
        return _told_alone(text)
    rest = tuple(t for t in tokens if t.lower not in word_set("correcting.tells"))
    if len(rest) == len(tokens) or not rest or any(t.is_("i", "we") for t in rest):
        return None
    found = _fragments(tuple(t for t in rest if t.kind not in ("punct", "break"))) or ()
    if not any(one.kind in ("length", "number", "attempts") for one in found):
        return None
    return _told_alone(text)


def _told_alone(text: str) -> Said:
    return Said((), corrects=False, repeats=False, joins=False, names=False, reasons=(text.strip(),))


def _is_denied(tokens: Tokens) -> bool:
    """Say whether what is said before a "not" is denied by it: "the clerk should not do it", "3 days, not"."""
    denying = [t.is_("not", "never") and t.kind == "word" for t in tokens]
    if not any(denying):
        return False
    parts = tuple(_parts(tokens))
    behind = any(denied and not (_bare(part) or part[0].is_("there", "here")) for denied, part in parts)
    return (behind or denying[-1]) and len(parts) < 3 and any(not denied and _bare(part) for denied, part in parts)


def _is_asked(tokens: Tokens) -> bool:
    """Say whether a message asks without a mark for it: "is 3 days better", "can it be 20 days"."""
    asks = tokens[0].has("aux") and tokens[0].lower not in ("do", "have", "let", "be")
    return asks and not any(t.is_("you") for t in tokens[1:2])


def _is_relative(tokens: Tokens) -> bool:
    """Say whether an amount is told by another: "1 day more", "half of that", and not "two would be more sensible"."""
    for one, other in pairwise(tokens):
        counted = one.value is not None or one.is_(*_UNITS, "time", "attempt", "one")
        if (counted and other.is_("more", "less", "fewer", "extra")) or (one.is_("half") and other.is_("of", "that")):
            return True
    return any(t.is_("another", "double", "twice", "longer", "shorter", "least") for t in tokens)


def _following(tokens: Tokens, text: str) -> Fragment | None:
    """Return the work that a message puts next: "then "Take a photo"", "followed by a call, done by the clerk"."""
    at = 1 if tokens[0].is_("and", "&", "plus", "so") else 0
    lead = [t.lower for t in tokens[at : at + 2]]
    follows = [t.lemma for t in tokens[at : at + 2]] == ["follow", "by"]
    is_said = follows or lead in (["after", "that"], ["after", "this"])
    if not is_said and lead[:1] not in (["then"], ["next"], ["afterwards"]):
        return None
    parts = [part for _, part in _parts(tokens[at + 1 + is_said :])]
    if not parts or len(parts) > 2 or (len(parts) > 1 and not parts[1][0].is_("do", "by")):
        return None
    work = parts[0]
    says = any(t.is_content and t.lemma not in (*FRAME_WORDS, "end", "next") for t in work)
    tells = any(t.has("aux", "pron", "neg", "wh") or t.value is not None or t.among("correcting.also") for t in work)
    is_named = work[0].kind == "quoted" or work[0].has("det") or (is_said and bool(read_head(work).verbs))
    if not says or tells or not is_named or work[0].among("correcting.orders"):
        return None
    name = work[1:] if work[0].has("det") else work
    if not name:
        return None
    called = name[0].text if name[0].kind == "quoted" else text_of(name, text)
    return Fragment("next", called, _bare(parts[1]) if len(parts) > 1 else ())


def _is_too_much(part: Tokens) -> bool:
    """Say whether part of a message tells what is wrong with a value: "that is too short"."""
    pairs = pairwise(part)
    return any(one.is_("too") and (other.has("adj", "adv") or other.is_("many", "much")) for one, other in pairs)


def _tells_of_value(part: Tokens) -> bool:
    """Say whether part of a message tells something of a value: "three is tight after a night shift"."""
    return part[0].value is not None and any(t.has("aux") for t in part[1:3])


def _is_doubtful(tokens: Tokens, fragments: Sequence[Fragment]) -> bool:
    """Say whether a message weighs a value, or may tell of who speaks: "maybe 3 days", "I need 5 minutes".

    Who says that something was wrong tells that of himself too: "I am sorry, I had the review in mind".
    """
    named = {token.start for one in fragments for token in one.words}
    said = tuple(t for t in tokens if t.start not in named)
    own = any(
        (one.is_("give") and other.is_("me")) or (one.is_("me") and other.is_("think")) for one, other in pairwise(said)
    )
    wants = any(t.is_("make", "set", "give", "let", "change", "please", "should") for t in said)
    polite = ("could", "can", "would", "will") if _asks_politely(tokens) else ()
    corrects = any(t.among("correcting.surely") for t in said)
    weighs = any(t.among("correcting.perhaps") and not corrects and t.lower not in polite for t in said)
    judges = any(t.among("correcting.judging") for t in said) or any(t.is_("about") for t in tokens)
    also = any(t.among("correcting.also") for t in said)
    # "The report is good too", "the clerk will be happy", "hm, the clerk" say less than that it is so.
    bare = not corrects and not any(t.is_("no", "not", "nope", "actually", "better") for t in said)
    told = any(t.is_("will", "tell") or (also and t.is_("keep", "good", "fine", "nice", "great")) for t in said)
    weak = bool(named) and bare and (told or any(t.is_("wait", "hm", "hmm", "oh", "ah", "oops") for t in said))
    thought = any(one.is_("i", "we") and other.lower == "thought" for one, other in pairwise(said))
    return own or weighs or judges or weak or thought or (thanks(said) and not wants)


def _is_remark(part: Tokens) -> bool:
    """Say whether part of a message only judges a value: "2 days is a lot", "that is too long"."""
    judged = [at for at, t in enumerate(part) if t.has("aux")]
    if not judged or not (part[0].value is not None or part[0].lower in PRONOUNS):
        return False
    rest = part[judged[0] + 1 :]
    return all(t.has("adj", "adv", "det", "aux") or t.is_("lot", "many", "much") for t in rest)


def _asks_politely(tokens: Tokens) -> bool:
    """Say whether a question asks for something to be done: "could you make that 3 days?"."""
    return any(one.is_("could", "can", "would", "will") and other.is_("you") for one, other in pairwise(tokens))


def _orders(words: Tokens) -> bool:
    """Say whether words begin as an order: "send it", and not "sending it"."""
    return "ing" not in words[0].entry.form.split() and bool(read_head(words).verbs)


def acts(words: Tokens) -> bool:
    """Say whether one of some words can be nothing but a verb."""
    return any(t.has("verb") and not t.has("noun", "adj") for t in words)


def thanks(words: Tokens) -> bool:
    """Say whether one of some words thanks."""
    return any(t.is_("thanks", "thank", "thx", "cheers") for t in words)


def _may_be_somebody(words: Tokens) -> bool:
    if acts(words):
        # "The head of permits knows".
        return False
    return any(is_actor_word(t) for t in words) or all(t.text[:1].isupper() and not t.entry.known for t in words)


def _parts(tokens: Tokens) -> Iterator[tuple[bool, Tokens]]:
    """Yield what marks part of a message, and whether it is denied: "not 3 but 5", "X instead of Y"."""
    part: list[Token] = []
    denied = False
    for token in tokens:
        ends = token.kind in ("punct", "break", "bullet") and token.text not in ("-", "%", "/", "#", "&")
        denies = token.is_(*_DENIES) and token.kind == "word"
        # Of "not there, between X and Y" only the first is denied, also without a comma.
        placed = denied and token.is_(*_PLACES) and part and all(t.is_("there", "here") for t in part)
        if ends or denies or placed or token.is_("but"):
            if part:
                yield denied, tuple(part)
            part, denied = [token] if placed else [], denies
        else:
            part.append(token)
    if part:
        yield denied, tuple(part)


def _bare(part: Tokens) -> Tokens:
    """Return words without those that people put around a value: "make that", "I meant", "it is for", "is safer"."""
    kept = list(_begun(part))
    while kept and (_is_around(kept[-1]) or _is_praised(kept)):
        del kept[-1]
    return tuple(kept)


def _begun(part: Tokens) -> Tokens:
    """Return words without those that people put in front of a value."""
    at = 0
    while at < len(part) and _is_around(part[at]) and duration_at(part, at) is None and not _counts_attempts(part[at:]):
        at += 1
    return part[at:]


def _counts_attempts(words: Tokens) -> bool:
    return words[0].value is not None and any(t.among("correcting.attempts") for t in words[1:2])


def _is_praised(words: list[Token]) -> bool:
    """Say whether words end in what is said for a value: "is more sensible", "a nicer (name)"."""
    if len(words) > 3 and words[-2].is_("more", "much", "far") and words[-3].is_(*_JUDGING):
        return True
    led = len(words) > 2 and words[-2].is_(*_JUDGING, "a", "an")
    return led and words[-1].has("adj") and not words[-1].has("noun")


def _is_around(token: Token) -> bool:
    if token.kind != "word" or token.among("correcting.around"):
        return token.kind in ("word", "punct")
    is_mistyped = not token.entry.known and token.value is None
    return is_mistyped and is_near(token.lower, word_set("correcting.around"))


def _fragments(part: Tokens) -> list[Fragment] | None:
    """Return the values of part of a message, one or two joined by "and"; None where it says something else."""
    if (place := _place(_begun(part))) is not None:
        return [place]
    words = _bare(part)
    if not words:
        return []
    if (only := _fragment(words)) is not None:
        return [only]
    joint = next((at for at, t in enumerate(words) if t.is_("and", "&")), 0)
    both = [_fragment(one) for one in (_bare(words[:joint]), _bare(words[joint:])) if one]
    found = [one for one in both if one is not None]
    return found if len(found) == 2 else None


def _fragment(words: Tokens) -> Fragment | None:
    """Return the one value that words are, with nothing beside it."""
    first, rest = words[0], words[1:]
    if len(words) == 1 and first.kind == "quoted":
        return Fragment("name", first.text)
    if lengths := durations_in(words):
        at, found = lengths[0]
        alone = len(lengths) == 1 and not _bare((*words[:at], *words[found.end :]))
        return Fragment("length", found.value) if alone else None
    counts = first.value is not None and not first.is_("first", "second", "third")
    if counts and all(t.among("correcting.counted") or t.kind == "punct" for t in rest):
        tries = any(t.among("correcting.attempts") for t in rest)
        amount = any(t.is_("percent", "euro", "dollar", "pound", "franc") for t in rest)
        return Fragment("attempts" if tries else "amount" if amount else "number", first.value)
    is_named = not any(t.has("aux", "pron", "neg", "wh") or t.kind == "number" for t in words)
    return Fragment("words", words=words) if is_named and any(t.is_content for t in words) else None


def _place(words: Tokens) -> Fragment | None:
    """Return "before" and "after", with the words for where that is."""
    at = 1 if len(words) > 1 and words[0].is_("right", "directly", "straight", "in") else 0
    if not words or not words[at].is_(*_PLACES):
        return None
    side = "between" if words[at].is_("between") else "after" if words[at].is_("after", "behind") else "before"
    rest = words[at + 1 :]
    while rest and (rest[-1].among("correcting.wrong") or rest[-1].is_("please", "then", "now")):
        rest = rest[:-1]
    if _bare(rest):
        return Fragment("place", side, rest)
    # "Before it" is before the step that it was put after; "before I go" is no place.
    is_it = all(t.lower in PRONOUNS or t.is_("one", "instead", "there", "rather", "better", "thanks") for t in rest)
    return Fragment("place", side) if is_it else None
