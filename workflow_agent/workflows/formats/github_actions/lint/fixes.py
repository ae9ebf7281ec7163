"""What mends mistakes of GitHub Actions workflows, where it is sure to say the same."""

import re
from typing import Any

from workflow_agent.errors import Problem
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.formats.github_actions.expressions import read_expression
from workflow_agent.workflows.formats.github_actions.reader import default_name
from workflow_agent.workflows.formats.shapes import object_in
from workflow_agent.workflows.model.steps import Step

_FILES = {"set-output": "OUTPUT", "set-env": "ENV", "save-state": "STATE", "add-path": "PATH"}
_COMMAND = re.compile(
    r"^([ \t]*)echo[ \t]+([\"']?)::"
    r"(?:(set-output|set-env|save-state)[ ]name=([\w-]+)|(add-path))::([^\"'\n%;|&<>\\]*)\2[ \t]*$",
    re.MULTILINE,
)
"""A line that does nothing but give a command, without the escapes that only commands have."""
_IN_PLACE = re.compile(r"\$\{\{([^{}]*)\}\}")


def file_for_command(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return a script that writes into the files of the runner what it gave as retired commands."""
    job = object_in(object_in(document.get("jobs")).get(problem.pointer.split("/")[2]))
    shells = (object_in(object_in(one.get("defaults")).get("run")).get("shell") for one in (document, job))
    shell = step.with_.get("shell") or next(filter(None, shells), None)
    script, runner = step.with_.get("run"), str(job.get("runs-on"))
    is_of_unix = shell in ("bash", "sh") or (shell is None and runner.startswith(("ubuntu-", "macos-")))
    if not isinstance(script, str) or not is_of_unix:
        return {}
    mended = _COMMAND.sub(_written, script)
    is_done = not re.search(r"::(?:set-env|add-path|set-output|save-state)\b", mended)
    return {"with": {**step.with_, "run": mended}} | _name(step, {"run": script}, {"run": mended}) if is_done else {}


def _name(step: Step, before: JsonObject, after: JsonObject) -> JsonObject:
    """Return the name of a step that was called after what it does, now that it does this."""
    return {"name": default_name(after)} if step.name == default_name(before) else {}


def _written(command: re.Match[str]) -> str:
    indent, quote, name, key, path, value = command.groups()
    if not quote and re.search(r"\s", value):
        return command[0]
    said = f"{key}={value}" if key else value
    mark = quote or '"'
    return f'{indent}echo {mark}{said}{mark} >> "$GITHUB_{_FILES[name or path]}"'


def whole_expression(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return a condition without the signs around a part of it, so that all of it is worked out."""
    del problem, document
    said = step.when.expression if step.when else None
    if not isinstance(said, str) or not step.when:
        return {}
    plain = _IN_PLACE.sub(lambda match: f"({match[1].strip()})", said)
    if "${{" in plain or said.strip() == plain.strip() or read_expression(plain).problem:
        return {}
    return {"when": {**step.when.model_dump(mode="json", exclude_defaults=True), "expression": plain}}


def without_version(step: Step, problem: Problem, document: Any) -> JsonObject:
    """Return an action of the same repository without the version that it does not take."""
    del problem, document
    if not step.uses or not step.uses.startswith("./"):
        return {}
    uses = step.uses.partition("@")[0]
    return {"uses": uses} | _name(step, {"uses": step.uses}, {"uses": uses})
