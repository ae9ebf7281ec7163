"""What the prompts ask a model to add beside what was said, which no case counts against it.

`prompts/creation.md` wants a reject branch of each approval, and timeouts, retries and error transitions of
calls to systems; `prompts/modification.md` what the new part needs to work. A case names only what was said.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.offline_graphs import NEGATIVE_WORDS, Difference, has_words

Document = Mapping[str, Any]
_PRECAUTIONS = ("timeout", "retry", "form")


def nearest(
    document: Document, known: Collection[str], differ: Callable[[Document], Sequence[Difference]]
) -> list[Difference]:
    """Return where a workflow differs from the wanted one, without additions that the prompts ask for.

    Args:
        document: The workflow as it is stored.
        known: The steps that were there before; they are compared as they are.
        differ: Compares with what was wanted.
    """
    least = list(differ(document))
    while least:
        tried = [(list(differ(one)), one) for one in _without_one_addition(document, known)]
        found, simpler = min(tried, key=lambda pair: len(pair[0]), default=(least, document))
        if len(found) >= len(least):
            break
        least, document = found, simpler
    return least


def _without_one_addition(document: Document, known: Collection[str]) -> Iterator[Document]:
    steps: list[dict[str, Any]] = document["steps"]
    for at, step in enumerate(steps):
        if step["id"] not in known and any(name in step for name in _PRECAUTIONS):
            bare = {name: value for name, value in step.items() if name not in _PRECAUTIONS}
            yield {**document, "steps": [*steps[:at], bare, *steps[at + 1 :]]}
    for transition in document["transitions"]:
        is_new = transition["from"] not in known
        if is_new and (transition.get("type") == "error" or _rejects(transition, document)):
            yield _without_branch(document, transition)


def _rejects(transition: Mapping[str, Any], document: Document) -> bool:
    """Say whether a transition is the negative one of several answers."""
    said = (transition.get("when") or {}).get("text", "otherwise" if transition.get("type") == "default" else "")
    others = [one for one in document["transitions"] if one["from"] == transition["from"]]
    return len(others) > 1 and any(has_words(said, one) for one in NEGATIVE_WORDS)


def _without_branch(document: Document, transition: Mapping[str, Any]) -> Document:
    """Return a workflow without a transition, and without what it alone leads to."""
    kept = [one for one in document["transitions"] if one is not transition]
    reached, rest = {document["start"]}, list(kept)
    while found := [one for one in rest if one["from"] in reached]:
        reached.update(one["to"] for one in found)
        rest = [one for one in rest if one not in found]
    inside = {one["id"] for one in document["steps"] if one.get("parent")}
    steps = [one for one in document["steps"] if one["id"] in reached | inside]
    ids = {one["id"] for one in steps}
    transitions = [one for one in kept if one["from"] in ids and one["to"] in ids]
    return {**document, "steps": steps, "transitions": transitions}
