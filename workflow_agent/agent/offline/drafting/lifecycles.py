"""Reading lifecycles: named states, and what moves something from one to the next."""

import itertools
import re
from typing import Any, Final

from workflow_agent.agent.offline.drafting.lifecycle_words import (
    ACTIONS,
    ARROW,
    BACK,
    BECOMES,
    CAN_BE,
    CAN_BE_EACH,
    CAN_BE_IN,
    COLON_LIST,
    LIFECYCLE_WORDS,
    LISTED,
    MOVE,
    PATH,
    REOPENED,
    SEPARATOR,
    SIDE_STATES,
    STARTS_AS,
)
from workflow_agent.agent.offline.drafting.nouns import DETERMINERS, is_role
from workflow_agent.agent.offline.drafting.results import Drawing
from workflow_agent.agent.offline.drafting.verbs import VERBS, is_form, lemma, verb_of
from workflow_agent.domain.workflow_parsing import slug, unique_id

_MAX_STATES: Final = 60


class _Lifecycle:
    def __init__(self, thing: str) -> None:
        self.thing = thing
        self.names: dict[str, str] = {}
        self.listed = 0
        """How many states were named in order, before those that were only mentioned."""
        self.moves: dict[tuple[str, str], dict[str, Any]] = {}
        self.is_cut = False
        """Whether there are more states than are drawn."""

    def state(self, name: str, *, adds: bool = True) -> str | None:
        key = slug(_state_name(name), fallback="")
        if not key or (key not in self.names and not adds):
            return None
        if key not in self.names and len(self.names) >= _MAX_STATES:
            self.is_cut = True
            return None
        written = _state_name(name)
        self.names.setdefault(key, written[:1].upper() + written[1:])
        return key

    def move(self, source: str, target: str, action: str | None) -> None:
        if (source, target) in self.moves or source == target:
            return
        verb, role = _action(action, target)
        label = {"label": f"by {role}"} if role else {}
        permission = f"{slug(self.thing, fallback='item')}_{verb}"[:190]
        self.moves[source, target] = {
            "from": source, "to": target, "action": verb, "permission": permission, **label,
        }  # fmt: skip


def _state_name(text: str) -> str:
    words = [word for word in text.strip(" '\"()").split() if word.lower() not in DETERMINERS]
    while words and words[-1].lower() in ("state", "status", "again", "first", "later"):
        words.pop()
    while words and words[0].lower() in ("state", "status", "either", "finally", "then", "first", "as"):
        words.pop(0)
    return " ".join(words)[:60]


def _action(said: str | None, target: str) -> tuple[str, str | None]:
    """Return the verb of a move, and who does it where it says so."""
    if said:
        words = [word.lower() for word in re.findall(r"[\w-]+", said) if word.lower() not in DETERMINERS]
        role = next((word for word in words if is_role(word)), None)
        verbs = [lemma(word) for word in words if verb_of(lemma(word)) and word != role]
        if verbs:
            return slug(verbs[0]), role
        if words and words[0].isalpha() and not role:
            return slug(" ".join(words[:3]), fallback=target), role
    if target in ACTIONS:
        return ACTIONS[target], None
    last = target.rpartition("_")[2]
    base = lemma(last)
    return (base if base in VERBS or is_form(last, "participle") else target), None


def draw_lifecycle(text: str) -> Drawing | None:
    """Return the states and moves of a lifecycle, or None when the text describes none."""
    listed = (
        LISTED.search(text) or CAN_BE_IN.search(text) or CAN_BE_EACH.search(text) or COLON_LIST.search(text)
    )
    paths = [found for pattern in (PATH, STARTS_AS) for found in pattern.finditer(text)][:20]
    speaks_of_states = LIFECYCLE_WORDS.search(text[:2_000]) is not None
    if listed is None and not (paths and (speaks_of_states or _is_path(paths[0]["path"]))):
        return None
    cycle = _Lifecycle(_thing(text, paths))
    _read_states(cycle, listed, paths)
    if len(cycle.names) < 2:
        return None
    cycle.listed = len(cycle.names)
    _read_moves(cycle, text, has_list=listed is not None)
    return _drawing(cycle)


def _is_path(path: str) -> bool:
    """Say whether `from ... to ...` names states, not people: its parts are of few words."""
    parts = [part for part in SEPARATOR.split(path.partition(" and can ")[0]) if part.strip()]
    return (
        len(parts) >= 2
        and all(len(part.split()) <= 3 for part in parts[:2])
        and not is_role(parts[0].split()[-1].lower())
    )


def _thing(text: str, paths: list[re.Match[str]]) -> str:
    for found in paths:
        if found["thing"]:
            return " ".join(word for word in found["thing"].split() if word.lower() not in DETERMINERS)
    goes = re.search(
        r"\b(?:an?|the|each|every|our) ([\w-]+(?: [\w-]+)?) (?:goes|has|moves|passes|can)\b",
        text,
        re.IGNORECASE,
    )
    if goes:
        return goes[1]
    of = re.search(
        r"\b(?:states|status(?:es)?|life ?cycle) (?:of|for) (?:an? |the |our |each )?([\w-]+(?: [\w-]+)?)",
        text,
        re.IGNORECASE,
    )
    before = re.search(r"\b([\w-]+) (?:life ?cycle|states|state machine|statuses)\b", text, re.IGNORECASE)
    named = of[1] if of else before[1] if before else ""
    return "" if named.lower() in DETERMINERS | {"following", "with", "has", "as"} else named


def _read_states(cycle: _Lifecycle, listed: re.Match[str] | None, paths: list[re.Match[str]]) -> None:
    if listed is not None:
        for name in _parts(listed["list"]):
            cycle.state(name)
        return
    for found in paths:
        for name in _parts(found["path"]):
            cycle.state(name)


def _parts(text: str) -> list[str]:
    """Return the names of a list of states, ended by the first part that is a clause."""
    found: list[str] = []
    for part in SEPARATOR.split(text):
        words = part.split()
        if not words:
            continue
        if len(words) > 4 or words[0].lower() in (
            "can",
            "it",
            "which",
            "from",
            "when",
            "if",
            "by",
            "a",
            "the",
            "after",
            "once",
        ):
            break
        cut = re.split(
            r"\b(?:by|when|if|via|after|with|on|once|using)\b", part, maxsplit=1, flags=re.IGNORECASE
        )[0]
        if cut.strip():
            found.append(cut)
    return found


def _read_moves(cycle: _Lifecycle, text: str, *, has_list: bool) -> None:
    for pattern in (MOVE, ARROW, BECOMES):
        for found in pattern.finditer(text):
            _read_move(cycle, found)
    if not has_list or not cycle.moves:
        _chain(cycle)
    _reach_all(cycle)
    for found in BACK.finditer(text):
        _read_back(cycle, found)
    for found in CAN_BE.finditer(text):
        _read_possibility(cycle, found)


def _chain(cycle: _Lifecycle) -> None:
    """Lead from each state to the next; states like `cancelled` are reached from all but the last."""
    order = [key for key in cycle.names if key not in SIDE_STATES]
    for source, target in itertools.pairwise(order):
        cycle.move(source, target, None)
    for side in [key for key in cycle.names if key in SIDE_STATES]:
        for source in order[:-1]:
            cycle.move(source, side, None)


def _reach_all(cycle: _Lifecycle) -> None:
    """Let a state that nothing leads to follow the one named before it."""
    order = list(cycle.names)
    for source, target in itertools.pairwise(order):
        if not any(to == target for _, to in cycle.moves):
            cycle.move(source, target, None)


def _read_move(cycle: _Lifecycle, found: re.Match[str]) -> None:
    source, target = cycle.state(found["from"], adds=False), cycle.state(found["to"], adds=False)
    if source and target:
        cycle.move(source, target, found["action"] or found.groupdict().get("label"))


def _read_back(cycle: _Lifecycle, found: re.Match[str]) -> None:
    target = cycle.state(found["to"], adds=False)
    named = found["from"] or found["late"]
    source = cycle.state(named, adds=False) if named else None
    if target is None:
        return
    order = list(cycle.names)
    cycle.move(source or order[-1], target, "return")


def _read_possibility(cycle: _Lifecycle, found: re.Match[str]) -> None:
    """Read "can be reopened", "can be cancelled from any state"."""
    word = found["verb"].lower()
    if not (is_form(word, "participle", "past") or word.endswith("ed")):
        return
    order = list(cycle.names)
    said = found["from"] or found["before"] or ""
    named = [key for part in SEPARATOR.split(said) if (key := cycle.state(part, adds=False))]
    if word in REOPENED:
        wanted = ("open", "reopened", "in_progress", "active")
        target = next((key for key in wanted if key in cycle.names), order[0])
        for source in named or [order[cycle.listed - 1]]:
            cycle.move(source, target, "reopen" if word == "reopened" else word)
        return
    target = cycle.state(word)
    if target is None:
        return
    finals = {key for key in order if not any(source == key for source, _ in cycle.moves)}
    for source in named or [key for key in order if key not in finals and key != target]:
        cycle.move(source, target, word)


def _drawing(cycle: _Lifecycle) -> Drawing:
    ids: dict[str, str] = {}
    for key in cycle.names:
        ids[key] = unique_id(key, ids.values())
    steps = [{"id": ids[key], "name": name, "type": "state"} for key, name in cycle.names.items()]
    edges = [{**move, "from": ids[move["from"]], "to": ids[move["to"]]} for move in cycle.moves.values()]
    stopped = f"I stopped after {_MAX_STATES} states; the rest of the text is not drawn."
    left_out = [stopped] if cycle.is_cut else []
    return Drawing(steps, edges, [], [], cycle.thing, is_evident=True, left_out=left_out)
