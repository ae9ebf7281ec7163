"""The formats workflows come in and go out as, and telling which one a document is."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from typing_extensions import override

from workflow_agent.errors import InvalidInput, Misconfigured, Problem
from workflow_agent.workflows.formats.base import Format, Imported, UnreadableDocument, unreadable
from workflow_agent.workflows.formats.plain import list_in
from workflow_agent.workflows.formats.text import read_text, read_texts

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


class LateFormats(Mapping[str, Format]):
    """Formats by name, each imported when it is first asked for: most servers meet one or two in a day.

    Args:
        places: The module of each in this package, and its class there.
        others: Those of other packages; one that has a name of ours is left out.
    """

    def __init__(self, places: Mapping[str, str], others: Iterable[EntryPoint] = ()) -> None:
        own = (EntryPoint(name, f"{__package__}.{place.replace('.', ':')}", "") for name, place in places.items())
        foreign = {one.name: one for one in others if one.name not in places}
        self._places = {one.name: one for one in own} | foreign
        self._made: dict[str, Format] = {}

    @override
    def __getitem__(self, name: str) -> Format:
        if name not in self._made:
            place = self._places[name]
            try:
                kind = cast("type[Format]", place.load())
            except (ImportError, AttributeError) as error:
                raise Misconfigured(
                    f"The format {place.name!r} cannot be loaded from {place.value!r}: {error}. "
                    "Mend the package that names it, or remove it."
                ) from error
            # Two threads may both make it; a format keeps nothing, so either will do.
            self._made[name] = kind()
        return self._made[name]

    def add(self, name: str, kind: type[Format]) -> None:
        """Add a format of another package; one that has a name of ours is left out."""
        if name not in self._places:
            self._places[name] = EntryPoint(name, f"{kind.__module__}:{kind.__qualname__}", "")

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._places

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    @override
    def __len__(self) -> int:
        return len(self._places)


FORMATS = LateFormats(
    {
        "json": "native.NativeJson",
        "yaml": "native.NativeYaml",
        "asl": "asl.AmazonStatesLanguage",
        "serverless-workflow": "serverless_workflow.ServerlessWorkflow",
        "github-actions": "github_actions.GitHubActions",
        "argo": "argo.ArgoWorkflows",
        "state-machine": "state_machine.StateMachine",
        "n8n": "n8n.N8n",
        "bpmn": "bpmn.Bpmn",
        "camunda": "bpmn.Camunda",
        "arazzo": "arazzo.Arazzo",
        "dag-factory": "dag_factory.DagFactory",
        "kestra": "kestra.Kestra",
        "mermaid": "mermaid.Mermaid",
        "dot": "dot.Dot",
    },
    entry_points(group="workflow_agent.formats"),
)
"""Every format by its name, in the order in which they are asked whether a document is theirs: ours, and
those that installed packages name as entry points."""
MAX_DOCUMENTS = 200
"""Of one text."""
_CERTAIN_ENOUGH = 0.3


def format_named(name: str) -> Format:
    """Return the format of this name.

    Raises:
        InvalidInput: There is none; names those that there are.
    """
    if name not in FORMATS:
        message = f"there is no format {name[:40]!r}"
        raise InvalidInput(
            f"There is no format {name[:40]!r}; there are {', '.join(FORMATS)}.",
            [Problem("/format", message, tuple(FORMATS))],
        )
    return FORMATS[name]


def detect_format(document: Any) -> Format:
    """Return the format a parsed document most certainly is in, by its content.

    Raises:
        UnreadableDocument: It is in none of them.
    """
    found = _most_certain(document)
    if found is None:
        known = ", ".join(one.title for one in FORMATS.values())
        raise unreadable("workflow", f"is in no format that is known: {known}")
    return found


def _most_certain(document: Any) -> Format | None:
    ranked = max(FORMATS.values(), key=lambda one: one.recognises(document))
    return ranked if ranked.recognises(document) >= _CERTAIN_ENOUGH else None


@dataclass(frozen=True, slots=True)
class Part:
    """One of the documents in a text, and what became of it: the workflow in it, or why there is none."""

    number: int
    """Which one it is, from 1."""
    format: Format | None
    imported: Imported | None
    problems: tuple[Problem, ...] = ()


def summary_of_import(name: str, format_: Format | None) -> tuple[str, ...]:
    """Return what the record of a version says of the import that made it."""
    return (f"Imported {name!r} from {format_.title if format_ else 'a document'}",)


def import_workflow(text: str, format_name: str | None = None) -> tuple[Format, Imported]:
    """Return the workflow of a text that holds a single one, and the format it was in.

    Args:
        text: JSON, YAML or XML.
        format_name: The format it is in; None tells it by its content.

    Raises:
        InvalidInput: There is no such format.
        UnreadableDocument: The text is no valid document of the format, or holds several.
    """
    part, imported = only_workflow(import_workflows(text, format_name))
    assert part.format is not None  # noqa: S101 - what was read was read in a format
    return part.format, imported


def only_workflow(parts: Sequence[Part]) -> tuple[Part, Imported]:
    """Return the one part of a text and the workflow in it.

    Raises:
        UnreadableDocument: There are several parts.
    """
    only = parts[0]
    if len(parts) > 1 or only.imported is None:
        raise unreadable("workflow", f"has {len(parts)} documents; one is read at a time")
    return only, only.imported


def import_workflows(text: str, format_name: str | None = None) -> tuple[Part, ...]:
    """Return what became of each document in a text, in order; of at least one, a workflow.

    There are several where YAML separates them, where the text is a list of them, and where a format
    has several in one, as dag-factory has.

    Raises:
        InvalidInput: There is no such format.
        UnreadableDocument: None of them is a valid document of the format; with the problems of each.
    """
    chosen = format_named(format_name) if format_name else None
    documents = [one for whole in read_texts(text) for one in _listed(whole)]
    singles = list(_singles(documents, chosen))
    if len(singles) > MAX_DOCUMENTS:
        message = f"has {len(singles)} documents, more than the {MAX_DOCUMENTS} that are read at a time"
        raise unreadable("workflow", message)
    if len(singles) == 1:
        found, document = singles[0]
        found = found or detect_format(document)
        return (Part(1, found, found.read(document)),)
    parts = tuple(_part(number, *single) for number, single in enumerate(singles, 1))
    if not any(part.imported for part in parts):
        problems = [
            Problem(f"/{part.number - 1}{one.pointer}", one.message, one.valid)
            for part in parts
            for one in part.problems
        ]
        raise UnreadableDocument("workflow", problems or [Problem("", "has 0 documents")])
    return parts


def _listed(document: Any) -> list[Any]:
    """Return the documents of a list of them, as tools write that export all they have."""
    items = list_in(document)
    return items if items and all(isinstance(one, dict) for one in items) else [document]


def _singles(documents: Iterable[Any], chosen: Format | None) -> Iterator[tuple[Format | None, Any]]:
    for document in documents:
        found = chosen or _most_certain(document)
        for single in found.documents(document) if found else [document]:
            yield found, single


def _part(number: int, found: Format | None, document: Any) -> Part:
    try:
        found = found or detect_format(document)
        return Part(number, found, found.read(document))
    except UnreadableDocument as refused:
        return Part(number, found, None, refused.problems)


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
