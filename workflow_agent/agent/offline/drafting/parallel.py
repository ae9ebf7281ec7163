"""Putting steps side by side: which of the steps just read form the branches of parallel work."""

from dataclasses import replace

from workflow_agent.agent.offline.drafting.statements import (
    Branch,
    Otherwise,
    Parallel,
    SentenceEnd,
    Statement,
    Task,
    Then,
)


def side_by_side(statements: list[Statement], start: int, *, joins_previous: bool) -> None:
    """Make the steps from a position on parallel, together with the step before them where they are too few.

    Args:
        statements: All that was read; changed in place.
        start: Where the parallel work begins.
        joins_previous: "Meanwhile": the work before is a branch as well.
    """
    start = _inside_condition(statements, start)
    said = statements[start:]
    work = [statement for statement in said if isinstance(statement, Task | Parallel)]
    others = [statement for statement in said if not isinstance(statement, Task | Parallel)]
    branches = _branches(work, halves=not joins_previous)
    if joins_previous or len(branches) < 2:
        earlier = _take_previous(statements, start)
        taken = start if earlier is None else earlier[1]
        branches = [*(earlier[0] if earlier else []), *branches]
        start = min(start, taken)
    if len(branches) < 2:
        return
    statements[start:] = [Parallel(tuple(branches)), *others]


def _inside_condition(statements: list[Statement], start: int) -> int:
    """Return where the work begins that stands under the same condition as the last step read.

    "If approved, A and B at the same time": the fork is inside the condition, not the condition inside it.
    """
    work = [at for at in range(start, len(statements)) if isinstance(statements[at], Task | Parallel)]
    conditions = [
        at
        for at in range(start, work[-1] if work else start)
        if isinstance(statements[at], Branch | Otherwise)
    ]
    return conditions[-1] + 1 if conditions else start


def _branches(work: list[Task | Parallel], *, halves: bool) -> list[tuple[Task, ...]]:
    """Return the branches: a clause with its own subject begins one, one without goes on with the last."""
    grouped: list[list[Task]] = []
    for statement in work:
        if isinstance(statement, Parallel):
            grouped.extend([list(branch) for branch in statement.branches])
        elif statement.has_subject or not grouped or grouped[-1][-1].assignee is None:
            grouped.append([statement])
        else:
            grouped[-1].append(statement)
    if halves and len(grouped) == 1 and len(grouped[0]) == 1:
        grouped = [[half] for half in _halves(grouped[0][0])]
    elif len(grouped) == 1:
        grouped = [[task] for task in grouped[0]]
    return [tuple(branch) for branch in grouped]


def _take_previous(statements: list[Statement], start: int) -> tuple[list[tuple[Task, ...]], int] | None:
    """Return the branches that the statement before a position makes, and where it stands."""
    at = start - 1
    while at >= 0 and isinstance(statements[at], SentenceEnd | Then):
        at -= 1
    if at < 0:
        return None
    previous = statements[at]
    if isinstance(previous, Parallel):
        return list(previous.branches), at
    return ([(previous,)], at) if isinstance(previous, Task) else None


def _halves(task: Task) -> list[Task]:
    """Return a task on two things as two tasks: "books the flight and the hotel at the same time"."""
    verb, _, objects = task.name.partition(" ")
    parts = objects.split(" and ")
    if len(parts) != 2 or not all(part.strip() for part in parts):
        return [task]
    return [replace(task, name=f"{verb} {part}") for part in parts]
