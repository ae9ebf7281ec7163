"""What Camunda says in words of its own: who does a task, what a job worker is called and what it is given.

The reader and the writer of BPMN do the work. What Camunda says in attributes and elements of its own, and BPMN
says too, is turned into BPMN's words before a document is read, and back after it is written.
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from workflow_agent.workflows.formats.bpmn.elements import NODES, WORKED_OFF
from workflow_agent.workflows.formats.bpmn.events import extensions_of, take_residue, write_residue
from workflow_agent.workflows.formats.bpmn.xml import add, bpmn, local_name, names_in, own
from workflow_agent.workflows.formats.plain import object_in

_ZEEBE = "http://camunda.org/schema/zeebe/1.0"
_SEVEN = "http://camunda.org/schema/1.0/bpmn"
_zeebe, _seven = names_in(_ZEEBE), names_in(_SEVEN)
_DECLARES = re.compile(rf"""xmlns(?::[\w.-]+)?\s*=\s*["'](?:{re.escape(_ZEEBE)}|{re.escape(_SEVEN)})["']""")
_SAID = "$said"
"""Stands in the place of a value that is said in BPMN's words while a document is read."""
_ENGINE, _PLAIN = own("engine"), own("plain")
"""The attributes that say for which engine a document is, and what was said in BPMN's words before."""
_OWNERS = ("assignee", "candidateGroups", "candidateUsers")
_WORKERS = ("class", "delegateExpression", "expression", "topic")
_MOST_CHARS = 200


def is_for_camunda(text: str) -> bool:
    """Say whether a document declares the words of one of Camunda's engines."""
    return _DECLARES.search(text) is not None


def into_bpmn(root: Element) -> None:
    """Say in BPMN's words, where it has them, what is said in Camunda's; a document for both engines stays as it is."""
    engines = _engines(root)
    if len(engines) > 1:
        return
    if engines == {_SEVEN}:
        root.set(_ENGINE, "7")
    for element in root.iter():
        if local_name(element) in NODES:
            holder = element.find(bpmn("extensionElements"))
            _mark_plain(element)
            _read_owner(element, holder)
            _read_worker(element, holder)
            _read_called(element, holder)
            _read_inputs(element, holder)
            if holder is not None and not len(holder) and holder in list(element):
                element.remove(holder)


def into_camunda(root: Element) -> None:
    """Say in Camunda's words what BPMN and our own words say; in those of Camunda 7 where the document is for it."""
    is_seven = root.attrib.pop(_ENGINE, "") == "7"
    if len(_engines(root)) > 1:
        return
    for element in root.iter():
        if local_name(element) in NODES:
            plain = element.attrib.pop(_PLAIN, "").split()
            _write_owner(element, is_seven=is_seven)
            if "implementation" not in plain:
                _write_worker(element, is_seven=is_seven)
            if "calledElement" not in plain:
                _write_called(element, is_seven=is_seven)
            _write_inputs(element, is_seven=is_seven)


def _engines(root: Element) -> set[str]:
    names = (name for one in root.iter() for name in (one.tag, *one.attrib))
    return {name[1:].partition("}")[0] for name in names} & {_ZEEBE, _SEVEN}


def _mark_plain(element: Element) -> None:
    """Mark what is said in BPMN's words already, so that it is left so."""
    plain = [name for name in ("implementation", "calledElement") if element.get(name)]
    if plain:
        element.set(_PLAIN, " ".join(plain))
    for role in element.findall(bpmn("potentialOwner")):
        role.set(_PLAIN, "role")


def _found(holder: Element | None, name: str) -> Element | None:
    return holder.find(name) if holder is not None else None


def _taken(element: Element, holder: Element | None, tag: str, names: Sequence[str], of_seven: Sequence[str]) -> str:
    """Return the first that says something of the attributes of an element of Zeebe's, or of those of Camunda 7.

    Our mark is left in its place; an element of Zeebe's that says nothing else goes.
    """
    definition = _found(holder, _zeebe(tag))
    if definition is None or holder is None:
        return _first_of(element, [_seven(name) for name in of_seven])
    value = _first_of(definition, names)
    if definition.attrib == {names[0]: _SAID}:
        holder.remove(definition)
    return value


def _first_of(carrier: Element, names: Sequence[str]) -> str:
    for name in names:
        value = carrier.get(name, "")
        if value.strip() and len(value) <= _MOST_CHARS and value.strip() == value and value != _SAID:
            carrier.set(name, _SAID)
            return value
    return ""


def _put_back(element: Element, definition: Element | None, value: str | None, names: Sequence[str]) -> bool:
    """Put a value where it was taken from, and say whether there is such a place; other marks go."""
    is_put = not value
    for carrier in (element, *([definition] if definition is not None else [])):
        for name in [key for key, said in carrier.items() if said == _SAID and _local(key) in names]:
            if value and not is_put:
                # Set in its place: the order of attributes is part of what is kept.
                carrier.set(name, value)
                is_put = True
            else:
                carrier.attrib.pop(name)
    return is_put


def _define(element: Element, definition: Element | None, tag: str, name: str, value: str) -> None:
    made = SubElement(extensions_of(element), _zeebe(tag)) if definition is None else definition
    made.set(name, value)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _read_owner(element: Element, holder: Element | None) -> None:
    if local_name(element) != "userTask" or element.find(bpmn("potentialOwner")) is not None:
        return
    owner = _taken(element, holder, "assignmentDefinition", _OWNERS, _OWNERS)
    if element.get(_seven("assignee")) == _SAID:
        element.attrib.pop(_seven("assignee"))
    if owner:
        add(add(add(element, "potentialOwner"), "resourceAssignmentExpression"), "formalExpression", owner)


def _write_owner(element: Element, *, is_seven: bool) -> None:
    role = element.find(bpmn("potentialOwner"))
    if role is not None and role.attrib.pop(_PLAIN, None):
        return
    said = role.find(f"{bpmn('resourceAssignmentExpression')}/{bpmn('formalExpression')}") if role is not None else None
    is_plain = role is not None and not role.attrib and len(role) == 1 and len(role[0]) == 1
    owner = said.text if said is not None and is_plain and not said.attrib else None
    assignment = _found(element.find(bpmn("extensionElements")), _zeebe("assignmentDefinition"))
    is_put = _put_back(element, assignment, owner, _OWNERS)
    if owner and not is_put and local_name(element) == "userTask":
        is_put = True
        if is_seven:
            element.set(_seven("assignee"), owner)
        else:
            _define(element, assignment, "assignmentDefinition", "assignee", owner)
    if owner and is_put and role is not None:
        element.remove(role)


def _read_worker(element: Element, holder: Element | None) -> None:
    if local_name(element) not in WORKED_OFF or element.get("implementation"):
        return
    worker = _taken(element, holder, "taskDefinition", ("type",), _WORKERS)
    if element.get(_seven("topic")) == _SAID and element.get(_seven("type")) == "external":
        for name in ("topic", "type"):
            element.attrib.pop(_seven(name))
    if worker:
        element.set("implementation", worker)


def _write_worker(element: Element, *, is_seven: bool) -> None:
    said = element.get("implementation", "") if local_name(element) in WORKED_OFF else ""
    worker = "" if said.startswith("##") else said
    task = _found(element.find(bpmn("extensionElements")), _zeebe("taskDefinition"))
    if not _put_back(element, task, worker, ("type", *_WORKERS)):
        if is_seven:
            element.attrib |= {_seven("type"): "external", _seven("topic"): worker}
        else:
            _define(element, task, "taskDefinition", "type", worker)
    if worker:
        element.attrib.pop("implementation")


def _read_called(element: Element, holder: Element | None) -> None:
    if local_name(element) != "callActivity" or element.get("calledElement"):
        return
    if name := _taken(element, holder, "calledElement", ("processId",), ()):
        element.set("calledElement", name)


def _write_called(element: Element, *, is_seven: bool) -> None:
    if local_name(element) != "callActivity" or is_seven:
        return
    name = element.attrib.pop("calledElement", None)
    called = _found(element.find(bpmn("extensionElements")), _zeebe("calledElement"))
    if name:
        _define(element, called, "calledElement", "processId", name)
    elif called is not None:
        called.attrib.pop("processId", None)


def _inputs(holder: Element | None) -> tuple[Element | None, dict[str, str]]:
    """Return what holds the inputs of a task, and these; none where one of them is more than a name and a text."""
    mapping = _found(holder, _zeebe("ioMapping"))
    of_seven = _found(holder, _seven("inputOutput")) if mapping is None else None
    within = mapping if mapping is not None else of_seven
    given: list[tuple[str | None, str | None]] = []
    for one in within if within is not None else ():
        if one.tag == _zeebe("input") and one.attrib.keys() == {"source", "target"}:
            given.append((one.get("target"), one.get("source")))
        elif one.tag == _seven("inputParameter") and one.attrib.keys() == {"name"} and not len(one):
            given.append((one.get("name"), one.text))
        elif _local(one.tag) in ("input", "inputParameter"):
            return None, {}
    found = {name: value for name, value in given if name and value}
    return within, found if len(found) == len(given) else {}


def _read_inputs(element: Element, holder: Element | None) -> None:
    within, inputs = _inputs(holder)
    if within is None or holder is None or not inputs:
        return
    residue = take_residue(element, "step")
    if "with" not in residue:
        for one in [one for one in within if _local(one.tag) in ("input", "inputParameter")]:
            within.remove(one)
        if not len(within):
            holder.remove(within)
        residue = {**residue, "with": inputs}
    write_residue(element, "step", residue)


def _write_inputs(element: Element, *, is_seven: bool) -> None:
    residue = take_residue(element, "step")
    given = object_in(residue.get("with"))
    if given and all(isinstance(value, str) and value.strip() for value in given.values()):
        residue.pop("with")
        holder = extensions_of(element)
        name = _seven("inputOutput") if is_seven else _zeebe("ioMapping")
        within = holder.find(name)
        within = SubElement(holder, name) if within is None else within
        for at, (key, value) in enumerate(given.items()):
            within.insert(at, _input(key, value, is_seven=is_seven))
    write_residue(element, "step", residue)


def _input(name: str, value: str, *, is_seven: bool) -> Element:
    if not is_seven:
        return Element(_zeebe("input"), {"source": value, "target": name})
    made = Element(_seven("inputParameter"), {"name": name})
    made.text = value
    return made
