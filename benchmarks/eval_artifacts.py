"""Whether the tool result a question needs is chosen among those that are no longer in the window.

    python -m benchmarks.eval_artifacts

All sample workflows were read in earlier turns; each question is about one of them. The plan is made by rule.
"""

from datetime import UTC, datetime
from pathlib import Path

from workflow_agent.assistant.window.plan import rule_plan
from workflow_agent.conversations.artifacts import Artifact, ArtifactType, ProcessingStrategy, artifact_of

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
QUESTIONS = {
    "access_request": "who grants access to the production systems?",
    "content_publishing": "when does the article get published?",
    "contract_signing": "at what value does the CFO look at a contract?",
    "customer_refund": "who pays the refund back to the customer?",
    "data_quality_check": "what happens when rows fail the quality check?",
    "employee_onboarding": "who prepares the laptop of a new employee?",
    "expense_approval": "from which amount does finance review an expense?",
    "incident_response": "who is paged when an incident is critical?",
    "invoice_payment": "how are invoices matched before they are paid?",
    "lead_qualification": "what score does a lead need to go to sales?",
    "leave_request": "what if there are not enough leave days left?",
    "nightly_etl": "which tables are loaded into the warehouse at night?",
    "order_fulfilment": "what is done when an ordered item is out of stock?",
    "purchase_order": "who approves a purchase order above the limit?",
    "release_pipeline": "how is a failed release rolled back?",
    "support_ticket": "when is a support ticket escalated?",
}
ROOM_TOKENS = 12_000


def artifacts() -> dict[str, Artifact]:
    """Return the results of reading each sample, by its name."""
    at = datetime(2026, 11, 21, 12, tzinfo=UTC)
    return {
        path.stem: artifact_of(
            ArtifactType.TOOL_RESULT,
            path.read_text("utf-8"),
            f"history:msg_{number}:get_workflow",
            at,
            {"historical": True},
        )
        for number, path in enumerate(sorted(SAMPLES.glob("*.json")), 1)
    }


def places() -> dict[str, int]:
    """Return where the plan puts what each question needs, from 1; 0 where it is left out."""
    known = artifacts()
    found: dict[str, int] = {}
    for name, question in QUESTIONS.items():
        plan = rule_plan(list(known.values()), question, ROOM_TOKENS)
        included = [one for one in plan.artifacts if one.strategy is not ProcessingStrategy.EXCLUDE]
        ids = [one.artifact_id for one in included]
        found[name] = ids.index(known[name].artifact_id) + 1 if known[name].artifact_id in ids else 0
    return found


def figures() -> dict[str, tuple[float, int]]:
    """Return the shares of questions whose result comes first, and is included at all."""
    at = places()
    count = len(at)
    return {
        "the needed result comes first": (sum(place == 1 for place in at.values()) / count, count),
        "the needed result is included": (sum(place > 0 for place in at.values()) / count, count),
    }


def main() -> None:
    """Print the figures, and what is left out."""
    for what, (value, count) in figures().items():
        print(f"{what}: {value:.1%} of {count}")
    for name, place in places().items():
        if place != 1:
            print(f"  {name}: {f'at place {place}' if place else 'left out'}: {QUESTIONS[name]!r}")


if __name__ == "__main__":
    main()
