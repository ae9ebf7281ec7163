"""What BPMN has no place for: our own fields in extension elements, and theirs in the model's extensions."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal
from xml.etree.ElementTree import Element

from pydantic import BaseModel, ValidationError

from workflow_agent.domain.values import JsonObject
from workflow_agent.formats.base import UnreadableDocument
from workflow_agent.formats.bpmn.content import NODES
from workflow_agent.formats.bpmn.xml import bpmn, copied, local_name, own, parsed_or_none
from workflow_agent.formats.keeping import same
from workflow_agent.formats.shapes import object_in
from workflow_agent.formats.text import read_text

_SAID_BY = ("name", "implementation", "calledElement", "gatewayDirection", "scriptFormat", "messageRef")
_SAID_IN = (
    "documentation",
    "potentialOwner",
    "humanPerformer",
    "performer",
    "standardLoopCharacteristics",
    "multiInstanceLoopCharacteristics",
    "conditionExpression",
)
_NOT_OURS = ("id", "extensions", "parent", "from", "to")
Part = Literal["step", "transition", "trigger", "workflow"]


def take_residue(element: Element, part: Part) -> JsonObject:
    """Return the fields that an export put beside an element, and take them out of it."""
    for holder in element.findall(bpmn("extensionElements")):
        for child in holder.findall(own(part)):
            fields = _json_object(child.text or "")
            if fields is not None:
                holder.remove(child)
                if not len(holder):
                    element.remove(holder)
                return fields
    return {}


def _json_object(text: str) -> JsonObject | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        fields = object_in(read_text(text))
    except UnreadableDocument:
        return None
    return {key: value for key, value in fields.items() if key not in _NOT_OURS} or None


def put_residue(element: Element, part: Part, wanted: Mapping[str, Any], said: Mapping[str, Any]) -> None:
    """Put beside an element the fields of the model that it does not say; None for what it says too much."""
    names = [name for name in {**wanted, **said} if name not in _NOT_OURS]
    fields = {name: wanted.get(name) for name in names if not same(wanted.get(name), said.get(name))}
    if not fields:
        return
    holder = element.find(bpmn("extensionElements"))
    if holder is None:
        holder = Element(bpmn("extensionElements"))
        documented = element.findall(bpmn("documentation"))
        element.insert(len(documented), holder)
    child = Element(own(part))
    child.text = json.dumps(fields)
    holder.append(child)


def merged(said: JsonObject, residue: JsonObject, model: type[BaseModel], others: JsonObject) -> JsonObject:
    """Return what an element and its residue say together; without the residue where that makes no sense."""
    whole = {key: value for key, value in (said | residue).items() if value is not None}
    try:
        model.model_validate(others | whole)
    except ValidationError:
        return said
    return whole


def settled(made: Element, kept: object, said: Callable[[Element], Mapping[str, Any]]) -> Element:
    """Return the element that was read, where it still says the same, else the one made with what was beside.

    Args:
        made: From the model as it is now.
        kept: The text of the element that was read; anything, where somebody changed it.
        said: What an element says; it is asked of both.
    """
    original = parsed_or_none(kept)
    if original is None or not local_name(original):
        return made
    if local_name(original) == local_name(made):
        return original if same(dict(said(original)), dict(said(made))) else _changed(original, made)
    if _is_node(original) and _is_node(made) and same(dict(said(original)), dict(said(made))):
        return original
    made = copied(made)
    made.attrib.update({key: value for key, value in original.items() if key.startswith("{")})
    documented = len(made.findall(bpmn("documentation")))
    for holder in original.findall(bpmn("extensionElements")):
        made.insert(documented, holder)
    return made


def _is_node(element: Element) -> bool:
    return local_name(element) in NODES


def _changed(original: Element, made: Element) -> Element:
    """Return an element as made, with all of the original that the model says nothing of."""
    whole = Element(made.tag, {key: value for key, value in original.items() if key not in _SAID_BY})
    whole.attrib.update(made.attrib)
    left = [
        e for e in original if local_name(e) not in _SAID_IN and not local_name(e).endswith("EventDefinition")
    ]
    first = [e for e in made if local_name(e) == "documentation"]
    first += [e for e in left if local_name(e) == "extensionElements"]
    whole.extend(first)
    whole.extend(e for e in (*left, *made) if e not in first)
    return whole
