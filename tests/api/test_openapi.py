"""The served OpenAPI document is true: Schemathesis holds the running server to every word of it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Served, serving
from workflow_agent.settings import load_settings

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
LARGE_BODIES = ("create_workflow", "replace_workflow", "edit_workflow")
"""Systematic coverage of these takes minutes; they are fuzzed like the others."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(load_settings(data_dir=tmp_path_factory.mktemp("data"))) as running:
        yield running


@pytest.fixture(scope="module")
def document(served: Served) -> dict[str, Any]:
    with served.client() as client:
        return client.get("/openapi.json").json()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(
            ["--phases=coverage", *(f"--exclude-operation-id={name}" for name in LARGE_BODIES)],
            id="systematically",
            marks=pytest.mark.slow(is_never_quick=True),
        ),
        pytest.param(["--phases=fuzzing", "--max-examples=1"], id="at random", marks=pytest.mark.slow(is_quick=True)),
        pytest.param(["--phases=examples,stateful", "--max-examples=8"], id="along links"),
    ],
)
def test_schemathesis_finds_nothing(served: Served, document: dict[str, Any], options: list[str]) -> None:
    command = [
        str(SCHEMATHESIS),
        "run",
        f"{served.url}/openapi.json",
        "--checks=all",
        "--seed=20261121",
        "--warnings=off",
        "--no-color",
        *options,
    ]

    found = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=600, check=False)

    assert found.returncode == 0, found.stdout[-8_000:]
    assert int(re.findall(r"(\d+) generated", found.stdout)[0]) > 50


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: operation for methods in document["paths"].values() for operation in methods.values()
    }


def test_generators_find_a_name_of_its_own_for_each_schema(document: dict[str, Any]) -> None:
    titles = [one["title"] for one in document["components"]["schemas"].values() if "title" in one]

    assert len(titles) == len(set(titles))


def test_what_a_body_may_leave_out_has_no_default_that_generators_would_demand(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]

    for name in ("NewWorkflow", "NewTransition", "Step", "ChatRequest", "EditList"):
        fields = schemas[name]["properties"]
        assert [field for field, said in fields.items() if "default" in said] == []
    assert schemas["NewTransition"]["properties"]["type"]["description"].endswith("Default: `sequence`.")


def test_links_lead_to_operations_with_parameters_they_have(document: dict[str, Any]) -> None:
    known = operations(document)

    for name, operation in known.items():
        for reply in operation["responses"].values():
            for link in reply.get("links", {}).values():
                target = known[link["operationId"]]
                having = {parameter["name"] for parameter in target["parameters"]}
                given = {parameter.rpartition(".")[2] for parameter in link["parameters"]}
                assert given <= having, (name, link)


def test_references_lead_somewhere(document: dict[str, Any]) -> None:
    referred = set(re.findall(r"#/components/schemas/(\w+)", str(document)))

    assert referred == set(document["components"]["schemas"])


def test_every_operation_says_what_it_does_and_what_goes_wrong(document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        assert operation["description"], name
        for status, reply in operation["responses"].items():
            if status >= "400":
                assert list(reply["content"]) == ["application/problem+json"], (name, status)


def test_every_body_has_an_example(document: dict[str, Any]) -> None:
    without = [
        name
        for name, operation in operations(document).items()
        if "requestBody" in operation and "example" not in str(operation["requestBody"]) + str(document["components"])
    ]

    assert without == []
