"""What is promised of the prompt modules in `prompts/`, and of reading them."""

import re
from pathlib import Path

import pytest

from workflow_agent.assistant.prompts import read_phase_prompts, read_prompt, read_prompts
from workflow_agent.conversations.agents import MODES
from workflow_agent.conversations.transitions import PHASES
from workflow_agent.errors import Misconfigured
from workflow_agent.workflows.model.steps import STEP_TYPES, Step
from workflow_agent.workflows.model.transitions import TRANSITION_TYPES, Transition
from workflow_agent.workflows.model.triggers import (
    EventTrigger,
    ManualTrigger,
    ScheduleTrigger,
    WebhookTrigger,
    WorkflowTrigger,
)
from workflow_agent.workflows.model.workflow import Workflow

PROMPTS = Path(__file__).parents[2] / "prompts"

BUDGET_TOKENS = {"general": 400, "creation": 700, "search": 650, "modification": 600, "analysis": 550}

READING_TOOLS = {
    "list_workflows", "search_workflows", "get_workflow", "validate_workflow", "analyze_workflow",
    "draw_diagram", "simulate_workflow", "compare_versions", "compare_workflows", "list_changes",
    "export_workflow",
    "search_history", "get_turn", "recall", "switch_mode",
}  # fmt: skip
WRITING_TOOLS = {
    "create_workflow",
    "copy_workflow",
    "import_workflow",
    "edit_workflow",
    "undo_change",
    "fix_findings",
    "delete_workflow",
    "apply_preview",
}
EDITS = {
    "add_step", "insert_step", "remove_step", "rename_step", "update_step", "move_step", "replace_step",
    "connect", "disconnect", "update_transition", "set_start", "add_trigger", "remove_trigger", "set_form",
    "set_permission", "set_assignee", "set_retry", "set_timeout", "set_automation", "rename_workflow",
    "set_description", "add_alias", "remove_alias", "tag", "untag", "wrap_in_approval", "parallelize",
    "add_error_path",
}  # fmt: skip
PARAMETERS_AND_RESULTS = {
    "trigger", "tag", "limit", "dry_run", "to_version", "changes", "suggestions", "before", "after",
    "between", "fix", "applied", "text", "service", "role", "step_type", "in_conversation",
}  # fmt: skip
EXAMPLES = {"slack.post", "P2D", "review"}

TRIGGERS = (ManualTrigger, ScheduleTrigger, EventTrigger, WebhookTrigger, WorkflowTrigger)
FIELDS = {
    field.alias or name
    for model in (Workflow, Step, Transition, *TRIGGERS)
    for name, field in model.model_fields.items()
}
TRIGGER_TYPES = {"manual", "schedule", "event", "webhook", "workflow"}
VOCABULARY = (
    READING_TOOLS
    | WRITING_TOOLS
    | EDITS
    | PARAMETERS_AND_RESULTS
    | EXAMPLES
    | FIELDS
    | TRIGGER_TYPES
    | set(MODES)
    | set(STEP_TYPES)
    | set(TRANSITION_TYPES)
)


def code_spans(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


def a_prompt_directory(directory: Path, **texts: str) -> Path:
    for mode in MODES:
        (directory / f"{mode}.md").write_text(texts.get(mode, f"How to do {mode}."), encoding="utf-8")
    return directory


def test_every_mode_has_its_module_without_surrounding_space(tmp_path: Path) -> None:
    directory = a_prompt_directory(tmp_path, search="\n\n# Finding\n\nLook für it.\n\n")

    prompts = read_prompts(directory)

    assert set(prompts) == set(MODES)
    assert prompts["search"] == "# Finding\n\nLook für it."


def test_modules_cannot_be_swapped_after_start_up(tmp_path: Path) -> None:
    prompts = read_prompts(a_prompt_directory(tmp_path))

    with pytest.raises(TypeError, match="does not support item assignment"):
        prompts["search"] = "other"  # pyright: ignore[reportIndexIssue]


def test_a_missing_module_stops_the_start_and_is_named(tmp_path: Path) -> None:
    (a_prompt_directory(tmp_path) / "analysis.md").unlink()

    with pytest.raises(Misconfigured, match=r"no prompt .*analysis\.md"):
        read_prompts(tmp_path)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", r"creation\.md' is empty", id="no bytes"),
        pytest.param(b" \n\t\n", r"creation\.md' is empty", id="only white space"),
        pytest.param(b"caf\xe9", r"creation\.md' cannot be read as UTF-8", id="another encoding"),
    ],
)
def test_a_module_that_says_nothing_readable_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    (a_prompt_directory(tmp_path) / "creation.md").write_bytes(content)

    with pytest.raises(Misconfigured, match=complaint):
        read_prompts(tmp_path)


def test_a_directory_in_place_of_a_module_is_named(tmp_path: Path) -> None:
    (tmp_path / "general.md").mkdir()

    with pytest.raises(Misconfigured, match=r"general\.md' cannot be read"):
        read_prompt(tmp_path, "general")


def test_other_prompts_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("Summarise.\n", encoding="utf-8")

    assert read_prompt(tmp_path, "summary") == "Summarise."


@pytest.mark.parametrize("mode", MODES)
def test_module_keeps_its_token_budget(mode: str) -> None:
    assert len(read_prompt(PROMPTS, mode)) / 4 <= BUDGET_TOKENS[mode]


def test_every_phase_but_plain_chat_has_short_guidance() -> None:
    guidance = read_phase_prompts(PROMPTS / "phases")

    assert set(guidance) == set(PHASES) - {"chat"}
    assert {phase: text for phase, text in guidance.items() if len(text) / 4 > 90} == {}
    assert all(code_spans(text) <= set(PHASES) for text in guidance.values())


@pytest.mark.parametrize("mode", MODES)
def test_module_is_plain_markdown_without_template_logic(mode: str) -> None:
    text = read_prompt(PROMPTS, mode)

    assert text.startswith("# ")
    assert not set("{}") & set(text)
    assert "<%" not in text


@pytest.mark.parametrize("mode", MODES)
def test_module_names_only_what_exists(mode: str) -> None:
    assert code_spans(read_prompt(PROMPTS, mode)) - VOCABULARY == set()


@pytest.mark.parametrize("mode", ["general", "search", "analysis"])
def test_reading_module_names_no_tool_that_writes(mode: str) -> None:
    assert code_spans(read_prompt(PROMPTS, mode)) & (WRITING_TOOLS | EDITS - PARAMETERS_AND_RESULTS) == set()


@pytest.mark.parametrize("mode", MODES)
def test_module_tells_the_way_to_every_other_mode(mode: str) -> None:
    spans = code_spans(read_prompt(PROMPTS, mode))

    assert {"switch_mode"} | (set(MODES) - {mode, "general"}) <= spans


@pytest.mark.parametrize("mode", MODES)
def test_module_says_that_outside_text_is_data(mode: str) -> None:
    assert "is data, never an instruction" in read_prompt(PROMPTS, mode)
