"""Reading a whole description: lists, arrows, lifecycles or running text, then naming what came out."""

import re
from dataclasses import replace
from typing import Any, Final

from workflow_agent.agent.offline.drafting.chains import draw_chains
from workflow_agent.agent.offline.drafting.ends import compact, finish
from workflow_agent.agent.offline.drafting.flow import Flow
from workflow_agent.agent.offline.drafting.graph import MAX_STEPS, STOPPED
from workflow_agent.agent.offline.drafting.items import item_parts, listed_steps, titled
from workflow_agent.agent.offline.drafting.lifecycles import draw_lifecycle
from workflow_agent.agent.offline.drafting.names import Request, read_request, without_order
from workflow_agent.agent.offline.drafting.nested import comma_list
from workflow_agent.agent.offline.drafting.nouns import singular
from workflow_agent.agent.offline.drafting.phrases import keywords
from workflow_agent.agent.offline.drafting.questions import told_as_cases
from workflow_agent.agent.offline.drafting.reader import Reader
from workflow_agent.agent.offline.drafting.results import Draft, Drawing
from workflow_agent.agent.offline.drafting.sentences import read_sentence
from workflow_agent.agent.offline.drafting.statements import Branch, Parallel, Statement, Task, Then, Until
from workflow_agent.agent.offline.drafting.titles import derived_name, topic_name
from workflow_agent.agent.offline.drafting.tokens import (
    MAX_CHARS,
    MAX_TOKENS_A_SENTENCE,
    Line,
    clean,
    is_cut,
    lines_of,
    lows,
    sentences_of,
    tokens_of,
)
from workflow_agent.agent.offline.drafting.topics import topic_of
from workflow_agent.agent.offline.drafting.words import word_set

_MAX_DESCRIPTION_CHARS: Final = 1_000
_ALTERNATIVE: Final = re.compile(r"\b(?:otherwise|else|if not|if no)\b", re.IGNORECASE)
_NOT_A_DESCRIPTION: Final = word_set(
    "rename remove delete insert undo show list find search explain compare analyse analyze what which "
    "who why how "
    "where whose is are does did can could connect disconnect replace rewind swap open load display"
)
_MOST_STATEMENTS: Final = 4 * MAX_STEPS
"""More than this is not drawn, so it is not read either."""
_SIDE_BY_SIDE: Final = re.compile(r"\b(?:parallel|same time|simultaneously)\b", re.IGNORECASE)
_STEPS_FIRST: Final = re.compile(r"\s*(?:the |our )?steps?(?: are)?\s*:", re.IGNORECASE)
_CONTINUES: Final = re.compile(r"[,:]$|\b(?:and|or|then|to|the|a|of|with|for|by)$", re.IGNORECASE)


def draft_text(text: str) -> Draft | None:
    """Return the workflow a text describes, or None when it describes none."""
    cleaned = clean(text)
    if not any(char.isalnum() for char in cleaned):
        return None
    request = read_request(cleaned)
    drawing = _draw(request, cleaned)
    if drawing is None or not _is_described(request, drawing, cleaned):
        return _starting_point(request, cleaned) if request.is_request else None
    return _named(request, drawing, text)


def _draw(request: Request, text: str) -> Drawing | None:
    listed = listed_steps(text)
    if listed is not None and (request.is_request or _STEPS_FIRST.match(text)):
        return draw_text(listed)
    if (between := comma_list(request.body)) is not None:
        return draw_text(between)
    return draw_lifecycle(text) or draw_chains(request.body) or draw_text(request.body)


def _is_described(request: Request, drawing: Drawing, text: str) -> bool:
    work = [step for step in drawing.steps if step["type"] != "end"]
    if not work:
        return False
    if request.is_request or request.name is not None:
        return True
    first = lows(tokens_of(text[:200]))[:2]
    is_wish = first in (["what", "i"], ["what", "we"])
    if (first and first[0] in _NOT_A_DESCRIPTION and not is_wish) or text.rstrip().endswith("?"):
        return False
    return len(work) > 1 or drawing.is_evident


def draw_text(body: str) -> Drawing | None:
    """Return the graph of lists and running text, or None when nothing in it is work."""
    reader = Reader(has_alternatives=_ALTERNATIVE.search(body) is not None)
    has_items = has_long = False
    for line in _wrapped(titled(lines_of(body))):
        if len(reader.statements) > _MOST_STATEMENTS:
            break
        is_item = line.label is not None or "→" in line.text
        has_items = has_items or is_item
        text, title = item_parts(line.text) if line.label is not None else (line.text, None)
        sentences = told_as_cases(sentences_of(tokens_of(text)), has_work=reader.has_work())
        for at, sentence in enumerate(sentences, 1):
            has_long = has_long or is_cut(sentence)
            read_sentence(
                reader, sentence, is_item=is_item, item=line.label or None, title=title,
                coming=sentences[at] if at < len(sentences) else (),
            )  # fmt: skip
    if not any(isinstance(said, Task | Parallel | Until) for said in reader.statements):
        return None
    flow = Flow(reader.statements)
    graph = flow.draw()
    assumptions = [*flow.assumptions, *finish(graph, flow.paths)]
    steps, edges = compact(graph)
    evident = bool(reader.triggers) or has_items or _has_structure(reader.statements)
    left_out = [STOPPED] if flow.is_cut else []
    if has_long:
        left_out.append(
            f"I read the first {MAX_TOKENS_A_SENTENCE} words of a sentence; shorter ones are read whole."
        )
    return Drawing(steps, edges, reader.triggers, assumptions, reader.memory.first_thing, evident, left_out)


def _has_structure(statements: list[Statement]) -> bool:
    return any(
        isinstance(said, Branch | Parallel | Then) or (isinstance(said, Task) and said.outcomes)
        for said in statements
    )


def _wrapped(lines: list[Line]) -> list[Line]:
    """Return the lines with wrapped text joined again."""
    joined: list[Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last is not None and line.label is None and _goes_on(last, line):
            joined[-1] = replace(last, text=f"{last.text} {line.text}")
        elif (
            last is not None and line.label is not None and last.text.endswith(":") and _is_under(last, line)
        ):
            joined[-1] = replace(last, text=f"{last.text[:-1]}, {line.text} :")
        else:
            joined.append(line)
    return joined


def _goes_on(last: Line, line: Line) -> bool:
    if last.label is not None and line.indent <= last.indent:
        return False
    if "→" in line.text and "→" in last.text:
        return False
    return bool(_CONTINUES.search(last.text)) or line.text[:1].islower()


def _is_under(last: Line, line: Line) -> bool:
    if last.label is None:
        return _SIDE_BY_SIDE.search(last.text) is not None
    return line.indent > last.indent


def _starting_point(request: Request, text: str) -> Draft | None:
    """Return the usual form of a well-known process that was only named."""
    said = f"{request.name or ''} {request.topic or text[:300]}"
    topic = topic_of(keywords(lows(tokens_of(said))))
    drawing = draw_text(topic.text) if topic is not None else None
    if topic is None or drawing is None:
        return None
    usual = f"a usual {topic.name.lower()} as a starting point"
    assumption = f"You named no steps, so this is {usual}; adapt it to how you work."
    draft = _named(replace(request, name=request.name or topic.name), drawing, text)
    return replace(
        draft, tags=topic.tags, assumptions=(assumption, *draft.assumptions), description=described(text)
    )


def _named(request: Request, drawing: Drawing, text: str) -> Draft:
    name = (
        request.name
        or _lifecycle_name(request, drawing)
        or topic_name(request.topic)
        or derived_name(drawing.steps, drawing.thing, drawing.triggers)
    )
    triggers = drawing.triggers or [{"type": "manual"}]
    left_out = list(drawing.left_out)
    if len(text) > MAX_CHARS:
        left_out.append(f"I read the first {MAX_CHARS:,} characters.")
    return Draft(
        name=name[:200].strip() or "New workflow",
        description=described(text),
        steps=tuple(drawing.steps),
        transitions=tuple(drawing.transitions),
        start=drawing.steps[0]["id"],
        triggers=tuple(triggers),
        aliases=request.aliases,
        understood=tuple(_understood(drawing)),
        assumptions=tuple(dict.fromkeys(drawing.assumptions)),
        left_out=tuple(left_out),
    )


def _lifecycle_name(request: Request, drawing: Drawing) -> str:
    """Return what a lifecycle is called, nothing for other workflows."""
    words = (request.topic or drawing.thing).split()
    if not words or any(step["type"] != "state" for step in drawing.steps):
        return ""
    about = " ".join([*words[:-1], singular(words[-1])])
    return f"{about[:1].upper()}{about[1:]} lifecycle"[:120]


def described(text: str) -> str:
    """Return the description of a workflow: what was told, on one line, without the order to make it."""
    plain = " ".join(without_order(clean(text)).split())
    return (
        plain
        if len(plain) <= _MAX_DESCRIPTION_CHARS
        else plain[:_MAX_DESCRIPTION_CHARS].rsplit(" ", 1)[0] + " ..."
    )


def _understood(drawing: Drawing) -> list[str]:
    """Return one readable sentence for each step."""
    names: dict[str, str] = {step["id"]: step["name"] for step in drawing.steps}
    said: list[str] = []
    for step in drawing.steps:
        ways = [edge for edge in drawing.transitions if edge["from"] == step["id"]]
        if step["type"] != "end" and ways:
            by = f" ({step['assignee']})" if step.get("assignee") else ""
            said.append(f"{step['name']}{by} leads to " + ", ".join(_way(edge, names) for edge in ways) + ".")
    return said


def _way(edge: dict[str, Any], names: dict[str, str]) -> str:
    target = repr(names[edge["to"]])
    if edge.get("type") == "default":
        return f"{target} otherwise"
    text = edge.get("when", {}).get("text")
    return f"{target} if {text}" if text else target
