"""A diagram that is pasted into a talk, changed in words and taken out again: the change, and nothing else moved."""

import tomllib
from collections.abc import Iterator
from difflib import ndiff
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import serving
from workflow_agent.assistant.offline.model import OfflineModel
from workflow_agent.settings import load_settings

ORDERS = """flowchart LR
    %% orders, as of spring
    A([Order received]) --> B{In stock?}
    B -->|yes| C[Pack the goods]
    B -- no --> D[/Ask the supplier/]
    D --> C
    subgraph out [Shipping]
        direction TB
        C --> E[Print the label] --> F[[Hand to carrier]]
    end
    F --> G((Done))
    classDef hot fill:#f96
    class D hot
    linkStyle 1 stroke:green
    click C "https://example.org"
"""
INVOICES = """---
title: Invoices
---
graph TD
  start(["Invoice arrives"])-->check["Check the invoice"]:::todo
  check-->ok{"Correct?"};ok--"no"-->clarify("Ask the sender")
  clarify-->check
  ok--"yes"-->approve["Approve the invoice"] & archive[(Archive)]
  approve==>pay["Pay the invoice"]
  pay-.->|booked|fin((("Finished")))
  style pay stroke-width:4px
  linkStyle 2,6 stroke:red
"""
TICKETS = """stateDiagram-v2
    direction LR
    %% life of a ticket
    [*] --> Open
    state "In progress" as Work
    Open --> Work : start
    Work --> Open : give back
    Work --> Resolved : solve
    Resolved --> [*]
    note right of Open : from mail or phone
"""
CHARTS = tomllib.loads((Path(__file__).parent / "data" / "pasted_charts.toml").read_text("utf-8"))["chart"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    settings = load_settings(data_dir=tmp_path_factory.mktemp("data"))
    with serving(settings, OfflineModel()) as served, served.client() as client:
        yield client


def said(server: httpx.Client, message: str, talk: str | None = None) -> dict[str, Any]:
    """Return the answer to a message."""
    answer = server.post("/api/v1/chat", json={"message": message} | ({"conversation_id": talk} if talk else {}))
    assert answer.status_code == 200, answer.text
    return answer.json()


def workflows(server: httpx.Client) -> set[str]:
    """Return the ids of all workflows."""
    return {one["id"] for one in server.get("/api/v1/workflows", params={"limit": 100}).json()["items"]}


def changed_lines(before: str, after: str) -> list[str]:
    """Return the lines that went, each with a minus sign, and those that came, with a plus sign, in order."""
    return [line for line in ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


@pytest.mark.parametrize(
    ("diagram", "order", "change"),
    [
        pytest.param(
            ORDERS,
            "add a step Weigh the parcel after Pack the goods",
            [
                "-         C --> E[Print the label] --> F[[Hand to carrier]]",
                (
                    '+         C --> s_weigh_the_parcel["Weigh the parcel"]'
                    " --> E[Print the label] --> F[[Hand to carrier]]"
                ),
            ],
            id="insert into a chain inside a frame",
        ),
        pytest.param(
            ORDERS,
            "remove Ask the supplier",
            ["-     B -- no --> D[/Ask the supplier/]", "-     D --> C", "+     B -- no --> C", "-     class D hot"],
            id="remove with its style",
        ),
        pytest.param(
            ORDERS,
            "rename Print the label to Print the shipping label",
            [
                "-         C --> E[Print the label] --> F[[Hand to carrier]]",
                "+         C --> E[Print the shipping label] --> F[[Hand to carrier]]",
            ],
            id="rename in a chain",
        ),
        pytest.param(ORDERS, "connect Ask the supplier to Done", ["+     D --> G"], id="connect"),
        pytest.param(
            ORDERS,
            "set the owner of Pack the goods to the warehouse",
            ["-     B -->|yes| C[Pack the goods]", '+     B -->|yes| C["Pack the goods<br/><i>warehouse</i>"]'],
            id="owner",
        ),
        pytest.param(
            INVOICES,
            "insert Register the invoice between Invoice arrives and Check the invoice",
            [
                '-   start(["Invoice arrives"])-->check["Check the invoice"]:::todo',
                (
                    '+   start(["Invoice arrives"])-->s_register_the_invoice["Register the invoice"]'
                    ' --> check["Check the invoice"]:::todo'
                ),
                "-   linkStyle 2,6 stroke:red",
                "+   linkStyle 3,7 stroke:red",
            ],
            id="insert, and the numbers of links",
        ),
        pytest.param(
            INVOICES,
            "remove the step Approve the invoice",
            [
                '-   ok--"yes"-->approve["Approve the invoice"] & archive[(Archive)]',
                '-   approve==>pay["Pay the invoice"]',
                '+   ok--"yes"-->archive[(Archive)]',
                '+   ok -->|yes| pay["Pay the invoice"]',
                "-   linkStyle 2,6 stroke:red",
                "+   linkStyle 2 stroke:red",
            ],
            id="remove one of two",
        ),
        pytest.param(
            INVOICES,
            "delete Ask the sender",
            [
                '-   check-->ok{"Correct?"};ok--"no"-->clarify("Ask the sender")',
                "-   clarify-->check",
                '+   check-->ok{"Correct?"};ok--"no"-->check',
                "-   linkStyle 2,6 stroke:red",
                "+   linkStyle 2,5 stroke:red",
            ],
            id="remove from a line of several statements",
        ),
        pytest.param(
            INVOICES,
            "rename Pay the invoice to Transfer the money",
            ['-   approve==>pay["Pay the invoice"]', '+   approve==>pay["Transfer the money"]'],
            id="rename behind a thick arrow",
        ),
        pytest.param(
            INVOICES,
            "connect Ask the sender to Archive",
            ["+   clarify --> archive"],
            id="connect, where no number of a link changes",
        ),
        pytest.param(
            INVOICES,
            "set the owner of Check the invoice to accounting",
            [
                '-   start(["Invoice arrives"])-->check["Check the invoice"]:::todo',
                '+   start(["Invoice arrives"])-->check["Check the invoice<br/><i>accounting</i>"]:::todo',
            ],
            id="owner of a node with a class",
        ),
        pytest.param(
            TICKETS,
            "add a step Testing between In progress and Resolved",
            [
                "-     Work --> Resolved : solve",
                '+     state "Testing" as s_testing',
                "+     Work --> s_testing : solve",
                "+     s_testing --> Resolved",
            ],
            id="insert a state",
        ),
        pytest.param(
            TICKETS,
            "rename In progress to Work under way",
            ['-     state "In progress" as Work', '+     state "Work under way" as Work'],
            id="rename a state",
        ),
        pytest.param(TICKETS, "connect Resolved to Open", ["+     Resolved --> Open"], id="connect states"),
        pytest.param(
            TICKETS,
            "set the owner of Open to support",
            ['+     state "Open<br/><i>support</i>" as Open'],
            id="owner of a state",
        ),
        *(pytest.param(one["diagram"], one["order"], one["change"].splitlines(), id=one["name"]) for one in CHARTS),
    ],
)
def test_a_change_in_words_changes_its_lines_alone(
    server: httpx.Client, diagram: str, order: str, change: list[str]
) -> None:
    known = workflows(server)
    pasted = said(server, f"Import this:\n```mermaid\n{diagram}```")
    said(server, order, pasted["conversation_id"])
    (made,) = workflows(server) - known

    exported = server.get(f"/api/v1/workflows/{made}/export", params={"format": "mermaid"}).json()

    assert sorted(changed_lines(diagram, exported["text"])) == sorted(change)
