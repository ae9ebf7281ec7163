"""What compactions take as a conversation rich in facts grows, beside the turns that they stand for."""

from statistics import mean, median

from benchmarks.figures import RATIO, Figure, Section
from benchmarks.measured.turns import Times
from benchmarks.service import Service, as_served, service

AT = (50, 100, 200, 400)
LAST = 40
"""Turns that are looked at, ten compactions among them."""
MOST_GROWTH = 4.0
"""The facts kept of a conversation grow up to their limit, and each is looked at."""


def _message(turn: int) -> str:
    return (
        f"For order {turn * 37 % 9_000} the limit is {turn * 13 % 700} EUR and Anna Berg{turn % 50} approves within "
        f"{turn % 9 + 2} days; supplier Lorem{turn % 200} ships on {turn % 28 + 1} May. "
        f"What does the expense approval do in case {turn}?"
    )


async def _taken(one: Service) -> list[tuple[float, float]]:
    """Return the processor's ms of a typical turn, and what compactions add to a turn, up to each length."""
    talk = (await one.turn(None, _message(0))).conversation_id
    times, found = Times(), list[tuple[float, float]]()
    for turn in range(1, max(AT) + 1):
        await times.take(lambda turn=turn: one.turn(talk, _message(turn)))
        if turn in AT:
            last = times.processor[-LAST:]
            found.append((median(last), mean(last) - median(last)))
    return found


async def _measured() -> Section:
    async with service(spans=False, reads=False) as one:
        taken = await _taken(one)
    first, last = taken[0], taken[-1]
    return Section(
        "compactions",
        "Compactions of a growing conversation",
        f"Each turn tells of six facts. Means over the {LAST} turns before, less their median, and three "
        "turns in four compact nothing: what compactions add to a turn.",
        [
            Figure(f"turn {AT[-1]} / turn {AT[0]}", last[1] / first[1], RATIO, most=MOST_GROWTH),
            *(
                Figure(f"at {turns} turns, beside a turn", added / typical, RATIO)
                for turns, (typical, added) in zip(AT, taken, strict=True)
            ),
            *(
                Figure(f"at {turns} turns, added to a turn", added, "ms")
                for turns, (_, added) in zip(AT, taken, strict=True)
            ),
        ],
    )


def measure() -> Section:
    """Return the figures of compactions."""
    return as_served(_measured())
