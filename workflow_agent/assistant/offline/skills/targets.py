"""Finding out which workflow a request is about, reading it, and what is said where it is none or unclear."""

import re
from collections.abc import Generator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from functools import cache
from importlib import resources
from typing import Any

from workflow_agent.assistant.offline.patterns import Request, number_of, phrase_score, unquoted
from workflow_agent.assistant.offline.references import PRONOUNS
from workflow_agent.assistant.offline.turn.focus import focus, known_workflows, meant_to_change, workflows_in_reply
from workflow_agent.assistant.offline.turn.outcome import (
    Answered,
    Call,
    Candidate,
    Choice,
    Reply,
    Skill,
    Suggestion,
    ToolFailure,
    saying,
)
from workflow_agent.assistant.offline.turn.reading import HERE, Turn, WorkflowRef
from workflow_agent.assistant.offline.wording import numbered
from workflow_agent.conversations.memory.references import Resolution
from workflow_agent.conversations.memory.resolver import resolve_reference
from workflow_agent.errors import InvalidWorkflow
from workflow_agent.workflows.model.parser import parse_workflow
from workflow_agent.workflows.model.terms import WORKFLOW_ID_PATTERN
from workflow_agent.workflows.model.workflow import Workflow

_NOUN = r"(?:workflow|process|flow|pipeline|procedure|lifecycle)s?"
_FRAME = re.compile(
    rf"^(?:(?:the|our|my|this|that|a|an|one|your)\s+)+|\s+(?:{_NOUN}|one)$|^{_NOUN}\s+(?:called\s+|"
    r"named\s+)?",
    re.IGNORECASE,
)
_AT_HAND = re.compile(rf"(?:the|this|that|our|my|current|whole|open|entire|it|there|here|one|thing|{_NOUN}|\s)+")
_ORDINAL = re.compile(
    r"(?:the )?(?:(first|second|third|fourth|fifth|sixth|last|other)|(?:number |no |"
    r"#)?(\d{1,2}))(?: (?:one|result|hit|workflow|of them))?"
)
_STANDS_IN = re.compile(
    r"\b(?:ones?|others?|both|former|latter|previous|thing|of them|yesterday|today|"
    r"last (?:week|night|month))\b",
    re.IGNORECASE,
)
"""What says that one of those dealt with is meant, where a topic would be looked for."""
_APART = re.compile(r"[a-z]+[- ][a-z]+", re.IGNORECASE)
"""What may be one word, written as two: "back up", "off-boarding"."""
_PARTS = frozenset({"steps", "roles", "services", "details"})
_BY_NAME = 0.95
_SURE = 0.72
_AHEAD = 0.08
_MOST_ASKED = 8

Reading = Generator[Call, Any, Workflow]
Choosing = Generator[Call, Any, WorkflowRef]


def bare_name(phrase: str) -> str:
    """Return a phrase without articles and without the word workflow."""
    text = unquoted(phrase)
    while (shorter := _FRAME.sub("", text).strip()) and shorter != text:
        text = shorter
    return text


def is_pronoun(phrase: str) -> bool:
    """Say whether a phrase stands for the workflow at hand rather than naming one."""
    plain = unquoted(phrase).lower()
    return plain in PRONOUNS or _AT_HAND.fullmatch(plain) is not None


def names_workflow(turn: Turn, phrase: str) -> bool:
    """Say whether a phrase is the name of a workflow the conversation met, or says that it is a workflow."""
    if re.search(rf"\b{_NOUN}$", phrase, re.IGNORECASE) or listed_workflow(turn, phrase):
        return True
    if _STANDS_IN.search(phrase) and remembered(turn, phrase).outcome != "unknown":
        return True
    return _met(turn, bare_name(phrase)) is not None


def which_workflow(turn: Turn, phrase: str | None, *, to_change: bool = False) -> Choosing:
    """Return the workflow a phrase means; without a phrase, the one at hand.

    One that is to be changed and was only found is asked about.

    Raises:
        Answered: Nothing or several things fit; the reply asks.
    """
    if phrase is not None and phrase.lower() in turn.chosen:
        return WorkflowRef(turn.chosen[phrase.lower()], bare_name(phrase))
    names_kind = (
        phrase is not None and focus(turn) is None and re.search(r"pipeline|procedure|lifecycle", phrase, re.IGNORECASE)
    )
    if phrase is None or (is_pronoun(phrase) and not names_kind):
        return (yield from _at_hand(turn, to_change=to_change))
    if re.fullmatch(WORKFLOW_ID_PATTERN, phrase):
        return WorkflowRef(phrase, phrase)
    wanted = bare_name(phrase) if not names_kind else re.sub(r"^(?:the|our|my) ", "", phrase, flags=re.IGNORECASE)
    if told := listed_workflow(turn, phrase) or _met(turn, wanted) or _dealt_with(turn, phrase):
        return told
    result = yield Call("search_workflows", {"query": wanted, "limit": 5})
    if _APART.fullmatch(wanted) and (not result["hits"] or "-" in wanted):
        joined = yield Call("search_workflows", {"query": re.sub(r"[- ]", "", wanted), "limit": 5})
        result = joined if joined["hits"] else result
    refs = [WorkflowRef(hit["id"], hit["name"]) for hit in result["hits"]]
    if len(refs) == 1 and _by_part(result["hits"][0], to_change=to_change):
        # A role or a step of it is called so, but not the workflow: enough to be shown, if nothing was guessed.
        raise Answered(ask_which(turn, phrase.lower(), "", refs))
    return _best(
        turn, phrase, wanted, refs, [hit.get("score") for hit in result["hits"]], result.get("suggestions") or []
    )


def _by_part(hit: Mapping[str, Any], *, to_change: bool) -> bool:
    """Say whether a hit is too little to go by: of a part of a workflow, to be changed or by a word like it."""
    is_part = bool(hit["matched"]) and _PARTS.issuperset(hit["matched"])
    # "The payroll workflow" may be another one that payroll has; the one with the laptop is told by its step.
    is_said = bool(set(hit["strategies"]) - {"fuzzy", "meaning"}) and "steps" in hit["matched"]
    return is_part and (to_change or not is_said)


def remembered(turn: Turn, phrase: str) -> Resolution:
    """Return what a phrase means among the workflows dealt with, here and in other conversations."""
    at_hand = focus(turn)
    today = turn.facts.today or max((one.at.date() for one in turn.facts.references), default=date.min)
    return resolve_reference(
        phrase,
        turn.facts.references,
        now=datetime.combine(today, time(23, 59), UTC),
        open_workflow_id=at_hand.id if at_hand else None,
        conversation_id=HERE,
    )


def _met(turn: Turn, name: str) -> WorkflowRef | None:
    """Return the workflow with this id or name that the conversation met, or None."""
    wanted = name.lower()
    return next((ref for ref in known_workflows(turn) if wanted in (ref.id, ref.name.lower())), None)


def _dealt_with(turn: Turn, phrase: str) -> WorkflowRef | None:
    """Return the workflow that "the other one" or a name somebody gave means; None for a topic.

    Raises:
        Answered: It may mean several of those dealt with, or means more than one.
    """
    meant = remembered(turn, phrase)
    stands_in = _STANDS_IN.search(phrase) is not None
    # "Recall" or "display" may be a name where the resolver takes it for a word around "it".
    by_name = meant.confidence >= _BY_NAME and meant.reason != "the one at hand"
    if meant.workflow_id is not None and (stands_in or by_name):
        return WorkflowRef(meant.workflow_id, meant.candidates[0].name)
    if stands_in and len(meant.candidates) > 1 and meant.outcome != "unknown":
        refs = [WorkflowRef(one.workflow_id, one.name) for one in meant.candidates]
        question = "One at a time: which one do you mean?" if meant.workflow_ids else "Which one do you mean?"
        raise Answered(ask_which(turn, phrase.lower(), question, refs))
    return None


def listed_workflow(turn: Turn, phrase: str) -> WorkflowRef | None:
    """Return the workflow that "the second one" means in the list just shown."""
    match = _ORDINAL.fullmatch(unquoted(phrase).lower())
    shown = workflows_in_reply(turn)
    if not match or not shown:
        return None
    last = len(shown) - 1
    places = {"other": 1 if last == 1 else None, "last": last}
    at = places[match[1]] if match[1] in places else (number_of(match[1] or match[2]) or 0) - 1
    return shown[at] if at is not None and 0 <= at < len(shown) else None


def _at_hand(turn: Turn, *, to_change: bool) -> Choosing:
    if "" in turn.chosen:
        return WorkflowRef(turn.chosen[""], turn.chosen[""])
    meant = meant_to_change(turn)
    if to_change and meant.refs and meant.is_offered:
        raise Answered(ask_which(turn, "", "Which workflow do you mean?", meant.refs[:_MOST_ASKED]))
    ref = meant.refs[0] if to_change and meant.refs else focus(turn)
    if ref is not None:
        return ref
    result = yield Call("list_workflows", {"limit": 20})
    refs = [WorkflowRef(item["id"], item["name"]) for item in result["workflows"]]
    if len(refs) == 1 and result["total"] == 1:
        return refs[0]
    # To be read, one that is named anywhere is meant; what is to be changed must be named as that.
    said = [] if to_change else [ref for ref in refs if _says(turn.text, ref.name)]
    if len(said) == 1:
        return said[0]
    if not refs:
        raise Answered(
            Reply(
                "There are no workflows yet. Describe one and I'll build it, for example: \"When an employee "
                'submits an expense, the manager approves or rejects it; if approved, finance pays."'
            )
        )
    raise Answered(ask_which(turn, "", "Which workflow do you mean?", refs))


def _says(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _best(
    turn: Turn, phrase: str, wanted: str, refs: Sequence[WorkflowRef], scores: Sequence[Any], suggestions: Sequence[Any]
) -> WorkflowRef:
    """Return the hit that is clearly meant.

    Raises:
        Answered: None is, or several are.
    """
    exact = [ref for ref in refs if wanted.lower() in (ref.name.lower(), ref.id)]
    if len(exact) == 1:
        return exact[0]
    if not refs:
        raise Answered(not_found(wanted, suggestions))
    if len(refs) == 1:
        return refs[0]
    named = sorted(((phrase_score(wanted, [ref.name]), -at) for at, ref in enumerate(refs)), reverse=True)
    # In the name of one alone, and elsewhere somewhere in what is done.
    is_only_name = named[0][0] > 0 and named[1][0] == 0
    if is_only_name or (named[0][0] >= _SURE and named[0][0] - named[1][0] >= _AHEAD):
        return refs[-named[0][1]]
    if isinstance(scores[0], int | float) and isinstance(scores[1], int | float) and scores[0] > scores[1] * 1.5:
        return refs[0]
    raise Answered(ask_which(turn, phrase.lower(), f"Several workflows fit {wanted!r}. Which one do you mean?", refs))


def read_workflow(turn: Turn, phrase: str | None, version: int | None = None, *, to_change: bool = False) -> Reading:
    """Return the workflow a phrase means, read through the tool; see `which_workflow`.

    Raises:
        Answered: It cannot be told which, or it cannot be read.
    """
    ref = yield from which_workflow(turn, phrase, to_change=to_change)
    wanted: dict[str, Any] = {"workflow": ref.id}
    result = yield Call("get_workflow", wanted if version is None else wanted | {"version": version})
    try:
        return parse_workflow(result["workflow"])
    except InvalidWorkflow as problem:
        raise ToolFailure("get_workflow", problem.message) from problem


_SECTION = re.compile(r"^## (\w+)\n+(.*?)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


@cache
def spoken() -> dict[str, str]:
    """Return the texts, by their names."""
    text = (resources.files("workflow_agent.assistant.offline") / "data" / "spoken.md").read_text("utf-8")
    return {match[1]: match[2].strip() for match in _SECTION.finditer(text)}


def speak(_: Turn, request: Request) -> Skill:
    """Say the text for a request."""
    return saying(spoken()[request.kind])


def ask_which(turn: Turn, phrase: str, question: str, refs: Sequence[WorkflowRef]) -> Reply:
    """Return the question which of several workflows a phrase means; an empty phrase is the one at hand."""
    candidates = tuple(Candidate(ref.id, ref.name) for ref in refs)
    one = f"Do you mean **{refs[0].name}** (`{refs[0].id}`)?" if len(refs) == 1 else None
    return Reply(one or f"{question}\n\n{numbered(candidates)}", Choice(turn.text, phrase, candidates, turn.chosen))


def not_found(wanted: str, suggestions: Sequence[Any]) -> Reply:
    """Return the reply for a name that nothing has, with the closest ones."""
    close = [Candidate(item["id"], item["name"]) for item in suggestions][:3]
    none = f"I can't find a workflow by {wanted[:120]!r}."
    if not close:
        return Reply(f"{none} Say “list workflows” to see what there is, or tell me who does what, and I build one.")
    offer = Suggestion(f"show {close[0].name}") if len(close) == 1 else None
    return Reply(f"{none} The closest are:\n\n{numbered(close)}", offer)
