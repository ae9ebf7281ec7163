"""What the order of a request's parts costs over a long conversation, where a repeated prefix is cheap.

    python -m benchmarks.prompt_layout

Conversations of a hundred turns are simulated with the real prompt modules and tool definitions, in tokens. A
repeated prefix costs a tenth, in blocks of 128 tokens from 1,024 on: "all kept" where the provider still has
every prefix of the conversation, "last kept" where it has only that of the request before. Figures are shares
of what one big prompt with the full history costs uncached.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from benchmarks.simulated_turns import CONVERSATIONS, TURNS, WRITING, Part, Turn, conversations
from workflow_agent.assistant.assistant import build_assistant
from workflow_agent.assistant.prompts import read_prompts
from workflow_agent.assistant.window.counters import exact_count
from workflow_agent.conversations.agents import MODES, Mode
from workflow_agent.values.tokens import tokens_of

CACHED_PRICE, BLOCK_TOKENS, LEAST_TOKENS = 0.1, 128, 1_024
FACTS, OUTLINE, SUMMARY = 90, 250, 400
TURNS_WITH_TOOLS, MAX_TURNS, COMPACT_AT, COMPACTED_SHARE = 3, 15, 0.7, 0.4
MASKED_BY = 4
BASELINE = "one big prompt, full history, cached"


@dataclass(frozen=True)
class Sizes:
    """Tokens of the real prompt modules and tool definitions."""

    modules: Mapping[Mode, int]
    reading_tools: int
    writing_tools: int

    def tools(self, mode: Mode) -> Part:
        return self.all_tools() if mode in WRITING else ("tools that read", self.reading_tools)

    def all_tools(self) -> Part:
        return ("all tools", self.reading_tools + self.writing_tools)

    def module(self, mode: Mode) -> Part:
        return (f"module {mode}", self.modules[mode])


@dataclass
class Cache:
    """A provider's cache of prefixes, and what it charged."""

    keeps_all: bool = True
    seen: set[int] = field(default_factory=set[int])
    charged: float = 0.0

    def take(self, request: Sequence[Part]) -> None:
        """Charge for a request and remember its prefixes."""
        known = key = total = 0
        prefixes: set[int] = set()
        for part, tokens in request:
            key, total = hash((key, part)), total + tokens
            known = total if key in self.seen else known
            prefixes.add(key)
        self.seen = self.seen | prefixes if self.keeps_all else prefixes
        cached = known // BLOCK_TOKENS * BLOCK_TOKENS if known >= LEAST_TOKENS else 0
        self.charged += total - cached * (1 - CACHED_PRICE)


Layout = Callable[[Sizes, Turn, Sequence[Part], Sequence[Turn]], list[Part]]
"""Makes the beginning of a turn's requests, up to its message, from its history and the turns of that."""


def facts(turn: Turn) -> list[Part]:
    return [(f"facts {turn.facts}", FACTS), (f"outline {turn.outline}", OUTLINE)]


def module_first(sizes: Sizes, turn: Turn, history: Sequence[Part], _: Sequence[Turn]) -> list[Part]:
    return [sizes.tools(turn.mode), sizes.module(turn.mode), *facts(turn), *history]


def facts_last(sizes: Sizes, turn: Turn, history: Sequence[Part], _: Sequence[Turn]) -> list[Part]:
    return [sizes.tools(turn.mode), sizes.module(turn.mode), *history, *facts(turn)]


def module_last(sizes: Sizes, turn: Turn, history: Sequence[Part], _: Sequence[Turn]) -> list[Part]:
    return [sizes.tools(turn.mode), *history, sizes.module(turn.mode), *facts(turn)]


def module_last_all_tools(sizes: Sizes, turn: Turn, history: Sequence[Part], _: Sequence[Turn]) -> list[Part]:
    return [sizes.all_tools(), *history, sizes.module(turn.mode), *facts(turn)]


def module_appended(sizes: Sizes, turn: Turn, history: Sequence[Part], past: Sequence[Turn]) -> list[Part]:
    """Keep each module where it was first needed, and append the next one where the mode changes."""
    starts = {f"message {now.number}": now for before, now in pairwise(past) if now.mode != before.mode}
    first = past[0] if past else turn
    parts: list[Part] = [sizes.all_tools(), sizes.module(first.mode)]
    for part in history:
        if part[0] in starts:
            parts.append(sizes.module(starts[part[0]].mode))
        parts.append(part)
    changed = [sizes.module(turn.mode)] if past and past[-1].mode != turn.mode else []
    return [*parts, *changed, *facts(turn)]


LAYOUTS: Mapping[str, Layout] = {
    "module and facts first, tools by mode": module_first,
    "module first, facts last, tools by mode": facts_last,
    "module and facts last, tools by mode": module_last,
    "module and facts last, all tools": module_last_all_tools,
    "module appended where it changes, all tools": module_appended,
}


@dataclass
class Window:
    """The turns in the window, compacted as the service does it."""

    mask_by: int = 1
    """In steps of how many turns the results of tools leave the window."""
    turns: list[Turn] = field(default_factory=list)
    compactions: int = 0

    def history(self, at: int) -> list[Part]:
        summary: list[Part] = [(f"summary {self.compactions}", SUMMARY)] if self.compactions else []
        whole_from = (at - TURNS_WITH_TOOLS) // self.mask_by * self.mask_by
        return summary + [
            part for turn in self.turns for part in (turn.whole() if turn.number >= whole_from else turn.said())
        ]

    def add(self, turn: Turn) -> None:
        self.turns.append(turn)
        if len(self.turns) >= COMPACT_AT * MAX_TURNS:
            del self.turns[: int(len(self.turns) * COMPACTED_SHARE)]
            self.compactions += 1


def requests(begin: Sequence[Part], turn: Turn) -> Iterator[list[Part]]:
    """Yield the requests of a turn: before its tool call, if it makes one, and the last."""
    message = turn.said()[0]
    yield [*begin, message]
    if turn.loop():
        yield [*begin, message, *turn.loop()]


def cost_of(layout: Layout, sizes: Sizes, turns: Sequence[Turn], mask_by: int, cache: Cache) -> float:
    """Return what a conversation costs in a layout, in uncached tokens."""
    window = Window(mask_by)
    for turn in turns:
        for request in requests(layout(sizes, turn, window.history(turn.number), window.turns), turn):
            cache.take(request)
        window.add(turn)
    return cache.charged


def cost_of_everything(sizes: Sizes, turns: Sequence[Turn], cache: Cache | None) -> float:
    """Return what one big prompt with the full history costs, with a cache or without."""
    history: list[Part] = []
    total = 0
    prompt: list[Part] = [sizes.all_tools(), *(sizes.module(mode) for mode in MODES)]
    for turn in turns:
        for request in requests([*prompt, *history, *facts(turn)], turn):
            total += sum(tokens for _, tokens in request)
            if cache:
                cache.take(request)
        history += turn.whole()
    return cache.charged if cache else total


def real_sizes() -> Sizes:
    """Return the tokens of what is sent today."""
    count = exact_count("o200k_base") or tokens_of
    prompts = read_prompts(Path(__file__).parents[1] / "prompts")
    offer = build_assistant(prompts, tool_timeout_seconds=1.0).offer
    reading = sum(map(count, offer.texts("search")))
    return Sizes(
        modules={mode: count(text) for mode, text in prompts.items()},
        reading_tools=reading,
        writing_tools=sum(map(count, offer.texts("modification"))) - reading,
    )


def shares(*, keeps_all: bool) -> dict[str, float]:
    """Return the cost of each layout as a share of full history in one big prompt without a cache."""
    sizes, talks = real_sizes(), conversations()

    def share(cost: Callable[[Sequence[Turn]], float]) -> float:
        return sum(map(cost, talks)) / sum(cost_of_everything(sizes, talk, None) for talk in talks)

    found = {BASELINE: share(lambda talk: cost_of_everything(sizes, talk, Cache(keeps_all)))}
    for name, layout in LAYOUTS.items():
        for mask_by in (1, MASKED_BY):
            found[f"{name}; results leave by {mask_by}"] = share(
                lambda talk, layout=layout, mask_by=mask_by: cost_of(layout, sizes, talk, mask_by, Cache(keeps_all))
            )
    return found


def main() -> None:
    """Print the table."""
    sizes, talks = real_sizes(), conversations()
    switches = mean(a.mode != b.mode for talk in talks for a, b in pairwise(talk))
    console = Console()
    console.print(f"modules {dict(sizes.modules)}; tools {sizes.reading_tools} + {sizes.writing_tools} that write")
    console.print(f"the mode changes at {switches:.0%} of turns\n")
    table = Table("layout", "all kept", "last kept", title=f"{CONVERSATIONS} conversations of {TURNS} turns")
    every, last = shares(keeps_all=True), shares(keeps_all=False)
    for name, value in every.items():
        table.add_row(name, f"{value:.4f}", f"{last[name]:.4f}")
    console.print(table)


if __name__ == "__main__":
    main()
