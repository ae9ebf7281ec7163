"""What a summary may say: lies of many kinds are left out, honest words for the same things stay."""

from pathlib import Path

import pytest

from benchmarks.eval_summaries import figures
from tests.support.compacted_talks import said
from tests.support.growth import assert_grows_linearly
from tests.support.summarised_talks import Talk, talks_in
from workflow_agent.assistant.compaction.evidence import Evidence, supported
from workflow_agent.conversations.compactions import Summary

TALKS = talks_in(Path(__file__).with_name("data") / "summaries.txt")


@pytest.mark.parametrize(
    ("talk", "lie"), [pytest.param(talk, one, id=f"{talk.name}: {one}") for talk in TALKS for one in talk.lies]
)
def test_a_lie_is_left_out_and_said_so(talk: Talk, lie: str) -> None:
    kept, gone, _ = supported(Summary(text=f"{talk.honest[0]} {lie}", decisions=(lie,)), Evidence("", talk.events))

    assert kept == Summary(text=talk.honest[0])
    assert [one.startswith(lie) for one in gone] == [True, True]


@pytest.mark.parametrize(
    ("talk", "honest"), [pytest.param(talk, one, id=f"{talk.name}: {one}") for talk in TALKS for one in talk.honest]
)
def test_an_honest_paraphrase_stays(talk: Talk, honest: str) -> None:
    kept, gone, _ = supported(Summary(text=honest), Evidence("", talk.events))

    assert (kept.text, gone) == (honest, ())


def test_a_question_may_stand_among_the_open_ones_and_nowhere_else() -> None:
    events = said("Is the warehouse insured against floods?").events

    kept, _, _ = supported(
        Summary(
            open_questions=("Insured against floods",), text="The warehouse is insured against floods. They talked."
        ),
        Evidence("", events),
    )

    assert (kept.open_questions, kept.text) == (("Insured against floods",), "They talked.")


def test_of_talks_written_before_the_checks_few_sentences_are_judged_wrongly() -> None:
    found = figures("development")

    assert {what: value >= 0.95 for what, (value, _) in found.items()} == {
        "lies that are found": True,
        "honest sentences that stay": True,
    }


def test_of_talks_by_somebody_who_had_not_read_the_checks_most_sentences_are_judged_rightly() -> None:
    found = figures("development, later talks")

    assert {what: value >= 0.75 for what, (value, _) in found.items()} == {
        "lies that are found": True,
        "honest sentences that stay": True,
    }


def test_of_plain_sentences_nearly_all_are_judged_rightly() -> None:
    found = figures("development, plain voices")

    assert {what: value >= 0.85 for what, (value, _) in found.items()} == {
        "lies that are found": True,
        "honest sentences that stay": True,
    }


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("It was agreed to put trackers on all bikes.", "it was turned down"),
        ("As Hanna wanted, a second station opens in Bremen.", "it was left open"),
        ("The user turned down putting trackers on all bikes.", None),
        ("Hanna wanted a second station in Bremen.", None),
        ("Bikes must be back by 19:00.", None),
        ("Nora Reiter is the mechanic.", "nobody calls"),
    ],
)
def test_what_was_left_open_or_turned_down_is_not_told_as_settled(told: str, why: str | None) -> None:
    talk = said(
        "Hi, Nora Reiter here, I run the shop. Bikes must be back by 19:00.",
        "Somebody proposed trackers on all bikes. We rejected that, too expensive.",
        "Hanna would like a second station in Bremen. We have not decided yet.",
        "Carla is our mechanic.",
    )

    found = Evidence("", talk.events).why_not(told)

    assert (found is None) if why is None else why in (found or "")


@pytest.mark.untraced
def test_of_fluent_sentences_most_true_ones_stay() -> None:
    found = figures("development, fluent")

    assert found["honest sentences that stay"][0] >= 0.75
    assert found["lies that are found"][0] >= 0.55


@pytest.mark.parametrize(
    ("told", "said_of_it"),
    [
        ("The list goes out at 17:00.", "The list goes out at five in the afternoon."),
        ("The list goes out at 5:40.", "The list goes out at twenty to six."),
        ("The list goes out at 22:00.", "The list goes out at ten at night."),
        ("The list goes out at 9:05.", "The list goes out at five past nine."),
        ("Six testers are invited.", "Half a dozen testers are invited."),
        ("We are a studio of 9 persons.", "The user belongs to a nine-person studio."),
        ("Tell me above 80 percent of the budget.", "Above four fifths of the budget the user is told."),
        ("The budget is 1,200 EUR per person and year.", "Each person has a yearly budget of 1,200 EUR."),
        ("Complaints are answered within two weeks.", "Complaints are answered within 14 days."),
        ("Boxes weigh 1.5 kilograms.", "Boxes weigh one and a half kilograms."),
        ("From 5 to 7 people come.", "Five to seven people come."),
        ("The firm visits two times per week.", "The firm visits twice a week."),
        ("Ship it at half past four.", "It is shipped at 16:30."),
    ],
)
def test_quantities_are_known_in_other_forms(told: str, said_of_it: str) -> None:
    assert Evidence("", said(told).events).why_not(said_of_it) is None


def test_reasons_name_what_is_wrong() -> None:
    evidence = Evidence(
        "", said("The nurse registers the patient within two days, then a doctor examines them.").events
    )

    assert evidence.why_not("A doctor registers the patient.") == "another one is to register"
    assert evidence.why_not("The patient is registered within 48 hours.") is None
    assert evidence.why_not("The patient is registered within two weeks.") == "'2-week' is nowhere"


@pytest.mark.untraced
@pytest.mark.parametrize("piece", ["x", "Xy", "x-", "xed", "from x ", "1", "1."])
def test_long_words_are_judged_in_linear_time(piece: str) -> None:
    def judge(text: str) -> None:
        supported(Summary(text=text, decisions=(text,)), Evidence("", said(text, "Hello there.").events))

    assert_grows_linearly(lambda size: piece * (size // len(piece)), judge, 12_000)


@pytest.mark.untraced
def test_messages_of_many_ideas_are_read_in_linear_time() -> None:
    def ideas(size: int) -> str:
        return " ".join(f"Maybe add step {size}x{number}." for number in range(size))

    assert_grows_linearly(ideas, lambda text: Evidence("", said(text, text, "Hello there.").events), 1_200)


@pytest.mark.parametrize(
    "honest",
    [
        "Once their book has arrived, Ada phones readers.",
        "Ada phones all readers at once.",
        "Whether Mr Adeyemi may sign is still to be found out.",
    ],
)
def test_once_at_once_and_whether_are_no_numbers_or_names(honest: str) -> None:
    events = said(
        "Ada phones the readers when a book has arrived, all together. May Mr Adeyemi sign? I have to find out."
    ).events

    assert Evidence("", events).why_not(honest) is None
