"""Make the weights by which the offline model reads the intent and the slots of an order.

    python -m benchmarks.fit_intents [--without voice_08.txt]

Reads the labelled orders of `data/orders_tagged` (their form: `data/README.md`) and writes three models into the
package's data. `--without` leaves one writer out and prints how well that one's orders are read, which is what to
expect of words of somebody new; nothing is written then.
"""

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pycrfsuite  # pyright: ignore[reportMissingTypeStubs]

from workflow_agent.assistant.offline.nlu.tagging import (
    ASIDE,
    NO_EDIT,
    OUTSIDE,
    Vocabulary,
    features_of,
    intent_features,
    slots_of,
    vocabulary_of,
    with_intent,
)
from workflow_agent.assistant.offline.tokens import Token, read_tokens
from workflow_agent.workflows.model.parser import parse_workflow, slug, unique_id
from workflow_agent.workflows.model.workflow import Workflow

DATA = Path(__file__).parent / "data" / "orders_tagged"
MODELS = Path(__file__).parents[1] / "workflow_agent" / "assistant" / "offline" / "data"
_CRF: Any = pycrfsuite
_FEWEST = 2
_SHARE = 0.1
"""How often, and in which share of its uses in an intent, a word must be in no slot to be one of orders themselves."""
_MANY = 10
"""Intents of a word that may be of any."""
_TAG = re.compile(r"\[([^\[\]|]+)\|(\w+)\]")
_STEP = re.compile(r"(?P<name>.*?)\s*(?:\((?P<who>[^,)]*)[^)]*\))?\s*$")


@dataclass(frozen=True, slots=True)
class Example:
    """An order with its intent and a label for each token."""

    intent: str
    text: str
    tokens: list[Token]
    labels: list[str]
    words: Vocabulary


def examples(path: Path) -> Iterator[Example]:
    """Yield the orders of one writer."""
    steps: list[str] = []
    ways: list[str] = []
    words: Vocabulary | None = None
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("@"):
            steps, ways, words = [one.strip() for one in line[1:].split("|")][1:], [], None
        elif line.startswith("="):
            ways.append(line.partition(":")[2].strip())
        elif line.strip():
            words = words or vocabulary_of(_workflow(steps, ways))
            intent, _, order = line.partition("\t")
            yield Example(intent, *tagged(order), words)


def _workflow(steps: Sequence[str], ways: Sequence[str]) -> Workflow:
    """Return a workflow with the words of one that a writer noted down; how its steps are joined is no matter here."""
    made: list[dict[str, Any]] = []
    for step in steps:
        found = _STEP.fullmatch(step)
        assert found is not None  # every text fits
        name = found["name"] or step
        own = {"id": unique_id(slug(name), [one["id"] for one in made]), "name": name, "type": "human"}
        made.append(own | ({"assignee": found["who"].strip()} if found["who"] else {}))
    first, last = made[0]["id"], made[-1]["id"]
    edges = [
        {"id": f"w{at}", "from": first, "to": last, "type": "condition", "when": {"text": way}}
        for at, way in enumerate(ways)
        if way
    ]
    return parse_workflow({"id": "wf_x", "name": "x", "start": first, "steps": made, "transitions": edges})


def tagged(order: str) -> tuple[str, list[Token], list[str]]:
    """Return the text of an order with tags in it ("move [the survey|step] up"), its tokens and their labels."""
    text, at, spans = "", 0, list[tuple[int, int, str]]()
    for found in _TAG.finditer(order):
        text += order[at : found.start()]
        spans.append((len(text), len(text) + len(found[1]), found[2]))
        text += found[1]
        at = found.end()
    text += order[at:]
    tokens = [token for token in read_tokens(text) if token.kind != "break"]
    labels = [OUTSIDE] * len(tokens)
    for start, end, role in spans:
        for i, token in enumerate(tokens):
            # A tag may stand inside or outside of the marks around a quoted name.
            inner = token.kind == "quoted"
            if role != "o" and token.start + inner >= start and token.end - inner <= end:
                labels[i] = role
    return text, tokens, labels


def train(rows: Sequence[tuple[list[list[str]], list[str]]], path: Path, *, l1: float, l2: float, rounds: int) -> Any:
    """Fit a model (L-BFGS, elastic net), write it to a file and return it."""
    trainer = _CRF.Trainer(verbose=False)
    for features, labels in rows:
        trainer.append(features, labels)
    trainer.set_params({"c1": l1, "c2": l2, "max_iterations": rounds})
    trainer.train(str(path))
    tagger = _CRF.Tagger()
    tagger.open(str(path))
    return tagger


def fit(rows: Sequence[Example], directory: Path) -> tuple[Any, Any, Any]:
    """Fit the three models; the one of intents on labels of models that had not seen the order."""
    shown = [features_of(row.tokens, row.words) for row in rows]
    edits = [at for at, row in enumerate(rows) if row.intent not in NO_EDIT]
    slots = train([(shown[at], rows[at].labels) for at in edits], directory / "slots.crf", l1=1.0, l2=0.05, rounds=70)
    guessed: dict[int, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for part in (0, 1):
            others = [(shown[at], rows[at].labels) for at in edits if at % 2 != part]
            half = train(others, Path(scratch) / "half.crf", l1=1.0, l2=0.05, rounds=45)
            guessed |= {at: half.tag(shown[at]) for at in range(part, len(rows), 2)}
    told = [([intent_features(row.tokens, row.words, guessed[at])], [row.intent]) for at, row in enumerate(rows)]
    intents = train(told, directory / "intents.crf", l1=0.3, l2=0.1, rounds=120)
    given = [(with_intent(rows[at].tokens, shown[at], rows[at].intent), rows[at].labels) for at in edits]
    of_intent = train(given, directory / "slots_of_intent.crf", l1=1.0, l2=0.05, rounds=70)
    return slots, intents, of_intent


def _said(example: Example, labels: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return the words of each slot that matters, without articles and marks."""
    return Counter(
        (slot.role, " ".join(t.lower for t in slot.tokens if not t.has("det") and t.kind != "punct"))
        for slot in slots_of(example.tokens, labels)
        if slot.role != ASIDE
    )


def order_words(rows: Sequence[Example]) -> dict[str, list[str]]:
    """Return the base forms of words that people order something with, each with the intents it was used in.

    Those that writers left in no slot, again and again; of a word used in many intents the list is `*`.
    """
    outside: Counter[tuple[str, str]] = Counter()
    anywhere: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.intent in NO_EDIT:
            continue
        for token, label in zip(row.tokens, row.labels, strict=True):
            if token.kind == "word" and token.is_content:
                anywhere[token.lemma, row.intent] += 1
                outside[token.lemma, row.intent] += label == OUTSIDE
    found: dict[str, list[str]] = {}
    for (word, intent), count in sorted(outside.items()):
        if count >= _FEWEST and count >= _SHARE * anywhere[word, intent]:
            found.setdefault(word, []).append(intent)
    return {word: intents if len(intents) < _MANY else ["*"] for word, intents in found.items()}


def write_order_words(rows: Sequence[Example]) -> None:
    """Write the words of orders into the package's data."""
    lines = [f"{word}\t{' '.join(intents)}" for word, intents in order_words(rows).items()]
    head = "# Words that people order something with, and in which intents; made by benchmarks/fit_intents.py"
    (MODELS / "order_words.tsv").write_text("\n".join([head, *lines, ""]), "utf-8")


def measure(rows: Sequence[Example], models: tuple[Any, Any, Any]) -> dict[str, float]:
    """Return the shares of orders whose intent, slots given the intent, and both are read exactly."""
    right: Counter[str] = Counter()
    slots, intents, given = models
    for row in rows:
        features = features_of(row.tokens, row.words)
        intent = intents.tag([intent_features(row.tokens, row.words, slots.tag(features))])[0]
        right["intent"] += intent == row.intent
        if row.intent in NO_EDIT:
            continue
        right["edits"] += 1
        same = _said(row, given.tag(with_intent(row.tokens, features, row.intent))) == _said(row, row.labels)
        right["slots"] += same
        right["both"] += same and intent == row.intent
    shares = {"intent": right["intent"] / len(rows)}
    return shares | {name: right[name] / right["edits"] for name in ("slots", "both")}


def main() -> None:
    """Fit and write the models, or measure them on a writer that is left out."""
    parser = argparse.ArgumentParser(prog="benchmarks.fit_intents")
    parser.add_argument("--without", help="a file of data/orders_tagged")
    left_out = parser.parse_args().without
    rows = [row for path in sorted(DATA.glob("*.txt")) if path.name != left_out for row in examples(path)]
    if left_out is None:
        with tempfile.TemporaryDirectory() as directory:
            fit(rows, Path(directory))
            for path in Path(directory).glob("*.crf"):
                (MODELS / path.name).write_bytes(path.read_bytes())
        write_order_words(rows)
        print(f"{len(rows):,} orders; " + ", ".join(f"{p.name} {p.stat().st_size:,} B" for p in MODELS.glob("*.crf")))
        return
    with tempfile.TemporaryDirectory() as directory:
        models = fit(rows, Path(directory))
        sizes = {path.name: path.stat().st_size for path in Path(directory).glob("*.crf")}
        shares = measure(list(examples(DATA / left_out)), models)
    print(f"{len(rows):,} orders, {left_out} left out: {shares}, {sizes}")


if __name__ == "__main__":
    main()
