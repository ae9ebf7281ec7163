"""The answers to questions about one workflow, from its graph: a function for each kind.

What a question asks is read by an encoder (`reading`); which steps, people and cases its words mean is `question`'s.
An answer is told only where the kind and its slots are certain enough; else the likeliest question is offered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from workflow_agent.assistant.offline.lexicon import data_rows
from workflow_agent.assistant.offline.nlu.tagging import SEVERAL
from workflow_agent.assistant.offline.plan import listed
from workflow_agent.assistant.offline.questions import through
from workflow_agent.assistant.offline.questions.question import Question, Unmeant, vocabulary_of
from workflow_agent.assistant.offline.questions.reading import OF_ALL, OTHER, Asked, questions_in, ways_asked
from workflow_agent.assistant.offline.questions.steps import (
    PROPERTIES,
    Told,
    after,
    are,
    assigned,
    before,
    channel,
    channels_in,
    doing,
    in_case,
    lines,
    names,
    taken,
    time_of,
    with_doer,
    with_limits,
)
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, akin, content_of, stems
from workflow_agent.assistant.offline.schedules import started_by
from workflow_agent.assistant.offline.tokens import Tokens
from workflow_agent.assistant.offline.values import durations_in
from workflow_agent.assistant.offline.walks import back_edges, between, conditions_before, longest, ranks, reach
from workflow_agent.assistant.offline.wording import (
    counted,
    ends_line,
    explain_text,
    in_walking_order,
    joined,
    named,
    roles_of,
    starts_line,
    told_step,
    way_on,
)
from workflow_agent.workflows.model.durations import duration_in_words, in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.triggers import describe_trigger
from workflow_agent.workflows.model.workflow import Workflow

_ACTS, _OFFERS = 0.85, 0.05
"""How certain an answer must be to be told, and for its question to be offered."""
_LIGHT = 0.01
"""How certain a way to read a question must be to be looked at."""
_MOST_WAYS = 10
_MOST_STEPS = 4
Answer = Callable[[Question], Told | None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: an answer, or what is to be asked back."""

    told: Told | None = None
    notes: tuple[tuple[str, str], ...] = ()
    """Words that were taken for a step, each with its name."""
    unmeant: Unmeant | None = None
    """Words that mean nothing there, or several things."""
    offered: str = ""
    """The question that is most probably meant."""
    certainty: float = 0
    """How certain the answer is, from 0 to 1."""

    def text(self) -> str | None:
        """Return the answer with what was taken for what; None where there is none."""
        if self.told is None:
            return None
        notes = "".join(f"\n\nI took “{said}” for **{name}**." for said, name in dict.fromkeys(self.notes))
        return self.told.whole() + notes


def answered(workflow: Workflow, tokens: Tokens, steps: Steps) -> Outcome:
    """Return the answer to a question, or to both in one, or what is to be asked back.

    Of all ways to read it those with the same answer count together: which words say which step may stay open. A way
    that leaves out a word of the workflow is none.
    """
    if all(token.kind in ("punct", "break") for token in tokens):
        return Outcome()
    ways = [one for one in ways_asked(tokens, workflow)[:_MOST_WAYS] if one.certainty > _LIGHT]
    if ways and (both := _both(workflow, ways[0], steps)) is not None:
        return both
    own = vocabulary_of(workflow)
    ways = [
        one for one in ways if one.slots or one.kind == OTHER or all(stems(t.lower).isdisjoint(own) for t in one.unread)
    ]
    certain: dict[str | None, float] = {}
    first: dict[str | None, tuple[Asked, Outcome]] = {}
    for one in ways:
        outcome = _of(workflow, one, steps)
        key = outcome.told.whole() if outcome.told else str(outcome.unmeant) if outcome.unmeant else None
        certain[key] = certain.get(key, 0.0) + one.certainty
        first.setdefault(key, (one, outcome))
    ranked = sorted(certain, key=lambda key: -certain[key])
    best = certain[ranked[0]] / sum(certain.values()) if ranked else 0.0
    if best > _ACTS and ranked[0] is not None:
        return replace(first[ranked[0]][1], certainty=best)
    told = [(one, certain[key]) for key in ranked if (one := first[key])[1].told]
    asked = next((asked for (asked, _), certainty in told if certainty > _OFFERS), None)
    return Outcome(offered=_offered(Question(workflow, steps, asked))) if asked else Outcome()


def _both(workflow: Workflow, whole: Asked, steps: Steps) -> Outcome | None:
    """Return the answers to two questions in one; what of the second has none is told, where they are surely two.

    The second may name nothing: it is then about what the first asks about, "who signs it and by when?".
    """
    for one, other in questions_in(whole.tokens):
        first = answered(workflow, one, steps)
        if first.told is None:
            continue
        same = next(iter(ways_asked(one, workflow)), None)
        second = _about_same(workflow, other, steps, same.words("step", "who")[:1] if same else [])
        if second.told is None and whole.kind != SEVERAL:
            return None
        said = " ".join(t.text for t in other if t.kind != "punct")
        also = second.told.whole() if second.told else f"I did not understand “{said}”."
        return Outcome(
            Told(f"{first.told.whole()}\n\n{also}"), (*first.notes, *second.notes), certainty=first.certainty
        )
    return None


def _about_same(workflow: Workflow, tokens: Tokens, steps: Steps, same: Sequence[Tokens]) -> Outcome:
    """Return the answer to a second question, about the words of the first where it has none of its own."""
    best = next(iter(ways_asked(tokens, workflow)), None)
    own = [t for words in (best.words("step", "who", "case", "goal") if best else ()) for t in words]
    if best is None or any(t.is_content for t in own):
        return answered(workflow, tokens, steps)
    if same:
        return _of(workflow, replace(best, slots=(("step", same[0]),), tokens=(*same[0], *tokens)), steps)
    # "Some papers are missing, who deals with it": the answer to the first tells.
    is_of_it = any(t.lower in PRONOUNS for t in tokens)
    return Outcome() if is_of_it else answered(workflow, tokens, steps)


_IN_CASES = frozenset({"case", "always"})
_DENIED = frozenset({"does_it", "loops", "exists", "does", "again"})
"""Kinds whose answer says nothing of a denial: a question with one gets the facts, and no yes or no."""


def _of(workflow: Workflow, asked: Asked, steps: Steps) -> Outcome:
    answer = _answers().get(OF_ALL.get(asked.kind, asked.kind))
    if answer is None:
        return Outcome()
    question = Question(workflow, steps, asked)
    try:
        told = answer(question)
    except Unmeant as unmeant:
        return Outcome(unmeant=unmeant)
    if told is not None and told.verdict is not None and _narrows(asked):
        told = replace(told, text=told.text[:1].upper() + told.text[1:], verdict=None)
    return Outcome(told, tuple(question.taken.items()))


def _narrows(asked: Asked) -> bool:
    """Say whether a question has a word that the answer does not look at, so that it is told without a yes or a no."""
    read = {t.start for _, words in asked.slots for t in words}
    open_ = [t for t in asked.tokens if t.start not in read]
    denies = asked.kind in _DENIED and any(t.has("neg") or t.is_("no", "nobody", "never") for t in open_)
    in_a_case = asked.kind not in _IN_CASES and (asked.has("case") or any(t.is_("if", "unless") for t in open_))
    narrowing = [t for t in open_ if t.among("question.narrowing")]
    if asked.kind == "order":
        narrowing = [t for t in narrowing if not t.among("order.directly")]
    return denies or in_a_case or bool(narrowing)


def _offered(question: Question) -> str:
    """Return the plainest question of a kind, with what its slots mean; nothing where they do not fit it."""
    slots = [(role, words) for role, words in question.asked.slots if role != "aside"]
    for kind, text in data_rows("questions.tsv"):
        wanted = [part.partition("}")[0] for part in text.split("{")[1:]]
        if kind == question.asked.kind and sorted(wanted) == sorted(role for role, _ in slots):
            return text.format(**{role: question.named(role, words) for role, words in slots})
    return ""


# ---- who does what


def _who(q: Question) -> Told | None:
    flow = q.workflow
    if found := q.meant("step", "goal"):
        return assigned(flow, found)
    if told := _does(q):
        return told
    rows = [f"- **{who}**: {joined([s.name for s in done])}" for who, done in roles_of(flow).items()]
    free = [s for s in q.work() if not s.assignee]
    alone = f"\nWithout anybody: {names(free)}." if free else ""
    return Told(f"In **{flow.name}**:\n\n" + "\n".join(rows) + alone)


def _does(q: Question) -> Told | None:
    """Return what somebody does, also who is only asked when a step is late, or that there is nobody of that name."""
    yes = True if q.asked.is_yes_or_no and not q.asked.tokens[0].is_("i") else None
    told: list[str] = []
    # "I am a tester, what is my job?"
    for words in q.asked.words("who") or q.asked.words("aside"):
        who = q.role(words)
        if who is not None:
            done = roles_of(q.workflow)[who]
            number = f"{counted(len(done), 'step')}: " if q.asked.is_count else ""
            told.append(f"**{who}** does {number}{names(done)}.")
        if late_ := q.escalated(words):
            to = late_[0].escalate_to
            told.append(f"{to} is asked when {names(late_)} {'takes' if len(late_) == 1 else 'take'} too long.")
        if who is None and not late_:
            said = " ".join(t.text for t in words)
            roles = joined(list(roles_of(q.workflow)))
            its = f"its roles are {roles}" if roles else "it has no roles"
            return Told(f"nobody in **{q.workflow.name}** is called “{said}”; {its}.", False if yes else None)
    return lines(told, verdict=yes)


def _does_it(q: Question) -> Told | None:
    """Return whether somebody does a step, or who does."""
    about, whom = q.meant("step"), q.asked.words("who")
    if not about or not whom:
        return _does(q) if whom else assigned(q.workflow, about)
    who = q.role(whom[0])
    mine = [s for s in about if who is not None and s.assignee == who]
    if mine:
        return Told(f"{names(mine)} {are(mine)} done by {who}.", verdict=True)
    return assigned(q.workflow, about, verdict=False)


def _decides(q: Question) -> Told | None:
    named = q.meant("step", "goal")
    deciding = [[s for s in q.work() if PROPERTIES[one].holds(q.workflow, s)] for one in ("approvals", "branches")]
    mine = [s for s in named if s in deciding[0]]
    return assigned(q.workflow, mine or named or deciding[0] or deciding[1])


def _besides(q: Question) -> Told | None:
    """Return who else takes part than those who are named, or what else somebody does than some steps."""
    said = [one for words in q.asked.words("who") for one in listed(words)]
    whom = [who for words in said if (who := q.role(words)) is not None]
    if len(whom) < len(said):
        return None
    yes = q.asked.is_yes_or_no
    about = q.meant("step")
    if about and len(whom) != 1:
        return None
    if about:
        more = [s for who in whom for s in roles_of(q.workflow)[who] if s not in about]
        told = f"{whom[0]} also does {names(more)}." if more else f"{whom[0]} does only {names(about)}."
        return Told(told, bool(more) if yes else None)
    others = [who for who in roles_of(q.workflow) if who not in whom]
    return Told(f"{joined(others)}." if others else f"only {joined(whom)}.", bool(others) if yes else None)


def _busiest(q: Question) -> Told | None:
    ranked = sorted(roles_of(q.workflow).items(), key=lambda one: -len(one[1]))
    best = [one for one in ranked if len(one[1]) == len(ranked[0][1])]
    return lines(f"**{who}** does {counted(len(done), 'step')}: {names(done)}." for who, done in best)


# ---- what steps have


def _with(kind: str) -> Answer:
    own = PROPERTIES[kind]
    label, lacked = own.label, own.lacked

    def answer(q: Question) -> Told | None:
        # "By itself, without a person" denies nothing.
        no = [t for words in q.asked.words("no") for t in words if kind != "automatic" or not t.is_("without")]
        denied, is_asked = bool(no), q.asked.is_yes_or_no
        about = doing(q.workflow, q.tasks("step", "who", "goal"))
        some = about or q.work()
        named = channels_in(q.asked.tokens) if kind == "messages" else frozenset[str]()
        found = [s for s in some if (own.holds(q.workflow, s) and (not named or channel(s) in named)) != denied]
        without_it = f"without {label.removeprefix('with ')}" if label.startswith("with ") else f"not {label}"
        which, told = without_it if denied else label, joined([with_limits(s) for s in found])
        others = [s for s in some if s not in found]
        said = q.asked.tokens
        every = next((at for at, t in enumerate(said) if is_asked and t.among("question.every")), None)
        if every is not None and others:
            # "All human steps" are not all.
            plainly = any(t.is_("step", "task", "them") for t in said[every + 1 : every + 3])
            return Told(f"not {names(others)}.", verdict=False if plainly else None)
        if about and not found and not denied:
            has = f"{'has' if len(about) == 1 else 'have'} {lacked}" if lacked else f"{are(about)} not {label}"
            return Told(f"{names(about)} {has}.", verdict=False if is_asked else None)
        of_some = any(t.is_("step", "task", "one", "anything") for t in said if no and t.start < no[0].start)
        if denied and is_asked and not about and others and not of_some:
            # "Is there no deadline?" is a yes only where no step has one, "a step with none" where one lacks it;
            # "isn't there a deadline?" expects a yes.
            return Told(
                f"{label}: {joined([with_limits(s) for s in others])}.", verdict=any(t.is_("not") for t in said[1:2])
            )
        if is_asked and found:
            return Told(f"{which}: {told}.", verdict=True)
        if q.asked.is_count:
            return Told(f"{counted(len(found), 'step')} {which}{': ' if found else ''}{told}.")
        if found:
            return Told(f"Steps {which}: {told}.")
        none = f"step of **{q.workflow.name}** is {which}."
        return Told(f"no {none}", verdict=False) if is_asked else Told(f"No {none}")

    return answer


def _of_length(q: Question) -> Told | None:
    """Return the steps that take as long as a length, longer or shorter."""
    spans = [found for words in q.asked.words("span") for _, found in durations_in(words)]
    if len(spans) != 1:
        return None
    wanted, more, less = seconds_of(spans[0].value), q.asked.has("more"), q.asked.has("less")

    def fits(step: Step) -> bool:
        own = seconds_of(step.timeout or step.duration or "")
        return bool(own) and (own > wanted if more else own < wanted if less else own == wanted)

    found = [s for s in q.work() if fits(s)]
    if not found:
        return Told("No step has that length.")
    yes = True if q.asked.is_yes_or_no else None
    number = f"{counted(len(found), 'step')}: " if q.asked.is_count and not yes else ""
    return Told(f"{number}{joined([with_limits(s) for s in found])}.", verdict=yes)


# ---- times


def _how_long(q: Question) -> Told | None:
    found = q.tasks("step", "who", "goal")
    return lines(time_of(s) for s in doing(q.workflow, found)) if found else _total_time(q)


def _total_time(q: Question) -> Told:
    timed = [s for s in q.work() if s.timeout or s.duration]
    if not timed:
        return Told(f"No step of **{q.workflow.name}** has a deadline or a length: nothing says how long it takes.")
    rows = "\n".join(f"- {time_of(s)}" for s in timed)
    free = [s for s in q.work() if not (s.timeout or s.duration) and s.type == "human"]
    rest = f"{names(free)} may take any time." if free else ""
    total = in_words(longest(q.workflow))
    return Told(f"At most {total} on the longest way, as far as limits are set:\n\n{rows}\n\n{rest}".strip())


def _until(q: Question) -> Told | None:
    found = q.meant("step", "goal")
    if len(found) != 1:
        return _total_time(q) if not found else None
    total = in_words(longest(q.workflow, found[0].id))
    return Told(f"Until {named(found[0])} is done, at most {total}, as far as limits are set. {time_of(found[0])}")


def _by_limit(sign: int) -> Answer:
    def answer(q: Question) -> Told | None:
        limited = any(t.is_("deadline", "limit", "sla", "due") for t in q.asked.tokens)
        limits = {s.id: s.timeout or (not limited and s.duration) or "" for s in q.work()}
        timed = sorted((s for s in q.work() if limits[s.id]), key=lambda s: sign * seconds_of(limits[s.id]))
        return Told(f"By its limit, {with_limits(timed[0])}." if timed else "No step has a deadline or a length.")

    return answer


# ---- where it starts and ends, what comes when


def _starts(q: Question) -> Told | None:
    """Return what starts it and with what; whether it starts at a time or by what is named."""
    if q.asked.is_yes_or_no and (found := started_by(q.asked.tokens)) is not None:
        starts = found.passes([describe_trigger(one) for one in q.workflow.triggers])
        return Told(starts_line(q.workflow), verdict=starts)
    return Told(f"{starts_line(q.workflow)} The first step is {_first_line(q)}")


def _first_line(q: Question) -> str:
    return f"{with_doer(in_walking_order(q.workflow)[0])}."


def _last(q: Question) -> Told | None:
    ends = {s.id for s in q.workflow.steps if s.type == "end"}
    onward = {s.id: {e.to for e in q.workflow.outgoing(s.id)} for s in q.work()}
    found = [s for s in q.work() if not onward[s.id] or onward[s.id] & ends]
    told = [with_doer(s) for s in found]
    last = f"Last come {joined(told)}. " if told else ""
    return Told(f"{last}{_ends_line(q.workflow)}")


def _ends(q: Question) -> Told | None:
    """Return how a workflow ends, or what a decision leads to."""
    return _after(q) if q.asked.has("step") else Told(_ends_line(q.workflow))


def _ends_line(flow: Workflow) -> str:
    return ends_line(flow) or f"No end is drawn in **{flow.name}**."


def _number(q: Question) -> Told | None:
    values = [t.value for words in q.asked.words("number") for t in words if t.value is not None]
    if len(values) != 1:
        return None
    at, done = int(values[0]), [s for s in q.workflow.steps if s.type not in ("fork", "join", "end")]
    told = told_step(q.workflow, done[at - 1]) if 0 < at <= len(done) else f"There are only {len(done)} steps."
    return Told(told)


def _after(q: Question) -> Told | None:
    found = q.tasks("step", "who", "goal")[:_MOST_STEPS]
    return Told("\n\n".join(after(q.workflow, s) for s in found)) if found else None


def _before(q: Question) -> Told | None:
    found = (q.meant("step", "goal") or q.tasks("who"))[:_MOST_STEPS]
    return Told("\n\n".join(before(q.workflow, s) for s in found)) if found else None


def _between(q: Question) -> Told | None:
    ones, others = q.meant("from"), q.meant("to")
    if len(ones) != 1 or len(others) != 1:
        return None
    one, other = ones[0].id, others[0].id
    rank = ranks(q.workflow)
    inside = {s for s in reach(q.workflow, one, frozenset({other})) if rank[one] < rank[s] < rank[other]}
    found = [s for s in q.work() if s.id in inside and other in reach(q.workflow, s.id)]
    if found:
        return Told(f"Between {named(ones[0])} and {named(others[0])}: {names(found)}.")
    if other in {e.to for e in q.workflow.outgoing(one)}:
        return Told(f"{named(others[0])} comes right after {named(ones[0])}.")
    return Told(f"Nothing comes between {named(ones[0])} and {named(others[0])} on a way from the first to the second.")


def _condition(q: Question) -> Told | None:
    """Return when a step is done: the conditions on the ways to it, followed back to the nearest."""
    rows: list[str] = []
    for step in (q.meant("step", "goal") or q.tasks("who"))[:_MOST_STEPS]:
        told = [f"from {named(s)}, {in_case(when)}" for s, when in conditions_before(q.workflow, step.id)]
        reached = (
            f"reached {'; or '.join(dict.fromkeys(told))}." if told else f"always reached. {starts_line(q.workflow)}"
        )
        rows += [f"{named(step)} is {reached}", before(q.workflow, step)]
        rows += [time_of(step)] if step.timeout else []
        rows += [f"It is done only if {step.when.text}."] if step.when and step.when.text else []
    return lines(rows)


def _again(q: Question) -> Told | None:
    """Return whether a step can happen more than once: by a loop, or when it is tried again."""
    found = q.tasks("step", "who", "goal")
    if not found:
        return None
    if told := through.loops(q.workflow, {s.id for s in found}):
        return Told(told, verdict=True)
    tries = joined([with_limits(s) for s in found if s.retry])
    if tries:
        return Told(f"Nothing leads back to {names(found)}, but it is tried again when it fails: {tries}.")
    return Told(f"nothing leads back to {names(found)}.", verdict=False)


def _loops(q: Question) -> Told | None:
    yes = q.asked.is_yes_or_no
    told = through.loops(q.workflow, {s.id for s in q.tasks("step", "goal")})
    if told is None:
        where = f"in **{q.workflow.name}** leads back to an earlier step"
        return Told(f"nothing {where}.", verdict=False) if yes else Told(f"Nothing {where}.")
    number = f"{counted(len(back_edges(q.workflow)), 'loop')}: " if q.asked.is_count else ""
    return Told(f"{number}{told}", verdict=True if yes else None)


def _attempts(q: Question) -> Told | None:
    found = q.tasks("step", "who")
    again = [e for e in back_edges(q.workflow) if any(s.id in between(q.workflow, e) for s in found)]
    inner = {one for edge in again for one in between(q.workflow, edge)}
    told = [
        f"{named(s)}: up to {s.retry.max_attempts} attempts"
        + (f", {duration_in_words(s.retry.interval)} apart." if s.retry.interval else ".")
        if s.retry
        else f"{named(s)}: nothing limits how often."
        if s.id in inner
        else f"{named(s)} is not tried again: one attempt."
        for s in found
    ]
    return lines([*told, *(f"A loop leads there again: {row}" for row in taken(q.workflow, again))])


# ---- counts and facts


def _count_steps(q: Question) -> Told | None:
    if found := q.tasks("step", "who"):
        return Told(f"{counted(len(found), 'step')}: {names(found)}.")
    if not q.work():
        return Told(f"**{q.workflow.name}** has no step in which something is done.")
    ends = sum(s.type == "end" for s in q.workflow.steps)
    also = f", and {counted(ends, 'end')}." if ends else "."
    return Told(f"**{q.workflow.name}** has {counted(len(q.workflow.steps), 'step')}: {names(q.work())}{also}")


def _count(noun: str, items: Callable[[Workflow], Sequence[object]], told: Callable[[Workflow], str]) -> Answer:
    def answer(q: Question) -> Told | None:
        also = told(q.workflow)
        count = counted(len(items(q.workflow)), noun)
        return Told(f"**{q.workflow.name}** has {count}{also and f': {also}'}".rstrip(".") + ".")

    return answer


def _count_ways(q: Question) -> Told | None:
    return lines(
        f"{named(s)} has {counted(len(ways), 'way')} on: {'; '.join(way_on(q.workflow, e) for e in ways)}."
        for s in q.meant("step", "goal")
        if (ways := q.workflow.outgoing(s.id))
    )


def _services(q: Question) -> Told | None:
    flow = q.workflow
    if found := q.tasks("step", "who"):
        return lines(f"{named(s)} calls `{s.uses}`." if s.uses else f"{named(s)} calls no service." for s in found)
    calling = [s for s in flow.steps if s.uses]
    said = [t.lower for words in q.asked.words("service") for t in words if t.is_content]
    called = {s.id: content_of((s.uses or "").replace(".", " ").replace("_", " ")) for s in calling}
    mine = [s for s in calling if not said or any(akin(t, one) for t in said for one in called[s.id])]
    told = "; ".join(f"{named(s)} calls `{s.uses}`" for s in mine)
    if said and not told:
        return Told(f"no step of **{flow.name}** calls “{' '.join(said)}”.", False if q.asked.is_yes_or_no else None)
    yes = True if told and q.asked.is_yes_or_no else None
    return Told(f"{told}." if told else f"No step of **{flow.name}** calls a service.", verdict=yes)


def _rules(q: Question) -> Told | None:
    """Return the conditions there are, those of a step on the ways to it and from it."""
    flow = q.workflow
    if ids := {s.id for s in q.meant("step", "goal")}:
        found = [e for e in flow.transitions if e.when and ids & {e.to, e.from_}]
        return lines(taken(flow, found)) or _condition(q)
    rows = [f"At {named(s)}: {way_on(flow, e)}." for e in flow.transitions if e.when and (s := flow.step(e.from_))]
    return Told("\n".join(rows) or f"**{flow.name}** has no condition.")


def _exists(q: Question) -> Told | None:
    found = q.tasks("step", "goal", "who")
    told = "; ".join(with_doer(s) for s in found)
    return Told(f"{told}.", verdict=True if q.asked.is_yes_or_no else None) if told else None


def _about(q: Question) -> Told | None:
    flow = q.workflow
    told: list[str] = []
    for step in q.meant("step", "goal")[:_MOST_STEPS]:
        cases = conditions_before(flow, step.id) if step.type == "end" else ()
        rows = (f"From {named(one)}, {in_case(when)}." for one, when in cases)
        told.append("\n".join([told_step(flow, step), *rows]))
    return Told("\n\n".join(told)) if told else _does(q)


def _fact(told: Callable[[Workflow], str]) -> Answer:
    return lambda q: Told(told(q.workflow))


def _tags(flow: Workflow) -> str:
    return f"Its tags: {joined(flow.tags)}." if flow.tags else f"**{flow.name}** has no tag."


def _called(flow: Workflow) -> str:
    also = f" It is also called {joined(flow.aliases)}." if flow.aliases else ""
    return f"It is called **{flow.name}** (`{flow.id}`).{also}"


@cache
def _answers() -> dict[str, Answer]:
    return {
        **{kind: _with(kind) for kind in PROPERTIES},
        "who": _who, "does": _does, "does_it": _does_it, "decides": _decides, "besides": _besides, "busiest": _busiest,
        "how_long": _how_long, "until": _until, "slowest": _by_limit(-1), "fastest": _by_limit(1),
        "of_length": _of_length, "starts": _starts, "ends": _ends,
        "first": lambda q: Told(f"First comes {_first_line(q)} {starts_line(q.workflow)}"),
        "last": _last, "number": _number, "after": _after, "before": _before, "between": _between,
        "order": through.order, "path": through.path_to, "condition": _condition, "loops": _loops, "again": _again,
        "attempts": _attempts, "beside": through.beside, "without": through.without, "always": through.always,
        "fails": through.fails, "late": through.late, "case": through.case,
        "count_steps": _count_steps, "count_ways": _count_ways,
        "count_roles": _count(
            "role", lambda w: list(roles_of(w)), lambda w: joined(list(roles_of(w))) or "nobody is set"
        ),
        "count_ends": _count(
            "end", lambda w: [s for s in w.steps if s.type == "end"], lambda w: ends_line(w).removeprefix("Ends: ")
        ),
        "count_triggers": _count("trigger", lambda w: w.triggers, starts_line),
        "count_transitions": _count("transition", lambda w: w.transitions, lambda _: ""),
        "services": _services, "rules": _rules, "exists": _exists, "about": _about,
        "version": _fact(lambda one: f"**{one.name}** is at version {one.version}."),
        "tags": _fact(_tags), "called": _fact(_called),
        "purpose": _fact(lambda one: one.description or f"**{one.name}** has no description."),
        "explain": _fact(explain_text),
    }  # fmt: skip
