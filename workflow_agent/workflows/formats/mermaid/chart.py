"""A Mermaid flowchart or state diagram: its lines, and what each says of nodes and links."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

TITLE = "Mermaid"
SHAPES: Final = {
    "(((": (")))",), "([": ("])",), "[(": (")]",), "[[": ("]]",), "((": ("))",), "{{": ("}}",),
    "[/": ("/]", "\\]"), "[\\": ("\\]", "/]"), "(": (")",), "[": ("]",), "{": ("}",), ">": ("]",),
}  # fmt: skip
"""What a label stands between, the longest first."""
START, END = "[*]>", ">[*]"
"""How the ids of the pseudo-states begin from which a scope is entered, and in which it ends."""

Span = tuple[int, int]
"""Where something begins and ends in the text of its line."""


@dataclass(frozen=True, slots=True)
class Node:
    """A mention of a node, with its label where it has one there."""

    id: str
    opening: str = ""
    """What the label stands between begins so; of a state `state`, `fork`, `join` or `choice`."""
    closing: str = ""
    label: str | None = None
    """As it is written."""
    style: str = ""
    """The class it is given."""
    at: Span = (0, 0)
    label_at: Span | None = None
    """Its quotes are in it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link between two nodes."""

    source: str
    target: str
    arrow: str = "-->"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """What joins two groups of nodes."""

    text: str
    label: str
    label_at: Span | None
    """With what stands around it where it is between bars."""
    links: tuple[Link, ...] = ()
    """None where it is not seen."""
    pairs: tuple[tuple[str, str], ...] = ()
    """What it joins, in the order in which Mermaid numbers links."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Groups of nodes, each joined to the next by an arrow."""

    groups: list[list[Node]] = field(default_factory=list[list[Node]])
    arrows: list[Arrow] = field(default_factory=list[Arrow])


@dataclass(slots=True)
class Line:
    """A line of the document, and what it says."""

    text: str
    scope: str = ""
    """The innermost subgraph or composite state that it is in."""
    nodes: list[Node] = field(default_factory=list[Node])
    links: list[Link] = field(default_factory=list[Link])
    statements: list[Statement] = field(default_factory=list[Statement])
    is_statement: bool = False
    opens: str = ""
    closes: str = ""
    """The subgraph or composite state that begins or ends here."""

    @property
    def indent(self) -> str:
        """The blanks it begins with."""
        return self.text[: len(self.text) - len(self.text.lstrip())]


@dataclass(slots=True)
class Chart:
    """A whole diagram."""

    lines: list[Line] = field(default_factory=list[Line])
    title: str = ""
    is_state: bool = False
    scopes: dict[str, str] = field(default_factory=dict[str, str])
    """The title of each subgraph or composite state, by id."""
    within: dict[str, str] = field(default_factory=dict[str, str])
    """The scope that each scope is in."""

    def arrows(self) -> Iterator[Arrow]:
        """Yield all arrows, in order."""
        yield from (arrow for line in self.lines for one in line.statements for arrow in one.arrows)
