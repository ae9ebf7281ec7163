"""The page on agents: its example works as it stands, and it names what there is."""

import re
from pathlib import Path

from workflow_agent.conversations.agents import ROSTER
from workflow_agent.main.extensions import roster_of
from workflow_agent.settings import load_settings

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")


def test_the_agents_file_of_the_page_can_be_used(tmp_path: Path) -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "agents.yaml"
    path.write_text(example, encoding="utf-8")

    roster = roster_of(load_settings(agents_file=path))

    assert list(roster) == ["assistant", "auditor"]
    assert (roster["auditor"].mode, roster["auditor"].max_iterations) == ("analysis", 4)
    assert "analyze_workflow" in (roster["auditor"].tools or ())


def test_the_page_names_the_agents_there_are() -> None:
    assert all(f"`{name}`" in PAGE for name in ROSTER)
