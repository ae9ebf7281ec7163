"""From the clauses of an order to edits: which verb, said of what, means which edit."""

from collections.abc import Callable, Mapping, Sequence

from workflow_agent.assistant.offline import settings, structure
from workflow_agent.assistant.offline.clauses import (
    Clause,
    Part,
    begins_with,
    counts,
    parted,
    phrase_at,
    read_clause,
    split_clauses,
    stripped,
)
from workflow_agent.assistant.offline.header import read_header
from workflow_agent.assistant.offline.lexicon import entry_of, word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan, listed, place_of
from workflow_agent.assistant.offline.references import (
    FRAME_WORDS,
    PRONOUNS,
    StepUnclear,
    akin,
    content_of,
    phrase_of,
    stems,
)
from workflow_agent.assistant.offline.slots import asks_again, read_settings
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import durations_in, schedule_at, times_at
from workflow_agent.workflows.model.steps import Step

_WHOLE = frozenset({"workflow", "process", "flow", "procedure", "pipeline"})
_NEGATED_KEEP = word_set("orders.negated_keep")
_ANYTHING = frozenset({"anything", "everything", "all"})
_DOING = word_set("orders.doing")


def plan_orders(plan: Plan, tokens: Sequence[Token]) -> list[Clause]:
    """Work the edits of a message out; return its clauses.

    Raises:
        StepUnclear: A step it names is none, or may be several.
        Asked: Something is missing.
    """
    clauses: list[Clause] = []
    for sentence in _sentences(plan, tokens):
        mask = masked(plan, sentence)
        if (plan.edits and asks_again(sentence, str(plan.edits[-1]["op"]))) or _read_slots(
            plan, sentence, mask
        ):
            continue
        pieces = split_clauses(sentence, mask)
        for piece in pieces if len(pieces) > 1 else ():
            clause = read_clause(piece, mask)
            if _keeps(clause):
                _plan_clause(plan, clause)
        for piece in pieces:
            if len(pieces) > 1 and _read_slots(plan, piece, masked(plan, piece)):
                continue
            clause = read_clause(piece, masked(plan, piece))
            clauses.append(clause)
            if len(pieces) == 1 or not _keeps(clause):
                _plan_clause(plan, clause, is_part=len(pieces) > 1)
    return clauses


def _read_slots(plan: Plan, tokens: Tokens, mask: frozenset[int]) -> bool:
    return read_header(plan, tokens, mask) or read_settings(plan, tokens, mask)


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
    head = clause.verb or next((t for t in clause.tokens if t.start not in clause.used), None)
    return clause.mood == "negated" or (
        head is not None and head.is_("keep", "retain", "preserve") and not clause.subject
    )


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
    if (
        clause.verbs
        or clause.parts
        or clause.subject
        or not clause.object
        or not any(counts(t) for t in clause.object)
    ):
        return False
    step = plan.steps.maybe(clause.object)
    if step is not None:
        plan.steps.last = step.id
    return step is not None


_TOLD_AGAIN = {
    "add": "insert_step", "put": "insert_step", "remove": "remove_step", "rename": "rename_step",
    "set": "", "make": "",
}  # fmt: skip
"""Verbs that order again what was just ordered, and the edit they repeat; any for an empty one."""


def _repeats(plan: Plan, clause: Clause, words: Sequence[Token]) -> bool:
    """Say whether a clause only tells an order again: "…, please add it", "…, take it out"."""
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
    object_ = tuple(
        t for t in clause.subject or clause.object if not t.is_("any", "more", "anymore", "longer")
    )
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
        if rest.verbs & {"back"} and (to := rest.part("to")) is not None:
            structure.error_path(plan, rest, step, to.tokens, None)
            rest.use_part(to)
            rest.use(t for t in rest.object if t.lower in PRONOUNS or t.is_("back"))
        elif "retry" in rest.verbs:
            plan.steps.last = step.id
            _retry(plan, rest)
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
        or (rest.verbs & {"notify"} and any(t.is_("time", "late", "overdue") for t in head))
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
    timed: list[JsonObject] = (
        [{"op": "set_timeout", "step": step.id, "timeout": length}] if length is not None else []
    )
    plan.do(*timed, {"op": "update_step", "step": step.id, "set": {"escalate_to": who}})
    clause.use(head)
    clause.use(t for t in rest.tokens if t.start in rest.used)
    return True


def _work_words(rest: Clause) -> Tokens:
    return tuple(t for t in rest.tokens if t.kind != "punct")


def _keep_order(plan: Plan, clause: Clause) -> bool:
    verb = clause.verb
    head = verb or next((t for t in clause.tokens if t.start not in clause.used), None)
    if (
        head is None
        or not head.is_("keep", "retain", "preserve", "leave")
        or any(t.is_("out") for t in clause.object)
    ):
        return False
    rest = tuple(
        t for t in clause.tokens if t.start > head.start and not t.is_("alone", "as", "is", "untouched", "it")
    )
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
    is_start = is_start or (
        "move" in clause.verbs and clause.object[:1] and clause.object[0].lower in PRONOUNS
    )
    if has and is_start and (not names_step or field == "trigger"):
        settings.set_trigger(plan, clause, replaces="set" in clause.verbs or "make" in clause.verbs)
        return True
    if (
        field == "trigger"
        and clause.verbs & {"add", "wanted", "set", "give"}
        and "remove" not in clause.verbs
    ):
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


def _approval(plan: Plan, clause: Clause) -> bool:
    """Read "pay out needs approval by the CFO", "the CFO must approve before pay out"."""
    if "require" in clause.verbs and structure.is_approval(
        [t for t in clause.object if not plan.is_role((t,))]
    ):
        who = next(
            (
                p
                for p in clause.parts
                if p.marker in ("responsible", "from", "of", "with") and plan.is_role(p.tokens)
            ),
            None,
        )
        inside = tuple(t for t in clause.object if plan.is_role((t,)))
        if who is None and not inside:
            raise Asked("Who approves?", plan.text.rstrip(" .!") + " by ", "")
        name = plan.role(clause, who.tokens if who else inside)
        clause.use_part(who)
        clause.use(clause.object)
        if clause.subject:
            step = plan.steps.maybe(clause.subject)
            if step is None:
                return _conditional_approval(plan, clause, name)
            clause.use(clause.subject)
            structure.approval(plan, clause, name, step)
            return True
        where = place_of(plan, clause)
        for part in clause.parts:
            if part.marker in ("for", "of", "on") and part is not who:
                clause.use_part(part)
                structure.approval(plan, clause, name, plan.step(clause, part.tokens))
                return True
        if where is None or "before" not in where:
            raise NotRead
        structure.approval(plan, clause, name, plan.workflow.step(where["before"]) or plan.workflow.steps[0])
        return True
    if structure.is_approving(clause.verb) and clause.subject and plan.is_role(clause.subject):
        return _role_approves(plan, clause)
    by = clause.part("responsible", "owner")
    approved = plan.steps.maybe(clause.subject) if structure.is_approving(clause.verb) and by else None
    if by is None or approved is None or approved.assignee or not clause.verbs & {"be", "passive"}:
        return False
    who = [t for t in by.tokens if not t.is_("first")]
    if place_of(plan, clause) is not None or not plan.is_role(who):
        return False
    clause.use(clause.object, clause.subject, by.mark, by.tokens)
    structure.approval(plan, clause, plan.role(clause, who), approved)
    return True


def _conditional_approval(plan: Plan, clause: Clause, who: str) -> bool:
    """Read "orders over 100 euros need approval by legal": who approves in a case."""
    words = plan.said(clause.subject)
    if not any(t.kind == "number" for t in clause.subject):
        raise StepUnclear(phrase_of(clause.subject))
    clause.use(clause.subject)
    where = place_of(plan, clause)
    _insert_conditional(plan, who, _case(words), where)
    return True


def _said_of_amount(condition: str) -> str:
    """Return "amount over 100 euros", as a condition is read from an order, as a sentence."""
    return (
        f"the amount is {condition.removeprefix('amount ')}" if condition.startswith("amount ") else condition
    )


def _case(words: str) -> str:
    """Return the condition that "anything over 100 euros" gives: "the amount is over 100 euros"."""
    first, _, rest = words.partition(" ")
    return f"the amount is {rest}" if first.lower() in _ANYTHING else words


def _insert_conditional(plan: Plan, who: str, condition: str, where: JsonObject | None = None) -> None:
    """Put an approval that happens only in a case where it is said, else behind the approval there is.

    Where the same person approves already, the case becomes that approval's.
    """
    mine = [s for s in _approvals(plan) if (s.assignee or "").casefold() == who.casefold()]
    if (
        where is None
        and len(mine) == 1
        and (_change_limit(plan, mine[0], condition) or _set_limit(plan, mine[0], condition))
    ):
        return
    if where is not None:
        draft = plan.draft_named(f"{who[:1].upper()}{who[1:]} approval", who)
        draft |= {"type": "human", "assignee": who, "when": {"text": condition}}
        plan.do({"op": "insert_step", "step": draft, **where})
        return
    humans = [s for s in plan.workflow.steps if s.type not in ("end", "fork", "join")]
    tiers = [
        [s for s in humans if root in {r for w in structure.phrase_words(s.name) for r in _roots(w)}]
        for root in ("approve", "review", "check")
    ]
    reviews = next((tier for tier in tiers if tier), tiers[0])
    if len(reviews) != 1:
        raise Asked(f"Where does {who} approve that?", plan.text.rstrip(" .!") + " ", "")
    draft = plan.draft_named(f"{who[:1].upper()}{who[1:]} approval", who) | {
        "type": "human",
        "assignee": who,
        "when": {"text": condition},
    }
    plan.do({"op": "insert_step", "step": draft, "after": reviews[0].id})
    plan.notes.append(
        f"you did not say where: I would put it after “{reviews[0].name}”, as the step that approves now"
    )


def _approvals(plan: Plan) -> list[Step]:
    return [s for s in plan.workflow.steps if s.assignee and _is_about_approval(s.name)]


def _is_about_approval(text: str) -> bool:
    return any(_roots("approve") & _roots(word) for word in structure.phrase_words(text))


def _number_in(text: str) -> Token | None:
    numbers = [t for t in read_tokens(text) if t.kind == "number"]
    return numbers[0] if len(numbers) == 1 else None


def _change_limit(plan: Plan, step: Step, condition: str) -> bool:
    """Put the number of a case into the condition under which a step happens already."""
    new = _number_in(condition)
    ways = [e for e in plan.workflow.incoming(step.id) if e.when and e.when.text and _number_in(e.when.text)]
    if new is None or len(ways) != 1:
        return False
    told = ways[0].when.text if ways[0].when else None
    if told is None or _is_below(told) != _is_below(condition):
        return False
    plan.do(
        {
            "op": "update_transition",
            "transition": ways[0].id,
            "set": {"when": {"text": settings.with_number(told, new)}},
        }
    )
    asking = plan.workflow.step(ways[0].from_)
    if asking is not None and asking.name.strip("?").casefold() == told.casefold():
        plan.do({"op": "rename_step", "step": asking.id, "name": settings.with_number(asking.name, new)})
    return True


def _is_below(text: str) -> bool:
    return any(t.is_("under", "below", "less", "up", "most") for t in read_tokens(text))


def _set_limit(plan: Plan, step: Step, condition: str) -> bool:
    """Let an approval that happens always happen in a case only, and the rest pass as if approved."""
    passing = _way_if_approved(plan, step)
    if passing is None or len(plan.workflow.incoming(step.id)) > 1:
        return False
    name = f"{condition[:1].upper()}{condition[1:]}?"
    asking: JsonObject = {"id": plan.new_id(condition), "name": name, "type": "decision"}
    plan.do({"op": "insert_step", "step": asking, "before": step.id})
    (into,) = plan.workflow.incoming(step.id)
    plan.do(
        {"op": "disconnect", "from": into.from_, "to": step.id},
        {
            "op": "connect",
            "from": asking["id"],
            "to": step.id,
            "type": "condition",
            "when": {"text": condition},
        },
        {"op": "connect", "from": asking["id"], "to": passing.id, "type": "default"},
    )
    plan.notes.append(f"“{step.name}” names no amount now: I would let the rest pass to “{passing.name}”")
    return True


def _way_if_approved(plan: Plan, step: Step) -> Step | None:
    ways = plan.workflow.outgoing(step.id)
    if len(ways) == 1 and (after := plan.workflow.step(ways[0].to)) is not None:
        if after.type != "decision":
            return after
        ways = plan.workflow.outgoing(after.id)
    ways = [
        e
        for e in ways
        if e.when and _is_about_approval(e.when.text or "") and "not" not in (e.when.text or "")
    ]
    return plan.workflow.step(ways[0].to) if len(ways) == 1 else None


def _roots(word: str) -> frozenset[str]:
    return stems(word)


def _role_approves(plan: Plan, clause: Clause) -> bool:
    clause.use((clause.verb,) if clause.verb else ())
    condition = structure.condition_of(plan, clause)
    who = plan.role(clause, clause.subject)
    where = place_of(plan, clause)
    existing = [
        s
        for s in plan.workflow.steps
        if s.assignee
        and s.assignee.casefold() == who.casefold()
        and _roots("approve") & {r for w in structure.phrase_words(s.name) for r in _roots(w)}
    ]
    if len(existing) == 1 and condition is None and where is not None:
        if existing[0].id in where.values():
            raise NotRead
        plan.do({"op": "move_step", "step": existing[0].id, **where})
        return True
    target = plan.steps.maybe(clause.object) if any(counts(t) for t in clause.object) else None
    if condition is not None and where is None and target is None:
        if all(not counts(t) or t.lower in _ANYTHING for t in clause.object):
            clause.use(clause.object)
        _insert_conditional(plan, who, _said_of_amount(condition))
        return True
    if where is None and target is not None:
        clause.use(clause.object)
        structure.approval(plan, clause, who, target)
        return True
    if where is None:
        raise Asked("Before which step?", plan.text.rstrip(" .!") + " before ", "")
    name = f"{who[:1].upper()}{who[1:]} approval"
    if any(counts(t) for t in clause.object):
        name = f"Approve {plan.said(_bare(clause.object))}"
        clause.use(clause.object)
    draft = plan.draft_named(name, who) | {"type": "human", "assignee": who}
    if condition is not None:
        draft["when"] = {"text": condition}
    plan.do({"op": "insert_step", "step": draft, **where})
    return True


def _bare(tokens: Tokens) -> Tokens:
    return tokens


def _field(plan: Plan, clause: Clause) -> bool:
    """Read an order about something that is set: its verb, the field, whose, and the value."""
    told = clause.object
    field, rest = settings.field_of(told)
    if not field and clause.subject:
        told = (*clause.object, *clause.subject)
        field, rest = settings.field_of(clause.subject)
    if not clause.verbs and field in ("timeout", "retry", "duration") and not clause.subject:
        clause.verbs = frozenset({"set"})
    if not field or not clause.verbs:
        return False
    if "decrease" in clause.verbs and settings.all_durations(clause):
        clause.verbs -= {"remove"}
    if "remove" in clause.verbs and field in ("connection", "loop"):
        if not any(p.marker in ("from", "between", "to") for p in clause.parts):
            return False
        clause.use(clause.object)
        clause.object = ()
        structure.disconnect(plan, clause)
        return True
    if "remove" in clause.verbs:
        whole = plan.steps.maybe(clause.object)
        if whole is not None and plan.steps.is_named(clause.object):
            return False
        clause.use(t for t in clause.object if t not in rest)
        settings.clear(plan, clause, field, rest)
        return True
    reader = _FIELDS.get(field)
    sets = clause.verbs & word_set("orders.field.set")
    if reader is None or not sets:
        return False
    clause.use(t for t in told if t not in rest)
    return reader(plan, clause, rest)


def _f_timeout(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    sign = 1 if "increase" in clause.verbs else -1 if "decrease" in clause.verbs else 0
    kept = tuple(t for t in rest if not _in_durations(clause, t))
    if sign:
        settings.scale_timeout(plan, clause, kept, sign)
    else:
        settings.set_timeout(plan, clause, kept)
    return True


def _in_durations(clause: Clause, token: Token) -> bool:
    return any(token in tokens for tokens, _ in settings.all_durations(clause))


def _f_retry(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    kept = tuple(t for t in rest if t.value is None)
    settings.set_retry(plan, clause, kept)
    return True


def _f_owner(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    """Read "make HR the owner of X", "set the owner of X to HR", "the owner of X should be HR"."""
    of, to = clause.part("of", "for"), clause.part("to", "as", "with")
    who: Sequence[Token] = to.tokens if to else ()
    about: Sequence[Token] = of.tokens if of else ()
    left = tuple(t for t in rest if counts(t))
    if not who and left and plan.is_role(left):
        who = left
    elif not about:
        about = left
    if not who and clause.subject and clause.object:
        who = tuple(t for t in clause.object if t not in about)
    if not who:
        raise NotRead
    clause.use_part(to)
    clause.use(of.mark if of else ())
    steps = (
        plan.steps_in(clause, about)
        if any(counts(t) or t.lower in PRONOUNS for t in about)
        else [settings.step_of(plan, clause)]
    )
    settings.set_owner(plan, clause, steps, who)
    return True


def _f_name(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    if clause.subject:
        new = clause.object
        about = tuple(t for t in rest if counts(t) or t.lemma in _WHOLE) or clause.subject
        settings.rename_to(plan, clause, about, new)
        return True
    settings.rename(plan, clause)
    return True


def _f_description(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    to = clause.part("to", "as")
    of = clause.part("of", "for")
    colon = next((at for at, t in enumerate(clause.tokens) if t.text == ":"), None)
    words = (
        clause.tokens[colon + 1 :]
        if colon is not None
        else tuple(t for t in clause.tokens if to and t.start >= to.tokens[0].start)
        if to and to.tokens
        else ()
    )
    clause.use_part(to)
    settings.set_description(
        plan,
        clause,
        words,
        (*rest, *((*of.mark, *of.tokens) if of and (not to or of is not to) else ()))
        if colon is None
        else (),
    )
    clause.use(clause.tokens) if colon is not None else None
    return True


def _f_threshold(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    if settings.all_durations(clause):
        return _f_timeout(plan, clause, rest)
    if not plan.steps.workflow.transitions or not any(t.kind == "number" for t in clause.tokens):
        return False
    settings.set_threshold(plan, clause, tuple(t for t in rest if t.kind != "number"))
    return True


def _f_connection(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    if clause.part("from") is None and clause.part("between") is None and clause.part("to") is None:
        return False
    if between := clause.part("between"):
        steps = plan.steps_in(clause, between.tokens)
        clause.use_part(between)
        if len(steps) != 2:
            raise NotRead
        plan.do({"op": "connect", "from": steps[0].id, "to": steps[1].id})
        return True
    del rest
    structure.connect(plan, clause)
    return True


def _f_error(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    from_ = clause.part("from", "for", "of", "on")
    to = clause.part("to")
    if from_ is not None:
        clause.use_part(from_)
        step = plan.step(clause, from_.tokens)
        if to is not None:
            clause.use_part(to)
            structure.error_path(plan, clause, step, to.tokens, None)
            return True
    else:
        step = plan.step(clause, to.tokens) if to else settings.step_of(plan, clause, rest)
        clause.use_part(to)
    plan.do({"op": "add_error_path", "step": step.id})
    return True


def _f_tag(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    settings.tag(plan, clause, rest or (clause.part("called") or clause.parts[0]).tokens, "tag")
    clause.use(
        t
        for p in clause.parts
        if all(not counts(x) or x.lemma in _WHOLE for x in p.tokens)
        for t in (*p.mark, *p.tokens)
    )
    return True


def _f_alias(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    settings.tag(plan, clause, rest, "add_alias")
    return True


def _f_escalation(plan: Plan, clause: Clause, rest: Tokens) -> bool:
    to = clause.part("to")
    part = clause.part("if", "for", "on", "after")
    about = tuple(
        t
        for t in (part.tokens if part else rest)
        if not _in_durations(clause, t) and not t.among("orders.f_escalation.not")
    )
    if to is None:
        raise NotRead
    clause.use(to.mark, part.mark if part else ())
    clause.use(t for t in (part.tokens if part else ()) if t.is_("not", "do", "finish", "complete", "be"))
    about = tuple(t for t in about if t.is_content)
    if about and plan.steps.maybe(about) is None:
        head = tuple(t for t in about if plan.steps.maybe((t,)) is not None)
        if len(head) == 1 and all(t in head or t.entry.form in ("ed", "base ed") for t in about):
            clause.use(about)
            about = head
    settings.escalate(plan, clause, to.tokens, about)
    return True


_FIELDS: Mapping[str, Callable[[Plan, Clause, Tokens], bool]] = {
    "timeout": _f_timeout,
    "retry": _f_retry,
    "owner": _f_owner,
    "name": _f_name,
    "description": _f_description,
    "threshold": _f_threshold,
    "connection": _f_connection,
    "loop": _f_connection,
    "error": _f_error,
    "tag": _f_tag,
    "alias": _f_alias,
    "escalation": _f_escalation,
    "duration": _f_timeout,
}


def _numbers(plan: Plan, clause: Clause) -> bool:
    """Read "change 500 to 1000", "make it 100 instead of 50"."""
    if not clause.verbs & {"set", "make", "increase", "decrease", "replace"} or settings.all_durations(
        clause
    ):
        return False
    numbers = [t for t in clause.tokens if t.kind == "number"]
    others = [t for t in clause.object if counts(t) and t.kind != "number"]
    if len(numbers) != 2 or (others and plan.steps.maybe(others) is not None):
        return False
    settings.set_threshold(plan, clause, tuple(others))
    return True


def _deadline(plan: Plan, clause: Clause) -> bool:
    """Read "give the review 2 days", "the review has 3 days", "pay out must be done within a week"."""
    spans = settings.all_durations(clause)
    if len(spans) != 1 or "escalate" in clause.verbs or "retry" in clause.verbs:
        return False
    fits = clause.verbs & word_set("orders.deadline.give")
    if not fits or (
        clause.part("before", "after", "end", "start", "between") and clause.verbs & {"add", "put"}
    ):
        return False
    if "add" in clause.verbs or ("set" in clause.verbs and not clause.object and not clause.subject):
        return False
    words = [t for t in (*clause.subject, *clause.object) if not any(t in span for span, _ in spans)]
    words = [t for t in words if not t.among("orders.deadline.at")]
    if (
        plan.is_role(words)
        and (for_ := clause.part("for", "to")) is not None
        and plan.steps.maybe(for_.tokens) is not None
    ):
        clause.use(words, for_.mark)
        words = list(for_.tokens)
    part = clause.part("for", "on", "of", "to", "if")
    if (
        not any(counts(t) or t.lower in PRONOUNS for t in words)
        and part is not None
        and not all(t in spans[0][0] for t in part.tokens)
    ):
        clause.use(part.mark)
        words = [t for t in part.tokens if not any(t in span for span, _ in spans)]
    length = settings.take_duration(clause)
    step = settings.step_of(plan, clause, words)
    clause.use(t for t in clause.tokens if t.among("orders.deadline.at2"))
    sign = clause.verbs & {"increase", "decrease"} and any(t.is_("by") for t in clause.tokens)
    if sign:
        raise NotRead
    plan.do(
        {"op": "set_timeout", "step": step.id, "timeout": length}
        if step.type != "wait"
        else {"op": "update_step", "step": step.id, "set": {"duration": length}}
    )
    return True


def _retry(plan: Plan, clause: Clause) -> bool:
    has_times = any(times_at(clause.tokens, at) for at in range(len(clause.tokens)))
    if "use" in clause.verbs and any(t.is_("backoff") for t in clause.tokens):
        settings.set_retry(plan, clause, tuple(t for t in clause.object if t.value is None))
        return True
    if "retry" not in clause.verbs or ("back" in clause.verbs and not has_times):
        return False
    if clause.part("until") is not None:
        raise NotRead
    settings.set_retry(plan, clause, tuple(t for t in clause.object if t.value is None))
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


def _rename(plan: Plan, clause: Clause) -> bool:
    into = clause.part("to")
    quoted_new = into is not None and bool(into.tokens) and into.tokens[0].kind == "quoted"
    if "set" in clause.verbs and quoted_new and plan.steps.maybe(clause.object) is not None:
        settings.rename(plan, clause)
        return True
    if "rename" not in clause.verbs or clause.verb is None:
        return False
    is_naming = clause.verb.entry.verb in ("rename", "retitle", "relabel") or "passive" in clause.verbs
    quoted = any(t.kind == "quoted" for t in clause.object[1:]) or (
        clause.object and clause.object[0].lower in PRONOUNS
    )
    whole = any(t.lemma in _WHOLE for t in clause.object)
    step_first = (
        len(clause.object) > 1
        and clause.part("before", "after") is None
        and plan.steps.maybe(clause.object) is None
    )
    if "passive" in clause.verbs and clause.subject:
        settings.rename_to(
            plan, clause, clause.subject, clause.object or (clause.part("to", "as") or clause.parts[0]).tokens
        )
        clause.use(t for p in clause.parts for t in p.mark)
        return True
    if whole and not is_naming and clause.part("to", "as") is None:
        at = max(i for i, t in enumerate(clause.object) if t.lemma in _WHOLE)
        settings.rename_to(plan, clause, clause.object[: at + 1], clause.object[at + 1 :])
        return True
    framed = any(t.is_("step", "task") for t in clause.object[1:-1])
    if is_naming or quoted or framed or (clause.verb.entry.verb in ("name", "title") and step_first):
        settings.rename(plan, clause)
        return True
    return False


def _swap(plan: Plan, clause: Clause) -> bool:
    if "swap" not in clause.verbs:
        return False
    if clause.part("for") is not None and "replace" in clause.verbs:
        return False
    pieces = listed(clause.object)
    other = clause.part("with")
    if (
        other is not None
        and plan.steps.maybe(other.tokens) is None
        and plan.steps.maybe(clause.object) is not None
    ):
        structure.replace(plan, clause)
        return True
    if len(pieces) < 2 and other is None and clause.part("for") is None and clause.part("of") is None:
        return False
    if (
        clause.part("for") is not None
        and plan.steps.maybe((clause.part("for") or clause.parts[0]).tokens) is None
    ):
        structure.replace(plan, clause)
        return True
    clause.use(t for t in clause.tokens if t.is_("order", "place", "position", "around"))
    structure.swap(plan, clause)
    return True


def _assign(plan: Plan, clause: Clause) -> bool:
    to = clause.part("to", "with")
    for cut in range(1, len(clause.object)) if "give" in clause.verbs and to is None else ():
        step = plan.steps.maybe(clause.object[cut:]) if clause.object[cut].has("det") else None
        if step is not None and plan.is_role(clause.object[:cut]):
            clause.use(clause.object)
            settings.set_owner(plan, clause, [step], clause.object[:cut])
            return True
    by_set = (
        bool(clause.verbs & {"set"})
        and to is not None
        and plan.is_role(to.tokens)
        and not settings.field_of(clause.object)[0]
    )
    if not (clause.verbs & {"assign", "give"} or by_set) or to is None:
        return False
    if "passive" in clause.verbs and clause.subject:
        steps = plan.steps_in(clause, clause.subject)
    elif not any(counts(t) or t.lower in PRONOUNS for t in clause.object):
        return False
    elif (
        (step := plan.steps.maybe(to.tokens)) is not None
        and plan.is_role(clause.object)
        and plan.steps.maybe(clause.object) is None
    ):
        clause.use_part(to)
        settings.set_owner(plan, clause, [step], clause.object)
        return True
    elif (
        (by_set or "give" in clause.verbs)
        and "assign" not in clause.verbs
        and plan.steps.maybe(clause.object) is None
    ):
        return False
    else:
        steps = plan.steps_in(clause, clause.object)
    clause.use(to.mark)
    settings.set_owner(plan, clause, steps, to.tokens)
    return True


def _does(plan: Plan, clause: Clause) -> bool:
    """Read "finance should do the review", "have legal check the contract before signing"."""
    subject, verb, object_, after = _actor(plan, clause)
    somebody = bool(subject) and all(t.is_("somebody", "someone", "we", "you", "they", "it") for t in subject)
    has_where = any(p.marker in ("before", "after", "end", "start", "between") for p in after)
    if (
        verb is None
        or not subject
        or not (
            plan.is_role(subject)
            or (somebody and has_where)
            or (
                clause.mood == "order"
                and has_where
                and len([t for t in subject if t.is_content]) == 1
                and plan.steps.maybe(subject) is None
                and "does" in clause.verbs
                and not clause.verbs & {"come"}
            )
        )
    ):
        return False
    verb_name = verb.entry.verb or verb.lemma
    if verb_name == "approve" or structure.is_approving(verb):
        inner = Clause(clause.tokens, "order", frozenset(), verb, subject, object_, after, clause.used)
        return _role_approves(plan, inner)
    step = (
        plan.steps.maybe(object_)
        if any(counts(t) for t in object_) or any(t.lower in PRONOUNS for t in object_)
        else None
    )
    has_place = any(p.marker in ("before", "after", "end", "start", "between") for p in after)
    if verb_name in _DOING and step is not None and not has_place:
        clause.use((verb,), object_)
        for part in after:
            if part.marker == "instead" and step.assignee and plan.is_role(part.tokens):
                clause.use_part(part)
            if part.marker == "instead0":
                clause.use_part(part)
        settings.set_owner(plan, clause, [step], subject)
        return True
    same = plan.steps.maybe((verb, *object_))
    if (
        same is not None
        and not has_place
        and same.assignee is not None
        and any(p.marker in ("instead", "instead0") for p in after)
    ):
        clause.use((verb,), object_, *(p.mark for p in after))
        settings.set_owner(plan, clause, [same], subject)
        return True
    if not has_place or (clause.mood != "order" and not has_place):
        if same is not None and same.type != "end":
            clause.use((verb,), object_, (t for t in clause.tokens if t.is_("well", "now", "too")))
            for part in after:
                if (
                    part.marker in ("tail", "as")
                    and part.tokens
                    and (part.tokens[0].is_("not", "well") or plan.is_role(part.tokens))
                ):
                    clause.use_part(part)
            settings.set_owner(plan, clause, [same], subject)
            return True
        return False
    inner = Clause(clause.tokens, "order", clause.verbs, verb, subject, object_, after, clause.used)
    condition = structure.condition_of(plan, inner)
    where = place_of(plan, inner)
    who = None if somebody else plan.role(inner, subject)
    clause.use(subject)
    if who is None:
        words = _work_name(plan, inner, object_, after)
        clause.use((verb,), words)
        named = plan.draft_named(f"{verb_name[:1].upper()}{verb_name[1:]} {plan.said(words)}".strip(), None)
        plan.do({"op": "insert_step", "step": named, **(where or {})})
        return True
    if (
        same is not None
        and same.assignee
        and same.assignee.casefold() == who.casefold()
        and where is not None
        and same.id not in where.values()
    ):
        clause.use((verb,), object_)
        plan.do({"op": "move_step", "step": same.id, **where})
        return True
    name_tokens = _work_name(plan, inner, object_, after)
    name = (
        f"{verb_name[:1].upper()}{verb_name[1:]} {plan.said(name_tokens)}".strip()
        if name_tokens
        else f"{verb_name[:1].upper()}{verb_name[1:]}"
    )
    if not name_tokens and verb_name in _DOING:
        raise NotRead
    clause.use((verb,), name_tokens)
    draft = plan.draft_named(name, who) | {"type": "human", "assignee": who}
    draft.pop("uses", None)
    if condition is not None:
        draft["when"] = {"text": condition}
    plan.do({"op": "insert_step", "step": draft, **(where or {})})
    return True


def _work_name(plan: Plan, clause: Clause, object_: Tokens, after: Sequence[Part]) -> Tokens:
    """Return the object of a verb of work with the parts that belong to it: "check the data for errors"."""
    del after
    words = object_
    for part in clause.parts:
        if (
            part.marker in word_set("orders.work_name.for")
            and part.tokens
            and not all(t.start in clause.used for t in part.tokens)
        ):
            clause.use_part(part)
            words = (*words, *part.mark, *part.tokens)
        elif part.marker in ("before", "after"):
            break
    del plan
    return tuple(t for t in words if t.text != ",")


def _actor(plan: Plan, clause: Clause) -> tuple[Tokens, Token | None, Tokens, tuple[Part, ...]]:
    """Return who does what: of a statement, or of "have/let/make/ask somebody (to) do"."""
    if clause.subject:
        if "passive" in clause.verbs or "be" in clause.verbs:
            return (), None, (), ()
        return clause.subject, clause.verb, clause.object, clause.parts
    if not clause.verbs & {"ask", "make"} or not clause.object:
        return (), None, (), ()
    words = list(clause.object)
    to = clause.part("to")
    if (
        to is not None
        and to is clause.parts[0]
        and to.tokens
        and to.tokens[0].entry.verb
        and plan.is_role(words)
    ):
        clause.use(to.mark)
        return tuple(words), to.tokens[0], to.tokens[1:], tuple(p for p in clause.parts if p is not to)
    for at in range(1, min(len(words), 6)):
        token = words[at]
        somebody = at == 1 and words[0].is_("somebody", "someone")
        if token.entry.verb and "base" in token.entry.form and (somebody or plan.is_role(words[:at])):
            if at + 1 < len(words) and plan.is_role(words[: at + 1]) and token.has("noun"):
                continue
            return tuple(words[:at]), token, tuple(words[at + 1 :]), clause.parts
    return (), None, (), ()


def _passive_done(plan: Plan, clause: Clause) -> bool:
    """Read "the review should be done by legal", "pay out is handled by finance"."""
    if not clause.subject or not clause.verbs & {"be", "passive", "come", "does"}:
        return False
    by = clause.part("responsible", "owner")
    to = clause.part("to")
    if (
        by is None
        and to is not None
        and clause.verb is not None
        and clause.verb.entry.verb in ("belong", "assign", "hand", "go")
        and plan.is_role(to.tokens)
    ):
        by = to
    if by is None or not by.tokens:
        return False
    verb = [t for t in (*clause.object, *((clause.verb,) if clause.verb else ())) if counts(t)]
    who = tuple(by.tokens)
    contrast = next((at for at, t in enumerate(who) if t.is_("not", "instead")), None)
    if contrast is not None:
        clause.use(who[contrast:])
        who = who[:contrast]
    whole = plan.steps.maybe(clause.subject)
    if whole is None and clause.part("before", "after") is not None and clause.verb is not None:
        return _new_work(plan, clause, verb)
    both = plan.steps.maybe((*clause.subject, *verb)) if whole is None else None
    if both is not None:
        clause.use(clause.subject, verb)
    steps = [both] if both is not None else plan.steps_in(clause, clause.subject)
    generic = all(t.entry.verb in _DOING or t.among("orders.passive_done.own") for t in verb)
    named = all(any(akin(t.lower, w) for w in content_of(step.name)) for t in verb for step in steps)
    if not generic and not named:
        return False
    clause.use(verb, by.mark)
    for part in clause.parts:
        if part.marker == "instead" and plan.is_role(part.tokens):
            clause.use_part(part)
    settings.set_owner(plan, clause, steps, [t for t in who if t.text != ","])
    return True


def _placed(plan: Plan, clause: Clause) -> bool:
    """Read "the review should come after signing", "X must be first"."""
    if not clause.subject or not clause.verbs & {"be", "come", "does", "passive"}:
        return False
    if clause.verb is not None and clause.verb.entry.verb in ("follow", "precede") and clause.object:
        side = "after" if clause.verb.entry.verb == "follow" else "before"
        clause.parts = (*clause.parts, Part(side, clause.object, (clause.verb,)))
        clause.object = ()
    has = clause.part("before", "after", "between", "start", "end", "beside")
    first = any(t.is_("first", "last") for t in clause.object)
    missing = any(
        t.is_("missing", "miss", "lack") for t in (*clause.object, *((clause.verb,) if clause.verb else ()))
    )
    if (missing and "be" in clause.verbs) or (clause.verb is not None and clause.verb.entry.verb == "miss"):
        clause.use(clause.object)
        inner = Clause(
            clause.tokens,
            "order",
            frozenset({"add"}),
            clause.verb,
            (),
            clause.subject,
            clause.parts,
            clause.used,
        )
        structure.add(plan, inner)
        return True
    if has is None and not first:
        return False
    if "passive" in clause.verbs and clause.verbs & {"add", "remove", "rename", "replace"}:
        return False
    steps = plan.steps.maybe(clause.subject)
    words = [t for t in clause.object if counts(t) and not t.is_("first", "last", "step")]
    if steps is None and words:
        steps = plan.steps.maybe((*words, *clause.subject))
    words = [t for t in words if steps is None or not any(akin(t.lower, w) for w in content_of(steps.name))]
    if steps is None and clause.subject[0].is_("a", "an", "another"):
        object_, parts = parted(clause.subject, masked(plan, clause.subject))
        clause.use(t for t in clause.object if t.is_("first", "last", "happen", "do", "add", "place"))
        last = [
            Part("end" if t.is_("last") else "start", (), (t,))
            for t in clause.object
            if t.is_("first", "last")
        ]
        structure.add(
            plan,
            Clause(
                clause.tokens,
                "order",
                frozenset({"add"}),
                None,
                (),
                object_,
                (*parts, *clause.parts, *last),
                clause.used,
            ),
        )
        return True
    if steps is None and len(listed(clause.subject)) == 1:
        return _new_work(plan, clause, words)
    if words and not all(
        t.entry.verb in ("do", "happen", "run", "place", "complete") or t.is_("place", "only") for t in words
    ):
        return False
    if clause.part("after") and any(t.is_("only", "until") for t in clause.tokens):
        pass
    clause.use(t for t in clause.object if t.among("orders.placed.place") or t.entry.verb == "do")
    structure.move(
        plan,
        Clause(
            clause.tokens,
            "order",
            frozenset({"move"}),
            clause.verb,
            (),
            clause.subject,
            clause.parts,
            clause.used,
        ),
    )
    return True


def _new_work(plan: Plan, clause: Clause, words: list[Token]) -> bool:
    """Read "the doctor should be informed before ..." as a new step."""
    if "does" in clause.verbs and not (
        clause.verb is not None and clause.verb.entry.verb in ("get", "receive")
    ):
        return False
    where = place_of(plan, clause)
    verb = (
        clause.verb
        if clause.verb is not None and clause.verb.entry.verb not in ("be", "come", "go", "happen")
        else None
    )
    gets = verb is not None and verb.entry.verb in ("get", "receive", "have")
    participle = next((t for t in words if t.entry.form in ("ed", "base ed") and t.entry.verb), None)
    if verb is not None and verb.entry.form not in ("ed", "base ed") and not gets:
        return False
    if where is None or not (gets or participle or verb):
        return False
    by = next(
        (
            p
            for p in clause.parts
            if p.marker in ("responsible", "owner", "tail")
            and p.tokens
            and plan.is_role([t for t in p.tokens if not t.is_("by")])
        ),
        None,
    )
    who = plan.role(clause, [t for t in by.tokens if not t.is_("by")]) if by else None
    clause.use_part(by)
    subject = tuple(t for t in clause.subject if not t.has("det"))
    if gets:
        name = f"{plan.said([t for t in clause.object if not t.has('det')])} to {plan.said(subject)}"
        clause.use(clause.object, clause.subject)
    else:
        act = participle or verb
        if act is None or not act.entry.verb:
            return False
        name = f"{act.entry.verb} {plan.said(subject)}"
        clause.use([act], clause.subject)
    draft = plan.draft_named(name[:1].upper() + name[1:], who)
    plan.do({"op": "insert_step", "step": draft, **where})
    return True


def _wait(plan: Plan, clause: Clause) -> bool:
    """Read "wait two hours between baking and decorating", "add a wait of 2 days before signing"."""
    asks = "wait" in clause.verbs or (
        ("add" in clause.verbs or "put" in clause.verbs)
        and any(t.is_("wait", "pause", "delay", "break", "gap") for t in clause.object)
    )
    if not asks or len(settings.all_durations(clause)) != 1:
        return False
    where = place_of(plan, clause)
    if where is None:
        return False
    tokens, length = settings.all_durations(clause)[0]
    clause.use(
        tokens,
        (
            t
            for t in clause.object
            if t.is_("wait", "pause", "delay", "time", "period", "step", "break", "gap")
        ),
        *(p.mark for p in clause.parts if any(t in tokens for t in p.tokens)),
    )
    name = f"Wait {plan.said(tokens)}"
    plan.do(
        {
            "op": "insert_step",
            "step": {"id": plan.new_id(name), "name": name, "type": "wait", "duration": length},
            **where,
        }
    )
    return True


def _beside(plan: Plan, clause: Clause) -> bool:
    """Read "run the scan in parallel with packaging", "in parallel to booking, X should happen"."""
    part = clause.part("beside")
    if part is None or clause.verbs & {"remove", "add"}:
        return False
    about = clause.subject or clause.object
    step = plan.steps.maybe(about)
    clause.use(t for t in clause.object if t.is_("happen", "do", "run", "start"))
    if step is None:
        structure.add_beside(plan, clause, about, part, None)
        return True
    other = plan.step(clause, part.tokens)
    clause.use_part(part)
    clause.use(about)
    plan.do({"op": "parallelize", "steps": [step.id, other.id]})
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


def _alias(plan: Plan, clause: Clause) -> bool:
    """Read "people also call this "the birthday thing"", "also known as talent intake"."""
    tokens = clause.tokens
    known = next(
        (
            i
            for i, t in enumerate(tokens)
            if t.is_("know") and i + 1 < len(tokens) and tokens[i + 1].is_("as")
        ),
        None,
    )
    calls = next((i for i, t in enumerate(tokens) if t.entry.verb == "call"), None)
    who = any(t.among("orders.alias.people") for t in tokens[: calls or 0])
    if known is not None and any(t.is_("also") for t in tokens):
        words = tokens[known + 2 :]
    elif calls is not None and who and any(t.is_("also", "sometimes", "often", "usually") for t in tokens):
        words = tuple(t for t in tokens[calls + 1 :] if t.lower not in PRONOUNS and t.lemma not in _WHOLE)
    else:
        return False
    clause.use(tokens)
    settings.tag(plan, clause, [t for t in words if t.kind != "punct"], "add_alias")
    return True


def _can_go(plan: Plan, clause: Clause) -> bool:
    """Read "the deadline of the review can go", "X goes away"."""
    gone = (
        clause.verb is not None
        and clause.verb.is_("go", "leave", "disappear")
        and not any(counts(t) and not t.is_("away") for t in clause.object)
    )
    if not gone or not clause.subject or any(p.marker != "of" for p in clause.parts):
        return False
    clause.use(clause.object)
    subject, parts = parted(clause.subject, masked(plan, clause.subject))
    inner = Clause(clause.tokens, "order", frozenset({"remove"}), None, (), subject, parts, clause.used)
    _dispatch(plan, inner)
    return True


def _have_done(plan: Plan, clause: Clause) -> bool:
    """Read "have the claim registered by the call centre"."""
    by = clause.part("responsible", "owner")
    if by is None or not clause.verbs & {"ask", "make"} or clause.subject or not clause.object:
        return False
    participle = next((t for t in clause.object if t.entry.form in ("ed", "base ed") and t.entry.verb), None)
    step = plan.steps.maybe(clause.object) if participle is not None else None
    if step is None and participle is not None and clause.part("before", "after", "between", "start", "end"):
        thing = [t for t in clause.object if t is not participle]
        name = f"{participle.entry.verb} {plan.said(thing)}"
        draft = plan.draft_named(name[:1].upper() + name[1:], plan.role(clause, by.tokens))
        clause.use(clause.object, by.mark)
        plan.do({"op": "insert_step", "step": draft, **(place_of(plan, clause) or {})})
        return True
    if step is None:
        return False
    clause.use(clause.object, by.mark)
    settings.set_owner(plan, clause, [step], by.tokens)
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


def _then_to(plan: Plan, clause: Clause) -> bool:
    """Read "the letter gets 3 hours; after that it goes to the head doctor" as an escalation."""
    to = clause.part("to")
    after = clause.tokens[0].is_("after", "afterwards", "then", "otherwise", "and")
    last = plan.edits[-1] if plan.edits else {}
    goes = clause.verb is not None and clause.verb.is_("go", "pass", "escalate", "move")
    if not (
        after
        and goes
        and to is not None
        and last.get("op") == "set_timeout"
        and last.get("timeout")
        and plan.is_role(to.tokens)
    ):
        return False
    who = plan.role(clause, to.tokens)
    clause.use_part(to)
    clause.use(clause.subject, *(p.mark for p in clause.parts), *(p.tokens for p in clause.parts))
    plan.do({"op": "update_step", "step": last["step"], "set": {"escalate_to": who}})
    return True


def _manual(plan: Plan, clause: Clause) -> bool:
    """Read "we want to start it manually", "don't start it on a schedule"."""
    words = {t.lemma for t in clause.tokens} | {t.lower for t in clause.tokens}
    starts = words & {"start", "startable", "run", "launch", "trigger"}
    if not starts or not (words & {"manually"} or ("hand" in words and "by" in words)):
        return False
    if any(
        counts(t) and plan.steps.maybe((t,))
        for t in clause.tokens
        if t.lemma not in ("start", "run", "hand", "trigger", "launch")
    ):
        return False
    clause.use(clause.tokens)
    if not any(one.type == "manual" for one in plan.workflow.triggers):
        plan.do({"op": "add_trigger", "trigger": {"type": "manual"}})
    return True


def _not_needed(plan: Plan, clause: Clause) -> bool:
    words = [t.lower for t in clause.tokens]
    gone = (
        clause.subject and any(w in words for w in ("unnecessary", "redundant", "obsolete", "superfluous"))
    ) or (
        clause.subject
        and "longer" in words
        and any(t.is_("need", "require", "necessary") for t in clause.tokens)
    )
    if not gone:
        return False
    clause.use(t for t in clause.tokens if t not in clause.subject)
    for step in plan.steps_in(clause, clause.subject):
        plan.do({"op": "remove_step", "step": step.id})
    return True


def _passive_order(plan: Plan, clause: Clause) -> bool:
    """Read "the legal check should be removed": what is said of the subject is ordered of it."""
    if "passive" not in clause.verbs or not clause.subject:
        return False
    clause.verbs -= {"passive"}
    clause.object, clause.subject = (*clause.subject, *clause.object), ()
    _dispatch(plan, clause)
    return True


def _verb_rule(kinds: frozenset[str], action: Callable[[Plan, Clause], None]) -> Rule:
    def rule(plan: Plan, clause: Clause) -> bool:
        if not clause.verbs & kinds:
            return False
        action(plan, clause)
        return True

    return rule


def _put(plan: Plan, clause: Clause) -> bool:
    """Put what is there somewhere else, or something new there: which, the name says."""
    if (
        clause.verbs & {"make", "put"}
        and clause.object
        and all(t.lower in PRONOUNS for t in clause.object)
        and clause.part("before", "after", "start", "end")
    ):
        structure.move(plan, clause)
        return True
    if "put" not in clause.verbs:
        return False
    has_article = bool(clause.object) and clause.object[0].is_("a", "an", "another")
    called = any(t.kind == "quoted" for t in clause.object) and plan.steps.maybe(clause.object) is None
    if not has_article and not called:
        pieces = listed(clause.object)
        found = plan.steps.maybe(clause.object) or (plan.steps.maybe(pieces[0]) if len(pieces) > 1 else None)
        if found is not None and any(counts(t) or t.lower in PRONOUNS for t in clause.object):
            structure.move(plan, clause)
            return True
        if clause.object and all(t.lower in PRONOUNS for t in clause.object):
            structure.move(plan, clause)
            return True
    structure.add(plan, clause)
    return True


def _add(plan: Plan, clause: Clause) -> bool:
    if not clause.verbs & {"add", "wanted"}:
        return False
    if "wanted" in clause.verbs and clause.object and clause.object[0].is_("no"):
        clause.use(clause.object[:1])
        clause.object = clause.object[1:]
        _remove_plain(plan, clause)
        return True
    if structure.is_approval([t for t in clause.object if not plan.is_role((t,))]) and not any(
        t.kind == "quoted" for t in clause.object
    ):
        before = clause.part("before")
        by = next(
            (
                p
                for p in clause.parts
                if p.marker in ("responsible", "from", "for", "of") and plan.is_role(p.tokens)
            ),
            None,
        )
        inside = tuple(t for t in clause.object if plan.is_role((t,)))
        if before is not None and (by or inside):
            who = plan.role(clause, by.tokens if by else inside)
            clause.use_part(by)
            clause.use(clause.object)
            draft = plan.draft_named(f"{who[:1].upper()}{who[1:]} approval", who) | {
                "type": "human",
                "assignee": who,
            }
            condition = structure.condition_of(plan, clause)
            draft |= {"when": {"text": condition}} if condition else {}
            plan.do({"op": "insert_step", "step": draft, **(place_of(plan, clause) or {})})
            return True
    structure.add(plan, clause)
    return True


def _move(plan: Plan, clause: Clause) -> bool:
    if "move" not in clause.verbs:
        return False
    to = clause.part("to")
    step = plan.steps.maybe(clause.object)
    if (
        step is None
        and len(listed(clause.object)) == 1
        and clause.verb is not None
        and clause.verb.is_("send", "bring", "push", "pull")
    ):
        return False
    if to is not None and clause.part("before", "after", "end", "start", "between") is None:
        words = {t.lower for t in to.tokens}
        if words & word_set("orders.move.end"):
            clause.use_part(to)
        elif (
            clause.verb is not None
            and clause.verb.is_("transfer", "move", "shift", "push")
            and plan.is_role(to.tokens)
            and step is not None
        ):
            clause.use(clause.object, to.mark)
            settings.set_owner(plan, clause, [step], to.tokens)
            return True
    structure.move(plan, clause)
    return True


def _back(plan: Plan, clause: Clause) -> bool:
    if "back" not in clause.verbs or clause.part("to") is None:
        return False
    structure.back(plan, clause)
    return True


def _start(plan: Plan, clause: Clause) -> bool:
    if not clause.verbs & {"start", "make"}:
        return False
    part = clause.part("with", "at", "from")
    if "start" in clause.verbs and part is not None and plan.steps.maybe(part.tokens) is not None:
        clause.use_part(part)
        clause.use(t for t in clause.object if t.lemma in _WHOLE or not counts(t))
        step = plan.step(clause, part.tokens)
        plan.do({"op": "move_step", "step": step.id, "before": plan.workflow.start})
        return True
    first = [t for t in clause.object if t.is_("first", "last", "final", "start", "beginning")]
    if "make" in clause.verbs and first:
        frame = [t for t in clause.object if t in first or t.lemma in FRAME_WORDS]
        about = tuple(
            t
            for t in clause.object
            if (t not in frame and not t.has("det")) or (t.lower in PRONOUNS and t not in frame)
        )
        if plan.steps.maybe(about) is not None:
            clause.use(frame)
            clause.object = about
            structure.move(plan, clause)
            return True
    return False


def _skip(plan: Plan, clause: Clause) -> bool:
    if "skip" not in clause.verbs:
        return False
    condition = structure.condition_of(plan, clause)
    if condition is None:
        structure.remove(plan, clause)
        return True
    settings.only_when(plan, clause, clause.object or clause.subject, condition, skipped=True)
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
        plan.do(
            {"op": "update_transition", "transition": entering[0].id, "set": {"when": {"text": condition}}}
        )
        if len(plan.workflow.outgoing(entering[0].from_)) > 1:
            plan.notes.append("the conditions of the other ways from there stay as they are")
        clause.use(about)
        return True
    settings.only_when(plan, clause, about, condition, skipped=False)
    return True


def _escalate(plan: Plan, clause: Clause) -> bool:
    if "escalate" not in clause.verbs:
        return False
    to = clause.part("to")
    if to is None:
        raise Asked("To whom?", plan.text.rstrip(" .!") + " to ", "")
    clause.use(to.mark)
    about = clause.object or clause.subject
    part = clause.part("if", "for")
    if part is not None:
        clause.use(part.mark, (t for t in part.tokens if t.among("orders.escalate.not")))
        about = about or tuple(
            t
            for t in part.tokens
            if t.is_content and t.start not in clause.used and not _in_durations(clause, t)
        )
    for late in clause.parts:
        if late.marker in ("after", "within") and any(_in_durations(clause, t) for t in late.tokens):
            clause.use(late.mark)
    settings.escalate(plan, clause, to.tokens, about)
    return True


def _merge(plan: Plan, clause: Clause) -> bool:
    if "merge" not in clause.verbs:
        return False
    structure.merge(plan, clause)
    return True


def _make_owner(plan: Plan, clause: Clause) -> bool:
    """Read "make HR responsible for the review", "put finance in charge of pay out"."""
    job = next((t for t in clause.object if t.is_("job", "task", "duty", "responsibility", "business")), None)
    if (
        job is not None
        and clause.subject
        and (whose := clause.part("of", "for"))
        and plan.is_role(whose.tokens)
    ):
        clause.use((job,), whose.mark)
        settings.set_owner(plan, clause, plan.steps_in(clause, clause.subject), whose.tokens)
        return True
    charge = next((t for t in clause.tokens if t.is_("charge", "responsible")), None)
    if charge is None or not (clause.verbs & {"make", "put", "set", "be", "does"}):
        return False
    part = clause.part("for", "of")
    within = clause.part("in")
    about = part.tokens if part else within.tokens if within else ()
    if within is not None and within.tokens and within.tokens[0].is_("charge"):
        about = tuple(t for t in within.tokens[1:] if not t.is_("of")) or about
        clause.use(within.mark, within.tokens[:1], (t for t in within.tokens if t.is_("of")))
    who = tuple(t for t in (clause.subject or clause.object) if t is not charge)
    clause.use((charge,), part.mark if part else ())
    steps = plan.steps_in(clause, about)
    settings.set_owner(plan, clause, steps, who)
    return True


def _tag(plan: Plan, clause: Clause) -> bool:
    if "tag" not in clause.verbs and "untag" not in clause.verbs:
        return False
    words = clause.part("as", "with", "from")
    tokens = (
        words.tokens
        if words
        else tuple(t for t in clause.object if t.lemma not in _WHOLE and t.lower not in PRONOUNS)
    )
    clause.use_part(words)
    clause.use(t for t in clause.object if t.lemma in _WHOLE or t.lower in PRONOUNS)
    settings.tag(plan, clause, tokens, "untag" if "untag" in clause.verbs else "tag")
    return True


def _describe(plan: Plan, clause: Clause) -> bool:
    part = clause.part("as")
    if "describe" not in clause.verbs or part is None or not part.tokens:
        return False
    clause.use(part.mark)
    words = tuple(t for t in clause.tokens if t.start >= part.tokens[0].start)
    is_whole = content_of(plan.said(clause.object)) == content_of(plan.workflow.name)
    clause.use(clause.object if is_whole else ())
    settings.set_description(plan, clause, words, () if is_whole else clause.object)
    return True


def _does_work(plan: Plan, clause: Clause) -> bool:
    """Read a bare order of work with a place as a new step: "call HR before sending the offer"."""
    place = clause.part("before", "after", "between")
    if place is None or clause.subject:
        return False
    inside = {t.start for t in (*place.mark, *place.tokens)}
    head = clause.verb or next(
        (t for t in clause.tokens if t.start not in clause.used | inside and t.kind == "word"), None
    )
    if head is None or not head.entry.verb or "base" not in head.entry.form:
        return False
    end = place.mark[0].start if place.mark[0].start > head.start else clause.tokens[-1].end
    words = tuple(
        t for t in clause.tokens if (head.start <= t.start < end and t.kind != "punct") or t is head
    )
    if len(words) < 2 or len(words) > 8:
        return False
    if plan.steps.maybe(words) is not None:
        clause.object = words
        structure.move(plan, clause)
        return True
    where = place_of(plan, clause)
    draft = plan.draft(clause, words)
    plan.do({"op": "insert_step", "step": draft, **(where or {})})
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
    _not_needed,
    _can_go,
    _alias,
    _optional,
    _wait,
    _then_to,
    _manual,
    _have_done,
    _swap_roles,
    _schedule,
    _sequence,
    _parallel,
    _beside,
    _only_if,
    _approval,
    _make_owner,
    _rename,
    _escalate,
    _retry,
    _limit,
    _field,
    _numbers,
    _deadline,
    _passive_done,
    _placed,
    _swap,
    _assign,
    _tag,
    _describe,
    _does,
    _skip,
    _merge,
    _verb_rule(frozenset({"split"}), structure.split),
    _verb_rule(frozenset({"disconnect"}), structure.disconnect),
    _start,
    _put,
    _move,
    _back,
    _passive_order,
    _verb_rule(frozenset({"replace"}), structure.replace),
    _add,
    _verb_rule(frozenset({"remove"}), structure.remove),
    _verb_rule(frozenset({"connect"}), structure.connect),
    _does_work,
    _verbless,
)
