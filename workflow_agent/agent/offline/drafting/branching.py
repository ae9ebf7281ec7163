"""Reading `if`, `unless` and `otherwise`."""

from dataclasses import replace
from typing import Final

from workflow_agent.agent.offline.drafting.actors import actor_of, head_noun, person_at, thing_of
from workflow_agent.agent.offline.drafting.chunks import Chunk
from workflow_agent.agent.offline.drafting.clause_heads import Head
from workflow_agent.agent.offline.drafting.condition_ends import SPLIT, split_condition
from workflow_agent.agent.offline.drafting.conditions import read_condition
from workflow_agent.agent.offline.drafting.heads import read_head
from workflow_agent.agent.offline.drafting.nouns import GENERIC, PERSONAL, is_role, looks_like_person
from workflow_agent.agent.offline.drafting.reader import Reader
from workflow_agent.agent.offline.drafting.reading import read_clauses
from workflow_agent.agent.offline.drafting.starts import plain, start
from workflow_agent.agent.offline.drafting.statements import Branch, Otherwise, Proceed, Statement, Task
from workflow_agent.agent.offline.drafting.tokens import Tokens, lows, strip_marks
from workflow_agent.agent.offline.drafting.waits import wait_of
from workflow_agent.agent.offline.drafting.words import word_set

_MEASURES: Final = word_set(
    "amount price total value sum cost score result answer number temperature something anything nothing "
    "everything all"
)
_PRONOUNS: Final = word_set("it they he she this that")
_ELLIPSES: Final = word_set("is are do does did has have was were")
_NEAR: Final = 12
_INDEFINITE: Final = word_set("a an any someone somebody anyone")


def conditional(reader: Reader, chunk: Chunk) -> None:
    """Read `if`: with its main clause after it, or before it."""
    said, main = split_condition(chunk.tokens)
    if not said:
        plain(reader, chunk)
        return
    if _is_trigger(reader, said):
        start(reader, said, main)
        return
    if main and is_other_way(reader, said):
        otherwise(reader, Chunk("else", [*main]))
        return
    said = meant_by(reader, said)
    trails = chunk.is_glued or (not main and chunk.is_end)
    under = reader.take_last_clause() if trails else []
    reader.end_segment()
    reader.begin_branch()
    said = _waited_before(reader, said)
    reader.add([Branch(read_condition(said, reader.memory)), *under])
    _remember_subject(reader, said)
    main, usual = _instead_of(reader, main)
    done = under_condition(reader, main)
    reader.add(done if usual is None else _by_either(reader, done, usual))


def _instead_of(reader: Reader, main: Tokens) -> tuple[Tokens, str | None]:
    """Return "Mr. Braun approves instead of the clerk" without its end, and who does it otherwise.

    Whoever does something already may do just that, so nothing is added for them.
    """
    words = lows(main)
    at = next((at for at in range(1, len(words) - 2) if words[at : at + 2] == ["instead", "of"]), None)
    named = person_at(main, at + 2) if at is not None else None
    if at is None or named is None or named[1] < len(main):
        return main, None
    is_known = any(isinstance(one, Task) and one.assignee == named[0] for one in reader.statements)
    return (main, None) if is_known else (main[:at], named[0])


def _by_either(reader: Reader, done: list[Statement], usual: str) -> list[Statement]:
    """Return a step and, for the other case, the same step of the one who usually does it."""
    if len(done) != 1 or not isinstance(done[0], Task):
        return done
    thing = reader.memory.thing
    task = replace(done[0], name=f"{done[0].name} {thing}") if " " not in done[0].name and thing else done[0]
    return [task, Otherwise(), replace(task, assignee=usual)]


def meant_by(reader: Reader, said: Tokens) -> Tokens:
    """Return what "if so", "if they are" stands for: the question that was looked into just before."""
    words = lows(said)
    is_short = words == ["yes"] or (
        len(words) == 2 and words[0] in _PRONOUNS and words[1] in _ELLIPSES
    )  # fmt: skip
    return reader.memory.asked or said if is_short else said


def is_other_way(reader: Reader, said: Tokens) -> bool:
    """Say whether "when they do", "if it is" means that the condition before does not hold."""
    words = [word for word in lows(said) if word != "not"]
    if len(words) != 2 or words[0] not in _PRONOUNS or words[1] not in _ELLIPSES:
        return False
    told = [one.condition for one in reader.statements[-_NEAR:] if isinstance(one, Branch)]
    negated = told and "not" in told[-1].text.lower().split()
    is_verdict = bool(told) and told[-1].polarity != ""
    return bool(told) and not is_verdict and bool(negated) != ("not" in lows(said))


def _remember_subject(reader: Reader, said: Tokens) -> None:
    head = read_head(said)
    if head is not None and head.subject and _is_about_a_thing(reader, head):
        thing = thing_of(head.subject)
        if thing.lower() not in _MEASURES:
            reader.memory.speak_of(thing)
            reader.thing_before = reader.memory.thing


def _is_about_a_thing(reader: Reader, head: Head) -> bool:
    """Say whether a condition is about a thing, known or not: "if the pipe is broken"."""
    noun = head_noun(head.subject)
    is_person = is_role(noun) or looks_like_person(noun) or noun in PERSONAL | GENERIC | {"there"}
    unknown = head.voice in ("state", "passive") and not is_person
    return unknown or actor_of(head.subject, reader.memory).kind == "thing"


def _waited_before(reader: Reader, said: Tokens) -> Tokens:
    """Read the wait of "if he has not paid after 7 days", and return the condition without it."""
    for at in range(1, len(said)):
        if said[at].kind == "duration" and said[at - 1].low == "after":
            rest = [*said[: at - 1], *said[at + 1 :]]
            if rest and read_condition(said, reader.memory).kind == "generic":
                reader.add([wait_of(said[at])])
                return rest
    return said


def under_condition(reader: Reader, main: Tokens) -> list[Statement]:
    """Return what a main clause says; a noun alone is a step there."""
    short = len(main) <= 6 and read_head(main) is None
    return read_clauses(main, reader.memory, is_item=True) if short and main else reader.clauses(main)


def _is_trigger(reader: Reader, said: Tokens) -> bool:
    """Say whether an `if` at the very start tells what starts the process."""
    if reader.has_work() or reader.has_alternatives or reader.triggers:
        return False
    head = read_head(said)
    return (
        head is not None
        and head.voice != "state"
        and bool(head.subject)
        and head.subject[0].low in _INDEFINITE
    )


def unless(reader: Reader, chunk: Chunk) -> None:
    """Read `unless`: the clause before or after it happens when the condition does not hold."""
    said, main = split_condition(chunk.tokens)
    goes_on = bool(main) and not any(token is SPLIT for token in chunk.tokens)
    before = [] if goes_on else reader.take_last_clause()
    reader.end_segment()
    if not said:
        reader.add(before)
        return
    _remember_subject(reader, said)
    when_true = reader.clauses(main) if before else [Proceed()]
    when_false = before or reader.clauses(main)
    reader.add(
        [Branch(read_condition(said, reader.memory)), *(when_true or [Proceed()]), Otherwise(), *when_false]
    )


def otherwise(reader: Reader, chunk: Chunk) -> None:
    """Read the alternative; of a question that was only looked into, the other case adds nothing."""
    asked = reader.memory.asked
    reader.end_segment()
    reader.begin_branch()
    if asked:
        reader.add([Branch(read_condition(asked, reader.memory)), Proceed()])
        _remember_subject(reader, asked)
    reader.add([Otherwise(), *under_condition(reader, strip_marks(chunk.tokens))])
