"""Orders about names and about the workflow as a whole: its tags, its aliases, and what starts it."""

import itertools
import re
from collections.abc import Iterator, Sequence

from workflow_agent.assistant.offline.clauses import counts, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import WHOLE, Plan, listed, titled
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.units import Unit, units_of, words_in
from workflow_agent.assistant.offline.values import clock_at, schedule_at
from workflow_agent.workflows.model.triggers import ScheduleTrigger

_AROUND = word_set("header.around")
_LABEL_AROUND = word_set("header.label_around")
_TRAIL = word_set("naming.trail")
_MARKS = (":", "->", "=")
_MOST_NAME_WORDS = 8
_MOST_LABEL_WORDS = 4


def read_label(plan: Plan, tokens: Tokens, *, takes: bool = False) -> bool:
    """Add or take tags and aliases, if a clause says so wholly; say whether."""
    units = units_of(tokens)
    kinds = [unit.kind for unit in units]
    cue = next((kind for kind in kinds if kind in ("tag", "untag", "alias")), "")
    if not cue and any(u.kind == "name" for u in units) and (plan.is_also or any(t.is_("people") for t in tokens)):
        cue = "alias"
    last = str(plan.edits[-1]["op"]) if plan.edits else ""
    if (
        not cue
        and last in ("tag", "untag", "add_alias", "remove_alias")
        and tokens[0].is_("add", "remove", "drop", "delete")
    ):
        cue = "alias" if "alias" in last else "tag"
    if not cue or {"length", "start", "late"} & set(kinds) or ("name" in kinds and cue == "tag"):
        return False
    name = "alias" if cue == "alias" else "tag"
    takes = takes or bool({"remove", "clear", "untag"} & set(kinds)) or any(t.is_("not") for t in tokens)
    words = [
        t
        for unit in units
        if unit.kind not in _LABEL_MARKS
        for t in unit.tokens
        if t.kind == "quoted"
        or t.text in (",", "&", "-")
        or not (t.kind == "punct" or t.lower in _LABEL_AROUND or t.lemma in WHOLE)
    ]
    edits: list[JsonObject] = []
    known = {one.casefold() for one in (plan.workflow.tags if name == "tag" else plan.workflow.aliases)}
    for piece in listed(words):
        value = _label(plan, piece)
        if value is None or (takes and value.casefold() not in known):
            return False
        edits.append({"op": {"tag": "untag", "alias": "remove_alias"}[name] if takes else _ADDS[name], name: value})
    if not edits:
        return False
    plan.do(*edits)
    return True


_LABEL_MARKS = {"tag", "untag", "alias", "remove", "clear", "gone", "old", "let", "bound", "give"}
_ADDS = {"tag": "tag", "alias": "add_alias"}


def _label(plan: Plan, words: Sequence[Token]) -> str | None:
    """Return the name that words are; None where they are none, or more than one."""
    if any(t.kind == "quoted" for t in words):
        return words[0].text if len(words) == 1 else None
    text = plan.text[words[0].start : words[-1].end]
    is_run = len(text.split()) <= len([t for t in words if t.kind != "punct"])
    plain = not any(t.has("aux", "wh", "conj", "neg") for t in words)
    return text if is_run and plain and len(words) <= _MOST_LABEL_WORDS + 2 * text.count("-") else None


def read_description(plan: Plan, tokens: Tokens) -> bool:
    """Say what a step or the workflow is for, if a clause does so wholly; say whether."""
    cue = next(
        (at for at, t in enumerate(tokens) if t.kind == "word" and t.is_("describe", "description", "summary")), -1
    )
    if cue < 0:
        return False
    part = next(
        (
            at
            for at in range(cue + 1, len(tokens))
            if tokens[at].text in _MARKS
            or tokens[at].is_("as", "to", "is", "be", "read", "say")
            or (tokens[at].kind == "quoted" and plan.maybe(tokens[at : at + 1]) is None)
        ),
        len(tokens),
    )
    behind = list(tokens[part:])
    while (
        behind
        and behind[0].kind != "quoted"
        and (
            behind[0].text in _MARKS
            or behind[0].is_("as", "to", "is", "be", "read", "say", "should", "shall", "follows", "now")
        )
    ):
        behind.pop(0)
    if not behind or (behind[0].kind == "quoted" and len(behind) > 1):
        return False
    text = behind[0].text if behind[0].kind == "quoted" else plan.text[behind[0].start : behind[-1].end]
    about = [t for t in (*tokens[:cue], *tokens[cue + 1 : part]) if counts(t) and t.lower not in _LABEL_AROUND]
    own = {*content_of(plan.workflow.name), *WHOLE}
    if all(t.lower in own or t.lemma in own for t in about):
        plan.do({"op": "set_description", "description": text})
        return True
    step = plan.maybe(about)
    if step is not None:
        plan.do({"op": "update_step", "step": step.id, "set": {"description": text}})
    return step is not None


def read_name(plan: Plan, tokens: Tokens) -> bool:
    """Give a step or the workflow another name, if a clause says so wholly; say whether.

    Raises:
        StepUnclear: It does, but of no step, or of what may be several.
    """
    units = units_of(tokens)
    cues = {at for at, unit in enumerate(units) if unit.kind == "name" and _is_naming(units, at)}
    arrow = any(t.text in ("->", "=") for t in tokens)
    first, joint, last = tokens[:1], tokens[1:2], tokens[-1:]
    if all(t.kind == "quoted" for t in (*first, *last)) and any(t.is_("is", "be") for t in joint):
        # "“Operate” is now “Surgery”".
        arrow = plan.maybe(first) is not None and plan.maybe(last) is None
    turned = tokens[0].is_("change", "turn", "make") and tokens[-1].kind == "quoted" and plan.maybe(tokens[-1:]) is None
    to = next((at for at, t in enumerate(tokens) if at > 1 and t.is_("to", "into")), 0)
    is_whole = tokens[0].is_("change", "turn") and to == 2 and tokens[1].kind == "quoted"
    if is_whole and not plan.is_role(tokens[3:]) and not any(t.value is not None for t in tokens[3:]):
        # "Change Send survey into Send short survey", the whole name and no other value.
        turned = plan.maybe(tokens[3:]) is None or not plan.steps.is_named(tokens[3:])
    if turned and any(t.is_("to", "into") for t in tokens) and plan.maybe(tokens[1:2]) is not None:
        cues = {0}
    if not cues and not arrow:
        return False
    unclear: StepUnclear | None = None
    for old, new in _old_and_new(plan, units, cues):
        name = _name_in(plan, new)
        left = [t for t in old if t.kind == "quoted" or not (t.kind == "punct" or t.has("aux", "prep", "part", "neg"))]
        left = [t for t in left if t.kind == "quoted" or not t.among("header.named")]
        if name is None or any(t.is_("before", "after", "between", "if") for t in old if t.kind == "word"):
            continue
        content = [t for t in left if counts(t) and t.lower not in PRONOUNS]
        said = " ".join(t.lower for t in content)
        own = plan.workflow.name.casefold()
        points = any(t.lower in PRONOUNS for t in left)
        mine = any(t.lemma in WHOLE for t in left) and {t.lower for t in content} <= set(own.split())
        if (
            said == own
            or mine
            or (
                not content
                and (
                    any(t.lemma in WHOLE or t.is_("thing", "whole") for t in left)
                    or (points and plan.steps.last is None)
                )
            )
        ):
            if cues or said:
                plan.do({"op": "rename_workflow", "name": name})
                return True
            continue
        if not content and not points:
            if cues and not left and not any(plan.edits):
                plan.do({"op": "rename_workflow", "name": name})
                return True
            continue
        if not cues and said in {(s.assignee or "").replace("_", " ") for s in plan.workflow.steps}:
            continue
        is_value = not any(t.kind == "quoted" for t in new) and (
            plan.is_role(new) or any(t.value is not None for t in new)
        )
        if not cues and is_value:
            continue
        try:
            step = plan.step(left)
        except StepUnclear as none:
            unclear = unclear or none
            continue
        if (step.name == name and not points) or (
            not cues and not any(t.kind == "quoted" for t in new) and plan.maybe(new)
        ):
            continue
        plan.do({"op": "rename_step", "step": step.id, "name": name})
        plan.steps.last = step.id
        return True
    if unclear is not None and any(t.is_("rename", "retitle", "relabel") for t in tokens):
        raise unclear
    return False


def _is_naming(units: Sequence[Unit], at: int) -> bool:
    """Say whether "call" or "name" speak of a name, not of a phone call or of naming a buddy."""
    token = units[at].head
    before = units[at - 1].head if at else None
    following = units[at + 1].head if at + 1 < len(units) else None
    if following is not None and following.is_("by") and token.lower in ("called", "named"):
        return False
    if token.is_("rename", "retitle", "relabel", "title", "new", "know", "go"):
        return True
    if token.lower in ("called", "named"):
        return before is not None and (
            before.has("aux", "adv", "det", "conj") or before.kind == "quoted" or before.is_("now", "be", "not")
        )
    if token.is_("name") and (
        following is None or following.text in _MARKS or following.is_("of", "is", "to", "for", "should")
    ):
        return True
    if following is None or following.is_("a", "an"):
        return False
    return before is None or before.has("aux", "pron", "adv", "part", "conj", "filler") or before.kind == "punct"


def _old_and_new(plan: Plan, units: Sequence[Unit], cues: set[int]) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the ways to read what is named and its new name."""
    flat = [(at in cues, t) for at, unit in enumerate(units) for t in unit.tokens]
    last_cue = max((i for i, (cue, _) in enumerate(flat) if cue), default=-1)
    first_cue = next((i for i, (cue, _) in enumerate(flat) if cue), 0)
    plain = [t for cue, t in flat if not cue]
    for i in range(max(first_cue, 1), len(flat) - 1):
        cue, token = flat[i]
        if not cue and (token.text in _MARKS or token.is_("to", "into", "as", "is", "be", "should", "shall", "in")):
            yield tuple(t for c, t in flat[:i] if not c), tuple(t for c, t in flat[i + 1 :] if not c)
    if first_cue > 0 and last_cue < len(flat) - 1:
        yield tuple(t for c, t in flat[:first_cue] if not c), tuple(t for _, t in flat[last_cue + 1 :])
    for size in range(min(len(plain) - 1, _MOST_NAME_WORDS), 0, -1):
        head, rest = tuple(plain[:size]), tuple(plain[size:])
        points = all(not counts(t) or t.lower in PRONOUNS or t.lemma in WHOLE for t in head)
        if (
            (points and not (head[-1].has("det") and head[-1].lower not in PRONOUNS))
            or plan.steps.is_named(head)
            or (rest[0].kind == "quoted" and plan.maybe(head))
            or head[-1].kind == "quoted"
        ):
            yield head, rest


def _name_in(plan: Plan, tokens: Tokens) -> str | None:
    """Return the name that words are, or None."""
    words = [t for t in tokens if t.kind != "punct" or t.text in "'/&-+%"]
    while words and words[-1].kind == "word" and words[-1].lower in _TRAIL:
        words.pop()
    while (
        words
        and words[0].kind == "word"
        and (words[0].has("aux") or words[0].is_("to", "now", "something", "like", "be"))
    ):
        words.pop(0)
    if len(words) > 1 and words[0].lower in PRONOUNS and words[1].kind == "quoted":
        words.pop(0)
    if words and words[0].is_("a", "an", "this", "that") and words[0].kind == "word":
        return None
    quoted = [t for t in words if t.kind == "quoted"]
    inner = [t for t in tokens[:-1] if t.text in (",", ";", ".", ":", "->", "=")]
    if not words or len(words) > _MOST_NAME_WORDS or inner or (quoted and len(words) > 1):
        return None
    for token, following in itertools.pairwise(words):
        if token.is_("instead", "not", "because", "if") or (
            token.is_("and", "then", "but")
            and (following.lower in PRONOUNS or following.has("det") or phrase_at((following,), 0, "verbs.tsv")[1])
        ):
            return None
    return quoted[0].text if quoted else titled(plan.text[words[0].start : words[-1].end])


def read_trigger(plan: Plan, tokens: Tokens, *, takes: bool = False) -> bool:
    """Add, replace or take what starts the workflow, if a clause says so wholly; say whether."""
    units = units_of(tokens)
    kinds = [unit.kind for unit in units]
    old: Tokens | None = None
    if "old" in kinds:
        cut = kinds.index("old")
        old = words_in(units[cut + 1 :])
        units, kinds = units[:cut], kinds[:cut]
    flat = words_in(units)
    takes = takes or "remove" in kinds or "clear" in kinds or any(t.is_("not", "no") for t in flat)
    used = {t.start for u in units if u.kind in _TRIGGER_KINDS for t in u.tokens}
    if len(flat) > 2 and "base" in flat[0].entry.form and flat[1].lower in PRONOUNS:
        used.add(flat[0].start)
    trigger = _trigger(plan, flat, kinds, used, takes=takes)
    if takes:
        edits = _without_trigger(plan, flat, used, trigger, cued="start" in kinds)
    elif trigger is None or _unplaced(plan, flat, used):
        edits = []
    else:
        edits: list[JsonObject] = [{"op": "add_trigger", "trigger": trigger}]
        known = _schedules(plan)
        also = any(t.is_("also", "too", "additionally", "another", "well") for t in flat)
        if trigger["type"] == "schedule" and known and not also:
            index, before = known[0]
            said = {f"{t.value:g}" for t in old or () if t.value is not None and t.value == int(t.value)}
            if len(known) > 1 or not said <= set(re.findall(r"\d+", before.cron or before.every or "")):
                return False
            if trigger.get("cron") and before.cron:
                timed = any(clock_at(flat, at) for at in range(len(flat))) or any(t.is_("at") for t in flat)
                parts = str(trigger["cron"]).split()
                cron = " ".join(parts if timed else [*before.cron.split()[:2], *parts[2:]])
                edits[0]["trigger"] = {**trigger, "cron": cron, "timezone": before.timezone or "UTC"}
            edits.insert(0, {"op": "remove_trigger", "index": index})
            if old is None and not _changes(flat):
                plan.notes.append("a schedule is there already, which this would replace")
        elif old is not None:
            return False
    if edits:
        plan.do(*edits)
    return bool(edits)


_TRIGGER_KINDS = ("start", "remove", "clear", "gone", "let", "bound", "webhook", "manual", "event", "give")


def _changes(tokens: Sequence[Token]) -> bool:
    return any(
        t.is_("now", "only", "change", "set", "move", "reschedule", "make", "same", "switch") for t in tokens
    ) or (not any(t.is_("add", "trigger") for t in tokens))


def _trigger(plan: Plan, flat: Tokens, kinds: Sequence[str], used: set[int], *, takes: bool) -> JsonObject | None:
    """Return the trigger that words tell, having noted which tell it."""
    for at in range(len(flat)):
        if (found := schedule_at(flat, at)) is not None:
            used |= {t.start for t in flat[at : found.end]}
            same = any(t.is_("same") for t in flat) and len(_schedules(plan)) == 1
            was = (_schedules(plan)[0][1].cron or "").split() if same else []
            used |= {t.start for t in flat if same and t.is_("same", "hour", "time")}
            if was and found.value.get("cron"):
                return {**found.value, "cron": " ".join([*was[:2], *found.value["cron"].split()[2:]])}
            return found.value
    event = next((t for t in flat if t.has("name") and "." in t.text and t.kind == "word"), None)
    if "webhook" in kinds:
        path = next((i for i, t in enumerate(flat) if t.text == "/"), None)
        if path is None:
            return {"type": "webhook"}
        end = path
        while end < len(flat) and (end == path or flat[end].start == flat[end - 1].end):
            end += 1
        used |= {t.start for t in flat[path:end]}
        return {"type": "webhook", "path": plan.text[flat[path].start : flat[end - 1].end]}
    if "manual" in kinds and ("start" in kinds or takes):
        return {"type": "manual"}
    if event is not None and ("start" in kinds or "event" in kinds):
        used.add(event.start)
        return {"type": "event", "event": event.text}
    quoted = next((t for t in flat if t.kind == "quoted"), None)
    if "event" in kinds and "start" in kinds and quoted is not None:
        used.add(quoted.start)
        return {"type": "event", "event": quoted.text}
    if "start" not in kinds or takes:
        return None
    return _other_time(plan, flat, used) or _occasion(flat, used)


def _other_time(plan: Plan, flat: Tokens, used: set[int]) -> JsonObject | None:
    """Return the only schedule there is, at another time of day."""
    at = next((i for i in range(len(flat)) if flat[i].value is not None), None)
    known = _schedules(plan)
    if at is None or len(known) != 1 or known[0][1].cron is None:
        return None
    clock = clock_at(flat, at)
    hour = flat[at].value or 0
    if clock is None and not (at and flat[at - 1].is_("at") and hour < 24):
        return None
    told = clock.value if clock else (int(hour), 0)
    used |= {t.start for t in flat[at : clock.end if clock else at + 1]}
    document = known[0][1].model_dump(mode="json", by_alias=True, exclude_defaults=True)
    cron = " ".join([str(told[1]), str(told[0]), *known[0][1].cron.split()[2:]])
    return {**document, "type": "schedule", "cron": cron}


def _occasion(flat: Tokens, used: set[int]) -> JsonObject | None:
    """Return the event that "when a pull request is opened" tells."""
    at = next(
        (
            i
            for i, t in enumerate(flat)
            if t.is_("when", "whenever", "if") or (t.lower == "every" and flat[min(i + 1, len(flat) - 1)].is_("time"))
        ),
        None,
    )
    if at is None:
        return None
    behind = [t for t in flat[at + 1 :] if t.is_content and not t.is_("time")]
    if not 0 < len(behind) <= 4 or any(t.kind == "punct" for t in flat[at + 1 :]):
        return None
    used |= {t.start for t in flat[at:]}
    return {"type": "event", "event": "_".join(t.lemma for t in behind)}


def _unplaced(plan: Plan, tokens: Tokens, used: set[int]) -> list[Token]:
    """Return the words that are no part of a trigger, nor of the workflow's own name."""
    own = [word for one in (plan.workflow.name, *plan.workflow.aliases) for word in content_of(one)]
    return [
        t
        for t in tokens
        if counts(t)
        and t.start not in used
        and not ({t.lower, t.lemma} & (_AROUND | WHOLE | PRONOUNS))
        and not any(akin(t.lower, one) for one in own)
    ]


def _schedules(plan: Plan) -> list[tuple[int, ScheduleTrigger]]:
    return [(at, one) for at, one in enumerate(plan.workflow.triggers) if isinstance(one, ScheduleTrigger)]


def _without_trigger(
    plan: Plan, tokens: Tokens, used: set[int], trigger: JsonObject | None, *, cued: bool
) -> list[JsonObject]:
    """Return the edit that takes away the one trigger that words mean."""
    timed = any(t.is_("schedule", "automatically", "timer", "cron") for t in tokens)
    kind = str(trigger["type"]) if trigger else "schedule" if timed else ""
    if not kind and not cued:
        return []
    fitting = [at for at, one in enumerate(plan.workflow.triggers) if not kind or one.type == kind]
    left = [t for t in _unplaced(plan, tokens, used) if not t.among("header.gone")]
    named = [at for at in fitting if all(t.lower in str(plan.workflow.triggers[at].model_dump()).lower() for t in left)]
    return [{"op": "remove_trigger", "index": named[0]}] if len(named) == 1 else []
