"""Workflows that are hard to draw, and findings to mark in diagrams."""

from typing import Any

from tests.support.findings import process
from workflow_agent.workflows.model.findings import Finding, Severity
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

END: dict[str, Any] = {"type": "end"}
HOSTILE = [
    "end",
    "subgraph",
    'say "hi"',
    "a]b) c} d|",
    "line\nbreak\r\n  and tab\t",
    "<script>alert(1)</script><br/>",
    "`code`",
    "1. first",
    "12) twelfth",
    "- item",
    "style x:#f00;",
    "classDef a fill:#f00;",
    '%%{init: {"theme": "dark"}}%%',
    "a --> b",
    "#quot; &amp; &#34;",
    "x; y; z",
    "日本語 🎉 Überprüfung",
    "\u202ereversed\u202c",
    "\x00\x07bell",
    "\\",
    "*bold* ~~~",
    "@{ shape: rect }",
    "\u200b",
]


def named(name: str, **more: Any) -> Workflow:
    """Return a workflow in which one name stands wherever text can stand."""
    return parse_workflow(
        {
            "id": "wf_x",
            "name": name,
            "steps": [
                {"id": "end", "name": name, "type": "decision", "assignee": name},
                {"id": "each", "name": name, "type": "loop"},
                {"id": "o", "name": name, "parent": "each"},
                {"id": "x--y", "name": name, "type": "end"},
            ],
            "transitions": [
                {"from": "end", "to": "each", "when": {"text": name}},
                {"from": "end", "to": "x--y", "label": name},
                {"from": "each", "to": "x--y", "action": name},
                {"from": "o", "to": "each", "type": "error", "errors": [name]},
            ],
            **more,
        }
    )


def finding(severity: Severity, *steps: str, transitions: tuple[str, ...] = ()) -> Finding:
    return Finding(f"rule-{severity}", severity, "Something.", steps=steps, transitions=transitions)


def inside_a_loop(count: int) -> Workflow:
    steps = {f"n{at}": {"parent": "each"} for at in range(count)}
    chain = [f"n{at}>n{at + 1}" for at in range(count - 1)]
    return process(
        "first>each", *chain, "n5>done", "n6>done", "each>done", first={}, each={"type": "loop"}, done=END, **steps
    )
