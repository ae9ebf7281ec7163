"""Security: secrets in the open, and input from outside inside commands."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from workflow_agent.values import shortened
from workflow_agent.workflows.analysis.findings import Observation, rule, strings_in, texts_of_step
from workflow_agent.workflows.analysis.graph import FlowGraph
from workflow_agent.workflows.analysis.words import named, vocabulary, words
from workflow_agent.workflows.model.parser import json_pointer
from workflow_agent.workflows.model.steps import Step

_rule = partial(rule, "security")
MAX_CHARS = 400_000

_KNOWN_SECRETS = (
    ("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})")),
    ("a Slack token", re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}")),
    ("a Slack webhook", re.compile(r"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}")),
    ("an API key", re.compile(r"\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{24,}|\b[sr]k_live_[A-Za-z0-9]{16,}")),
    ("a Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z]{2,9} ){0,2}PRIVATE KEY-----")),
    ("a signed token", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    ("a password in an address", re.compile(r"\b[a-z][a-z0-9+]{1,20}://[^\s/:@${}<>]{1,80}:[^\s/:@${}<>*]{3,80}@")),
)
_SECRET_KEYS = vocabulary("password passwd pwd passphrase secret token apikey")
_SECRET_PAIRS = frozenset((("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("auth", "token")))
_NOT_A_VALUE = vocabulary(
    """
    changeme default dummy empty example false inherit none null placeholder redacted required sample
    secret test todo token true your xxx xxxx
    """
)
_REFERENCE_SIGNS = ("$", "{{", "<", "%(", "vault:", "env:", "secret:", "secrets.", "ssm:", "arn:", "ref:", "***", "=")

_COMMAND_KEYS = vocabulary("bash cmd code command commands eval exec query run script shell sql")
_FROM_OUTSIDE = re.compile(
    r"(?:\$\{\{|\{\{|\$\{|\{%)[^{}\n]{0,120}?\b("
    r"(?:github\.event\.(?:issue|pull_request|comment|review|discussion|head_commit|commits|pages)[\w.\[\]*]{0,80}"
    r"|github\.head_ref|(?:trigger|webhook|request|payload|form|inputs?|body|params|query|message|email|event)\b"
    r"[\w.\[\]]{0,80}|json\.[\w.]{1,80}))"
)
_SAFE_FIELDS = frozenset(("number", "id", "sha", "node", "merged", "draft", "size", "count"))


@_rule(
    "hard-coded-secret",
    "error",
    "Everybody who can read any version of the workflow has it: change it and refer to it by name.",
)
def hard_coded_secret(graph: FlowGraph) -> Iterator[Observation]:
    """Find a password, key or token written into the workflow."""
    for step, pointer, place, text in _places(graph):
        kind = _kind_of_secret(place, text)
        if kind is not None:
            where = named(step) if step else "An automation or trigger"
            yield Observation(
                f"{where} contains {kind} in the open, at {shortened(pointer, 120)}.",
                steps=(step.id,) if step else (),
                evidence={"pointer": pointer, "kind": kind, "length": len(text)},
            )


def _places(graph: FlowGraph) -> Iterator[tuple[Step | None, str, tuple[str | int, ...], str]]:
    """Yield the free-form texts with the step and a pointer into the document, up to a total size."""
    chars = 0
    for step, base, value in _parts(graph):
        for path, text in strings_in(value) if value else ():
            chars += len(text)
            if chars > MAX_CHARS:
                return
            yield step, json_pointer((*base, *path)), path, text


def _parts(graph: FlowGraph) -> Iterator[tuple[Step | None, tuple[str | int, ...], Any]]:
    workflow = graph.workflow
    for at, step in enumerate(workflow.steps):
        yield step, ("steps", at, "with"), step.with_
        yield step, ("steps", at, "uses"), step.uses
        yield step, ("steps", at, "description"), step.description
    for at, edge in enumerate(workflow.transitions):
        yield graph.steps[edge.from_], ("transitions", at, "when"), edge.when and edge.when.expression
    for at, automation in enumerate(workflow.automations):
        yield None, ("automations", at, "effect", "with"), automation.effect.with_
    for at, trigger in enumerate(workflow.triggers):
        yield None, ("triggers", at, "with"), trigger.with_


def _kind_of_secret(path: tuple[str | int, ...], text: str) -> str | None:
    for kind, pattern in _KNOWN_SECRETS:
        if pattern.search(text):
            return kind
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    parts = words(key)
    is_secret = not _SECRET_KEYS.isdisjoint(parts[-1:]) or tuple(parts[-2:]) in _SECRET_PAIRS
    return f"a value for {shortened(key)!r}" if is_secret and _looks_real(text) else None


def _looks_real(text: str) -> bool:
    """Say whether a value is the secret itself and not its name, a reference to it or a placeholder."""
    value = text.strip()
    if not 6 <= len(value) <= 500 or " " in value or any(sign in value.lower() for sign in _REFERENCE_SIGNS):
        return False
    if _NOT_A_VALUE & set(words(value)) or value.replace("_", "").isupper():
        return False
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


@_rule(
    "untrusted-input-in-command",
    "warning",
    "Whoever sends the input can add commands of their own: pass it as a parameter or variable instead.",
)
def untrusted_input_in_command(graph: FlowGraph) -> Iterator[Observation]:
    """Find a command, script or query with input from outside put into its text."""
    chars = 0
    for step in graph.workflow.steps:
        for pointer, text in texts_of_step(step):
            key = words(pointer.rstrip("/0123456789").rpartition("/")[2])
            chars += len(text)
            if chars > MAX_CHARS:
                return
            found = _untrusted(text) if set(key[-1:]) & _COMMAND_KEYS else None
            if found:
                yield Observation(
                    f"{named(step)} puts '{shortened(found)}' into the text of a command.",
                    steps=(step.id,),
                    evidence={"input": found, "pointer": f"/steps/{graph.index[step.id]}{pointer}"},
                )


def _untrusted(text: str) -> str | None:
    """Return the first input from outside in a text; numbers and hashes can do no harm."""
    inputs = (match[1] for match in _FROM_OUTSIDE.finditer(text))
    return next((found for found in inputs if not set(words(found)[-1:]) & _SAFE_FIELDS), None)


RULES = (hard_coded_secret, untrusted_input_in_command)
