"""What every search over workflows promises."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.in_memory import InMemoryWorkflowCatalog
from tests.support.searched import STORED, TENANT, WORKFLOWS, described, filled_catalog, ids
from workflow_agent.errors import InvalidInput
from workflow_agent.storage.files.search.index import SqliteWorkflowSearch
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.store import Change, WorkflowFilters, WorkflowSearch

pytestmark = pytest.mark.untraced

BLNS = Path(__file__).parents[3] / "shared" / "corpus" / "hostile" / "blns" / "blns.txt"


@pytest.fixture
async def catalog() -> InMemoryWorkflowCatalog:
    return await filled_catalog()


@pytest.fixture(params=["in memory", "in files"])
async def search(
    request: pytest.FixtureRequest, tmp_path: Path, catalog: InMemoryWorkflowCatalog
) -> AsyncIterator[WorkflowSearch]:
    made = SqliteWorkflowSearch(catalog, root=tmp_path if request.param == "in files" else None)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("query", "wanted", "strategy"),
    [
        pytest.param("wf_expense_approval", "wf_expense_approval", "exact_id", id="an id"),
        pytest.param("Expense approval", "wf_expense_approval", "exact_name", id="a name"),
        pytest.param("  eXPENSE   Approval ", "wf_expense_approval", "exact_name", id="a name in other case"),
        pytest.param("expense-approval", "wf_expense_approval", "exact_name", id="a name with a hyphen"),
        pytest.param("the leave request process", "wf_leave_request", "exact_name", id="a name in a phrase"),
        pytest.param("Travel Costs", "wf_expense_approval", "alias", id="an alias"),
        pytest.param("money on the road", "wf_expense_approval", "full_text", id="words of the description"),
        pytest.param("purchase orders", "wf_invoice_payment", "full_text", id="another form of a word"),
        pytest.param("reimbursements", "wf_expense_approval", "full_text", id="a synonym"),
        pytest.param("new hire", "wf_employee_onboarding", "full_text", id="a synonym for two words"),
        pytest.param("time off", "wf_leave_request", "full_text", id="a synonym with a small word"),
        pytest.param("ship to production", "wf_release", "full_text", id="a synonym beside a word"),
        pytest.param("preparing of equipment", "wf_employee_onboarding", "full_text", id="a step"),
        pytest.param("okta", "wf_employee_onboarding", "full_text", id="a service"),
        pytest.param("CFO", "wf_expense_approval", "full_text", id="a role"),
        pytest.param("engineering", "wf_release", "full_text", id="a tag"),
        pytest.param("treasury", "wf_expense_approval", "full_text", id="a parameter"),
        pytest.param("what runs every monday?", "wf_invoice_payment", "filter", id="a trigger"),
        pytest.param("ware house", "wf_nightly_load", "full_text", id="a word in two"),
        pytest.param("expnse aproval", "wf_expense_approval", "fuzzy", id="typing errors"),
        pytest.param("employeeonbording", "wf_employee_onboarding", "fuzzy", id="an error and no space"),
        pytest.param("joinres", "wf_employee_onboarding", "fuzzy", id="a typing error in an alias"),
    ],
)
async def test_finds_first_what_is_meant_and_says_how(
    search: WorkflowSearch, query: str, wanted: str, strategy: str
) -> None:
    answer = await search.search(TENANT, query)

    assert answer.hits[0].id == wanted
    assert strategy in answer.hits[0].strategies


async def test_a_hit_tells_what_it_is_and_where_the_words_were(search: WorkflowSearch) -> None:
    (hit,) = (await search.search(TENANT, "claim treasury")).hits

    assert (hit.id, hit.name) == ("wf_expense_approval", "Expense approval")
    assert hit.description == "An employee claims money spent on the road and gets it back."
    assert hit.matched == ("description", "steps", "details")
    assert 0 < hit.score < 1


async def test_an_exact_name_scores_one_and_leads_whatever_else_says_it_more_often(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    wordy = described("wf_a", "Build build build", "Build", "Build again", tags=["build"])
    await catalog.create(TENANT, wordy, STORED)
    await catalog.create(TENANT, described("wf_z", "Build"), STORED)

    answer = await search.search(TENANT, "build")

    assert ids(answer)[:2] == ["wf_z", "wf_a"]
    assert answer.hits[0].score == 1.0 > answer.hits[1].score


async def test_trust_goes_from_name_over_alias_and_text_to_spelling(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    for workflow in (
        described("wf_a", "Invoyces"),
        described("wf_b", "Accounting", "Collect invoices"),
        described("wf_c", "Bookkeeping", aliases=["invoices"]),
        described("wf_d", "Invoices"),
    ):
        await catalog.create("other", workflow, STORED)

    by_trust = await search.search("other", "invoices")
    misspelled = await search.search("other", "invoyces")

    assert ids(by_trust) == ["wf_d", "wf_c", "wf_b"]
    assert [hit.strategies[0] for hit in by_trust.hits] == ["exact_name", "alias", "full_text"]
    assert ids(misspelled)[0] == "wf_a"


async def test_words_in_the_name_count_more_than_words_in_steps(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    in_steps = described("wf_a", "Payroll of the whole house", "Audit", "Audit the books", "Count")
    in_name = described("wf_z", "Checks before an audit of the house", "Look", "Take the books", "Count")
    await catalog.create("other", in_steps, STORED)
    await catalog.create("other", in_name, STORED)

    assert ids(await search.search("other", "audit")) == ["wf_z", "wf_a"]


async def test_a_word_as_typed_counts_more_than_its_synonym(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await catalog.create("other", described("wf_a", "Bill collection"), STORED)
    await catalog.create("other", described("wf_z", "Invoice collection"), STORED)

    assert ids(await search.search("other", "invoice")) == ["wf_z", "wf_a"]


async def test_an_id_is_trusted_more_than_a_name(search: WorkflowSearch, catalog: InMemoryWorkflowCatalog) -> None:
    await catalog.create("other", described("wf_a", "Moon"), STORED)
    await catalog.create("other", described("wf_moon", "Rocket"), STORED)

    by_word = await search.search("other", "moon")
    by_id = await search.search("other", "wf_moon")

    assert ids(by_word) == ["wf_moon", "wf_a"]
    assert ids(by_id) == ["wf_moon"]


async def test_words_side_by_side_count_more_than_words_apart(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await catalog.create(TENANT, described("wf_a", "Alpha", "Risk of fire", "Credit for some score"), STORED)
    await catalog.create(TENANT, described("wf_z", "Omega", "Fire of some risk", "Credit score for"), STORED)

    assert ids(await search.search(TENANT, "credit score"))[0] == "wf_z"


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("quantum teleportation", id="words nobody uses"),
        pytest.param("how to teleport", id="small words and one nobody uses"),
        pytest.param("🚀", id="no word at all"),
    ],
)
async def test_suggests_where_nothing_is_found(search: WorkflowSearch, query: str) -> None:
    answer = await search.search(TENANT, query)

    assert answer.hits == ()
    assert 0 < len(answer.suggestions) <= 5


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("quantum approval", id="one common word and one nobody uses"),
        pytest.param("How do I get the approval for elephants on their way to the moons of mars?", id="a sentence"),
    ],
)
async def test_what_has_little_of_a_query_is_found_and_said_to_be_weak(search: WorkflowSearch, query: str) -> None:
    answer = await search.search(TENANT, query)

    assert "wf_expense_approval" in ids(answer)
    assert all(hit.is_weak for hit in answer.hits)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        pytest.param("workflows owned by the manager", {"wf_expense_approval", "wf_leave_request"}, id="whose"),
        pytest.param("leave request assigned to manager", {"wf_leave_request"}, id="whose, and words"),
        pytest.param("everything tagged hr", {"wf_leave_request", "wf_employee_onboarding"}, id="tagged"),
        pytest.param("tag:hr", {"wf_leave_request", "wf_employee_onboarding"}, id="tagged, for short"),
        pytest.param("which ones were changed since 2020-01-01?", None, id="all of them changed"),
    ],
)
async def test_filters_are_said_in_words(search: WorkflowSearch, query: str, wanted: set[str] | None) -> None:
    answer = await search.search(TENANT, query, limit=50)

    assert {hit.id for hit in answer.hits if "filter" in hit.strategies} == (wanted or set(ids(answer)))
    assert answer.hits


async def test_words_like_a_filter_that_nothing_passes_are_words(search: WorkflowSearch) -> None:
    answer = await search.search(TENANT, "expense approval owned by martians")

    assert ids(answer)[0] == "wf_expense_approval"
    assert "filter" not in answer.hits[0].strategies


async def test_an_empty_query_lists_by_latest_change(search: WorkflowSearch, catalog: InMemoryWorkflowCatalog) -> None:
    await catalog.update(TENANT, "wf_leave_request", renamed("Days off"))

    answer = await search.search(TENANT, "  ", limit=2)

    assert ids(answer)[0] == "wf_leave_request"
    assert [hit.strategies for hit in answer.hits] == [("recent",), ("recent",)]


def renamed(name: str) -> Any:
    def change(workflow: Workflow) -> tuple[Workflow, Change]:
        return workflow.model_copy(update={"name": name}), STORED

    return change


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        pytest.param({"tag": "FINANCE"}, {"wf_expense_approval", "wf_invoice_payment"}, id="a tag"),
        pytest.param({"trigger": "manual"}, {"wf_expense_approval"}, id="a kind of trigger"),
        pytest.param({"trigger": "schedule"}, {"wf_invoice_payment", "wf_nightly_load"}, id="a schedule"),
        pytest.param({"trigger": "Monday"}, {"wf_invoice_payment"}, id="a day"),
        pytest.param({"trigger": "every monday at 9am"}, {"wf_invoice_payment"}, id="a day and an hour"),
        pytest.param({"trigger": "nightly"}, {"wf_nightly_load"}, id="a time of the day"),
        pytest.param({"trigger": "every 6 hours"}, {"wf_nightly_load"}, id="an interval"),
        pytest.param({"trigger": "monday every 6 hours"}, set(), id="words of two triggers"),
        pytest.param({"trigger": "contract_signed"}, {"wf_employee_onboarding"}, id="an event"),
        pytest.param({"trigger": "webhook"}, {"wf_leave_request"}, id="a webhook"),
        pytest.param({"role": "Manager"}, {"wf_expense_approval", "wf_leave_request"}, id="a role"),
        pytest.param({"role": "cfo"}, {"wf_expense_approval"}, id="who is escalated to"),
        pytest.param({"service": "slack"}, {"wf_invoice_payment"}, id="a part of a service"),
        pytest.param({"service": "okta.create_user"}, {"wf_employee_onboarding"}, id="a service"),
        pytest.param({"step_type": "fork"}, {"wf_employee_onboarding"}, id="a type of step"),
        pytest.param({"tag": "hr", "role": "manager"}, {"wf_leave_request"}, id="two filters"),
        pytest.param({"among": ["wf_release", "wf_gone"]}, {"wf_release"}, id="ids"),
        pytest.param({"among": []}, set(), id="no ids"),
        pytest.param({"tag": "fin"}, set(), id="a part of a tag"),
        pytest.param({"called": "e-app"}, {"wf_expense_approval"}, id="a piece of a name"),
        pytest.param({"called": "wf_nightlyL"}, {"wf_nightly_load"}, id="a piece of an id"),
        pytest.param({"called": "leav", "role": "cfo"}, set(), id="a piece of a name, and another's role"),
    ],
)
async def test_a_filter_lets_through_only_what_has_it(
    search: WorkflowSearch, filters: dict[str, Any], wanted: set[str]
) -> None:
    answer = await search.search(TENANT, "", WorkflowFilters(**filters))

    assert set(ids(answer)) == wanted
    assert all(hit.strategies == ("filter", "recent") for hit in answer.hits)


async def test_filters_narrow_a_query(search: WorkflowSearch) -> None:
    unfiltered = await search.search(TENANT, "manager")
    filtered = await search.search(TENANT, "manager", WorkflowFilters(tag="hr"))

    assert set(ids(unfiltered)) == {"wf_expense_approval", "wf_leave_request"}
    assert ids(filtered) == ["wf_leave_request"]
    assert filtered.hits[0].strategies == ("full_text", "filter")


async def test_what_only_the_filter_kept_out_is_suggested(search: WorkflowSearch) -> None:
    answer = await search.search(TENANT, "expense approval", WorkflowFilters(tag="hr"))

    assert answer.hits == ()
    assert answer.suggestions[0].id == "wf_expense_approval"
    assert answer.suggestions[1].strategies == ("filter", "recent")


@pytest.mark.parametrize("limit", [0, -1, 1, 2])
async def test_gives_no_more_hits_than_asked_for(search: WorkflowSearch, limit: int) -> None:
    answer = await search.search(TENANT, "employee manager approval onboarding", limit=limit)

    assert len(answer.hits) == max(limit, 0)


async def test_a_change_is_found_at_once_and_the_old_words_no_more(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await search.search(TENANT, "release pipeline")

    await catalog.update(TENANT, "wf_release", renamed("Moon rocket"))

    assert ids(await search.search(TENANT, "moon rocket")) == ["wf_release"]
    assert "wf_release" not in ids(await search.search(TENANT, "pipeline"))


async def test_what_was_deleted_is_found_no_more(search: WorkflowSearch, catalog: InMemoryWorkflowCatalog) -> None:
    await search.search(TENANT, "")

    await catalog.delete(TENANT, "wf_release")

    assert "wf_release" not in ids(await search.search(TENANT, ""))
    assert ids(await search.search(TENANT, "deploy to production")) == []


async def test_what_was_made_anew_under_an_old_id_is_found_by_its_new_words(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    await search.search(TENANT, "")

    await catalog.delete(TENANT, "wf_release")
    await catalog.create(TENANT, described("wf_release", "Moon rocket"), STORED)

    assert ids(await search.search(TENANT, "moon")) == ["wf_release"]


async def test_tenants_do_not_see_each_other(search: WorkflowSearch) -> None:
    answer = await search.search("other", "expense approval")

    assert (answer.hits, answer.suggestions) == ((), ())


async def test_what_cannot_be_a_tenant_is_refused(search: WorkflowSearch) -> None:
    with pytest.raises(InvalidInput, match="not a tenant name"):
        await search.search("../acme", "expense")


@pytest.mark.parametrize(
    "query",
    [
        pytest.param('"', id="a lone quote"),
        pytest.param('expense AND (approval OR "', id="operators"),
        pytest.param("name: expense* NEAR(a b, 3) ^x -y {z}", id="the syntax of FTS5"),
        pytest.param("\0expense\0", id="NUL"),
        pytest.param("👩‍👩‍👧 expense 🚀", id="emoji"),
        pytest.param("\ud800 expense", id="a lone surrogate"),
        pytest.param("请假 申请 휴가", id="no spaces between words"),
        pytest.param("'; DROP TABLE documents; --", id="SQL"),
        pytest.param("expense " * 12_500, id="100 kB of one word"),
        pytest.param("x" * 100_000, id="100 kB without a space"),
        pytest.param(" ".join(f"word{at}" for at in range(12_000)), id="100 kB of different words"),
        pytest.param("camelCaseWord " * 3_000, id="camel case"),
        pytest.param("\u0301" * 1_000, id="accents alone"),
    ],
)
async def test_any_text_is_a_query(search: WorkflowSearch, query: str) -> None:
    answer = await search.search(TENANT, query, WorkflowFilters(tag=query[:50], trigger=query[:50]))
    unfiltered = await search.search(TENANT, query)

    assert answer.hits == ()
    assert unfiltered.hits or unfiltered.suggestions


@pytest.mark.skipif(not BLNS.exists(), reason="the corpus of naughty strings is not there")
async def test_naughty_strings_get_an_answer(search: WorkflowSearch) -> None:
    lines = BLNS.read_text("utf-8").splitlines()
    for line in {line for line in lines if line and not line.startswith("#")}:
        answer = await search.search(TENANT, line)

        assert answer.hits or answer.suggestions


async def test_names_that_need_care_are_found_by_themselves(
    search: WorkflowSearch, catalog: InMemoryWorkflowCatalog
) -> None:
    names = ("Überprüfung", "請求書の承認", "C++ build", "🚀", 'say "hi"', "ConfigMap sync", "it's off")
    for at, name in enumerate(names):
        await catalog.create(TENANT, described(f"wf_name_{at}", name), STORED)

    found = [ids(await search.search(TENANT, name))[0] for name in names]

    assert found == [f"wf_name_{at}" for at in range(len(names))]
    assert ids(await search.search(TENANT, "uberprufung"))[0] == "wf_name_0"
    assert ids(await search.search(TENANT, "承認"))[0] == "wf_name_1"
    assert ids(await search.search(TENANT, "syncing config maps"))[0] == "wf_name_5"


async def test_every_workflow_is_found_by_its_own_name(search: WorkflowSearch) -> None:
    found = {workflow.id: ids(await search.search(TENANT, workflow.name))[0] for workflow in WORKFLOWS}

    assert found == {workflow.id: workflow.id for workflow in WORKFLOWS}
