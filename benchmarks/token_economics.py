"""Tokens sent over long conversations: everything, a sliding window, a fixed tail with a summary, and ours.

    python -m benchmarks.token_economics

Ours is what the chat really sent, and what its summaries took. The others get the same instructions, tools
and requests in every turn, and of the history: all of it; the last turns; the last turns and a summary of the
rest, made anew whenever a turn leaves the tail. Then: five prompt modules against all five in one prompt, and
what a provider's cache takes off by the layout (`python -m benchmarks.prompt_layout` has every layout).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from benchmarks.charts import lines
from benchmarks.eval_modes import HALVES, rows
from benchmarks.figures import Figure, Section
from benchmarks.long_talk import Talk, begun, planted
from benchmarks.prompt_layout import BASELINE, shares
from workflow_agent.assistant.prompts import read_prompts
from workflow_agent.conversations.agents import MODES
from workflow_agent.values.tokens import tokens_of

LENGTHS = (100, 1_000)
WINDOW_TURNS, TAIL_TURNS, SUMMARY_TOKENS = 15, 6, 400
LEAST_SAVED, LEAST_KEPT, LEAST_MODULES = 60.0, 95.0, 60.0
OURS, FULL, WINDOW, TAIL = ("ours", "full history", f"last {WINDOW_TURNS} turns", f"last {TAIL_TURNS} and a summary")


async def sent_by(talk: Talk) -> Mapping[str, list[int]]:
    """Return the tokens of each turn's requests by strategy."""
    found: dict[str, list[int]] = {OURS: [], FULL: [], WINDOW: [], TAIL: []}
    for at, turn in enumerate(talk.turns):
        fixed, requests = sum(turn.fixed), len(turn.fixed)
        # Within a turn, the second request sends again what the first one did; its last message is the reply.
        within = sum(talk.own[at : at + 1])
        found[OURS].append(fixed + sum(turn.messages))
        for name, history in (
            (FULL, sum(talk.own[:at])),
            (WINDOW, sum(talk.own[max(0, at - WINDOW_TURNS) : at])),
            (TAIL, _tail(talk.own, at)),
        ):
            found[name].append(fixed + requests * history + within)
        if at >= TAIL_TURNS:
            found[TAIL][-1] += SUMMARY_TOKENS + talk.own[at - TAIL_TURNS]
    assert talk.conversation_id is not None
    stored = await talk.chat.store.load("default", talk.conversation_id)
    for made in stored.compactions:
        at = min(made.to_turn + 1, len(talk.turns)) - 1
        found[OURS][at] += sum(talk.own[made.from_turn - 1 : made.to_turn]) + SUMMARY_TOKENS
    return found


def _tail(own: Sequence[int], at: int) -> int:
    summary = SUMMARY_TOKENS if at > TAIL_TURNS else 0
    return summary + sum(own[max(0, at - TAIL_TURNS) : at])


async def kept_facts(talk: Talk) -> tuple[list[bool], list[bool]]:
    """Return which planted facts the latest request held, and which are there or one recall away."""
    shown = talk.latest.casefold()
    inside = [wanted.casefold() in shown for _, _, _, wanted, _ in planted()]
    found = [
        is_in or await talk.recalls(words, wanted)
        for is_in, (_, _, _, wanted, words) in zip(inside, planted(), strict=True)
    ]
    return inside, found


def modules_saved() -> float:
    """Return by how many percent a module is shorter than all five, over the labelled messages' modes."""
    texts = read_prompts(Path(__file__).parents[1] / "prompts")
    sizes = {mode: tokens_of(text) for mode, text in texts.items()}
    asked = [row["mode"] for path in HALVES.values() for row in rows(path)]
    return 100 * (1 - mean(sizes[mode] for mode in asked) / sum(sizes[mode] for mode in MODES))


async def _measured() -> Section:
    talk = await begun()
    figures: list[Figure] = []
    drawn: Mapping[str, Sequence[float]] = {}
    for length in LENGTHS:
        await talk.held(length)
        sent = await sent_by(talk)
        drawn = drawn or sent
        figures += _sending(length, sent)
        inside, found = await kept_facts(talk)
        kept, away = f"{length:,} turns: planted facts in the window", " or one recall away"
        figures.append(Figure(kept, 100 * mean(inside), "%"))
        figures.append(Figure(kept + away, 100 * mean(found), "%", least=LEAST_KEPT))
    return Section(
        "tokens",
        "Token economics",
        "Estimated tokens (four characters each) of what one conversation sends, every other turn with a "
        f"tool call; {len(planted())} facts of six kinds are planted at its start. Summaries count: ours "
        f"and the fixed tail's alike: what is summed up, and {SUMMARY_TOKENS} tokens for the answer. "
        "Prices are shares of what one prompt with the full history costs without any cache.",
        [*figures, *_laying_out()],
        {"tokens.svg": lines("Tokens a turn sends", drawn, "tokens", f"turns 1 to {LENGTHS[0]}")},
    )


def _sending(length: int, sent: Mapping[str, Sequence[int]]) -> Iterator[Figure]:
    for name in (FULL, WINDOW, TAIL):
        saved = 100 * (1 - sum(sent[OURS]) / sum(sent[name]))
        least = LEAST_SAVED if name == FULL and length == LENGTHS[0] else None
        yield Figure(f"{length:,} turns: fewer tokens than {name}", saved, "%", least=least)
    for name, tokens in sent.items():
        yield Figure(f"{length:,} turns: {name}, tokens a turn", mean(tokens), "tokens")


def _laying_out() -> Iterator[Figure]:
    name = "a module instead of five in one prompt: fewer prompt tokens"
    yield Figure(name, modules_saved(), "%", least=LEAST_MODULES)
    layouts = shares(keeps_all=True)
    best = min((name for name in layouts if name != BASELINE), key=layouts.__getitem__)
    yield Figure(f"price: {BASELINE}", 100 * layouts[BASELINE], "%")
    yield Figure(f"price: {best}", 100 * layouts[best], "%")


def measure() -> Section:
    """Return the figures of token economics."""
    return asyncio.run(_measured())


def main() -> None:
    """Print them."""
    for one in measure().figures:
        print(f"{one.name}: {one.value:,.1f} {one.unit}" + (f" ({one.target})" if one.target else ""))


if __name__ == "__main__":
    main()
