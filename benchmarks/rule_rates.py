"""Says how often each rule of the analysis speaks up over the corpus, and how long it takes.

    python -m benchmarks.rule_rates [folder of the corpus]

Each document is looked at among all others of its format. For each rule: the documents with a finding of
it, by format, and the slowest document in milliseconds of the processor, the best of three. It fails when a
rule takes longer than it may on any document. `make eval` writes the shares of valid documents with an error
finding, of either half of the corpus (rules were tuned on neither; those of formats were written before the
second half was looked at), and of documents labelled invalid that are refused or have a finding.
"""

import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time

from benchmarks.corpus import CORPUS, Document, documents
from workflow_agent.workflows import analysis
from workflow_agent.workflows.analysis import analyze
from workflow_agent.workflows.analysis.findings import Rule
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.model.findings import SEVERITY_RANK, Finding
from workflow_agent.workflows.model.parser import unique_id
from workflow_agent.workflows.model.workflow import Workflow

RULES = (*analysis.RULES.values(), *analysis.TOOL_RULES)

MOST_SECONDS = 0.1
TRIES = 3
SHORT = {
    "asl": "ASL",
    "serverless-workflow": "Open Workflow",
    "github-actions": "GitHub",
    "argo": "Argo",
    "n8n": "n8n",
    "arazzo": "Arazzo",
    "dag-factory": "dag-factory",
}


@dataclass(slots=True)
class Rates:
    """What one rule did over the corpus."""

    fired: Counter[str] = field(default_factory=Counter[str])
    """The documents with a finding, by format."""
    findings: int = 0
    slowest_seconds: float = 0.0
    slowest_file: str = ""


def measured(corpus: Path) -> tuple[Mapping[str, Rates], Counter[str]]:
    """Return the rates of every rule, and the documents by format."""
    read: list[tuple[str, str, Workflow]] = []
    ids: set[str] = set()
    for one in documents(corpus):
        if one.format and one.imported and not one.is_labelled_invalid:
            workflow = one.imported.workflow
            own_id = unique_id(workflow.id, ids)
            ids.add(own_id)
            read.append((one.file, one.format.name, workflow.model_copy(update={"id": own_id})))
    rates: defaultdict[str, Rates] = defaultdict(Rates)
    for file, format_name, workflow in read:
        portfolio = [other for _, name, other in read if name == format_name]
        for rule in RULES:
            count, seconds = _asked(rule, workflow, portfolio)
            own = rates[rule.id]
            own.findings += count
            own.fired[format_name] += count > 0
            if seconds > own.slowest_seconds:
                own.slowest_seconds, own.slowest_file = seconds, file
    return rates, Counter(format_name for _, format_name, _ in read)


def _asked(rule: Rule, workflow: Workflow, portfolio: Sequence[Workflow]) -> tuple[int, float]:
    """Return how many findings a rule has, and how long it took with all that it needs worked out anew."""
    count, best = 0, float("inf")
    for _ in range(TRIES):
        started = process_time()
        count = sum(1 for _ in rule.findings(FlowGraph(workflow, portfolio)))
        best = min(best, process_time() - started)
        if best < MOST_SECONDS / 10:
            break
    return count, best


def rows(rates: Mapping[str, Rates], sizes: Counter[str]) -> list[Sequence[str]]:
    """Return the cells of the table, by severity and then by how often a rule speaks up."""
    total = sum(sizes.values())
    order = sorted(RULES, key=lambda rule: (SEVERITY_RANK[rule.severity], -sum(rates[rule.id].fired.values())))
    return [
        [
            rule.severity,
            f"`{rule.id}`",
            f"{sum(rates[rule.id].fired.values()) / total:.1%}",
            *(f"{rates[rule.id].fired[name] / sizes[name]:.0%}" for name in SHORT if sizes[name]),
        ]
        for rule in order
    ]


def half_of(file: str) -> int:
    """Return which half of the corpus a file is in, 1 or 2, by its name alone."""
    return 1 + hashlib.sha256(file.encode()).digest()[0] % 2


def noticed(found: Iterable[Document]) -> Iterator[tuple[str, int, int]]:
    """Yield what is counted, how many documents that is true of, and of how many."""
    listed = list(found)
    for half in (1, 2):
        valid = [one for one in listed if one.imported and not one.is_labelled_invalid and half_of(one.file) == half]
        wrong = sum(any(each.severity == "error" for each in _findings(one)) for one in valid)
        yield f"valid documents with an error finding, half {half}", wrong, len(valid)
    invalid = [one for one in listed if one.is_labelled_invalid]
    yield "documents labelled invalid that are refused or have a finding", sum(map(_is_noticed, invalid)), len(invalid)


def _findings(one: Document) -> Sequence[Finding]:
    return analyze(one.imported.workflow) if one.imported else ()


def _is_noticed(one: Document) -> bool:
    return one.imported is None or any(each.severity != "info" for each in _findings(one))


def table(rates: Mapping[str, Rates], sizes: Counter[str]) -> list[Sequence[str]]:
    """Return the rates with a line of headings; rules that never speak up are left out."""
    header = ["severity", "rule", f"all ({sum(sizes.values())})"]
    header += [f"{short} ({sizes[name]})" for name, short in SHORT.items() if sizes[name]]
    return [header, *(row for row in rows(rates, sizes) if rates[row[1].strip("`")].findings)]


def main(corpus: Path) -> int:
    """Print the table; return 1 when a rule is too slow on any document."""
    rates, sizes = measured(corpus)
    for row in table(rates, sizes):
        print(f"{row[0]:9}{row[1]:32}" + "".join(f"{cell:>20}" for cell in row[2:]))
    slow = sorted(rates.items(), key=lambda item: -item[1].slowest_seconds)
    print("\nslowest, in milliseconds of the processor:")
    for rule_id, one in slow[:10]:
        print(f"  {one.slowest_seconds * 1000:8.1f}  {rule_id:28} {one.slowest_file}")
    return int(slow[0][1].slowest_seconds > MOST_SECONDS)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    if not folder.is_dir():
        sys.exit(f"There is no corpus at {str(folder)!r}; give its folder as the argument.")
    sys.exit(main(folder))
