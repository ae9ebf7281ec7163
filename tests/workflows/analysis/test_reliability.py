from typing import Any

import pytest

from tests.support.findings import change_by_fix, found, key, process, steps_found
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

END: dict[str, Any] = {"type": "end"}
FAILED: dict[str, Any] = {"type": "end", "outcome": "failed"}
ASK: dict[str, Any] = {"type": "human", "assignee": "employee"}
PAY: dict[str, Any] = {"uses": "payments.transfer"}
MAIL: dict[str, Any] = {"uses": "email.send"}
FETCH: dict[str, Any] = {"uses": "crm.get_customer"}
RETRY: dict[str, Any] = {"retry": {"max_attempts": 3}}

SCOPE_CATCHES = process(
    "each>done",
    "each>bad (error)",
    each={"type": "loop"},
    ask=ASK,
    mail={**MAIL, "parent": "each"},
    done=END,
    bad=FAILED,
)
CAUGHT_BY_AUTOMATION = parse_workflow(
    {
        "id": "wf_pay",
        "name": "Pay",
        "steps": [{"id": "pay", "name": "Pay", **PAY}],
        "automations": [{"id": "tell", "on": {"event": "failed"}, "effect": {"type": "email"}}],
    }
)
PAID_THEN_SHIPPED = process("pay>ship", "ship>done", pay=PAY, ship={"uses": "warehouse.ship"}, done=END)

FIRES = [
    pytest.param(
        "missing-error-path", process("ask>mail", ask=ASK, mail=MAIL), [("mail",)], id="somebody waits for it"
    ),
    pytest.param("missing-error-path", process("pay>done", pay=PAY, done=END), [("pay",)], id="money moves"),
    pytest.param(
        "missing-error-path", process("pay>done", pay={**PAY, **RETRY}, done=END), [("pay",)], id="retries run out"
    ),
    pytest.param("call-without-timeout", process("a>b", a=MAIL, b=FETCH), [("a", "b")], id="all calls in one finding"),
    pytest.param("call-without-retry", process("a>b", a=FETCH, b=MAIL), [("a",)], id="a call that only reads"),
    pytest.param(
        "call-without-retry",
        process("a>b", a={**MAIL, "idempotent": True}),
        [("a",)],
        id="a call that says it may be repeated",
    ),
    pytest.param(
        "retry-not-idempotent", process("a>b", a={**PAY, **RETRY}), [("a",)], id="a payment that may run twice"
    ),
    pytest.param(
        "retry-not-idempotent",
        process("a>b", a={**FETCH, **RETRY, "idempotent": False}),
        [("a",)],
        id="declared as not safe",
    ),
    pytest.param(
        "failure-ends-well",
        process("a>done", "a>done (error)", a=MAIL, done=END),
        [("a", "done")],
        id="failure and success end alike",
    ),
    pytest.param(
        "swallowed-error", process("a>b", a={**MAIL, "on_error": "continue"}), [("a",)], id="goes on regardless"
    ),
    pytest.param(
        "swallowed-error", process("a>b", "a>b (error)", a=MAIL), [("a",)], id="the error path is the usual way"
    ),
    pytest.param("missing-compensation", PAID_THEN_SHIPPED, [("pay", "ship")], id="paid, and the delivery may fail"),
    pytest.param(
        "missing-compensation",
        process(
            "pay>ship", "ship>done", "ship>bad (error)", pay=PAY, ship={"uses": "warehouse.ship"}, done=END, bad=FAILED
        ),
        [("pay", "ship")],
        id="paid, and a failed delivery just ends",
    ),
]

SILENT = [
    pytest.param(
        "missing-error-path",
        process("ask>mail", "mail>bad (error)", ask=ASK, mail=MAIL, bad=FAILED),
        id="an error path",
    ),
    pytest.param("missing-error-path", SCOPE_CATCHES, id="the scope around it catches"),
    pytest.param("missing-error-path", CAUGHT_BY_AUTOMATION, id="an automation reacts to failures"),
    pytest.param(
        "missing-error-path",
        process("ask>mail", ask=ASK, mail={**MAIL, "on_error": "continue"}),
        id="failures are ignored on purpose",
    ),
    pytest.param("missing-error-path", process("a>b", a=FETCH, b=MAIL), id="an automation nobody waits in"),
    pytest.param("missing-error-path", process("ask>get", ask=ASK, get=FETCH), id="a call that only reads"),
    pytest.param(
        "missing-error-path",
        process("ask>run", ask=ASK, run={"uses": "acme/publish-page@v4"}),
        id="a package the engine runs",
    ),
    pytest.param(
        "missing-error-path", process("ask>run", ask=ASK, run={"uses": "aws s3 sync --delete out"}), id="a command line"
    ),
    pytest.param(
        "missing-error-path",
        process("ask>run", ask=ASK, run={"uses": "n8n-nodes-base.set"}),
        id="a node that only computes",
    ),
    pytest.param(
        "missing-error-path",
        process("ask>get", ask=ASK, get={"uses": "http.request", "with": {"method": "GET"}}),
        id="an HTTP GET",
    ),
    pytest.param("call-without-timeout", process("a>b", a={**MAIL, "timeout": "PT1M"}), id="a timeout"),
    pytest.param("call-without-retry", process("a>b", a={**FETCH, **RETRY}), id="a retry"),
    pytest.param("call-without-retry", process("a>b", "a>bad (error)", a=FETCH, bad=FAILED), id="an error path"),
    pytest.param("call-without-retry", process("a>b", a={**FETCH, "idempotent": False}), id="declared as not safe"),
    pytest.param("retry-not-idempotent", process("a>b", a={**PAY, **RETRY, "idempotent": True}), id="safe to repeat"),
    pytest.param("retry-not-idempotent", process("a>b", a={**FETCH, **RETRY}), id="reading twice"),
    pytest.param(
        "retry-not-idempotent", process("a>b", a={**PAY, "retry": {"max_attempts": 1}}), id="one attempt is no retry"
    ),
    pytest.param(
        "failure-ends-well", process("a>done", "a>bad (error)", a=MAIL, done=END, bad=FAILED), id="failures end badly"
    ),
    pytest.param(
        "failure-ends-well", process("a>b", "a>told (error)", a=MAIL, told=END), id="an end for failures alone"
    ),
    pytest.param(
        "swallowed-error", process("a>b", a={**FETCH, "on_error": "continue"}), id="nothing was to be changed"
    ),
    pytest.param(
        "missing-compensation",
        process("pay>ship", "pay>undo (compensation)", pay=PAY, ship={"uses": "warehouse.ship"}),
        id="a compensation",
    ),
    pytest.param(
        "missing-compensation",
        process(
            "pay>ship",
            "ship>refund (error)",
            "refund>bad",
            pay=PAY,
            ship={"uses": "warehouse.ship"},
            refund={"uses": "payments.refund"},
            bad=FAILED,
        ),
        id="refunded by the error path",
    ),
    pytest.param(
        "missing-compensation", process("pay>mail", pay=PAY, mail=MAIL), id="a message that fails is no reason"
    ),
]

FIXABLE = [
    pytest.param(
        "missing-error-path", process("ask>mail", "mail>done", ask=ASK, mail=MAIL, done=END), id="missing-error-path"
    ),
    pytest.param("missing-error-path", PAID_THEN_SHIPPED, id="missing-error-path on a payment"),
    pytest.param(
        "call-without-timeout", process("a>b", "b>done", a=MAIL, b=FETCH, done=END), id="call-without-timeout"
    ),
    pytest.param("call-without-retry", process("a>b", "b>done", a=FETCH, b=FETCH, done=END), id="call-without-retry"),
    pytest.param(
        "retry-not-idempotent",
        process("a>done", a={**PAY, **RETRY, "idempotent": False}, done=END),
        id="retry-not-idempotent",
    ),
]


@pytest.mark.parametrize(("rule", "workflow", "steps"), FIRES)
def test_rule_names_the_steps_concerned(rule: str, workflow: Workflow, steps: list[tuple[str, ...]]) -> None:
    assert steps_found(rule, workflow) == steps


@pytest.mark.parametrize(("rule", "workflow"), SILENT)
def test_rule_is_silent_on_healthy_workflows(rule: str, workflow: Workflow) -> None:
    assert steps_found(rule, workflow) == []


@pytest.mark.parametrize(("rule", "workflow"), FIXABLE)
def test_fix_removes_its_finding_and_adds_none(rule: str, workflow: Workflow) -> None:
    finding = found(rule, workflow)[0]

    removed, added = change_by_fix(workflow, finding)

    assert key(finding) in removed
    assert added == set()


def test_whether_a_payment_is_safe_to_repeat_is_not_guessed() -> None:
    finding = found("retry-not-idempotent", process("a>b", a={**PAY, **RETRY}))[0]

    assert finding.fix == ()
    assert "does not say that repeating it is safe" in finding.message
