"""What extensions bring is there, and one that cannot be used stops the start with a sentence."""

from pathlib import Path

import pytest
from pydantic_ai.models.function import FunctionModel

from tests.support.server import serving
from workflow_agent.errors import Misconfigured
from workflow_agent.main.composition import build
from workflow_agent.main.extensions import extensions_of, models_of, roster_of
from workflow_agent.settings import Settings
from workflow_agent.workflows.formats import FORMATS

OWN = '''
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from workflow_agent.assistant.tools.parameters import Parameters
from workflow_agent.conversations.agents import AgentProfile
from workflow_agent.workflows.formats.native import NativeJson

class Nothing(Parameters):
    """Nothing."""

async def look_around(ctx, request: Nothing) -> dict:
    """Look around."""
    return {}

async def paint(ctx, request: Nothing) -> dict:
    """Paint it."""
    return {}

class Own(NativeJson):
    name = "own"

TOOLS = (look_around, paint)
WRITING_TOOLS = {"paint"}
AGENTS = [AgentProfile(name=name, description="Paints.") for name in ("painter", "finder")]
MODELS = {"own:one": lambda: FunctionModel(lambda messages, info: ModelResponse([TextPart("I am one.")]))}
FORMATS = {"json": Own}
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return settings that name a module beside the data directory."""
    (tmp_path / "own_extension.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    return Settings(data_dir=tmp_path / "data", extensions=("own_extension",))


def test_tools_are_offered_by_mode(own: Settings) -> None:
    with serving(own) as served, served.client() as client:
        modes = {one["name"]: one["tools"] for one in client.get("/api/v1/modes").json()["items"]}

    assert {name for name, tools in modes.items() if "look_around" in tools} == set(modes)
    assert {name for name, tools in modes.items() if "paint" in tools} == {"creation", "modification"}


def test_agents_are_added_and_take_no_name_that_is_there(own: Settings) -> None:
    roster = roster_of(own)

    assert roster["painter"].description == "Paints."
    assert roster["finder"].description != "Paints."
    assert next(iter(roster)) == "assistant"


def test_a_model_is_made_by_its_name(own: Settings) -> None:
    named = own.model_copy(update={"model": "own:one"})

    assert isinstance(models_of(named, roster_of(named)).named(None), FunctionModel)


def test_a_format_takes_no_name_that_is_there(own: Settings) -> None:
    extensions_of(own)

    assert FORMATS["json"].name == "json"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("import nowhere_at_all", "'broken_extension' cannot be loaded", id="does not import"),
        pytest.param(
            "async def get_workflow(ctx): ...\nTOOLS = (get_workflow,)",
            "names are taken: get_workflow",
            id="takes a name",
        ),
    ],
)
def test_one_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    name = "broken_extension" if "import" in text else "taking_extension"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(Misconfigured, match=told):
        build(Settings(data_dir=tmp_path, extensions=(name,)))
