"""The text in OpenAI's messages, whose content is a string or parts, and the tasks of front ends among it."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import ValidationError

from workflow_agent.api.native.chat import RequestAttachment, new_attachments
from workflow_agent.api.native.request_shapes import MAX_MESSAGE_CHARS
from workflow_agent.assistant.attachments import NewAttachment
from workflow_agent.conversations.imports import Said
from workflow_agent.conversations.iterations import FinishReason
from workflow_agent.errors import InvalidInput, Problem
from workflow_agent.values.stored import JsonObject

_DATA_URL = re.compile(r"data:(?P<media>[\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,")
KINDS = ("file", "input_file")
_FINISHED = {"length": "length", "cut": "length", "content_filter": "content_filter", "refusal": "content_filter"}


def _file(part: JsonObject, pointer: str) -> NewAttachment:
    """Return a file part as the attachment it is; its data are base64, plain or in a data URL.

    It is `{"type": "file", "file": {"filename": …, "file_data": …}}`, or has the same members in an `input_file`.
    A file that is kept elsewhere is refused.
    """
    inner = part.get("file") if part.get("type") == "file" else part
    given = cast("dict[str, Any]", inner) if isinstance(inner, dict) else {}
    data = given.get("file_data")
    if not isinstance(data, str):
        raise refused(pointer, "must carry its content in `file_data`; files kept elsewhere are not read here")
    url = _DATA_URL.match(data)
    try:
        attachment = RequestAttachment(
            content=data[url.end() :] if url else data,
            title=given.get("filename"),
            media_type=url["media"] if url else None,
            encoding="base64",
        )
    except ValidationError as error:
        raise refused(pointer, f"is not a file: {error.errors()[0]['msg']}") from error
    return new_attachments([attachment])[0]


def refused(pointer: str, message: str) -> InvalidInput:
    """Return the refusal of a part of a body, by where it stands."""
    return InvalidInput(f"{pointer[1:]} {message}.", [Problem(pointer, message)])


MAX_INSTRUCTIONS_CHARS = 32_000
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal"})


@dataclass(frozen=True, slots=True)
class Script:
    """A chat as a client sends it: the message to answer, what was said before, and its instructions."""

    message: str
    earlier: tuple[Said, ...]
    instructions: str
    files: tuple[NewAttachment, ...] = ()
    """Those that come with the message to answer; earlier ones are in the conversation."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One message of a request, whichever API it came by."""

    role: str
    content: Sequence[JsonObject] | None
    pointer: str
    """Where it stands in the request."""

    def parts(self) -> Iterator[tuple[JsonObject, str]]:
        """Yield each part with where it stands."""
        for at, part in enumerate(self.content or ()):
            yield part, f"{self.pointer}/content/{at}"

    def files(self) -> tuple[NewAttachment, ...]:
        """Return the files among its parts."""
        return tuple(_file(part, pointer) for part, pointer in self.parts() if part.get("type") in KINDS)


def script_of(sent: Iterable[Sent], pointer: str) -> Script:
    """Return the chat that a request carries, its messages oldest first, the last of them a user's.

    What tools of the client's own returned is left out: their calls were never ours.
    """
    told: list[str] = []
    said: list[Said] = []
    files: tuple[NewAttachment, ...] = ()
    listed = list(sent)
    newest = max((at for at, one in enumerate(listed) if one.role == "user"), default=-1)
    for at, one in enumerate(listed):
        # What cannot be read now was refused when it came: a chat is not refused for good because of it.
        text = text_of(one) if at == newest else readable_text_of(one)
        if one.role in ("system", "developer"):
            told.append(text)
        elif one.role == "user":
            said.append(Said("user", text))
            files = one.files() if at == newest else ()
        elif one.role == "assistant" and text:
            said.append(Said("assistant", text))
    if not said or said[-1].role != "user" or not said[-1].text.strip():
        raise refused(pointer, "must end with a message of role 'user' that says something")
    if len(said[-1].text) > MAX_MESSAGE_CHARS:
        raise refused(pointer, f"ends with a message of more than {MAX_MESSAGE_CHARS} characters")
    instructions = "\n\n".join(filter(None, told))
    if len(instructions) > MAX_INSTRUCTIONS_CHARS:
        raise refused(pointer, f"has instructions of more than {MAX_INSTRUCTIONS_CHARS} characters")
    return Script(said[-1].text, tuple(said[:-1]), instructions, files)


def text_of(sent: Sent) -> str:
    """Return a message's text; a part that is none is refused."""
    return "".join(_part(*part) for part in sent.parts())


def readable_text_of(sent: Sent) -> str:
    """Return a message's text, without the parts that are none."""
    texts = (part.get("text", part.get("refusal")) for part, _ in sent.parts() if part.get("type") in _TEXT_PARTS)
    return "".join(text for text in texts if isinstance(text, str))


def _part(part: JsonObject, pointer: str) -> str:
    kind = part.get("type")
    if kind in KINDS:
        return ""
    text = part.get("text", part.get("refusal"))
    if kind not in _TEXT_PARTS or not isinstance(text, str):
        raise refused(pointer, f"is a part of type {str(kind)[:40]!r}; only text and files are read here")
    return text


def finish_named(reasons: Sequence[FinishReason]) -> str:
    """Return why answers ended, as OpenAI says it; one that broke off is one that is not whole."""
    return next((_FINISHED[one] for one in reasons if one != "stop"), "stop")


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
_OF_AN_EMOJI: Final = re.compile(r"\s*Your task is to [^\n]{1,120}\bemoji\b[^`]{0,400}Message: ```", re.IGNORECASE)
_OF_OTHERS: Final = re.compile(
    r"\s*You have been provided with a set of responses from [^\n]{0,40}models\b.*?\nResponses from models:", re.DOTALL
)
_ANSWER: Final = re.compile(r'"""(.*?)"""', re.DOTALL)
_OF_TOOLS: Final = re.compile(r"\s*Available Tools: ")
_NOT_TELLING: Final = frozenset({
    "please", "would", "could", "should", "with", "that", "this", "what", "which", "where", "when", "have",
    "from", "about", "make", "build", "create", "show", "there", "then", "them", "they", "your", "into",
})  # fmt: skip


def task_answer(message: str) -> str | None:
    """Return the answer to a front end's own task, in the form it asks for; None for what a person says.

    Open WebUI and LibreChat send such tasks as messages of the chat they are about, where a request for a title would
    make a workflow. One of Open WebUI is told by its heading with the chat below, whatever its language, and what it
    wants by the key of the JSON it asks for; one without a heading by the words it begins with; one of LibreChat by
    asking for a title of some words above what both sides said.
    """
    if _OF_AN_EMOJI.match(message):
        return "💬"
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
    return " ".join(said.split()[:6]).strip('.,;:!?" ') or "Workflows"


def _answer(task: str, said: str) -> dict[str, Any]:
    if "title" in task:
        return {"title": _title_of(said)}
    if "tag" in task:
        telling = (word.lower() for word in _WORD.findall(said) if word.lower() not in _NOT_TELLING)
        return {"tags": list(dict.fromkeys(telling))[:3] or ["workflows"]}
    if task == "follow_ups" or "follow-up" in task or "follow up" in task:
        return {"follow_ups": []}
    if "quer" in task:
        return {"queries": []}
    return {"text": ""}
