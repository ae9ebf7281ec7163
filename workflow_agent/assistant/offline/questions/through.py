"""Answers from the ways through a workflow: what can be avoided, what a case leads to, what fails or is late."""

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.questions.question import Question, Unmeant
from workflow_agent.assistant.offline.questions.steps import (
    Told,
    channel,
    doing,
    falls,
    in_case,
    lines,
    loop_line,
    names,
    taken,
    through,
)
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import (
    back_edges,
    between,
    conditions_before,
    forks,
    path,
    ranks,
    reach,
    skipping,
)
from workflow_agent.assistant.offline.wording import condition_of, named, way_on
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow


def order(q: Question) -> Told | None:
    """Return which of two steps comes first."""
    ones, others = q.tasks("from"), q.tasks("to")
    if len(ones) != 1 or len(others) != 1 or ones == others:
        return None
    one, other = ones[0], others[0]
    rank = ranks(q.workflow)
    onward, back = other.id in reach(q.workflow, one.id), one.id in reach(q.workflow, other.id)
    if not onward and not back:
        return Told(f"Neither leads to the other: {named(one)} and {named(other)} are on different ways.")
    forward = rank[one.id] < rank[other.id] if onward and back else onward
    told = f"{named(one)} comes {'before' if forward else 'after'} {named(other)}."
    open_ = any(t.is_("or") for t in q.asked.tokens) or not q.asked.is_yes_or_no
    if onward != back and any(t.among("order.directly") for t in q.asked.tokens):
        first, last = (one, other) if forward else (other, one)
        later = {key for key in reach(q.workflow, first.id) if rank[first.id] < rank[key] < rank[last.id]}
        amid = [s for s in q.work() if s.id in later and last.id in reach(q.workflow, s.id)]
        if amid:
            return Told(f"{told} Between them: {names(amid)}.", verdict=None if open_ else False)
    return Told(told, verdict=None if open_ else forward)


def path_to(q: Question) -> Told | None:
    """Return the shortest way to a step or an end, and the cases in which it is taken."""
    goals: list[Step | None] = [*(q.goals("goal") or q.meant("step"))]
    ways = [(goal, path(q.workflow, goal.id if goal else None)) for goal in goals or [None]]
    rows: list[str] = []
    for goal, way in ways:
        cases = conditions_before(q.workflow, goal.id) if goal else ()
        told = "".join(f" From {named(s)}, {in_case(when)}." for s, when in cases)
        lead = f"To {named(goal)}" if goal else "The shortest way"
        rows += [f"{lead}: {_arrows(way)}.{told}"] if way else []
    return lines(rows)


def _arrows(way: list[Step]) -> str:
    return " → ".join(s.name for s in way if s.type not in ("fork", "join"))


def loops(workflow: Workflow, ids: set[str]) -> str | None:
    """Return the ways back, those past some steps where any are given; None where there are none."""
    back = [e for e in back_edges(workflow) if not ids or ids & ({e.to, e.from_} | between(workflow, e))]
    inner = [s for s in workflow.steps if s.type == "loop" and (not ids or s.id in ids)]
    told = [*(loop_line(workflow, e) for e in back), *(f"{named(s)} repeats its steps" for s in inner)]
    return f"{'; '.join(told)}.{' Nothing in it limits how often.' if back else ''}" if told else None


def beside(q: Question) -> Told | None:
    """Return what happens at the same time as a step, or whether two do."""
    found = q.tasks("step", "from", "to")
    rows = forks(q.workflow)
    if len(found) > 1:
        one, other = found[:2]
        both = any(
            any((one in a and other in b) or (one in b and other in a) for a in some for b in some if a is not b)
            for some in rows
        )
        told = "run" if both else "do not run"
        return Told(f"{named(one)} and {named(other)} {told} at the same time.", verdict=both)
    if not found:
        return None
    mine = [row for some in rows if any(found[0] in row for row in some) for row in some]
    mates = [s for row in mine if found[0] not in row for s in row]
    if not mates:
        return Told(f"Nothing runs at the same time as {named(found[0])}.")
    return Told(f"At the same time as {named(found[0])}: {names(mates)}.")


# ---- what no way goes around


def without(q: Question) -> Told | None:
    """Return whether there is a way around a step, or to a goal without it."""
    around = _avoided_steps(q)
    ids = frozenset(s.id for s in around)
    if not ids:
        return None
    aims = [s for s in _aims(q) if s.id not in ids]
    if not aims:
        return _avoided(q.workflow, ids, yes_if_free=True)
    reached = reach(q.workflow, q.workflow.start, ids)
    if free := [s for s in aims if s.id in reached]:
        return Told(f"there is a way to {names(free)} around {names(around)}.", verdict=True)
    return Told(f"every way to {names(aims)} goes through {names(around)}.", verdict=False)


def _aims(q: Question) -> list[Step]:
    own = content_of(q.workflow.name)
    # "The trip" is the whole of it, though it may end as "Trip dropped".
    words = [t for one in q.asked.words("goal") for t in one if t.is_content]
    if words and all(any(akin(t.lower, w) for w in own) or t.among("question.whole") for t in words):
        return []
    return q.goals()


def _avoided_steps(q: Question) -> list[Step]:
    return [s for words in q.asked.words("step") for s in _sending(q.workflow, words)] or q.tasks("step", "who")


def _sending(workflow: Workflow, words: tuple[Token, ...]) -> list[Step]:
    """Return the steps that send a message to those whom words name, or do not tell to whom: "the customer email"."""
    said = [t for t in words if t.is_content]
    people = [t for t in said if not t.among("answers.messages")]
    if len(people) == len(said) or len(people) > 1:
        return []
    sending = [s for s in workflow.steps if channel(s) in word_set("answers.channels")]
    told = {s.id: content_of(f"{s.name} {s.with_}") for s in sending}
    return [s for s in sending if "to" not in s.with_ or all(any(akin(t.lower, w) for w in told[s.id]) for t in people)]


def always(q: Question) -> Told | None:
    """Return whether every way goes through a step."""
    flow, found = q.workflow, _avoided_steps(q) or q.goals()
    ids = frozenset(s.id for s in found)
    if not found or not q.asked.has("case"):
        return _avoided(flow, ids, yes_if_free=False) if found else None
    ends = {s.id for s in flow.steps if s.type == "end"}
    ways = q.cases()
    free = any(e.to not in ids and ends & reach(flow, e.to, ids) for e in ways)
    told = f"there is a way around {names(found)}." if free else f"every way from there goes through {names(found)}."
    return Told("\n".join([told, *taken(flow, ways)]), verdict=not free)


def _avoided(workflow: Workflow, ids: frozenset[str], *, yes_if_free: bool) -> Told:
    free = path(workflow, avoiding=ids) or skipping(workflow, ids)
    what = names([s for s in workflow.steps if s.id in ids])
    if free is None:
        return Told(f"every way from start to end goes through {what}.", verdict=not yes_if_free)
    return Told(f"a way without {what}: {_arrows(free)}.", verdict=yes_if_free)


# ---- what fails, what is late


def fails(q: Question) -> Told | None:
    """Return what happens when a step fails, or any."""
    found = doing(q.workflow, q.tasks("step", "who", "goal"))
    if found:
        return lines(filter(None, (_failure(q, s) for s in found)))
    known = [s for s in q.work() if falls(q.workflow, s)]
    return lines(_failure(q, s) for s in known) or Told(f"Nothing is drawn in **{q.workflow.name}** for a failure.")


def _failure(q: Question, step: Step) -> str:
    flow = q.workflow
    ways = _ways_of(flow, step, "inquiry.fails")
    told = [f"it is tried up to {step.retry.max_attempts} times"] if step.retry else []
    told += [through(flow, e) for e in ways or q.of_outcome(step, is_bad=True)]
    if step.on_error == "continue" and not ways:
        told += [f"the run goes on: {through(flow, e)}" for e in flow.outgoing(step.id)]
    if told:
        return f"{named(step)}: {', then '.join(told)}."
    if step.type not in ("action", "human", "subworkflow"):
        return ""
    return f"Nothing is drawn for a failure of {named(step)}: the run would stop there."


def _ways_of(workflow: Workflow, step: Step, words: str) -> list[Transition]:
    """Return the ways of an error, or of a case with some words."""
    said = word_set(words)
    return [
        e
        for e in workflow.outgoing(step.id)
        if e.type == "error" or any(akin(w, one) for w in content_of(condition_of(e)) for one in said)
    ]


def late(q: Question) -> Told | None:
    """Return what happens when a step or somebody is late; of all steps with such a limit where none is named."""
    found = q.tasks("step", "who", "goal")
    if not found:
        spans = {seconds_of(one.value) for words in q.asked.words("span") for _, one in durations_in(words)}
        found = [s for s in q.work() if s.timeout and (not spans or seconds_of(s.timeout) in spans)]
    # A decision waits for nothing: what comes before it does.
    return lines(_overdue(q.workflow, s) for s in doing(q.workflow, found))


def _overdue(workflow: Workflow, step: Step) -> str:
    ways = [way_on(workflow, e) for e in _ways_of(workflow, step, "inquiry.late")]
    if not step.timeout and not ways:
        return f"{named(step)} has no deadline: it waits until it is done."
    has = f"{named(step)} has {duration_in_words(step.timeout)}" if step.timeout else named(step)
    then = [f"after that it goes to {step.escalate_to}"] if step.escalate_to else []
    return "; ".join([has, *then, *ways] if then or ways else [has, "nothing says what happens then"]) + "."


# ---- cases


def _broken(q: Question) -> list[Step]:
    """Return the one step of which a case says that it fails: "the scanner cannot read it", of what calls a scanner."""
    words = [t for one in q.asked.words("case") for t in one]
    if not any(t.among("inquiry.fails") or t.has("neg") or t.is_("work", "wrong") for t in words):
        return []
    said = [t.lower for t in words if t.is_content]
    failing = {s.id: content_of(f"{s.name} {s.uses or ''}".replace(".", " ")) for s in q.work() if falls(q.workflow, s)}
    own = [s for s in q.work() if any(akin(word, w) for word in said for w in failing.get(s.id, ()))]
    return own if len(own) == 1 else []


def case(q: Question) -> Told | None:
    """Return where the ways lead whose case the words say, or an amount takes; whether to a goal that is named."""
    ways = q.amounts()
    if not ways:
        try:
            ways = q.cases()
        except Unmeant:
            if broken := _broken(q):
                return lines(_failure(q, s) for s in broken)
            # "What happens to the parcels": a step that happens, and no case.
            if q.asked.has("case") or not q.asked.has("step"):
                raise
            return lines(through(q.workflow, e) for s in q.meant("step") for e in q.workflow.outgoing(s.id))
    goals = q.goals()
    if not goals:
        return lines(taken(q.workflow, ways))
    reached = set[str]().union(*(reach(q.workflow, e.to, frozenset({e.from_})) for e in ways))
    leads = any(goal.id in reached for goal in goals)
    return lines(taken(q.workflow, ways), verdict=leads if q.asked.is_yes_or_no else None)
