"""Orders that set or take away values of steps, and whole steps: who, how long, how often, who comes next.

The values and the words that name a field are taken out of a clause; what is left must name the steps,
wholly. A clause without a step speaks of the one before. Nothing is set unless every word has its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workflow_agent.assistant.offline.clauses import counts
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.units import Unit, units_of, words_in
from workflow_agent.assistant.offline.values import duration_at
from workflow_agent.workflows.model.durations import duration_of, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_CARRIERS = word_set("fields.carriers")
_LATE = word_set("fields.late")
_DOING = word_set("fields.doing")
_NO_NAME = word_set("fields.no_name")
"""Words that say more than which step: a place, a condition, a denial."""
_LESS = word_set("fields.less")
_MORE = word_set("fields.more")
_FIELDS = ("timeout", "retry", "owner", "escalate", "permission", "form", "condition", "description")
_MARKS = (":", "->", "=", ",")
_BACKOFF = {"exp": "exponential", "lin": "linear", "fix": "fixed", "con": "fixed"}
_MOST_ROLE_UNITS = 6
_SOFT = ("form", "permission", "condition", "description")
"""Fields whose words are more often part of a step's name."""
_VALUED = (
    "length",
    "times",
    "number",
    "by",
    "timeout",
    "retry",
    "escalate",
    "clear",
    "remove",
    "bound",
    "old",
    "late",
    "give",
    "charge",
    "tell",
    "let",
    "backoff",
    "interval",
    "gone",
)
Value = str | int | JsonObject | None


@dataclass(slots=True)
class Parts:
    """What the units of a clause say, beside who does something."""

    words: list[Token] = field(default_factory=list[Token])
    """What is left to name steps."""
    lengths: list[Unit] = field(default_factory=list[Unit])
    times: list[int] = field(default_factory=list[int])
    numbers: list[float] = field(default_factory=list[float])
    fields: set[str] = field(default_factory=set[str])
    takes: bool = False
    removes: bool = False
    is_late: bool = False
    is_change: bool = False
    is_less: bool = False
    backoff: str = ""
    is_interval: bool = False
    is_gone: bool = False
    """Whether something is no more: "any more"."""
    gets: bool = False
    """Whether somebody or something gets or has what is set."""


@dataclass(frozen=True, slots=True)
class Who:
    """A way to read who is meant, and the units without that."""

    role: Tokens
    field: str
    rest: list[Unit]


def read_fields(plan: Plan, tokens: Tokens, *, takes: bool = False) -> bool:
    """Make the edits of a clause that sets or takes away values; say whether it is one.

    Args:
        plan: The edits so far.
        tokens: The clause, with each full name of a step as one token.
        takes: Whether the words in front of it already say that something goes.

    Raises:
        StepUnclear: It is one, but its words may mean several steps.
    """
    units, old = _without_old(_with_people(plan, units_of(tokens)))
    unclear: StepUnclear | None = None
    for who, soft in ((who, soft) for soft in (False, True) for who in _whose(plan, units)):
        try:
            edits, last = _edits(plan, who, takes=takes, soft=soft)
        except (NotRead, Asked) as reason:
            if isinstance(reason, Asked):
                raise
            continue
        except StepUnclear as several:
            unclear = unclear or several
            continue
        if not edits:
            continue
        unread = _unlike(plan, edits, old)
        _supersede(plan, edits)
        plan.do(*edits)
        plan.steps.last = last if plan.workflow.step(last) else None
        plan.unread += unread
        return True
    if unclear is not None:
        raise unclear
    return False


def _with_people(plan: Plan, units: list[Unit]) -> list[Unit]:
    """Return units in which "owner" is a word like others where it belongs to somebody: "the budget owner"."""
    people = {step.assignee.lower().replace("_", " ") for step in plan.workflow.steps if step.assignee}
    return [
        replace(unit, kind="word")
        if unit.kind == "owner" and at and f"{units[at - 1].head.lower} {unit.head.lower}" in people
        else unit
        for at, unit in enumerate(units)
    ]


def _without_old(units: list[Unit]) -> tuple[list[Unit], Tokens]:
    """Return units without what a value is to be instead of: "not 5", "instead of finance", "from 15 to"."""
    for at, unit in enumerate(units):
        but = next((i for i in range(at + 2, len(units)) if units[i].is_("but")), None)
        if unit.head.lower == "not" and unit.kind == "word" and but is not None and but + 1 < len(units):
            # "Not by hr but the team lead", "not for finance but for accounting".
            rest = units[but + 1 :]
            if at == 0 and any(_is_finite(rest, i) for i in range(1, len(rest))):
                # "Not the manager but the team lead decides".
                return rest, words_in([u for u in units[1:but] if u.kind == "word"])
            rest = rest[1:] if rest[0].kind == "by" or rest[0].is_("for", "with") else rest
            kept = [u for u in units[at + 1 : but] if u.is_("do")]
            return [*units[:at], *kept, Unit("by", units[but].tokens), *rest], words_in(
                [u for u in units[at + 1 : but] if u.kind == "word" and not u.is_("for")]
            )
        if unit.kind == "old" or (unit.head.lower == "not" and at and not units[at - 1].head.has("aux")):
            end = at + 1
            while end < len(units) and not units[end].is_("for") and not _is_finite(units, end):
                end += 1
            head = units[: at - 1] if at and units[at - 1].head.text == "," else units[:at]
            return [*head, *units[end:]], words_in(units[at + 1 : end])
        if unit.is_("from") and unit.kind == "word":
            to = next((i for i in range(at + 2, len(units)) if units[i].is_("to", "into")), None)
            if to is not None and units[to - 1].kind in ("length", "number", "times"):
                return [*units[:at], *units[to + 1 :]], words_in(units[at + 1 : to])
    return units, ()


def _is_finite(units: Sequence[Unit], at: int) -> bool:
    token = units[at].head
    return token.kind == "word" and (token.has("aux") or (token.entry.form == "s" and bool(token.entry.verb)))


def _whose(plan: Plan, units: list[Unit]) -> Iterator[Who]:
    """Yield the ways to read who is meant, the plainest first, and at last that nobody is."""
    if plan.is_after and plan.is_role(words_in(units)):
        yield Who(words_in(units), "escalate", [])
    yield from _late(plan, units)
    yield from _instead(plan, units)
    yield from _owned(plan, units)
    late = plan.is_after or any(unit.kind in ("late", "escalate") for unit in units)
    target = "escalate" if late else "owner"
    kinds = [unit.kind for unit in units]
    for who in (*_behind_mark(plan, units, kinds, late=late), *_as_subject(plan, units)):
        role = [t for t in who.role if t.kind != "punct"]
        if any(t.kind == "quoted" for t in role) and not any(
            u.kind in ("by", "owner", "give", "charge") for u in units
        ):
            continue
        if role and not role[-1].among("plan.no_agent"):
            yield replace(who, field=who.field or target)
    yield Who((), "", units)


def _late(plan: Plan, units: list[Unit]) -> Iterator[Who]:
    """Yield who is told "if nobody answers in time, ..." or "... if nobody answers in time"."""
    opens = next((at for at, u in enumerate(units) if u.is_("if", "when", "unless") and u.kind == "word"), None)
    fails = any(unit.is_("not") for unit in units) and any(unit.kind == "length" for unit in units)
    if opens is None or not (fails or any(unit.kind == "late" for unit in units)):
        return
    cut = next((at for at in range(opens, len(units)) if units[at].head.text == "," or units[at].is_("then")), None)
    behind = (
        cut + 1 if cut else next((at for at, u in enumerate(units) if at > 1 and u.kind in ("escalate", "tell")), None)
    )
    case, act = (units[opens + 1 :], units[:opens]) if opens else (units[1:behind], units[behind:] if behind else [])
    said = [
        t
        for u in act
        if u.kind != "tell"
        for t in u.tokens
        if not (t.has("aux", "pron") or t.among("fields.told") or t.kind == "punct")
    ]
    if said and plan.is_role(said):
        yield Who(tuple(said), "escalate", [u for u in case if u.kind not in ("late", "escalate")])


def _behind_mark(plan: Plan, units: list[Unit], kinds: list[str], *, late: bool) -> Iterator[Who]:
    """Yield who stands behind "by", "assign to", "owner:", "in charge of", "tell", or an arrow."""
    gives = late or "give" in kinds or any(unit.is_("go", "move", "switch", "belong", "change") for unit in units)
    to = next((at for at, u in enumerate(units) if at > 1 and u.is_("to")), 0)
    if to and kinds[0] == "give" and plan.is_role(words_in(units[1:to])):
        yield Who(words_in(units[1:to]), "", units[to + 1 :])
    for at, kind in enumerate(kinds):
        unit = units[at]
        end = at + 1
        while end < len(units) and end - at <= _MOST_ROLE_UNITS and units[end].kind not in _VALUED:
            head = units[end].head
            following = units[end + 1].head if end + 1 < len(units) else None
            joins = head.is_("of") or (
                head.is_("in", "on") and following is not None and following.is_("chief", "charge", "call")
            )
            if head.kind == "punct" or (head.has("prep", "conj") and not joins and not head.is_("and")):
                break
            end += 1
        said, rest = words_in(units[at + 1 : end]), [*units[:at], *units[end:]]
        if not said:
            continue
        if (
            kind == "by"
            and at > 0
            and "ed" in units[at - 1].head.entry.form
            and (at == 1 or any(u.is_("be", "get") for u in units[:at]))
        ):
            yield Who(said, "", rest)
            # "The estimate is to be approved by the lead" says more than whose it is.
            if units[at - 1].head.entry.verb in _DOING:
                yield Who(said, "", [*units[: at - 1], *units[end:]])
        elif (kind == "by") or (
            unit.is_("to", "into") and gives and kind == "word" and units[at - 1].kind != "timeout"
        ):
            yield Who(said, "", rest)
        elif kind == "owner" or (unit.is_("for") and at > 1 and units[at - 1].is_("be") and plan.is_role(said)):
            yield Who(said, "owner", rest)
        elif kind == "tell" and late:
            yield Who(said, "escalate", rest)
        elif (
            kind == "word"
            and "owner" in kinds[:at]
            and (unit.is_("is", "be", "to", "into") or unit.head.text in _MARKS)
        ):
            yield Who(said, "owner", rest)
        elif kind == "word" and "escalate" in kinds[:at] and (unit.is_("is", "be") or unit.head.text in _MARKS):
            yield Who(said, "escalate", rest)
        elif kind == "word" and unit.is_("use") and at == 0:
            yield Who(said, "", rest)
    if "charge" in kinds and (at := kinds.index("charge")):
        head = [u for u in units[:at] if u.kind != "let" and not u.head.has("aux")]
        yield Who(words_in(head), "owner", units[at + 1 :])


def _as_subject(plan: Plan, units: list[Unit]) -> Iterator[Who]:
    """Yield who does it as the subject, or stands alone behind a mark: "HR decides", "packing: HR"."""
    if not units:
        return
    start = next((at for at, u in enumerate(units) if u.kind != "let" and not u.is_("that", "only")), 0)
    if (cut := next((at for at, u in enumerate(units) if at and u.is_("for")), 0)) and plan.is_role(
        words_in(units[:cut])
    ):
        # "The CFO for the approval".
        yield Who(words_in(units[:cut]), "owner", units[cut + 1 :])
    if (units and units[0].is_("who")) or [u.head.lower for u in units[:3]] == ["the", "one", "who"]:
        cut = next((at for at in range(len(units) - 1, 0, -1) if units[at].is_("be")), 0)
        yield Who(words_in([u for u in units[cut + 1 :] if not u.is_("now")]), "owner", units[1:cut] if cut else [])
    if (
        units
        and units[0].is_("it")
        and len(units) > 3
        and (cut := next((i for i, u in enumerate(units) if u.is_("who", "that") and i > 2), 0))
    ):
        yield Who(
            words_in([u for u in units[1:cut] if not u.is_("be")]),
            "owner",
            [u for u in units[cut + 1 :] if u.head.entry.verb not in _DOING],
        )
    if (
        units
        and units[0].kind == "let"
        and len(units) > 2
        and units[1].is_("it", "that", "this")
        and plan.is_role(words_in(units[2:]))
    ):
        yield Who(words_in(units[2:]), "owner", units[1:2])
    for end in _ends_of_subject(plan, units, start):
        head = units[start:end]
        verb = units[end].head
        if verb.has("prep") and not verb.is_("to"):
            continue
        rest = end
        while rest < len(units) and (units[rest].head.has("aux", "adv", "det") or units[rest].is_("to", "one", "who")):
            if units[rest].is_("do") or (units[rest].is_("get", "have") and not _leads_verb(units, rest)):
                break
            rest += 1
        if rest == len(units) or units[rest].is_("get", "have", "need", "receive", "be"):
            if any(u.kind == "late" for u in units) and rest < len(units):
                yield Who(words_in(head), "escalate", units[rest + 1 :])
            break
        does = units[rest].head
        if does.kind == "quoted":
            yield Who(words_in(head), "", units[rest:])
            break
        if units[rest].kind == "tell" and units[rest - 1].head.lemma == "be":
            yield Who(words_in(head), "escalate", units[rest + 1 :])
        forms = set(does.entry.form.split())
        if (
            rest == end
            and "s" not in forms
            and not any(u.head.lower.endswith("s") for u in head)
            and units[0].kind != "let"
        ):
            continue
        if units[rest].kind == "length" or not ("base" in forms or "s" in forms or units[rest].kind == "give"):
            continue
        if verb.entry.form not in ("s", "base") and not verb.has("aux", "adv") and not verb.is_("to"):
            continue
        drops = does.entry.verb in _DOING or units[rest].kind == "give"
        yield Who(words_in(head), "", units[rest + 1 :] if drops else units[rest:])
        break
    for at in range(1, len(units) - 1):
        said = words_in(units[at + 1 :])
        if (
            units[at].head.text in _MARKS
            and plan.is_role(said)
            and all(u.kind in ("word", "owner") for u in units[at + 1 :])
        ):
            late = any(u.kind == "late" for u in units[:at])
            yield Who(said, "escalate" if late else "owner", units[:at])


def _ends_of_subject(plan: Plan, units: list[Unit], start: int) -> Iterator[int]:
    """Yield where a subject may end that does something, the longest first; before a step it may be anybody."""
    most = min(len(units) - 1, start + _MOST_ROLE_UNITS)
    plain = [
        end
        for end in range(most, start, -1)
        if all(u.kind in ("word", "owner") and u.head.kind == "word" for u in units[start:end])
    ]
    yield from (end for end in plain if plan.is_role(words_in(units[start:end])))
    if units[0].kind == "let":
        nouns = (end for end in plain if all(u.head.has("noun", "det", "adj") for u in units[start:end]))
        yield from (end for end in nouns if plan.steps.is_named(words_in(units[end:])))


def _instead(plan: Plan, units: list[Unit]) -> Iterator[Who]:
    """Yield who does it in "hr should not do it, the team lead should"."""
    cut = next((at for at in range(len(units) - 1, 0, -1) if units[at].is_(",", "and", "but")), 0)
    tail, head = units[cut + 1 :], units[:cut]
    denied = next((at for at, u in enumerate(head) if u.is_("not", "longer")), 0)
    if not tail or not denied or not tail[-1].head.has("aux") or not plan.is_role(words_in(tail[:-1])):
        return
    rest = [u for u in head[denied + 1 :] if not (u.head.entry.verb in _DOING or u.head.has("aux"))]
    yield Who(words_in(tail[:-1]), "owner", rest)


def _owned(plan: Plan, units: list[Unit]) -> Iterator[Who]:
    """Yield who does it in "baking is the apprentice's job"."""
    for at, unit in enumerate(units[:-1]):
        if unit.head.possessive and units[at + 1].head.among("fields.job"):
            first = at
            while first and units[first - 1].kind == "word" and units[first - 1].head.is_content and at - first < 3:
                first -= 1
            if plan.is_role(words_in(units[first : at + 1])):
                yield Who(words_in(units[first : at + 1]), "owner", [*units[:first], *units[at + 2 :]])


def _leads_verb(units: Sequence[Unit], at: int) -> bool:
    return at + 1 < len(units) and units[at + 1].is_("to")


def _parts(units: Sequence[Unit], *, takes: bool, soft: bool, has_role: bool) -> Parts:
    parts = Parts(takes=takes, removes=takes)
    valued = any(unit.kind in ("length", "times", "number") for unit in units) or has_role
    dropped = ("bound", "gone", "let", *(("give", "by", "tell") if has_role else ()))
    pieces: list[list[bool]] = [[False, False]]
    for at, unit in enumerate(units):
        around = [u.head for u in units[max(at - 1, 0) : at + 2] if u.kind in ("word", "by")]
        if unit.kind in ("length", "times", "number"):
            parts.is_change = parts.is_change or any(t.lower in _MORE for t in (*around, *unit.tokens))
        if unit.kind == "length":
            if at + 1 < len(units) and units[at + 1].is_("later", "earlier", "ago", "afterwards"):
                # "A week later" says when it begins, not how long it may take.
                raise NotRead
            parts.lengths.append(unit)
        elif unit.kind == "times":
            parts.times.append(int(unit.value or 0))
            if any(t.is_("attempt", "try", "retry") for t in unit.tokens):
                parts.fields.add("retry")
        elif unit.kind == "number":
            parts.numbers.append(unit.head.value or 0)
        elif unit.kind in _FIELDS and (soft or unit.kind not in _SOFT):
            parts.fields.add(unit.kind)
        elif unit.kind == "late":
            parts.is_late = True
        elif unit.kind == "gone":
            parts.is_gone = True
        elif unit.kind == "bound" and any(t.is_("try", "retry") for t in unit.tokens):
            parts.fields.add("retry")
        elif unit.kind == "interval":
            parts.is_interval = True
        elif unit.kind == "backoff":
            parts.backoff = _BACKOFF[unit.head.lower[:3]]
        elif unit.kind == "clear" or (unit.kind == "remove" and not valued):
            parts.takes = True
            parts.removes = parts.removes or unit.kind == "remove"
        elif unit.kind not in dropped:
            parts.words += unit.tokens
            names = unit.head.kind != "punct" and any(
                counts(t) and not {t.lower, t.lemma} & _CARRIERS for t in unit.tokens
            )
            pieces[-1][1] = pieces[-1][1] or names
        if unit.is_("and", ",", ";") and unit.kind == "word":
            pieces.append([False, False])
        pieces[-1][0] = pieces[-1][0] or unit.kind in ("length", "times", "number", "clear", "remove", *_FIELDS[:4])
        parts.is_less = parts.is_less or any(t.lemma in _LESS or t.lower in _LESS for t in unit.tokens)
    if any(
        one[0] and one[1] and any(later[1] for later in pieces[at + 1 :])
        for at, one in enumerate(pieces)
        if not one[0] or not parts.removes or parts.fields
    ):
        # "Compile 30 minutes, tests 2 hours" are two orders.
        raise NotRead
    parts.gets = any(unit.is_("get", "have", "need") for unit in units)
    told = any(t.is_("if", "when", "unless") for t in parts.words) or parts.is_late
    if {"retry", "escalate"} & parts.fields and not valued and not told and any(t.has("neg") for t in parts.words):
        parts.takes, parts.words = True, [t for t in parts.words if not t.has("neg")]
    return parts


def _edits(plan: Plan, who: Who, *, takes: bool, soft: bool) -> tuple[list[JsonObject], str]:
    """Return the edits of one way to read a clause, and the step that they are about.

    Raises:
        NotRead: A word has no place.
        StepUnclear: Words may mean several steps.
    """
    parts = _parts(who.rest, takes=takes, soft=soft, has_role=bool(who.role))
    if who.field:
        parts.fields.discard("escalate" if who.field == "escalate" else "owner")
    values = _values(plan, parts, who)
    if not values and not parts.takes:
        raise NotRead
    steps = _steps(plan, parts, is_late=parts.is_late or who.field == "escalate")
    if not values:
        if parts.fields - {"description"} and not parts.times:
            values = [(name, None) for name in sorted(parts.fields)]
        elif (parts.removes or parts.is_gone) and not parts.fields and not parts.is_late:
            values = [("step", None)]
        else:
            raise NotRead
    elif parts.fields:
        raise NotRead
    values.sort(key=lambda one: one[0] != "timeout")
    edits: list[JsonObject] = []
    for step in steps:
        for name, value in values:
            if name == "escalate" and value is not None and not (step.timeout or values[0][0] == "timeout"):
                raise Asked("After how long?", plan.text.rstrip(" .!") + " after ", "")
            edits += _edit(plan, step, name, _changed(step, name, value, parts) if parts.is_change else value)
    return edits, steps[-1].id


def _steps(plan: Plan, parts: Parts, *, is_late: bool) -> list[Step]:
    """Return the steps that words name, all of them, or the one spoken of last.

    Raises:
        NotRead: They say more than that.
        StepUnclear: They name none, or may mean several.
    """
    carriers = _CARRIERS | _LATE if is_late else _CARRIERS
    words = [t for t in parts.words if t.kind != "punct" or t.text in (",", "&", "/", "+")]
    if parts.lengths and parts.gets:
        said = [t.lemma for t in words if t.is_content and not {t.lower, t.lemma} & _CARRIERS]
        theirs = [
            s
            for s in plan.workflow.steps
            if s.assignee and said == [entry_of(w).lemma for w in s.assignee.lower().split("_")]
        ]
        if len(theirs) == 1:
            return theirs
    for at, token in enumerate(words):
        if is_late and parts.lengths and token.is_("after") and at + 1 == len(words):
            # "Escalate it after 3 days."
            continue
        opens = is_late or (at + 1 < len(words) and token.is_("when", "while") and words[at + 1].lower.endswith("ing"))
        if (
            token.kind == "word"
            and token.lower in _NO_NAME
            and not (opens and token.lower in (*_LATE, "when", "while"))
        ):
            raise NotRead
    own = frozenset(content_of(plan.workflow.name))
    pieces = listed(words)
    found: list[Step] = []
    for piece in pieces:
        said = [t for t in piece if counts(t) or t.lower in PRONOUNS]
        if not said and plan.maybe(content := [t for t in piece if t.is_content], valued=True) is not None:
            # "Sort" means nothing elsewhere.
            found.append(plan.step(content, valued=True))
            continue
        kept = [t for t in said if t.kind == "quoted" or not {t.lower, t.lemma} & carriers]
        if not kept and not any(t.lower in PRONOUNS for t in said) and plan.maybe(said) is None:
            continue
        whole = [t for t in piece if not t.has("det", "aux")]
        plain = [t for t in whole if not t.has("part", "pron", "conj", "neg")]
        ways = [some for some in (plain, said, kept) if (kept or is_late) and any(t.is_content for t in some)]
        step = next((one for some in ways if (one := plan.maybe(some, valued=True)) is not None), None)
        if step is not None:
            found.append(step)
        elif kept and not all(t.lemma in own for t in kept):
            found += plan.steps_in(kept, valued=True)
        elif kept and len(pieces) > 1:
            raise NotRead
    if found:
        return list({step.id: step for step in found}.values())
    if plan.topic and any(t.lower in ("them", "both", "they") for t in words):
        return [step for one in plan.topic if (step := plan.workflow.step(one))]
    last = plan.workflow.step(plan.steps.last or "")
    if last is None:
        raise NotRead
    return [last]


def _values(plan: Plan, parts: Parts, who: Who) -> list[tuple[str, Value]]:
    """Return the fields a clause sets, each with its value; what is set is no longer among its fields.

    Raises:
        NotRead: A value has no field, or a field more than one.
    """
    found: list[tuple[str, Value]] = []
    if who.role:
        found.append((who.field, plan.role(who.role)))
    named = next((t for t in parts.words if t.has("name") or t.kind == "quoted"), None)
    if "permission" in parts.fields and named is not None and not parts.takes:
        parts.words.remove(named)
        parts.fields.discard("permission")
        return [("permission", named.text)]
    if parts.takes:
        if (found and not parts.fields) or parts.lengths or parts.times or parts.numbers:
            raise NotRead
        return found
    numbers = [int(one) for one in parts.numbers]
    if len(parts.times) + len(numbers) > 1 or any(one != int(one) for one in parts.numbers):
        raise NotRead
    tries = "retry" in parts.fields or any(str(edit["op"]) == "set_retry" for edit in plan.edits[-1:])
    bounded = any(unit.kind == "bound" for unit in who.rest) and not parts.fields
    tries = tries or (bounded and bool(parts.times))
    if parts.times and not tries:
        raise NotRead
    counted = [*parts.times, *numbers] if tries else []
    retry: JsonObject = {"max_attempts": counted[0]} if counted else {}
    retry |= {"backoff": parts.backoff} if parts.backoff else {}
    if parts.is_interval and len(parts.lengths) == 1 and tries:
        retry |= {"interval": parts.lengths[0].value}
    elif len(parts.lengths) == 1 and not parts.is_interval:
        found.append(("timeout", parts.lengths[0].value))
        parts.fields.discard("timeout")
    elif parts.lengths or parts.is_interval:
        raise NotRead
    if retry:
        if retry.get("max_attempts") == 0:
            raise NotRead
        found.append(("retry", retry))
        parts.fields.discard("retry")
    elif numbers:
        found.append(("timeout", _like(numbers[0], plan)))
        parts.fields.discard("timeout")
    return found


def _like(number: int, plan: Plan) -> str:
    """Return a number as a length of time in the unit of the one before: "5 minutes, ... 20"."""
    last = next((str(edit["timeout"]) for edit in reversed(plan.edits) if edit.get("timeout")), "")
    digits = "".join(char for char in last if char.isdigit())
    if not digits or last.count(digits) != 1 or sum(char.isalpha() for char in last.lstrip("PT")) != 1:
        raise NotRead
    return last.replace(digits, str(number))


def _now(step: Step, name: str) -> str | None:
    """Return what a step has in a field, as text."""
    if name == "timeout":
        return step.duration if step.type == "wait" else step.timeout
    if name == "retry":
        return str(step.retry.max_attempts) if step.retry else None
    return step.assignee if name == "owner" else step.escalate_to


def _changed(step: Step, name: str, value: Value, parts: Parts) -> Value:
    """Return what a value becomes that is lengthened or shortened by another.

    Raises:
        NotRead: There is none, or nothing would be left of it.
    """
    now = _now(step, name)
    sign = -1 if parts.is_less else 1
    if name == "retry" and now and isinstance(value, dict) and "max_attempts" in value:
        total = int(now) + sign * int(value["max_attempts"])
        if total > 0:
            return {"max_attempts": total}
    if name == "timeout" and now and (seconds := seconds_of(now) + sign * seconds_of(str(value))) > 0:
        return duration_of(seconds)
    if name in ("owner", "escalate"):
        return value
    raise NotRead


def _leads_back(plan: Plan, edge: Transition) -> bool:
    """Say whether a transition leads to a step from which its own is reached."""
    seen, waiting = {edge.to}, [edge.to]
    while waiting:
        found = {one.to for one in plan.workflow.outgoing(waiting.pop())} - seen
        seen |= found
        waiting += found
    return edge.from_ in seen


def _words_of(edge: Transition) -> Tokens:
    return read_tokens(edge.when.text or "") if edge.when else ()


def _refusals(plan: Plan, step: Step) -> list[JsonObject]:
    """Return the edits that take away where a step leads if refused, or back, as far as other ways lead there too."""
    ways = [edge for edge in plan.workflow.outgoing(step.id) if edge.type != "error"]
    refused = [edge for edge in ways if any(t.among("fields.refused") for t in _words_of(edge))]
    bad = refused or [edge for edge in ways if _leads_back(plan, edge)]
    kept = [edge for edge in bad if any(one.from_ != step.id for one in plan.workflow.incoming(edge.to))]
    if len(kept) != len(bad) or len(ways) - len(bad) != 1:
        cases = [f"“{edge.when.text}”" for edge in ways if edge.when and edge.when.text]
        verdict = any(t.among("fields.refused") and not t.is_("no") for edge in refused for t in _words_of(edge))
        if len(ways) > 1 and len(cases) == len(ways) and verdict:
            plan.notes.append(f"{' and '.join(cases)} would be decided before it")
        return []
    return [{"op": "disconnect", "from": step.id, "to": edge.to} for edge in kept]


def _edit(plan: Plan, step: Step, name: str, value: Value) -> list[JsonObject]:
    """Return the edits that give a step a value, or take it away."""
    if name == "step":
        return [*_refusals(plan, step), {"op": "remove_step", "step": step.id}]
    if name == "timeout":
        if step.type == "wait" and value is not None:
            return [{"op": "update_step", "step": step.id, "set": {"duration": value}}]
        return [{"op": "set_timeout", "step": step.id, "timeout": value}]
    if name == "retry":
        known = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
        return [{"op": "set_retry", "step": step.id, "retry": {**known, **value} if isinstance(value, dict) else None}]
    if name == "owner":
        return [{"op": "set_assignee", "step": step.id, "assignee": value}]
    if name in ("permission", "form"):
        return [{"op": f"set_{name}", "step": step.id, name: value}]
    if value is None:
        field_of = {"escalate": "escalate_to", "condition": "when", "description": "description"}[name]
        return [{"op": "update_step", "step": step.id, "unset": [field_of]}]
    return [{"op": "update_step", "step": step.id, "set": {"escalate_to": value}}]


def _supersede(plan: Plan, edits: Sequence[JsonObject]) -> None:
    """Drop values set by the same message that these set again: "it takes 4 days, make it 2"."""
    again = {(edit["op"], str(edit.get("step"))) for edit in edits if edit["op"] in ("set_timeout", "set_assignee")}
    plan.superseded += [edit for edit in plan.edits if (edit["op"], str(edit.get("step"))) in again]
    plan.edits[:] = [edit for edit in plan.edits if (edit["op"], str(edit.get("step"))) not in again]


def _unlike(plan: Plan, edits: Sequence[JsonObject], old: Tokens) -> list[str]:
    """Return the words of what a value was said to be before, where it is not."""
    words = [t for t in old if counts(t) and not t.has("aux")]
    if any(_was(plan, edit, words) for edit in edits):
        return []
    return [t.text for t in words]


def _was(plan: Plan, edit: JsonObject, words: Sequence[Token]) -> bool:
    """Say whether words tell the value that an edit replaces; no words do."""
    names = {"set_timeout": "timeout", "set_retry": "retry", "set_assignee": "owner"}
    step = plan.workflow.step(str(edit.get("step")))
    if not words or step is None:
        return not words
    field_of = names.get(str(edit["op"]), "timeout" if step.type == "wait" else "escalate")
    now = _now(step, field_of) or ""
    given, number = duration_at(words, 0), words[0].value
    if field_of == "timeout" and now and given is not None:
        return seconds_of(given.value) == seconds_of(now)
    if field_of == "timeout" and now and number:
        return seconds_of(now) / number in (1, 60, 3_600, 86_400, 604_800)
    if number is not None:
        return f"{number:g}" == now
    known = now.casefold().replace("_", " ").split()
    return all(t.lower in known or t.lemma in known for t in words)
