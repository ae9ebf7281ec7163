"""Orders that set something: owner, deadline, retries, threshold, name, tags."""

import re
from collections.abc import Sequence

from workflow_agent.assistant.offline.clauses import Clause, counts, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, StepUnclear
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import Found, durations_in, schedule_at, times_at
from workflow_agent.workflows.model.steps import Step

NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?[kKmM]?\b")
_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_BACKOFF = frozenset({"exponential", "exponentially", "linear", "linearly", "fixed", "constant"})


def field_of(tokens: Sequence[Token]) -> tuple[str, Tokens]:
    """Return what a noun phrase names that can be set, or "", and its other words."""
    for at in range(len(tokens)):
        if tokens[at].kind != "word":
            continue
        end, kinds = phrase_at(tokens, at, "fields.tsv")
        if kinds:
            return kinds[0], (*tokens[:at], *tokens[end:])
    return "", tuple(tokens)


def all_durations(clause: Clause) -> list[tuple[Tokens, str]]:
    """Return the lengths of time a clause names, each with its tokens, that nothing has read yet."""
    found: list[tuple[Tokens, str]] = []
    for at, one in durations_in(clause.tokens):
        tokens = clause.tokens[at : one.end]
        if tokens[0].start not in clause.used:
            found.append((tokens, one.value))
    return found


def take_duration(clause: Clause) -> str | None:
    """Return the one length of time of a clause, then read; None where there is none, or more than one."""
    found = all_durations(clause)
    if len(found) != 1:
        return None
    clause.use(found[0][0])
    for part in clause.parts:
        if part.marker in word_set("settings.take_duration.within") and any(t in found[0][0] for t in part.tokens):
            clause.use(part.mark)
    return found[0][1]


def take_times(clause: Clause) -> int | None:
    """Return how often, then read: "3 times", "twice", "5 attempts"; also the only bare number."""
    for at in range(len(clause.tokens)):
        found = times_at(clause.tokens, at)
        if found is not None and clause.tokens[at].start not in clause.used:
            clause.use(clause.tokens[at : found.end])
            clause.use(t for t in clause.tokens[max(at - 3, 0) : at] if t.among("settings.take_times.no"))
            clause.use(t for t in clause.tokens if t.is_("most", "maximum", "max", "up"))
            return found.value
    numbers = [t for t in clause.tokens if t.value is not None and t.start not in clause.used and t.kind == "number"]
    if len(numbers) == 1 and numbers[0].value == int(numbers[0].value or 0):
        clause.use(numbers)
        return int(numbers[0].value or 0)
    return None


def step_of(plan: Plan, clause: Clause, *candidates: Sequence[Token]) -> Step:
    """Return the step that the first of these phrases means that says anything, "it" where none does.

    Raises:
        StepUnclear: It means none, or may mean several.
    """
    for tokens in candidates:
        kept = tuple(t for t in tokens if t.start not in clause.used and not t.is_("no", "only", "already", "maximum"))
        if any(counts(t) or t.lower in PRONOUNS for t in kept):
            return plan.step(clause, kept)
    if plan.steps.last is not None and (last := plan.workflow.step(plan.steps.last)) is not None:
        return last
    raise Asked("For which step?", plan.text.rstrip(" .!") + " for ", "")


def _behind(clause: Clause, *markers: str) -> Tokens:
    part = next(
        (p for p in clause.parts if p.marker in markers and not all(t.start in clause.used for t in p.tokens)), None
    )
    if part is None:
        return ()
    clause.use(part.mark)
    return part.tokens


def set_timeout(plan: Plan, clause: Clause, rest: Tokens) -> None:
    """Set, change or take away how long a step may take."""
    length = take_duration(clause)
    if length is None:
        raise NotRead
    step = step_of(plan, clause, rest, _behind(clause, "of", "for", "on", "to"), clause.subject)
    plan.do(
        {"op": "set_timeout", "step": step.id, "timeout": length}
        if step.type != "wait"
        else {"op": "update_step", "step": step.id, "set": {"duration": length}}
    )


def set_retry(plan: Plan, clause: Clause, rest: Tokens) -> None:
    """Set how often a failed step is tried again, how far apart, and with what backoff."""
    how = next((t for t in clause.tokens if t.lower in _BACKOFF), None)
    clause.use(
        t for t in clause.tokens if t.lower in _BACKOFF or t.is_("backoff", "interval", "apart", "wait", "delay")
    )
    interval: str | None = None
    spans = all_durations(clause)
    if len(spans) == 1:
        clause.use(spans[0][0])
        interval = spans[0][1]
        for part in clause.parts:
            if any(t in spans[0][0] for t in part.tokens):
                clause.use(part.mark)
        clause.use(t for t in clause.tokens if t.is_("every", "with", "between"))
    times = take_times(clause)
    clause.use(
        t
        for t in clause.tokens
        if t.among("settings.set_retry.fail") and t.start not in clause.used and t.is_("fail", "attempt", "try")
    )
    part = clause.part("if")
    if part is not None and all(t.is_("it", "fail", "error", "the", "they") for t in part.tokens):
        clause.use_part(part)
    step = step_of(plan, clause, rest, _behind(clause, "of", "for", "on", "to"), clause.subject)
    if times is None and how is None and interval is None:
        raise Asked("How often at most?", plan.text.rstrip(" .!") + " ", " times")
    known = step.retry.model_dump(mode="json", exclude_defaults=True) if step.retry else {}
    retry: JsonObject = {**known}
    if times is not None:
        if times < 1:
            raise NotRead
        retry["max_attempts"] = times
    if interval is not None:
        retry["interval"] = interval
    if how is not None:
        retry["backoff"] = {"exp": "exponential", "lin": "linear"}.get(how.lower[:3], "fixed")
    plan.do({"op": "set_retry", "step": step.id, "retry": retry})


def set_owner(plan: Plan, clause: Clause, steps: Sequence[Step], who: Sequence[Token]) -> None:
    """Set who does steps."""
    name = plan.role(clause, who)
    for step in steps:
        edits: list[JsonObject] = [{"op": "set_assignee", "step": step.id, "assignee": name}]
        plan.do(*edits)


def rename(plan: Plan, clause: Clause) -> None:
    """Give a step or the workflow another name."""
    part = clause.part("to", "as", "called", "with")
    old, new = clause.object, part.tokens if part else ()
    if part is None or not new:
        quoted = [t for t in clause.object if t.kind == "quoted"]
        if len(quoted) == 2:
            old, new = (quoted[0],), (quoted[1],)
        elif len(quoted) == 1 and clause.object[-1] is quoted[0]:
            old, new = clause.object[:-1], (quoted[0],)
        elif clause.object and clause.object[0].lower in PRONOUNS and len(clause.object) > 1:
            old, new = clause.object[:1], clause.object[1:]
        elif (at := next((i for i, t in enumerate(old[:-1]) if t.is_("step", "task") and i), 0)) > 0:
            old, new = old[: at + 1], old[at + 1 :]
        else:
            raise NotRead
    else:
        clause.use(part.mark)
        behind = clause.parts[clause.parts.index(part) + 1 :]
        if behind and not any(t.kind == "quoted" for t in new):
            for more in behind:
                if more.marker == "tail":
                    clause.use(more.mark)
                    break
                new = (*new, *more.mark, *more.tokens)
    field, rest = field_of(old)
    of = clause.part("of", "from")
    if field == "name":
        clause.use(old)
        old = tuple(t for t in rest if counts(t)) or (of.tokens if of else ())
        if of is not None:
            clause.use_part(of)
    elif of is not None and of is not part:
        old = (*old, *of.mark, *of.tokens)
    rename_to(plan, clause, old, new)


def rename_to(plan: Plan, clause: Clause, old: Sequence[Token], new: Sequence[Token]) -> None:
    """Name what words mean, a step or the workflow."""
    cut = next((at for at, t in enumerate(new) if t.text == "(" and at), len(new))
    new = new[:cut]
    words = [t for t in new if t.kind != "punct"]
    while len(words) > 1 and words[0].kind != "quoted" and words[0].is_("something", "rather"):
        words.pop(0)
    quoted = [t for t in words if t.kind == "quoted"]
    name = quoted[0].text if len(quoted) == 1 else plan.said(words)
    name = name.strip(" .,!")
    if not name or (len(quoted) != 1 and len(words) > 8):
        raise NotRead
    clause.use(new)
    name = name[:1].upper() + name[1:] if not quoted else name
    if all(t.lemma in _WHOLE or not counts(t) for t in old) and (
        any(t.lemma in _WHOLE for t in old) or (plan.steps.last is None and plan.steps.pointed is None)
    ):
        clause.use(old)
        plan.do({"op": "rename_workflow", "name": name})
        return
    said = " ".join(t.lower for t in old if not t.has("det") and t.kind != "punct" and t.lemma not in _WHOLE)
    if said == plan.workflow.name.casefold() and not plan.steps.is_named(old):
        clause.use(old)
        plan.do({"op": "rename_workflow", "name": name})
        return
    step = plan.step(clause, old)
    plan.do({"op": "rename_step", "step": step.id, "name": name})


def set_threshold(plan: Plan, clause: Clause, rest: Tokens) -> None:
    """Put another number into the conditions that have the old one, or the only one."""
    numbers = [t for t in clause.tokens if t.kind == "number" and t.start not in clause.used]
    if not numbers or len(numbers) > 2:
        raise NotRead
    old, new = _old_and_new(clause, numbers)
    clause.use(numbers)
    for part in clause.parts:
        if any(t in numbers for t in part.tokens):
            clause.use(part.mark, (t for t in part.tokens if t in numbers or t.among("settings.set_threshold.euro")))
    clause.use(t for t in clause.tokens if t.among("settings.set_threshold.instead"))
    for part in clause.parts:
        if part.marker in ("instead", "from", "instead0") and any(t in numbers for t in part.tokens):
            clause.use_part(part)
    changed = conditions_with(plan, old)
    about = [t for t in rest if counts(t) and t.start not in clause.used]
    about += [
        t
        for p in clause.parts
        if p.marker in ("of", "for", "on", "in")
        for t in p.tokens
        if counts(t) and t.start not in clause.used
    ]
    changed = _narrowed(plan, clause, changed, about)
    values = {amount_of(found) for _, text in changed for found in NUMBER.findall(text)}
    if old is None and len(values) != 1:
        raise Asked(
            "Which number shall change? "
            + (
                "The conditions have " + ", ".join(sorted(f"{v:g}" for v in values))
                if values
                else "No condition has one"
            )
            + ".",
            plan.text.rstrip(" .!") + " instead of ",
            "",
        )
    if not changed:
        raise NotRead(f"no condition says {old:g}" if old is not None else "no condition has a number")
    only = next(iter(values)) if old is None else old
    edits: list[JsonObject] = []
    for kind, text in changed:
        said = NUMBER.sub(lambda m: _like(m[0], new) if amount_of(m[0]) == only else m[0], text)
        name, _, owner = kind.partition(":")
        op: JsonObject = (
            {"op": "update_transition", "transition": owner} if name == "edge" else {"op": "update_step", "step": owner}
        )
        edits.append({**op, "set": {"when": {"text": said}}})
    plan.do(*edits)


def _old_and_new(clause: Clause, numbers: list[Token]) -> tuple[float | None, Token]:
    if len(numbers) == 1:
        return None, numbers[0]
    first, second = numbers
    at = {t.start: i for i, t in enumerate(clause.tokens)}
    before_second = clause.tokens[max(at[second.start] - 3, 0) : at[second.start]]
    if any(t.is_("of", "than", "not") for t in before_second) and any(
        t.is_("instead", "rather", "not") for t in before_second
    ):
        return second.value, first
    return first.value, second


def conditions_with(plan: Plan, value: float | None) -> list[tuple[str, str]]:
    """Return the conditions that have a number, or this one: whose they are, and what they say."""
    found = [(f"edge:{e.id}", e.when.text) for e in plan.workflow.transitions if e.when and e.when.text]
    found += [(f"step:{s.id}", s.when.text) for s in plan.workflow.steps if s.when and s.when.text]
    return [
        (kind, text)
        for kind, text in found
        if any(value is None or amount_of(one) == value for one in NUMBER.findall(text))
    ]


def _narrowed(plan: Plan, clause: Clause, found: list[tuple[str, str]], about: list[Token]) -> list[tuple[str, str]]:
    """Keep the conditions that words speak of: by a word of theirs, or the step they lead to or from."""
    words = [t for t in about if t.lemma not in word_set("settings.narrowed.approval")]
    if not words:
        clause.use(about)
        return found
    step = plan.steps.maybe(words)
    if step is not None:
        ends = {f"edge:{e.id}" for e in plan.workflow.transitions if step.id in (e.from_, e.to)} | {f"step:{step.id}"}
        narrowed = [one for one in found if one[0] in ends]
    else:
        narrowed = [one for one in found if all(t.lemma in one[1].casefold() for t in words)]
    if narrowed:
        clause.use(about)
        return narrowed
    return found


def with_number(text: str, new: Token) -> str:
    """Return a condition with another number in place of its own."""
    return NUMBER.sub(lambda found: _like(found[0], new), text)


def amount_of(text: str) -> float:
    plain = text.lstrip("$€£").replace(",", "").lower()
    scale = {"k": 1e3, "m": 1e6}.get(plain[-1:], 1)
    return float(plain.rstrip("km") or 0) * scale


def _like(old: str, new: Token) -> str:
    """Return a new number written the way the old one is: with its currency and commas."""
    sign = old[0] if old[0] in "$€£" else ""
    value = new.value or 0
    text = new.text.lstrip("$€£")
    if "," in old and value >= 1000 and value == int(value):
        text = f"{int(value):,}"
    elif text[-1:].lower() in "km" and old[-1:].lower() not in "km":
        text = f"{value:g}" if value < 1e6 else f"{int(value)}"
    return (sign or (new.text[0] if new.text[0] in "$€£" else "")) + text


def set_trigger(plan: Plan, clause: Clause, *, replaces: bool) -> None:
    """Say what starts the workflow: a schedule, an event, a webhook, somebody."""
    trigger, span = trigger_in(plan, clause)
    if trigger is None:
        raise NotRead
    clause.use(span)
    instead = clause.part("instead", "instead0")
    if instead is not None:
        replaces = True
        clause.use_part(instead)
    replaces = replaces or any(t.is_("now", "only") for t in clause.tokens)
    same = [
        at
        for at, one in enumerate(plan.workflow.triggers)
        if one.type == trigger["type"] and one.type in ("schedule", "manual")
    ]
    if replaces or (same and trigger["type"] == "schedule"):
        for at in reversed(same):
            plan.do({"op": "remove_trigger", "index": at})
        if same and not replaces:
            plan.notes.append("a schedule is there already, which this would replace")
    plan.do({"op": "add_trigger", "trigger": trigger})


_TRIGGER_WORDS = word_set("settings.trigger_words")


def trigger_in(plan: Plan, clause: Clause) -> tuple[JsonObject | None, Tokens]:
    """Return the trigger a clause names, and its tokens."""
    tokens = clause.tokens
    for at in range(len(tokens)):
        found: Found[JsonObject] | None = schedule_at(tokens, at)
        if found is not None:
            around = tuple(t for t in tokens if t.lemma in _TRIGGER_WORDS or t.lower in _TRIGGER_WORDS)
            return found.value, (*tokens[at : found.end], *around)
    words = {t.lemma for t in tokens}
    around = tuple(t for t in tokens if t.lemma in _TRIGGER_WORDS)
    if "webhook" in words:
        return {"type": "webhook"}, (*around, *(t for t in tokens if t.lemma == "webhook"))
    if words & {"manual", "manually", "hand"}:
        return {"type": "manual"}, (*around, *(t for t in tokens if t.is_("manual", "manually", "hand", "by")))
    part = clause.part("if", "after")
    if part is not None and part.tokens:
        event = [t for t in part.tokens if t.is_content or t.kind == "quoted"]
        named = next((t for t in event if t.has("name") or t.kind == "quoted"), None)
        name = named.text if named else "_".join(t.lemma for t in event)
        if event and len(event) <= 4:
            return {"type": "event", "event": name}, (*around, *part.tokens, *part.mark)
    named = next((t for t in tokens if t.has("name") and "." in t.text), None)
    if named is not None:
        return {"type": "event", "event": named.text}, (*around, named, *(t for t in tokens if t.lemma == "event"))
    del plan
    return None, ()


def optional(plan: Plan, clause: Clause, tokens: Sequence[Token]) -> None:
    """Let a step be skipped unless it is needed."""
    for step in plan.steps_in(clause, tokens):
        plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": f"{step.name} is needed"}}})


def only_when(plan: Plan, clause: Clause, tokens: Sequence[Token], condition: str, *, skipped: bool) -> None:
    """Let a step happen only in a case, or let it be skipped in one."""
    step = plan.step(clause, tokens)
    text = f"not ({condition})" if skipped else condition
    plan.do({"op": "update_step", "step": step.id, "set": {"when": {"text": text}}})


def clear(plan: Plan, clause: Clause, field: str, rest: Tokens) -> None:
    """Take away what is set: a deadline, retries, the owner, a description, a trigger, a tag."""
    of = _behind(clause, "of", "from", "for", "on", "to")
    if field == "trigger":
        _remove_trigger(plan, clause, (*rest, *of))
    elif field in ("tag", "alias"):
        words = [t for t in (*rest, *of, *_behind(clause, "called")) if counts(t) or t.kind == "quoted"]
        if not words:
            raise NotRead
        clause.use(words)
        plan.do({"op": "untag" if field == "tag" else "remove_alias", field: plan.said(words)})
    elif field == "description" and not any(counts(t) for t in (*rest, *of)):
        clause.use(rest, of)
        plan.do({"op": "set_description", "description": ""})
    else:
        step = step_of(plan, clause, rest, of)
        edits: dict[str, JsonObject] = {
            "timeout": {"op": "set_timeout", "step": step.id, "timeout": None},
            "retry": {"op": "set_retry", "step": step.id, "retry": None},
            "owner": {"op": "set_assignee", "step": step.id, "assignee": None},
            "form": {"op": "set_form", "step": step.id, "form": None},
            "permission": {"op": "set_permission", "step": step.id, "permission": None},
            "escalation": {"op": "update_step", "step": step.id, "unset": ["escalate_to"]},
            "condition": {"op": "update_step", "step": step.id, "unset": ["when"]},
            "description": {"op": "update_step", "step": step.id, "unset": ["description"]},
        }
        if field == "error":
            for edge in plan.workflow.outgoing(step.id):
                if edge.type == "error":
                    plan.do({"op": "disconnect", "transition": edge.id})
            return
        if field not in edits:
            raise NotRead
        plan.do(edits[field])


def _remove_trigger(plan: Plan, clause: Clause, words: Tokens) -> None:
    said = {t.lemma for t in words} | {t.lower for t in words} | {t.lemma for t in clause.object}
    kinds = [
        at
        for at, one in enumerate(plan.workflow.triggers)
        if one.type in said or (one.type == "schedule" and "schedule" in said)
    ]
    chosen = kinds or list(range(len(plan.workflow.triggers)))
    if len(chosen) != 1:
        raise NotRead("there is no trigger" if not chosen else "there are several triggers; name the kind")
    clause.use(words, clause.object)
    plan.do({"op": "remove_trigger", "index": chosen[0]})


def set_description(plan: Plan, clause: Clause, tokens: Sequence[Token], about: Sequence[Token]) -> None:
    """Say what the workflow or a step is for."""
    if not tokens:
        raise NotRead
    end = plan.text.rstrip()
    text = plan.text[tokens[0].start : tokens[-1].end] if tokens[0].kind != "quoted" else tokens[0].text
    clause.use(tokens, about)
    del end
    subject = [t for t in about if counts(t) and t.lemma not in _WHOLE and t.lemma not in FRAME_WORDS]
    if subject:
        plan.do({"op": "update_step", "step": plan.step(clause, subject).id, "set": {"description": text}})
    else:
        plan.do({"op": "set_description", "description": text})


def escalate(plan: Plan, clause: Clause, to: Sequence[Token], about: Sequence[Token]) -> None:
    """Say who takes a step over when it is not done in time."""
    length = take_duration(clause)
    who = plan.role(clause, [t for t in to if t.start not in clause.used])
    step = step_of(plan, clause, about)
    if step.timeout is None and length is None:
        raise Asked("After how long?", plan.text.rstrip(" .!") + " after ", "")
    edits: list[JsonObject] = [{"op": "update_step", "step": step.id, "set": {"escalate_to": who}}]
    if length is not None:
        edits.insert(0, {"op": "set_timeout", "step": step.id, "timeout": length})
    plan.do(*edits)


def limit_loop(plan: Plan, clause: Clause, tokens: Sequence[Token]) -> None:
    """Bound how often a loop goes round."""
    times = take_times(clause)
    if times is None or times < 1:
        raise NotRead
    loops = [s for s in plan.workflow.steps if s.type == "loop"]
    kept = [
        t for t in tokens if t.start not in clause.used and counts(t) and t.lemma not in ("loop", "cycle", "repetition")
    ]
    if kept:
        step = plan.step(clause, kept)
        loops = [s for s in loops if s.id == step.id or step.parent == s.id] or ([] if step.type != "loop" else [step])
        if not loops:
            plan.do({"op": "set_retry", "step": step.id, "retry": {"max_attempts": times}})
            return
    if len(loops) != 1:
        raise NotRead("there is no loop that holds a number of rounds" if not loops else "there are several loops")
    clause.use(t for t in tokens if t.lemma in ("loop", "cycle"))
    loop = loops[0].loop.model_dump(mode="json", by_alias=True, exclude_defaults=True) if loops[0].loop else {}
    plan.do({"op": "update_step", "step": loops[0].id, "set": {"loop": {**loop, "max_iterations": times}}})


def tag(plan: Plan, clause: Clause, tokens: Sequence[Token], op: str) -> None:
    """Add or take a tag or an alias."""
    words = [t for t in tokens if t.kind != "punct" and (counts(t) or t.kind == "quoted")]
    if not words or len(words) > 5:
        raise NotRead
    clause.use(tokens)
    plan.do({"op": op, "alias" if "alias" in op else "tag": plan.said(words)})


__all__ = ["StepUnclear", "clear", "field_of", "set_retry"]
