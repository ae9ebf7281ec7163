"""Which schedule words tell, in whatever order they stand."""

from typing import Any

import pytest

from workflow_agent.assistant.offline.nlu.recurring import is_habit, recurrence_told
from workflow_agent.assistant.offline.plan import NotRead
from workflow_agent.assistant.offline.tokens import read_tokens


def _cron(cron: str) -> dict[str, str]:
    return {"type": "schedule", "cron": cron, "timezone": "UTC"}


@pytest.mark.parametrize(
    ("said", "trigger"),
    [
        ("every other week", {"type": "schedule", "every": "P2W"}),
        ("every second quarter", {"type": "schedule", "every": "P6M"}),
        ("every 3 hours", {"type": "schedule", "every": "PT3H"}),
        ("every minute", {"type": "schedule", "every": "PT1M"}),
        ("hourly", _cron("0 * * * *")),
        ("every working day at 8", _cron("0 8 * * 1-5")),
        ("weekdays at noon", _cron("0 12 * * 1-5")),
        ("at noon each day", _cron("0 12 * * *")),
        ("at 14:30 on the first of each month", _cron("30 14 1 * *")),
        ("at noon", None),
        ("at 9 each order", None),
        ("each weekend", _cron("0 9 * * 6,0")),
        ("every evening at 8", _cron("0 20 * * *")),
        ("every monday and thursday at 7 pm", _cron("0 19 * * 1,4")),
        ("once a week", _cron("0 9 * * 1")),
        ("on the first of each quarter", _cron("0 9 1 1,4,7,10 *")),
        ("on the 15th of March", _cron("0 9 15 3 *")),
        ("yearly", _cron("0 9 1 1 *")),
        ("on Monday", None),
        ("every", None),
        ("every two days at 8", None),
        ("at 6 every day", _cron("0 6 * * *")),
        ("3 times per day", None),
        ("twice every 2 weeks", None),
        ("every half year", {"type": "schedule", "every": "P6M"}),
        ("every 15 minutes on weekdays", None),
        ("every half hour", {"type": "schedule", "every": "PT30M"}),
        ("from Monday to Friday at 7:30", None),
        ("every day from Monday to Friday at 7:30", _cron("30 7 * * 1-5")),
    ],
)
def test_schedules(said: str, trigger: dict[str, Any] | None) -> None:
    words = read_tokens(said)
    told = recurrence_told(words, every=False) if is_habit(words) else None

    assert (told and told.trigger()) == trigger


@pytest.mark.parametrize("said", ["every other week at 8", "every other Friday", "on the last day of each month"])
def test_what_cron_cannot_say_is_refused_by_its_words(said: str) -> None:
    with pytest.raises(NotRead, match=r"no “(other|last)"):
        recurrence_told(read_tokens(said), every=False)
