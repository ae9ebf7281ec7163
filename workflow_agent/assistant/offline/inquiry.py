"""Questions about one workflow: what is asked, of which steps, and the answer from its graph.

A question is read by its topics, words that say what is asked (a data file), and what is left: steps, roles,
a case, an amount. Each reading needs some topics and may use others; it answers only where topics and
slots together are the whole question, so that nothing is answered beside the point.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from workflow_agent.assistant.offline.clauses import counts, phrases_of
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.walks import (
    back_edges,
    between,
    branches,
    holds,
    longest,
    path_to_end,
    reach,
    skipping,
)
from workflow_agent.assistant.offline.wording.lists import counted, joined
from workflow_agent.assistant.offline.wording.workflow import (
    condition_of,
    ends_line,
    in_walking_order,
    named,
    roles_of,
    starts_line,
    told_step,
    way_on,
)
from workflow_agent.workflows.model.durations import duration_in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_PLUMBING = frozenset({"fork", "join", "end"})
_MOST_TOLD = 6
_BINDING = ("before", "after", "between", "without", "always", "or", "else", "late", "fail", "loop", "longest")
"""Topics that turn a question: a reading that leaves one out answers another question."""
Words = Sequence[Token]


@dataclass(slots=True)
class Question:
    """A question about one workflow: its tokens, and where they speak of which topic."""

    workflow: Workflow
    tokens: Tokens
    steps: Steps
    topics: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    read: set[int] = field(default_factory=set[int])
    """Where the tokens stand that the reading tried has used."""

    def __post_init__(self) -> None:
        self.topics = topics_of(self.tokens, self.steps.mask(self.tokens))

    def has(self, topic: str) -> bool:
        """Say whether the reading speaks of a topic, whose words are then used."""
        found = self.topics.get(topic, set())
        self.read |= found
        return bool(found)

    def first(self, topic: str) -> int:
        """Return where a topic stands first."""
        return min(self.topics[topic])

    def rest(self, start: int = 0, end: int | None = None) -> list[Token]:
        """Return the words between two places that mean something and that no topic has used."""
        stop = len(self.tokens) if end is None else end
        return [
            token
            for at, token in enumerate(self.tokens[start:stop], start)
            if at not in self.read and (counts(token) or token.is_content or token.kind == "quoted")
        ]

    def use(self, words: Words) -> None:
        """Note that words are used."""
        starts = {token.start for token in words}
        self.read |= {at for at, token in enumerate(self.tokens) if token.start in starts}

    def is_read(self) -> bool:
        """Say whether every word that means something was used."""
        filler = self.topics.get("filler", set())
        left = [at for at, token in enumerate(self.tokens) if counts(token) or token.kind == "number"]
        binding = {at for topic in _BINDING for at in self.topics.get(topic, ())}
        return binding <= self.read and all(at in self.read or at in filler for at in left)

    def meant(self, words: Words) -> list[Step]:
        """Return every step that words mean, none of them left over; they are then used."""
        if any(counts(token) and not token.is_content for token in words):
            return []
        plain = self.plain(words)
        own = set(content_of(self.workflow.name))
        for said in (words, plain, [token for token in plain if token.lower not in own]):
            if not said:
                continue
            try:
                found = [self.steps.find(said)]
            except StepUnclear as unclear:
                found = [s for one in unclear.candidates if (s := self.workflow.step(one.id))]
            if found:
                self.use(words)
                return found
        return []

    def plain(self, words: Words) -> list[Token]:
        """Return words without those that say little in a question: "come", "happen", "do"."""
        filler = {self.tokens[at].start for at in self.topics.get("filler", ())}
        return [token for token in words if token.start not in filler]

    def role(self, words: Words) -> str | None:
        """Return the assignee that words name, none of them left over; they are then used."""
        said = [token for token in self.plain(words) if token.is_content]
        if {token.lower for token in said} <= set(content_of(self.workflow.name)):
            return None
        for who in roles_of(self.workflow):
            about = content_of(who.replace("_", " "))
            names_it = any(akin(token.lower, about[-1]) or token.lower in about for token in said)
            if names_it and all(any(akin(token.lower, one) for one in about) for token in said):
                self.use(said)
                return who
        return None

    def slots(self, words: Words) -> list[Step]:
        """Return the steps that words mean, by their names or by who does them."""
        who = self.role(words)
        found = [step for step in self.meant(words) if step.type != "end"] if who is None else []
        return found or (roles_of(self.workflow)[who] if who else self.meant(words))

    def pointed(self, words: Words) -> list[Step]:
        """Return the steps that words mean; without words the one that "it" means."""
        if self.plain(words):
            return self.slots(words)
        last = self.workflow.step(self.steps.last) if self.steps.last else None
        refers = any(token.lower in PRONOUNS for token in self.tokens)
        return [last] if last is not None and refers else []

    def is_whole(self, words: Words) -> bool:
        """Say whether words mean the workflow itself, or nothing."""
        own = [*content_of(self.workflow.name), "workflow", "process", "flow", "end", "start"]
        said = self.plain(words)
        if any(not any(akin(token.lower, one) for one in own) for token in said):
            return False
        self.use(said)
        return True

    def texts(self) -> Iterator[str]:
        """Return the names and descriptions that the workflow is told with."""
        yield from (self.workflow.name, self.workflow.description or "")
        for step in self.workflow.steps:
            yield from (step.name, step.assignee or "")

    def work(self) -> list[Step]:
        """Return the steps in which something is done."""
        return [step for step in in_walking_order(self.workflow) if step.type not in _PLUMBING]

    def asks_yes_or_no(self) -> bool:
        """Say whether the question begins with its verb: "is there …", "does it …"."""
        return bool(self.tokens) and 0 in self.topics.get("is", ())


def topics_of(tokens: Tokens, names: frozenset[int] = frozenset()) -> dict[str, set[int]]:
    """Return where tokens speak of which topic of a question; none inside names."""
    found: dict[str, set[int]] = {}
    table = phrases_of("asks.tsv")
    for at, token in enumerate(tokens):
        for key in {token.lower, token.lemma, token.entry.verb or ""} if at not in names else ():
            for words, topic in table.get(key, ()):
                said = tokens[at : at + len(words)]
                if len(said) == len(words) and all(
                    word in (one.lower, one.lemma, one.entry.verb) for one, word in zip(said, words, strict=True)
                ):
                    found.setdefault(topic, set()).update(range(at, at + len(words)))
    return found


Answer = Callable[[Question], str | None]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a question."""

    answer: Answer
    needs: str
    """Topics that must stand in it, parted by blanks; of those with | between any."""
    may: str = ""
    """Topics whose words it uses beside those."""


def answered(workflow: Workflow, tokens: Tokens, steps: Steps) -> tuple[str | None, list[Token]]:
    """Return the answer to a question, or None with the words that no reading could use."""
    question = Question(workflow, tokens, steps)
    for reading in _READINGS:
        question.read = set()
        wanted = [one.split("|") for one in reading.needs.split()]
        found = [[topic for topic in one if topic in question.topics] for one in wanted]
        if not all(found):
            continue
        for topic in (*(one for some in found for one in some), *reading.may.split()):
            question.has(topic)
        told = reading.answer(question)
        if told is not None and question.is_read():
            return told, []
    question.read = set().union(*(question.topics.get(one, set()) for one in ("what", "is", "filler", "who")))
    return None, [token for token in question.rest() if counts(token)]


def _names(steps: Sequence[Step]) -> str:
    return joined([named(step) for step in steps])


def _lines(found: Iterator[str]) -> str | None:
    return "\n".join(list(found)[:_MOST_TOLD]) or None


# ---- counting


def _count_steps(q: Question) -> str | None:
    if not q.is_whole(q.rest()):
        return None
    ends = sum(s.type == "end" for s in q.workflow.steps)
    also = f", and {counted(ends, 'end')}." if ends else "."
    return f"**{q.workflow.name}** has {counted(len(q.workflow.steps), 'step')}: {_names(q.work())}{also}"


def _count_roles(q: Question) -> str | None:
    found = list(roles_of(q.workflow))
    if not q.is_whole(q.rest()):
        return None
    return f"**{q.workflow.name}** has {counted(len(found), 'role')}: {joined(found) or 'nobody is set'}."


def _count_ends(q: Question) -> str | None:
    total = sum(s.type == "end" for s in q.workflow.steps)
    return f"**{q.workflow.name}** has {counted(total, 'end')}. {ends_line(q.workflow)}"


def _count_starts(q: Question) -> str | None:
    return f"{counted(len(q.workflow.triggers), 'trigger')}. {starts_line(q.workflow)}"


def _count_edges(q: Question) -> str | None:
    return f"**{q.workflow.name}** has {counted(len(q.workflow.transitions), 'transition')}."


def _count_ways(q: Question) -> str | None:
    return _lines(
        f"{named(s)} has {counted(len(ways), 'way')} on: {'; '.join(way_on(q.workflow, e) for e in ways)}."
        for s in q.meant(q.rest())
        if (ways := q.workflow.outgoing(s.id))
    )


def _attempts(q: Question) -> str | None:
    return _lines(
        f"{named(s)}: up to {s.retry.max_attempts} attempts."
        if s.retry
        else f"{named(s)} is not tried again: one attempt."
        for s in q.slots(q.rest())
        if s.type not in _PLUMBING
    )


# ---- what steps have

Test = Callable[[Step, Question], bool]


def _parts(step: Step, q: Question) -> bool:
    return len([e for e in q.workflow.outgoing(step.id) if e.type != "error"]) > 1


def _decides(step: Step, q: Question) -> bool:
    cases = [content_of(condition_of(e)) for e in q.workflow.outgoing(step.id)]
    verdicts = word_set("inquiry.verdicts")
    said = [*content_of(step.name), *(word for case in cases for word in case)]
    return any(akin(word, one) for word in said for one in verdicts)


_FILTERS: dict[str, tuple[str, Test]] = {
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
}
"""What steps are told apart by: the words for it, and whether a step is one."""


def _filtered(topic: str) -> Answer:
    label, test = _FILTERS[topic]

    def answer(q: Question) -> str | None:
        denied = bool(q.topics.get("not", set()) - q.topics.get(topic, set())) and q.has("not")
        words = q.rest()
        about = [] if q.is_whole(words) else [s for s in q.slots(words) if s.type not in _PLUMBING]
        if not about and not q.is_whole(words):
            return None
        found = [s for s in about or q.work() if test(s, q) != denied]
        which = f"not {label}" if denied else label
        told = joined([_with_limits(s) for s in found])
        if q.asks_yes_or_no() and (found or about):
            return f"Yes, {which}: {told}." if found else f"No: {_names(about)} is not {which}."
        if q.topics.get("many"):
            return f"{counted(len(found), 'step')} {which}{': ' if found else ''}{told}."
        return f"Steps {which}: {told}." if found else f"No step of **{q.workflow.name}** is {which}."

    return answer


def _with_limits(step: Step) -> str:
    limits = [
        duration_in_words(step.timeout) if step.timeout else "",
        f"{step.retry.max_attempts} attempts" if step.retry else "",
        f"escalated to {step.escalate_to}" if step.escalate_to else "",
    ]
    told = joined([one for one in limits if one])
    return named(step) + (f", {told}" if told else "")


# ---- who does what


def _who(q: Question) -> str | None:
    words = q.rest()
    if q.is_whole(words):
        lines = [f"- **{who}**: {joined([s.name for s in done])}" for who, done in roles_of(q.workflow).items()]
        free = [s for s in q.work() if not s.assignee]
        alone = f"\nWithout anybody: {_names(free)}." if free else ""
        return f"In **{q.workflow.name}**:\n\n" + "\n".join(lines) + alone
    if (who := q.role(words)) is not None and not q.steps.maybe(words):
        return f"**{who}** does {_names(roles_of(q.workflow)[who])}."
    return _assigned(s for s in q.meant(words) if s.type not in _PLUMBING)


def _assigned(steps: Iterator[Step]) -> str | None:
    return _lines(
        f"{named(s)}: **{s.assignee}**."
        if s.assignee
        else f"{named(s)}: nobody is set" + (f", it calls `{s.uses}`." if s.uses else ".")
        for s in steps
    )


def _who_decides(q: Question) -> str | None:
    words = q.rest()
    return _assigned(s for s in q.work() if _decides(s, q)) if q.is_whole(words) else None


def _role_does(q: Question) -> str | None:
    who = q.role(q.rest())
    return f"**{who}** does {_names(roles_of(q.workflow)[who])}." if who else None


def _count_role(q: Question) -> str | None:
    who = q.role(q.rest())
    done = roles_of(q.workflow)[who] if who else []
    return f"**{who}** does {counted(len(done), 'step')}: {_names(done)}." if who else None


_MOST_WORDS = 60
"""Of a person and a step: to try each place between them takes the square of the words."""


def _does_it(q: Question) -> str | None:
    """Read "does the manager review it?": yes, or who does."""
    words = q.plain(q.rest())
    if len(words) > _MOST_WORDS:
        return None
    for cut in (*range(1, len(words)), *range(-1, -len(words), -1)):
        who, about = q.role(words[:cut]), q.meant(words[cut:])
        if cut < 0:
            who, about = q.role(words[cut:]), q.meant(words[:cut])
        if who is not None and about:
            mine = [s for s in about if s.assignee == who]
            told = _assigned(iter(about)) or ""
            return f"Yes: {_names(mine)} is done by {who}." if mine else f"No. {told}"
    return None


# ---- times


def _how_long(q: Question) -> str | None:
    words = q.rest()
    if q.is_whole(words):
        return _total_time(q)
    return _lines(_time_of(s) for s in q.slots(words) if s.type not in _PLUMBING)


def _time_of(step: Step) -> str:
    parts = [
        f"has {duration_in_words(step.timeout)}" if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
    ]
    told = joined([part for part in parts if part])
    late = f"; then it goes to {step.escalate_to}" if step.escalate_to else ""
    return f"{named(step)} {told}{late}." if told else f"{named(step)} has no deadline."


def _total_time(q: Question) -> str:
    timed = [s for s in q.work() if s.timeout or s.duration]
    if not timed:
        return f"No step of **{q.workflow.name}** has a deadline or a length: nothing says how long it takes."
    lines = "\n".join(f"- {_time_of(s)}" for s in timed)
    free = [s for s in q.work() if not (s.timeout or s.duration) and s.type == "human"]
    rest = f"{_names(free)} may take any time." if free else ""
    total = longest(q.workflow)
    return f"At most {total} on the longest way, as far as limits are set:\n\n{lines}\n\n{rest}".strip()


def _slowest(q: Question) -> str | None:
    timed = sorted(
        (s for s in q.work() if s.timeout or s.duration), key=lambda s: -seconds_of(s.timeout or s.duration or "")
    )
    return f"By its limit, {_with_limits(timed[0])}." if timed else "No step has a deadline or a length."


# ---- where it starts and ends, what comes when


def _starts(q: Question) -> str | None:
    if not q.is_whole(q.rest()):
        return None
    first = q.workflow.step(q.workflow.start)
    who = f", done by {first.assignee}" if first and first.assignee else ""
    return f"{starts_line(q.workflow)} The first step is {named(first)}{who}." if first else None


def _ends(q: Question) -> str | None:
    return ends_line(q.workflow) if q.is_whole(q.rest()) else None


def _last(q: Question) -> str | None:
    if not q.is_whole(q.rest()):
        return None
    ends = {s.id for s in q.workflow.steps if s.type == "end"}
    found = [s for s in q.work() if any(e.to in ends for e in q.workflow.outgoing(s.id))]
    return f"Last come {_names(found)}. {ends_line(q.workflow)}"


def _neighbours(q: Question) -> str | None:
    after = bool(q.topics.get("after"))
    found = q.pointed(q.rest())
    return "\n\n".join(_after(q.workflow, s) if after else _before(q.workflow, s) for s in found[:4]) or None


def _after(workflow: Workflow, step: Step) -> str:
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"Nothing comes after {named(step)}: it is where the workflow ends."
    lines = "\n".join(f"- {_through(workflow, edge)}" for edge in ways)
    return (
        f"After {named(step)}: {_through(workflow, ways[0])}."
        if len(ways) == 1
        else (f"After {named(step)}:\n\n{lines}")
    )


def _through(workflow: Workflow, edge: Transition) -> str:
    """Return a way on, with the steps behind a fork or a join, which is nothing that happens."""
    target = workflow.step(edge.to)
    told = way_on(workflow, edge)
    if target is not None and target.type in ("fork", "join"):
        inner = [s for e in workflow.outgoing(target.id) if (s := workflow.step(e.to))]
        return f"{told}, then{' at the same time' if target.type == 'fork' else ''} {_names(inner)}"
    return f"{told}, done by {target.assignee}" if target is not None and target.assignee else told


def _before(workflow: Workflow, step: Step) -> str:
    seen: list[Step] = []
    for one in (s for e in workflow.incoming(step.id) if (s := workflow.step(e.from_))):
        through = [s for e in workflow.incoming(one.id) if (s := workflow.step(e.from_))]
        seen += through if one.type in ("fork", "join") else [one]
    return f"Before {named(step)}: {_names(seen)}." if seen else f"{named(step)} comes first."


def _between(q: Question) -> str | None:
    at = q.first("between")
    joint = next((i for i in range(at + 1, len(q.tokens)) if q.tokens[i].is_("and")), None)
    if joint is None:
        return None
    ones, others = q.meant(q.rest(at, joint)), q.meant(q.rest(joint))
    if len(ones) != 1 or len(others) != 1:
        return None
    one, other = ones[0].id, others[0].id
    inside = reach(q.workflow, one, frozenset({other})) - {one}
    rank = [s.id for s in in_walking_order(q.workflow)]
    inside = {s for s in inside if rank.index(one) < rank.index(s) < rank.index(other)}
    found = [s for s in q.work() if s.id in inside and other in reach(q.workflow, s.id)]
    if not found:
        return f"{named(others[0])} comes right after {named(ones[0])}."
    return f"Between {named(ones[0])} and {named(others[0])}: {_names(found)}."


def _order(q: Question) -> str | None:
    """Read "does X come before Y?", "is X before or after Y?"."""
    marks = sorted(q.topics.get("before", set()) | q.topics.get("after", set()))
    ones, others = q.slots(q.rest(0, marks[0])), q.slots(q.rest(marks[-1]))
    if not ones or not others:
        return None
    one, other = ones[0], others[0]
    rank = [s.id for s in in_walking_order(q.workflow)]
    if other.id not in reach(q.workflow, one.id) and one.id not in reach(q.workflow, other.id):
        return f"Neither leads to the other: {named(one)} and {named(other)} are on different ways."
    forward = rank.index(one.id) < rank.index(other.id)
    told = f"{named(one)} comes {'before' if forward else 'after'} {named(other)}."
    if len(marks) > 1 or not q.asks_yes_or_no():
        return told if len(marks) > 1 else None
    return f"{'Yes' if forward == (marks[0] in q.topics.get('before', ())) else 'No'}: {told}"


# ---- loops, branches, ways


def _loops(q: Question) -> str | None:
    back, words = back_edges(q.workflow), q.rest()
    loops = [s for s in q.workflow.steps if s.type == "loop"]
    if not q.is_whole(words):
        ids = {s.id for s in q.slots(words)}
        if not ids:
            return None
        back = [e for e in back if ids & ({e.to, e.from_} | between(q.workflow, e))]
        loops = [s for s in loops if s.id in ids]
    if not back and not loops:
        return f"No: nothing in **{q.workflow.name}** leads back to an earlier step there."
    lines = [
        f"from {named(source)} back to {named(target)}" + (f", if {when}" if when else "")
        for e in back
        if (source := q.workflow.step(e.from_)) and (target := q.workflow.step(e.to))
        for when in [condition_of(e)]
    ]
    lines += [f"{named(s)} repeats its steps" for s in loops]
    bound = " Nothing in it limits how often." if back else ""
    return f"Yes: {'; '.join(lines)}.{bound}"


def _together(q: Question) -> str | None:
    told = "; ".join(_names(one) for one in branches(q.workflow) if one)
    words = q.rest()
    if not told and q.is_whole(words):
        return f"No: nothing in **{q.workflow.name}** runs at the same time."
    if q.is_whole(words):
        return f"At the same time run: {told}."
    return _filtered("parallel")(q)


def _without(q: Question) -> str | None:
    """Read "can the cake be handed over without having been inspected?": a way to a step around another."""
    at = q.first("without" if "without" in q.topics else "not")
    around = [s for s in q.slots(q.rest(at)) if s.type != "end"]
    goal = q.rest(0, at)
    ids = frozenset(s.id for s in around)
    if not ids:
        return None
    if q.is_whole(goal):
        return _avoided(q, ids, yes_if_free=True)
    aims = [s for s in q.meant(goal) if s.id not in ids]
    reached = reach(q.workflow, q.workflow.start, ids)
    if not aims:
        return None
    free = [s for s in aims if s.id in reached]
    if free:
        return f"Yes: there is a way to {_names(free)} around {_names(around)}."
    return f"No: every way to {_names(aims)} goes through {_names(around)}."


def _always(q: Question) -> str | None:
    words = q.rest()
    found = [s for s in q.slots(words) if s.type != "end"]
    return _avoided(q, frozenset(s.id for s in found), yes_if_free=False) if found else None


def _avoided(q: Question, ids: frozenset[str], *, yes_if_free: bool) -> str:
    free = path_to_end(q.workflow, ids) or skipping(q.workflow, ids)
    what = _names([s for s in q.workflow.steps if s.id in ids])
    if free is None:
        return f"{'No' if yes_if_free else 'Yes'}: every way from start to end goes through {what}."
    way = " → ".join(s.name for s in free if s.type not in ("fork", "join"))
    return f"{'Yes' if yes_if_free else 'No'}: a way without {what}: {way}."


# ---- cases


def _failing(q: Question) -> str | None:
    steps = [s for s in q.slots(q.rest(q.first("if"))) if s.type not in _PLUMBING]
    return _lines(_failure(q.workflow, s) for s in steps)


def _failure(workflow: Workflow, step: Step) -> str:
    fails = word_set("inquiry.fails")
    ways = [
        e
        for e in workflow.outgoing(step.id)
        if e.type == "error" or any(akin(w, f) for w in content_of(condition_of(e)) for f in fails)
    ]
    told = [f"it is tried up to {step.retry.max_attempts} times"] if step.retry else []
    told += [way_on(workflow, e) for e in ways]
    if told:
        return f"{named(step)}: {', then '.join(told)}."
    return f"Nothing is drawn for a failure of {named(step)}: the run would stop there."


def _lateness(q: Question) -> str | None:
    q.has("not")
    q.use([token for token in q.tokens if token.value is not None])
    words = q.rest(q.first("if"))
    who = q.role(words)
    steps = roles_of(q.workflow)[who] if who else q.slots(words)
    return _lines(_overdue(q.workflow, s) for s in steps if s.type not in _PLUMBING)


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


def _amount(q: Question) -> str | None:
    """Return which ways an amount takes, by the numbers in the conditions."""
    numbers = [token for token in q.tokens if token.kind == "number"]
    if len(numbers) != 1:
        return None
    value = numbers[0].value or 0.0
    found: list[Transition] = []
    for step in q.workflow.steps:
        ways = q.workflow.outgoing(step.id)
        told = [holds(e.when.text, value) if e.when and e.when.text else None for e in ways]
        taken = [e for e, one in zip(ways, told, strict=True) if one]
        if not taken and any(one is not None for one in told):
            taken = [e for e in ways if e.type == "default" or not e.when]
        found += taken
    known = {w for e in q.workflow.transitions for w in content_of(condition_of(e))}
    q.use([*numbers, *(t for t in q.rest() if t.among("set.money") or any(akin(t.lower, w) for w in known))])
    return _lines(f"At {named(s)}: {_through(q.workflow, e)}." for e in found if (s := q.workflow.step(e.from_)))


def _case(q: Question) -> str | None:
    """Return where the ways lead whose case the words say; "not" means the other ways there."""
    mark = q.first("if")
    no = [token for token in q.tokens[mark:] if token.has("neg") or token.is_("nobody")]
    negated = bool(no)
    q.use(no)
    words = [t for t in q.plain(q.rest(mark)) if t.kind != "number"]
    known = {word for text in q.texts() for word in content_of(text)}
    scored: list[tuple[int, Transition]] = []
    for edge in q.workflow.transitions:
        source = q.workflow.step(edge.from_)
        said = content_of(condition_of(edge))
        around = [*content_of(source.name), *content_of(source.assignee or "")] if source else []
        hits = [w for w in words if any(akin(w.lower, one) for one in said)]
        near = [w for w in words if w not in hits and any(akin(w.lower, one) for one in around)]
        rest = [w for w in words if w not in hits and w not in near]
        if hits and all(any(akin(w.lower, one) for one in known) for w in rest):
            scored.append((3 * len(hits) + 2 * len(near), edge))
    if not scored:
        return None
    best = [edge for hits, edge in scored if hits == max(hits for hits, _ in scored)]
    denies = [edge for edge in best if _is_negated(condition_of(edge)) == negated]
    found = denies or [
        e for edge in best for e in q.workflow.outgoing(edge.from_) if e not in best and not _is_error(e)
    ]
    q.use(words)
    return _lines(f"At {named(s)}: {_through(q.workflow, e)}." for e in found if (s := q.workflow.step(e.from_)))


def _is_negated(text: str) -> bool:
    return any(word in f" {text.lower()} " for word in (" not ", "n't ", " no "))


def _is_error(edge: Transition) -> bool:
    return edge.type == "error"


def _condition(q: Question) -> str | None:
    """Read "when is the CFO asked?": the conditions on the ways to a step, followed back to the nearest."""
    words = q.rest()
    steps = [s for s in q.meant(words) if s.type != "end"] or q.slots(words)
    if not steps:
        return None
    lines: list[str] = []
    for step in steps[:4]:
        told = list(dict.fromkeys(_conditions_before(q.workflow, step.id)))
        lines += (
            [f"{named(step)} is reached {'; or '.join(told)}."]
            if told
            else [f"{named(step)} is always reached. {starts_line(q.workflow)}"]
        )
        lines += [f"It is done only if {step.when.text}."] if step.when and step.when.text else []
    return "\n".join(lines)


def _conditions_before(workflow: Workflow, step_id: str) -> Iterator[str]:
    seen, waiting = {step_id}, [step_id]
    back = back_edges(workflow)
    while waiting:
        for edge in (e for e in workflow.incoming(waiting.pop(0)) if e not in back):
            source = workflow.step(edge.from_)
            when = condition_of(edge)
            if when and source is not None:
                yield f"from {named(source)}, if {when}"
            elif edge.from_ not in seen:
                seen.add(edge.from_)
                waiting.append(edge.from_)


# ---- the rest


def _facts(topic: str) -> Answer:
    def answer(q: Question) -> str | None:
        one = q.workflow
        if not q.is_whole(q.rest()):
            return None
        if topic == "version":
            return f"**{one.name}** is at version {one.version}."
        if topic == "tag":
            return f"Its tags: {joined(one.tags)}." if one.tags else f"**{one.name}** has no tag."
        if topic == "call":
            other = f" It is also called {joined(one.aliases)}." if one.aliases else ""
            return f"It is called **{one.name}** (`{one.id}`).{other}"
        if topic == "description":
            return one.description or f"**{one.name}** has no description."
        if topic == "rule":
            told = [f"At {named(s)}: {way_on(one, e)}." for e in one.transitions if e.when and (s := one.step(e.from_))]
            return "\n".join(told) or f"**{one.name}** has no condition."
        calls = [f"{named(s)} calls `{s.uses}`" for s in one.steps if s.uses]
        return f"{'; '.join(calls)}." if calls else f"No step of **{one.name}** calls a service."

    return answer


def _rule_of(q: Question) -> str | None:
    """Read "what is the limit for sending an expert?": the conditions on the ways to a step and from it."""
    ids = {s.id for s in q.meant(q.rest())}
    return _lines(
        f"At {named(s)}: {way_on(q.workflow, e)}."
        for e in q.workflow.transitions
        if e.when and ids & {e.to, e.from_} and (s := q.workflow.step(e.from_))
    )


def _service_of(q: Question) -> str | None:
    return _lines(
        f"{named(s)} calls `{s.uses}`." if s.uses else f"{named(s)} calls no service."
        for s in q.meant(q.rest())
        if s.type not in _PLUMBING
    )


def _exists(q: Question) -> str | None:
    if not q.asks_yes_or_no():
        return None
    found = q.meant(q.rest())
    told = [named(s) + (f", done by {s.assignee}" if s.assignee else "") for s in found]
    return f"Yes: {'; '.join(told)}." if told else None


def _about(q: Question) -> str | None:
    found = q.meant(q.rest())
    return "\n\n".join(told_step(q.workflow, s) for s in found[:3]) if 0 < len(found) < 4 else None


_READINGS = (
    Reading(_lateness, "if late", "who what is happen not deadline long unit"),
    Reading(_failing, "if fail", "who what is happen step"),
    Reading(_amount, "what|who|happen", "who what is happen if case rule after"),
    Reading(_case, "if what|who", "what who is happen before after"),
    Reading(_between, "between", "what who is happen step"),
    Reading(_without, "may|path without", "is path may what end not happen"),
    Reading(_without, "is path not", "is path what end without happen"),
    Reading(_order, "before|after is", "or is happen when first"),
    Reading(_loops, "loop", "is many what step may edge attempt parallel"),
    Reading(_always, "always is", "is happen path end start"),
    Reading(_count_roles, "many people", "is"),
    Reading(_count_ends, "many end", "is way may"),
    Reading(_count_starts, "many trigger", "is"),
    Reading(_count_edges, "many edge", "is"),
    Reading(_count_ways, "many way", "is"),
    Reading(_attempts, "many attempt|retry", "is may"),
    Reading(_how_long, "many unit", "is may for deadline"),
    *(
        Reading(_filtered(topic), f"{topic} what|many|is", "what many is step may all who deadline people")
        for topic in _FILTERS
    ),
    Reading(_together, "parallel", "what is step happen may may-be all"),
    Reading(_count_role, "many", "is step happen"),
    Reading(_count_steps, "many", "step is all what"),
    Reading(_how_long, "long", "what is may all deadline longest unit end who"),
    Reading(_slowest, "what longest", "step is deadline start"),
    Reading(_starts, "what first", "step is start"),
    Reading(_last, "what last", "step is end"),
    Reading(_neighbours, "after|before what|who", "what who is happen step"),
    Reading(_how_long, "long|deadline|longest", "what is may all deadline path unit end who"),
    Reading(_starts, "what|when|is start|trigger|when", "what when is automatic trigger people manual"),
    Reading(_ends, "what end", "what when is way may path"),
    Reading(_who_decides, "who approve", "is"),
    Reading(_who, "who", "is owner people step all inform"),
    Reading(_role_does, "what|who", "is step happen owner inform"),
    *(
        Reading(_facts(topic), f"{topic} what", "what is call")
        for topic in ("version", "tag", "service", "call", "description", "rule")
    ),
    Reading(_rule_of, "rule what", "is step"),
    Reading(_service_of, "service what", "is step"),
    Reading(_condition, "case|when", "is happen what rule may"),
    Reading(_does_it, "is", "happen what inform people"),
    Reading(_exists, "is", "happen step what inform"),
    Reading(_about, "what", "is step happen description"),
)
