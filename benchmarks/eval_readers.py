"""Light readers of the corpus for the evaluation of search; nothing of a description comes through."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from workflow_agent.domain.workflow import Workflow
from workflow_agent.domain.workflow_parsing import parse_workflow, slug, unique_id

_TOLD = frozenset({"annotations", "description"})
"""Keys whose values are human descriptions: they are the queries, so they are not indexed."""


class Pair(NamedTuple):
    """A human description and the file it describes."""

    query: str
    file: str
    title: str


def pairs(corpus: Path, folder: str) -> list[Pair]:
    """Return the description of each described file of a folder; those that hold no word are left out."""
    listed = json.loads((corpus / folder / "pairs.json").read_text("utf-8"))
    return [
        Pair(one["description"], f"{folder}/{one['file']}", one.get("title") or "")
        for one in listed
        if re.search(r"\w", one["description"])
    ]


def workflows(corpus: Path, titles: dict[str, str]) -> dict[str, Workflow]:
    """Return every readable workflow of the three described formats, by file.

    Args:
        corpus: The folder of the formats.
        titles: Names to take in place of those in the files, by file.
    """
    found: dict[str, Workflow] = {}
    taken: set[str] = set()
    for folder, pattern in (
        ("argo", "examples/**/*.yaml"), ("github-starter-workflows", "**/*.yml"), ("n8n", "workflows/*.json"),
    ):  # fmt: skip
        for path in sorted((corpus / folder).glob(pattern)):
            file = str(path.relative_to(corpus))
            parts = _read(path)
            if parts is None:
                continue
            name = titles.get(file) or parts.name or path.stem.replace("_", " ")
            workflow_id = unique_id(f"wf_{slug(name)}", taken)
            taken.add(workflow_id)
            found[file] = _workflow(workflow_id, name, parts)
    return found


class _Parts(NamedTuple):
    name: str
    steps: list[dict[str, Any]]
    extensions: dict[str, Any]


def _workflow(workflow_id: str, name: str, parts: _Parts) -> Workflow:
    ids: set[str] = set()
    steps: list[dict[str, Any]] = []
    for step in parts.steps or [{"name": name}]:
        step_id = unique_id(slug(step["name"], max_chars=40), ids)
        ids.add(step_id)
        steps.append({"id": step_id, **step})
    return parse_workflow(
        {"id": workflow_id, "name": name[:200], "steps": steps, "extensions": parts.extensions}
    )


def _read(path: Path) -> _Parts | None:
    if path.suffix == ".json":
        return _n8n(json.loads(path.read_text("utf-8")))
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_duplicate_keys = True
    try:
        documents = [one for one in yaml.load_all(path.read_text("utf-8")) if one]
    except YAMLError:
        return None
    plain = json.loads(json.dumps(documents, default=str))
    if not plain:
        return None
    return _argo(plain) if "apiVersion" in plain[0] else _github(plain[0])


def _without_descriptions(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_descriptions(value) for key, value in data.items() if key not in _TOLD}
    return [_without_descriptions(one) for one in data] if isinstance(data, list) else data


def _step(name: Any, uses: Any = None, **given: Any) -> dict[str, Any]:
    step: dict[str, Any] = {"name": str(name).strip()[:200] or "step", "with": _without_descriptions(given)}
    return step | {"uses": str(uses)} if uses else step


def _argo(documents: list[dict[str, Any]]) -> _Parts:
    steps: list[dict[str, Any]] = []
    for document in documents:
        spec = document.get("spec") or {}
        spec = spec.get("workflowSpec") or spec
        for template in spec.get("templates") or []:
            steps += _argo_template(template)
    meta = documents[0].get("metadata") or {}
    name = str(meta.get("name") or meta.get("generateName") or "").strip("-")
    return _Parts(name, steps, {"argo": _without_descriptions([_slim(one) for one in documents])})


def _slim(document: dict[str, Any]) -> dict[str, Any]:
    spec = {key: value for key, value in (document.get("spec") or {}).items() if key != "templates"}
    return document | {"spec": spec}


def _argo_template(template: dict[str, Any]) -> Iterator[dict[str, Any]]:
    container = template.get("container") or template.get("script") or {}
    rest = {key: value for key, value in template.items() if key not in ("name", "steps", "dag")}
    yield _step(template.get("name", "step"), container.get("image"), **rest)
    listed = [
        one
        for group in template.get("steps") or []
        for one in (group if isinstance(group, list) else [group])
    ]
    listed += (template.get("dag") or {}).get("tasks") or []
    for one in listed:
        yield _step(
            one.get("name", "step"), one.get("template"), **{key: one[key] for key in one if key != "name"}
        )


def _github(document: dict[str, Any]) -> _Parts:
    steps: list[dict[str, Any]] = []
    for job_id, job in (document.get("jobs") or {}).items():
        rest = {key: value for key, value in job.items() if key not in ("steps", "name", "uses")}
        steps.append(_step(job.get("name", job_id), job.get("uses"), **rest))
        for one in job.get("steps") or []:
            run = str(one.get("run") or "")
            called = one.get("name") or one.get("uses") or run.partition("\n")[0] or "step"
            rest = {key: value for key, value in one.items() if key not in ("name", "uses")}
            steps.append(_step(called, one.get("uses"), **rest))
    rest = {key: value for key, value in document.items() if key not in ("jobs", "name")}
    return _Parts(str(document.get("name") or ""), steps, {"github": _without_descriptions(rest)})


def _n8n(document: dict[str, Any]) -> _Parts:
    steps = [
        _step(node.get("name", "node"), node.get("type"), parameters=node.get("parameters") or {})
        for node in document.get("nodes") or []
    ]
    rest = {key: document[key] for key in ("settings", "tags") if key in document}
    return _Parts(str(document.get("name") or ""), steps, {"n8n": rest})
