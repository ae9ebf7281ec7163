"""Drafted graphs in a compact notation, one line a step, so that tests can show what they expect."""

from typing import Any

from workflow_agent.agent.offline.drafting import draft_workflow
from workflow_agent.domain.workflow_parsing import parse_workflow

Graph = dict[str, Any]
_SHOWN = ("uses", "timeout", "duration", "escalate_to", "workflow")


def drafted(text: str) -> Graph:
    """Return the arguments drafted from a text, checked to make a valid workflow."""
    draft = draft_workflow(text)
    assert draft is not None, f"nothing was drafted from {text[:80]!r}"
    graph = draft.arguments()
    parse_workflow({**graph, "id": "wf_x"})
    return graph


def notation(text: str) -> str:
    """Return the graph drafted from a text, one line a step: `human Pay @finance -> Done`.

    Edges are `->`, `[condition]->`, `[else]->` and `[!error]->`; triggers come first, ends are only named.
    """
    graph = drafted(text)
    names = {step["id"]: step["name"] for step in graph["steps"]}
    steps = [_step(step, graph, names) for step in graph["steps"] if step["type"] != "end"]
    return "\n".join([*_triggers(graph), *steps])


def _triggers(graph: Graph) -> list[str]:
    written = {
        "event": "on {event}",
        "schedule": "at {time}",
        "workflow": "after {workflow}",
        "webhook": "on webhook",
    }
    return [
        written[trigger["type"]].format(**trigger, time=trigger.get("cron") or trigger.get("every"))
        for trigger in graph["triggers"]
        if trigger["type"] != "manual"
    ]


def _step(step: Graph, graph: Graph, names: dict[str, str]) -> str:
    who = f" @{step['assignee']}" if step.get("assignee") else ""
    extras = [
        f" {key}={step[key]}"
        for key in ("uses", "timeout", "duration", "escalate_to", "workflow")
        if key in step
    ]
    if "retry" in step:
        extras.append(f" retry={step['retry']['max_attempts']}")
    if "form" in step:
        extras.append(
            " form=" + ",".join(f"{field['key']}:{field['type']}" for field in step["form"]["fields"])
        )
    ways = [_way(edge, names) for edge in graph["transitions"] if edge["from"] == step["id"]]
    return " ".join([f"{step['type']} {step['name']}{who}{''.join(extras)}", *ways])


def _way(edge: Graph, names: dict[str, str]) -> str:
    said = edge.get("when", {}).get("text", "")
    label = {"default": "[else]", "error": f"[!{said}]", "condition": f"[{said}]"}.get(
        edge.get("type", ""), ""
    )
    action = f"[{edge['action']}]" if "action" in edge else ""
    return f"{label or action}-> {names[edge['to']]}"
