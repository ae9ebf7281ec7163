"""`workflows simulate`: what happens to a case, or to many."""

import json
import shlex
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from workflow_agent.cli.backends import Which, workflow_id_of
from workflow_agent.cli.context import EXIT_FAILED, EXIT_USAGE, AsJson, Backend, CommandFailed
from workflow_agent.cli.output import print_facts, print_json, print_note, print_rows
from workflow_agent.workflows.model.durations import in_words

Pairs = list[str] | None
_WANTED = {"--chance": "a number", "--staff": "a whole number", "--cost": "a number"}


def _given(help_text: str, name: str) -> Any:
    return typer.Option(name, metavar="NAME=VALUE", help=f"{help_text}; may come often.")


def simulate_workflow(
    backend: Backend,
    workflow: Which,
    facts: Annotated[Pairs, _given("A fact of the case, such as amount=1500", "--set")] = None,
    chances: Annotated[Pairs, _given("How likely a way is taken, such as review>pay=0.8", "--chance")] = None,
    times: Annotated[Pairs, _given("How long a step lasts, such as review=PT2H", "--time")] = None,
    staff: Annotated[Pairs, _given("How many there are of a role, such as manager=2", "--staff")] = None,
    costs: Annotated[Pairs, _given("What an hour of a role costs, such as manager=60", "--cost")] = None,
    per_day: Annotated[float | None, typer.Option(help="How many cases begin a day.")] = None,
    runs: Annotated[int, typer.Option(min=1, help="How many cases to play.")] = 1,
    seed: Annotated[int, typer.Option(help="The same one plays the same again.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Play cases through a workflow: the way, who acts, how long, where it waits.

    What a condition needs to know and was not told is asked for, never
    guessed; then the exit code is 1.

    Examples:
      workflow-agent workflows simulate wf_expense_approval \\
        --set amount=1500 --set approved=true
      workflow-agent workflows simulate wf_expense_approval --runs 500 \\
        --per-day 40 --staff manager=2 --time review=PT30M \\
        --set amount=1500 --set approved=true
    """
    assumed = {
        "case": _pairs(facts, "--set", _json_or_text),
        "chances": _pairs(chances, "--chance", float),
        "times": _pairs(times, "--time", str),
        "staff": _pairs(staff, "--staff", int),
        "hourly_costs": _pairs(costs, "--cost", float),
        "per_day": per_day,
        "runs": runs,
        "seed": seed,
    }
    report = backend.post(f"/workflows/{workflow_id_of(backend, workflow)}/simulate", assumed)
    if as_json:
        print_json(report)
    else:
        _print(report)
    if report["questions"]:
        raise CommandFailed("\n".join(map(_question, report["questions"])), EXIT_FAILED)


def _pairs(given: Sequence[str] | None, option: str, read: Callable[[str], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in given or ():
        name, has_value, value = one.rpartition("=")
        try:
            if not (name and has_value):
                raise ValueError
            found[name.strip()] = read(value.strip())
        except ValueError:
            why = f"{option} {one[:100]!r} is not a name, '=' and {_WANTED.get(option, 'a value')}."
            raise CommandFailed(why, EXIT_USAGE) from None
    return found


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _print(report: dict[str, Any]) -> None:
    steps = report.get("path", ())
    rows = (
        (_when(one["at_seconds"]), one["name"], one["who"], _when(one["took_seconds"]), one["ended"]) for one in steps
    )
    if steps:
        print_rows(("after", "step", "who", "takes", "ended"), rows, "")
    bottleneck = report.get("bottleneck")
    facts = {
        "cases": report["runs"],
        "outcomes": ", ".join(f"{outcome} {count}" for outcome, count in report["outcomes"].items()),
        "time": report.get("in_words") if report.get("p90_seconds") else None,
        "cost": f"{report['mean_cost']:.2f} a case" if report.get("mean_cost") else None,
        "bottleneck": f"{bottleneck['name']}: {bottleneck['in_words']}" if bottleneck else None,
    }
    print_facts(facts)
    if unknown := report["no_time_known"]:
        print_note(f"Taken as no time, for nothing says how long they last: {', '.join(unknown)}.")


def _when(seconds: float) -> str:
    return in_words(seconds) if seconds else "at once"


def _question(one: dict[str, Any]) -> str:
    ways: list[str] = one.get("ways") or []
    which = f" ({', '.join(ways)})" if ways else ""
    said = shlex.quote(f"{one['step']}={ways[0] if ways else 2}")
    return f"At {one['name']!r}: {one['what']} is not known{which}. Say it, as with --set {said}, or give chances."
