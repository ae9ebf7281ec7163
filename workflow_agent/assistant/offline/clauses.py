"""From tokens to clauses: mood, verb, subject, object, and the parts behind prepositions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from workflow_agent.assistant.offline.lexicon import data_rows, entry_of, nearest, word_set
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import durations_in, times_at

Mood = Literal["order", "weighed", "negated", "wanted", "unneeded", "asked", "told"]
_SIGNIFICANT = word_set("clauses.significant")
"""Closed words that change what a sentence means, so that one unread must be told."""
MODALS = word_set("clauses.modals")


@dataclass(frozen=True, slots=True)
class Part:
    """What stands behind a preposition or another mark."""

    marker: str
    tokens: Tokens
    mark: Tokens
    """The words of the mark itself."""


@dataclass(slots=True)
class Clause:
    """One clause: what is to be done, or said, of what."""

    tokens: Tokens
    mood: Mood
    verbs: frozenset[str] = frozenset()
    """The classes its verb may be of, by the data file; empty for a verb of work or none."""
    verb: Token | None = None
    subject: Tokens = ()
    object: Tokens = ()
    parts: tuple[Part, ...] = ()
    used: set[int] = field(default_factory=set[int])
    """Where the tokens begin that belong to a part of what was understood."""

    def part(self, *markers: str) -> Part | None:
        """Return the first part behind one of these marks, or None."""
        return next((part for part in self.parts if part.marker in markers), None)

    def use(self, *pieces: Iterable[Token] | None) -> None:
        """Note that tokens are read."""
        self.used.update(token.start for piece in pieces if piece for token in piece)

    def use_part(self, part: Part | None) -> None:
        """Note that a part and its mark are read."""
        if part is not None:
            self.use(part.tokens, part.mark)

    def unread(self) -> list[Token]:
        """Return the words that belong to nothing understood and are not known to mean nothing."""
        return [token for token in self.tokens if token.start not in self.used and counts(token)]


def counts(token: Token) -> bool:
    """Say whether a word left over would be missed."""
    if token.lower in _SIGNIFICANT:
        return True
    return token.is_content and token.lemma not in noise() and token.lower not in noise()


@cache
def noise() -> frozenset[str]:
    """Return the words that mean nothing here."""
    return frozenset(word for row in data_rows("noise.tsv") for word in row[0].split())


@cache
def roles() -> frozenset[str]:
    """Return the words that name who does something."""
    return frozenset(word for row in data_rows("roles.tsv") for word in row[0].split())


def is_actor_word(token: Token) -> bool:
    """Say whether a word names somebody: a known role, or a noun for who does something ("translator")."""
    if token.lemma in roles() or token.lower in roles():
        return True
    noun = token.entry.noun or token.lower
    is_agent = len(noun) > 5 and noun.endswith(("er", "or", "ist", "eer", "holder", "man")) and noun not in _NO_ACTORS
    return token.kind == "word" and token.has("noun") and not token.has("aux") and is_agent


_NO_ACTORS = word_set("clauses.no_actors")


@cache
def phrases_of(name: str) -> Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Return the phrases of a data file with what they stand for, longest first, by their first word."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, listed in data_rows(name):
        for phrase in listed.split("|"):
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append((words, kind))
    return {word: tuple(sorted(listed, key=lambda one: -len(one[0]))) for word, listed in found.items()}


def phrase_at(tokens: Sequence[Token], at: int, name: str) -> tuple[int, list[str]]:
    """Return where the longest phrase of a data file that begins at a token ends, and what it may mean."""
    table = phrases_of(name)
    token = tokens[at]
    best, kinds = at, list[str]()
    for key in dict.fromkeys((token.lower, token.lemma, token.entry.verb or "")):
        for words, kind in table.get(key, ()):
            end = _matched(tokens, at, words)
            if end is not None and end > best:
                best, kinds = end, [kind]
            elif end is not None and end == best:
                kinds.append(kind)
    return best, kinds


def _matched(tokens: Sequence[Token], at: int, words: Sequence[str]) -> int | None:
    if at + len(words) > len(tokens):
        return None
    for token, word in zip(tokens[at:], words, strict=False):
        if token.kind not in ("word", "punct") or word not in (token.lower, token.lemma, token.entry.verb):
            return None
    return at + len(words)


def parted(tokens: Sequence[Token], mask: frozenset[int]) -> tuple[Tokens, tuple[Part, ...]]:
    """Return what stands in front of the first preposition, and the parts behind each.

    Args:
        tokens: Of a clause, behind its verb.
        mask: Where tokens begin that belong to a name.
    """
    heads: list[tuple[str, list[Token], list[Token]]] = [("", [], [])]
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end, kinds = (at, []) if token.start in mask else phrase_at(tokens, at, "markers.tsv")
        if not kinds and token.is_("first", "last") and at == len(tokens) - 1 and at and not tokens[at - 1].has("det"):
            end, kinds = at + 1, ["start" if token.is_("first") else "end"]
        if kinds and not _is_no_marker(tokens, at, end):
            how = (
                [heads[-1][1].pop()] if heads[-1][1] and heads[-1][1][-1].lower in _HOW and kinds[0] in _FRONTED else []
            )
            heads.append((kinds[0], [], [*how, *tokens[at:end]]))
            at = end
        elif token.text == "," and (
            (heads[-1][0] in _CUT and heads[-1][1]) or (at + 1 < len(tokens) and tokens[at + 1].is_("not", "instead"))
        ):
            heads.append(("tail", [], [token]))
            at += 1
        else:
            heads[-1][1].append(token)
            at += 1
    object_ = tuple(_trimmed(heads[0][1]))
    parts = tuple(Part(kind, tuple(_trimmed(inside)), tuple(mark)) for kind, inside, mark in heads[1:])
    return object_, _joined(parts)


_CUT = word_set("clauses.cut")
"""A comma ends what stands behind these."""
_ALONE = frozenset({"end", "start", "instead0", "parallel", "sequence"})


_HOW = word_set("clauses.how")
"""Words in front of a place that say no more than it does."""


def _is_no_marker(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Say whether words that look like a preposition are none here: "once a week", "hand over the cake"."""
    if tokens[at].is_("over", "under", "above", "below", "exceed", "up") and not any(
        t.kind == "number" or t.value for t in tokens[end : end + 3]
    ):
        return True
    return tokens[at].is_("once") and end < len(tokens) and tokens[end].is_("a", "every", "per", "more", "again")


def begins_with(tokens: Sequence[Token], *markers: str) -> bool:
    """Say whether a clause begins with one of these marks, behind its leads."""
    _, rest = stripped(tokens)
    return bool(rest) and bool(set(phrase_at(rest, 0, "markers.tsv")[1]) & set(markers))


def _trimmed(tokens: list[Token]) -> list[Token]:
    while tokens and tokens[-1].kind == "punct":
        tokens.pop()
    while tokens and tokens[0].kind == "punct":
        tokens.pop(0)
    return tokens


def _joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Give "of" back to what it belongs to: "after the end of the review" is one part."""
    whole: list[Part] = []
    for part in parts:
        if part.marker == "of" and whole and whole[-1].marker not in _ALONE and whole[-1].tokens:
            last = whole.pop()
            whole.append(Part(last.marker, (*last.tokens, *part.mark, *part.tokens), last.mark))
        else:
            whole.append(part)
    return tuple(whole)


def stripped(tokens: Sequence[Token]) -> tuple[Mood, Tokens]:
    """Return the mood that the words in front of a clause give it, and the clause without them."""
    rest = _without_punct(tokens)
    mood: Mood = "told"
    while rest:
        end, kinds = phrase_at(rest, 0, "leads.tsv")
        if not kinds:
            break
        kind = kinds[0]
        if kind == "order" and _begins_name(rest, end):
            break
        if kind != "order" and mood not in ("weighed", "negated"):
            mood = kind  # type: ignore[assignment]
        elif kind == "order" and mood == "told":
            mood = "order"
        rest = _without_punct(rest[end:])
        if kind in ("wanted", "unneeded"):
            break
    return mood, rest


def _begins_name(rest: Sequence[Token], end: int) -> bool:
    """Say whether "first", "next" or "now" is no lead but part of what follows: "first step"."""
    return (
        rest[0].is_("first", "next", "finally")
        and end == 1
        and (end >= len(rest) or rest[end].lemma in ("step", "task", "one"))
    )


def _without_punct(tokens: Sequence[Token]) -> Tokens:
    at = 0
    while at < len(tokens) and (tokens[at].kind in ("punct", "bullet") and tokens[at].text not in "<>"):
        at += 1
    end = len(tokens)
    while end > at and tokens[end - 1].kind == "punct":
        end -= 1
    return tuple(tokens[at:end])


def read_clause(tokens: Sequence[Token], mask: frozenset[int]) -> Clause:
    """Return a clause with its mood, verb and parts; a statement keeps what it is said of as its subject."""
    mood, rest = stripped(tokens)
    clause = Clause(tuple(tokens), mood)
    lead = len(_without_punct(tokens)) - len(rest)
    clause.use(_without_punct(tokens)[:lead])
    if not rest:
        return clause
    if mood == "wanted":
        return _wanted(clause, rest, mask)
    if mood == "told" and rest[0].is_("no", "without") and len(rest) > 1 and rest[1].text != ",":
        clause.use(rest[:1])
        mood, rest = "unneeded", rest[1:]
    if mood == "unneeded":
        gone = [t for t in rest if t.among("clauses.read_clause.any")]
        clause.use(gone)
        rest = tuple(t for t in rest if t not in gone)
        clause.mood, clause.verbs = "order", frozenset({"remove"})
        clause.object, clause.parts = parted(rest, mask)
        return clause
    if (front := _fronted(rest, mask)) is not None:
        inner = read_clause(front[1], mask)
        inner.tokens, inner.mood = clause.tokens, inner.mood if mood == "told" else mood
        inner.used |= clause.used
        inner.parts = (front[0], *inner.parts)
        return inner
    end, kinds = _verb_at(rest, mask)
    if kinds:
        clause.mood = "order" if mood in ("told", "order") else mood
        clause.verbs, clause.verb = frozenset(kinds), next(iter(rest))
        clause.use(rest[:end])
        clause.object, clause.parts = parted(rest[end:], mask)
        return clause
    return _statement(clause, rest, mask)


_FRONTED = word_set("clauses.fronted")


def _fronted(rest: Tokens, mask: frozenset[int]) -> tuple[Part, Tokens] | None:
    """Return the place or threshold that stands in front of a clause, and the clause behind it."""
    end, kinds = phrase_at(rest, 0, "markers.tsv")
    if not kinds or kinds[0] not in _FRONTED or rest[0].start in mask:
        return None
    comma = next((at for at, t in enumerate(rest) if t.text == "," and at >= end), None)
    if kinds[0] in _ALONE and comma is None:
        return Part(kinds[0], (), rest[:end]), rest[end:]
    if comma is not None:
        return Part(kinds[0], rest[end:comma], rest[:end]), rest[comma + 1 :]
    if kinds[0] == "from":
        at = next(
            (i for i in range(end + 1, len(rest)) if rest[i].is_("back", "go", "straight", "loop", "return")), None
        )
        return (Part("from", rest[end:at], rest[:end]), rest[at:]) if at is not None else None
    if kinds[0] in ("before", "after"):
        at = next(
            (
                i
                for i in range(end + 1, len(rest) - 1)
                if _opens_clause(rest, i, mask)
                or (rest[i].has("det") and any(t.is_content for t in rest[end:i]) and _begins_statement(rest, i, mask))
            ),
            None,
        )
        return (Part(kinds[0], rest[end:at], rest[:end]), rest[at:]) if at is not None else None
    number = next((at for at in range(end, min(end + 4, len(rest))) if rest[at].kind == "number"), None)
    if kinds[0] not in ("above", "below") or number is None:
        return None
    while number + 1 < len(rest) and rest[number + 1].among("clauses.fronted.euro"):
        number += 1
    return Part(kinds[0], rest[end : number + 1], rest[:end]), rest[number + 1 :]


_OPENERS = word_set("clauses.openers")


def _opens_clause(rest: Sequence[Token], at: int, mask: frozenset[int]) -> bool:
    """Say whether a clause begins at a token behind a place: "after deploying | wait 5 minutes"."""
    token, following = rest[at], rest[at + 1]
    if token.start in mask or token.lower not in _OPENERS or rest[at - 1].has("det") or rest[at - 1].is_("to"):
        return False
    return (
        following.has("det", "pron", "aux")
        or (following.is_("for") and token.is_("check"))
        or following.kind in ("number", "quoted")
        or token.is_("we", "somebody", "someone", "there", "wait")
    )


def _verb_at(rest: Sequence[Token], mask: frozenset[int]) -> tuple[int, list[str]]:
    """Return where an order's verb ends at the head of a clause, and its classes; none if it is no verb."""
    head = rest[0]
    if head.kind != "word" or head.start in mask:
        return 0, []
    end, kinds = phrase_at(rest, 0, "verbs.tsv")
    mended = nearest(head.lower, order_verbs()) if not kinds else None
    if mended is not None:
        found = phrases_of("verbs.tsv").get(mended, ())
        end, kinds = 1, [kind for words, kind in found if words == (mended,)]
    is_verb = "base" in head.entry.form or head.lower.endswith("ing") or head.entry.verb is None
    if not kinds or not (is_verb or mended):
        return 0, []
    following = rest[end] if end < len(rest) else None
    if head.lower.endswith("ing") and any(
        t.has("aux") and t.lower in word_set("clauses.verb_at.may") for t in rest[end:]
    ):
        return 0, []
    if following is not None and (
        following.is_("of", "should", "must", "shall") or following.lower in ("is", "are", "needs", "has")
    ):
        return 0, []
    return end, kinds


@cache
def order_verbs() -> frozenset[str]:
    """Return the verbs of orders that are one word."""
    return frozenset(words[0] for listed in phrases_of("verbs.tsv").values() for words, _ in listed if len(words) == 1)


def _wanted(clause: Clause, rest: Tokens, mask: frozenset[int]) -> Clause:
    """Read "we need a legal review before ..." and "I want legal to check it"."""
    if rest[0].is_("to"):
        inner = read_clause(rest[1:], mask)
        inner.used |= clause.used
        inner.tokens = clause.tokens
        inner.use(rest[:1])
        return inner
    at = next((i for i, t in enumerate(rest) if t.is_("to") and t.start not in mask and i + 1 < len(rest)), None)
    told = at is not None and (
        (rest[at + 1].entry.verb is not None and "base" in rest[at + 1].entry.form) or rest[at + 1].is_("be")
    )
    if at is not None and told and _is_actor(rest[:at]):
        return _predicate(clause, rest[:at], rest[at + 1 :], mask)
    clause.mood, clause.verbs, clause.verb = "order", frozenset({"add", "wanted"}), rest[0]
    clause.object, clause.parts = parted(rest, mask)
    return clause


def _is_actor(tokens: Sequence[Token]) -> bool:
    return 0 < len([t for t in tokens if t.is_content]) <= 4


def _statement(clause: Clause, rest: Tokens, mask: frozenset[int]) -> Clause:
    """Read "the review should come after signing", "finance must check it", "legal approves before ..."."""
    for at, token in enumerate(rest):
        if (
            at
            and token.start not in mask
            and set(phrase_at(rest, at, "markers.tsv")[1]) & {"if", "unless", "until", "before", "after", "because"}
        ):
            break
        if at and token.start not in mask and token.kind == "word" and token.lemma in MODALS and _is_finite(rest, at):
            return _predicate(clause, rest[:at], rest[at:], mask)
    for at, token in enumerate(rest):
        is_verb = at and token.start not in mask and token.entry.verb and token.entry.form in ("s", "base")
        if is_verb and _has_role(rest[:at]) and not token.has("noun") | _is_plural_verb(rest, at):
            return _predicate(clause, rest[:at], rest[at:], mask)
    for at in range(1, min(len(rest), 7)):
        token = rest[at]
        if token.start in mask or token.kind != "word" or not token.entry.verb or token.entry.form not in ("s", "base"):
            continue
        named = all(t.start in mask or not t.is_content for t in rest[:at])
        if (token.entry.form == "s" and (_has_role(rest[:at]) or named)) or (
            token.entry.verb in _STATES and at > 0 and not token.has("aux")
        ):
            return _predicate(clause, rest[:at], rest[at:], mask)
    clause.object, clause.parts = parted(rest, mask)
    return clause


_STATES = word_set("clauses.states")
"""Verbs that say something of a step, whatever its name."""


def _is_plural_verb(rest: Sequence[Token], at: int) -> bool:
    return rest[at].entry.form == "base" and not rest[at - 1].lower.endswith("s")


def _is_finite(rest: Sequence[Token], at: int) -> bool:
    token = rest[at]
    if token.lemma in ("need", "have"):
        return token.lower in ("needs", "need", "has", "have") and at + 1 < len(rest)
    return token.lower not in ("be", "been", "being")


def _has_role(tokens: Sequence[Token]) -> bool:
    """Say whether words name who does something, with nothing else but articles and adverbs."""
    content = [token for token in tokens if token.is_content]
    if not content:
        return (
            any(token.is_("somebody", "someone", "we", "they", "you", "anybody") for token in tokens)
            and len(tokens) <= 2
        )
    return len(content) <= 4 and is_actor_word(content[-1])


_FILL = (
    "also",
    "now",
    "then",
    "always",
    "just",
    "only",
    "first",
    "additionally",
    "still",
    "really",
    "actually",
    "instead",
    "rather",
    "all",
    "please",
)


def _predicate(clause: Clause, subject: Tokens, rest: Tokens, mask: frozenset[int]) -> Clause:
    """Read a subject and what is said of it, the modal verb taken off."""
    at = 0
    negated = False
    while at < len(rest):
        token = rest[at]
        is_modal = token.lower in word_set("clauses.predicate.should")
        if token.is_("not", "never") or (token.is_("longer") and at and rest[at - 1].is_("no")):
            negated = True
        elif token.is_("no") and at + 1 < len(rest) and rest[at + 1].is_("longer"):
            pass
        elif is_modal and (
            token.lower in word_set("clauses.predicate.should2") or (at + 1 < len(rest) and rest[at + 1].is_("to"))
        ):
            clause.mood = "order" if clause.mood in ("told", "wanted") else clause.mood
        elif token.lower not in _FILL:
            break
        clause.use((token,))
        at += 1
    if negated:
        clause.mood = "negated" if clause.mood != "weighed" else clause.mood
    clause.subject = tuple(_without_punct(subject))
    while clause.subject and clause.subject[-1].lower in _FILL:
        clause.use(clause.subject[-1:])
        clause.subject = clause.subject[:-1]
    rest = rest[at:]
    if clause.mood == "wanted":
        clause.mood = "order"
    if not rest:
        return clause
    if rest[0].lemma == "be":
        clause.use(rest[:1])
        rest = rest[1:]
        while rest and rest[0].lower in (*_FILL, "not"):
            if rest[0].is_("not"):
                clause.mood = "negated"
            clause.use(rest[:1])
            rest = rest[1:]
        return _passive(clause, rest, mask)
    clause.verb = rest[0] if rest[0].entry.verb else None
    head = entry_of(rest[0].entry.verb) if rest[0].entry.verb else None
    end, kinds = phrase_at(rest, 0, "verbs.tsv")
    clause.verbs = frozenset({*kinds, "does"}) if head is not None else frozenset()
    if rest[0].entry.verb in word_set("clauses.predicate.come"):
        clause.verbs |= {"come"}
    clause.object, clause.parts = parted(rest[max(end, 1) :] if kinds else rest[1:], mask)
    clause.use(rest[: max(end, 1)])
    return clause


def _passive(clause: Clause, rest: Tokens, mask: frozenset[int]) -> Clause:
    """Read what stands behind a form of "be": a participle of an order, a place, a quality."""
    if not rest:
        return clause
    end, kinds = phrase_at(rest, 0, "verbs.tsv")
    is_participle = rest[0].entry.form in ("ed", "base ed") and rest[0].entry.verb
    if kinds and is_participle:
        clause.verbs, clause.verb = frozenset({*kinds, "passive"}), rest[0]
        clause.use(rest[:end])
        clause.object, clause.parts = parted(rest[end:], mask)
        return clause
    clause.verbs = frozenset({"be"})
    if is_participle:
        clause.verb = rest[0]
    clause.object, clause.parts = parted(rest, mask)
    return clause


def split_clauses(sentence: Sequence[Token], mask: frozenset[int]) -> list[Tokens]:
    """Return the clauses of a sentence that are orders of their own: "add x and then remove y"."""
    parts: list[list[Token]] = [[]]
    for at, token in enumerate(sentence):
        if at and _is_fronted_condition(parts[-1]) and token.text == "," and not any(t.text == "," for t in parts[-1]):
            parts[-1].append(token)
            continue
        joins = token.start not in mask and (
            token.is_("and", "then", "but", "plus", "please") or token.text in (",", ";")
        )
        if joins and parts[-1] and not _is_fronted_condition(parts[-1]) and _begins_statement(sentence, at + 1, mask):
            parts.append([])
            continue
        if joins and token.is_("and", ",") and (prefix := _gapped(parts[-1], sentence, at, mask)):
            parts.append(list(prefix))
            continue
        if joins and parts[-1] and _lists_values(parts[-1], sentence[at + 1 :]):
            parts.append([])
            continue
        if (
            joins
            and parts[-1]
            and _begins_order(sentence, at + 1, mask)
            and any(t.entry.verb or t.start in mask for t in parts[-1])
        ):
            parts.append([])
            continue
        parts[-1].append(token)
    return [tuple(part) for part in parts if any(token.kind != "punct" for token in part)]


def _begins_statement(sentence: Sequence[Token], at: int, mask: frozenset[int]) -> bool:
    """Say whether a statement begins: ", it should take 1 day", "and the manager takes the orders"."""
    while at < len(sentence) and (
        sentence[at].is_("and", "also", "then") or (sentence[at].has("det") and not sentence[at].is_("that", "this"))
    ):
        at += 1
    rest = sentence[at : at + 6]
    if len(rest) < 2 or rest[0].start in mask:
        return False
    if rest[0].among("clauses.begins_statement.it"):
        return (
            rest[1].lemma in MODALS
            or rest[1].entry.form == "s"
            or (rest[0].is_("nobody", "i") and bool(rest[1].entry.verb))
        )
    for size in (1, 2, 3):
        if (
            size < len(rest)
            and rest[size].start not in mask
            and is_actor_word(rest[size - 1])
            and rest[size].kind == "word"
        ):
            verb = rest[size]
            if (verb.entry.form == "s" and verb.entry.verb) or verb.lower in word_set(
                "clauses.begins_statement.should"
            ):
                return True
    return False


def _gapped(part: Sequence[Token], sentence: Sequence[Token], at: int, mask: frozenset[int]) -> Sequence[Token]:
    """Return the verb that a second object shares, if any: "add "x" before a and "y" after b"."""
    following = at + 1
    if following >= len(sentence) or sentence[following].kind != "quoted" or not part:
        return ()
    places = {"before", "after", "start", "end"}
    behind = any(
        set(phrase_at(sentence, i, "markers.tsv")[1]) & places
        for i in range(following + 1, min(following + 4, len(sentence)))
    )
    earlier = any(
        t.start not in mask and set(phrase_at(part, i, "markers.tsv")[1]) & places for i, t in enumerate(part)
    )
    _, rest = stripped(part)
    end, kinds = _verb_at(rest, mask) if rest else (0, [])
    return rest[:end] if kinds and behind and earlier else ()


def _lists_values(part: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Say whether two values stand side by side, each of its own: "design: 5 days, hand over: 2 days"."""

    def has_value(tokens: Sequence[Token]) -> bool:
        return bool(durations_in(tokens)) or any(times_at(tokens, i) for i in range(len(tokens)))

    _, bare = stripped(part)
    head = list(rest)
    cut = next((i for i, t in enumerate(head) if t.text == ","), len(head))
    named = any(t.is_content and t.value is None and t.entry.noun for t in head[:cut])
    return (
        bool(bare)
        and not _verb_at(bare, frozenset())[1]
        and has_value(part)
        and has_value(head[:cut])
        and named
        and not any(t.is_("apart", "every") for t in head[:cut])
    )


def _is_fronted_condition(tokens: Sequence[Token]) -> bool:
    """Say whether a clause begins with a condition or a place, which the order behind it belongs to."""
    start = _without_punct(tokens[:8])
    while start and start[0].among("clauses.is_fronted_condition.and"):
        start = start[1:]
    if not start:
        return False
    _, kinds = phrase_at(start, 0, "markers.tsv")
    return bool(kinds) and kinds[0] in (*_FRONTED, "if", "unless", "until")


def _begins_order(sentence: Sequence[Token], at: int, mask: frozenset[int]) -> bool:
    while at < len(sentence) and sentence[at].among("clauses.begins_order.and"):
        at += 1
    if at >= len(sentence) or sentence[at].start in mask:
        return False
    head = sentence[at]
    if head.is_("do", "don't", "never") and at + 1 < len(sentence) and sentence[at + 1].is_("not"):
        return True
    following = sentence[at + 1] if at + 1 < len(sentence) else None
    names = word_set("clauses.begins_order.add")
    if head.lower not in names or head.kind != "word":
        return False
    if following is None:
        return head.lower in ("undo", "export")
    if head.lower in ("review", "approve"):
        return False
    return (
        following.kind in ("quoted", "number")
        or following.has("det", "pron", "prep", "noun", "adj", "name", "part", "verb")
        or following.is_("it", "us")
    )
