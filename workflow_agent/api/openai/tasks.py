"""A front end's own tasks about a chat, such as its title: answered by rule, without a turn.

Open WebUI sends them as a message under the id of the chat that they are about. Taken for the user's,
they would stand in the conversation, and a request for a title would make a workflow.
"""

import json
import re
from typing import Any, Final

_BEGINS: Final = re.compile(r"\s*### Task:\s*\n")
_HISTORY: Final = re.compile(r"<chat_history>\s*(.*?)\s*</chat_history>", re.DOTALL)
_SAID_FIRST: Final = re.compile(r"^\s*(?:USER|User|user)\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_TITLE_WORDS: Final = 6
_TAGS: Final = 3
_NOT_TELLING: Final = frozenset({
    "please", "would", "could", "should", "with", "that", "this", "what", "which", "where", "when", "have",
    "from", "about", "make", "build", "create", "show", "there", "then", "them", "they", "your", "into",
})  # fmt: skip


def task_answer(message: str) -> str | None:
    """Return the answer to a front end's own task, in the JSON it asks for; None for what a person says."""
    if not _BEGINS.match(message) or not ("### Output:" in message or "<chat_history>" in message):
        return None
    task = message.split("###", 2)[1].casefold()
    history = _HISTORY.search(message)
    first = _SAID_FIRST.search(history[1]) if history else None
    return json.dumps(_answer(task, first[1] if first else ""), ensure_ascii=False)


def _answer(task: str, said: str) -> dict[str, Any]:
    if "title" in task:
        words = said.split()[:_TITLE_WORDS]
        return {"title": " ".join(words).rstrip(".,;:!?") or "Workflows"}
    if "tag" in task:
        telling = (word.lower() for word in _WORD.findall(said) if word.lower() not in _NOT_TELLING)
        return {"tags": list(dict.fromkeys(telling))[:_TAGS] or ["workflows"]}
    if "follow-up" in task or "follow up" in task:
        return {"follow_ups": []}
    if "quer" in task:
        return {"queries": []}
    return {"text": ""}
