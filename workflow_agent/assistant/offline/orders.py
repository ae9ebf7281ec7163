"""From the clauses of an order to edits: which verb, said of what, means which edit."""

import json
from collections.abc import Callable, Sequence

from workflow_agent.assistant.offline import settings, structure
from workflow_agent.assistant.offline.clauses import (
    Clause,
    Part,
    begins_with,
    counts,
    phrase_at,
    read_clause,
    split_clauses,
    stripped,
)
from workflow_agent.assistant.offline.header import read_header
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.placing import read_placing
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed
from workflow_agent.assistant.offline.references import FRAME_WORDS, PRONOUNS, StepUnclear, content_of
from workflow_agent.assistant.offline.slots import asks_again, read_settings
from workflow_agent.assistant.offline.thresholds import read_threshold
from workflow_agent.assistant.offline.tokens import Token, Tokens, sentences
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import duration_at, durations_in, schedule_at, times_at

_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_NEGATED_KEEP = word_set("orders.negated_keep")
_DOING = word_set("orders.doing")


def plan_orders(plan: Plan, tokens: Sequence[Token]) -> list[Clause]:
    """Work the edits of a message out; return its clauses.

    Raises:
        StepUnclear: A step it names is none, or may be several.
        Asked: Something is missing.
    """
    clauses: list[Clause] = []
    there = " ".join(step.name for step in plan.workflow.steps).casefold()
    for sentence in _sentences(plan, tokens):
        mask = masked(plan, sentence)
        if (plan.edits and asks_again(sentence, str(plan.edits[-1]["op"]))) or _read_slots(plan, sentence, mask):
            continue
        pieces = split_clauses(sentence, mask)
        for piece in pieces if len(pieces) > 1 else ():
            clause = read_clause(piece, mask)
            if _keeps(clause):
                _plan_clause(plan, clause)
        known = len(plan.edits)
        for piece in pieces:
            if len(pieces) > 1 and _read_slots(plan, piece, masked(plan, piece)):
                continue
            clause = read_clause(piece, masked(plan, piece))
            clauses.append(clause)
            if len(pieces) == 1 or not _keeps(clause):
                _plan_clause(plan, clause, is_part=len(pieces) > 1)
            elif any(t.lower in PRONOUNS for t in piece):
                # "Delete it and keep it."
                plan.kept += [str(edit["step"]) for edit in plan.edits[known:] if "step" in edit]
    _name_unused(plan, tokens, there)
    return clauses


_COMPARED = frozenset({"not", "than", "from", "of", "was", "by", "more", "another", "extra", "additional", "#"})
"""Words in front of a value that is compared with, or added to, what is there."""


def _name_unused(plan: Plan, tokens: Sequence[Token], names: str) -> None:
    """Name the numbers and quoted words of a message that came to be in no edit."""
    starts = any(edit["op"] in ("add_trigger", "remove_trigger") for edit in plan.edits)
    made = json.dumps(plan.edits, ensure_ascii=False).casefold().replace(",", "").replace('\\"', '"')
    for at, token in enumerate(tokens):
        if token.kind not in ("number", "quoted") or any(t.lower in _COMPARED for t in tokens[max(at - 3, 0) : at]):
            continue
        length = duration_at(tokens, at) or duration_at(tokens, max(at - 2, 0))
        said = {token.text.casefold().replace(",", ""), f"{token.value:g}" if token.value is not None else "-"}
        known = any(one in made or one in names for one in said) or (length and length.value.casefold() in made)
        removed = token.kind == "quoted" and any(edit["op"].startswith(("remove", "un")) for edit in plan.edits)
        if plan.edits and not known and not removed and not (starts and token.kind == "number"):
            kept = token.kind == "quoted" and plan.steps.maybe((token,)) is not None
            plan.unread += [] if kept else [token.text]


def _read_slots(plan: Plan, tokens: Tokens, mask: frozenset[int]) -> bool:
    if read_header(plan, tokens, mask):
        return True
    try:
        if read_settings(plan, tokens, mask) or read_threshold(plan, tokens, mask):
            return True
    except StepUnclear:
        # Of which step a value is; another reader may see no value there at all.
        pass
    return read_placing(plan, tokens, mask)


def _sentences(plan: Plan, tokens: Sequence[Token]) -> list[Tokens]:
    """Return the sentences of tokens; a mark inside a step's name ("Still needed?") ends none."""
    mask = masked(plan, tokens)
    whole: list[Tokens] = []
    for sentence in sentences(tokens):
        inside = bool(whole) and whole[-1][-1].kind == "punct" and whole[-1][-1].start in mask
        whole.append((*whole.pop(), *sentence) if inside else sentence)
    return whole


def _keeps(clause: Clause) -> bool:
    """Say whether a clause says what must stay, which is known before anything goes."""
    _, rest = stripped(clause.tokens)
    return clause.mood == "negated" or (bool(rest) and rest[0].is_("keep", "retain", "preserve"))


def masked(plan: Plan, tokens: Sequence[Token]) -> frozenset[int]:
    """Return where tokens begin that stand in a step's full name or between quotes."""
    return frozenset(tokens[at].start for at in plan.steps.mask(tokens))


def _plan_clause(plan: Plan, clause: Clause, *, is_part: bool = False) -> None:
    if not any(counts(token) or token.lower in PRONOUNS for token in clause.tokens):
        return
    before = len(plan.edits)
    if is_part and _is_comment(plan, clause):
        return
    try:
        if clause.mood == "negated":
            _keep(plan, clause)
        else:
            _dispatch(plan, clause)
    except NotRead as unread:
        plan.unread.append(plan.said(clause.tokens) + (f" ({unread})" if str(unread) else ""))
        return
    except StepUnclear as unclear:
        if unclear.candidates or before == 0:
            raise
        plan.unread.append(plan.said(clause.tokens))
        return
    _drop_reason(clause)
    if len(plan.edits) > before or clause.mood == "negated":
        plan.unread += [token.text for token in clause.unread()]


_COMMENTS = word_set("orders.comments")


def _is_comment(plan: Plan, clause: Clause) -> bool:
    """Say whether a clause orders nothing: "I know it sounds odd", or the step the next clause is about."""
    words = [t for t in clause.tokens if t.kind == "word"]
    if len(words) > 1 and words[0].is_("i", "we") and words[1].entry.verb in _COMMENTS:
        return True
    if _repeats(plan, clause, words):
        return True
    if clause.verbs or clause.parts or clause.subject or not clause.object or not any(counts(t) for t in clause.object):
        return False
    step = plan.steps.maybe(clause.object)
    if step is not None:
        plan.steps.last = step.id
    return step is not None


_TOLD_AGAIN = {
    "add": "insert_step",
    "put": "insert_step",
    "remove": "remove_step",
    "rename": "rename_step",
    "set": "",
    "make": "",
}
"""Verbs that order again what was just ordered, and the edit they repeat; any for an empty one."""


def _repeats(plan: Plan, clause: Clause, words: Sequence[Token]) -> bool:
    """Say whether a clause only tells an order again: "…, please add it", "…, take it out"."""
    if any(t.value is not None or t.kind == "quoted" for t in clause.tokens):
        return False
    told = clause.verbs & set(_TOLD_AGAIN)
    points = any(t.lower in PRONOUNS for t in words) and not any(
        counts(t) and t.lower not in PRONOUNS and t.start not in clause.used for t in words
    )
    last = str(plan.edits[-1]["op"]) if plan.edits else ""
    return bool(told and points and last) and any(_TOLD_AGAIN[one] in ("", last) for one in told)


def _drop_reason(clause: Clause) -> None:
    """Read the reason of an order, which changes nothing: "because legal asked for it"."""
    part = clause.part("because")
    if part is not None:
        at = clause.parts.index(part)
        for one in clause.parts[at:]:
            clause.use_part(one)


def _keep(plan: Plan, clause: Clause) -> None:
    """Note what must stay: "do not remove the review"; "may not take longer than a day" is a deadline."""
    if settings.all_durations(clause) and any(t.is_("longer", "long", "more") for t in clause.tokens):
        _dispatch(plan, clause)
        return
    if clause.verbs & {"schedule", "start"} and any(
        t.is_("schedule", "automatically", "itself", "cron", "timer", "clock") for t in clause.tokens
    ):
        clause.use(clause.tokens)
        settings.clear(plan, clause, "trigger", tuple(t for t in clause.tokens if t.is_("schedule")))
        return
    if "retry" in clause.verbs:
        clause.use(t for t in clause.tokens if t.is_("not", "at", "all", "again"))
        settings.clear(plan, clause, "retry", clause.object or clause.subject)
        return
    if not clause.verbs & _NEGATED_KEEP:
        if (
            "be" in clause.verbs
            and clause.subject
            and clause.object
            and clause.object[0].is_("need", "require", "necessary")
        ):
            structure.remove(plan, _with(clause, object_=clause.subject))
            clause.use(clause.object)
            return
        if (
            clause.verb is not None
            and clause.verb.entry.verb in ("need", "want", "require", "use")
            and (clause.object or clause.subject)
        ):
            _remove_plain(plan, clause)
            return
        raise NotRead
    plan.kept += [step.id for step in plan.steps_in(clause, clause.object or clause.subject)]


def _remove_plain(plan: Plan, clause: Clause) -> None:
    object_ = tuple(t for t in clause.subject or clause.object if not t.is_("any", "more", "anymore", "longer"))
    clause.use(t for t in clause.tokens if t.is_("any", "more", "anymore", "longer", "not", "we"))
    structure.remove(plan, _with(clause, object_=object_))


def _with(clause: Clause, *, object_: Tokens | None = None) -> Clause:
    if object_ is not None:
        clause.object = object_
    return clause


def _dispatch(plan: Plan, clause: Clause) -> None:
    _point(plan, clause)
    clause.parts = tuple(_once_done(plan, part) for part in clause.parts)
    for rule in _RULES:
        if rule(plan, clause):
            return
    raise NotRead


def _once_done(plan: Plan, part: Part) -> Part:
    """Return "when the claim is paid" as the place after that step; any other part as it is."""
    if part.marker != "if" or not part.mark or not part.mark[0].is_("when") or not _is_done(part.tokens):
        return part
    words = [t for t in part.tokens if t.is_content]
    return Part("after", part.tokens, part.mark) if plan.steps.maybe(words) is not None else part


def _is_done(tokens: Sequence[Token]) -> bool:
    ends = [t for t in tokens if t.kind == "word"][-1:]
    return (
        bool(ends)
        and any(t.lower in ("is", "are", "was", "been") for t in tokens)
        and ("ed" in ends[0].entry.form.split() or ends[0].is_("over", "done", "finished", "complete"))
    )


def _point(plan: Plan, clause: Clause) -> None:
    """Read "the one after baking" and "the step before the scan" as the step that stands there."""
    about = clause.object or clause.subject
    words = [t for t in about if t.kind == "word" and not t.has("det")]
    part = clause.part("before", "after")
    pointed = (
        bool(words)
        and all(t.lemma in FRAME_WORDS or t.lower == "one" for t in words)
        and not clause.verbs & {"add", "wanted", "put", "move"}
    )
    if part is None or not pointed or not about[0].has("det"):
        return
    anchor = plan.steps.maybe(part.tokens)
    if anchor is None:
        return
    ways = (
        [e.to for e in plan.workflow.outgoing(anchor.id)]
        if part.marker == "after"
        else [e.from_ for e in plan.workflow.incoming(anchor.id)]
    )
    if len(ways) == 1:
        clause.use_part(part)
        clause.parts = tuple(p for p in clause.parts if p is not part)
        plan.steps.pointed = ways[0]


Rule = Callable[[Plan, Clause], bool]
"""Makes the edits of a clause and says so, or leaves it to the next rule."""


def _on_failure(plan: Plan, clause: Clause) -> bool:
    """Read "if the payment fails, notify finance" and "when it is rejected, go back to draft"."""
    tokens = clause.tokens
    if not begins_with(tokens, "if"):
        return False
    comma = next((at for at, t in enumerate(tokens) if t.text == "," or t.is_("then")), None)
    if comma is None:
        # "If the tests fail tell the developer": the order begins behind the verb that says what fails.
        cut = next(
            (
                at
                for at, t in enumerate(tokens)
                if at > 1 and t.entry.verb in ("fail", "crash", "break") and at + 1 < len(tokens)
            ),
            None,
        )
        if cut is None:
            return False
        tokens = (
            *tokens[: cut + 1],
            Token(",", "punct", tokens[cut].end, tokens[cut].end, entry_of(",")),
            *tokens[cut + 1 :],
        )
        comma = cut + 1
    if comma < 2:
        return False
    tokens = tokens[len(tokens) - len(stripped(tokens)[1]) :] if tokens[-1].kind != "punct" else tokens
    comma = next((at for at, t in enumerate(tokens) if t.text == "," or t.is_("then")), comma)
    head = tokens[phrase_at(tokens, 0, "markers.tsv")[0] or 1 : comma]
    rest = read_clause(tokens[comma + 1 :], masked(plan, tokens))
    fails = next((at for at, t in enumerate(head) if t.is_("fail", "crash", "break", "error", "time")), None)
    if fails is not None and head[fails].is_("fail", "crash", "break", "error"):
        step = plan.step(clause, head[:fails])
        clause.use(tokens[: comma + 1])
        plan.unread += [t.text for t in head[fails + 1 :] if counts(t)]
        if rest.verbs & {"back"} and (to := rest.part("to")) is not None:
            structure.error_path(plan, rest, step, to.tokens, None)
            rest.use_part(to)
            rest.use(t for t in rest.object if t.lower in PRONOUNS or t.is_("back"))
        elif "retry" in rest.verbs:
            plan.steps.last = step.id
            read_settings(plan, rest.tokens, masked(plan, rest.tokens), about_last=True)
            rest.use(rest.tokens)
        else:
            words = _work_words(rest)
            structure.error_path(plan, rest, step, words, None)
        clause.use(t for t in rest.tokens if t.start in rest.used)
        return True
    return _case_clause(plan, clause, head, rest, comma)


def _case_clause(plan: Plan, clause: Clause, head: Tokens, rest: Clause, comma: int) -> bool:
    """Read what is to happen in a case that a condition in front names."""
    words = plan.said([t for t in head if t.kind != "punct"])
    clause.use(clause.tokens[: comma + 1])
    if rest.verbs & {"back", "connect"} and (to := rest.part("to")) is not None:
        target = plan.step(rest, to.tokens)
        rest.use_part(to)
        rest.use(t for t in rest.object if t.lower in PRONOUNS or t.is_("back", "straight", "directly"))
        from_, condition = structure.source_and_case(plan, words)
        plan.do(*structure.connections(plan, from_, target, condition))
    elif rest.verbs & {"skip", "remove"} and rest.object:
        settings.only_when(plan, rest, rest.object, words, skipped=True)
    elif (
        "escalate" in rest.verbs
        or durations_in(head)
        or (
            rest.verbs & {"notify"}
            and not any(t.is_("remind") for t in rest.tokens)
            and any(t.is_("time", "late", "overdue") for t in head)
        )
    ):
        return _late(plan, clause, head, rest)
    else:
        mark = stripped(clause.tokens)[1][:1]
        rest.parts = (*rest.parts, Part("if", tuple(t for t in head if t.kind != "punct"), mark))
        _dispatch(plan, rest)
        clause.used -= {t.start for t in head}
    clause.use(t for t in clause.tokens if t.start in rest.used)
    return True


def _late(plan: Plan, clause: Clause, head: Tokens, rest: Clause) -> bool:
    """Read "if the review is not done within 2 days, escalate to the director"."""
    spans = durations_in(head)
    to = rest.part("to")
    in_time = next(
        (
            at
            for at, t in enumerate(head)
            if t.is_("late", "overdue") or (t.is_("time") and head[at - 1].is_("in", "on"))
        ),
        None,
    )
    tells = rest.verbs & {"notify"} and plan.is_role(rest.object)
    if (len(spans) != 1 and in_time is None) or not (("escalate" in rest.verbs and to is not None) or tells):
        return False
    at, length = (spans[0][0], spans[0][1].value) if spans else (in_time or 0, None)
    about = [t for t in head[:at] if t.is_content and not t.among("orders.late.answer")]
    about = about or [t for t in head[:at] if t.is_content]
    step = plan.step(clause, about) if about else settings.step_of(plan, clause, ())
    if length is None and step.timeout is None:
        raise Asked("After how long?", plan.text.rstrip(" .!") + " after ", "")
    who = plan.role(rest, to.tokens if to is not None and not tells else rest.object)
    rest.use_part(to)
    rest.use(rest.object)
    timed: list[JsonObject] = [{"op": "set_timeout", "step": step.id, "timeout": length}] if length is not None else []
    plan.do(*timed, {"op": "update_step", "step": step.id, "set": {"escalate_to": who}})
    clause.use(head)
    clause.use(t for t in rest.tokens if t.start in rest.used)
    return True


def _work_words(rest: Clause) -> Tokens:
    return tuple(t for t in rest.tokens if t.kind != "punct")


def _keep_order(plan: Plan, clause: Clause) -> bool:
    verb = clause.verb
    head = verb or next((t for t in clause.tokens if t.start not in clause.used), None)
    if head is None or not head.is_("keep", "retain", "preserve", "leave") or any(t.is_("out") for t in clause.object):
        return False
    rest = tuple(t for t in clause.tokens if t.start > head.start and not t.is_("alone", "as", "is", "untouched", "it"))
    clause.use((head,), (t for t in clause.tokens if t.among("orders.keep_order.alone")))
    rest = tuple(t for t in rest if t.start not in clause.used)
    if any(counts(t) for t in rest):
        plan.kept += [step.id for step in plan.steps_in(clause, rest)]
    return True


def _schedule(plan: Plan, clause: Clause) -> bool:
    spans = [(at, found.end) for at in range(len(clause.tokens)) if (found := schedule_at(clause.tokens, at))]
    timed = {t for at, end in spans for t in clause.tokens[at:end]}
    has = bool(spans)
    field, _ = settings.field_of(clause.object)
    about = tuple(t for t in (*clause.object, *clause.subject) if t not in timed)
    names_step = any(
        counts(t)
        and t.lemma not in _WHOLE
        and t.lemma not in word_set("orders.schedule.trigger")
        and t.value is None
        and not t.among("orders.schedule.daily")
        and not _is_time(t)
        for t in about
    )
    is_start = clause.verbs & word_set("orders.schedule.schedule")
    is_start = is_start or ("move" in clause.verbs and clause.object[:1] and clause.object[0].lower in PRONOUNS)
    if has and is_start and (not names_step or field == "trigger"):
        settings.set_trigger(plan, clause, replaces="set" in clause.verbs or "make" in clause.verbs)
        return True
    if field == "trigger" and clause.verbs & {"add", "wanted", "set", "give"} and "remove" not in clause.verbs:
        settings.set_trigger(plan, clause, replaces="set" in clause.verbs)
        return True
    starts = clause.verbs & {"schedule", "start"} and clause.part("if") is not None
    if starts and not names_step and clause.part("parallel") is None:
        settings.set_trigger(plan, clause, replaces=False)
        return True
    return False


def _is_time(token: Token) -> bool:
    return token.lemma in word_set("orders.is_time.monday")


def _parallel(plan: Plan, clause: Clause) -> bool:
    if clause.part("parallel") is None or (clause.verbs & {"add"} and not clause.verbs & {"put", "make"}):
        return False
    structure.parallel_steps(plan, clause)
    return True


def _sequence(plan: Plan, clause: Clause) -> bool:
    if clause.part("sequence") is None or clause.verbs & {"add", "remove"}:
        return False
    structure.sequence_steps(plan, clause)
    return True


def _limit(plan: Plan, clause: Clause) -> bool:
    if "limit" not in clause.verbs or settings.all_durations(clause):
        return False
    if not any(times_at(clause.tokens, at) for at in range(len(clause.tokens))):
        return False
    to = clause.part("to")
    clause.use(to.mark if to else ())
    settings.limit_loop(plan, clause, clause.object)
    return True


def _optional(plan: Plan, clause: Clause) -> bool:
    word = next((t for t in clause.tokens if t.is_("optional", "skippable", "voluntary")), None)
    if word is None:
        return False
    clause.use((word,))
    about = tuple(t for t in (clause.subject or clause.object) if t is not word and not t.is_("as"))
    for part in clause.parts:
        if part.marker == "as":
            clause.use(part.mark)
    settings.optional(plan, clause, about)
    return True


def _swap(plan: Plan, clause: Clause) -> bool:
    if "swap" not in clause.verbs:
        return False
    if clause.part("for") is not None and "replace" in clause.verbs:
        return False
    pieces = listed(clause.object)
    other = clause.part("with")
    if other is not None and plan.steps.maybe(other.tokens) is None and plan.steps.maybe(clause.object) is not None:
        structure.replace(plan, clause)
        return True
    if len(pieces) < 2 and other is None and clause.part("for") is None and clause.part("of") is None:
        return False
    if clause.part("for") is not None and plan.steps.maybe((clause.part("for") or clause.parts[0]).tokens) is None:
        structure.replace(plan, clause)
        return True
    clause.use(t for t in clause.tokens if t.is_("order", "place", "position", "around"))
    structure.swap(plan, clause)
    return True


def _colon(plan: Plan, clause: Clause) -> bool:
    """Read "review: 3 days", "alias: the build", "book bus -> reserve coach", "briefing: move it up"."""
    tokens = clause.tokens
    at = next((i for i, t in enumerate(tokens) if t.text in (":", "->", "=") and t.kind == "punct"), None)
    if at is None or at == 0 or at + 1 >= len(tokens):
        return False
    _mood, left = stripped(tokens[:at])
    right = tuple(tokens[at + 1 :])
    if not left or not right:
        return False
    clause.use(tokens[: at - len(left)])
    field, rest = settings.field_of(left)
    named = [t for t in rest if counts(t) and t.lemma not in _WHOLE]
    if left[0].is_("rename", "call", "name") or (field == "name" and not clause.verbs & {"add"}):
        clause.use(left[:1], tokens[at : at + 1], (t for t in left if t not in rest))
        settings.rename_to(plan, clause, tuple(t for t in rest if t is not left[0]), right)
        return True
    if field in ("alias", "tag") and not named:
        clause.use(left, tokens[at : at + 1])
        verb = [t for t in right if t.is_("add", "remove", "delete", "drop")]
        clause.use(verb)
        gone = any(not t.is_("add") for t in verb)
        op = ("untag" if gone else "tag") if field == "tag" else ("remove_alias" if gone else "add_alias")
        settings.tag(plan, clause, [t for t in right if t not in verb], op)
        return True
    inner = read_clause(right, masked(plan, right))
    if (left[0].is_("new") or "add" in clause.verbs) and any(t.lemma == "step" for t in left):
        clause.use(left)
        where = read_clause((*right,), masked(plan, right))
        body = Clause(right, "order", frozenset({"add"}), None, (), where.object, where.parts, clause.used)
        structure.add(plan, body)
        return True
    step = plan.steps.maybe(rest if field else left)
    if step is None:
        return False
    clause.use(left)
    plan.steps.last = step.id
    if inner.verbs and any(t.lower in PRONOUNS for t in right):
        clause.used |= inner.used
        inner.used = clause.used
        _dispatch(plan, inner)
        return True
    value = Clause(right, "order", frozenset({"set"}), None, (), right, (), clause.used)
    if settings.all_durations(value) and field in ("timeout", "", "duration"):
        settings.set_timeout(plan, value, ())
    elif any(times_at(right, i) for i in range(len(right))) or field == "retry":
        settings.set_retry(plan, value, ())
    elif field == "owner" or (not field and plan.is_role(right) and tokens[at].text == ":"):
        settings.set_owner(plan, value, [step], right)
    elif tokens[at].text != ":" and not field:
        settings.rename_to(plan, value, left, right)
    else:
        return False
    return True


def _swap_roles(plan: Plan, clause: Clause) -> bool:
    """Read "replace the secretary with the accountant for collecting the money": who does it changes."""
    with_ = clause.part("with", "responsible")
    if (
        "replace" not in clause.verbs
        or with_ is None
        or not plan.is_role(clause.object)
        or not plan.is_role(with_.tokens)
    ):
        return False
    words = [t.lower for t in clause.object if t.is_content]
    theirs = [s for s in plan.workflow.steps if s.assignee and content_of(s.assignee) == words]
    if not theirs:
        return False
    of = clause.part("for", "in", "on")
    if of is not None:
        theirs = [plan.step(clause, of.tokens)]
        clause.use_part(of)
    clause.use(clause.object, with_.mark)
    settings.set_owner(plan, clause, theirs, with_.tokens)
    return True


def _verb_rule(kinds: frozenset[str], action: Callable[[Plan, Clause], None]) -> Rule:
    def rule(plan: Plan, clause: Clause) -> bool:
        if not clause.verbs & kinds:
            return False
        action(plan, clause)
        return True

    return rule


def _back(plan: Plan, clause: Clause) -> bool:
    if "back" not in clause.verbs or clause.part("to") is None:
        return False
    structure.back(plan, clause)
    return True


def _only_if(plan: Plan, clause: Clause) -> bool:
    """Read "do the legal review only if the amount is over 500"."""
    part = clause.part("if", "above", "below")
    words = {t.lower for t in clause.tokens}
    about = clause.object or clause.subject
    if part is None or "only" not in words or not clause.verbs & word_set("orders.only_if.parallel"):
        return False
    about = tuple(t for t in about if not t.is_("only", "need", "happen", "necessary"))
    step = plan.steps.maybe(about)
    if step is None:
        return False
    clause.use(t for t in clause.tokens if t.is_("only", "happen", "necessary", "need"))
    condition = structure.condition_of(plan, clause)
    if condition is None:
        return False
    clause.use(t for t in clause.object)
    entering = plan.workflow.incoming(step.id)
    if any(edge.when for edge in entering):
        if len(entering) != 1:
            raise NotRead(f"several ways lead to {step.name!r}, each with its condition")
        plan.do({"op": "update_transition", "transition": entering[0].id, "set": {"when": {"text": condition}}})
        if len(plan.workflow.outgoing(entering[0].from_)) > 1:
            plan.notes.append("the conditions of the other ways from there stay as they are")
        clause.use(about)
        return True
    settings.only_when(plan, clause, about, condition, skipped=False)
    return True


def _merge(plan: Plan, clause: Clause) -> bool:
    if "merge" not in clause.verbs:
        return False
    structure.merge(plan, clause)
    return True


def _verbless(plan: Plan, clause: Clause) -> bool:
    """Read "legal review before pay out" as a step to add, to be confirmed; "X: 3 days" as a deadline."""
    if clause.verbs or clause.subject or not clause.object:
        return False
    spans = settings.all_durations(clause)
    place = clause.part("before", "after", "between", "start", "end")
    if place is None and len(spans) == 1:
        about = tuple(t for t in clause.object if not any(t in s for s, _ in spans) and t.kind != "punct")
        field, rest = settings.field_of(about)
        clause.use(t for t in about if field == "timeout" and t not in rest)
        if not any(counts(t) for t in rest) and clause.part("for", "of", "on") is None:
            return False
        settings.set_timeout(plan, clause, rest)
        return True
    if place is None:
        return False
    if plan.steps.maybe(clause.object) is not None:
        structure.move(plan, clause)
    else:
        structure.add(plan, clause)
    return True


_RULES: tuple[Rule, ...] = (
    _colon,
    _on_failure,
    _keep_order,
    _optional,
    _swap_roles,
    _schedule,
    _sequence,
    _parallel,
    _only_if,
    _limit,
    _swap,
    _merge,
    _verb_rule(frozenset({"split"}), structure.split),
    _verb_rule(frozenset({"disconnect"}), structure.disconnect),
    _back,
    _verb_rule(frozenset({"replace"}), structure.replace),
    _verb_rule(frozenset({"remove"}), structure.remove),
    _verb_rule(frozenset({"connect"}), structure.connect),
    _verbless,
)
