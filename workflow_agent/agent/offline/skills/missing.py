"""The skill for whoever finds that something is missing: it says what is there, and offers to add it."""

import re

from workflow_agent.agent.offline.intents.reading import Request
from workflow_agent.agent.offline.skills.answers import Inquiry, all_named, mentions
from workflow_agent.agent.offline.skills.focus import read_workflow
from workflow_agent.agent.offline.turn.outcome import Reply, Skill, Suggestion
from workflow_agent.agent.offline.turn.reading import Turn
from workflow_agent.agent.offline.wording.lists import clipped, joined

_PLACE = re.compile(r" (?:before|after|between|behind|at the|in front of) ", re.IGNORECASE)


def missing(turn: Turn, request: Request) -> Skill:
    """Say whether a workflow has a thing; where it has none, offer to add it."""
    workflow = yield from read_workflow(turn, None)
    wanted = request.slots["thing"]
    thing = _PLACE.split(wanted, maxsplit=1)[0]
    found = Inquiry(workflow, request.text, request.slots, None).steps(thing)
    if found:
        return Reply(f"It is not missing: **{workflow.name}** has {all_named(found)}.")
    beside = mentions(workflow, thing)
    has = f"the nearest to it is {joined(beside)}" if beside else "nothing in it is like that"
    article = "an" if thing[:1].lower() in "aeiou" else "a"
    steps = all_named(workflow.steps[:12])
    return Reply(
        f"**{workflow.name}** has no {clipped(thing, 80)}; {has}. Its steps are {steps}."
        f" Nothing is changed. Shall I add {article} {clipped(thing, 80)}?",
        Suggestion(f"add {article} {wanted}"),
    )
