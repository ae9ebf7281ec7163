"""The index behind the search: its file, how it follows the catalogue, and what damage does to it."""

import asyncio
import logging
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.in_memory import InMemoryWorkflowCatalog
from tests.support.searched import STORED, TENANT, WORKFLOWS, described, entered, filled_catalog, head_of, ids
from workflow_agent.errors import StorageFailed, WorkflowNotFound
from workflow_agent.storage.files.durable import DurableFiles
from workflow_agent.storage.files.search.database import SearchDatabase
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.storage.files.workflows import JsonWorkflowCatalog
from workflow_agent.values.caches import TtlCache
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.query import Query, parse_query
from workflow_agent.workflows.store import WorkflowHead

INVOICES = "supplier invoice payment"


class CountingCatalog(InMemoryWorkflowCatalog):
    """Counts how often it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    async def all(self, tenant: str) -> Sequence[Workflow]:
        self.reads.append("all")
        return await super().all(tenant)

    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        self.reads.append(workflow_id)
        return await super().get(tenant, workflow_id)


class TellingCatalog(CountingCatalog):
    """Tells of the heads that a test gives it."""

    def __init__(self, heads: Callable[[], Mapping[str, WorkflowHead]]) -> None:
        super().__init__()
        self._told = heads

    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        return self._told()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def file(root: Path) -> Path:
    return root / TENANT / ".index" / "workflows.sqlite"


@pytest.fixture
def opened() -> Iterator[list[SqliteWorkflowSearch]]:
    searches: list[SqliteWorkflowSearch] = []
    yield searches
    for search in searches:
        search.close()


@pytest.fixture
async def catalog() -> InMemoryWorkflowCatalog:
    return await filled_catalog()


@pytest.fixture
def search(catalog: InMemoryWorkflowCatalog, root: Path, opened: list[SqliteWorkflowSearch]) -> SqliteWorkflowSearch:
    opened.append(SqliteWorkflowSearch(catalog, root=root))
    return opened[0]


@pytest.fixture
def another(catalog: InMemoryWorkflowCatalog, root: Path, opened: list[SqliteWorkflowSearch]) -> SqliteWorkflowSearch:
    """Another search over the same catalogue and files, as another process would have."""
    opened.append(SqliteWorkflowSearch(catalog, root=root))
    return opened[-1]


async def test_the_file_is_for_its_owner_alone(search: SqliteWorkflowSearch, file: Path) -> None:
    await search.search(TENANT, INVOICES)

    assert mode_of(file) == 0o600
    assert mode_of(file.parent) == 0o700


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_an_index_that_is_there_is_not_built_again(
    search: SqliteWorkflowSearch, root: Path, opened: list[SqliteWorkflowSearch]
) -> None:
    await search.search(TENANT, INVOICES)
    known = await search._catalog.heads(TENANT)
    catalog = TellingCatalog(lambda: known)
    opened.append(SqliteWorkflowSearch(catalog, root=root))

    answer = await opened[-1].search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert catalog.reads == []


async def test_only_what_changed_is_read_when_heads_tell(opened: list[SqliteWorkflowSearch]) -> None:
    catalog = CountingCatalog()
    for workflow in WORKFLOWS:
        await catalog.create(TENANT, workflow, STORED)
    opened.append(SqliteWorkflowSearch(catalog))
    await opened[0].search(TENANT, "")
    catalog.reads.clear()

    await catalog.update(TENANT, "wf_release", lambda one: (one.model_copy(update={"name": "Moon"}), STORED))
    answer = await opened[0].search(TENANT, "moon")

    assert ids(answer) == ["wf_release"]
    assert catalog.reads == ["wf_release"]


async def test_many_changes_are_read_at_once(opened: list[SqliteWorkflowSearch]) -> None:
    catalog = CountingCatalog()
    for number in range(60):
        await catalog.create(TENANT, described(f"wf_{number}", f"Audit {number}"), STORED)
    opened.append(SqliteWorkflowSearch(catalog))

    answer = await opened[0].search(TENANT, "audit", limit=100)

    assert len(answer.hits) == 60
    assert catalog.reads == ["all"]


async def test_what_vanishes_between_heads_and_reading_is_left_out(opened: list[SqliteWorkflowSearch]) -> None:
    heads = {"wf_gone": WorkflowHead(1, None)}
    catalog = TellingCatalog(lambda: heads)
    made = await catalog.create(TENANT, WORKFLOWS[0], STORED)
    heads[made.id] = head_of(made)
    opened.append(SqliteWorkflowSearch(catalog))

    answer = await opened[0].search(TENANT, "")

    assert ids(answer) == [WORKFLOWS[0].id]
    with pytest.raises(WorkflowNotFound):
        await catalog.get(TENANT, "wf_gone")


def catalog_of(files: DurableFiles) -> JsonWorkflowCatalog:
    specs = TtlCache[Workflow](max_entries=10, ttl_seconds=60)
    return JsonWorkflowCatalog(files, specs, now=lambda: datetime.now(UTC))


async def test_an_edit_by_hand_that_keeps_version_and_time_is_found(
    opened: list[SqliteWorkflowSearch], root: Path
) -> None:
    files = DurableFiles(root)
    catalog = catalog_of(files)
    await catalog.create(TENANT, WORKFLOWS[0], STORED)
    opened.append(SqliteWorkflowSearch(catalog, root=root))
    await opened[0].search(TENANT, "expense")
    opened[0].close()
    path = root / TENANT / "workflows" / f"{WORKFLOWS[0].id}.json"
    path.write_text(path.read_text("utf-8").replace('"Manager decides"', '"Rocket decides"'), "utf-8")

    opened.append(SqliteWorkflowSearch(catalog_of(files), root=root))

    assert ids(await opened[1].search(TENANT, "rocket")) == [WORKFLOWS[0].id]


async def test_the_same_heads_again_are_not_compared(opened: list[SqliteWorkflowSearch]) -> None:
    heads: dict[str, WorkflowHead] = {}
    catalog = TellingCatalog(lambda: heads)
    made = await catalog.create(TENANT, WORKFLOWS[0], STORED)
    heads[made.id] = head_of(made)
    opened.append(SqliteWorkflowSearch(catalog))
    await opened[0].search(TENANT, "")
    await opened[0].search(TENANT, "")

    heads.clear()

    assert ids(await opened[0].search(TENANT, "")) == [WORKFLOWS[0].id]


def names_in(file: Path) -> list[str]:
    connection = sqlite3.connect(file)
    names = [name for (name,) in connection.execute("SELECT name FROM documents ORDER BY name")]
    connection.close()
    return names


async def test_two_processes_share_one_file(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await search.search(TENANT, "")
    await another.search(TENANT, "")
    await catalog.update(TENANT, "wf_release", lambda one: (one.model_copy(update={"name": "Moon"}), STORED))
    await catalog.delete(TENANT, "wf_leave_request")

    first = await search.search(TENANT, "moon")
    second = await another.search(TENANT, "moon")

    assert ids(first) == ids(second) == ["wf_release"]
    assert "wf_leave_request" not in ids(await another.search(TENANT, "leave"))


async def test_what_another_process_took_out_is_put_back_where_it_still_is(
    search: SqliteWorkflowSearch, file: Path
) -> None:
    await search.search(TENANT, "")

    execute(
        file,
        "DELETE FROM texts WHERE rowid = (SELECT rowid FROM documents WHERE id = 'wf_release')",
        "DELETE FROM documents WHERE id = 'wf_release'",
    )

    assert "wf_release" in ids(await search.search(TENANT, "release pipeline"))


async def test_a_name_that_another_process_brought_is_found_misspelled(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await search.search(TENANT, "qzxw")
    await catalog.create(TENANT, described("wf_moon", "Moonlander"), STORED)
    await another.search(TENANT, "")

    assert ids(await search.search(TENANT, "monlander"))[0] == "wf_moon"


async def test_one_that_is_behind_does_not_undo_newer_content(
    root: Path, file: Path, opened: list[SqliteWorkflowSearch]
) -> None:
    old = described("wf_a", "Old words", version=1, updated_at="2026-01-01T00:00:00Z")
    new = described("wf_a", "Moon rocket", version=2, updated_at="2026-01-02T00:00:00Z")
    opened.append(SqliteWorkflowSearch(OneWorkflow(new), root=root))
    opened.append(SqliteWorkflowSearch(OneWorkflow(old), root=root))
    await opened[0].search(TENANT, "")

    await opened[1].search(TENANT, "")

    assert names_in(file) == ["Moon rocket"]


async def test_workflows_without_times_are_followed_by_version(opened: list[SqliteWorkflowSearch]) -> None:
    catalog = OneWorkflow(described("wf_a", "Old words", version=3))
    opened.append(SqliteWorkflowSearch(catalog))
    await opened[0].search(TENANT, "words")

    catalog.workflow = described("wf_a", "Moon rocket", version=1)

    assert ids(await opened[0].search(TENANT, "moon")) == ["wf_a"]


class OneWorkflow(InMemoryWorkflowCatalog):
    """Holds whatever workflow it is given, as it is."""

    def __init__(self, workflow: Workflow) -> None:
        super().__init__()
        self.workflow = workflow

    async def heads(self, tenant: str) -> Mapping[str, WorkflowHead]:
        return {self.workflow.id: head_of(self.workflow)}

    async def get(self, tenant: str, workflow_id: str) -> Workflow:
        return self.workflow

    async def all(self, tenant: str) -> Sequence[Workflow]:
        return [self.workflow]


async def test_a_missing_file_is_made_again(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, file: Path
) -> None:
    await search.search(TENANT, INVOICES)
    search.close()
    removed(file)

    answer = await another.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert len(names_in(file)) == len(WORKFLOWS)


def removed(file: Path) -> None:
    file.unlink()


def garbage(file: Path) -> None:
    file.write_bytes(b"not a database at all, " * 500)


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:50_000])


def without_words(file: Path) -> None:
    execute(file, "DROP TABLE texts")


def with_broken_words(file: Path) -> None:
    execute(file, "UPDATE texts_data SET block = x'00ff00ff'")


def of_another_version(file: Path) -> None:
    execute(file, "ALTER TABLE documents RENAME TO old", "PRAGMA user_version = 99")


def execute(file: Path, *statements: str) -> None:
    connection = sqlite3.connect(file)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def without_facts(file: Path) -> None:
    execute(file, "DROP TABLE documents")


DAMAGES = [
    pytest.param(garbage, id="garbage"),
    pytest.param(cut_short, id="cut short"),
    pytest.param(without_words, id="the words are missing"),
    pytest.param(without_facts, id="the facts are missing"),
    pytest.param(with_broken_words, id="broken full text"),
    pytest.param(of_another_version, id="of another version"),
]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_built_anew(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, file: Path, damage: Callable[[Path], None]
) -> None:
    await search.search(TENANT, INVOICES)
    search.close()
    damage(file)

    answer = await another.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert len(names_in(file)) == len(WORKFLOWS)


async def test_damage_while_it_is_open_is_mended_with_the_next_search(
    search: SqliteWorkflowSearch, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await search.search(TENANT, INVOICES)
    without_words(file)

    with caplog.at_level(logging.WARNING):
        answer = await search.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert len(names_in(file)) == len(WORKFLOWS)
    assert "is damaged and is made anew" in caplog.text


async def test_damage_found_while_writing_is_mended(
    search: SqliteWorkflowSearch, catalog: InMemoryWorkflowCatalog, file: Path
) -> None:
    await search.search(TENANT, INVOICES)
    without_words(file)
    await catalog.create(TENANT, described("wf_moon", "Moon rocket"), STORED)

    await search.search(TENANT, "")

    assert "Moon rocket" in names_in(file)


async def test_a_file_that_another_process_replaced_already_is_not_removed(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, file: Path
) -> None:
    await search.search(TENANT, INVOICES)
    await another.search(TENANT, INVOICES)
    without_words(file)
    await search.search(TENANT, INVOICES)
    replaced = inode_of(file)

    answer = await another.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert inode_of(file) == replaced


def inode_of(file: Path) -> int:
    return file.stat().st_ino


async def test_where_no_file_can_be_it_is_kept_in_memory(
    search: SqliteWorkflowSearch, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made_directory(file)

    with caplog.at_level(logging.WARNING):
        answer = await search.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert ids(await search.search(TENANT, "okta")) == ["wf_employee_onboarding"]
    assert "kept in memory" in caplog.text


async def test_a_link_in_place_of_the_file_is_not_followed(
    search: SqliteWorkflowSearch, file: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "index"
    made_directory(file.parent)
    made_directory(elsewhere.parent)
    linked(file, elsewhere)

    answer = await search.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert held_by(elsewhere.parent) == []


async def test_a_damaged_file_that_cannot_be_replaced_is_left_for_memory(
    search: SqliteWorkflowSearch, file: Path
) -> None:
    made_directory(file.with_name("workflows.sqlite.lock"))
    garbage(file)

    answer = await search.search(TENANT, INVOICES)

    assert ids(answer)[0] == "wf_invoice_payment"
    assert held_by(file.parent) == ["workflows.sqlite", "workflows.sqlite.lock"]


def made_directory(path: Path) -> None:
    path.mkdir(parents=True)


def linked(file: Path, target: Path) -> None:
    file.symlink_to(target)


def held_by(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def test_an_index_that_never_works_says_so(opened: list[SqliteWorkflowSearch]) -> None:
    broken: list[str] = []

    def heads() -> Mapping[str, WorkflowHead]:
        if broken:
            raise sqlite3.OperationalError(broken[0])
        return {}

    opened.append(SqliteWorkflowSearch(TellingCatalog(heads)))
    await opened[0].search(TENANT, INVOICES)
    broken.append("out of memory")

    with pytest.raises(StorageFailed, match="not even in memory: out of memory"):
        await opened[0].search(TENANT, INVOICES)


async def test_closing_twice_and_searching_again_is_fine(search: SqliteWorkflowSearch) -> None:
    await search.search(TENANT, INVOICES)
    search.close()
    search.close()

    assert ids(await search.search(TENANT, INVOICES))[0] == "wf_invoice_payment"


async def test_many_searches_and_changes_at_once_all_get_their_answer(
    search: SqliteWorkflowSearch, another: SqliteWorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    async def change(number: int) -> None:
        await catalog.create(TENANT, described(f"wf_new_{number}", f"Novelty {number}"), STORED)
        await search.search(TENANT, "novelty")

    searches = [one.search(TENANT, INVOICES) for one in (search, another) for _ in range(10)]
    answers, _ = await asyncio.gather(
        asyncio.gather(*searches), asyncio.gather(*(change(number) for number in range(10)))
    )

    assert {ids(answer)[0] for answer in answers} == {"wf_invoice_payment"}
    assert len(ids(await another.search(TENANT, "novelty", limit=20))) == 10


PROCESS = """
import asyncio, sys
from pathlib import Path
from tests.support.searched import TENANT, described, filled_catalog, STORED, ids
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch

async def work():
    catalog = await filled_catalog()
    search = SqliteWorkflowSearch(catalog, root=Path(sys.argv[1]))
    for number in range(20):
        await catalog.create(TENANT, described(f"wf_{sys.argv[2]}_{number}", "Moon"), STORED)
        assert ids(await search.search(TENANT, "okta")) == ["wf_employee_onboarding"]
    search.close()

asyncio.run(work())
"""


@pytest.mark.slow(is_never_quick=True)
def test_processes_that_start_together_do_not_break_the_file(root: Path, file: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(root), str(number)],
            cwd=Path(__file__).parents[4],
            stderr=subprocess.PIPE,
        )
        for number in range(3)
    ]
    failures = [process.communicate()[1].decode() for process in started]

    assert failures == ["", "", ""]
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.execute("INSERT INTO texts(texts) VALUES('integrity-check')")
    connection.close()


def query_of(text: str, frequencies: Mapping[str, int]) -> Query:
    return parse_query(text, lambda stems: {one: frequencies.get(one, 0) for one in stems}, lambda _: ())


@pytest.mark.parametrize(
    ("frequencies", "wanted"),
    [
        pytest.param({"expens": 3, "approv": 3}, {"wf_both", "wf_named", "wf_step"}, id="rare ones anywhere"),
        pytest.param({"expens": 3, "approv": 50_000}, {"wf_both", "wf_named"}, id="a common one in names"),
        pytest.param({"expens": 50_000, "approv": 50_000}, {"wf_both", "wf_named"}, id="common ones together"),
        pytest.param({"step": 50_000}, {"wf_step"}, id="a common one anywhere when no name has it"),
        pytest.param({}, set(), id="none when no workflow has any"),
    ],
)
def test_words_in_many_workflows_are_looked_for_where_they_tell_most(
    frequencies: dict[str, int], wanted: set[str]
) -> None:
    database = SearchDatabase(None)
    database.put(
        [
            entered(described("wf_both", "Other", "Expense", "Approval")),
            entered(described("wf_named", "Approval", "Begin")),
            entered(described("wf_step", "Something", "Step for approval")),
        ]
    )
    query = query_of("step" if "step" in frequencies else "expense approval", frequencies)

    found = {candidate.id for candidate in database.candidates(query, None, 10)}

    assert found == wanted
    database.close()


def test_how_many_have_a_word_is_counted_again_after_a_change() -> None:
    database = SearchDatabase(None)
    database.put([entered(described("wf_a", "Audit"))])
    before = database.frequencies(["audit", "count"])

    database.put([entered(described("wf_b", "Audit", "Count"))])

    assert before == {"audit": 1}
    assert database.frequencies(["audit", "count"]) == {"audit": 2, "count": 1}
    database.close()


def test_common_words_raise_what_has_them_beside_a_rare_one() -> None:
    database = SearchDatabase(None)
    database.put(
        [entered(described("wf_a", "Other", "Expense")), entered(described("wf_b", "Other", "Expense approval"))]
    )
    query = query_of("expense approval", {"expens": 3, "approv": 50_000})

    (found,) = database.candidates(query, None, 1)

    assert found.id == "wf_b"
    database.close()
