"""The messages, errors and signals that a BPMN document defines beside its process."""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from workflow_agent.workflows.formats.bpmn.xml import bpmn, is_same, local_name
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.model.parser import slug, unique_id

_NAMED = ("message", "error", "signal", "escalation")


class Roots:
    """Knows them by id, and makes those that are needed and not there."""

    def __init__(self, elements: Iterable[Element] = (), taken: set[str] | None = None) -> None:
        self.made: list[Element] = []
        self._taken = set[str]() if taken is None else taken
        self._names: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], str] = {}
        for element in elements:
            self._know(element)

    def _know(self, element: Element) -> None:
        kind, root_id = local_name(element), element.get("id")
        name = fit(element.get("name") or element.get("errorCode") or element.get("escalationCode") or "")
        if kind in _NAMED and root_id and name:
            self._names[root_id] = name
            self._by_name.setdefault((kind, name), root_id)

    def name_of(self, reference: str | None) -> str | None:
        """Return the name of what a reference refers to, or the reference itself."""
        local = (reference or "").rpartition(":")[2]
        return self._names.get(local) or fit(local)

    def named(self, kind: str, name: str) -> str:
        """Return the id of the message, error, ... of this name; one is made where there is none."""
        known = self._by_name.get((kind, name))
        if known is not None:
            return known
        element = _made(kind, name)
        made_id = unique_id(element.get("id", kind), self._taken)
        element.set("id", made_id)
        self._taken.add(made_id)
        self._know(element)
        self.made.append(element)
        return made_id


def _made(kind: str, name: str) -> Element:
    element = Element(bpmn(kind), {"id": f"{kind.capitalize()}_{slug(name, fallback=kind)}", "name": name})
    if kind == "error":
        element.set("errorCode", name)
    return element


def is_as_made(element: Element) -> bool:
    """Say whether an element beside the process is just what would be made for its name."""
    kind, name = local_name(element), element.get("name", "")
    return kind in _NAMED and bool(name) and is_same(element, _made(kind, name))
