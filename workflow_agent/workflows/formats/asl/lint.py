"""What is wrong with a state machine that has the right shape, by the States Language's specification."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.asl import machines_in
from workflow_agent.workflows.formats.fidelity import kept_in
from workflow_agent.workflows.formats.lint import LintRule, items_in, lint_rule, setting, texts_in
from workflow_agent.workflows.formats.plain import list_in, object_in, text_in, without
from workflow_agent.workflows.formats.shapes import Place
from workflow_agent.workflows.model.findings import EditDocument
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.workflow import Workflow

RULES: list[LintRule] = []
_ERRORS = frozenset(
    f"States.{name}"
    for name in (
        "ALL", "BranchFailed", "DataLimitExceeded", "ExceedToleratedFailureThreshold", "HeartbeatTimeout",
        "Http.Socket", "IntrinsicFailure", "ItemReaderFailed", "NoChoiceMatched", "ParameterPathFailure",
        "Permissions", "QueryEvaluationError", "ResultPathMatchFailure", "ResultWriterFailed", "Runtime",
        "TaskFailed", "Timeout",
    )
)  # fmt: skip
"""The names of errors that the language reserves."""
_NEVER_HANDLED = frozenset({"States.Runtime"})
_DISTRIBUTED = ("ItemReader", "ItemBatcher", "ResultWriter", "Label")
_OPPOSITE = {"IsPresent", "IsNull", "IsString", "IsNumeric", "IsBoolean", "IsTimestamp", "BooleanEquals"}
_LONGEST_DELAY_SECONDS = 31_622_400
_ASSIGNED_PATH = re.compile(r"\$([A-Za-z_]\w*)(?=[.\[]|$)")
_IN_JSONATA = re.compile(
    r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|/\*.*?\*/|\$([A-Za-z_]\w*)\b(?!\s*\()", re.DOTALL
)
_DEFINES = re.compile(r":=|\bfunction\b|λ|[@#]\s*\$")
"""Marks of an expression that names values of its own."""
_FUNCTIONS = """
    abs append assert average base64decode base64encode boolean ceil clone contains count decodeUrl
    decodeUrlComponent distinct each encodeUrl encodeUrlComponent error eval exists filter floor formatBase
    formatInteger formatNumber fromMillis hash join keys length lookup lowercase map match max merge millis min not
    now number pad parse parseInteger partition power random range reduce replace reverse round shuffle sift single
    sort split spread sqrt states string substring substringAfter substringBefore sum toMillis trim type uppercase
    uuid zip
"""
_BUILT_IN = frozenset(_FUNCTIONS.split())
_NOT_OWN = ("Branches", "ItemProcessor", "Iterator", "Comment", "Result")
"""The fields of a state whose texts are data, or those of machines inside it."""
_NEW_NAMES = {"Iterator": "ItemProcessor", "Parameters": "ItemSelector"}
_PATH_FIELDS = ("InputPath", "OutputPath", "ItemsPath", "Variable")


def _states(machine: Any, place: Place, language: str = "JSONPath") -> Iterator[tuple[Mapping[str, Any], Place, str]]:
    """Yield every state with its place and its query language, those inside others after them."""
    language = str(object_in(machine).get("QueryLanguage", language))
    for name, given in object_in(object_in(machine).get("States")).items():
        state, here = object_in(given), place / "States" / name
        own = str(state.get("QueryLanguage", language))
        yield state, here, own
        for path, inner in machines_in(state):
            yield from _states(inner, here.down(path), own)


def _caught(document: Any, place: Place) -> Iterator[tuple[str, Place, bool]]:
    """Yield the errors of all handlers with their places, and whether an earlier one of the state is for it already."""
    for state, here, _ in _states(document, place):
        for field in ("Retry", "Catch"):
            seen: set[str] = set()
            for handler, inside in items_in(state, here, field):
                for number, name in enumerate(map(str, list_in(handler.get("ErrorEquals")))):
                    yield name, inside / "ErrorEquals" / number, name in seen
                    seen.add(name)


@lint_rule(RULES, "asl-retry", "error", "The machine is refused.")
def _retries(document: Any, place: Place) -> None:
    """Find retries with an interval, a rate or a delay of no use."""
    for state, place_of_state, _ in _states(document, place):
        for one, here in items_in(state, place_of_state, "Retry"):
            for key in ("IntervalSeconds", "BackoffRate"):
                if isinstance(value := one.get(key), int | float) and value < 1:
                    (here / key).refuse(f"must be at least 1, got {value}")
            interval, most = one.get("IntervalSeconds"), one.get("MaxDelaySeconds")
            least = interval if isinstance(interval, int | float) else 1
            if isinstance(most, int | float) and not least < most < _LONGEST_DELAY_SECONDS:
                (here / "MaxDelaySeconds").refuse(f"must be more than `IntervalSeconds`, {least}, got {most}")


@lint_rule(RULES, "asl-error-name", "error", "The handler never runs.")
def _error_names(document: Any, place: Place) -> None:
    """Find errors that begin with `States.` and that the language does not have."""
    for name, here, _ in _caught(document, place):
        if name.startswith("States.") and name not in _ERRORS:
            here.refuse(f"there is no error {name[:60]!r}", sorted(_ERRORS))


@lint_rule(RULES, "asl-handler", "warning", "It never runs.")
def _never_asked(document: Any, place: Place) -> None:
    """Find retriers and catchers for what an earlier one handles, or nothing can."""
    for name, here, is_repeated in _caught(document, place):
        if is_repeated:
            here.refuse(f"an earlier one is for {name[:60]!r} already")
        elif name in _NEVER_HANDLED:
            here.refuse(f"{name!r} always ends the execution, and is never handled")


@lint_rule(RULES, "asl-query-language", "warning", "AWS refuses the machine.")
def _languages(document: Any, place: Place) -> None:
    """Find states that go back to JSONPath in a machine of JSONata."""
    if object_in(document).get("QueryLanguage") != "JSONata":
        return
    for state, here, _ in _states(document, place):
        if state.get("QueryLanguage") == "JSONPath":
            (here / "QueryLanguage").refuse("cannot be JSONPath in a machine whose own is JSONata")


@lint_rule(RULES, "asl-map-mode", "warning", "The machine is refused, or it is of no effect.")
def _modes(document: Any, place: Place) -> None:
    """Find fields of a distributed Map in one that is not."""
    for state, here, _ in _states(document, place):
        processor = object_in(state.get("ItemProcessor"))
        mode = object_in(processor.get("ProcessorConfig")).get("Mode", "INLINE")
        for key in _DISTRIBUTED if state.get("Type") == "Map" and mode == "INLINE" else ():
            if key in state:
                (here / key).refuse("counts only for a Map whose `Mode` is DISTRIBUTED")


def _without_the_later(workflow: Workflow, step: Step, problem: Problem, document: Any) -> Sequence[EditDocument]:
    """Return the edit that takes out the way of a rule that is never taken, where another way leads there too."""
    del document
    at = problem.pointer.rpartition("/")[2]
    exits = workflow.outgoing(step.id)
    asked = [one for one in exits if one.type == "condition"]
    if not at.isdigit() or int(at) >= len(asked):
        return []
    later = asked[int(at)]
    is_repeated = any(one.when == later.when for one in asked[: int(at)])
    leads_there = any(one.to == later.to for one in exits if one is not later)
    return [{"op": "disconnect", "transition": later.id}] if is_repeated and leads_there else []


@lint_rule(
    RULES,
    "asl-choice",
    "warning",
    "The execution fails where no rule holds, and what is asked twice is taken once.",
    fix=_without_the_later,
)
def _choices(document: Any, place: Place) -> None:
    """Find choices without a default, and rules that ask what an earlier one asks."""
    for state, here, _ in _states(document, place):
        rules = [
            without(object_in(one), "Next", "Assign", "Output", "Comment") for one in list_in(state.get("Choices"))
        ]
        for at, asked in enumerate(rules):
            if asked in rules[:at]:
                (here / "Choices" / at).refuse("asks what an earlier rule asks, and is never taken")
        if rules and "Default" not in state and not _covers_all(rules):
            here.refuse("has no `Default` for when no rule holds")


def _covers_all(rules: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether one of two rules always holds: something is so, and it is not so."""
    for rule in rules:
        if rule.get("Condition") is True or {"Not": rule} in rules:
            return True
        for test in _OPPOSITE & rule.keys():
            if isinstance(rule[test], bool) and {**rule, test: not rule[test]} in rules:
                return True
    return False


def _trimmed_fields(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return what is kept of a state without the space around its expressions."""
    del problem, document
    kept = kept_in(step.extensions, "asl")
    trimmed = _trimmed(kept)
    return {"extensions": {**step.extensions, "asl": trimmed}} if trimmed != kept else {}


def _trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: one if key in _NOT_OWN else _trimmed(one) for key, one in object_in(value).items()}
    if isinstance(value, list):
        return [_trimmed(one) for one in list_in(value)]
    plain = value.strip() if isinstance(value, str) else ""
    return plain if plain.startswith("{%") and plain.endswith("%}") else value


@lint_rule(RULES, "asl-literal", "warning", "The expression is not worked out.", fix=setting(_trimmed_fields))
def _literals(document: Any, place: Place) -> None:
    """Find expressions with space around them."""
    for state, here, language in _states(document, place):
        for text, inside in texts_in(state, here, _NOT_OWN) if language == "JSONata" else ():
            plain = text.strip()
            if plain != text and plain.startswith("{%") and plain.endswith("%}"):
                inside.refuse("has space around `{% %}`, and is taken as plain text")


@lint_rule(RULES, "asl-variable", "warning", "The execution fails there.")
def _unknown_variables(document: Any, place: Place) -> None:
    """Find variables that no state assigns."""
    known: set[str] = set()
    for state, _, _ in _states(document, place):
        for one in (state, *map(object_in, (*list_in(state.get("Choices")), *list_in(state.get("Catch"))))):
            known |= {name.removesuffix(".$") for name in object_in(one.get("Assign"))}
    for state, here, language in _states(document, place):
        for text, inside in texts_in(state, here, _NOT_OWN):
            for name in sorted(_used(text, inside, language) - known):
                inside.refuse(f"no state assigns the variable `${name[:60]}`", sorted(known))


def _used(text: str, place: Place, language: str) -> set[str]:
    """Return the variables that a value of a state reads."""
    if language == "JSONata":
        if not (text.startswith("{%") and text.endswith("%}")) or _DEFINES.search(text):
            return set()
        return set(_IN_JSONATA.findall(text[2:-2])) - _BUILT_IN - {""}
    key = str(place.path[-1])
    if (key.endswith(".$") or key in _PATH_FIELDS) and (found := _ASSIGNED_PATH.match(text)):
        return {found[1]}
    return set()


@lint_rule(RULES, "asl-task-token", "warning", "Nobody can answer, and it waits until it times out.")
def _tokens(document: Any, place: Place) -> None:
    """Find tasks that wait for a token that nobody gets."""
    for state, here, _ in _states(document, place):
        called = str(state.get("Resource", ""))
        given = json.dumps([state.get("Parameters"), state.get("Arguments")])
        if called.endswith(".waitForTaskToken") and "ask.Token" not in given and '"$$"' not in given:
            (here / "Resource").refuse("waits for its task token, and hands it to nobody")


def _renamed_fields(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return what is kept of a Map with the names that all of its deprecated fields have got."""
    del problem, document
    kept = kept_in(step.extensions, "asl")
    if step.type != "loop" or any(new in kept for new in _NEW_NAMES.values()):
        return {}
    renamed = {_NEW_NAMES.get(key, key): value for key, value in kept.items() if key != "Iterator" or value}
    return {"extensions": {**step.extensions, "asl": renamed}} if renamed != kept else {}


@lint_rule(RULES, "asl-deprecated", "info", "New features leave it out.", fix=setting(_renamed_fields))
def _old_fields(document: Any, place: Place) -> None:
    """Find fields that others have replaced."""
    for state, here, _ in _states(document, place):
        for old, new in _NEW_NAMES.items():
            if state.get("Type") == "Map" and old in state:
                (here / old).refuse(f"is deprecated; `{new}` has taken its place")


@lint_rule(RULES, "asl-version", "error", "The machine is refused.")
def _versions(document: Any, place: Place) -> None:
    """Find versions of the language that do not exist."""
    version = text_in(object_in(document).get("Version"))
    if version is not None and version != "1.0":
        (place / "Version").refuse(f"must be '1.0', got {version[:40]!r}", ["1.0"])


def steps_at(parts: Sequence[str], document: Any) -> Iterator[str]:
    """Yield the names of the states around a place, the innermost first."""
    del document
    for at in range(len(parts) - 1, 0, -1):
        if parts[at - 1] == "States":
            yield parts[at]
