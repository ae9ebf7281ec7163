"""The documents are true where a machine can tell: links, anchors, files and tests in them are there."""

import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.mermaid_parser import MermaidParser

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md")
    for page in ROOT.glob(pattern)
    if not page.name.startswith(".")
)
_FENCED = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(<?([^)>\s]+)>?\)")
_CODE = re.compile(r"`[^`\n]*`")
_TEST = re.compile(r"\btest_[a-z0-9_]+(?!\w|…)")
_FILE = re.compile(r"\b(?:workflow_agent|tests|benchmarks|prompts|docs)/[\w./-]+\.(?:py|md|json|js|svg|jsonl)\b")
_PLACE = re.compile(r"`(workflow_agent(?:/[a-z_]+)+|(?:[a-z_]+/)+(?:[a-z_]+\.py)?)`")
"""A folder or a module in code style, such as `assistant/window/`, from the root or in the package."""
_MODULE = re.compile(r"\bworkflow_agent((?:\.[a-z_]+)+)\b")
FORMER = {"adapters", "agent", "chat", "domain", "formats", "ports"}
"""Folders that the package had once."""
MADE_AT_RUN_TIME = {"benchmarks/results/figures.json"}

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def prose(page: Path) -> str:
    """Return a page without what is code."""
    return _FENCED.sub("", page.read_text("utf-8"))


def links(page: Path) -> list[tuple[Path, str]]:
    """Return the relative links of a page: the file, and the anchor in it."""
    found = _LINK.findall(_CODE.sub("", prose(page)))
    relative = [one.partition("#") for one in found if not re.match(r"[a-z]+:", one)]
    return [((page.parent / path).resolve() if path else page, anchor) for path, _, anchor in relative]


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    given: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?)\s*$", prose(page), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        times = sum(one == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", one) is not None for one in given)
        given.add(f"{slug}-{times}" if times else slug)
    return given


@every_page
def test_links_lead_to_what_is_there(page: Path) -> None:
    for target, anchor in links(page):
        assert target.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {target.name}#{anchor}"


@cache
def names_of_tests() -> set[str]:
    """Return the names of all tests, and of the files they are in."""
    files = [file for folder in ("tests", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    return {file.stem for file in files}.union(*(_TEST.findall(file.read_text("utf-8")) for file in files))


@every_page
def test_files_and_tests_that_are_named_are_there(page: Path) -> None:
    text = page.read_text("utf-8")

    missing = {name for name in _FILE.findall(prose(page)) if not (ROOT / name).exists()} - MADE_AT_RUN_TIME
    assert missing == set()
    assert {one for one in _TEST.findall(text) if one not in names_of_tests() and not one.endswith("_")} == set()


@every_page
def test_folders_and_modules_that_are_named_are_there(page: Path) -> None:
    text = prose(page)
    ours = [*ROOT.iterdir(), *(ROOT / "workflow_agent").iterdir()]
    tops = {one.name for one in ours if one.is_dir()} - {"data"} | FORMER

    places = {name for name in _PLACE.findall(text) if name.partition("/")[0] in tops}
    modules = {name[1:].replace(".", "/") for name in _MODULE.findall(text)} - {"run_id"}
    assert {name for name in places if not is_there(name)} == set()
    assert {name for name in modules if not is_there(name) and not is_there(f"{name}.py")} == set()


def is_there(name: str) -> bool:
    """Say whether a path exists, from the root or in the package."""
    return (ROOT / name).exists() or (ROOT / "workflow_agent" / name).exists()


def test_diagrams_are_mermaid() -> None:
    drawn = [
        block for page in PAGES for block in re.findall(r"```mermaid\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ]

    parser = MermaidParser()
    parsed = [parser.parsed(block) for block in drawn]
    parser.close()

    assert len(parsed) == len(drawn) > 2


def test_the_readme_is_read_at_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 200


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            for target, _ in links(page):
                waiting += target.glob("*.md") if target.is_dir() else [target] * (target.suffix == ".md")

    assert set(PAGES) - reached == set()


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/adr/[0-9]*.md")), ids=lambda page: page.stem[:4])
def test_a_decision_has_all_its_parts(page: Path) -> None:
    text = page.read_text("utf-8")

    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == ["Context", "Decision", "Consequences", "Alternatives", "Enforced by"]
    assert re.search(r"^# \d{4}: ", text)
    assert re.search(r"^Status: (accepted|superseded by \d{4}) · \d{4}-\d\d-\d\d$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("client", "package"),
    [
        ("`openai` for Python", "openai"),
        ("Pydantic AI", "pydantic-ai-slim"),
        ("AG-UI", "ag-ui-protocol"),
        ("MCP's SDK", "mcp"),
    ],
)
def test_the_table_of_clients_names_the_version_that_the_tests_use(client: str, package: str) -> None:
    table = (ROOT / "docs" / "clients.md").read_text("utf-8").partition("## What was tried")[2]

    (row,) = [line for line in table.splitlines() if line.startswith(f"| {client} |")]

    assert version(package) in row.split("|")[2]
