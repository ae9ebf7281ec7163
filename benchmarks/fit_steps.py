"""Fit the encoder by which the offline model finds the step that is meant, to `data/steps_called.txt`.

    python -m benchmarks.fit_steps [--rounds 5]        needs what `fit_orders.py` needs
    python -m benchmarks.fit_steps --measure           of `data/steps_called_heldout.txt`, without PyTorch

It begins with the layers of all-MiniLM-L6-v2 (Apache License 2.0) and learns to put what people call a step
nearer to its name than to those of the other steps of its workflow (contrastive learning: van den Oord, Li and
Vinyals, 2018). Beside the phrases written for it stand those of labelled orders and questions that name a step
outright, half as heavy, and phrases of other workflows as meaning none. What is held out is of writers whose workflows
are left out of the fit. Forty minutes on one core; writes `steps.npz`.
"""

import argparse
import math
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.orders_tagged import DATA, MODELS, QUESTIONS, named, noted, tagged
from workflow_agent.assistant.offline.nlu.encoder import Words, step_encoder
from workflow_agent.assistant.offline.nlu.tagging import slots_of, step_words, words_of
from workflow_agent.assistant.offline.references import Steps, StepUnclear, stems
from workflow_agent.assistant.offline.tokens import read_tokens

CALLED: Final = Path(__file__).parent / "data" / "steps_called.txt"
HELDOUT: Final = Path(__file__).parent / "data" / "steps_called_heldout.txt"
_ROLES = frozenset({"step", "after", "before", "beside", "from", "to", "oldto", "first", "second", "goal"})
_BATCH = 32
_OF_ONE = 16
"""Phrases of one workflow in a batch: its names are read once for all of them."""
_MASKED = 0.08
_RATE, _RATE_NEW = 1e-4, 1e-2
_PLAIN_WEIGHT = 0.5
_TEMPERED = 0.77
"""What the logits of the fit are multiplied by, so that it is right as often as it says (temperature scaling: Guo et
al., "On Calibration of Modern Neural Networks", 2017)."""
_SHORT = 3
"""Letters of a word that says too little to be one that two texts share."""
_BARS = (0.5, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Called:
    """A phrase, the names of the steps of a workflow, and which of them it means: none, one, or one of several."""

    said: Words
    names: tuple[Words, ...]
    meant: tuple[int, ...]
    is_plain: bool = False
    """Whether it names the step outright."""


def called(path: Path) -> Iterator[Called]:
    """Yield the phrases of a file: behind the steps of a workflow ("@ title | step (who) | ...") "2,3<TAB>phrase"."""
    names: tuple[Words, ...] = ()
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("@"):
            names = tuple(words_of(read_tokens(one.strip())) for one in line[1:].split("|")[1:])
        elif line.strip():
            numbers, _, phrase = line.partition("\t")
            meant = tuple(int(one) - 1 for one in numbers.split(",") if one != "0")
            yield Called(words_of(read_tokens(phrase)), names, meant)


def plainly_called() -> Iterator[Called]:
    """Yield what the slots of labelled orders and questions call steps, where the rules for names know it."""
    left_out = {_bare(one.names) for one in called(HELDOUT)}
    for path in [*sorted(DATA.glob("*.txt")), *sorted(QUESTIONS.glob("*.txt"))]:
        for one in noted(path):
            workflow = named(one)
            steps, names = Steps(workflow, {}, None), tuple(map(step_words, workflow.steps))
            if _bare(names) in left_out:
                continue
            for _, order in one.messages:
                _, tokens, labels = tagged(order)
                for slot in slots_of(tokens, labels):
                    try:
                        step = steps.find(slot.tokens) if slot.role in _ROLES else None
                    except StepUnclear:
                        continue
                    if step is not None:
                        at = next(at for at, each in enumerate(workflow.steps) if each.id == step.id)
                        yield Called(words_of(slot.tokens), names, (at,), is_plain=True)


def strange(rows: Sequence[Called], count: int) -> Iterator[Called]:
    """Yield phrases with the steps of a workflow that has none of their words: as meaning none of these."""
    while count:
        row, other = random.sample(rows, 2)
        own = {stem for name in other.names for word in name for stem in stems(word.lower())}
        if other.names != row.names and not any(stems(word.lower()) & own for word in row.said if len(word) > _SHORT):
            yield Called(row.said, other.names, ())
            count -= 1


def _bare(names: Sequence[Words]) -> tuple[Words, ...]:
    """Return names of steps without who does them."""
    return tuple(name[: name.index("(")] if "(" in name else name for name in names)


def batches(rows: Sequence[Called]) -> Iterator[list[Called]]:
    """Yield phrases in batches of few workflows, in random order."""
    of: dict[tuple[Words, ...], list[Called]] = defaultdict(list)
    for row in random.sample(rows, len(rows)):
        of[row.names].append(row)
    groups = [some[at : at + _OF_ONE] for some in of.values() for at in range(0, len(some), _OF_ONE)]
    random.shuffle(groups)
    batch: list[Called] = []
    for group in groups:
        batch += group
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def fit(rounds: int) -> dict[str, Any]:
    """Return the arrays of a new fit."""
    # Both want PyTorch, which measuring does without.
    torch: Any = import_module("torch")
    orders: Any = import_module("benchmarks.fit_orders")
    random.seed(1)
    torch.manual_seed(1)
    hard = list(called(CALLED))
    plain = list(dict.fromkeys(plainly_called()))
    net: Any = orders.NameNet(orders.pieces_of())
    new = [net.sharpness, net.nothing]
    own = [one for name, one in net.named_parameters() if one.requires_grad and name not in ("sharpness", "nothing")]
    best = torch.optim.AdamW([{"params": own, "lr": _RATE}, {"params": new, "lr": _RATE_NEW}], weight_decay=0.01)
    steps = rounds * math.ceil(1.75 * len(hard) / _BATCH)
    falling = torch.optim.lr_scheduler.LambdaLR(best, lambda at: min(1, (at + 1) / 50) * max(0.02, 1 - at / steps))
    began = time.monotonic()
    for turn in range(rounds):
        lost, count = 0.0, 0
        others = strange(hard, len(hard) // 4)
        for batch in batches([*hard, *random.sample(plain, len(hard) // 2), *others]):
            scores = net.scores([(row.said, row.names) for row in batch], masked=_MASKED)
            loss: Any = sum(_loss(row, one) for row, one in zip(batch, scores, strict=True)) / len(batch)
            best.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            best.step()
            falling.step()
            lost, count = lost + loss.item(), count + 1
        print(f"round {turn + 1}: loss {lost / count:.3f}, {time.monotonic() - began:.0f} s", flush=True)
    scalars = {"sharpness": net.sharpness.exp() * _TEMPERED, "nothing": net.nothing * _TEMPERED}
    return orders.layers_of(net) | {name: np.float32(one.item()) for name, one in scalars.items()}


def _loss(row: Called, scores: Any) -> Any:
    told = scores.log_softmax(0)
    meant = list(row.meant) or [len(row.names)]
    return -told[meant].mean() * (_PLAIN_WEIGHT if row.is_plain else 1)


def measure() -> None:
    """Print how often the step that is likeliest is the one meant, of the phrases held out, from several bars on."""
    reader = step_encoder()
    found: list[tuple[float, bool]] = []
    first = single = 0
    for row in called(HELDOUT):
        likely = reader.probabilities(row.said, row.names)
        at = max(range(len(likely)), key=likely.__getitem__)
        found.append((likely[at], row.meant == (at,)))
        first, single = first + (row.meant == (at,)), single + (len(row.meant) == 1)
    print(f"{len(found)} phrases; of {single} that mean one step it is the likeliest of {first / single:.1%}")
    for bar in _BARS:
        some = [right for likely, right in found if likely >= bar]
        print(f"from {bar} on: {len(some) / len(found):.1%} of them, right {sum(some) / max(len(some), 1):.1%}")


def main() -> None:
    """Fit and write the encoder of steps' names, or measure it."""
    parser = argparse.ArgumentParser(prog="benchmarks.fit_steps")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--measure", action="store_true", help="fit nothing")
    asked = parser.parse_args()
    if not asked.measure:
        np.savez(MODELS / "steps.npz", **fit(asked.rounds))
    measure()


if __name__ == "__main__":
    main()
