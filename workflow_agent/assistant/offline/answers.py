"""The answers to questions about one workflow, from its graph.

A reading (a line of `readings.tsv`) names an answer, the topics that a question must speak of and those it may; what
other words mean (steps, people, cases, lengths) is asked of the question. Of all readings that give an answer the one
that leaves the fewest words unused is told. What denies, or says yes, is told only where no word was left.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from workflow_agent.assistant.offline.clauses import is_actor_word, question_itself
from workflow_agent.assistant.offline.lexicon import data_rows, entry_of, word_set
from workflow_agent.assistant.offline.question import Question
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, akin, content_of
from workflow_agent.assistant.offline.schedules import started_by
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import (
    back_edges,
    between,
    branches,
    conditions_before,
    forks,
    longest,
    path,
    ranks,
    reach,
    skipping,
)
from workflow_agent.assistant.offline.wording import (
    condition_of,
    counted,
    ends_line,
    explain_text,
    joined,
    named,
    roles_of,
    starts_line,
    told_step,
    way_on,
)
from workflow_agent.workflows.model.durations import duration_in_words, in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow

_MOST_TOLD = 6
_MOST_LEFT = 3
"""Words that an answer may leave unused; with more the question would be about something else."""
_MOST_TOKENS = 60
_MOST_JOINTS = 2
"""Places between two questions in one that are tried."""
_WHOLE = "whole"
"""Among what a reading needs: that no step is named, but at most the workflow."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer: what is so, whether that is a yes or a no, and whether it denies that anything is."""

    text: str
    verdict: bool | None = None
    denies: bool = False

    def whole(self) -> str:
        """Return the answer to a question that was read wholly."""
        if self.verdict is None:
            return self.text
        begins = self.text.startswith("**") or self.text[:1].islower()
        return f"{'Yes' if self.verdict else 'No'}{': ' if begins else '. '}{self.text}"


Answer = Callable[[Question], Told | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a question."""

    answer: Answer
    needs: tuple[tuple[str, ...], ...]
    """Topics that must stand in it, of each group one."""
    may: tuple[str, ...]
    """Topics whose words it uses beside those."""
    is_whole: bool


def answered(workflow: Workflow, tokens: Tokens, steps: Steps) -> tuple[str | None, list[Token]]:
    """Return the answer to a question, or to both in one, or None with the words that no reading could use."""
    tokens = _without_it(question_itself(tokens[:_MOST_TOKENS]))
    if (both := _both(workflow, tokens, steps)) is not None:
        return both, []
    told, left = _best(workflow, tokens, steps)
    if told is not None and not left:
        return told.whole(), []
    if told is None:
        return None, left
    text = told.text[:1].upper() + told.text[1:]
    return f"{text}\n\nI did not use: {joined([f'“{t.text}”' for t in left])}.", []


def _both(workflow: Workflow, tokens: Tokens, steps: Steps) -> str | None:
    """Return the answers to two questions in one, where each has one; the second may be about the same."""
    joints = [at for at in range(2, len(tokens) - 1) if tokens[at].is_("and") and tokens[at + 1].has("wh")]
    for at in joints[:_MOST_JOINTS]:
        first, second = tokens[:at], tokens[at + 1 :]
        same = tuple(t for t in first if t.is_content and not t.has("wh"))
        of_it = tuple(t for t in second if t.lower not in PRONOUNS | {"they", "he", "she"})
        others = (second, (*of_it, *same))
        for other in others if len(of_it) == len(second) else others[::-1]:
            told = [_best(workflow, part, steps) for part in (first, other)]
            if all(one is not None and not left for one, left in told):
                return "\n\n".join(one.whole() for one, _ in told if one is not None)
    return None


def _best(workflow: Workflow, tokens: Tokens, steps: Steps) -> tuple[Told | None, list[Token]]:
    """Return the answer of the reading that uses most words, and the words that it leaves."""
    q = Question(workflow, tokens, steps)
    best: tuple[Told, list[Token]] | None = None
    for reading in _readings():
        told = _read(q, reading)
        left = q.unused() if told is not None else []
        if told is None or (left and (told.denies or len(left) > _MOST_LEFT or q.turns_on(left))):
            continue
        if best is None or len(left) < len(best[1]):
            best = told, left
        if not left:
            return told, left
    if best is not None and len(best[1]) <= len([t for t in tokens if t.is_content]) - len(best[1]):
        return best
    q.begin(("what", "is", "filler", "who"))
    return None, q.rest()


def _read(q: Question, reading: Reading) -> Told | None:
    found = [[topic for topic in group if topic in q.topics] for group in reading.needs]
    if not all(found):
        return None
    q.begin([*(one for some in found for one in some), *reading.may])
    if reading.is_whole and not q.is_whole(q.rest()):
        return None
    return reading.answer(q)


def _without_it(tokens: Tokens) -> Tokens:
    """Return "a way without the review" for "a way where nobody does the review"; other questions as they are."""
    way = next((at for at, t in enumerate(tokens) if t.among("answers.way")), len(tokens))
    behind = tokens[way + 1 :]
    if (
        not behind
        or not behind[0].is_("where", "that", "which", "in", "on")
        or not any(t.has("neg") or t.is_("nobody") for t in behind)
    ):
        return tokens
    kept = [t for t in behind if not (t.has("neg", "aux", "wh") or t.among("answers.lacking"))]
    opening = Token("without", "word", behind[0].start, behind[0].end, entry_of("without"))
    return (*tokens[: way + 1], opening, *kept)


def _names(steps: Iterable[Step]) -> str:
    return joined([named(step) for step in steps])


def _lines(found: Iterable[str], *, verdict: bool | None = None) -> Told | None:
    text = "\n".join(list(found)[:_MOST_TOLD])
    return Told(text, verdict) if text else None


def _is(steps: Sequence[Step]) -> str:
    return "is" if len(steps) == 1 else "are"


# ---- counting


def _counted(noun: str, items: Callable[[Workflow], Sequence[object]], told: Callable[[Workflow], str]) -> Answer:
    def answer(q: Question) -> Told | None:
        also = told(q.workflow)
        count = counted(len(items(q.workflow)), noun)
        return Told(f"**{q.workflow.name}** has {count}{also and f': {also}'}".rstrip(".") + ".")

    return answer


def _count_steps(q: Question) -> Told | None:
    words = q.rest()
    if not q.is_whole(words):
        found = q.tasks(words)
        return Told(f"{counted(len(found), 'step')}: {_names(found)}.") if len(found) > 1 else None
    ends = sum(s.type == "end" for s in q.workflow.steps)
    also = f", and {counted(ends, 'end')}." if ends else "."
    return Told(f"**{q.workflow.name}** has {counted(len(q.workflow.steps), 'step')}: {_names(q.work())}{also}")


def _count_ways(q: Question) -> Told | None:
    return _lines(
        f"{named(s)} has {counted(len(ways), 'way')} on: {'; '.join(way_on(q.workflow, e) for e in ways)}."
        for s in q.meant(q.rest())
        if (ways := q.workflow.outgoing(s.id))
    )


def _attempts(q: Question) -> Told | None:
    steps = q.tasks(q.rest())
    again = [e for e in back_edges(q.workflow) if any(s.id in between(q.workflow, e) for s in steps)]
    inner = {one for edge in again for one in between(q.workflow, edge)}
    told = [
        f"{named(s)}: up to {s.retry.max_attempts} attempts."
        if s.retry
        else f"{named(s)}: nothing limits how often."
        if s.id in inner
        else f"{named(s)} is not tried again: one attempt."
        for s in steps
    ]
    return _lines([*told, *(f"A loop leads there again: {line}" for e in again for line in _taken(q, [e]))])


# ---- what steps have


def _parts(step: Step, q: Question) -> bool:
    return len([e for e in q.workflow.outgoing(step.id) if e.type != "error"]) > 1


def _decides(step: Step, q: Question) -> bool:
    if step.type == "action" and not _parts(step, q):
        # "Send rejection" tells what was decided.
        return False
    if step.type == "human" and _parts(step, q):
        return True
    cases = [content_of(condition_of(e)) for e in q.workflow.outgoing(step.id)]
    said = [*content_of(step.name), *(word for case in cases for word in case)]
    return any(akin(word, one) for word in said for one in word_set("inquiry.verdicts"))


def _tells(step: Step) -> bool:
    said = any(akin(word, one) for word in content_of(step.name)[:1] for one in word_set("answers.informing"))
    return step.type in ("action", "human") and (said or _channel(step) in word_set("answers.channels"))


def _falls(step: Step, q: Question) -> bool:
    return bool(step.retry) or any(e.type == "error" for e in q.workflow.outgoing(step.id))


_LACKS = {
    "deadline": "no deadline",
    "escalate": "no escalation",
    "owner": "nobody who does it",
    "choice": "one way on only",
    "fail": "no way out and no other try when it fails",
}
"""What a step has that is none of those with something."""
_FILTERS: dict[str, tuple[str, Callable[[Step, Question], bool]]] = {
    "deadline": ("with a deadline", lambda s, _: bool(s.timeout)),
    "retry": ("tried again on failure", lambda s, _: bool(s.retry)),
    "escalate": ("with an escalation", lambda s, _: bool(s.escalate_to)),
    "owner": ("with somebody who does it", lambda s, _: bool(s.assignee)),
    "automatic": ("automatic", lambda s, _: s.type == "action" and not s.assignee),
    "manual": ("done by people", lambda s, _: s.type == "human" or bool(s.assignee)),
    "optional": ("done only in some cases", lambda s, _: s.when is not None),
    "choice": ("with several ways on", _parts),
    "approve": ("deciding or approving", _decides),
    "parallel": ("in parallel branches", lambda s, q: any(s in b for b in branches(q.workflow))),
    "message": ("sending a message", lambda s, _: _channel(s) in word_set("answers.channels")),
    "wait": ("waiting for something", lambda s, _: s.type in ("wait", "event") or bool(s.duration)),
    "fail": ("with a way out or another try when it fails", _falls),
}
"""What steps are told apart by: the words for it, and whether a step is one."""
_WHO_HAS = ("deadline", "escalate")
"""Filters that answer who, too."""


def _filtered(topic: str) -> Answer:
    label, test = _FILTERS[topic]

    def answer(q: Question) -> Told | None:
        denied = bool(q.topics.get("not", set()) - q.topics.get(topic, set())) and q.has("not")
        is_asked = q.asks_yes_or_no()
        every = is_asked and q.has("all", "always") and any(t.among("question.every") for t in q.tokens)
        words = q.rest()
        is_whole = q.is_whole(words)
        about = [] if is_whole else q.tasks(words)
        if not is_whole and (not about or topic == "fail"):
            return None
        found = [s for s in about or q.work() if test(s, q) != denied]
        without = f"without {label.removeprefix('with ')}" if label.startswith("with ") else f"not {label}"
        which, told = without if denied else label, joined([_with_limits(s) for s in found])
        others = [s for s in about or q.work() if s not in found]
        if every and others:
            return Told(f"{_names(others)} {_is(others)} not.", verdict=False)
        if is_asked and found:
            return Told(f"{which}: {told}.", verdict=True)
        lacks = _LACKS.get(topic) if not denied else None
        has = f"{'has' if len(about) == 1 else 'have'} {lacks}" if lacks else f"{_is(about)} not {which}"
        if is_asked and about:
            return Told(f"{_names(about)} {has}.", verdict=False, denies=True)
        if q.speaks_of("many"):
            return Told(f"{counted(len(found), 'step')} {which}{': ' if found else ''}{told}.", denies=not found)
        if found:
            return Told(f"Steps {which}: {told}.")
        if about and topic not in word_set("answers.lacks"):
            return None
        none = f"{_names(about)} {has}." if about else f"No step of **{q.workflow.name}** is {which}."
        return Told(none, denies=True)

    return answer


def _with_limits(step: Step) -> str:
    limits = [
        duration_in_words(step.timeout) if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
        f"{step.retry.max_attempts} attempts" if step.retry else "",
        f"escalated to {step.escalate_to}" if step.escalate_to else "",
    ]
    told = joined([one for one in limits if one])
    return named(step) + (f", {told}" if told else "")


def _of_length(q: Question) -> Told | None:
    """Read "which steps can take an hour?"."""
    spans = durations_in(q.tokens)
    if len(spans) != 1:
        return None
    at, found = spans[0]
    q.use(q.tokens[at : found.end])
    wanted = seconds_of(found.value)
    more, less = q.has("longer"), q.has("shorter")
    if not q.is_whole(q.rest()):
        return None

    def fits(step: Step) -> bool:
        own = seconds_of(step.timeout or step.duration or "")
        return bool(own) and (own > wanted if more else own < wanted if less else own == wanted)

    steps = [s for s in q.work() if fits(s)]
    told = joined([_with_limits(s) for s in steps])
    return Told(f"{told}.") if steps else Told("No step has that length.", denies=True)


# ---- who does what


def _who(q: Question) -> Told | None:
    words = q.rest()
    if q.is_whole(words) and q.speaks_of("inform"):
        return _lines([f"Steps telling somebody: {told}."] if (told := _names(filter(_tells, q.work()))) else [])
    if q.is_whole(words):
        lines = [f"- **{who}**: {joined([s.name for s in done])}" for who, done in roles_of(q.workflow).items()]
        free = [s for s in q.work() if not s.assignee]
        alone = f"\nWithout anybody: {_names(free)}." if free else ""
        return Told(f"In **{q.workflow.name}**:\n\n" + "\n".join(lines) + alone)
    if (who := q.role(words)) is not None and not q.steps.maybe(words):
        return Told(f"**{who}** does {_names(roles_of(q.workflow)[who])}.")
    return _assigned(q.workflow, _doing(q.workflow, q.meant(words)))


def _assigned(workflow: Workflow, steps: Iterable[Step], verdict: bool | None = None) -> Told | None:
    return _lines((_doer(workflow, s) for s in steps), verdict=verdict)


def _doer(workflow: Workflow, step: Step) -> str:
    if step.assignee:
        return f"{named(step)}: **{step.assignee}**."
    # Of a state nobody is set: who may move on says each way by itself.
    moves = [f"{way_on(workflow, e)}, by who has `{e.permission}`" for e in workflow.outgoing(step.id) if e.permission]
    if moves:
        return f"{named(step)}: {'; '.join(moves)}."
    return f"{named(step)}: nobody is set" + (f", it calls `{step.uses}`." if step.uses else ".")


def _doing(workflow: Workflow, steps: Iterable[Step]) -> list[Step]:
    """Return the steps with those before a decision that nobody does, and before an end, in its place."""
    found = [
        one
        for step in steps
        for one in (_sources(workflow, step) if step.type in ("decision", "end") and not step.assignee else [step])
    ]
    return list({step.id: step for step in found if step.type not in ("fork", "join")}.values())


def _who_decides(q: Question) -> Told | None:
    found = [s for s in q.work() if _decides(s, q)] or [s for s in q.work() if _parts(s, q)]
    return _assigned(q.workflow, _doing(q.workflow, found))


def _who_tells(q: Question) -> Told | None:
    """Read "who says whether the cake is good?": who does the step where that case parts the ways."""
    sources = [s for e in q.cases(q.rest(), needs_step=False) if (s := q.workflow.step(e.from_))]
    return _assigned(q.workflow, _doing(q.workflow, sources))


def _escalated(q: Question) -> Told | None:
    """Read "is the CFO involved?", of somebody whom a step goes to when it is late."""
    words = q.rest()
    said = [t.lower for t in q.plain(words)]
    found = [
        s
        for s in q.workflow.steps
        if said
        and s.escalate_to
        and all(any(akin(t, w) for w in content_of(s.escalate_to.replace("_", " "))) for t in said)
    ]
    if not found:
        return None
    q.use(words)
    late = f"{found[0].escalate_to} is asked when {_names(found)} {'takes' if len(found) == 1 else 'take'} too long."
    return Told(late, verdict=True if q.asks_yes_or_no() else None)


def _role_does(q: Question) -> Told | None:
    who = q.role(q.rest())
    if who is None:
        return None
    done = roles_of(q.workflow)[who]
    number = f"{counted(len(done), 'step')}: " if q.speaks_of("many") else ""
    return Told(f"**{who}** does {number}{_names(done)}.", verdict=True if q.asks_yes_or_no() else None)


def _other_roles(q: Question) -> Told | None:
    """Read "is there anybody besides the teacher?": the other roles."""
    words = q.plain(q.rest(q.first("else")))
    known = {who for who in roles_of(q.workflow) if any(akin(t.lower, w) for t in words for w in content_of(who))}
    if not known or not all(q.knows(t) for t in words) or not q.is_whole(q.rest(0, q.first("else"))):
        return None
    q.use([*words, *(t for t in q.tokens if t.is_("and"))])
    more = [who for who in roles_of(q.workflow) if who not in known]
    return Told(f"{joined(more)}.", verdict=True) if more else Told(f"only {joined(sorted(known))}.", verdict=False)


def _unknown_role(q: Question) -> Told | None:
    """Read "is there a step done by the publisher?", of somebody whom the workflow does not have."""
    words = q.plain(q.rest())
    by = any(t.is_("by") for t in q.tokens)
    if not by or not words or not all(is_actor_word(t) and not q.knows(t) for t in words):
        return None
    q.use(words)
    who = joined(list(roles_of(q.workflow)))
    its = f"its roles are {who}" if who else "it has no roles"
    return Told(f"nobody there is called “{words[-1].text}”; {its}.", verdict=False, denies=True)


def _how_done(q: Question) -> Told | None:
    """Read "is the deposit automatic or done by a person?"."""
    return _assigned(q.workflow, q.tasks(q.rest()))


def _does_else(q: Question) -> Told | None:
    """Read "does the decorator do anything but decorating?": what else somebody does."""
    who, about = q.role_and_steps(q.rest())
    if who is None:
        return None
    more = [s for s in roles_of(q.workflow)[who] if s not in about]
    if more:
        return Told(f"{who} also does {_names(more)}.", verdict=True)
    return Told(f"{who} does only {_names(about)}.", verdict=False)


def _busiest(q: Question) -> Told | None:
    ranked = sorted(roles_of(q.workflow).items(), key=lambda one: -len(one[1]))
    best = [one for one in ranked if len(one[1]) == len(ranked[0][1])]
    return _lines(f"**{who}** does {counted(len(done), 'step')}: {_names(done)}." for who, done in best)


def _last_role(q: Question) -> Told | None:
    people = [s for s in q.work() if s.assignee]
    return _assigned(q.workflow, people[-1:] if q.speaks_of("last") else people[:1])


def _does_it(q: Question) -> Told | None:
    """Read "does the manager review it?": yes, or who does."""
    who, about = q.role_and_steps(q.rest())
    if who is None:
        return None
    mine = [s for s in about if s.assignee == who]
    if mine:
        return Told(f"{_names(mine)} {_is(mine)} done by {who}.", verdict=True)
    return _assigned(q.workflow, _doing(q.workflow, about), verdict=False)


# ---- times


def _how_long(q: Question) -> Told | None:
    words = q.rest()
    return _total_time(q) if q.is_whole(words) else _lines(_time_of(s) for s in q.tasks(words))


def _time_of(step: Step) -> str:
    parts = [
        f"has {duration_in_words(step.timeout)}" if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
    ]
    told = joined([part for part in parts if part])
    late = f"; then it goes to {step.escalate_to}" if step.escalate_to else ""
    return f"{named(step)} {told}{late}." if told else f"{named(step)} has no deadline."


def _total_time(q: Question) -> Told:
    timed = [s for s in q.work() if s.timeout or s.duration]
    if not timed:
        return Told(f"No step of **{q.workflow.name}** has a deadline or a length: nothing says how long it takes.")
    lines = "\n".join(f"- {_time_of(s)}" for s in timed)
    free = [s for s in q.work() if not (s.timeout or s.duration) and s.type == "human"]
    rest = f"{_names(free)} may take any time." if free else ""
    total = in_words(longest(q.workflow))
    return Told(f"At most {total} on the longest way, as far as limits are set:\n\n{lines}\n\n{rest}".strip())


def _time_until(q: Question) -> Told | None:
    """Read "how long can it take at most until the cover is checked?"."""
    found = q.slots(q.rest())
    if len(found) != 1:
        return None
    total = in_words(longest(q.workflow, found[0].id))
    return Told(f"Until {named(found[0])} is done, at most {total}, as far as limits are set. {_time_of(found[0])}")


def _slowest(q: Question) -> Told | None:
    limits = {s.id: s.timeout or (not q.speaks_of("deadline") and s.duration) or "" for s in q.work()}
    sign = 1 if q.speaks_of("shortest") and not q.speaks_of("longest") else -1
    timed = sorted((s for s in q.work() if limits[s.id]), key=lambda s: sign * seconds_of(limits[s.id]))
    return Told(f"By its limit, {_with_limits(timed[0])}." if timed else "No step has a deadline or a length.")


def _clock(q: Question) -> Told | None:
    """Read "does it run at night?"."""
    found = started_by(q.tokens)
    if found is None:
        return None
    q.used |= found.read
    q.has("all", "always", "night")
    if not q.is_whole(q.rest()):
        return None
    starts = found.passes([describe_trigger(one) for one in q.workflow.triggers])
    return Told(starts_line(q.workflow), verdict=starts)


# ---- where it starts and ends, what comes when


def _starts(q: Question) -> Told | None:
    if q.asks_yes_or_no():
        return None
    first = q.workflow.step(q.workflow.start)
    who = f", done by {first.assignee}" if first and first.assignee else ""
    return Told(f"{starts_line(q.workflow)} The first step is {named(first)}{who}.") if first else None


def _ends(q: Question) -> Told | None:
    return _lines([ends_line(q.workflow)])


def _last(q: Question) -> Told | None:
    ends = {s.id for s in q.workflow.steps if s.type == "end"}
    found = [s for s in q.work() if any(e.to in ends for e in q.workflow.outgoing(s.id))]
    return Told(f"Last come {_names(found)}. {ends_line(q.workflow)}")


def _number(q: Question) -> Told | None:
    """Read "what is step 4?"."""
    numbers = [t for t in q.tokens if t.value is not None and t.value == int(t.value)]
    q.use(numbers)
    if len(numbers) != 1 or not q.is_whole(q.rest()):
        return None
    at = int(numbers[0].value or 0)
    steps = [s for s in q.workflow.steps if s.type not in ("fork", "join", "end")]
    return Told(told_step(q.workflow, steps[at - 1]) if 0 < at <= len(steps) else f"There are only {len(steps)} steps.")


def _neighbours(q: Question) -> Told | None:
    told = [one for topic, one in (("before", _before), ("after", _after)) if q.has(topic)]
    text = "\n\n".join(one(q.workflow, s) for s in q.pointed(q.rest())[:4] for one in told)
    return Told(text) if text else None


def _after(workflow: Workflow, step: Step) -> str:
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"Nothing comes after {named(step)}: it is where the workflow ends."
    if len(ways) == 1:
        return f"After {named(step)}: {_through(workflow, ways[0])}."
    return f"After {named(step)}:\n\n" + "\n".join(f"- {_through(workflow, edge)}" for edge in ways)


def _through(workflow: Workflow, edge: Transition) -> str:
    """Return a way on, with the steps behind a fork or a join, which is nothing that happens."""
    target, told = workflow.step(edge.to), way_on(workflow, edge)
    if target is not None and target.type in ("fork", "join"):
        inner = [s for e in workflow.outgoing(target.id) if (s := workflow.step(e.to))]
        return f"{told}, then{' at the same time' if target.type == 'fork' else ''} {_names(inner)}"
    return f"{told}, done by {target.assignee}" if target is not None and target.assignee else told


def _sources(workflow: Workflow, step: Step) -> list[Step]:
    """Return the steps right before one, those before a fork or a join in its place."""
    seen: list[Step] = []
    for one in (s for e in workflow.incoming(step.id) if (s := workflow.step(e.from_))):
        through = [s for e in workflow.incoming(one.id) if (s := workflow.step(e.from_))]
        seen += through if one.type in ("fork", "join") else [one]
    return seen


def _before(workflow: Workflow, step: Step) -> str:
    told = [named(s) + (f", done by {s.assignee}" if s.assignee else "") for s in _sources(workflow, step)]
    return f"Before {named(step)}: {joined(told)}." if told else f"{named(step)} comes first."


def _between(q: Question) -> Told | None:
    at = q.first("between")
    joint = next((i for i in range(at + 1, len(q.tokens)) if q.tokens[i].is_("and")), None)
    if joint is None:
        return None
    ones, others = q.meant(q.rest(at, joint)), q.meant(q.rest(joint))
    if len(ones) != 1 or len(others) != 1:
        return None
    one, other = ones[0].id, others[0].id
    rank = ranks(q.workflow)
    inside = {s for s in reach(q.workflow, one, frozenset({other})) if rank[one] < rank[s] < rank[other]}
    found = [s for s in q.work() if s.id in inside and other in reach(q.workflow, s.id)]
    if not found:
        return Told(f"{named(others[0])} comes right after {named(ones[0])}.")
    return Told(f"Between {named(ones[0])} and {named(others[0])}: {_names(found)}.")


def _order(q: Question) -> Told | None:
    """Read "does X come before Y?", "is X before or after Y?"."""
    marks = sorted(q.topics.get("before", set()) | q.topics.get("after", set()))
    ones, others = q.slots(q.rest(0, marks[0])), q.slots(q.rest(marks[-1]))
    both = q.speaks_of("before") and q.speaks_of("after")
    if not ones or not others or ones == others or not (both or q.asks_yes_or_no()):
        return None
    one, other = ones[0], others[0]
    rank = ranks(q.workflow)
    onward, back = other.id in reach(q.workflow, one.id), one.id in reach(q.workflow, other.id)
    if not onward and not back:
        return Told(f"Neither leads to the other: {named(one)} and {named(other)} are on different ways.", denies=True)
    forward = rank[one.id] < rank[other.id] if onward and back else onward
    told = f"{named(one)} comes {'before' if forward else 'after'} {named(other)}."
    return Told(told, verdict=None if both else forward == (marks[0] in q.topics.get("before", ())))


def _way_to(q: Question) -> Told | None:
    """Read "what is the shortest way to X?", "which ways lead to X?", "what does it take to be hired?"."""
    words = q.rest()
    whole = q.speaks_of("shortest") and q.is_whole(words)
    goals = [] if whole else q.goals(words)
    if not goals and not whole:
        return None
    ways = [(goal, path(q.workflow, goal.id if goal else None)) for goal in goals or [None]]
    return _lines(
        (f"To {named(goal)}: " if goal else "The shortest way: ")
        + f"{_arrows(way)}."
        + "".join(
            f" From {named(s)}, if {when}." for s, when in (conditions_before(q.workflow, goal.id) if goal else ())
        )
        for goal, way in ways
        if way
    )


def _arrows(way: Iterable[Step]) -> str:
    return " → ".join(s.name for s in way if s.type not in ("fork", "join"))


# ---- loops, branches, ways


def _loops(q: Question) -> Told | None:
    back, words = back_edges(q.workflow), q.rest()
    loops = [s for s in q.workflow.steps if s.type == "loop"]
    ids = {s.id for s in q.slots(words)} if q.speaks_of("again") else set[str]()
    if ids or not q.is_whole(words) or q.speaks_of("again"):
        ids = ids or {s.id for s in q.slots(words)}
        if not ids:
            return None
        back = [e for e in back if ids & ({e.to, e.from_} | between(q.workflow, e))]
        if not back and len(ids) > 1 and q.speaks_of("again"):
            return Told(f"{_names(s for s in q.work() if s.id in ids)}.", verdict=True)
        loops = [s for s in loops if s.id in ids]
    if not back and not loops:
        return Told(
            f"nothing in **{q.workflow.name}** leads back to an earlier step there.", verdict=False, denies=True
        )
    lines = [
        f"from {named(source)} back to {named(target)}" + (f", if {when}" if when else "")
        for e in back
        if (source := q.workflow.step(e.from_)) and (target := q.workflow.step(e.to))
        for when in [condition_of(e)]
    ]
    lines += [f"{named(s)} repeats its steps" for s in loops]
    bound = " Nothing in it limits how often." if back else ""
    if q.speaks_of("many"):
        return Told(f"{counted(len(back) + len(loops), 'loop')}: {'; '.join(lines)}.{bound}")
    return Told(f"{'; '.join(lines)}.{bound}", verdict=True)


def _beside(q: Question) -> Told | None:
    """Read "what happens at the same time as X?"."""
    found = q.slots(q.rest())
    if len(found) != 1:
        return None
    rows = [row for rows in forks(q.workflow) if any(found[0] in row for row in rows) for row in rows]
    beside = [s for row in rows if found[0] not in row for s in row]
    if not rows:
        return Told(f"Nothing runs at the same time as {named(found[0])}.", denies=True)
    return Told(f"At the same time as {named(found[0])}: {_names(beside)}.")


def _without(q: Question) -> Told | None:
    """Read "can the cake be handed over without having been inspected?": a way to a step around another."""
    if any(one.is_("how") and two.is_("much", "many") for one, two in itertools.pairwise(q.tokens)):
        # "How much can be paid without approval?" is answered by no yes.
        return None
    at = q.first("without" if q.speaks_of("without") else "not")
    if not q.rest(at) and q.speaks_of("without"):
        # "Can customs be skipped?"
        at = 0
    around = _sending(q, q.rest(at)) or q.tasks(q.rest(at))
    ids = frozenset(s.id for s in around)
    goal = q.rest(0, at) if at else []
    if not ids:
        return None
    # "Hired" is where "Hiring" ends; "the trip" is the whole of it, though it may end as "Trip dropped".
    ends = q.ends([t for t in goal if t.lower not in content_of(q.workflow.name)])
    if not ends and q.is_whole(goal):
        return _avoided(q, ids, yes_if_free=True)
    aims = [s for s in q.goals(goal) if s.id not in ids]
    reached = reach(q.workflow, q.workflow.start, ids)
    if not aims:
        return None
    if free := [s for s in aims if s.id in reached]:
        return Told(f"there is a way to {_names(free)} around {_names(around)}.", verdict=True)
    return Told(f"every way to {_names(aims)} goes through {_names(around)}.", verdict=False)


def _channel(step: Step) -> str:
    return (step.uses or "").partition(".")[0]


def _sending(q: Question, words: Sequence[Token]) -> list[Step]:
    """Return the steps that send a message to those whom words name, or do not tell to whom: "the customer email"."""
    people = [t for t in words if t.is_content and not t.among("answers.messages")]
    sending = [
        s
        for s in q.workflow.steps
        if _channel(s) in word_set("answers.channels")
        and (
            "to" not in s.with_ or all(any(akin(t.lower, w) for w in content_of(f"{s.name} {s.with_}")) for t in people)
        )
    ]
    if len(people) == len(words) or not sending or len(people) > 1:
        return []
    q.use(words)
    return sending


def _always(q: Question) -> Told | None:
    """Read "is it always inspected?", "does every applicant get an answer?": what no way goes around."""
    words = q.rest()
    at = q.first("every")
    of = (
        next((t for t in words if t.start > q.tokens[at].start and t.has("noun")), None) if at < len(q.tokens) else None
    )
    if of is not None and len(q.plain(words)) > 1:
        # Each case is meant: every applicant, every ticket.
        q.use([of])
        words = q.rest()
    found = _sending(q, words) or q.tasks(words) or [s for s in q.goals(words) if s.type == "end"]
    return _avoided(q, frozenset(s.id for s in found), yes_if_free=False) if found else None


def _avoided(q: Question, ids: frozenset[str], *, yes_if_free: bool) -> Told:
    free = path(q.workflow, avoiding=ids) or skipping(q.workflow, ids)
    what = _names([s for s in q.workflow.steps if s.id in ids])
    if free is None:
        return Told(f"every way from start to end goes through {what}.", verdict=not yes_if_free)
    return Told(f"a way without {what}: {_arrows(free)}.", verdict=yes_if_free)


# ---- cases


def _failing(q: Question) -> Told | None:
    words = q.rest()
    if not (q.speaks_of("if", "when") or q.is_whole(words)):
        return None
    if q.is_whole(words):
        known = [s for s in q.work() if _falls(s, q)]
        return _lines(_failure(q, s) for s in known) or Told(
            f"Nothing is drawn in **{q.workflow.name}** for a failure."
        )
    return _lines(filter(None, (_failure(q, s) for s in q.tasks(words))))


def _failure(q: Question, step: Step) -> str:
    fails = word_set("inquiry.fails")
    ways = [
        e
        for e in q.workflow.outgoing(step.id)
        if e.type == "error" or any(akin(w, f) for w in content_of(condition_of(e)) for f in fails)
    ]
    told = [f"it is tried up to {step.retry.max_attempts} times"] if step.retry else []
    told += [_through(q.workflow, e) for e in ways or q.of_outcome(step, is_bad=True)]
    if step.on_error == "continue" and not ways:
        told += [f"the run goes on: {_through(q.workflow, e)}" for e in q.workflow.outgoing(step.id)]
    if told:
        return f"{named(step)}: {', then '.join(told)}."
    if step.type not in ("action", "human", "subworkflow"):
        return ""
    return f"Nothing is drawn for a failure of {named(step)}: the run would stop there."


def _lateness(q: Question) -> Told | None:
    """Read "what if the clerk does not answer?", "who steps in after five days?"."""
    q.use(t for at, found in durations_in(q.tokens) for t in q.tokens[at : found.end])
    # A decision waits for nothing: what comes before it does.
    return _lines(_overdue(q.workflow, s) for s in _doing(q.workflow, q.tasks(q.rest())))


def _not_done(q: Question) -> Told | None:
    """Read "what if the author never revises it?", of somebody whose step parts no ways."""
    who, steps = q.role_and_steps(q.rest(q.first("if")))
    q.has("not")
    if who is None or any(s.assignee != who or _parts(s, q) for s in steps):
        return None
    return _lines(_overdue(q.workflow, s) for s in steps)


def _overdue(workflow: Workflow, step: Step) -> str:
    late = word_set("inquiry.late")
    ways = [
        way_on(workflow, e)
        for e in workflow.outgoing(step.id)
        if e.type == "error" or any(akin(w, one) for w in content_of(condition_of(e)) for one in late)
    ]
    if not step.timeout and not ways:
        return f"{named(step)} has no deadline: it waits until it is done."
    has = f"{named(step)} has {duration_in_words(step.timeout)}" if step.timeout else named(step)
    then = [f"after that it goes to {step.escalate_to}"] if step.escalate_to else []
    return "; ".join([has, *then, *ways] if then or ways else [has, "nothing says what happens then"]) + "."


def _taken(q: Question, ways: Iterable[Transition]) -> list[str]:
    return [f"At {named(s)}: {_through(q.workflow, e)}." for e in ways if (s := q.workflow.step(e.from_))]


def _amount(q: Question) -> Told | None:
    """Return which ways an amount takes, by the numbers in the conditions; whether to a step that is named."""
    ways = q.amounts()
    words = q.rest()
    if not ways or q.is_whole(words):
        return _lines(_taken(q, ways))
    goals = q.tasks(words)
    if not goals:
        return None
    leads = any(edge.to == goal.id for edge in ways for goal in goals)
    return _lines(_taken(q, ways), verdict=leads if q.asks_yes_or_no() or q.speaks_of("is") else None)


def _case(q: Question) -> Told | None:
    """Return where the ways lead whose case the words say."""
    mark = q.first("if", "when") if q.speaks_of("if", "when") else 0
    words = [t for t in q.tokens[mark:] if t in q.rest(mark) or t.has("neg")]
    return _lines(_taken(q, q.cases(words, needs_step=not mark)))


def _case_of_goal(q: Question) -> Told | None:
    """Read "can data be erased if the identity is not proven?": a step that a case leads to or not."""
    mark = q.first("if", "when")
    goals = q.goals(q.rest(0, mark))
    ways = q.cases([t for t in q.tokens[mark:] if t in q.rest(mark) or t.has("neg")]) if goals else []
    reached = set[str]().union(*(reach(q.workflow, e.to, frozenset({e.from_})) for e in ways))
    return _lines(_taken(q, ways), verdict=any(goal.id in reached for goal in goals))


def _condition(q: Question) -> Told | None:
    """Read "when is the CFO asked?": the conditions on the ways to a step, followed back to the nearest."""
    words = q.rest()
    if q.asks_yes_or_no():
        return None
    meant = q.meant(words)
    steps = [s for s in meant if s.type != "end"] or q.slots(words) or meant
    lines: list[str] = []
    for step in steps[:4]:
        told = list(dict.fromkeys(f"from {named(s)}, if {when}" for s, when in conditions_before(q.workflow, step.id)))
        lines.append(
            f"{named(step)} is reached {'; or '.join(told)}."
            if told
            else f"{named(step)} is always reached. {starts_line(q.workflow)}"
        )
        lines.append(_before(q.workflow, step))
        lines += [_time_of(step)] if step.timeout else []
        lines += [f"It is done only if {step.when.text}."] if step.when and step.when.text else []
    return Told("\n".join(lines)) if lines else None


# ---- the rest

_FACTS: dict[str, Callable[[Workflow], str]] = {
    "version": lambda one: f"**{one.name}** is at version {one.version}.",
    "tag": lambda one: f"Its tags: {joined(one.tags)}." if one.tags else f"**{one.name}** has no tag.",
    "call": lambda one: (
        f"It is called **{one.name}** (`{one.id}`)."
        + (f" It is also called {joined(one.aliases)}." if one.aliases else "")
    ),
    "description": lambda one: one.description or f"**{one.name}** has no description.",
    "rule": lambda one: (
        "\n".join(f"At {named(s)}: {way_on(one, e)}." for e in one.transitions if e.when and (s := one.step(e.from_)))
        or f"**{one.name}** has no condition."
    ),
    "service": lambda one: (
        f"{'; '.join(calls)}."
        if (calls := [f"{named(s)} calls `{s.uses}`" for s in one.steps if s.uses])
        else f"No step of **{one.name}** calls a service."
    ),
    "explain": explain_text,
}


def _fact(topic: str) -> Answer:
    return lambda q: Told(_FACTS[topic](q.workflow))


def _rule_of(q: Question) -> Told | None:
    """Read "what is the limit for sending an expert?": the conditions on the ways to a step and from it."""
    ids = {s.id for s in q.meant(q.rest())}
    return _lines(_taken(q, (e for e in q.workflow.transitions if e.when and ids & {e.to, e.from_})))


def _service_of(q: Question) -> Told | None:
    return _lines(
        f"{named(s)} calls `{s.uses}`." if s.uses else f"{named(s)} calls no service." for s in q.tasks(q.rest())
    )


def _exists(q: Question) -> Told | None:
    if not q.asks_yes_or_no():
        return None
    found = q.meant(q.rest())
    told = [named(s) + (f", done by {s.assignee}" if s.assignee else "") for s in found]
    return Told(f"{'; '.join(told)}.", verdict=True) if told else None


def _about(q: Question) -> Told | None:
    found = q.meant(q.rest())
    told = [
        told_step(q.workflow, s)
        + "".join(f"\nFrom {named(one)}, if {when}." for one, when in conditions_before(q.workflow, s.id))
        * (s.type == "end")
        for s in found
    ]
    return Told("\n\n".join(told)) if 0 < len(found) < 4 else None


def _ways_out(q: Question) -> Told | None:
    """Read "which outcomes can the decision have?"."""
    text = "\n\n".join(_after(q.workflow, s) for s in q.meant(q.rest())[:3] if s.type != "end")
    return Told(text) if text else None


_COUNTS: dict[str, Answer] = {
    "role": _counted("role", lambda w: list(roles_of(w)), lambda w: joined(list(roles_of(w))) or "nobody is set"),
    "end": _counted(
        "end", lambda w: [s for s in w.steps if s.type == "end"], lambda w: ends_line(w).removeprefix("Ends: ")
    ),
    "trigger": _counted("trigger", lambda w: w.triggers, starts_line),
    "transition": _counted("transition", lambda w: w.transitions, lambda _: ""),
}
_ANSWERS: dict[str, Answer] = {
    one.__name__.removeprefix("_"): one
    for one in (
        _about, _always, _amount, _attempts, _beside, _between, _busiest, _case, _case_of_goal, _clock,
        _condition, _count_steps, _count_ways, _does_else, _does_it, _ends, _escalated, _exists, _failing,
        _how_done, _how_long, _last, _last_role, _lateness, _loops, _neighbours, _not_done, _number, _of_length, _order,
        _other_roles, _role_does, _rule_of, _service_of, _slowest, _starts, _time_until,
        _unknown_role, _way_to, _ways_out, _who, _who_decides, _who_tells, _without,
    )
}  # fmt: skip


@cache
def _readings() -> tuple[Reading, ...]:
    """Return the readings of the data file, those of every filter and fact in the place of theirs."""
    found: list[Reading] = []
    for row in data_rows("readings.tsv"):
        kind, _, what = row[0].partition(" ")
        needs, may = row[1], (*row, "")[2]
        if kind == "filters":
            ways = [(_filtered(one), f"{one} {needs}", may + " who" * (one in _WHO_HAS)) for one in _FILTERS]
        elif kind == "facts":
            ways = [(_fact(one), f"{one} {needs}", may) for one in _FACTS]
        else:
            answer = _COUNTS[what] if kind == "count" else _fact(what) if kind == "fact" else _ANSWERS[kind]
            ways = [(answer, needs, may)]
        for answer, needed, used in ways:
            groups = tuple(tuple(one.split("|")) for one in needed.split() if one != _WHOLE)
            found.append(Reading(answer, groups, tuple(used.split()), _WHOLE in needed.split()))
    return tuple(found)
