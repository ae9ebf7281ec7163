"""Steps that nobody answers in time: their limits, and who the work escalates to."""

from workflow_agent.agent.offline.drafting.choices import Choices
from workflow_agent.agent.offline.drafting.paths import Paths
from workflow_agent.agent.offline.drafting.statements import Condition, Task


def escalates(paths: Paths, task: Task) -> bool:
    """Make "escalate to the director" after a silence the waiting step's own; say whether it was."""
    active = paths.active[-1] if paths.active else None
    if task.lemma != "escalate" or not task.assignee or active is None or active.kind != "timeout":
        return False
    if any(loose.from_id != active.step_id for loose in paths.frontier):
        return False
    paths.graph.step(active.step_id)["escalate_to"] = task.assignee
    paths.frontier = []
    return True


def enters_silence(choices: Choices, condition: Condition) -> bool:
    """Begin the path of a step that nobody answered in time; say whether there is such a step."""
    waiting = [step for step in choices.graph.steps if step["type"] in ("human", "event")]
    if condition.actor:
        waiting = [step for step in waiting if step.get("assignee") == condition.actor] or waiting
    if not waiting:
        return False
    if condition.duration is not None:
        waiting[-1].setdefault("timeout", condition.duration)
    choices.enter_side_path(waiting[-1]["id"], condition, "timeout")
    return True


def late_step(paths: Paths, *, is_new_sentence: bool) -> str | None:
    """Return the step with a deadline that "within a day, otherwise ..." speaks of, or None."""
    steps = {loose.from_id for loose in paths.frontier}
    step = paths.graph.step(next(iter(steps))) if len(steps) == 1 else {}
    is_open = any(choice.free for choice in paths.all if choice.kind in ("verdict", "generic"))
    is_plain = all(loose.type == "sequence" for loose in paths.frontier)
    return step["id"] if "timeout" in step and is_plain and not (is_new_sentence and is_open) else None
