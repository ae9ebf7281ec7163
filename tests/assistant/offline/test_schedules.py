"""When workflows start, as a question says it and as the list of workflows tells it."""

import pytest

from workflow_agent.assistant.offline.schedules import started_by, times_of
from workflow_agent.assistant.offline.tokens import read_tokens

NIGHTLY = "every day at 02:00"
STARTS = {
    "what runs at night?": ((NIGHTLY, "on schedule 0 */6 * * *", "every 1 hour"), ("every day at 12:00", "manually")),
    "what runs every night?": ((NIGHTLY, "on schedule 30 23 * * 1-5"), ("on schedule 0 */6 * * *", "every 2 hours")),
    "what runs nightly?": ((NIGHTLY,), ("on day 1 of each month at 02:00",)),
    "what starts in the morning?": (("every Monday at 09:00 UTC",), (NIGHTLY, "on invoice.paid")),
    "what starts on mondays?": (("every Monday at 09:00", NIGHTLY), ("every Tuesday at 09:00",)),
    "what runs on weekdays?": (("every weekday at 08:00", NIGHTLY), ("every Sunday at 08:00",)),
    "what runs at the weekend?": ((NIGHTLY,), ("every weekday at 08:00",)),
    "what starts at 2 am?": ((NIGHTLY,), ("every day at 14:00", "every 1 hour")),
    "what starts at 2 pm?": (("every day at 14:00",), (NIGHTLY,)),
    "what starts at 02:30?": (("on schedule 30 2 * * mon,wed",), (NIGHTLY,)),
    "what starts on the first of the month?": (
        ("on day 1 of each month at 08:00",),
        ("on day 2 of each month at 08:00",),
    ),
    "what runs hourly?": (("every 1 hour", "on schedule 0 * * * *"), (NIGHTLY,)),
    "what runs every day?": ((NIGHTLY, "every 2 days"), ("every Monday at 09:00",)),
    "what runs every week?": (("every Monday at 09:00", "every 2 weeks"), (NIGHTLY,)),
    "what runs every month?": (("on day 1 of each month at 08:00", "every month"), (NIGHTLY,)),
    "what runs quarterly?": (("on schedule 0 8 1 */3 *",), ("on day 1 of each month at 08:00",)),
    "what runs every year?": (("on schedule 0 8 1 jan *",), (NIGHTLY,)),
    "what runs by the clock?": ((NIGHTLY, "every 1 hour"), ("manually", "on a request /orders")),
    "what is started by a webhook?": (("on a request /orders", "on POST /orders"), ("on order.created", "manually")),
    "what is started by an event?": (
        ("on order.created",),
        ("on a request /orders", "on day 1 of each month at 08:00"),
    ),
    "what is started by hand?": (("manually",), (NIGHTLY,)),
}


@pytest.mark.parametrize("question", STARTS)
def test_a_start_that_is_asked_for_is_told_from_others(question: str) -> None:
    found = started_by(tuple(token for token in read_tokens(question) if token.kind != "punct"))
    fitting, others = STARTS[question]

    assert found is not None
    assert [one for one in fitting if not found.passes([one])] == []
    assert [one for one in others if found.passes([one])] == []


def test_what_says_nothing_of_a_start_asks_for_none() -> None:
    assert started_by(read_tokens("who packs the parcel?")) is None
    assert times_of("on invoice.paid") is None
    assert times_of("after workflow wf_other") is None
