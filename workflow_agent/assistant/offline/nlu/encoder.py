"""A small transformer that reads a message as a whole: its intent, the role of each word, where another order begins.

Three layers of a BERT encoder (Devlin et al., 2019), run by NumPy. The word pieces, their vectors and the layers that
fitting begins with are those of all-MiniLM-L6-v2 (Apache License 2.0); `benchmarks/fit_orders.py` fits the layers to
labelled orders, with what is known of a word in the workflow at hand added to the vector of each of its pieces.
"""

import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate, chain
from typing import Any, Final, Literal

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

Fit = Literal["orders", "flows", "questions"]
Words = tuple[str, ...]
Floats = NDArray[np.float32]
OUTSIDE: Final = "O"
"""The label of words in no slot."""
MARKS: Final = "SPCND1m-+TUQ9"
"""What is told of a word beside its text, each in a place of its own: `nlu.tagging` says what they mean."""
_MOST_PIECES = 8
"""Of one word or quotation; further ones are not looked at."""
_MOST_IDS = 256
_ENDS = 2
"""Pieces that stand for the beginning and the end of a message."""
_LONGEST_PIECE = 24
_MOST_READ = 32
_AT_ONCE = 32
"""Texts that are read together: what each piece gives each other grows with the square of their number."""
_MOST_KEPT = 2_048
"""Names of steps and phrases whose vectors are kept, of 1.5 kB each."""
_HEADS = 12
_EPSILON = 1e-12
_PACKAGE = "workflow_agent.assistant.offline"


class Pieces:
    """The word pieces that texts are read in (WordPiece)."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self._places = {piece: at for at, piece in enumerate(pieces)}
        self._of = lru_cache(maxsize=4096)(self._split)

    def encoded(
        self, words: Sequence[str], marks: Sequence[str], *, most: int = _MOST_IDS
    ) -> tuple[list[int], list[int], Floats]:
        """Return the pieces of a message, the place of each word's first piece, and a row of marks for each piece.

        Of long words the beginnings alone are looked at where all pieces would be more than `most`.
        """
        split = [self._of(word) for word in words]
        if sum(map(len, split)) > most - _ENDS:
            each = max(1, (most - _ENDS) // len(split))
            split = [pieces[:each] for pieces in split]
        ids = [self._places["[CLS]"], *chain.from_iterable(split), self._places["[SEP]"]]
        told = np.zeros((len(ids), len(MARKS)), np.float32)
        *firsts, _ = accumulate(map(len, split), initial=1)
        for at, pieces, mark in zip(firsts, split, marks, strict=True):
            told[at : at + len(pieces), [MARKS.index(one) for one in mark]] = 1
        return ids, firsts, told

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the pieces of a word or quotation, the longest that are known first (WordPiece)."""
        plain = "".join(c for c in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(c) != "Mn")
        spaced = "".join(c if c.isalnum() else f" {c} " for c in plain)
        found = list(chain.from_iterable(self._longest_first(one) for one in spaced.split()))[:_MOST_PIECES]
        return tuple(found) or (self._places["[UNK]"],)

    def _longest_first(self, word: str) -> list[int]:
        found: list[int] = []
        at = 0
        while at < len(word):
            ends = range(min(len(word), at + _LONGEST_PIECE), at, -1)
            pieces = ((end, f"##{word[at:end]}" if at else word[at:end]) for end in ends)
            at, piece = next(((end, piece) for end, piece in pieces if piece in self._places), (0, ""))
            if not at:
                return [self._places["[UNK]"]]
            found.append(self._places[piece])
        return found


@dataclass(frozen=True, slots=True)
class Scores:
    """What the encoder makes of a message, as probabilities."""

    intents: Mapping[str, float]
    begins: Sequence[float]
    """Of each word, that another order begins with it."""
    _labels: Floats
    """A row for each word, a column for each label."""
    _encoder: "Encoder"

    def labelled(self, intent: str) -> tuple[list[str], list[float]]:
        """Return the likeliest labels of words, of those that messages of an intent have, and how probable each is.

        Which label follows which counts too, by the algorithm of Viterbi.
        """
        some = self._labels * self._encoder.roles[intent]
        some = some / np.maximum(some.sum(axis=1, keepdims=True), _EPSILON)
        ((path, _),) = _paths(np.log(some + _EPSILON), self._encoder.follows, 1)
        sure = some[np.arange(len(path)), path]
        return [self._encoder.labels[at] for at in path], sure.tolist()

    def ways(self, intent: str, at: Sequence[int], alike: str, most: int) -> list[tuple[list[str], float]]:
        """Return the likeliest ways to label some words, each with how probable it is among all ways.

        What all ways weigh together is told by the forward algorithm.

        Args:
            intent: Labels are those that its messages have.
            at: The words.
            alike: A label that is told as `OUTSIDE`.
            most: Ways at most.
        """
        own = self._labels[list(at)] * self._encoder.roles[intent]
        names = self._encoder.labels
        outside, other = names.index(OUTSIDE), names.index(alike)
        own[:, outside] += own[:, other]
        own[:, other] = 0
        used = np.flatnonzero(own.any(axis=0))
        told = np.log(own[:, used] / np.maximum(own.sum(axis=1, keepdims=True), _EPSILON) + _EPSILON)
        follows = self._encoder.follows[np.ix_(used, used)]
        forward = told[0]
        for row in told[1:]:
            forward = _log_sum(forward[:, None] + follows) + row
        whole = float(_log_sum(forward))
        paths = _paths(told, follows, most)
        return [([names[used[one]] for one in path], math.exp(weight - whole)) for path, weight in paths]

    def one_of(self, labels: Collection[str], intent: str) -> list[float]:
        """Return of each word how probable it is that its label is one of some, of those that an intent has."""
        own = self._labels * self._encoder.roles[intent]
        places = [at for at, one in enumerate(self._encoder.labels) if one in labels]
        return (own[:, places].sum(axis=1) / np.maximum(own.sum(axis=1), _EPSILON)).tolist()

    def outside(self) -> list[float]:
        """Return of each word how probable it is that it stands in no slot."""
        return self._labels[:, self._encoder.labels.index(OUTSIDE)].tolist()


class Layers:
    """What every fit has: layers over the table of pieces, which no fit changes."""

    def __init__(self, pieces: Pieces, table: Mapping[str, Any], fitted: Mapping[str, Any]) -> None:
        self.pieces = pieces
        self._codes: NDArray[np.int8] = table["codes"]
        self._scales: Floats = table["scales"].astype(np.float32)
        self.weights = {name: floats_in(fitted, name) for name in fitted if not name.endswith(".scales")}
        self.depth = len({name.split(".")[0] for name in self.weights if name.startswith("layer")})

    def run(
        self, ids: Sequence[int], places: Sequence[int], *, told: Floats | float = 0, apart: Floats | float = 0
    ) -> Floats:
        """Return a row for each piece.

        Args:
            ids: The pieces.
            places: Where in its text each piece stands.
            told: What is added to each piece's vector.
            apart: What is added to the weight that each piece has for each other, to keep several texts apart.
        """
        w = self.weights
        vectors = self._codes[list(ids)] * self._scales[list(ids), None]
        x = _normed(vectors + told + w["positions"][list(places)], w["norm.gain"], w["norm.bias"])
        for layer in range(self.depth):
            x = self._layer(x, f"layer{layer}", apart)
        return x

    def _layer(self, x: Floats, name: str, apart: Floats | float) -> Floats:
        w = self.weights
        size, width = x.shape
        projected = x @ w[f"{name}.qkv.weight"] + w[f"{name}.qkv.bias"]
        q, k, v = projected.reshape(size, 3, _HEADS, width // _HEADS).transpose(1, 2, 0, 3)
        mixed = (_softmax(q @ k.transpose(0, 2, 1) + apart) @ v).transpose(1, 0, 2).reshape(size, width)
        mixed = mixed @ w[f"{name}.mix.weight"] + w[f"{name}.mix.bias"]
        x = _normed(x + mixed, w[f"{name}.norm1.gain"], w[f"{name}.norm1.bias"])
        inner = _gelu(x @ w[f"{name}.up.weight"] + w[f"{name}.up.bias"])
        inner = inner @ w[f"{name}.down.weight"] + w[f"{name}.down.bias"]
        return _normed(x + inner, w[f"{name}.norm2.gain"], w[f"{name}.norm2.bias"])


class Encoder(Layers):
    """A fit that labels words: what stands in `orders.npz`, `flows.npz` or `questions.npz`."""

    def __init__(self, pieces: Pieces, table: Mapping[str, Any], fitted: Mapping[str, Any]) -> None:
        super().__init__(pieces, table, fitted)
        self.intents = tuple(str(one) for one in fitted["intents"])
        self.labels = tuple(str(one) for one in fitted["labels"])
        self.follows: Floats = fitted["follows"].astype(np.float32)
        self.roles = dict(zip(self.intents, fitted["roles"].astype(np.float32), strict=True))
        # A message is read again at each step of its turn, and not kept for much longer.
        self.read = lru_cache(maxsize=_MOST_READ)(self._read)

    def __repr__(self) -> str:
        return f"Encoder({self.depth} layers, {len(self.intents)} intents, {len(self.labels)} labels)"

    def _read(self, words: tuple[str, ...], marks: tuple[str, ...]) -> Scores:
        """Return what a message is taken for, given its words and the `MARKS` of each."""
        w = self.weights
        ids, firsts, told = self.pieces.encoded(words, marks, most=len(w["positions"]))
        x = self.run(ids, range(len(ids)), told=told @ w["marks"])
        whole, each = x[0], x[firsts]
        intents = _softmax(whole @ w["intent.weight"] + w["intent.bias"])
        both = np.concatenate([each, np.broadcast_to(whole, each.shape)], axis=1)
        begins = 1 / (1 + np.exp(-(each @ w["begins.weight"] + w["begins.bias"])))
        labels = _softmax(both @ w["label.weight"] + w["label.bias"])
        return Scores(dict(zip(self.intents, intents.tolist(), strict=True)), begins[:, 0].tolist(), labels, self)


class StepEncoder(Layers):
    """The fit that puts what people call a step near the step's name: what stands in `steps.npz`.

    A text is the mean of its pieces' rows (Reimers and Gurevych, "Sentence-BERT", 2019).
    """

    def __init__(self, pieces: Pieces, table: Mapping[str, Any], fitted: Mapping[str, Any]) -> None:
        super().__init__(pieces, table, fitted)
        self._kept: LRUCache[Words, Floats] = LRUCache(_MOST_KEPT)

    def probabilities(self, said: Words, names: Sequence[Words]) -> list[float]:
        """Return for each name how probable it is that words mean it; what is missing to 1, that they mean none."""
        vectors = self._vectors([said, *names])
        fits = vectors[1:] @ vectors[0] * self.weights["sharpness"]
        return _softmax(np.append(fits, self.weights["nothing"]))[:-1].tolist()

    def _vectors(self, texts: Sequence[Words]) -> Floats:
        """Return a row of length 1 for each text."""
        found = {text: self._kept[text] for text in texts if text in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        for start in range(0, len(missing), _AT_ONCE):
            some = missing[start : start + _AT_ONCE]
            found |= zip(some, self._new_vectors(some), strict=True)
        self._kept.update((text, found[text]) for text in missing)
        return np.stack([found[text] for text in texts])

    def _new_vectors(self, texts: Sequence[Words]) -> Floats:
        """Return the same of texts that are read now, all at once: their pieces do not see those of other texts."""
        most = len(self.weights["positions"])
        cut = [text[: most - _ENDS] for text in texts]
        split = [self.pieces.encoded(text, [""] * len(text), most=most)[0] for text in cut]
        own = np.repeat(np.arange(len(split)), list(map(len, split)))
        places = [at for ids in split for at in range(len(ids))]
        apart = np.where(own[:, None] == own, 0, -np.inf).astype(np.float32)
        x = self.run(list(chain.from_iterable(split)), places, apart=apart)
        sums = np.stack([x[own == at].mean(axis=0) for at in range(len(split))])
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


def floats_in(fitted: Mapping[str, Any], name: str) -> Any:
    """Return an array of a fit, a matrix of small integers by the scales of its columns as floats."""
    scales = f"{name}.scales"
    if scales in fitted:
        return fitted[name].astype(np.float32) * fitted[scales].astype(np.float32)
    return fitted[name].astype(np.float32) if fitted[name].dtype.kind == "f" else fitted[name]


def _normed(x: Floats, gain: Floats, bias: Floats) -> Floats:
    off = x - x.mean(axis=-1, keepdims=True)
    return off / np.sqrt((off * off).mean(axis=-1, keepdims=True) + _EPSILON) * gain + bias


def _softmax(x: Floats) -> Floats:
    grown = np.exp(x - x.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def _paths(told: Floats, follows: Floats, most: int) -> list[tuple[list[int], float]]:
    """Return the heaviest ways through some rows, a column of each, with their weights, the heaviest first.

    By the algorithm of Viterbi, of several ways by its list form (Seshadri and Sundberg, 1994).

    Args:
        told: What each column of a row weighs.
        follows: What a column behind another one adds: from, to.
        most: Ways at most.
    """
    columns = told.shape[1]
    best = np.full((columns, most), -np.inf)
    best[:, 0] = told[0]
    came: list[NDArray[np.intp]] = []
    for row in told[1:]:
        each = (best[:, :, None] + follows[:, None, :]).reshape(-1, columns)
        chosen = each.argmax(axis=0)[None] if most == 1 else np.argsort(-each, axis=0)[:most]
        best = np.take_along_axis(each, chosen, axis=0).T + row[:, None]
        came.append(chosen.T)
    found: list[tuple[list[int], float]] = []
    for flat in np.argsort(-best, axis=None)[:most].tolist():
        column, rank = divmod(flat, most)
        weight = float(best[column, rank])
        if not math.isfinite(weight):
            break
        path = [column]
        for before in reversed(came):
            column, rank = divmod(int(before[column, rank]), most)
            path.append(column)
        found.append((path[::-1], weight))
    return found


def _log_sum(x: Floats) -> Floats:
    """Return the logarithm of the sum of what rows are the logarithms of."""
    most = x.max(axis=0)
    return most + np.log(np.exp(x - most).sum(axis=0))


def _gelu(x: Floats) -> Floats:
    """Return the gaussian error linear unit, by its approximation with tanh."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * x * (1 + 0.044715 * x * x)))


@cache
def encoder(fit: Fit) -> Encoder:
    """Return a fitted encoder of the package, read when it is first asked for."""
    return Encoder(*pieces_and_table(), _fitted(fit))


@cache
def step_encoder() -> StepEncoder:
    """Return the fitted encoder of steps' names, read when it is first asked for."""
    return StepEncoder(*pieces_and_table(), _fitted("steps"))


def _fitted(name: str) -> dict[str, Any]:
    with (resources.files(_PACKAGE) / "data" / f"{name}.npz").open("rb") as fitted:
        return dict(np.load(fitted))


@cache
def pieces_and_table() -> tuple[Pieces, dict[str, Any]]:
    """Return the word pieces and the table of their vectors, which all fits share."""
    # Several threads for matrices as small as these cost more than they bring, and the processors are for other turns.
    threadpool_limits(1, "blas")
    data = resources.files(_PACKAGE) / "data"
    with (data / "pieces.npz").open("rb") as table:
        return Pieces((data / "pieces.txt").read_text("utf-8").splitlines()), dict(np.load(table))
