"""All evaluations in one table, and the same in `benchmarks/EVALUATIONS.md`, so that a regression is a diff.

    python -m benchmarks.evaluations

Everything is offline and deterministic; `eval_model.py` evaluates the models of providers.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import (
    eval_artifacts,
    eval_bpmn,
    eval_drafts,
    eval_modes,
    eval_offline,
    eval_references,
    eval_retention,
    eval_sizes,
    eval_summaries,
    rule_rates,
)
from benchmarks.bpmn_documents import document
from benchmarks.corpus import CORPUS, documents
from benchmarks.eval_formats import comes_back
from benchmarks.eval_search import FOLDERS, Quality, as_question, by_set, pairs, plain_ranks, search_ranks, workflows
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.main.process import collect_seldom

REPORT = Path(__file__).parent / "EVALUATIONS.md"
_ABOUT = (
    "Written by `make eval`, offline and the same every time: a change of a figure is a change of behaviour. "
    "What each measures, and on what, is at the head of its module, `benchmarks/eval_*.py`."
)
_ABOUT_RATES = (
    "Over the valid documents of the corpus, each looked at among all others of its format: the share with a finding. "
    "Rules that are not named speak up about none."
)
_ABSENT = "left out: the corpus is not here"


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the table."""

    evaluation: str
    what: str
    value: float
    cases: int
    note: str = ""

    @property
    def shown(self) -> str:
        """Return the value as people read it."""
        return self.note or f"{self.value:.1%}"


def modes() -> Iterator[Result]:
    """Yield how often the mode is the labelled one, of each half."""
    for half, path in eval_modes.HALVES.items():
        yield Result("mode inference", f"{half}: as labelled", eval_modes.accuracy(path), len(eval_modes.rows(path)))


def references() -> Iterator[Result]:
    """Yield how often a reference is resolved as a person would, of each set."""
    for half, path in eval_references.SETS.items():
        answers = eval_references.evaluated(path)
        surely = sum(one.is_surely_wrong for one in answers)
        name = "references"
        yield Result(name, f"{half}: as a person", eval_references.accuracy(answers), len(answers))
        yield Result(name, f"{half}: wrong with confidence", surely / len(answers), len(answers))


def _drafts() -> Iterator[Result]:
    for rows in eval_drafts.SETS:
        judged = asyncio.run(eval_drafts.judge(OfflineModel(), rows))
        for name, (value, cases) in judged.figures().items():
            evaluation, _, what = name.partition(": ")
            yield Result(evaluation, what, value, cases)


def offline() -> Iterator[Result]:
    """Yield how the offline model does on messages of others, of each kind and half."""
    for kind in eval_offline.KINDS:
        for half, named in eval_offline.HALVES.items():
            judged = asyncio.run(eval_offline.judge(kind, half))
            for what, (value, cases) in eval_offline.figures(kind, judged).items():
                part, _, verdict = what.partition(": ")
                yield Result("offline model, by others' words", f"{part}, {named}: {verdict}", value, cases)


def _retention() -> Iterator[Result]:
    for kind, (shown, found, count) in eval_retention.by_kind(asyncio.run(eval_retention.kept())).items():
        yield Result("retention after compaction", f"{kind}: in the window", shown / count, count)
        yield Result("recall of compacted turns", f"{kind}: found by one search", found / count, count)


def _artifacts() -> Iterator[Result]:
    for half in eval_artifacts.HALVES:
        for what, (value, cases) in eval_artifacts.figures(half).items():
            yield Result("artifact selection", f"{half}: {what}", value, cases)


def _summaries() -> Iterator[Result]:
    for half in eval_summaries.HALVES:
        for what, (value, cases) in eval_summaries.figures(half).items():
            yield Result("sentences of summaries", f"{half}: {what}", value, cases)


def _search() -> Iterator[Result]:
    if not CORPUS.is_dir():
        yield Result("search", "descriptions of people", 0.0, 0, _ABSENT)
        return
    indexed = workflows(CORPUS, {})
    queries = [pair for folder in FOLDERS for pair in pairs(CORPUS, folder) if pair.file in indexed]
    for asked, listed in (("descriptions", queries), ("questions", [as_question(one) for one in queries])):
        ours, plain = asyncio.run(search_ranks(indexed, listed)), plain_ranks(indexed, listed)
        for name, ranks in {"search": ours, "plain FTS5": plain}.items():
            yield Result("search", f"{asked}, all sets, {name}", 0.0, len(ranks), str(Quality.of(ranks)))
            for folder, quality in by_set(listed, ranks).items():
                yield Result("search", f"{asked}, {folder}, {name}", 0.0, quality.count, str(quality))


def _formats() -> Iterator[Result]:
    if not CORPUS.is_dir():
        yield Result("formats", "documents of other tools", 0.0, 0, _ABSENT)
        return
    found = list(documents(CORPUS))
    read = [one for one in found if one.imported and one.format]
    again = [comes_back(one.format, one.imported.workflow) for one in read if one.format and one.imported]
    yield Result("formats", "documents imported", len(read) / len(found), len(found))
    yield Result("formats", "imported ones that come back equal", sum(again) / len(again), len(again))


def _findings() -> Iterator[Result]:
    if not CORPUS.is_dir():
        yield Result("findings", "documents of other tools", 0.0, 0, _ABSENT)
        return
    for what, times, count in rule_rates.noticed(documents(CORPUS)):
        yield Result("findings", what, times / count, count)


def _sizes() -> Iterator[Result]:
    limits = "read, written and analysed in at most 1 s and 200 MB each"
    made = [one.holds for one in eval_sizes.costs()]
    yield Result("formats", f"large made documents {limits}", sum(made) / len(made), len(made))
    if CORPUS.is_dir():
        held = [one.holds for one in eval_sizes.costs_of_corpus()]
        yield Result("formats", f"documents of other tools {limits}", sum(held) / len(held), len(held))


def _bpmn() -> Iterator[Result]:
    outcomes = [eval_bpmn.outcome(str(seed), document(seed)) for seed in range(eval_bpmn.DOCUMENTS)]
    equal = sum(one.comes_back for one in outcomes)
    whole = sum(one.comes_back and not one.missing for one in outcomes)
    count = len(outcomes)
    yield Result("formats", "made BPMN documents whose workflow comes back equal", equal / count, count)
    yield Result("formats", "made BPMN documents that come back with all they say", whole / count, count)
    stay_valid = sum(not one.is_made_invalid for one in outcomes)
    yield Result("formats", "made BPMN documents that stay valid by BPMN's schema", stay_valid / count, count)


def results() -> list[Result]:
    """Return every line."""
    found: list[Result] = []
    parts = (
        modes,
        references,
        _drafts,
        offline,
        _search,
        _formats,
        _bpmn,
        _sizes,
        _findings,
        _retention,
        _artifacts,
        _summaries,
    )
    for part in parts:
        found += part()
    return sorted(found, key=lambda one: [each.evaluation for each in found].index(one.evaluation))


def markdown(found: Sequence[Result]) -> str:
    """Return the table as a page."""
    rows = [f"| {one.evaluation} | {one.what} | {one.shown} | {one.cases or ''} |" for one in found]
    head = "| evaluation | what | figure | cases |\n|---|---|---|---|"
    return "\n".join(["# Evaluations", "", _ABOUT, "", head, *rows, ""])


def _rates() -> Iterator[str]:
    """Yield how often each rule of the analysis speaks up over valid documents, by their format."""
    if not CORPUS.is_dir():
        return
    heading, *lines = rule_rates.table(*rule_rates.measured(CORPUS))
    yield from ("## How often each rule of the analysis speaks up", "", _ABOUT_RATES, "")
    for row in (heading, ["---", "---", *["---:"] * (len(heading) - 2)], *lines):
        yield f"| {' | '.join(row)} |"
    yield ""


def main() -> None:
    """Print the table and write it."""
    collect_seldom()
    found = results()
    table = Table("evaluation", "what", "figure", "cases")
    for one in found:
        table.add_row(one.evaluation, one.what, one.shown, str(one.cases or ""))
    Console().print(table)
    REPORT.write_text("\n".join([markdown(found), *_rates()]), "utf-8")


if __name__ == "__main__":
    main()
