"""Finding the document in a message: between fences, or after the words that introduce it."""

import re

from workflow_agent.errors import InvalidInput
from workflow_agent.workflows.formats import detect_format
from workflow_agent.workflows.formats.text import read_text

_FENCED = re.compile(r"^[ \t]*(```|~~~)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_ONE_LINE_FENCE = re.compile(r"```(?:json|ya?ml|xml)?\s*(.+?)```", re.DOTALL)
_BRACKET = re.compile(r"[{\[]|<\?xml|<[a-zA-Z][\w:]*[\s>]")
_KEY_LINE = re.compile(r"^[ \t]*(?:---|[\"']?[\w$][\w$./-]*[\"']?:(?:\s|$))", re.MULTILINE)
_DIAGRAM = re.compile(
    r"^[ \t]*(?:(?:flowchart|graph)[ \t]+(?:TB|TD|BT|RL|LR)|stateDiagram(?:-v2)?)[ \t]*(?:;|$)"
    r"|^[ \t]*(?:strict[ \t]+)?digraph\b[^{\n]*\{",
    re.MULTILINE,
)
_MOST_TRIES = 6
_ENDS = {"{": "}", "[": "]", "<": ">"}


def pasted_document(message: str) -> str | None:
    """Return the text of the workflow document in a message, or None when there is none that is known.

    What is tried, in this order: fenced blocks, from the line that begins a diagram to the end, the first
    bracket or tag to the last that closes it, and from the first line that looks like YAML to the end.
    """
    return next((text for text in _candidates(message) if _is_workflow(text)), None)


def looks_pasted(message: str) -> str | None:
    """Return the text that looks most like a document, known or not: so that its faults can be named."""
    return next(iter(_candidates(message)), None)


def _candidates(message: str) -> list[str]:
    fenced = [match[2] for match in _FENCED.finditer(message)]
    fenced += [match[1] for match in _ONE_LINE_FENCE.finditer(message)]
    diagram = _DIAGRAM.search(message)
    drawn = [message[diagram.start() :]] if diagram and not fenced else []
    return [*fenced[:_MOST_TRIES], *drawn, *_bracketed(message), *_from_key_lines(message)]


def _bracketed(message: str) -> list[str]:
    match = _BRACKET.search(message)
    if match is None:
        return []
    end = message.rfind(_ENDS[match[0][0]])
    return [message[match.start() : end + 1]] if end > match.start() else []


def _from_key_lines(message: str) -> list[str]:
    starts = [match.start() for match in _KEY_LINE.finditer(message)]
    return [message[start:] for start in starts[:_MOST_TRIES] if message.count("\n", start) > 1]


def _is_workflow(text: str) -> bool:
    try:
        detect_format(read_text(text))
    except InvalidInput:
        return False
    return True
