"""Skills about who answers, in which phase, with which tools: agents, phases, and programs over the calls so far."""

from collections.abc import Generator
from typing import Any

from workflow_agent.assistant.offline.patterns import Request
from workflow_agent.assistant.offline.turn.focus import focus
from workflow_agent.assistant.offline.turn.outcome import Call, Reply, Skill, ToolFailure, saying
from workflow_agent.assistant.offline.turn.reading import Turn
from workflow_agent.assistant.offline.wording import clipped, joined

_PHASES = {
    "planning": "plan",
    "brainstorming": "brainstorm",
    "executing": "execute",
    "execution": "execute",
    "verifying": "verification",
    "verify": "verification",
    "reflect": "reflection",
    "chatting": "chat",
}


def are_named(turn: Turn, said: str) -> bool:
    """Say whether words name agents and nothing else: people in a description are none."""
    return all(word in turn.facts.agents or word in ("and", "the") for word in _words(said))


def _words(said: str) -> list[str]:
    return said.lower().replace(",", " ").replace("@", " ").split()


def hand_over(turn: Turn, request: Request) -> Skill:
    """Let the agents that were named answer; the one that was named says that it is there."""
    names = dict.fromkeys(word for word in _words(request.slots.get("agents", "")) if word in turn.facts.agents)
    me = turn.facts.agent
    if me in names or not names:
        there = joined([f"`@{name}`" for name in turn.facts.agents])
        return Reply(f"I am the {me} now. What shall I do?" if names else f"You can ask {there}.")
    about = focus(turn)
    summary = f"The user said: {clipped(turn.text, 400)}" + (f" It is about {about.name}." if about else "")
    for name in names:
        yield Call("hand_off", {"to": name, "reason": "The user asked for it", "summary": summary})
    return Reply(f"I hand this over to the {joined([f'**{name}**' for name in names])}.")


def who_is_there(turn: Turn, _: Request) -> Skill:
    """Name the agents."""
    others = joined([f"`@{name}`" for name in turn.facts.agents if name != turn.facts.agent])
    return saying(
        f"I am the {turn.facts.agent}. {turn.facts.about} Also here: {others}. Put a name with its `@` "
        "into a message and that one answers; name several and they answer in order."
    )


def enter_phase(_: Turn, request: Request) -> Skill:
    """Change the phase of the conversation."""
    word = request.slots["phase"].lower()
    phase = _PHASES.get(word, word)
    try:
        entered = yield Call("change_phase", {"to": phase, "reason": "The user asked for it"})
    except ToolFailure as refused:
        return Reply(f"I cannot go to that phase from here. {refused.message}".strip())
    following = joined([f"`{name}`" for name in entered["allowed_next"]])
    return Reply(f"We are in phase **{entered['phase']}** now; from here it goes to {following}.")


def is_phase(text: str) -> bool:
    """Say whether a word names a phase of the conversation."""
    word = text.strip().lower()
    return word in _PHASES or word in _PHASES.values() or word in ("chat", "chores")


_METHODS = {
    "search": "search_workflows", "edit": "edit_workflow", "change": "edit_workflow",
    "creation": "create_workflow", "analysis": "analyze_workflow", "analyse": "analyze_workflow",
    "validation": "validate_workflow", "diagram": "draw_diagram", "undo": "undo_change",
}  # fmt: skip
_COUNT = """\
calls = [r for r in context["conversation_history"] if r["speaker"] == "agent"]
if {method!r}:
    calls = [r for r in calls if r["method_name"] == {method!r}]
failed = [r for r in calls if not r["outcome_summary"].get("ok")]
{{"calls": len(calls), "failed": len(failed)}}"""
_TOOLS = """\
counts = {}
for record in context["conversation_history"]:
    if record["speaker"] == "agent":
        counts[record["method_name"]] = counts.get(record["method_name"], 0) + 1
counts"""
_TABLE = """\
about_itself = ["run_python", "switch_mode", "get_turn", "search_history"]
results = [
    r for r in context["conversation_history"]
    if r["speaker"] == "agent" and r.get("content_ref") and r["method_name"] not in about_itself
]
found = content(results[-1]["content_ref"]) if results else {}
lists = [v for v in found.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
objects = [v for v in found.values() if isinstance(v, dict)]
rows = lists[0] if lists else objects[:1]
names = [k for k, v in rows[0].items() if isinstance(v, str) or isinstance(v, int)][:5] if rows else []

def cell(value):
    return " ".join(str(value).split()).replace("|", "/")[:60]

lines = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
for row in rows[:30]:
    lines.append("| " + " | ".join([cell(row.get(name, "")) for name in names]) + " |")
"\\n".join(lines) if names else \"\""""


def _computed(turn: Turn, code: str) -> Generator[Call, Any, Any]:
    """Return what a program gives; None where there are no records for one to read."""
    if "run_python" not in turn.tools:
        return None
    told = yield Call("run_python", {"code": code})
    return told["result"]


def count_calls(turn: Turn, request: Request) -> Skill:
    """Tell how many calls of a kind there were, and how many of them failed."""
    asked = request.slots.get("calls", "").lower()
    kind = next((method for stem, method in _METHODS.items() if stem in asked), "")
    what = asked.removeprefix("of your ").removeprefix("my ").strip() or "calls"
    told = yield from _computed(turn, _COUNT.format(method=kind))
    made, failed = (told["calls"], told["failed"]) if told else (0, 0)
    if not made:
        return Reply(f"There were no {what} in this conversation before this message.")
    return Reply(f"{failed or 'None'} of {made} {what} failed.")


def tools_used(turn: Turn, _: Request) -> Skill:
    """Tell which tools were used, and how often."""
    counts: dict[str, int] = yield from _computed(turn, _TOOLS)
    if not counts:
        return Reply("I have not used any tool in this conversation yet.")
    times = [f"`{name}` ({count} {'time' if count == 1 else 'times'})" for name, count in counts.items()]
    return Reply(f"So far I used {joined(times)}.")


def as_table(turn: Turn, _: Request) -> Skill:
    """Show the latest result as a table."""
    table = yield from _computed(turn, _TABLE)
    return Reply(f"Here is the last result:\n\n{table}" if table else "There is no result yet to show as a table.")
