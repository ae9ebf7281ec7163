"""A response as it is on record, wherever its turn is kept by now."""

from collections.abc import Sequence
from dataclasses import dataclass

from workflow_agent.api.openai_errors import ResponseNotFound
from workflow_agent.api.services import Services, past_of
from workflow_agent.chat import TurnOutcome, outcome_of
from workflow_agent.chat.past import Past
from workflow_agent.domain.conversation import AgentReply, UserMessage
from workflow_agent.domain.errors import NotFound, RunNotFound
from workflow_agent.domain.records import leading_in, newest_in
from workflow_agent.domain.runs import Run

_RUN_PREFIX, _RESPONSE_PREFIX = "run_", "resp_"


@dataclass(frozen=True, slots=True)
class Recorded:
    """What answers one message: the runs of all its agents together are one response."""

    conversation_id: str
    message: UserMessage
    """What it answers."""
    first: Run
    newest: Run
    outcome: TurnOutcome | None
    """The replies there are; None for none yet."""
    previous: str | None
    """The id of the response before."""

    @property
    def replies(self) -> Sequence[AgentReply]:
        """Return the replies there are, in order."""
        return self.outcome.replies if self.outcome else ()


def response_id(run_id: str) -> str:
    """Return the id of the response that a run makes, or begins."""
    return _RESPONSE_PREFIX + run_id.removeprefix(_RUN_PREFIX)


async def recorded_response(
    services: Services, tenant: str, given: str, param: str | None = None
) -> Recorded:
    """Return the response of this id.

    Args:
        services: What the application is made with.
        tenant: Whose data this is about.
        given: The id, as the client wrote it.
        param: Where the client wrote it, if not in the path.

    Raises:
        ResponseNotFound: There is none.
    """
    try:
        if not given.startswith(_RESPONSE_PREFIX):
            raise RunNotFound(f"{given[:100]!r} is not the id of a response.")
        run_id = _RUN_PREFIX + given.removeprefix(_RESPONSE_PREFIX)
        records, run = await services.chat.recorded_run(tenant, run_id)
        past = await past_of(services, tenant, records.id)
    except NotFound as error:
        raise _no_response(given, param) from error
    first = leading_in(records, run)
    message = next((event for event in records.events if event.id == first.user_event_id), None)
    if not isinstance(message, UserMessage):
        # What an application says the assistant said answers nothing.
        raise _no_response(given, param)
    outcome = outcome_of(records, first.run_id)
    before = await _before(past, run.turn)
    return Recorded(records.id, message, first, newest_in(records, first), outcome, before)


def _no_response(given: str, param: str | None) -> ResponseNotFound:
    details = {"param": param} if param else {}
    return ResponseNotFound(f"There is no response {given[:100]!r}.", **details)


async def _before(past: Past, turn: int) -> str | None:
    """Return the id of the newest response before a turn."""
    for number in range(turn - 1, 0, -1):
        try:
            answers = (await past.turn(number)).answers
        except NotFound:
            continue
        if any(answer.reply is not None for answer in answers):
            return response_id(answers[0].run_id)
    return None
