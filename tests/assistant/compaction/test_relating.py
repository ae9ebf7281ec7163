"""Summaries in whatever language, and what is none."""

import pytest

from tests.support.compacted_talks import said
from workflow_agent.assistant.compaction.checks import is_about, language_of, why_unusable
from workflow_agent.assistant.compaction.ledger import ledger_of
from workflow_agent.assistant.compaction.summarizer import Material, material_text
from workflow_agent.conversations.compactions import Summary
from workflow_agent.conversations.document import SystemEvent
from workflow_agent.values.tokens import tokens_of

ENGLISH = (
    "Let's talk about the expense approval, wf_expense. Claims above 4,500 EUR need a second signature.",
    "The owner is Ingrid Solberg, and the review must not take longer than two days.",
    "From now on answer briefly. Please add a legal check before the money is paid out.",
    "What happens when the manager rejects a claim, and who is told about it then?",
) * 3
GERMAN = (
    "Es geht um die Freigabe der Spesen, wf_expense. Über 4.500 EUR braucht es eine zweite Unterschrift.",
    "Die Verantwortliche ist Ingrid Solberg, und die Prüfung darf nicht länger als zwei Tage dauern.",
    "Antworte ab jetzt kurz. Bitte füge eine rechtliche Prüfung ein, bevor das Geld ausgezahlt wird.",
    "Was geschieht, wenn die Chefin einen Antrag ablehnt, und wer erfährt dann davon?",
) * 3
JAPANESE = (
    "経費の承認ワークフローについて話しましょう。四千五百ユーロを超える請求には二人目の署名が必要です。",
    "担当者は田中さんです。確認は二日以内に終わらせてください。これからは短く答えてください。",
    "支払いの前に法務の確認を追加してください。却下されたら誰に知らせますか。",
) * 4


def judged(summary: str, talk: tuple[str, ...]) -> str | None:
    """Return why a summary of a talk is not taken, which both sides hold in one language."""
    events = tuple(
        event.model_copy(update={"content": talk[event.turn % len(talk)]})
        for event in said(*talk).events
        if not isinstance(event, SystemEvent)
    )
    source = material_text(Material(None, ledger_of(events), events), 50_000)
    return why_unusable(Summary(text=summary), source, "Sum up the earlier turns of it.", tokens_of)


@pytest.mark.parametrize(
    ("summary", "talk"),
    [
        pytest.param("The user wants a second signature on claims above 4,500 EUR.", ENGLISH, id="its own"),
        pytest.param(
            "Ab 4.500 EUR wird eine zweite Unterschrift verlangt; verantwortlich ist Ingrid Solberg.",
            ENGLISH,
            id="German of English, sharing figures",
        ),
        pytest.param(
            "Der Benutzer möchte kurze Antworten und hat eine rechtliche Prüfung vor der Zahlung bestellt.",
            ENGLISH,
            id="German of English, naming nothing",
        ),
        pytest.param(
            "The user asked for short answers and a second signature above 4,500 EUR in wf_expense.",
            GERMAN,
            id="English of German, sharing ids",
        ),
        pytest.param(
            "The user wants short answers and asked who hears of it when the boss says no.",
            GERMAN,
            id="English of German, naming nothing",
        ),
        pytest.param(
            "L'utilisatrice veut une deuxième signature; la responsable est Ingrid Solberg, et on répond brièvement.",
            ENGLISH,
            id="French of English",
        ),
        pytest.param(
            "Пользователь просит вторую подпись для крупных сумм и короткие ответы, решает Ingrid Solberg.",
            ENGLISH,
            id="Russian of English",
        ),
        pytest.param(
            "経費の承認には二人目の署名が必要で、支払いの前に法務が確認する。短く答える。", JAPANESE, id="Japanese"
        ),
        pytest.param(
            "The user wants a second signature on large claims, a legal check and short answers.",
            JAPANESE,
            id="English of Japanese",
        ),
    ],
)
def test_a_summary_is_taken_in_whatever_language(summary: str, talk: tuple[str, ...]) -> None:
    assert judged(summary, talk) is None


@pytest.mark.parametrize("talk", [ENGLISH, GERMAN], ids=["English", "German"])
@pytest.mark.parametrize(
    "babble",
    [
        pytest.param("Lorem ipsum dolor amet consectetur adipiscing elit eiusmod tempor", id="Latin"),
        pytest.param("blorp zazz quuxing frobnicated wibbles mumbling gnarlfests zorks", id="no words"),
        pytest.param(
            "Ships INV-7788 and INV-9912 sailed to harbour 5512 with barrels of salted herring aboard.",
            id="naming what was never there",
        ),
    ],
)
def test_babble_is_not_taken(babble: str, talk: tuple[str, ...]) -> None:
    assert judged(babble, talk) == "about something else"


def test_babble_in_the_language_of_the_talk_is_not_taken() -> None:
    weather = "Sunny weather brings many birds into gardens, where children play football until evening."
    recipe = "Man nehme Mehl, Butter sowie Zucker, knete alles gründlich durch und backe goldbraune Kekse."

    assert judged(weather, ENGLISH) == judged(recipe, GERMAN) == "about something else"
    assert judged("猫が庭で魚を食べて、犬は海岸で泳いでいた。天気がとても良い。", JAPANESE) == "about something else"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The owner of this is not known to us", "en"),
        ("Die Chefin ist nicht für das Geld da", "de"),
        ("La responsable ne veut pas que les autres le disent", "fr"),
        ("Это решение", "CYRILLIC"),
        ("Lorem ipsum dolor amet consectetur", None),
        ("12 + 30", None),
    ],
)
def test_a_language_is_known_by_its_small_words(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_a_few_words_are_not_judged() -> None:
    assert is_about("All is well.", "Nothing of the kind is said here at all.")
