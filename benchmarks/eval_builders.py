"""How many labelled orders can be carried out where intent and slots are read as they are labelled.

    python -m benchmarks.eval_builders [--show insert,case] [--count 5]

`data/orders_tagged` says what each order's words are, not what the change should be: this counts what is done, shown
first, asked about and not understood, and so bounds what a perfect reader could bring. Orders that want something in
the workflow which the noted ones have not (an escalation to be taken off, a tag to be removed) are left out, and so are
those that are part of a message with several.
"""

import argparse
import itertools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.orders_tagged import DATA, Noted, noted, tagged
from workflow_agent.assistant.offline.nlu.certainty import Reading
from workflow_agent.assistant.offline.nlu.reading import is_built, planned
from workflow_agent.assistant.offline.nlu.tagging import NO_EDIT, OUTSIDE, SEVERAL, Understood, slots_of
from workflow_agent.assistant.offline.plan import Asked, Plan
from workflow_agent.assistant.offline.references import Steps, StepUnclear
from workflow_agent.assistant.offline.tokens import read_tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.workflows.model.parser import parse_workflow, slug, unique_id
from workflow_agent.workflows.model.workflow import Workflow

OUTCOMES: Final = ("done", "shown", "asked", "not understood")
_WANT_MORE: Final = frozenset(
    {
        "noescalate",
        "noretry",
        "nodeadline",
        "unnotify",
        "untrigger",
        "untag",
        "unalias",
        "nofield",
        "required",
        "serial",
    }
)
_BESIDE = re.compile(r"(.*\S)\s*\(([^()]*)\)\s*")
_WAY = re.compile(r"(?P<from>[^>]*?)\s*-?>\s*(?P<to>[^:]*?)\s*:\s*(?P<when>.*)")
_SYSTEM = re.compile(r"\b(?:system|robot|bot|script|server|ci|platform|crm|erp|portal|gateway|api)\b", re.IGNORECASE)


def outcome(workflow: Workflow, intent: str, order: str) -> tuple[str, Plan]:
    """Return what comes of an order that is read as it is labelled, beyond doubt, and its plan."""
    text, tokens, labels = tagged(order)
    plan = Plan(text, workflow, Steps(workflow, {}, None))
    plain = frozenset(token.start for token, label in zip(tokens, labels, strict=True) if label == OUTSIDE)
    try:
        built = is_built(plan, Understood(intent, slots_of(tokens, labels), 1.0, plain=plain), tuple(tokens))
    except (StepUnclear, Asked):
        return "asked", plan
    if not built:
        return "not understood", plan
    planned(Plan(text, workflow, Steps(workflow, {}, None)), Reading(intent, 1.0, plan), tuple(tokens))
    return ("shown" if plan.unread or plan.notes else "done"), plan


def single_orders(writers: Collection[str] = ()) -> Iterator[tuple[Workflow, str, str]]:
    """Yield the workflow, the intent and the labelled text of each order that is a message of its own.

    Args:
        writers: Names of the files; all of them unless told.
    """
    return (one for one in single_messages(writers) if one[1] not in NO_EDIT)


def single_messages(writers: Collection[str] = ()) -> Iterator[tuple[Workflow, str, str]]:
    """Yield the same of messages that order nothing, too."""
    for path in sorted(DATA / name for name in writers) or sorted(DATA.glob("*.txt")):
        for one in noted(path):
            workflow = whole(one)
            for intent, order in one.messages:
                if intent not in _WANT_MORE | {SEVERAL}:
                    yield workflow, intent, order


def whole(one: Noted) -> Workflow:
    """Return the workflow that a writer noted: its steps one after the other, and the ways told between them."""
    steps: list[dict[str, Any]] = []
    for told in one.steps:
        steps.append(_step(told, [step["id"] for step in steps]))
    steps.append({"id": unique_id("end", [step["id"] for step in steps]), "name": "Finished", "type": "end"})
    ids = {str(step["name"]).lower(): str(step["id"]) for step in steps}
    found = [match for way in one.ways if (match := _WAY.match(way))]
    ends = [(ids.get(way["from"].lower()), ids.get(way["to"].lower()), way["when"]) for way in found]
    told = {(from_, to): when for from_, to, when in ends if from_ and to}
    cases = Counter(from_ for from_, _ in told)
    edges: list[dict[str, Any]] = [
        {"from": from_, "to": to, "type": "condition", "when": {"text": when}} for (from_, to), when in told.items()
    ]
    for step, onward in itertools.pairwise(steps):
        if (step["id"], onward["id"]) not in told and cases[step["id"]] < 2:
            edges.append({"from": step["id"], "to": onward["id"]} | ({"type": "default"} if cases[step["id"]] else {}))
    ways = Counter(edge["from"] for edge in edges)
    made = [step | ({"type": "human"} if step["type"] == "decision" and ways[step["id"]] < 2 else {}) for step in steps]
    numbered = [{"id": f"w{at}", **edge} for at, edge in enumerate(edges)]
    return parse_workflow(
        {"id": "wf_x", "name": one.title or "x", "start": made[0]["id"], "steps": made, "transitions": numbered}
    )


def _step(told: str, taken: Collection[str]) -> dict[str, Any]:
    found = _BESIDE.fullmatch(told)
    name, beside = (found[1], found[2]) if found else (told, "")
    step: dict[str, Any] = {"id": unique_id(slug(name), taken), "name": name, "type": "human"}
    if name.endswith("?"):
        return step | {"type": "decision"}
    who, *times = [part.strip() for part in beside.split(",")]
    lengths = [found[0][1].value for part in (who, *times) if (found := durations_in(read_tokens(part)))]
    if lengths and durations_in(read_tokens(who)):
        return step | {"type": "wait", "duration": lengths[0]}
    step |= {"timeout": lengths[0]} if lengths else {}
    if _SYSTEM.search(who):
        return step | {"type": "action", "uses": slug(who)}
    return step | ({"assignee": who} if who else {})


def _table(counts: Mapping[str, Counter[str]]) -> Table:
    table = Table("intent", "orders", *OUTCOMES, title="Orders as they are labelled")
    every = sum(counts.values(), Counter[str]())
    for intent, own in [("all", every), *sorted(counts.items(), key=lambda one: one[1]["done"] - one[1].total())]:
        table.add_row(intent, f"{own.total():,}", *(f"{own[one] / own.total():.1%}" for one in OUTCOMES))
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of outcomes, and some of the orders that are not done."""
    parser = argparse.ArgumentParser(prog="benchmarks.eval_builders")
    parser.add_argument("--show", default="", help="intents, with commas between, of which orders not done are shown")
    parser.add_argument("--writers", default="", help="files of the labelled messages, with commas between")
    parser.add_argument("--count", type=int, default=5, help="how many of each outcome")
    asked = parser.parse_args(arguments)
    shown = set(filter(None, asked.show.split(",")))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    for workflow, intent, order in single_orders([*filter(None, asked.writers.split(","))]):
        came, _ = outcome(workflow, intent, order)
        counts[intent][came] += 1
        others[intent, came].append(order)
    console = Console()
    console.print(_table(counts))
    for (intent, came), orders in others.items():
        if intent in shown and came != "done":
            console.print(f"\n{intent}, {came}:")
            for order in random.Random(1).sample(orders, min(asked.count, len(orders))):
                console.print(f"  {order}", markup=False)


if __name__ == "__main__":
    main()
