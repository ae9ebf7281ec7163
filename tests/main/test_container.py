"""What the container file and the compose file name is there, and set as the program reads it."""

import re
from pathlib import Path

import yaml

from workflow_agent.settings import Settings

PROJECT = Path(__file__).parents[2]
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
