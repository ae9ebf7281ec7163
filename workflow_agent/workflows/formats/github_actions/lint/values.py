"""Expressions of GitHub Actions: what is wrong with one, which values it names, and whether these are known there."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflow_agent.workflows.formats.github_actions.shapes import events_of, needs_of
from workflow_agent.workflows.formats.lint import LintRule, lint_rule, texts_in
from workflow_agent.workflows.formats.shapes import Place, list_in, object_in

_EXPRESSION = re.compile(r"\$\{\{((?:[^'}]|'[^']*'|\}(?!\}))*)\}\}")
_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>[+-]?(?:0x[0-9a-fA-F]+|0o[0-7]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))"
    r"|(?P<name>[A-Za-z_][\w-]*)|(?P<sign>&&|\|\||[=!<>]=|[<>!()\[\].,*]))"
)
_PLACEHOLDER = re.compile(r"\{(\d{1,3})\}")
_WORDS = frozenset({"true", "false", "null", "nan", "infinity"})
CONTEXTS = frozenset(
    {"github", "env", "vars", "job", "jobs", "steps", "runner", "secrets", "strategy", "matrix", "needs", "inputs"}
)
_FUNCTIONS: Mapping[str, tuple[int, int]] = {
    "contains": (2, 2), "startswith": (2, 2), "endswith": (2, 2), "format": (1, 99), "join": (1, 2),
    "tojson": (1, 1), "fromjson": (1, 1), "hashfiles": (1, 99), "success": (0, 99), "failure": (0, 99),
    "always": (0, 0), "cancelled": (0, 0), "case": (3, 99),
}  # fmt: skip
"""The fewest and the most arguments of each, its name in lower case."""
_COMPARED = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


@dataclass(slots=True)
class Expression:
    """What one expression says."""

    text: str
    problem: str | None = None
    """Why it cannot be read, if so."""
    values: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """The values it names, such as `("steps", "build", "outcome")`; `*` stands for what is not told."""
    functions: set[str] = field(default_factory=set[str])

    def asks(self) -> bool:
        """Say whether what comes out depends on anything."""
        return bool(self.values or self.functions or self.problem)


def expressions_in(text: str, *, is_condition: bool = False) -> Iterator[Expression]:
    """Yield the expressions of a text; a condition without `${{ }}` is one as a whole."""
    found = _EXPRESSION.findall(text)
    if not found and "${{" in text:
        yield Expression(text, "has `${{` without `}}`")
    for one in found or ([text] if is_condition and "${{" not in text else []):
        yield read_expression(one)


def read_expression(text: str) -> Expression:
    """Return what an expression says, the text between `${{` and `}}`."""
    made = Expression(text.strip())
    try:
        reader = _Reader(text, made)
        reader.whole()
    except ValueError as error:
        made.problem = str(error)
    return made


class _Reader:
    """Reads the tokens of one expression from left to right."""

    def __init__(self, text: str, into: Expression) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._into = into

    def whole(self) -> None:
        if not self._tokens:
            raise ValueError("is an empty expression")
        self._any()
        if self._at < len(self._tokens):
            raise ValueError(f"has {self._next()!r} where its end was expected")

    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, wanted: str = "") -> str:
        found = self._next()
        if not found or (wanted and found != wanted):
            raise ValueError(f"has {found!r} where {wanted!r} was expected" if found else "ends too early")
        self._at += 1
        return found

    def _any(self) -> None:
        self._one()
        while self._next() in _COMPARED:
            self._at += 1
            self._one()

    def _one(self) -> None:
        while self._next() == "!":
            self._at += 1
        if self._next() == "(":
            self._take()
            self._any()
            self._take(")")
            self._path([])
            return
        kind, found = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        self._take()
        if kind == "name":
            self._named(found)
        elif kind == "sign":
            raise ValueError(f"has {found!r} where a value was expected")

    def _named(self, name: str) -> None:
        folded = name.lower()
        if self._next() == "(":
            self._call(name)
            self._path([])
        elif folded not in _WORDS:
            if folded not in CONTEXTS:
                raise ValueError(f"names {name[:40]!r}, which is no context")
            self._path([folded])

    def _call(self, name: str) -> None:
        folded = name.lower()
        if folded not in _FUNCTIONS:
            raise ValueError(f"calls {name[:40]!r}, which is no function")
        self._take("(")
        count, first = 0, self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        while self._next() != ")":
            count += 1
            self._any()
            if self._next() != ")":
                self._take(",")
        self._take(")")
        least, most = _FUNCTIONS[folded]
        if not least <= count <= most:
            raise ValueError(f"gives {name} {count} arguments")
        if first[0] == "text" and (problem := _text_problem(folded, first[1][1:-1].replace("''", "'"), count - 1)):
            raise ValueError(problem)
        self._into.functions.add(folded)

    def _path(self, parts: list[str]) -> None:
        while self._next() in (".", "["):
            if self._take() == ".":
                parts.append(self._take().lower())
                continue
            kind, found = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
            self._any() if found != "*" else self._take("*")
            is_last = self._next() == "]"
            self._take("]")
            parts.append(found[1:-1].replace("''", "'").lower() if kind == "text" and is_last else "*")
        if parts and parts[0] in CONTEXTS:
            self._into.values.append(tuple(parts))


def _text_problem(function: str, text: str, others: int) -> str | None:
    """Return why a function cannot make anything of the text it is given, with so many arguments after it."""
    if function == "fromjson":
        try:
            json.loads(text)
        except ValueError:
            return f"gives fromJSON {text[:40]!r}, which is not JSON"
    elif function == "format":
        wanted = {int(number) for number in _PLACEHOLDER.findall(text.replace("{{", "").replace("}}", ""))}
        if wanted and max(wanted) >= others:
            return f"has {{{max(wanted)}}} in the text of format, and only {others} values for it"
        if missing := set(range(others)) - wanted:
            return f"gives format a value that its text does not use, {{{min(missing)}}}"
    return None


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at:].strip()[:20]
            hint = "; text stands between single quotes" if shown.startswith('"') else ""
            raise ValueError(f"cannot be read from {shown!r} on{hint}")
        at = match.end()
        yield str(match.lastgroup), match[0].strip()


RULES: list[LintRule] = []
_ANYWHERE = frozenset({"github", "inputs", "vars"})
_JOB = _ANYWHERE | {"needs", "strategy", "matrix"}
_STEP = _JOB | {"job", "runner", "env", "secrets", "steps"}
_ALLOWED: tuple[tuple[str, frozenset[str]], ...] = (
    (r"/(run-name|concurrency)(/.*)?", _ANYWHERE),
    (r"/env/.*", _ANYWHERE | {"secrets"}),
    (r"/on/workflow_call/outputs/.*", _ANYWHERE | {"jobs"}),
    (r"/on/.*", _ANYWHERE),
    (r"/jobs/[^/]+/if", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/strategy/.*", _ANYWHERE | {"needs"}),
    (r"/jobs/[^/]+/(name|runs-on|continue-on-error|timeout-minutes|concurrency|with)(/.*)?", _JOB),
    (r"/jobs/[^/]+/environment/url", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/environment(/.*)?", _JOB),
    (r"/jobs/[^/]+/(env|secrets)/.*", _JOB | {"secrets"}),
    (r"/jobs/[^/]+/defaults/.*", _JOB | {"env"}),
    (r"/jobs/[^/]+/(container|services/[^/]+)/(credentials|env)/.*", _STEP - {"steps"}),
    (r"/jobs/[^/]+/(container|services)(/.*)?", _JOB),
    (r"/jobs/[^/]+/outputs/.*", _STEP),
    (r"/jobs/[^/]+/steps/\d+/if", _STEP - {"secrets"}),
    (r"/jobs/[^/]+/steps/.*", _STEP),
)
"""Which values an expression may name, by where it stands; the first place that fits counts."""
_STATUS = frozenset({"success", "failure", "always", "cancelled"})
_PROPERTIES: Mapping[str, frozenset[str]] = {
    context: frozenset(names.split())
    for context, names in {
        "github": (
            "action action_path action_ref action_repository action_status actor actor_id api_url base_ref env event "
            "artifact_cache_size_limit event_name event_path graphql_url head_ref job job_workflow_sha output path ref "
            "ref_name ref_protected ref_type repository repository_id repository_owner repository_owner_id "
            "repository_visibility repositoryurl retention_days run_attempt run_id run_number secret_source server_url "
            "sha state step_summary token triggering_actor workflow workflow_ref workflow_sha workspace"
        ),
        "runner": "arch debug environment name os temp tool_cache workspace",
        "strategy": "fail-fast job-index job-total max-parallel",
        "job": "check_run_id container services status workflow_file_path workflow_ref workflow_repository "
        "workflow_sha",
    }.items()
}
"""What the values are that GitHub gives, in lower case, by the page "Contexts" of its documentation."""
_WITH_PARTS = frozenset({"event", "container", "services"})


def placed_expressions(document: Any, place: Place) -> Iterator[tuple[Expression, Place]]:
    """Yield the expressions of a document, each with its place."""
    for text, here in texts_in(document, place):
        if "${{" in text or here.path[-1:] == ("if",):
            for one in expressions_in(text, is_condition=here.path[-1:] == ("if",)):
                yield one, here


@lint_rule(RULES, "github-expression", "error", "GitHub refuses the whole file.")
def _unreadable(document: Any, place: Place) -> None:
    """Find expressions that GitHub cannot read, and functions that do not exist."""
    for one, here in placed_expressions(document, place):
        if one.problem:
            here.refuse(f"the expression {one.text[:60]!r} {one.problem}")


@lint_rule(RULES, "github-context", "error", "GitHub refuses the file, or the value is empty.")
def _misplaced(document: Any, place: Place) -> None:
    """Find values and functions that are not known where they are used."""
    for one, here in placed_expressions(document, place):
        where = "/" + "/".join(map(str, here.path))
        allowed = next((names for pattern, names in _ALLOWED if re.fullmatch(pattern, where)), None)
        for root in {value[0] for value in one.values} if allowed is not None else ():
            if allowed is not None and root not in allowed:
                here.refuse(f"`{root}` is not known here", sorted(allowed))
        if one.functions & _STATUS and here.path[-1:] != ("if",):
            here.refuse("asks how the steps before ended, which only `if` can")
        if "hashfiles" in one.functions and here.path[:1] == ("jobs",) and here.path[2:3] != ("steps",):
            here.refuse("calls `hashFiles`, which only steps can, because they have files")


@lint_rule(RULES, "github-unknown-value", "warning", "The value is always empty.")
def _unknown_values(document: Any, place: Place) -> None:
    """Find steps, jobs, inputs and matrix values that an expression names and nothing defines."""
    told = events_of(document)
    inputs = {
        name.lower()
        for event in ("workflow_dispatch", "workflow_call")
        for name in object_in(object_in(told.get(event)).get("inputs"))
    }
    named = object_in(document.get("jobs"))
    everywhere = {**_PROPERTIES, "inputs": inputs, "jobs": {str(name).lower() for name in named}}
    for one, here in placed_expressions(document, place):
        job = object_in(named.get(str(here.path[1]))) if here.path[:1] == ("jobs",) and len(here.path) > 1 else {}
        known = everywhere | _known(job, here.path)
        for root, *rest in one.values:
            if not rest or rest[0] == "*":
                continue
            names = known.get(root)
            if names is not None and rest[0] not in names:
                here.refuse(f"there is no `{root}.{rest[0]}`", sorted(names))
            elif root == "needs" and len(rest) > 2 and rest[1] == "outputs" and rest[2] != "*":
                _check_output(named, rest[0], rest[2], here)
            elif root in ("github", "runner") and len(rest) > 1 and rest[0] not in _WITH_PARTS:
                here.refuse(f"`{root}.{rest[0]}` is text, and has no `{rest[1]}`")


def _known(job: Mapping[str, Any], path: Sequence[str | int]) -> dict[str, set[str]]:
    """Return the names below `steps`, `needs` and `matrix` in a place of a job, where that can be told."""
    if not job:
        return {}
    listed = list_in(job.get("steps"))
    before = listed[: int(path[3])] if path[2:3] == ("steps",) and len(path) > 3 else listed
    known = {
        "steps": {str(object_in(step).get("id", "")).lower() for step in before},
        "needs": {name.lower() for name in needs_of(job)},
    }
    strategy = job.get("strategy", {})
    matrix = object_in(strategy).get("matrix", {})
    include = object_in(matrix).get("include", [])
    # An expression in place of any of them may bring whatever it likes.
    if not any(isinstance(one, str) for one in (strategy, matrix, include)):
        said = [object_in(matrix), *(object_in(one) for one in list_in(include))]
        known["matrix"] = {str(key).lower() for one in said for key in one} - {"include", "exclude"}
    return known


def _check_output(jobs: Mapping[str, Any], needed: str, output: str, here: Place) -> None:
    job = object_in(next((one for name, one in jobs.items() if name.lower() == needed), None))
    outputs = {str(name).lower() for name in object_in(job.get("outputs"))}
    if "steps" in job and output not in outputs:
        here.refuse(f"the job {needed!r} has no output {output[:60]!r}", sorted(outputs))
