"""How often mode inference agrees with the labels, and what it takes for what.

    python -m benchmarks.eval_modes

The held-out half takes no part in writing or fitting the rules; `data/README.md` says how it was made.
"""

import json
from pathlib import Path
from typing import Any

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import ConfusionMatrixEvaluator, EqualsExpected
from pydantic_evals.reporting import EvaluationReport
from pydantic_evals.reporting.analyses import ConfusionMatrix
from rich.console import Console
from rich.table import Table

from workflow_agent.assistant.modes.inference import infer_mode
from workflow_agent.conversations.agents import Mode

DATA = Path(__file__).parent / "data"
HALVES = {"development": DATA / "mode_inference_dev.jsonl", "held out": DATA / "mode_inference_heldout.jsonl"}
Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """Return the labelled messages of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def inferred(row: Row) -> Mode:
    """Return the mode inferred for a labelled message, in its context."""
    return infer_mode(
        row["text"], previous_tools=row["previous_tools"], phase=row["phase"], workflow_loaded=row["workflow_loaded"]
    ).mode


def evaluate(path: Path) -> EvaluationReport[Row, Mode, Any]:
    """Return the report over a file: whether each mode is the labelled one, and the confusion matrix."""
    dataset = Dataset[Row, Mode, Any](
        name=path.stem,
        cases=[Case(name=str(at), inputs=row, expected_output=row["mode"]) for at, row in enumerate(rows(path))],
        evaluators=[EqualsExpected()],
        report_evaluators=[ConfusionMatrixEvaluator(title="rows: labelled, columns: inferred")],
    )
    return dataset.evaluate_sync(inferred, progress=False)


def accuracy(path: Path) -> float:
    """Return the share of a file's messages whose inferred mode is the labelled one."""
    labelled = rows(path)
    return sum(inferred(row) == row["mode"] for row in labelled) / len(labelled)


def matrix_table(matrix: ConfusionMatrix) -> Table:
    """Return the confusion matrix as a table to print."""
    table = Table(title=matrix.title)
    for column in ("", *matrix.class_labels):
        table.add_column(column, justify="right")
    for label, counts in zip(matrix.class_labels, matrix.matrix, strict=True):
        table.add_row(label, *(str(count) if count else "·" for count in counts))
    return table


def main() -> None:
    """Print accuracy and confusion matrix of each half."""
    console = Console()
    for half, path in HALVES.items():
        report = evaluate(path)
        averages = report.averages()
        assert averages is not None
        console.print(f"\n[bold]{half}[/bold]: {averages.assertions:.1%} of {len(report.cases)}")
        for analysis in report.analyses:
            if isinstance(analysis, ConfusionMatrix):
                console.print(matrix_table(analysis))


if __name__ == "__main__":
    main()
