import json
from typing import Any

import pytest

from tests.support.findings import found, process, steps_found
from workflow_agent.workflows.analysis import security
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.workflow import Workflow

# Put together here, so that no tool takes this file for one that leaks a secret.
AWS = "AKIA" + "ABCDEFGHIJKLMNOP"
GITHUB = "ghp_" + "a1" * 18
SLACK = "xoxb-" + "1234567890-abc"
JWT = ".".join(("eyJ" + "hbGciOiJIUzI1", "eyJ" + "zdWIiOiIxMjM0", "c2lnbmF0dXJl"))
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----"


def calls(**parameters: Any) -> Workflow:
    return process("a>b", a={"uses": "crm.get", "with": parameters})


def outside_the_steps() -> Workflow:
    return parse_workflow(
        {
            "id": "wf_x",
            "name": "X",
            "steps": [{"id": "a", "name": "A"}],
            "triggers": [{"type": "webhook", "with": {"token": "abc123def456"}}],
            "automations": [
                {"id": "tell", "on": {"event": "failed"}, "effect": {"type": "chat", "with": {"key": SLACK}}}
            ],
        }
    )


@pytest.mark.parametrize(
    ("workflow", "kind"),
    [
        pytest.param(calls(id=AWS), "an AWS access key", id="AWS"),
        pytest.param(calls(nested=[{"x": f"Bearer {GITHUB}"}]), "a GitHub token", id="GitHub, nested"),
        pytest.param(calls(auth=SLACK), "a Slack token", id="Slack"),
        pytest.param(calls(auth=f"Bearer {JWT}"), "a signed token", id="JWT"),
        pytest.param(calls(pem=PEM), "a private key", id="PEM"),
        pytest.param(calls(dsn="postgres://app:" + "hunter22@db/x"), "a password in an address", id="DSN"),
        pytest.param(calls(dbPassword="hunter" + "22"), "a value for 'dbPassword'", id="a password"),
        pytest.param(calls(api_key="9f8e7d6c5b4a"), "a value for 'api_key'", id="an API key"),
        pytest.param(
            process("a>b", a={"uses": f"https://x.test/?k={AWS}"}), "an AWS access key", id="in the address called"
        ),
    ],
)
def test_secret_is_found(workflow: Workflow, kind: str) -> None:
    findings = found("hard-coded-secret", workflow)

    assert [(finding.steps, finding.evidence["kind"]) for finding in findings] == [(("a",), kind)]


def test_secret_outside_the_steps_is_found() -> None:
    findings = found("hard-coded-secret", outside_the_steps())

    assert [finding.evidence["pointer"] for finding in findings] == [
        "/automations/0/effect/with/key",
        "/triggers/0/with/token",
    ]


def test_secret_is_not_repeated_in_the_finding() -> None:
    finding = found("hard-coded-secret", calls(deep={"password": "hunter" + "22"}))[0]

    assert "hunter" not in json.dumps(finding.as_dict())
    assert finding.evidence["pointer"] == "/steps/0/with/deep/password"


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({"password": "${{ secrets.DB_PASSWORD }}"}, id="an expression"),
        pytest.param({"password": "{{ vault.db1 }}"}, id="a template"),
        pytest.param({"token": "env:TOKEN_1"}, id="a reference"),
        pytest.param({"password": "SMTP_PASSWORD_2"}, id="the name of a variable"),
        pytest.param({"password": "changeme123 test"}, id="a placeholder in words"),
        pytest.param({"api_key": "<your-key-1>"}, id="a placeholder in brackets"),
        pytest.param({"secret": "test-1234"}, id="test data"),
        pytest.param({"password": "ab1"}, id="too short to be one"),
        pytest.param({"password": "a1" * 300}, id="too long to be one"),
        pytest.param({"password": "correcthorse"}, id="a name"),
        pytest.param({"token_url": "https://x.test/oauth2/token1"}, id="where tokens come from"),
        pytest.param({"max_tokens": "4096abc"}, id="another kind of token"),
        pytest.param({"dsn": "postgres://app:${PASSWORD}@db/x"}, id="an address with a reference"),
        pytest.param({"password": True, "token": 5}, id="not text"),
    ],
)
def test_reference_or_placeholder_is_no_secret(parameters: dict[str, Any]) -> None:
    assert found("hard-coded-secret", calls(**parameters)) == []


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        pytest.param(
            {"run": 'echo "${{ github.event.issue.title }}"'}, "github.event.issue.title", id="a GitHub issue"
        ),
        pytest.param({"run": "git checkout ${{ github.head_ref }}"}, "github.head_ref", id="a branch name"),
        pytest.param({"jsCode": "return {{ $json.body.name }}"}, "json.body.name", id="a node's input"),
        pytest.param({"query": "select * from t where n = '{{ form.name }}'"}, "form.name", id="a query"),
        pytest.param({"command": ["sh", "-c", "ls {{ inputs.path }}"]}, "inputs.path", id="a command in parts"),
    ],
)
def test_untrusted_input_in_a_command_is_found(parameters: dict[str, Any], said: str) -> None:
    findings = found("untrusted-input-in-command", calls(**parameters))

    assert [(finding.steps, finding.evidence["input"]) for finding in findings] == [(("a",), said)]


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param({"run": "make test"}, id="no input"),
        pytest.param({"run": "echo ${{ github.event.pull_request.number }}"}, id="a number"),
        pytest.param({"run": "echo ${{ steps.build.outputs.version }}"}, id="another step's result"),
        pytest.param({"title": "${{ github.event.issue.title }}"}, id="not a command"),
        pytest.param({"env": {"TITLE": "${{ github.event.issue.title }}"}}, id="a variable"),
    ],
)
def test_command_without_untrusted_input_is_fine(parameters: dict[str, Any]) -> None:
    assert found("untrusted-input-in-command", calls(**parameters)) == []


@pytest.mark.parametrize("rule", ["hard-coded-secret", "untrusted-input-in-command"])
def test_search_stops_at_its_limit(rule: str) -> None:
    long = {str(at): "x" * 20_000 for at in range(security.MAX_CHARS // 20_000 + 1)}

    assert steps_found(rule, calls(**long, run="{{ form.x }}", password="hunter" + "22")) == []
