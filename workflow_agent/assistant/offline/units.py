"""A clause of an order in units: values, phrases of the data file, names of steps, and plain words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.lexicon import entry_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens
from workflow_agent.assistant.offline.values import duration_at, times_at
from workflow_agent.assistant.offline.wording import in_walking_order
from workflow_agent.workflows.model.workflow import Workflow

_SMALL = ("one", "first", "second", "third", "both", "single", "another", "half", "couple", "last")


@dataclass(frozen=True, slots=True)
class Unit:
    """Tokens that belong together, and what they stand for."""

    kind: str
    """length, times, number, word, or a kind of `slots.tsv`."""
    tokens: Tokens
    value: str | int | None = None
    """Of a length in ISO 8601, of times how often."""

    @property
    def head(self) -> Token:
        """The first token."""
        return self.tokens[0]

    def is_(self, *words: str) -> bool:
        """Say whether it is one of these words, or begins with one."""
        return self.tokens[0].is_(*words)


def units_of(tokens: Sequence[Token]) -> list[Unit]:
    """Return the units of tokens in their order, without marks at their ends."""
    found: list[Unit] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end, unit = at + 1, Unit("word", (token,))
        if token.kind == "quoted":
            pass
        elif (length := duration_at(tokens, at)) is not None:
            end, unit = length.end, Unit("length", tuple(tokens[at : length.end]), length.value)
        elif (times := times_at(tokens, at)) is not None:
            end, unit = times.end, Unit("times", tuple(tokens[at : times.end]), times.value)
        else:
            stop, kinds = phrase_at(tokens, at, "slots.tsv")
            if (
                kinds == ["remove"]
                and tokens[stop - 1].is_("go")
                and stop < len(tokens)
                and tokens[stop].has("prep", "part")
            ):
                kinds = []
            if kinds:
                end, unit = stop, Unit(kinds[0], tuple(tokens[at:stop]))
            elif token.value is not None and not token.is_(*_SMALL):
                unit = Unit("number", (token,))
        found.append(unit)
        at = end
    return found


def words_in(units: Sequence[Unit]) -> Tokens:
    """Return the tokens of units."""
    return tuple(token for unit in units for token in unit.tokens)


@lru_cache(maxsize=4_096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters."""
    return tuple(t.lower for t in read_tokens(name))


def with_names(workflow: Workflow, tokens: Sequence[Token]) -> Tokens:
    """Return tokens with each full name of a step as one, as if it stood between quotes."""
    names: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for step in workflow.steps:
        words = name_words(step.name)
        if len(words) > 1:
            names.setdefault(words[0], []).append((words, step.name))
    numbered = [step.name for step in in_walking_order(workflow) if step.type != "end"]
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if (
            token.is_("step", "task")
            and following is not None
            and following.kind == "number"
            and duration_at(tokens, at + 1) is None
            and 0 < (following.value or 0) <= len(numbered)
            and not any(t.is_("a", "an", "add", "new", "insert") for t in tokens[max(at - 2, 0) : at])
        ):
            name = numbered[int(following.value or 1) - 1]
            found.append(Token(name, "quoted", token.start, following.end, entry_of(name.lower())))
            at += 2
            continue
        fitting = [
            (words, name)
            for words, name in names.get(token.lower, ())
            if tuple(t.lower for t in tokens[at : at + len(words)]) == words
        ]
        words, name = max(fitting, key=lambda one: len(one[0]), default=((token.lower,), ""))
        if name:
            last = tokens[at + len(words) - 1]
            entry = entry_of(name.lower())
            found.append(Token(name, "quoted", token.start, last.end, entry, possessive=last.possessive))
        else:
            found.append(token)
        at += len(words)
    return tuple(found)
