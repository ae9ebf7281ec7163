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

_DONE = word_set("placing.done")


@dataclass(frozen=True, slots=True)
class Place:
    """Where something goes: the fields of an edit, or the step beside which it is done."""

    fields: JsonObject
    beside: Step | None = None


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
    if len(onward) == 1:
        where, told = {"after": after.id}, f"right after “{after.name}”"
    else:
        where, told = {"before": before.id}, f"right before “{before.name}”"
    plan.guesses = [*plan.guesses, f"there are steps between “{after.name}” and “{before.name}”: I would put it {told}"]
    return Place(where)


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
    fields = {key: value for key, value in place.fields.items() if key != "at"}
    for step in steps:
        if step.id in (fields.get("before"), fields.get("after"), *(fields.get("between") or ())):
            raise NotRead
        known = {(edge.from_, edge.to) for edge in plan.workflow.transitions}
        cases = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        plan.do({"op": "move_step", "step": step.id, **fields})
        left = [edge.when.text for edge in plan.workflow.transitions if edge.when]
        if lost := [text for text in cases if cases.count(text) > left.count(text)]:
            plan.notes = [*plan.notes, f"the way “{lost[0]}” would go"]
        drop_empty_branches(plan, known)
        fields = {"after": step.id}


def drop_empty_branches(plan: Plan, known: Collection[tuple[str, str]]) -> None:
    """Take out the branches that a step was alone in, and has left.

    Behind a fork, or behind a step another plain way on from which leads to the same step.

    Args:
        plan: The edits by which it left.
        known: The ways before these, from which step to which.
    """
    kinds = {one.id: one.type for one in plan.workflow.steps}
    for edge in plan.workflow.transitions:
        if (edge.from_, edge.to) in known or edge.type != "sequence" or edge.when is not None:
            continue
        beside = [e.to for e in plan.workflow.outgoing(edge.from_) if e.type == "sequence" and e.when is None]
        if (kinds[edge.from_], kinds[edge.to]) == ("fork", "join") or any(
            edge.to in reach(plan.workflow, one) for one in beside if one != edge.to
        ):
            plan.do({"op": "disconnect", "from": edge.from_, "to": edge.to})


def put(plan: Plan, drafts: Sequence[JsonObject], place: Place) -> None:
    """Put new steps somewhere, one behind the other."""
    fields = place.fields
    if place.beside is not None and len(drafts) > 1:
        raise NotRead
    for draft in drafts:
        said = content_of(draft["name"]) or [draft["name"].casefold()]
        named = ((step.name, content_of(step.name) or [step.name.casefold()]) for step in plan.workflow.steps)
        if same := next((name for name, words in named if words == said), None):
            plan.notes = [*plan.notes, f"there is “{same}” already, so that there would be two"]
        draft["id"] = plan.new_id(draft["name"])
        if place.beside is not None:
            _put_beside(plan, draft, place.beside)
        elif fields == {"before": plan.workflow.start, "at": "start"}:
            plan.do(
                {"op": "add_step", "step": draft},
                {"op": "connect", "from": draft["id"], "to": plan.workflow.start},
                {"op": "set_start", "step": draft["id"]},
            )
        else:
            plan.do({"op": "insert_step", "step": draft, **{k: v for k, v in fields.items() if k != "at"}})
        plan.steps.last = draft["id"]
        fields = {"after": draft["id"]}


def _put_beside(plan: Plan, draft: JsonObject, beside: Step) -> None:
    branch = branch_of(plan, beside.id)
    if branch is None:
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
    """Return the fork and the join between which a step stands alone, or None."""
    kinds = {step.id: step.type for step in plan.workflow.steps}
    forks = [edge.from_ for edge in plan.workflow.incoming(step_id) if kinds[edge.from_] == "fork"]
    joins = [edge.to for edge in plan.workflow.outgoing(step_id) if kinds[edge.to] == "join"]
    return (forks[0], joins[0]) if forks and joins else None


def swap_steps(plan: Plan, one: Step, other: Step) -> None:
    """Make the edits that let two steps trade places, however far apart they are."""
    following = {edge.to for edge in plan.workflow.outgoing(one.id) if edge.type != "error"}
    preceding = {edge.to for edge in plan.workflow.outgoing(other.id) if edge.type != "error"}
    if other.id in following or one.id in preceding:
        first, second = (one, other) if other.id in following else (other, one)
        # Who comes to the second past the first would miss it.
        ways = {edge.from_ for edge in plan.workflow.incoming(second.id)}
        if ways - {first.id}:
            plan.notes = [*plan.notes, f"who comes to “{second.name}” past “{first.name}” would miss it"]
        plan.do({"op": "move_step", "step": second.id, "before": first.id})
    else:
        after_one = [edge.to for edge in plan.workflow.outgoing(one.id)]
        after_other = [edge.to for edge in plan.workflow.outgoing(other.id)]
        if len(after_one) != 1 or len(after_other) != 1:
            raise Asked(f"{one.name!r} and {other.name!r} stand apart, and their ways on differ")
        plan.do({"op": "move_step", "step": one.id, "before": after_other[0]})
        plan.do({"op": "move_step", "step": other.id, "before": after_one[0]})
