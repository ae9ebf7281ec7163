"""Orders that set values, read by slots: which step, which field, which value, what it was before.

A sentence is cut into pieces at its commas and "and"s. In each piece, the values (a length of time, a
count, who does it) and the words that name a field are taken out; what is left must name the step, wholly.
A piece without a step speaks of the one before, and steps without a value share the next one. Nothing is
set unless every word has its place; a sentence that does not come out so is left to the other readers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workflow_agent.assistant.offline.clauses import counts, is_actor_word, phrase_at, stripped
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import duration_at, times_at
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.steps import Step

_PARTS = frozenset({",", ";", ":", "->", "=", "(", ")", "&", "+", "."})
_JOINS = frozenset({"and", "but", "then", "plus"})
_CARRIERS = word_set("slots.carriers")
_DOING = word_set("slots.doing")
_NO_ROLE = word_set("slots.no_role")
_NO_NAME = word_set("slots.no_name")
"""Words that say more than which step: a place, a condition, a denial."""
_LESS = word_set("slots.less")
_MORE = frozenset({"more", "by", "another", "additional", "extra", "further", "less", "fewer", "longer", "shorter"})
_BEHIND = word_set("plan.behind")
_BACKOFF = {"exp": "exponential", "lin": "linear", "fix": "fixed", "con": "fixed"}
_MOST_WORDS = 12


@dataclass(slots=True)
class Item:
    """Some tokens of a piece, and what they stand for: a word, a value, or a phrase of the data file."""

    kind: str
    tokens: Tokens
    value: str | float | None = None


@dataclass(slots=True)
class Piece:
    """What one piece of a sentence says."""

    items: list[Item]
    words: list[Token] = field(default_factory=list[Token])
    """What is left to name a step."""
    lengths: list[Item] = field(default_factory=list[Item])
    counts: list[int] = field(default_factory=list[int])
    bare: list[Token] = field(default_factory=list[Token])
    """Numbers that do not say of what they are."""
    fields: list[str] = field(default_factory=list[str])
    role: Tokens = ()
    clears: bool = False
    removes: bool = False
    """Whether it takes away whole steps, where it names no field."""
    is_change: bool = False
    """Whether a value is a difference from the one there is: "by a day", "two more attempts"."""
    backoff: str = ""
    is_interval: bool = False
    """Whether its length of time lies between two attempts."""
    old: list[Token] = field(default_factory=list[Token])
    """What a value is to be instead of."""

    @property
    def has_value(self) -> bool:
        """Say whether the piece sets or takes away something."""
        values = self.lengths or self.counts or self.bare or self.role or self.backoff
        return bool(values or self.fields or self.clears)


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of a step and its new value; None takes it away."""

    step: Step
    field: str
    value: "Value"


Value = str | int | JsonObject | None
"""A length of time or a name, a number of attempts, how it is tried again, or nothing any more."""


def read_settings(plan: Plan, tokens: Sequence[Token], mask: frozenset[int], *, about_last: bool = False) -> bool:
    """Make the edits of a sentence that sets values, if it does so wholly; say whether.

    Raises:
        StepUnclear: The sentence is wholly read, but its words may mean several steps.
    """
    mood, rest = stripped(with_names(plan, tuple(tokens), mask))
    if mood in ("weighed", "negated") or not rest:
        return False
    pieces = [_read_piece(plan, piece) for piece in cut_pieces(rest, mask)]
    if not pieces or any(piece is None for piece in pieces):
        return False
    if mood == "unneeded" and pieces[0] is not None:
        pieces[0].clears = pieces[0].removes = True
    try:
        about = plan.workflow.step(plan.steps.last or "") if about_last else None
        settings, unread = _settings(plan, [piece for piece in pieces if piece is not None], about)
    except NotRead:
        return False
    if not settings:
        return False
    edits = [edit for one in settings for edit in _edits(one)]
    before = len(plan.edits)
    try:
        plan.do(*edits)
    except NotRead:
        del plan.edits[before:]
        return False
    plan.steps.last = settings[-1].step.id
    plan.unread += unread
    return True


def cut_pieces(tokens: Sequence[Token], mask: frozenset[int]) -> Iterator[Tokens]:
    """Yield the pieces of a sentence between its commas, colons, arrows and "and"s, without those."""
    piece: list[Token] = []
    for token in tokens:
        is_cut = token.start not in mask and ((token.kind == "punct" and token.text in _PARTS) or token.lower in _JOINS)
        if is_cut and token.lower == "and" and piece and duration_at(tokens, tokens.index(token) + 1):
            is_cut = not any(duration_at(piece, at) for at in range(len(piece))) or len(piece) > 4
        if is_cut:
            if piece:
                yield tuple(piece)
            piece = []
        elif token.kind not in ("bullet", "break") and not (token.kind == "punct" and token.text in ".!?\"'"):
            piece.append(token)
    if piece:
        yield tuple(piece)


def with_names(plan: Plan, tokens: Tokens, mask: frozenset[int]) -> Tokens:
    """Return tokens with each full name of a step as one, as if it stood between quotes."""
    names = sorted(
        ((tuple(t.lower for t in read_tokens(one.name)), one.name) for one in plan.workflow.steps),
        key=lambda one: -len(one[0]),
    )
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        lowers = tuple(t.lower for t in tokens[at : at + len(names[0][0])])
        known = token.start in mask and next(
            ((words, name) for words, name in names if len(words) > 1 and lowers[: len(words)] == words), None
        )
        if known:
            end = at + len(known[0])
            name = known[1]
            found.append(Token(name, "quoted", token.start, tokens[end - 1].end, entry_of(name.lower())))
            at = end
        else:
            found.append(token)
            at += 1
    return tuple(found)


def _known_roles(plan: Plan) -> frozenset[tuple[str, ...]]:
    """Return who does or gets steps already, in words."""
    said = {one for step in plan.workflow.steps for one in (step.assignee, step.escalate_to) if one}
    return frozenset(tuple(one.lower().replace("_", " ").replace("-", " ").split()) for one in said)


def _items(tokens: Tokens, known_roles: frozenset[tuple[str, ...]]) -> list[Item]:
    found: list[Item] = []
    at = 0
    lowers = tuple(t.lower for t in tokens)
    while at < len(tokens):
        token = tokens[at]
        role = max((len(one) for one in known_roles if len(one) > 1 and lowers[at : at + len(one)] == one), default=0)
        if token.kind == "quoted":
            found.append(Item("word", (token,)))
            at += 1
        elif role:
            found.append(Item("word", tokens[at : at + role]))
            at += role
        elif (length := duration_at(tokens, at)) is not None:
            found.append(Item("length", tokens[at : length.end], length.value))
            at = length.end
        elif (times := times_at(tokens, at)) is not None:
            found.append(Item("times", tokens[at : times.end], times.value))
            at = times.end
        else:
            end, kinds = phrase_at(tokens, at, "slots.tsv")
            kind = kinds[0] if kinds else "word"
            if not kinds and token.value is not None and not token.is_("one", "first", "both", "single"):
                kind = "number"
            if kind == "owner" and end == at + 1 and any(t.is_("by", "to", "let") for t in tokens[max(at - 3, 0) : at]):
                # A person: "done by the owner".
                kind = "word"
            end = end if kinds else at + 1
            found.append(Item(kind, tokens[at:end], token.value))
            at = end
    return found


def _read_piece(plan: Plan, tokens: Tokens) -> Piece | None:
    """Return what a piece says; None where it says too much for a setting of values."""
    items = _items(tokens, _known_roles(plan))
    if sum(item.kind == "word" and counts(item.tokens[0]) for item in items) > _MOST_WORDS:
        return None
    piece = Piece(items)
    items = _without_old(piece, items)
    items = _with_role(plan, piece, items)
    for at, item in enumerate(items):
        if item.kind in ("length", "times"):
            around = (
                (*items[at - 1].tokens[-1:], *item.tokens, *(items[at + 1].tokens[:1] if at + 1 < len(items) else ()))
                if at
                else item.tokens
            )
            piece.is_change = piece.is_change or any(t.lower in _MORE for t in around)
        if item.kind == "word":
            piece.words += item.tokens
        elif item.kind == "length":
            piece.lengths.append(item)
        elif item.kind == "times":
            piece.counts.append(int(item.value or 0))
            if any(t.is_("attempt", "try", "retry") for t in item.tokens):
                piece.fields.append("retry")
        elif item.kind == "number":
            piece.bare += item.tokens
        elif item.kind in ("timeout", "retry", "owner", "escalate", "permission", "form"):
            piece.fields.append(item.kind)
        elif item.kind == "interval":
            piece.is_interval = True
        elif item.kind == "backoff":
            piece.backoff = _BACKOFF[item.tokens[0].lower[:3]]
        elif item.kind in ("clear", "remove"):
            piece.clears = True
            piece.removes = piece.removes or item.kind == "remove"
        elif item.kind not in ("bound", "gone", "let"):
            piece.words += item.tokens
    return piece


def _without_old(piece: Piece, items: list[Item]) -> list[Item]:
    """Take out what a value is to be instead of: "not 5", "instead of finance", "from 15" before "to 25"."""
    for at, item in enumerate(items):
        is_not = item.kind == "word" and item.tokens[0].lower == "not" and item.tokens[0].kind == "word"
        behind_be = at > 0 and items[at - 1].tokens[-1].has("aux")
        if item.kind == "old" or (is_not and not behind_be):
            behind = items[at + 1 :]
            cut = next(
                (i for i, one in enumerate(behind) if i and one.kind == "word" and one.tokens[0].is_("for")), None
            )
            piece.old += [token for one in behind[:cut] for token in one.tokens]
            return [*items[:at], *(behind[cut:] if cut is not None else [])]
        if item.kind == "word" and item.tokens[0].is_("from") and at + 1 < len(items):
            to = next(
                (
                    i
                    for i in range(at + 1, len(items))
                    if items[i].kind == "word" and items[i].tokens[0].is_("to", "into")
                ),
                None,
            )
            if to is not None and any(one.kind in ("length", "number", "times") for one in items[at + 1 : to]):
                piece.old += [token for one in items[at + 1 : to] for token in one.tokens]
                return [*items[:at], *items[to + 1 :]]
    return items


def _with_role(plan: Plan, piece: Piece, items: list[Item]) -> list[Item]:
    """Take out who is to do a step, or to get it when it is late; the verbs and prepositions of that too."""

    def said(some: Sequence[Item]) -> Tokens:
        return tuple(token for one in some for token in one.tokens)

    while items and items[-1].kind == "word" and items[-1].tokens[0].lower in _BEHIND:
        items = items[:-1]

    def names_role(some: Sequence[Item], *, surely: bool = False) -> bool:
        words = [t for t in said(some) if t.is_content or t.kind == "quoted"]
        if not words or len(words) > 4 or any(one.kind != "word" for one in some):
            return False
        if any(t.lower in _NO_ROLE or t.lemma in _NO_ROLE for t in words[-1:]):
            return False
        if any(t.has("aux", "neg") or t.lower in PRONOUNS for t in said(some)):
            return False
        return not surely or plan.is_role(words)

    kinds = [item.kind for item in items]

    def last_to() -> int | None:
        return next(
            (
                at
                for at in range(len(items) - 1, 0, -1)
                if items[at].kind == "word" and items[at].tokens[0].is_("to", "into")
            ),
            None,
        )

    if "escalate" in kinds and (to := last_to()) is not None and names_role(items[to + 1 :]):
        piece.role = said(items[to + 1 :])
        return items[:to]
    if "owner" in kinds:
        at = kinds.index("owner")
        to = next((i for i in range(at + 1, len(items)) if items[i].tokens[0].is_("to", "into", "is", "be")), None)
        if to is not None and names_role(items[to + 1 :]):
            piece.role = said(items[to + 1 :])
            return items[:to]
        if not any(one.tokens[0].is_("of", "for") for one in items[at + 1 : at + 2]) and names_role(items[at + 1 :]):
            piece.role = said(items[at + 1 :])
            return items[: at + 1]
    if "charge" in kinds:
        at = kinds.index("charge")
        head = [one for one in items[:at] if one.kind != "let" and not one.tokens[0].has("aux")]
        if names_role(head):
            piece.role = said(head)
            piece.fields.append("owner")
            return items[at + 1 :]
    if "by" in kinds:
        at = len(kinds) - 1 - kinds[::-1].index("by")
        end = next(
            (
                i
                for i in range(at + 1, len(items))
                if items[i].kind != "word"
                or (i > at + 1 and len(items[i].tokens) == 1 and items[i].tokens[0].has("prep", "part"))
            ),
            len(items),
        )
        if names_role(items[at + 1 : end]):
            piece.role = said(items[at + 1 : end])
            piece.fields.append("owner")
            return [*items[:at], *items[end:]]
    gone = any(item.kind == "word" and item.tokens[0].is_("go") for item in items)
    gone = gone and any(counts(t) and t.lower not in PRONOUNS and not t.is_("go") for t in said(items[: last_to()]))
    hands = "give" in kinds or gone
    if hands and (to := last_to()) is not None and names_role(items[to + 1 :], surely=gone):
        piece.role = said(items[to + 1 :])
        piece.fields.append("owner")
        return items[:to]
    old = [t for t in piece.old if counts(t)]
    if old and plan.is_role(old):
        # "The release needs approval of the CTO instead of the release manager."
        of = next((i for i in range(len(items) - 1, -1, -1) if items[i].tokens[0].has("prep")), -1)
        if names_role(items[of + 1 :], surely=True):
            piece.role = said(items[of + 1 :])
            piece.fields.append("owner")
            return items[: max(of, 0)]
    return _with_doer(plan, piece, items)


def _with_doer(plan: Plan, piece: Piece, items: list[Item]) -> list[Item]:
    """Take the role out of "HR decides on leave", "let the freelancer do it", "the cook has to bake it"."""
    said = [t for item in items if item.kind == "word" for t in item.tokens if t.lower not in _CARRIERS]
    if plan.steps.is_named(said):
        return items
    start = 1 if items and items[0].kind == "let" else 0
    for at in range(min(len(items) - 1, start + 6), start, -1):
        token = items[at].tokens[0]
        words = [t for one in items[start:at] for t in one.tokens]
        if any(one.kind != "word" for one in items[start:at]) or any(t.has("aux", "neg") for t in words):
            continue
        is_verb = token.has("aux") or token.is_("to") or token.entry.form == "s"
        is_verb = is_verb or (token.entry.form == "base" and words[-1].lower != words[-1].lemma)
        if not (is_verb or (start and "base" in token.entry.form)) or not plan.is_role(words):
            continue
        rest = items[at:]
        while rest and (rest[0].tokens[0].has("aux", "adv") or rest[0].tokens[0].is_("to")):
            if rest[0].tokens[0].is_("do", "does"):
                break
            rest = rest[1:]
        if not rest or rest[0].kind not in ("word", "charge", "give") or rest[0].tokens[0].is_("get", "have", "need"):
            return items
        verb = rest[0].tokens[0]
        if not verb.entry.verb or not {"base", "s"} & set(verb.entry.form.split()):
            return items
        piece.role = tuple(words)
        piece.fields.append("owner")
        return rest[1:] if verb.entry.verb in _DOING else rest
    return items


def _settings(plan: Plan, pieces: Sequence[Piece], about: Step | None) -> tuple[list[Setting], list[str]]:
    """Return what the pieces set, and the words that do not fit what is there.

    Raises:
        NotRead: A word has no place.
        StepUnclear: Words may mean several steps.
    """
    found: list[Setting] = []
    unread: list[str] = []
    waiting: list[Step] = []
    current: list[Step] = [about] if about else []
    kind = asked = ""
    for piece in pieces:
        if found and _is_comment(piece, "remove_step" if found[-1].field == "step" else ""):
            continue
        says_who = not piece.has_value and (waiting or current) and plan.is_role(piece.words)
        if says_who and plan.steps.maybe([t for t in piece.words if t.is_content]) is None:
            piece.role, piece.words = tuple(piece.words), []
            piece.fields.append("owner")
        steps = _steps(plan, piece.words)
        is_open = bool(piece.fields) and not (piece.lengths or piece.counts or piece.bare or piece.role)
        if is_open and not piece.clears and len(piece.fields) == 1 and (steps or not current):
            # "The deadline of the review: 3 days": the value comes next.
            waiting += steps
            asked = piece.fields[0]
            continue
        if (
            asked
            and not piece.fields
            and not piece.role
            and plan.is_role(piece.words)
            and asked in ("owner", "escalate")
        ):
            piece.role, piece.words, steps = tuple(piece.words), [], []
        if asked and not piece.fields:
            piece.fields.append(asked)
        asked = ""
        if not piece.has_value:
            if piece.old and not piece.words and found:
                unread += _unlike(plan, found[-1], piece.old)
            elif not steps:
                raise NotRead
            else:
                waiting += steps
            continue
        if steps or waiting:
            current = [*waiting, *(one for one in steps if one not in waiting)]
            waiting = []
        if not current:
            last = plan.workflow.step(plan.steps.last or "")
            if last is None or not any(t.lower in PRONOUNS for t in piece.words):
                raise NotRead
            current = [last]
        for name, value in _values(plan, piece, kind, found):
            kind = name
            for step in current:
                one = Setting(step, name, _changed(step, name, value, piece) if piece.is_change else value)
                found = [known for known in found if not _was(known, one)]
                same = next((known for known in found if (known.step, known.field) == (step, "retry")), None)
                if same is not None and isinstance(same.value, dict) and isinstance(one.value, dict):
                    found.remove(same)
                    one = replace(one, value={**same.value, **one.value})
                found.append(one)
                unread += _unlike(plan, one, piece.old)
        for length in piece.lengths:
            unread += [t.text for t in length.tokens if t.lower in ("business", "working", "work")]
    if waiting and found and found[-1].field == "step":
        found += [Setting(step, "step", None) for step in waiting]
        waiting = []
    if asked or waiting or len({(one.step.id, one.field) for one in found}) != len(found):
        raise NotRead
    return found, unread


def _is_comment(piece: Piece, last: str) -> bool:
    """Say whether a piece only tells why: "nobody writes one", "we know"; or orders the same again."""
    if piece.lengths or piece.counts or piece.bare or piece.role or piece.fields:
        return False
    words = [t for item in piece.items for t in item.tokens if t.kind == "word"]
    if asks_again(words, last):
        return True
    said = [t for t in words if counts(t) and t.lower not in PRONOUNS and not t.is_("nobody")]
    is_told = bool(words) and words[0].is_("nobody", "i", "we", "they", "everybody", "everyone")
    return not piece.removes and is_told and len(said) <= 1 and any(t.lower in PRONOUNS for t in words[1:])


_AGAIN = {
    "do": "", "set": "", "change": "", "make": "", "update": "", "add": "insert", "put": "insert",
    "remove": "remove", "take": "remove", "delete": "remove", "rename": "rename", "move": "move",
}  # fmt: skip
"""Verbs that order again what was just ordered, and the edit they repeat; any for an empty one."""


def asks_again(tokens: Sequence[Token], last: str) -> bool:
    """Say whether words only order the last edit again: "please do it", "take it out"."""
    words = [t for t in tokens if t.kind == "word"]
    if any(t.kind in ("number", "quoted") or t.value is not None for t in tokens):
        return False
    told = {_AGAIN[t.lower] for t in words if t.lower in _AGAIN}
    others = [t for t in words if t.lower not in _AGAIN and counts(t)]
    is_that = all(t.lower in (*PRONOUNS, "out", "so", "then") for t in others)
    points = any(t.lower in PRONOUNS for t in words)
    return bool(told) and points and is_that and any(one in last for one in told)


def _was(known: Setting, new: Setting) -> bool:
    """Say whether the first of two settings only told what is there: "it takes 3 days, make that 5"."""
    if (known.step.id, known.field) != (new.step.id, new.field) or known.field != "timeout":
        return False
    now = known.step.duration if known.step.type == "wait" else known.step.timeout
    return now is not None and seconds_of(now) == seconds_of(str(known.value))


def _steps(plan: Plan, words: Sequence[Token]) -> list[Step]:
    """Return the steps that words name, all of them; none for words that say nothing."""
    if any(t.lower in _NO_NAME and t.kind == "word" for t in words):
        raise NotRead
    kept = [t for t in words if counts(t) and not (t.kind == "word" and {t.lower, t.lemma} & _CARRIERS)]
    if not kept:
        if not any(counts(t) and t.lower not in PRONOUNS for t in words):
            return []
        said = [t for t in words if t.is_content]
        step = plan.steps.maybe(said) if plan.steps.is_named(said) else None
        return [step] if step is not None else []
    whole = [t for t in words if t.start >= kept[0].start or t.is_content]
    for some in (kept, whole):
        if (step := plan.steps.maybe(some)) is not None:
            return [step]
    try:
        return [plan.steps.find(kept)]
    except StepUnclear as unclear:
        if len(unclear.candidates) > 1:
            raise
        raise NotRead from unclear


def _values(plan: Plan, piece: Piece, kind: str, before: Sequence[Setting]) -> list[tuple[str, Value]]:
    """Return the fields a piece sets, each with its value.

    Raises:
        NotRead: A value has no field, or a field no value.
    """
    found: list[tuple[str, Value]] = []
    fields = set(piece.fields)
    if piece.role:
        late = "escalate" in fields
        found.append(("escalate" if late else "owner", _role(plan, piece.role)))
        fields -= {"owner", "escalate"}
    numbers = [int(t.value or 0) for t in piece.bare]
    if len(piece.counts) + len(numbers) > 1 or any(t.value != int(t.value or 0) for t in piece.bare):
        raise NotRead
    tries = "retry" in fields or kind == "retry"
    if piece.counts and not tries:
        raise NotRead
    counted = [*piece.counts, *numbers] if tries else []
    retry: JsonObject = {"max_attempts": counted[0]} if counted else {}
    retry |= {"backoff": piece.backoff} if piece.backoff else {}
    if piece.is_interval and len(piece.lengths) == 1 and ("retry" in fields or kind == "retry"):
        retry |= {"interval": piece.lengths[0].value}
    elif len(piece.lengths) == 1 and not piece.is_interval and "retry" not in fields:
        found.append(("timeout", str(piece.lengths[0].value)))
        fields -= {"timeout"}
    elif piece.lengths or piece.is_interval:
        raise NotRead
    if retry:
        found.append(("retry", retry))
        fields -= {"retry"}
    elif numbers:
        found.append(("timeout", _like(numbers[0], before)))
        fields -= {"timeout"}
    if retry.get("max_attempts") == 0:
        raise NotRead
    if piece.clears:
        if found or len(fields) > 1 or not (fields or piece.removes):
            raise NotRead
        return [(fields.pop() if fields else "step", None)]
    if fields or not found:
        raise NotRead
    return found


def _like(number: int, before: Sequence[Setting]) -> str:
    """Return a number as a length of time in the unit of the one before: "5 minutes, ... 20"."""
    last = next((str(one.value) for one in reversed(before) if one.field == "timeout" and one.value), "")
    digits = "".join(char for char in last if char.isdigit())
    if not digits or last.count(digits) != 1 or sum(char.isalpha() for char in last.lstrip("PT")) != 1:
        raise NotRead
    return last.replace(digits, str(number))


def _role(plan: Plan, tokens: Tokens) -> str:
    words = [t for t in tokens if not t.has("det") and t.lower not in ("now", "please", "only", "himself", "herself")]
    if not words:
        raise NotRead
    said = " ".join(t.text for t in words)
    known = {one.casefold(): one for s in plan.workflow.steps for one in (s.assignee, s.escalate_to) if one}
    plain = said.casefold()
    return (
        known.get(plain)
        or known.get(plain.replace(" ", "_"))
        or (
            said
            if said.isupper() or words[0].kind == "quoted" or all(t.text[:1].isupper() for t in words)
            else said.lower()
        )
    )


def _changed(step: Step, name: str, value: Value, piece: Piece) -> Value:
    """Return what a value becomes that is lengthened or shortened by another.

    Raises:
        NotRead: There is none, or nothing would be left of it.
    """
    said = [t for item in piece.items for t in item.tokens]
    sign = -1 if any(t.lemma in _LESS or t.lower in _LESS for t in said) else 1
    if name == "retry" and step.retry is not None and isinstance(value, dict) and "max_attempts" in value:
        now, by = step.retry.max_attempts, int(value["max_attempts"])
    elif name == "timeout" and (before := step.duration if step.type == "wait" else step.timeout) is not None:
        now, by = seconds_of(before), seconds_of(str(value))
    else:
        raise NotRead
    if now + sign * by <= 0:
        raise NotRead
    return {"max_attempts": int(now + sign * by)} if name == "retry" else duration_of(now + sign * by)


def _unlike(plan: Plan, setting: Setting, old: Sequence[Token]) -> list[str]:
    """Return the words of what a value was said to be before, where it is not."""
    words = [t for t in old if counts(t)]
    if not words:
        return []
    step = plan.workflow.step(setting.step.id) or setting.step
    now = {
        "timeout": step.duration if step.type == "wait" else step.timeout,
        "retry": str(step.retry.max_attempts) if step.retry else "",
        "owner": step.assignee,
        "escalate": step.escalate_to,
    }.get(setting.field)
    if setting.field == "timeout":
        given = duration_at(words, 0)
        number = words[0].value
        fits = now is not None and (
            seconds_of(given.value) == seconds_of(now) if given else number is not None and f"{number:g}" in now
        )
    elif setting.field == "retry":
        fits = any(t.value is not None and f"{t.value:g}" == now for t in words)
    else:
        known = (now or "").casefold().replace("_", " ").split()
        fits = all(t.lower in known or t.lemma in known for t in words)
    return [] if fits else [t.text for t in words]


def _edits(one: Setting) -> list[JsonObject]:
    step = one.step
    if one.field == "step":
        return [{"op": "remove_step", "step": step.id}]
    if one.field == "timeout":
        if step.type == "wait" and one.value is not None:
            return [{"op": "update_step", "step": step.id, "set": {"duration": one.value}}]
        return [{"op": "set_timeout", "step": step.id, "timeout": one.value}]
    if one.field == "retry":
        known = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        retry = {**known, **one.value} if isinstance(one.value, dict) else None
        return [{"op": "set_retry", "step": step.id, "retry": retry}]
    if one.field == "owner":
        return [{"op": "set_assignee", "step": step.id, "assignee": one.value}]
    if one.field == "escalate":
        if one.value is None:
            return [{"op": "update_step", "step": step.id, "unset": ["escalate_to"]}]
        if step.timeout is None:
            raise Asked("After how long?", "", "")
        return [{"op": "update_step", "step": step.id, "set": {"escalate_to": one.value}}]
    if one.value is None and one.field in ("permission", "form"):
        return [{"op": f"set_{one.field}", "step": step.id, one.field: None}]
    raise NotRead


__all__ = ["is_actor_word", "read_settings"]
