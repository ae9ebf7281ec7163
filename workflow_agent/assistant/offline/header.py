"""Orders about the workflow as a whole: its tags, its aliases, and what starts it."""

import re
from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import counts, phrase_at, stripped
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.slots import cut_pieces, with_names
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import clock_at, schedule_at
from workflow_agent.workflows.model.triggers import ScheduleTrigger

_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_VERBS = word_set("header.verbs")
_AROUND = word_set("header.around")
_TRAIL = word_set("naming.trail")
_LABELS = frozenset({"tag", "untag", "alias", "remove", "clear", "gone", "old", "let", "bound"})
_MOST_NAME_WORDS = 4


def read_header(plan: Plan, tokens: Sequence[Token], mask: frozenset[int]) -> bool:
    """Make the edits of a sentence about tags, aliases or triggers, if it is wholly read; say whether."""
    mood, rest = stripped(tokens)
    if not rest or mood == "weighed":
        return False
    negated = mood in ("negated", "unneeded")
    if not negated and (_named(plan, rest, mask) or _described(plan, rest, mask)):
        return True
    edits = _labels(plan, rest, mask, negated=negated) or _triggers(plan, rest, mask, negated=negated)
    if not edits:
        return False
    try:
        plan.do(*edits)
    except NotRead:
        return False
    return True


def _kinds(tokens: Tokens, mask: frozenset[int]) -> list[tuple[str, Tokens]]:
    """Return the tokens in their order, each phrase of the data file as one, with what it stands for."""
    found: list[tuple[str, Tokens]] = []
    at = 0
    while at < len(tokens):
        end, kinds = (at, []) if tokens[at].start in mask else phrase_at(tokens, at, "slots.tsv")
        found.append((kinds[0], tokens[at:end]) if kinds else ("word", (tokens[at],)))
        at = end if kinds else at + 1
    return found


def _labels(plan: Plan, tokens: Tokens, mask: frozenset[int], *, negated: bool) -> list[JsonObject]:
    """Return the edits that add or take tags and aliases; none where a word has no place."""
    pieces = [_kinds(piece, mask) for piece in cut_pieces(tokens, mask)]
    said = [kind for piece in pieces for kind, _ in piece if kind in ("tag", "alias", "untag")]
    if not said:
        return []
    name, takes = ("tag" if said[0] == "untag" else said[0]), negated
    edits: list[JsonObject] = []
    for piece in pieces:
        kinds = {kind for kind, _ in piece}
        name = "tag" if kinds & {"tag", "untag"} else "alias" if "alias" in kinds else name
        verbs = any(t.lemma in ("add", "put", "give", "use") for kind, some in piece if kind == "word" for t in some)
        takes = (
            bool(kinds & {"remove", "clear", "untag"})
            or any(t.is_("not") for kind, some in piece if kind == "word" for t in some)
            or (takes and not verbs)
        )
        words = [t for kind, some in piece if kind not in _LABELS for t in some]
        words = [t for t in words if counts(t) or t.kind == "quoted"]
        words = [
            t
            for t in words
            if t.kind == "quoted"
            or not (
                t.lower in PRONOUNS
                or t.lemma in _WHOLE
                or t.lemma in _VERBS
                or t.lower in _AROUND
                or t.is_("not", "both", "all", "longer", "we", "people")
            )
        ]
        if not words:
            continue
        if (value := _label(plan, words)) is None:
            return []
        op = {"tag": "untag" if takes else "tag", "alias": "remove_alias" if takes else "add_alias"}[name]
        known = plan.workflow.tags if name == "tag" else plan.workflow.aliases
        if takes and value.casefold() not in {one.casefold() for one in known}:
            return []
        edits.append({"op": op, name: value})
    return edits


def _label(plan: Plan, words: Sequence[Token]) -> str | None:
    """Return the name that words are; None where they are none, or more than one."""
    quoted = [t for t in words if t.kind == "quoted"]
    if quoted:
        return quoted[0].text if len(words) == 1 else None
    text = plan.text[words[0].start : words[-1].end]
    is_run = len(text.split()) == len(words) or "-" in text
    if len(words) > _MOST_NAME_WORDS or not is_run or any(t.has("prep", "aux", "wh") for t in words):
        return None
    orders = phrase_at(words, 0, "verbs.tsv")[1] and len(words) > 1 and words[0].entry.form == "base"
    return None if orders and not words[0].has("noun") else text


def _triggers(plan: Plan, tokens: Tokens, mask: frozenset[int], *, negated: bool) -> list[JsonObject]:
    """Return the edits that add, replace or take what starts the workflow; none where a word has no place."""
    kinds = _kinds(tokens, mask)
    names = [kind for kind, _ in kinds]
    old: Tokens = ()
    if "old" in names:
        cut = names.index("old")
        old = tuple(t for _, some in kinds[cut + 1 :] for t in some)
        kinds, names = kinds[:cut], names[:cut]
    flat = tuple(t for _, some in kinds for t in some)
    takes = negated or "remove" in names or "clear" in names or any(t.is_("not", "no") for t in flat)
    cued = "start" in names
    used: set[int] = {
        t.start for kind, some in kinds if kind in ("start", "remove", "clear", "gone", "let", "bound") for t in some
    }
    trigger: JsonObject | None = None
    for at in range(len(flat)):
        if (found := schedule_at(flat, at)) is not None:
            trigger = found.value
            used |= {t.start for t in flat[at : found.end]}
            break
    event = next((t for t in flat if t.has("name") and "." in t.text and t.kind == "word"), None)
    webhook, manual = "webhook" in names, "manual" in names
    clock = None
    if trigger is None and event is None and not webhook and not manual and not takes:
        at = next((i for i in range(len(flat)) if flat[i].value is not None), None)
        clock = clock_at(flat, at) if at is not None else None
        if clock is None and at is not None and at and flat[at - 1].is_("at") and (flat[at].value or 25) < 25:
            hour = int(flat[at].value or 0)
            clock_value = (hour, 0)
        else:
            clock_value = clock.value if clock else None
        if clock_value is not None and at is not None and cued:
            trigger = _at_other_time(plan, *clock_value)
            used |= {t.start for t in flat[at : clock.end if clock else at + 1]}
            if trigger is not None and not old:
                old = flat[:0]
            if trigger is not None:
                return _exchanged(plan, flat, used, trigger, old)
    if webhook:
        path = next((i for i, t in enumerate(flat) if t.text == "/"), None)
        trigger = {"type": "webhook"}
        if path is not None:
            end = path
            while end < len(flat) and (end == path or flat[end].start == flat[end - 1].end):
                end += 1
            trigger["path"] = plan.text[flat[path].start : flat[end - 1].end]
            used |= {t.start for t in flat[path:end]}
    elif manual:
        trigger = {"type": "manual"}
    elif event is not None and (cued or "event" in names):
        trigger = {"type": "event", "event": event.text}
        used.add(event.start)
    elif "event" in names and (cued or takes):
        quoted = next((t for t in flat if t.kind == "quoted"), None)
        trigger = {"type": "event"} | ({"event": quoted.text} if quoted else {})
        used |= {quoted.start} if quoted else set()
    used |= {t.start for kind, some in kinds if kind in ("webhook", "manual", "event") for t in some}
    if takes:
        return _without_trigger(plan, flat, used, trigger, cued=cued)
    if trigger is None or (trigger["type"] == "event" and "event" not in trigger):
        return []
    if not (cued or "event" in names or webhook or trigger["type"] == "schedule"):
        return []
    if trigger["type"] == "schedule" and old:
        return _exchanged(plan, flat, used, trigger, old)
    if _unplaced(plan, flat, used):
        return []
    if trigger["type"] == "schedule" and any(one.type == "schedule" for one in plan.workflow.triggers):
        also = any(t.is_("also", "too", "additionally", "another", "well") for t in flat)
        return [{"op": "add_trigger", "trigger": trigger}] if also else []
    return [{"op": "add_trigger", "trigger": trigger}]


def _unplaced(plan: Plan, tokens: Tokens, used: set[int]) -> list[Token]:
    """Return the words that are no part of a trigger, nor of the workflow's own name."""
    own = [*content_of(plan.workflow.name), *(w for one in plan.workflow.aliases for w in content_of(one))]
    return [
        t
        for t in tokens
        if counts(t)
        and t.start not in used
        and t.lower not in _AROUND
        and t.lemma not in _WHOLE
        and t.lemma not in _VERBS
        and t.lower not in PRONOUNS
        and not any(akin(t.lower, one) for one in own)
    ]


def _named(plan: Plan, tokens: Tokens, mask: frozenset[int]) -> bool:
    """Give a step or the workflow another name, if a sentence says so wholly; say whether."""
    kinds = _kinds(with_names(plan, tokens, mask), frozenset())
    kinds = [
        (kind if kind != "name" or _is_naming(kinds, at) else "word", some) for at, (kind, some) in enumerate(kinds)
    ]
    cue = next((at for at, (kind, _) in enumerate(kinds) if kind == "name"), None)
    arrow = next((at for at, (_, some) in enumerate(kinds) if some[0].text == "->"), None)
    if cue is None and arrow is None:
        return False
    flat = [(kind, t) for kind, some in kinds for t in some]
    cues = {t.start for kind, some in kinds if kind == "name" for t in some}
    at = next((i for i, (_, t) in enumerate(flat) if t.start in cues), -1)
    parts = [
        i
        for i in range(max(at + 1, 1), len(flat))
        if flat[i][1].text in ("->", ":", "=", "=>")
        or flat[i][1].is_("to", "into", "as", "is", "be", "should", "shall")
    ]
    old, new = [t for _, t in flat[:at]] if at > 0 else [], [t for _, t in flat[at + 1 :]]
    for part in parts:
        before = [t for _, t in flat[:part] if t.start not in cues]
        if any(counts(t) or t.lower in PRONOUNS or t.lemma in _WHOLE for t in before):
            old, new = before, [t for _, t in flat[part + 1 :]]
            break
    else:
        if not any(counts(t) for t in old):
            old, new = _old_and_name(plan, old, new)
    new = [t for t in new if t.start not in cues]
    return _rename(plan, old, new, tokens, is_arrow=cue is None, has_mark=bool(parts))


def _is_naming(kinds: Sequence[tuple[str, Tokens]], at: int) -> bool:
    """Say whether "call", "called" or "name" speak of a name, not of a call centre or of naming a buddy."""
    token = kinds[at][1][0]
    before = kinds[at - 1][1][-1] if at else None
    if token.is_("rename", "retitle", "relabel", "title", "new"):
        return True
    if token.entry.form == "ed" or token.entry.form == "base ed":
        return before is not None and (before.has("aux", "adv") or before.lower in ("now", "be"))
    if token.is_("name") and before is not None and (before.has("det") or before.possessive or before.is_("new")):
        return True
    following = kinds[at + 1][1][0] if at + 1 < len(kinds) else None
    is_verb = (
        before is None or before.has("aux", "pron", "adv", "part") or before.is_("to", "please", "and", "now", "not")
    )
    return is_verb and following is not None and not (token.is_("name") and following.is_("a", "an"))


def _old_and_name(plan: Plan, before: Sequence[Token], words: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Return what is named and its name, of words without a mark between: "it Access"."""
    for size in range(min(len(words) - 1, 8), 0, -1):
        head = words[:size]
        points = all(not counts(t) or t.lower in PRONOUNS or t.lemma in _WHOLE for t in head)
        if points and head[-1].has("det") and head[-1].lower not in PRONOUNS:
            continue
        is_quoted = len(words) == size + 1 and words[-1].kind == "quoted" and plan.steps.maybe(head) is not None
        if points or is_quoted or plan.steps.is_named(head) or (len(head) == 1 and head[0].kind == "quoted"):
            return list(head), list(words[size:])
    return list(before), list(words)


def _rename(
    plan: Plan, old: Sequence[Token], new: Sequence[Token], all_tokens: Tokens, *, is_arrow: bool, has_mark: bool
) -> bool:
    words = [t for t in new if t.kind not in ("break", "bullet") and (t.kind != "punct" or t.text in "'/&-+%")]
    while words and words[-1].kind == "word" and words[-1].lower in _TRAIL:
        words.pop()
    while (
        words
        and (words[0].has("aux") or words[0].is_("to", "be", "now", "something", "like"))
        and words[0].kind == "word"
    ):
        words.pop(0)
    quoted = [t for t in words if t.kind == "quoted"]
    if not words or len(words) > 8 or (quoted and len(words) > 1) or any(t.text in (",", ";", ".") for t in new[:-1]):
        return False
    for at, token in enumerate(words[:-1]):
        following = words[at + 1]
        if token.is_("and", "then", "but", "instead", "not") and (
            following.lower in PRONOUNS
            or following.has("det")
            or phrase_at(words, at + 1, "verbs.tsv")[1]
            or token.is_("instead", "not")
        ):
            return False
    name = quoted[0].text if quoted else plan.text[words[0].start : words[-1].end].strip()
    name = name if quoted else name[:1].upper() + name[1:]
    left = [
        t
        for t in old
        if t.kind != "punct"
        and not t.has("aux", "prep", "part")
        and not t.is_("please", "no", "longer", "we", "i", "now", "new", "want")
    ]
    content = [t for t in left if counts(t)]
    own = plan.workflow.name.casefold()
    said = " ".join(t.lower for t in content)
    is_whole = said == own or (not content and (any(t.lemma in _WHOLE for t in left) or plan.steps.last is None))
    placed = any(t.is_("before", "after", "between", "if", "when") for t in (*old, *words) if t.kind == "word")
    renames = any(t.is_("rename") for t in all_tokens)
    if placed or not (left or (renames and has_mark)):
        return False
    if is_whole:
        if is_arrow and not said:
            return False
        plan.do({"op": "rename_workflow", "name": name})
        return True
    if not content:
        content = [t for t in left if t.lower in PRONOUNS]
    step = plan.steps.maybe([t for t in left if t.lower not in PRONOUNS or not any(map(counts, left))])
    if step is None and not is_arrow and renames:
        step = plan.steps.find(content)
    if step is None or (is_arrow and not quoted and (plan.is_role(words) or any(t.value is not None for t in words))):
        return False
    plan.do({"op": "rename_step", "step": step.id, "name": name})
    plan.steps.last = step.id
    return True


def _described(plan: Plan, tokens: Tokens, mask: frozenset[int]) -> bool:
    """Say what a step or the workflow is for, if a sentence does so wholly; say whether."""
    flat = with_names(plan, tokens, mask)
    cue = next(
        (at for at, t in enumerate(flat) if t.kind == "word" and t.is_("describe", "description", "summary")), None
    )
    if cue is None or any(t.is_("remove", "delete", "drop", "clear") for t in flat[: cue + 1]):
        return False
    marks = (":", "->", "=")
    part = next(
        (
            at
            for at in range(cue + 1, len(flat))
            if flat[at].text in marks
            or flat[at].is_("as", "to", "is", "be", "read", "say")
            or (flat[at].kind == "quoted" and flat[at].start not in mask)
        ),
        None,
    )
    if part is None:
        return False
    about = [
        t
        for t in (*flat[:cue], *flat[cue + 1 : part])
        if counts(t) and not t.is_("set", "change", "update", "add", "give", "make", "write")
    ]
    behind = list(flat[part:])
    while (
        behind
        and behind[0].kind != "quoted"
        and (
            behind[0].text in (":", "->", "=")
            or behind[0].is_("as", "to", "is", "be", "read", "say", "should", "shall", "follows")
        )
    ):
        behind.pop(0)
    if not behind or (behind[0].kind == "quoted" and len(behind) > 1):
        return False
    text = behind[0].text if behind[0].kind == "quoted" else plan.text[behind[0].start : behind[-1].end]
    own = {*content_of(plan.workflow.name), *_WHOLE}
    if all(t.lower in own or t.lemma in own for t in about):
        plan.do({"op": "set_description", "description": text})
        return True
    step = plan.steps.maybe(about)
    if step is None:
        return False
    plan.do({"op": "update_step", "step": step.id, "set": {"description": text}})
    plan.steps.last = step.id
    return True


def _schedules(plan: Plan) -> list[tuple[int, ScheduleTrigger]]:
    return [(at, one) for at, one in enumerate(plan.workflow.triggers) if isinstance(one, ScheduleTrigger)]


def _at_other_time(plan: Plan, hour: int, minute: int) -> JsonObject | None:
    """Return the only schedule there is, at another time of day."""
    known = _schedules(plan)
    if len(known) != 1 or known[0][1].cron is None:
        return None
    document = known[0][1].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    cron = " ".join([str(minute), str(hour), *known[0][1].cron.split()[2:]])
    return {**document, "type": "schedule", "cron": cron}


def _exchanged(plan: Plan, tokens: Tokens, used: set[int], trigger: JsonObject, old: Tokens) -> list[JsonObject]:
    """Return the edits that put a schedule in the place of the only one, if that is as it was said to be."""
    known = _schedules(plan)
    if len(known) != 1 or _unplaced(plan, tokens, used):
        return []
    index, before = known[0]
    said = {f"{t.value:g}" for t in old if t.value is not None and t.value == int(t.value)}
    if not said <= set(re.findall(r"\d+", before.cron or before.every or "")):
        return []
    if before.timezone and trigger.get("cron"):
        trigger = {**trigger, "timezone": before.timezone}
    return [{"op": "remove_trigger", "index": index}, {"op": "add_trigger", "trigger": trigger}]


def _without_trigger(
    plan: Plan, tokens: Tokens, used: set[int], trigger: JsonObject | None, *, cued: bool
) -> list[JsonObject]:
    """Return the edit that takes away the one trigger that words mean."""
    kind = (
        str(trigger["type"])
        if trigger
        else "schedule"
        if any(t.is_("schedule", "automatically", "timer", "cron") for t in tokens)
        else ""
    )
    if not kind and not cued:
        return []
    fitting = [at for at, one in enumerate(plan.workflow.triggers) if not kind or one.type == kind]
    left = [
        t
        for t in _unplaced(plan, tokens, used)
        if not t.is_("schedule", "not", "no", "need", "longer", "any", "more", "timer", "cron", "automatically")
    ]
    if left:
        named = [
            at for at in fitting if all(t.lower in str(plan.workflow.triggers[at].model_dump()).lower() for t in left)
        ]
        fitting = named
    return [{"op": "remove_trigger", "index": fitting[0]}] if len(fitting) == 1 else []
