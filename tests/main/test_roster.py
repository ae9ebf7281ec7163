from pathlib import Path

import pytest

from workflow_agent.errors import Misconfigured
from workflow_agent.main.extensions import roster_of
from workflow_agent.settings import load_settings


def test_without_a_file_there_are_five_agents() -> None:
    roster = roster_of(load_settings(max_model_requests=7))

    assert list(roster) == ["assistant", "designer", "finder", "editor", "analyst"]
    assert {agent.max_iterations for agent in roster.values()} == {7}


def test_a_file_names_the_agents_the_default_one_first(tmp_path: Path) -> None:
    path = tmp_path / "agents.yaml"
    path.write_text(
        "agents:\n"
        "  - {name: auditor, description: Audits., mode: analysis, max_iterations: 3,\n"
        "     tools: [list_workflows, get_workflow]}\n"
        "  - {name: assistant, description: Answers.}\n",
        encoding="utf-8",
    )

    roster = roster_of(load_settings(agents_file=path))

    assert list(roster) == ["assistant", "auditor"]
    assert (roster["auditor"].mode, roster["auditor"].max_iterations) == ("analysis", 3)
    assert roster["auditor"].tools == ("list_workflows", "get_workflow")
    assert (roster["assistant"].max_iterations, roster["assistant"].tools) == (10, None)


def test_tools_that_cannot_be_given_are_named(tmp_path: Path) -> None:
    path = tmp_path / "agents.yaml"
    path.write_text(
        "agents:\n"
        "  - {name: assistant, description: Answers., tools: [get_workflow, make_coffee]}\n"
        "  - {name: auditor, description: Audits., mode: analysis, tools: [edit_workflow]}\n",
        encoding="utf-8",
    )

    with pytest.raises(Misconfigured) as refusal:
        roster_of(load_settings(agents_file=path))

    assert "/agents/0/tools/1: there is no tool 'make_coffee'" in refusal.value.message
    assert "/agents/1/tools/0: 'edit_workflow' changes workflows, and mode 'analysis' only reads" in (
        refusal.value.message
    )


def test_everything_wrong_with_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "agents.json"
    path.write_text(
        '{"agents": [{"name": "user", "description": "x"}, {"name": "a b", "description": "x"},'
        ' {"name": "bob", "mode": "poetry", "max_iterations": 0}, {"name": "user", "description": "y"}, 5]}',
        encoding="utf-8",
    )

    with pytest.raises(Misconfigured) as refusal:
        roster_of(load_settings(agents_file=path))

    for problem in (
        "/agents/0/name: 'user' is reserved",
        "/agents/1/name",
        "/agents/2/description",
        "/agents/2/mode",
        "/agents/2/max_iterations",
        "/agents/3/name: 'user' is there twice",
        "/agents/4",
        "/agents: 'assistant' is missing",
    ):
        assert problem in refusal.value.message


@pytest.mark.parametrize("text", ["", "agents: []", "just text", "{"])
def test_a_file_without_agents_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "agents.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(Misconfigured, match="agents file"):
        roster_of(load_settings(agents_file=path))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"none\.yaml.*cannot be read"):
        roster_of(load_settings(agents_file=tmp_path / "none.yaml"))
