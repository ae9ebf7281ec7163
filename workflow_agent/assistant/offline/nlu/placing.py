"""Where a new step goes; steps that move or trade places."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.plan import Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, akin, content_of
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.walks import reach
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition

_DONE = word_set("placing.done")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something goes: the fields of an edit, or the step beside which it is done."""

    fields: JsonObject
    beside: Step | None = None
    is_start: bool = False
    """Whether new steps begin the workflow there."""


def at_end(plan: Plan) -> JsonObject:
    """Return the place behind the last step that does something and leads to a good end."""
    all_ends = [s for s in plan.workflow.steps if s.type == "end"]
    ends = [s for s in all_ends if s.outcome in (None, "ok")] or all_ends
    last = [s for s in plan.workflow.steps if s.type != "end" and not plan.workflow.outgoing(s.id)]
    if ends and plan.workflow.incoming(ends[0].id):
        return {"before": ends[0].id}
    if len(last) == 1:
        return {"after": last[0].id}
    raise Asked("There is more than one end. Where does it go?")


def between(plan: Plan, after: Step, before: Step) -> Place:
    """Return the place between two steps; with others between them that right behind the first, as a guess.

    Raises:
        Asked: The second does not come behind the first.
    """
    flow = plan.workflow
    onward = [edge.to for edge in flow.outgoing(after.id) if edge.type != "error"]
    if before.id in onward:
        return Place({"between": [after.id, before.id]})
    if before.id == after.id or before.id not in reach(flow, after.id):
        raise Asked(f"**{before.name}** does not come after **{after.name}**. Where does it go?")
    side, step = ("after", after) if len(onward) == 1 else ("before", before)
    told = f"I would put it right {side} “{step.name}”"
    plan.guesses.append(f"there are steps between “{after.name}” and “{before.name}”: {told}")
    return Place({side: step.id})


def anchor(plan: Plan, tokens: Sequence[Token], mark: str) -> Step | None:
    """Return the step that a place names, also as "once the review is done" or "before we sign"."""
    words = [t for t in tokens if not t.has("aux", "det") and not (t.is_("get") and t.has("verb"))]
    while len(words) > 1 and (words[0].has("pron") or words[0].is_("start", "begin", "continue", "proceed", "go")):
        words.pop(0)
    while len(words) > 1 and words[-1].kind == "word" and words[-1].lemma in _DONE:
        words.pop()
    named = [t for t in words if t.lower not in PRONOUNS and not t.has("pron")]
    if not any(t.is_content for t in named):
        return plan.maybe(words) if any(t.lower in PRONOUNS for t in words) else None
    fits = plan.fits(named) or _of_verb(plan, tokens)
    if len(fits) == 1 and fits[0].type == "end" and (mark == "after" or any(t.has("aux") for t in tokens)):
        fits = plan.steps.fits(named, with_ends=False) or fits
    if len(fits) > 1 and any(t.is_("it", "they", "them") for t in words):
        said = content_of(plan.text)
        scores = [sum(any(akin(w, o) for w in said) for o in content_of(s.name)) for s in fits]
        fits = [s for s, score in zip(fits, scores, strict=True) if score == max(scores)]
    return fits[0] if len(fits) == 1 else None


def _of_verb(plan: Plan, tokens: Sequence[Token]) -> list[Step]:
    """Return the step that is no more than a verb of the passive that a place tells: "before the money is paid out"."""
    at = next((i for i, t in enumerate(tokens) if i and t.is_("be", "get")), len(tokens))
    verb = [t for t in tokens[at + 1 :] if not t.has("aux", "adv")]
    if not verb or verb[0].entry.form != "ed":
        return []
    return plan.steps.fits(verb, with_ends=False) if plan.steps.is_named(verb) else []


def move_steps(plan: Plan, steps: Sequence[Step], place: Place) -> None:
    """Move steps somewhere, one behind the other.

    Raises:
        NotRead: One of them is where it is to go.
    """
    if place.beside is not None:
        plan.do({"op": "parallelize", "steps": [*(step.id for step in steps), place.beside.id]})
        return
    plan.notes = [note for note in plan.notes if "did not say where" not in note]
    fields = place.fields
    for step in steps:
        if step.id in (fields.get("before"), fields.get("after"), *(fields.get("between") or ())):
            raise NotRead
        known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
        cases = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        plan.do({"op": "move_step", "step": step.id, **fields})
        left = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        if lost := [text for text in cases if cases.count(text) > left.count(text)]:
            plan.notes.append(f"the way “{lost[0]}” would go")
        drop_empty_branches(plan, known)
        fields = {"after": step.id}


def drop_empty_branches(plan: Plan, known: Collection[tuple[str, str]]) -> None:
    """Take out the branches that a step was alone in, and has left, so that their ways are none of those known.

    Behind a fork, or behind a step another plain way on from which leads to the same step.
    """
    kinds = {one.id: one.type for one in plan.workflow.steps}
    for edge in plan.workflow.transitions:
        if (edge.from_, edge.to) in known or edge.type != "sequence" or edge.when is not None:
            continue
        beside = (way.to for way in plain_ways(plan, edge.from_) if way.to != edge.to)
        is_empty = (kinds[edge.from_], kinds[edge.to]) == ("fork", "join")
        if is_empty or any(edge.to in reach(plan.workflow, one) for one in beside):
            plan.do({"op": "disconnect", "from": edge.from_, "to": edge.to})


def plain_ways(plan: Plan, step_id: str) -> list[Transition]:
    """Return the ways on from a step that have no condition."""
    return [edge for edge in plan.workflow.outgoing(step_id) if edge.type == "sequence" and edge.when is None]


def put(plan: Plan, drafts: Sequence[JsonObject], place: Place) -> None:
    """Put new steps somewhere, one behind the other."""
    fields = place.fields
    if place.beside is not None and len(drafts) > 1:
        raise NotRead
    for at, draft in enumerate(drafts):
        said = content_of(draft["name"]) or [draft["name"].casefold()]
        named = ((step.name, content_of(step.name) or [step.name.casefold()]) for step in plan.workflow.steps)
        if same := next((name for name, words in named if words == said), None):
            plan.notes.append(f"there is “{same}” already, so that there would be two")
        draft["id"] = plan.new_id(draft["name"])
        if place.beside is not None:
            _put_beside(plan, draft, place.beside)
        elif place.is_start and not at:
            plan.do(
                {"op": "add_step", "step": draft},
                {"op": "connect", "from": draft["id"], "to": plan.workflow.start},
                {"op": "set_start", "step": draft["id"]},
            )
        else:
            plan.do({"op": "insert_step", "step": draft, **fields})
        plan.steps.last = draft["id"]
        fields = {"after": draft["id"]}


def _put_beside(plan: Plan, draft: JsonObject, beside: Step) -> None:
    if (branch := branch_of(plan, beside.id)) is None:
        together = {"op": "parallelize", "steps": [draft["id"], beside.id]}
        try:
            plan.do({"op": "insert_step", "step": draft, "before": beside.id}, together)
        except NotRead:
            # There are ways to it in a case only.
            plan.do({"op": "insert_step", "step": draft, "after": beside.id}, together)
        return
    plan.do(
        {"op": "add_step", "step": draft},
        {"op": "connect", "from": branch[0], "to": draft["id"]},
        {"op": "connect", "from": draft["id"], "to": branch[1]},
    )


def branch_of(plan: Plan, step_id: str) -> tuple[str, str] | None:
    """Return where the branches part and meet of which a step is one by itself, or None.

    They part at a fork, or where several ways lead on from a step without a condition, which are all taken.
    """
    flow = plan.workflow
    kinds = {step.id: step.type for step in flow.steps}
    into, onward = flow.incoming(step_id), flow.outgoing(step_id)
    forks = [edge.from_ for edge in into if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in onward if kinds[edge.to] == "join"]
    if forks and joins:
        return forks[0], joins[0]
    if len(into) != 1 or len(onward) != 1 or len(plain_ways(plan, step_id)) != 1:
        return None
    beside = [edge.to for edge in plain_ways(plan, into[0].from_) if edge.to != step_id]
    meet = any(edge.to == onward[0].to for one in beside for edge in plain_ways(plan, one))
    return (into[0].from_, onward[0].to) if meet and into[0].when is None else None


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    for first, second in ((one, other), (other, one)):
        if any(edge.to == second.id and edge.type != "error" for edge in plan.workflow.outgoing(first.id)):
            if {edge.from_ for edge in plan.workflow.incoming(second.id)} != {first.id}:
                plan.notes.append(f"who comes to “{second.name}” past “{first.name}” would miss it")
            plan.do({"op": "move_step", "step": second.id, "before": first.id})
            return
    after_one, after_other = plan.workflow.outgoing(one.id), plan.workflow.outgoing(other.id)
    if len(after_one) != 1 or len(after_other) != 1:
        raise Asked(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
    plan.do({"op": "move_step", "step": one.id, "before": after_other[0].to})
    plan.do({"op": "move_step", "step": other.id, "before": after_one[0].to})
