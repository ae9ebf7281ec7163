"""Words, triggers and queries as the search reads them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.support.searched import described
from tests.support.workflows import workflows
from workflow_agent.workflows.model.triggers import Trigger
from workflow_agent.workflows.model.workflow import Workflow
from workflow_agent.workflows.search.document import FIELDS, filter_words, search_document, trigger_words
from workflow_agent.workflows.search.query import Query, parse_query
from workflow_agent.workflows.search.words import GROUPS, fold, squashed, stem, synonyms, words


@pytest.mark.parametrize(
    "forms",
    [
        "approve approves approved approving approval approvals approver",
        "deploy deploys deployed deploying deployment deployments",
        "notify notifies notified notifying notification notifications",
        "reimburse reimbursed reimbursing reimbursement reimbursements",
        "validate validates validated validating validation validator",
        "categorize categorise categorized categorization categorisation",
        "classify classifies classification",
        "pay pays paid paying payment payments",
        "scan scans scanned scanning scanner",
        "cancel cancels cancelled canceled cancelling cancellation",
        "submit submits submitted submission",
        "sign signs signed signing signature",
        "policy policies",
        "box boxes",
        "process processes processing processed",
        "analyze analyse analysis analyzing",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("word", "other"), [("invoice", "invite"), ("status", "state"), ("bus", "bu"), ("user", "use")]
)
def test_different_words_keep_different_stems(word: str, other: str) -> None:
    assert stem(word) != stem(other)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("slack.post_message", ["slack", "post", "messag"], id="a service"),
        pytest.param("ConfigMap", ["config", "map", "configmap"], id="camel case"),
        pytest.param("parseXMLFile", ["pars", "xml", "fil", "parsexmlfil"], id="letters in capitals"),
        pytest.param("k8s S3 v2", ["k8s", "s3", "v2"], id="letters with digits"),
        pytest.param("children's", ["child"], id="a possessive"),
        pytest.param("Überprüfung café", ["uberprufung", "caf"], id="accents"),
        pytest.param("請求書", ["請求", "求書"], id="no spaces"),
        pytest.param("書", ["書"], id="one sign"),
        pytest.param("\0 -- !? 🚀", [], id="no words"),
    ],
)
def test_a_text_gives_these_words(text: str, wanted: list[str]) -> None:
    assert words(text) == wanted


def test_a_folded_text_has_neither_case_nor_accents_nor_surplus_space() -> None:
    assert fold("  Straße\n ÉTÉ ") == "strasse ete"
    assert squashed("Expense-Approval 2") == "expenseapproval2"


@pytest.mark.slow
@given(st.text())
def test_any_text_has_words_without_spaces_or_quotes(text: str) -> None:
    assert not any(set(word) & set(" \"'\0*()") for word in words(text))


TRIGGER: TypeAdapter[Any] = TypeAdapter(Trigger)


@pytest.mark.parametrize(
    ("trigger", "wanted"),
    [
        pytest.param({"cron": "0 9 * * 1"}, "scheduled every monday weekly morning 9am 9:00 cron", id="weekly"),
        pytest.param({"cron": "15 14 * * *"}, "daily day afternoon 2pm 14:15", id="daily"),
        pytest.param({"cron": "0 23 * * *"}, "nightly 11pm", id="nightly"),
        pytest.param({"cron": "0 18 * * *"}, "evening 6pm", id="in the evening"),
        pytest.param({"cron": "0 8 * * mon-fri"}, "weekday workday tuesday friday", id="on weekdays"),
        pytest.param({"cron": "0 8 * * 6,0"}, "weekend saturday sunday", id="at weekends"),
        pytest.param({"cron": "0 8 * * 7"}, "sunday", id="Sunday as 7"),
        pytest.param({"cron": "0 6 1 * *"}, "monthly month", id="monthly"),
        pytest.param({"cron": "0 6 1 1 *"}, "yearly january", id="yearly"),
        pytest.param({"cron": "0 6 1 */3 *"}, "quarterly", id="quarterly"),
        pytest.param({"cron": "0 6 1 jan/6 *"}, "january july", id="every half year from January"),
        pytest.param({"cron": "*/15 * * * *"}, "hourly", id="within the hour"),
        pytest.param({"every": "P1D"}, "daily 1 day", id="an interval of a day"),
        pytest.param({"every": "PT6H"}, "every 6 hours", id="an interval of hours"),
        pytest.param({"every": "P1M"}, "monthly", id="an interval of a month"),
        pytest.param({"every": "PT1M"}, "minutely", id="an interval of a minute"),
    ],
)
def test_a_schedule_is_known_by_the_words_people_use(trigger: dict[str, Any], wanted: str) -> None:
    parsed = TRIGGER.validate_python({"type": "schedule", **trigger})

    assert filter_words(wanted) <= trigger_words(parsed)


@pytest.mark.parametrize(
    ("trigger", "word"),
    [
        pytest.param({"cron": "0 9 * * 1"}, "tuesday", id="another day"),
        pytest.param({"cron": "0 9 * * *"}, "nightly", id="another time"),
        pytest.param({"cron": "0 9 * * *"}, "monday", id="no certain day"),
        pytest.param({"every": "PT1M"}, "monthly", id="minutes are no months"),
    ],
)
def test_a_schedule_is_not_known_by_other_words(trigger: dict[str, Any], word: str) -> None:
    parsed = TRIGGER.validate_python({"type": "schedule", **trigger})

    assert not filter_words(word) <= trigger_words(parsed)


def test_a_filter_of_small_words_alone_still_asks_for_them() -> None:
    assert filter_words("on the") == {"on", "the"}


def parsed(text: str, known: Mapping[str, int], corrections: Sequence[tuple[str, float]] = ()) -> Query:
    def frequencies(stems: Iterable[str]) -> Mapping[str, int]:
        return {one: known[one] for one in stems if one in known}

    return parse_query(text, frequencies, lambda _: corrections)


def forms(query: Query) -> dict[str, list[str]]:
    return {word.stem: [" ".join(form.stems) for form in word.forms] for word in query.words}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        pytest.param("please find me the one that bills people", ["bill", "person"], id="around a topic"),
        pytest.param("find the workflow", ["find", "workflow"], id="small talk alone"),
        pytest.param("who is it", ["who", "is", "it"], id="small words alone"),
        pytest.param("!!!", [], id="no words"),
    ],
)
def test_only_words_that_say_what_is_wanted_are_looked_for(text: str, wanted: list[str]) -> None:
    assert [word.stem for word in parsed(text, {}).words] == wanted


def test_forms_that_no_document_has_are_not_looked_for() -> None:
    known = {"invoic": 3, "bill": 2}

    assert forms(parsed("invoice", known)) == {"invoic": ["invoic", "bill"]}
    assert forms(parsed("invoice", {"invoic": 3})) == {"invoic": ["invoic"]}


def test_two_words_are_also_looked_for_as_one_and_one_as_two() -> None:
    assert forms(parsed("config map", {"configmap": 1})) == {
        "config": ["config", "configmap"],
        "map": ["map", "configmap"],
    }
    assert forms(parsed("configmap", {"config": 5, "map": 2})) == {"configmap": ["configmap", "config map"]}


def test_a_camel_case_word_is_taken_apart_unless_it_is_known_as_a_whole() -> None:
    assert list(forms(parsed("GitHub", {"github": 4}))) == ["github"]
    assert list(forms(parsed("GitHub", {"git": 4}))) == ["git", "hub"]


def test_a_word_that_nobody_uses_is_also_looked_for_as_those_spelled_like_it() -> None:
    (word,) = parsed("expnse", {"expens": 4}, [("expense", 0.8)]).words

    assert [(form.stems, form.reason) for form in word.forms] == [(("expnse"[:5],), "typed"), (("expens",), "spelling")]
    assert word.frequency == 4


def test_a_word_said_twice_is_one_word() -> None:
    (word,) = parsed("tests testing", {"test": 1}).words

    assert word.times == 2


def test_of_a_very_long_query_the_rarest_words_are_kept() -> None:
    text = " ".join(f"common{at}" for at in range(100)) + " rare"
    known = {f"common{at}": 50 for at in range(100)} | {"rar": 1}

    kept = [word.stem for word in parsed(text, known).words]

    assert len(kept) == 48
    assert "rar" in kept


def test_every_synonym_leads_to_the_others_of_its_group() -> None:
    for group in GROUPS:
        for phrase in group:
            reached = {other for _, others in synonyms(words(phrase)) for other in others}
            assert {tuple(words(other)) for other in group} - {tuple(words(phrase))} <= reached


def test_all_that_tells_of_a_workflow_is_in_its_field() -> None:
    workflow = described(
        "wf_a",
        "Name",
        {
            "name": "Ask",
            "description": "thoroughly",
            "assignee": "clerk",
            "escalate_to": "boss",
            "uses": "mail.send",
            "event": "rain",
            "workflow": "wf_other",
            "permission": "may_ask",
            "when": {"text": "sunny"},
            "with": {"subject": ["hello", {"deep": "inside"}], "count": 3},
            "form": {
                "title": "Sheet",
                "fields": [{"key": "colour", "label": "Paint", "options": ["red"]}, {"key": "size"}],
            },
            "extensions": {"kept": "verbatim"},
        },
        description="Telling",
        aliases=["Nick"],
        tags=["Label"],
        transitions=[
            {
                "from": "s0",
                "to": "s0",
                "label": "again",
                "action": "repeat",
                "permission": "may_loop",
                "when": {"text": "wanted"},
                "form": {"fields": [{"key": "reason"}]},
            }
        ],
        automations=[
            {"id": "a", "on": {"event": "entered", "to": "s0"}, "effect": {"type": "ping", "with": {"channel": "ops"}}}
        ],
        triggers=[{"type": "event", "event": "snow"}],
        source={"format": "asl", "name": "Origin"},
        extensions={"asl": {"Comment": "machine"}},
    )

    found = dict(zip(FIELDS, search_document(workflow).words, strict=True))

    assert found | {"details": ""} == {
        "id": "a",
        "name": "nam",
        "aliases": "nick",
        "description": "tell",
        "steps": "ask",
        "roles": "clerk boss",
        "services": "mail send ping",
        "tags": "label",
        "details": "",
    }
    details = set(found["details"].split())
    said = (
        "thoroughly rain other may ask sunny subject hello deep inside sheet paint red size kept verbatim "
        "again repeat loop wanted reason channel ops snow event origin comment machine"
    )
    assert {stem(word) for word in said.split()} <= details


def test_a_huge_workflow_is_indexed_in_part() -> None:
    steps = [f"Step{at} with more words than anybody reads" for at in range(2_000)]
    long = described("wf_a", "Long", *steps, description="word " * 4_000)

    columns = search_document(long).words

    assert max(len(column.split()) for column in columns) <= 1_500


def test_deeply_nested_data_ends_somewhere() -> None:
    data: dict[str, Any] = {"bottom": "reached"}
    for _ in range(60):
        data = {"level": [data]}

    details = search_document(described("wf_a", "Deep", extensions=data)).words[-1]

    assert "level" in details
    assert "reach" not in details


@given(workflows())
def test_any_workflow_has_a_document(workflow: Workflow) -> None:
    document = search_document(workflow)

    assert len(document.words) == len(FIELDS)
    assert len(document.facets.triggers) == len(workflow.triggers)
