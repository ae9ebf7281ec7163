"""What a conversation and its runs are called."""

import re

from workflow_agent.domain.errors import RunNotFound

_RUN_ID = re.compile(r"run_([a-z0-9][a-z0-9_-]{0,63})_([0-9]{1,9})_[a-z0-9]{1,32}")
MAX_TITLE_CHARS = 80
_SHORT_TITLE_WORDS = 3


def title_from(message: str) -> str:
    """Return a title made of the beginning of a message: its first line, cut at a word."""
    line = next((text.strip() for text in message.splitlines() if text.strip()), "")
    line = " ".join(line[:400].split())
    if len(line) <= MAX_TITLE_CHARS:
        return line
    cut = line[: MAX_TITLE_CHARS - 1]
    whole_words = cut.rsplit(" ", 1)[0] if cut.count(" ") >= _SHORT_TITLE_WORDS else cut
    return whole_words.rstrip(" ,;:.") + "…"


def conversation_of_run(run_id: str) -> str:
    """Return the id of the conversation a run belongs to, which its own id carries.

    Raises:
        RunNotFound: This is not the id of a run.
    """
    return _parts(run_id)[1]


def turn_of_run(run_id: str) -> int:
    """Return the number of the turn a run belongs to, which its own id carries too.

    Raises:
        RunNotFound: This is not the id of a run.
    """
    return int(_parts(run_id)[2])


def _parts(run_id: str) -> re.Match[str]:
    match = _RUN_ID.fullmatch(run_id)
    if match is None:
        raise RunNotFound(f"There is no run {run_id[:100]!r}.", run_id=run_id[:100])
    return match
