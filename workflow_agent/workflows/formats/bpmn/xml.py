"""XML to elements and back: without entities, with limits, and with prefixes that people know."""

import re
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from xml.etree.ElementTree import Element, ParseError, SubElement, XMLParser, indent

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from workflow_agent.workflows.formats.base import MAX_DEPTH, MAX_NODES, UnreadableDocument, unreadable
from workflow_agent.workflows.formats.builder import fit
from workflow_agent.workflows.formats.plain import list_in
from workflow_agent.workflows.model.parser import slug, take_id

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
BOUNDS = "http://www.omg.org/spec/DD/20100524/DC"
LINES = "http://www.omg.org/spec/DD/20100524/DI"
OWN = "urn:workflow-agent:bpmn"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_PREFIXES = {
    BPMN: "bpmn",
    DIAGRAM: "bpmndi",
    BOUNDS: "dc",
    LINES: "di",
    OWN: "wa",
    _XSI: "xsi",
    "http://camunda.org/schema/1.0/bpmn": "camunda",
    "http://camunda.org/schema/zeebe/1.0": "zeebe",
    "http://camunda.org/schema/modeler/1.0": "modeler",
    "http://bpmn.io/schema/bpmn/biocolor/1.0": "bioc",
    "http://flowable.org/bpmn": "flowable",
    "http://activiti.org/bpmn": "activiti",
    "http://www.w3.org/XML/1998/namespace": "xml",
}
PREFIXES = frozenset(_PREFIXES.values())
"""Those that every document is written with where it needs them."""
_QUALIFIED = re.compile(r"\{([^}]*)\}(.+)", re.DOTALL)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile('[&<>"\r\n\t]')
_IN_TEXT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_VALUES = _IN_TEXT | str.maketrans({'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"})
_TITLE = "BPMN 2.0"
_NAMED = ("message", "error", "signal", "escalation")


def names_in(namespace: str) -> Callable[[str], str]:
    """Return the function that gives the full name of an element or attribute of a namespace."""
    return lambda name: f"{{{namespace}}}{name}"


bpmn = names_in(BPMN)
own = names_in(OWN)
"""Of elements that hold what BPMN has no place for."""
in_diagram = names_in(DIAGRAM)
_PREFIX = bpmn("")


def local_name(element: Element) -> str:
    """Return the name of an element of BPMN; empty for elements of other namespaces."""
    tag = element.tag
    return tag[len(_PREFIX) :] if tag.startswith(_PREFIX) else ""


def parse_xml(text: str) -> Element:
    """Return the root of an XML text, without the blanks between elements.

    Raises:
        UnreadableDocument: It is broken, too large or too deep, or declares a document type or entities.
    """
    try:
        root = _parsed(text)
    except ParseError as error:
        raise _refused(f"is not XML: {error}") from error
    except DefusedXmlException as error:
        raise _refused("declares a document type or entities, which are not read for safety") from error
    except ValueError as error:
        raise _refused(f"has characters that XML does not allow: {error}") from error
    _check_size(root)
    for element in root.iter():
        _normalise(element)
    return root


def _parsed(text: str) -> Element:
    # Entities are declared in a document type alone, and only this begins one: the parser in C, which takes a
    # quarter of the time, can expand nothing in a text without it. A comment may have it too, and is read safely.
    if "<!DOCTYPE" in text:
        root: Element = fromstring(text, forbid_dtd=True)
        return root
    parser = XMLParser()  # noqa: S314 - see above
    parser.feed(text)
    return parser.close()


def _refused(message: str) -> UnreadableDocument:
    return unreadable(_TITLE, message[:300])


def _check_size(root: Element) -> None:
    level, count = [root], 0
    for _ in range(MAX_DEPTH):
        count += len(level)
        level = [child for element in level for child in element]
        if count > MAX_NODES:
            raise _refused(f"has more than {MAX_NODES} elements")
    if level:
        raise _refused(f"is nested deeper than {MAX_DEPTH}")


def _normalise(element: Element) -> None:
    if len(element) and not (element.text or "").strip():
        element.text = None
    if not (element.tail or "").strip():
        element.tail = None
    kind = element.get(f"{{{_XSI}}}type")
    # Its value has a prefix of the document's own, which is not known any more once it is parsed.
    if kind and kind.rpartition(":")[2].startswith("t"):
        element.set(f"{{{_XSI}}}type", "bpmn:" + kind.rpartition(":")[2])


def parsed_or_none(text: object, *locals_: str) -> Element | None:
    """Return the element a text is; None where it is no text, no XML, or no element of BPMN with one of these names."""
    try:
        element = parse_xml(text) if isinstance(text, str) else None
    except UnreadableDocument:
        return None
    return element if element is not None and (not locals_ or local_name(element) in locals_) else None


def all_parsed(texts: object, *locals_: str) -> list[Element]:
    """Return the elements that the texts of a list are, without those for which `parsed_or_none` has none."""
    return [one for text in list_in(texts) if (one := parsed_or_none(text, *locals_)) is not None]


def xml_text(root: Element, *, pretty: bool = False, declared: dict[str, str] | None = None) -> str:
    """Return the text of an element, or of a whole document where it is pretty; equal ones give equal texts.

    What is pretty is indented where it stands.
    """
    given = declared or {}
    prefixes = {uri: prefix for prefix, uri in given.items() if uri not in _PREFIXES}
    body: list[str] = []
    if pretty:
        indent(root)
    _write(root, body, (prefixes, {}))
    spoken = {prefix: uri for uri, prefix in prefixes.items()} | given
    body[0] += "".join(f' xmlns:{prefix}="{_quoted(uri)}"' for prefix, uri in spoken.items() if prefix != "xml")
    text = _NOT_XML.sub("", "".join(body))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n' if pretty else text


_Names = tuple[dict[str, str], dict[str, str]]
"""The prefix of each namespace that was met, and the name with its prefix of each name."""


def _write(element: Element, out: list[str], names: _Names) -> None:
    """Add the text of an element, the first part its start without the end of it, and its names to those met before."""
    _, known = names
    attributes = element.attrib
    is_plain = not _SPECIAL.search("".join(attributes.values()))
    said = "".join(
        [f' {known.get(k) or _prefixed(k, names)}="{v if is_plain else _quoted(v)}"' for k, v in attributes.items()]
    )
    if "bpmn:t" in said and any(value.startswith("bpmn:t") for value in attributes.values()):
        names[0][BPMN] = "bpmn"
    name = known.get(element.tag) or _prefixed(element.tag, names)
    out.append(f"<{name}{said}")
    if not len(element):
        out.append(f">{_escaped(element.text)}</{name}>" if element.text else " />")
        return
    out.append(f">{_escaped(element.text)}")
    for child in element:
        _write(child, out, names)
        out.append(_escaped(child.tail))
    out.append(f"</{name}>")


def _escaped(text: str | None) -> str:
    return (text or "").translate(_IN_TEXT)


def _quoted(value: str) -> str:
    return value.translate(_IN_VALUES)


def is_same(one: Element, other: Element) -> bool:
    """Say whether two elements are equal; takes a fraction of comparing their texts."""
    return (
        one.tag == other.tag
        and one.attrib == other.attrib
        and (one.text or "") == (other.text or "")
        and (one.tail or "") == (other.tail or "")
        and len(one) == len(other)
        and all(map(is_same, one, other))
    )


def _prefixed(name: str, names: _Names) -> str:
    prefixes, known = names
    match = _QUALIFIED.fullmatch(name)
    if match is None:
        return known.setdefault(name, name)
    uri, local = match.groups()
    if uri not in prefixes:
        numbered = (f"ns{number}" for number in range(len(prefixes), 2 * len(prefixes) + 1))
        free = next(one for one in numbered if one not in prefixes.values())
        prefixes[uri] = _PREFIXES.get(uri) or free
    return known.setdefault(name, f"{prefixes[uri]}:{local}")


def copied(element: Element, *, without: Iterable[str] = ()) -> Element:
    """Return a copy, without children of some full names."""
    left_out = frozenset(without)
    copy = Element(element.tag, dict(element.items()))
    copy.text, copy.tail = element.text, element.tail
    copy.extend([deepcopy(child) for child in element if child.tag not in left_out])
    return copy


def named_children(element: Element, *locals_: str) -> Iterator[Element]:
    """Yield the children that are elements of BPMN with one of these names."""
    wanted = {_PREFIX + local for local in locals_}
    return (child for child in element if child.tag in wanted)


def text_of(element: Element, local: str) -> str | None:
    """Return the text of the first child of this name, where it says something."""
    child = element.find(bpmn(local))
    text = "" if child is None else "".join(child.itertext())
    return text if text.strip() else None


def add(parent: Element, local: str, text: str | None = None, **attributes: str) -> Element:
    """Return a new child of BPMN; attributes that are empty are left out."""
    child = SubElement(parent, bpmn(local), {key: value for key, value in attributes.items() if value})
    child.text = text
    return child


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
        made_id = take_id(element.get("id", kind), self._taken)
        element.set("id", made_id)
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
