"""A front end's own tasks about a chat, such as its title: answered by rule, without a turn.

Open WebUI and LibreChat send them as a message under the id of the chat that they are about. Taken for the
user's, they would stand in the conversation, and a request for a title would make a workflow. A task of Open
WebUI is told by its heading with the chat below, in whatever language it was set up, and what it wants by the
key of the JSON it asks for; an emoji, one answer out of those of several models, and a choice among its own tools,
which have no heading, by the words they begin with; one of LibreChat by asking for a title of some words above
what both sides said.
"""

import json
import re
from typing import Any, Final

_BEGINS: Final = re.compile(r"\s*### [^\n]{1,60}\n")
_IN_ENGLISH: Final = re.compile(r"\s*### Task:\s*\n")
_KEYS: Final = ("title", "tags", "follow_ups", "queries")
_OF_A_TITLE: Final = re.compile(r"\btitle\b", re.IGNORECASE)
_OF_SOME_WORDS: Final = re.compile(r"\b(?:conversation|chat)\b", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\b\d+(?:-\d+)?[- ]words?\b|\bconcise\b", re.IGNORECASE)
_LED: Final = 600
"""Characters in which such a request says what it wants."""
_ASKED: Final = re.compile(r"^[|> ]*(?:user|human)[ ]*:\s*\"?(\S[^\n]*)", re.IGNORECASE | re.MULTILINE)
_ANSWERED: Final = re.compile(r"^[|> ]*(?:response|assistant|ai)[ ]*:", re.IGNORECASE | re.MULTILINE)
_HISTORY: Final = re.compile(r"<chat_history>\s*(.*?)\s*</chat_history>", re.DOTALL)
_SAID_FIRST: Final = re.compile(r"^\s*(?:USER|User|user)\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_TITLE_WORDS: Final = 6
_OF_AN_EMOJI: Final = re.compile(r"\s*Your task is to [^\n]{1,120}\bemoji\b[^`]{0,400}Message: ```", re.IGNORECASE)
_EMOJI: Final = "💬"
_OF_OTHERS: Final = re.compile(
    r"\s*You have been provided with a set of responses from [^\n]{0,40}models\b.*?\nResponses from models:", re.DOTALL
)
_ANSWER: Final = re.compile(r'"""(.*?)"""', re.DOTALL)
_OF_TOOLS: Final = re.compile(r"\s*Available Tools: ")
_TAGS: Final = 3
_NOT_TELLING: Final = frozenset({
    "please", "would", "could", "should", "with", "that", "this", "what", "which", "where", "when", "have",
    "from", "about", "make", "build", "create", "show", "there", "then", "them", "they", "your", "into",
})  # fmt: skip


def task_answer(message: str) -> str | None:
    """Return the answer to a front end's own task, in the form it asks for; None for what a person says."""
    if _OF_AN_EMOJI.match(message):
        return _EMOJI
    if (of_others := _OF_OTHERS.match(message)) is not None:
        return _told_by_others(message[of_others.end() :])
    history = _HISTORY.search(message)
    if not _BEGINS.match(message):
        return _plain_title(message)
    if history is None and not (_IN_ENGLISH.match(message) and "### Output:" in message):
        return None
    first = _SAID_FIRST.search(history[1]) if history else None
    task = message[: history.start()] if history else message
    key = next((one for one in _KEYS if f'"{one}"' in task), "")
    wanted = key or message.split("###", 2)[1].casefold()
    return json.dumps(_answer(wanted, first[1] if first else ""), ensure_ascii=False)


def takes_no_tool(instructions: str) -> str | None:
    """Return the answer to a front end that asks which of its own tools fit; None where it asks no such thing."""
    return json.dumps({"tool_calls": []}) if _OF_TOOLS.match(instructions) else None


def _told_by_others(listed: str) -> str:
    """Return the answers of several models, each once: what would make one of them is not asked for a chat's turn."""
    answers = dict.fromkeys(one.strip() for one in _ANSWER.findall(listed) if one.strip())
    return "\n\n---\n\n".join(answers)


def _plain_title(message: str) -> str | None:
    """Return a title as plain words, where one is asked for above what a user and an assistant said."""
    head, asked = message[:_LED], _ASKED.search(message)
    if asked is None or _ANSWERED.search(message, asked.end()) is None:
        return None
    told = head[: asked.start()] if asked.start() < _LED else head
    if not all(one.search(told) for one in (_OF_A_TITLE, _OF_SOME_WORDS, _COUNTED)):
        return None
    return _title_of(asked[1])


def _title_of(said: str) -> str:
    return " ".join(said.split()[:_TITLE_WORDS]).strip('.,;:!?" ') or "Workflows"


def _answer(task: str, said: str) -> dict[str, Any]:
    if "title" in task:
        return {"title": _title_of(said)}
    if "tag" in task:
        telling = (word.lower() for word in _WORD.findall(said) if word.lower() not in _NOT_TELLING)
        return {"tags": list(dict.fromkeys(telling))[:_TAGS] or ["workflows"]}
    if task == "follow_ups" or "follow-up" in task or "follow up" in task:
        return {"follow_ups": []}
    if "quer" in task:
        return {"queries": []}
    return {"text": ""}
