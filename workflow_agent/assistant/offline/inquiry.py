"""Answers about one workflow from its graph; each says which words of the question it used."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workflow_agent.assistant.offline.clauses import counts, roles
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.references import Steps, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.settings import NUMBER, amount_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
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
from workflow_agent.workflows.model.durations import duration_in_words, in_words, seconds_of
from workflow_agent.workflows.model.steps import Step
from workflow_agent.workflows.model.transitions import Transition
from workflow_agent.workflows.model.workflow import Workflow

_PLUMBING = frozenset({"fork", "join", "end"})
_APPROVALS = frozenset({"approve", "reject", "decide", "sign"})
_LATE = word_set("inquiry.late")
_FAILS = word_set("inquiry.fails")
_NEGATIONS = word_set("inquiry.negations")


@dataclass(slots=True)
class Inquiry:
    """A question about one workflow while it is read."""

    workflow: Workflow
    tokens: Tokens
    text: str
    steps: Steps
    used: set[int] = field(default_factory=set[int])
    denies: bool = False
    """Whether the answer is a no, a none or a nothing: given only where every word was read."""

    def has(self, *words: str) -> bool:
        """Say whether the question has one of these words, which is then read."""
        found = [token for token in self.tokens if token.is_(*words) or (token.entry.verb or "") in words]
        self.use(found)
        return bool(found)

    def use(self, tokens: Iterable[Token]) -> None:
        """Note that tokens are read."""
        self.used.update(token.start for token in tokens)

    def left(self) -> list[Token]:
        """Return the words that nothing has read."""
        return [token for token in self.tokens if token.start not in self.used and counts(token)]

    def content(self) -> list[Token]:
        """Return the words that say something and are not read yet."""
        return [t for t in self.tokens if t.start not in self.used and (t.is_content or t.kind == "quoted")]

    def no(self, text: str) -> str:
        """Return a denial, noted as one."""
        self.denies = True
        return text

    def step(self, tokens: Sequence[Token]) -> Step | None:
        """Return the one step that words mean, which are then read."""
        try:
            found = self.steps.find(tokens)
        except StepUnclear:
            return None
        self.use(t for t in tokens)
        return found

    def meant(self, tokens: Sequence[Token]) -> list[Step]:
        """Return every step that words fit, which are then read; none where they fit no step."""
        words = [t for t in tokens if t.is_content or t.kind == "quoted" or t.lower in ("it", "that", "this")]
        if not words:
            return []
        try:
            found = [self.steps.find(words)]
        except StepUnclear as unclear:
            found = [s for one in unclear.candidates if (s := self.workflow.step(one.id))]
        if found:
            self.use(words)
        return found

    def work(self) -> list[Step]:
        """Return the steps in which something is done."""
        return [step for step in in_walking_order(self.workflow) if step.type not in _PLUMBING]

    def role(self, tokens: Sequence[Token]) -> str | None:
        """Return the assignee that words name, or None."""
        words = [t.lower for t in tokens if t.is_content]
        for who in roles_of(self.workflow):
            about = content_of(who)
            if words and all(any(akin(word, one) for one in about) for word in words):
                self.use(tokens)
                return who
        return None


Answer = Callable[[Inquiry], str | None]


def answered(inquiry: Inquiry) -> str | None:
    """Return the answer to a question about the workflow, or None where it is not understood."""
    for rule in _RULES:
        used = set(inquiry.used)
        inquiry.denies = False
        told = rule(inquiry)
        if told is not None:
            return told
        inquiry.used = used
    return None


def _names(steps: Sequence[Step]) -> str:
    return joined([named(step) for step in steps])


def _count(q: Inquiry) -> str | None:
    if not ((q.has("many") and q.has("how")) or q.has("number", "count")) or q.has(
        "day", "hour", "week", "minute", "month"
    ):
        return None
    name = f"**{q.workflow.name}**"
    if q.has("people", "person", "role", "participant", "department", "team", "actor"):
        found = list(roles_of(q.workflow))
        return (
            f"{name} has {counted(len(found), 'role')}: {joined(found)}."
            if found
            else q.no(f"No step of {name} says who does it.")
        )
    if q.has("trigger", "start"):
        return f"{name} has {counted(len(q.workflow.triggers), 'trigger')}. {starts_line(q.workflow)}"
    if q.has("end", "outcome", "ending"):
        return (
            f"{name} has {counted(sum(s.type == 'end' for s in q.workflow.steps), 'end')}. "
            f"{ends_line(q.workflow)}"
        )
    if q.has("loop", "cycle"):
        return _loops(q)
    if q.has("transition", "connection", "arrow", "edge"):
        return f"{name} has {counted(len(q.workflow.transitions), 'transition')}."
    if q.has("version"):
        return f"{name} is at version {q.workflow.version}."
    if q.has("time", "often", "attempt", "retry", "try") and (steps := q.meant(q.content())):
        return _retries(steps)
    if q.has("way", "exit", "option", "branch", "possibility") and (
        steps := q.meant([t for t in q.content() if not t.is_("out")])
    ):
        q.has("out", "lead", "there", "from")
        ways = q.workflow.outgoing(steps[0].id)
        return (
            f"{named(steps[0])} has {counted(len(ways), 'way')} on: "
            f"{'; '.join(way_on(q.workflow, e) for e in ways)}."
        )
    kind = _filter(q)
    if kind is not None:
        label, found = kind
        return (
            f"{name} has {counted(len(found), 'step')} {label}: {_names(found)}."
            if found
            else q.no(f"No step of {name} is {label}.")
        )
    if q.has("step", "task", "stage", "activity", "long", "big", "decision") or not q.content():
        work = q.work()
        ends = [s for s in q.workflow.steps if s.type == "end"]
        return f"{name} has {counted(len(q.workflow.steps), 'step')}: {_names(work)}" + (
            f", and {counted(len(ends), 'end')}." if ends else "."
        )
    return None


def _retries(steps: Sequence[Step]) -> str:
    told = [
        f"{named(s)}: up to {s.retry.max_attempts} attempts" if s.retry else f"{named(s)} is not tried again"
        for s in steps
    ]
    return "; ".join(told) + "."


def _filter(q: Inquiry) -> tuple[str, list[Step]] | None:
    """Return what a question filters steps by, in words, and the steps that pass."""
    work = q.work()
    denied = q.has("no", "without", "not", "lack", "miss", "missing", "nobody")
    if q.has("deadline", "timeout", "limit", "overdue", "sla"):
        q.has("time")
        found = [s for s in work if bool(s.timeout) != denied]
        return ("without a deadline" if denied else "with a deadline"), found
    if q.has("retry", "retried"):
        return ("without retries" if denied else "tried again on failure"), [
            s for s in work if bool(s.retry) != denied
        ]
    if q.has("owner", "assignee", "responsible"):
        return ("without an owner" if denied else "with an owner"), [
            s for s in work if bool(s.assignee) != denied
        ]
    if q.has("parallel", "simultaneously", "concurrently"):
        return "in parallel branches", [s for branch in _branches(q.workflow) for s in branch]
    if q.has("automatic", "automated", "automatically", "system", "machine", "robot"):
        return "automatic", [s for s in work if s.type == "action" and not s.assignee]
    if q.has("manual", "manually", "human", "people"):
        q.has("hand")
        return "done by people", [s for s in work if s.type == "human" or s.assignee]
    if q.has("optional", "conditional", "skippable"):
        return "done only in some cases", [s for s in work if s.when is not None]
    if q.has("escalate", "escalation"):
        return "with an escalation", [s for s in work if bool(s.escalate_to) != denied]
    if q.has("branch", "branching", "choice"):
        return "with several ways on", [
            s for s in q.work() if len([e for e in q.workflow.outgoing(s.id) if e.type != "error"]) > 1
        ]
    if q.has("approval", "approve", "decision", "decide"):
        return "deciding or approving", _deciding(q)
    for size in (3, 2, 1):
        content = [t for t in q.content() if t.lemma not in ("step", "do", "task", "thing")]
        for at in range(len(content) - size + 1):
            who = q.role(content[at : at + size])
            if who is not None:
                q.has(
                    "do",
                    "step",
                    "task",
                    "involve",
                    "own",
                    "belong",
                    "perform",
                    "handle",
                    "responsible",
                    "assign",
                    "run",
                    "take",
                    "make",
                    "have",
                    "part",
                )
                return f"done by {who}", [s for s in work if s.assignee == who]
    return None


def _with_limits(step: Step) -> str:
    limits = [
        duration_in_words(step.timeout) if step.timeout else "",
        f"{step.retry.max_attempts} attempts" if step.retry else "",
    ]
    told = joined([one for one in limits if one])
    return named(step) + (f", {told}" if told else "")


def _deciding(q: Inquiry) -> list[Step]:
    def decides(step: Step) -> bool:
        words = set(content_of(step.name))
        cases = [content_of(e.when.text) for e in q.workflow.outgoing(step.id) if e.when and e.when.text]
        return step.type != "end" and (any(akin(w, a) for w in words for a in ("approve", "decide",
    "sign-off")) or
                any(akin(w, a) for case in cases for w in case for a in ("approve", "reject", "decline",
    "accept")))  # fmt: skip

    return [s for s in q.work() if decides(s)]


def _branches(workflow: Workflow) -> list[list[Step]]:
    """Return the steps of each parallel branch."""
    found: list[list[Step]] = []
    kinds = {s.id: s.type for s in workflow.steps}
    for fork in workflow.steps:
        if fork.type != "fork":
            continue
        for edge in workflow.outgoing(fork.id):
            branch, here, seen = list[Step](), edge.to, set[str]()
            while here not in seen and kinds.get(here) != "join":
                seen.add(here)
                step = workflow.step(here)
                if step is None or step.type == "end":
                    break
                branch.append(step)
                onward = workflow.outgoing(here)
                if not onward:
                    break
                here = onward[0].to
            found.append(branch)
    return found


def _who(q: Inquiry) -> str | None:
    if not q.has("who", "whom", "whose") and not (
        q.has("which", "what") and q.has("role", "person", "people", "team", "department")
    ):
        return None
    everybody = roles_of(q.workflow)
    q.has(
        "be",
        "responsible",
        "charge",
        "in",
        "the",
        "step",
        "do",
        "does",
        "job",
        "role",
        "owner",
        "own",
        "person",
    )
    rest = [t for t in q.content() if not t.among("inquiry.who.what")]
    if not rest:
        q.use(q.tokens)
        lines = [f"- **{who}**: {joined([s.name for s in steps])}" for who, steps in everybody.items()]
        free = [s for s in q.work() if not s.assignee]
        alone = f"\nWithout anybody: {_names(free)}." if free else ""
        return (
            f"In **{q.workflow.name}**:\n\n" + "\n".join(lines) + alone
            if lines
            else q.no(f"No step of **{q.workflow.name}** says who does it.")
        )
    if 0 < len(rest) <= 3 and q.role(rest) is not None and not q.steps.maybe(rest):
        return _role_does(q, rest)
    if len(rest) == 1 and rest[0].entry.verb in ("approve", "decide", "reject"):
        found = _deciding(q)
        q.use(rest)
    else:
        found = [s for s in q.meant(rest) if s.type not in _PLUMBING] or _informed(q, rest)
    if not found:
        return None
    return "\n".join(f"{named(s)}: **{s.assignee}**." if s.assignee else f"{named(s)}: nobody is set"
                     + (f", it calls `{s.uses}`." if s.uses else ".") for s in found)  # fmt: skip


def _informed(q: Inquiry, rest: list[Token]) -> list[Step]:
    if not any(t.entry.verb in word_set("inquiry.informed.notify") for t in rest):
        return []
    about = [t for t in rest if t.entry.verb not in ("get", "receive", "hear")]
    found = [
        s for s in q.work() if about and any(akin(t.lower, w) for t in about for w in content_of(s.name))
    ]
    if found:
        q.use(rest)
    return found


def _role_does(q: Inquiry, tokens: Sequence[Token]) -> str | None:
    who = q.role(tokens)
    if who is None:
        return None
    return f"**{who}** does {_names(roles_of(q.workflow)[who])}."


def _what_role_does(q: Inquiry) -> str | None:
    if not (q.has("what", "which") and q.has("do", "handle", "responsible", "task", "job", "step")):
        return None
    rest = [t for t in q.content() if not t.is_("exactly", "else", "there")]
    return _role_does(q, rest) if rest else None


def _starts(q: Inquiry) -> str | None:
    asks = q.has("when", "what", "how", "which") and q.has(
        "start", "begin", "trigger", "run", "kick", "launch", "fire", "schedule", "often", "initiate"
    )
    if not asks:
        return None
    q.has(
        "off",
        "get",
        "it",
        "process",
        "workflow",
        "often",
        "automatically",
        "event",
        "make",
        "cause",
        "first",
        "step",
        "go",
    )
    rest = [t for t in q.content() if not t.is_(*(w.lower() for w in q.workflow.name.split()))]
    if rest and q.steps.maybe(rest) is not None:
        return None
    if not rest:
        q.use(q.tokens)
    first = q.workflow.step(q.workflow.start)
    return (
        f"{starts_line(q.workflow)} The first step is {named(first)}"
        + (f", done by {first.assignee}." if first and first.assignee else ".")
        if first
        else None
    )


def _ends(q: Inquiry) -> str | None:
    if not (
        q.has("how", "what", "where", "when", "which")
        and q.has("end", "finish", "outcome", "ending", "result", "stop")
    ):
        return None
    q.has("can", "possible", "step", "it", "final", "last", "be")
    if [t for t in q.content() if not t.is_("all", "way", "different", "does")]:
        return None
    q.use(q.tokens)
    return ends_line(q.workflow) or q.no(f"**{q.workflow.name}** has no end step.")


def _longest_path(q: Inquiry) -> str | None:
    """Read "what is the critical path?": the way that takes longest."""
    if not (q.has("path", "way") and q.has("critical", "longest", "long", "slowest")):
        return None
    q.has("what", "which", "show", "tell", "is", "be", "through", "process", "workflow")
    return _total_time(q) if not q.content() else None


def _how_long(q: Inquiry) -> str | None:
    deadline = q.has("deadline", "timeout") and (
        q.has("what", "when", "how", "does", "is", "has", "which", "whose")
    )
    amount = q.has("many") and q.has("day", "hour", "week", "minute", "month")
    if not ((q.has("long", "much", "fast", "quickly", "soon") or amount) and q.has("how")) and not deadline:
        return None
    q.has(
        "time",
        "take",
        "have",
        "may",
        "can",
        "until",
        "late",
        "deadline",
        "get",
        "need",
        "do",
        "wait",
        "maximum",
        "last",
        "finish",
        "complete",
        "at",
        "most",
        "worst",
        "case",
        "due",
        "give",
    )
    rest = [t for t in q.content() if t.lemma not in word_set("inquiry.how_long.process")]
    if not rest:
        return _total_time(q)
    steps = [s for s in q.meant(rest) if s.type != "end"]
    if not steps:
        who = q.role(rest)
        steps = roles_of(q.workflow)[who] if who else []
    if not steps:
        return None
    told = [_time_of(s) for s in steps]
    if not any(s.timeout or s.duration for s in steps):
        q.denies = True
    return " ".join(told)


def _time_of(step: Step) -> str:
    parts = [
        f"has {duration_in_words(step.timeout)}" if step.timeout else "",
        f"lasts {duration_in_words(step.duration)}" if step.duration else "",
    ]
    told = joined([p for p in parts if p])
    late = f"; then it goes to {step.escalate_to}" if step.escalate_to else ""
    return f"{named(step)} {told}{late}." if told else f"{named(step)} has no deadline."


def _total_time(q: Inquiry) -> str:
    timed = [s for s in q.work() if s.timeout or s.duration]
    q.use(q.tokens)
    if not timed:
        return q.no(
            f"No step of **{q.workflow.name}** has a deadline or a length, so nothing says how long it takes."
        )
    lines = "\n".join(f"- {_time_of(s)}" for s in timed)
    total = _longest(q.workflow)
    open_ = [s for s in q.work() if not (s.timeout or s.duration) and s.type == "human"]
    rest = f"{_names(open_)} may take any time." if open_ else ""
    return f"At most {total} on the longest way, as far as limits are set:\n\n{lines}\n\n{rest}".strip()


def _longest(workflow: Workflow) -> str:
    cost = {s.id: seconds_of(s.timeout or s.duration or "") for s in workflow.steps}
    best: dict[str, float] = {}
    order = [s.id for s in in_walking_order(workflow)]
    rank = {one: at for at, one in enumerate(order)}
    for one in reversed(order):
        onward = [best.get(e.to, 0.0) for e in workflow.outgoing(one) if rank[e.to] > rank[one]]
        best[one] = cost[one] + max(onward, default=0.0)
    return in_words(best.get(workflow.start, 0.0))


def _which_steps(q: Inquiry) -> str | None:
    q.has("which", "what", "list", "show", "tell", "me", "all")
    if not q.has("step", "task", "stage", "one", "activity", "thing", "part") and not q.has(
        "deadline", "approval", "retry"
    ):
        return None
    kind = _filter(q)
    if kind is None:
        return None
    q.has("have", "there", "be", "with", "step", "set", "run", "need", "do", "a", "any", "exist", "time")
    label, found = kind
    if not found:
        return q.no(f"No step of **{q.workflow.name}** is {label}.")
    limits = {s.id: f" ({duration_in_words(s.timeout)})" for s in found if s.timeout}
    told = [named(s) + (limits.get(s.id, "") if label == "with a deadline" else "") for s in found]
    return f"Steps {label}: {joined(told)}."


def _neighbours(q: Inquiry) -> str | None:
    after = next(
        (t for t in q.tokens if t.is_("after", "follow", "next", "afterwards", "once") and t.kind == "word"),
        None,
    )
    before = next((t for t in q.tokens if t.is_("before", "precede", "previous")), None)
    mark = after or before
    if mark is None or not q.has("what", "which", "who", "where", "step"):
        return None
    q.use([mark])
    q.has(
        "come",
        "happen",
        "next",
        "go",
        "right",
        "directly",
        "immediately",
        "do",
        "be",
        "step",
        "follow",
        "lead",
        "comes",
        "done",
        "finish",
        "complete",
        "straight",
        "who",
    )
    rest = q.content()
    steps = q.meant(rest) if rest else ([q.workflow.step(q.steps.last)] if q.steps.last else [])
    found = [s for s in steps if s is not None]
    if not found and not rest:
        return None
    if not found:
        role = q.role(rest)
        found = roles_of(q.workflow)[role] if role else []
    if not found:
        return None
    lines = [_after(q.workflow, s) if after is not None else _before(q.workflow, s) for s in found[:4]]
    return "\n\n".join(lines)


def _after(workflow: Workflow, step: Step) -> str:
    ways = workflow.outgoing(step.id)
    if not ways:
        return f"Nothing comes after {named(step)}: it is where the workflow ends."
    skipped = [_through(workflow, edge) for edge in ways]
    if len(ways) == 1:
        return f"After {named(step)}: {skipped[0]}."
    return f"After {named(step)}:\n\n" + "\n".join(f"- {one}" for one in skipped)


def _through(workflow: Workflow, edge: Transition) -> str:
    """Return a way on, with the steps behind a fork, which itself is nothing that happens."""
    target = workflow.step(edge.to)
    told = way_on(workflow, edge)
    if target is not None and target.type == "fork":
        inner = [s for e in workflow.outgoing(target.id) if (s := workflow.step(e.to))]
        return f"{told}, then at the same time {_names(inner)}"
    if target is not None and target.type == "join":
        onward = [s for e in workflow.outgoing(target.id) if (s := workflow.step(e.to))]
        return f"{told}, then {_names(onward)}"
    if target is not None and target.assignee:
        return f"{told}, done by {target.assignee}"
    return told


def _before(workflow: Workflow, step: Step) -> str:
    found = [s for e in workflow.incoming(step.id) if (s := workflow.step(e.from_))]
    seen = list[Step]()
    for one in found:
        seen += (
            [s for e in workflow.incoming(one.id) if (s := workflow.step(e.from_))]
            if one.type in ("fork", "join")
            else [one]
        )
    return f"Before {named(step)}: {_names(seen)}." if seen else f"{named(step)} comes first."


def _loops(q: Inquiry) -> str | None:
    asks = q.has(
        "loop",
        "cycle",
        "circle",
        "forever",
        "endless",
        "endlessly",
        "infinite",
        "repeat",
        "repeated",
        "iterate",
    )
    goes_back = q.has("back") and q.has("go", "come", "jump", "return", "send", "lead")
    if not (asks or goes_back):
        return None
    q.has(
        "is",
        "there",
        "any",
        "have",
        "has",
        "in",
        "it",
        "does",
        "can",
        "ever",
        "run",
        "contain",
        "possible",
        "be",
        "step",
        "which",
        "where",
        "many",
        "how",
        "what",
        "stuck",
        "go",
        "anywhere",
        "again",
    )
    rest = [t for t in q.content() if t.lemma not in ("process", "workflow")]
    back = back_edges(q.workflow)
    loops = [s for s in q.workflow.steps if s.type == "loop"]
    if rest:
        steps = q.meant(rest)
        if steps:
            ids = {s.id for s in steps}
            back = [e for e in back if ids & ({e.to, e.from_} | _between(q.workflow, e))]
    if not back and not loops:
        return q.no(f"No: nothing in **{q.workflow.name}** leads back to an earlier step.")
    lines: list[str] = []
    for edge in back:
        source, target = q.workflow.step(edge.from_), q.workflow.step(edge.to)
        when = condition_of(edge)
        if source and target:
            lines.append(f"from {named(source)} back to {named(target)}" + (f", if {when}" if when else ""))
    lines += [f"{named(s)} repeats" + (f", until {s.loop.until.text}" if s.loop and s.loop.until else "")
              + (f", at most {s.loop.max_iterations} "
                  "times" if s.loop and s.loop.max_iterations else "") for s in loops]  # fmt: skip
    bound = "" if loops and not back else " Nothing in it limits how often." if back else ""
    return f"Yes: {'; '.join(lines)}.{bound}"


def _between(workflow: Workflow, edge: Transition) -> set[str]:
    return _reach(workflow, edge.to) & {s.id for s in workflow.steps if edge.from_ in _reach(workflow, s.id)}


def back_edges(workflow: Workflow) -> list[Transition]:
    """Return the transitions that lead to a step from which they can be reached, in walking order."""
    order = {s.id: at for at, s in enumerate(in_walking_order(workflow))}
    return [
        e for e in workflow.transitions if order[e.to] <= order[e.from_] and e.from_ in _reach(workflow, e.to)
    ]


def _reach(workflow: Workflow, start: str, avoiding: frozenset[str] = frozenset()) -> set[str]:
    seen, waiting = set[str](), [start]
    while waiting:
        here = waiting.pop()
        if here in seen or here in avoiding:
            continue
        seen.add(here)
        waiting += [e.to for e in workflow.outgoing(here)]
    return seen


def _path_to_end(workflow: Workflow, avoiding: frozenset[str]) -> list[Step] | None:
    """Return the steps of a shortest way from the start to an end that meets none of these, or None."""
    came: dict[str, str | None] = {workflow.start: None}
    waiting = [workflow.start]
    while waiting:
        here = waiting.pop(0)
        if here in avoiding:
            continue
        step = workflow.step(here)
        ways = workflow.outgoing(here)
        if step is not None and (step.type == "end" or not ways):
            path: list[Step] = []
            at: str | None = here
            while at is not None:
                found = workflow.step(at)
                path += [found] if found else []
                at = came[at]
            return path[::-1]
        for edge in ways:
            if edge.to not in came:
                came[edge.to] = here
                waiting.append(edge.to)
    return None


def _paths(q: Inquiry) -> str | None:
    asks = q.has("path", "way", "route", "scenario", "possible", "possibility") or (
        q.has("can", "could", "may", "might")
        and q.has(
            "end",
            "skip",
            "finish",
            "happen",
            "complete",
            "bypass",
            "avoid",
            "paid",
            "reach",
            "go",
            "get",
            "miss",
            "close",
        )
    )
    always = q.has("always", "every", "each", "all", "ever", "guarantee", "sure", "must", "whatever")
    if not (asks or always) or any(t.is_("before", "after", "between") for t in q.tokens):
        return None
    if (at := next((i for i, t in enumerate(q.tokens) if t.is_("without")), None)) is not None:
        return _without(q, at)
    denied = q.has(*_NEGATIONS)
    q.has(
        "is",
        "there",
        "any",
        "where",
        "in",
        "which",
        "it",
        "through",
        "does",
        "that",
        "can",
        "get",
        "receive",
        "go",
        "end",
        "happen",
        "finish",
        "without",
        "be",
        "do",
        "a",
        "on",
        "to",
        "workflow",
        "process",
        "have",
        "ever",
        "complete",
        "pass",
        "reach",
        "step",
        "possible",
        "always",
        "get",
        "done",
        "skipped",
        "around",
    )
    rest = q.content()
    steps = _all_meant(q, rest)
    if not steps:
        return None
    ids = frozenset(s.id for s in steps)
    free = _path_to_end(q.workflow, ids)
    free = free or _skipping(q.workflow, ids)
    what = _names(steps) if len(steps) < 5 else f"any of {counted(len(steps), 'step')}"
    if free is not None:
        way = " → ".join(s.name for s in free if s.type not in ("fork", "join"))
        lead = "No" if always and not denied else "Yes"
        return f"{lead}: a way without {what}: {way}."
    lead = "Yes" if always and not denied else "No"
    return f"{lead}: every way from start to end goes through {what}."


def _without(q: Inquiry, at: int) -> str | None:
    """Read "can the cake be handed over without having been inspected?": a way to one step around another."""
    goal = _all_meant(
        q, [t for t in q.tokens[:at] if t.is_content and not t.is_("end", "path", "way", "finish")]
    )
    around = _all_meant(q, [t for t in q.tokens[at + 1 :] if t.is_content])
    if not around:
        return None
    q.use(q.tokens)
    ids = frozenset(s.id for s in around)
    if not goal:
        free = _path_to_end(q.workflow, ids) or _skipping(q.workflow, ids)
        way = " → ".join(s.name for s in free or () if s.type not in ("fork", "join"))
        return (
            f"Yes, for example: {way}."
            if free
            else q.no(f"No: every way from start to end goes through {_names(around)}.")
        )
    reached = _reach(q.workflow, q.workflow.start, ids)
    free_goal = [s for s in goal if s.id in reached and s.id not in ids]
    return (
        f"Yes: there is a way to {_names(free_goal)} around {_names(around)}."
        if free_goal
        else q.no(f"No: every way to {_names(goal)} goes through {_names(around)}.")
    )


def _between_steps(q: Inquiry) -> str | None:
    """Read "what comes between the approval and the trip?"."""
    at = next((i for i, t in enumerate(q.tokens) if t.is_("between")), None)
    if at is None:
        return None
    joint = next((i for i in range(at + 2, len(q.tokens)) if q.tokens[i].is_("and")), None)
    if joint is None:
        return None
    ones, others = (
        q.meant([t for t in q.tokens[at + 1 : joint] if t.is_content]),
        q.meant([t for t in q.tokens[joint + 1 :] if t.is_content and not t.is_("itself")]),
    )
    if len(ones) != 1 or len(others) != 1:
        return None
    q.use(q.tokens)
    one, other = ones[0].id, others[0].id
    inside = _reach(q.workflow, one, frozenset({other})) - {one}
    found = [s for s in q.work() if s.id in inside and other in _reach(q.workflow, s.id) and s.id != other]
    return (
        f"Between {named(ones[0])} and {named(others[0])}: {_names(found)}."
        if found
        else f"{named(others[0])} comes right after {named(ones[0])}."
    )


def _extremes(q: Inquiry) -> str | None:
    """Read "which step comes first?", "which step takes longest?"."""
    if not q.has("which", "what", "where"):
        return None
    q.has("step", "come", "be", "take", "the", "is", "does", "start", "one", "have", "deadline")
    if q.has("first") and not q.content():
        first = q.workflow.step(q.workflow.start)
        return f"{named(first)} comes first." if first else None
    if q.has("last", "final") and not q.content():
        ends = [
            s
            for s in q.work()
            if any(
                (t := q.workflow.step(e.to)) is not None and t.type == "end"
                for e in q.workflow.outgoing(s.id)
            )
        ]
        return f"Last come {_names(ends)}. {ends_line(q.workflow)}"
    if q.has("long", "longest", "slow", "slowest") and not q.content():
        timed = sorted(
            (s for s in q.work() if s.timeout or s.duration),
            key=lambda s: -seconds_of(s.timeout or s.duration or ""),
        )
        return (
            f"By its limit, {_with_limits(timed[0])}."
            if timed
            else q.no("No step has a deadline or a length.")
        )
    return None


def _skipping(workflow: Workflow, ids: frozenset[str]) -> list[Step] | None:
    """Return a way through a step that is skipped unless its condition holds."""
    kept = frozenset(one for one in ids if (s := workflow.step(one)) is not None and s.when is None)
    return _path_to_end(workflow, kept) if kept != ids else None


def _all_meant(q: Inquiry, rest: Sequence[Token]) -> list[Step]:
    """Return every step that the words fit, also where each step has only those of them that tell it."""
    found = q.meant(rest)
    if found:
        return found
    words = [t for t in rest if t.is_content]
    for size in range(len(words), 0, -1):
        for at in range(len(words) - size + 1):
            some = words[at : at + size]
            steps = q.meant(some)
            if steps:
                return steps
    return []


def _order(q: Inquiry) -> str | None:
    """Read "does X come before Y?", "is X done after Y?"."""
    mark = next((t for t in q.tokens if t.is_("before", "after")), None)
    if mark is None:
        return None
    at = q.tokens.index(mark)
    first = [
        t
        for t in q.tokens[:at]
        if (t.is_content and not t.is_("come", "happen", "do", "right", "directly")) or t.kind == "quoted"
    ]
    second = [t for t in q.tokens[at + 1 :] if t.is_content or t.kind == "quoted"]
    either = (
        any(t.is_("or") for t in q.tokens)
        and any(t.is_("before") for t in q.tokens)
        and any(t.is_("after") for t in q.tokens)
    )
    if either:
        marks = [i for i, t in enumerate(q.tokens) if t.is_("before", "after", "or")]
        first = [t for t in q.tokens[: marks[0]] if t.is_content]
        second = [t for t in q.tokens[marks[-1] + 1 :] if t.is_content]
        q.use(q.tokens[i] for i in marks)
    ones, others = q.meant(first), q.meant(second)
    if not ones or not others:
        return None
    q.has(
        "come",
        "happen",
        "do",
        "before",
        "after",
        "is",
        "does",
        "done",
        "be",
        "or",
        "when",
        "already",
        "right",
        "directly",
    )
    one, other = ones[0], others[0]
    forward, backward = (
        other.id in _reach(q.workflow, one.id) and one.id != other.id,
        one.id in _reach(q.workflow, other.id),
    )
    if forward and backward:
        rank = [s.id for s in in_walking_order(q.workflow)]
        forward = rank.index(one.id) < rank.index(other.id)
        backward = not forward
    if not forward and not backward:
        return f"Neither leads to the other: {named(one)} and {named(other)} are on different ways."
    told = f"{named(one)} comes {'before' if forward else 'after'} {named(other)}."
    if either:
        return told
    return f"{'Yes' if forward == mark.is_('before') else 'No'}: {told}"


def _what_if(q: Inquiry) -> str | None:
    mark = next((at for at, t in enumerate(q.tokens) if t.among("inquiry.what_if.if")), None)
    asks = q.has("what", "where", "how", "who") and (
        mark == 1
        or q.has(
            "happen",
            "go",
            "then",
            "next",
            "about",
            "do",
            "approve",
            "decide",
            "come",
            "lead",
            "occur",
            "handle",
            "be",
            "if",
        )
    )
    if mark is None or not asks:
        return None
    inside = [t for t in q.tokens[mark + 1 :] if t.kind != "punct"]
    q.use(q.tokens[: mark + 1])
    late = [t for t in inside if t.is_(*_LATE) or t.entry.verb in _LATE]
    negated = [t for t in inside if t.is_("not", "never", "no", "nobody")]
    fails = any(t.is_(*_FAILS) or t.entry.verb in _FAILS for t in inside)
    if fails and (told := _failing(q, inside)) is not None:
        return told
    if any(t.kind == "number" for t in inside) and (told := _amount(q, inside)) is not None:
        return told
    if late and negated and (told := _lateness(q, inside, late + negated)) is not None:
        return told
    case = _cases(q, inside, negated=bool(negated)) or (_otherwise(q, inside) if negated else None)
    if case is not None:
        return case
    if late or negated:
        return _lateness(q, inside, late + negated)
    return None


def _lateness(q: Inquiry, inside: list[Token], marks: list[Token]) -> str | None:
    rest = [t for t in inside if t not in marks and t.is_content]
    rest = [t for t in rest if not t.among("inquiry.lateness.do") or t.lemma == "sign"]
    steps = _all_meant(q, rest) if rest else [s for s in q.work() if s.timeout or s.type == "human"]
    if not steps:
        who = q.role(rest)
        steps = roles_of(q.workflow)[who] if who else []
    if who := q.role(rest):
        steps = roles_of(q.workflow)[who]
    steps = [s for s in steps if s.type != "end"]
    if not steps:
        return None
    q.use(inside)
    lines: list[str] = []
    for step in steps[:6]:
        timed = [
            e
            for e in q.workflow.outgoing(step.id)
            if e.type == "error"
            or (
                e.when
                and e.when.text
                and any(
                    akin(w, x)
                    for w in content_of(e.when.text)
                    for x in ("timeout", "late", "answer", "respond", "overdue", "day")
                )
            )
        ]
        if step.timeout or timed:
            told = (
                f"{named(step)} has {duration_in_words(step.timeout)}" if step.timeout else f"{named(step)}"
            )
            then = f"; after that it goes to {step.escalate_to}" if step.escalate_to else ""
            ways = "; ".join(way_on(q.workflow, e) for e in timed)
            lines.append(
                f"{told}{then}"
                + (f"; {ways}" if ways else "" if then else "; nothing says what happens after that")
                + "."
            )
        else:
            lines.append(f"{named(step)} has no deadline: it waits until it is done.")
    return "\n".join(lines)


def _failing(q: Inquiry, inside: list[Token]) -> str | None:
    rest = [t for t in inside if not (t.is_(*_FAILS) or t.entry.verb in _FAILS) and t.is_content]
    steps = [s for s in (_all_meant(q, rest) if rest else q.work()) if s.type != "end"]
    if not steps:
        return None
    q.use(inside)
    lines: list[str] = []
    for step in steps[:6]:
        errors = [e for e in q.workflow.outgoing(step.id) if e.type == "error"]
        tries = f"it is tried up to {step.retry.max_attempts} times" if step.retry else ""
        ways = "; ".join(way_on(q.workflow, e) for e in errors)
        if tries or ways:
            lines.append(f"{named(step)}: {joined([p for p in (tries, ways) if p], 'then')}.")
        elif rest:
            case = [
                e
                for e in q.workflow.outgoing(step.id)
                if any(akin(w, f) for w in content_of(condition_of(e)) for f in _FAILS)
            ]
            told = "; ".join(way_on(q.workflow, e) for e in case)
            lines.append(
                f"{named(step)}: {told}."
                if case
                else f"Nothing is drawn for a failure of {named(step)}: the run would stop there."
            )
    return "\n".join(lines) or q.no(f"Nothing in **{q.workflow.name}** says what happens when a step fails.")


def _cases(q: Inquiry, inside: list[Token], *, negated: bool) -> str | None:
    """Return where the transitions lead whose case the words say."""
    words = [t for t in inside if t.is_content and t.kind != "number" and not t.is_("be", "get", "happen")]
    if not words:
        return None
    scored: list[tuple[int, int, Transition]] = []
    for edge in q.workflow.transitions:
        text = condition_of(edge)
        said = content_of(text)
        if not text or not said:
            continue
        source = q.workflow.step(edge.from_)
        around = {*content_of(source.name), *content_of(source.assignee or "")} if source else set[str]()
        hit = [w for w in words if any(akin(w.lower, one) for one in said)]
        beside = [w for w in words if w not in hit and any(akin(w.lower, one) for one in around)]
        if not hit:
            continue
        edge_negated = any(word in f" {text.lower()} " for word in (" not ", "n't ", " no "))
        if edge_negated != negated:
            continue
        scored.append((len(hit) + len(beside), len(hit), edge))
    if not scored:
        return None
    best = max(one[:2] for one in scored)
    found = [edge for total, hits, edge in scored if (total, hits) == best]
    if best[0] < len(words):
        others = [
            w for w in words if not any(akin(w.lower, one) for e in found for one in _words_of(q.workflow, e))
        ]
        if len(others) >= len(words):
            return None
        q.use(t for t in inside if t not in others)
    else:
        q.use(inside)
    return "\n".join(
        f"At {named(s)}: {_through(q.workflow, e)}." for e in found if (s := q.workflow.step(e.from_))
    )


def _otherwise(q: Inquiry, inside: list[Token]) -> str | None:
    """Return the other ways of the one step that knows the case which does not hold."""
    words = [t for t in inside if t.is_content]
    sources = {
        e.from_
        for e in q.workflow.transitions
        if (said := content_of(condition_of(e))) and any(akin(w.lower, one) for w in words for one in said)
    }
    if len(sources) != 1:
        return None
    source = q.workflow.step(next(iter(sources)))
    others = [
        e
        for e in q.workflow.outgoing(next(iter(sources)))
        if not any(akin(w.lower, one) for w in words for one in content_of(condition_of(e)))
    ]
    if source is None or not others:
        return None
    q.use(inside)
    return "\n".join(f"At {named(source)}: {_through(q.workflow, e)}." for e in others)


def _words_of(workflow: Workflow, edge: Transition) -> list[str]:
    source = workflow.step(edge.from_)
    return content_of(
        f"{condition_of(edge)} {source.name} {source.assignee or ''}" if source else condition_of(edge)
    )


def _amount(q: Inquiry, inside: list[Token]) -> str | None:
    """Return which ways an amount takes, by the numbers in the conditions."""
    number = next(t for t in inside if t.kind == "number")
    value = number.value or 0.0
    found: list[str] = []
    for edge in q.workflow.transitions:
        holds = _holds(edge.when.text, value) if edge.when and edge.when.text else None
        source = q.workflow.step(edge.from_)
        if holds and source is not None:
            found.append(f"At {named(source)}: {_through(q.workflow, edge)}.")
    for step in q.workflow.steps:
        holds = _holds(step.when.text, value) if step.when and step.when.text else None
        if holds is not None:
            found.append(
                f"{named(step)} is {'done' if holds else 'skipped'}: {step.when.text if step.when else ''}."
            )
    if not found:
        others = [
            e
            for e in q.workflow.transitions
            if e.type == "default"
            and any(
                o.when and o.when.text and NUMBER.search(o.when.text) for o in q.workflow.outgoing(e.from_)
            )
        ]
        found = [
            f"At {named(s)}: {_through(q.workflow, e)}." for e in others if (s := q.workflow.step(e.from_))
        ]
    if not found:
        return None
    q.use(inside)
    return "\n".join(found)


_OVER = ("over", "above", "more than", "greater than", "exceed", "at least", ">", "higher than", "from")
_UNDER = (
    "under",
    "below",
    "less than",
    "smaller than",
    "up to",
    "at most",
    "<",
    "lower than",
    "not more than",
)


def _holds(text: str, value: float) -> bool | None:
    """Say whether a condition on one amount holds for a value; None where it cannot be told."""
    plain = f" {text.lower()} "
    numbers = [amount_of(found) for found in NUMBER.findall(text)]
    if (len(numbers) == 2 and "between" in plain) or (len(numbers) == 2 and " to " in plain):
        return numbers[0] <= value <= numbers[1]
    if len(numbers) != 1:
        return None
    negated = " not " in plain
    least = "at least" in plain or ">=" in plain or "or more" in plain
    most = (
        "up to" in plain
        or "at most" in plain
        or "<=" in plain
        or "or less" in plain
        or "not more than" in plain
    )
    if any(word in plain for word in _UNDER):
        told = value <= numbers[0] if most else value < numbers[0]
        return told if not negated or "not more than" in plain else not told
    if any(word in plain for word in _OVER):
        told = value >= numbers[0] if least else value > numbers[0]
        return told if not negated else not told
    return None


def _condition(q: Inquiry) -> str | None:
    """Read "when is the CFO asked?", "under what condition does it go to X?"."""
    if not (
        q.has("when", "condition", "case", "why", "circumstances", "amount", "which")
        and q.has("is", "does", "do", "be", "need", "under", "at", "in", "has", "must", "will", "go")
    ):
        return None
    q.has(
        "what",
        "which",
        "under",
        "go",
        "need",
        "happen",
        "do",
        "get",
        "reach",
        "come",
        "to",
        "lead",
        "run",
        "necessary",
        "involve",
        "required",
        "from",
        "have",
        "ask",
    )
    rest = q.content()
    steps = q.meant(rest) if rest else []
    if not steps and (who := q.role(rest)):
        steps = roles_of(q.workflow)[who]
    if not steps:
        return None
    lines: list[str] = []
    for step in steps[:4]:
        ways = q.workflow.incoming(step.id)
        told = [
            f"from {named(s)}" + (f", if {condition_of(e)}" if condition_of(e) else "")
            for e in ways
            if (s := q.workflow.step(e.from_))
        ]
        only = f" It is done only if {step.when.text}." if step.when and step.when.text else ""
        lines.append(
            f"{named(step)} is reached {'; '.join(told)}.{only}"
            if told
            else f"{named(step)} comes first.{only}"
        )
    return "\n".join(lines)


def _together(q: Inquiry) -> str | None:
    if not (q.has("parallel", "simultaneously", "concurrently") or (q.has("same") and q.has("time"))):
        return None
    q.has(
        "in",
        "at",
        "do",
        "is",
        "are",
        "run",
        "happen",
        "which",
        "what",
        "anything",
        "step",
        "any",
        "there",
        "be",
        "something",
        "the",
        "have",
        "branch",
        "does",
    )
    branches = _branches(q.workflow)
    rest = [t for t in q.content() if not t.is_("workflow", "process")]
    if not branches:
        return q.no(f"No: nothing in **{q.workflow.name}** runs at the same time.")
    told = "; ".join(_names(b) for b in branches if b)
    if rest:
        steps = _all_meant(q, rest)
        inside = {s.id for b in branches for s in b}
        if steps and all(s.id in inside for s in steps):
            return f"Yes. At the same time run: {told}."
        if steps:
            return q.no(f"No. At the same time run: {told}.")
    return f"At the same time run: {told}."


def _exists(q: Inquiry) -> str | None:
    """Read "is there an approval?", "does it have a deadline?", "does the manager review it?"."""
    if not q.tokens or not q.tokens[0].among("inquiry.exists.is"):
        return None
    q.use(q.tokens[:1])
    q.has(
        "there",
        "any",
        "it",
        "have",
        "has",
        "a",
        "some",
        "in",
        "contain",
        "include",
        "set",
        "anybody",
        "anyone",
        "somebody",
        "exist",
        "already",
        "get",
        "somewhere",
        "anywhere",
        "anything",
        "part",
        "step",
    )
    kind = None if any(q.role([t]) for t in q.content() if t.lower in roles()) else _filter(q)
    rest = [t for t in q.content() if not t.is_("step")]
    if kind is not None:
        label, found = kind
        if rest and (steps := q.meant(rest)):
            ids = {s.id for s in found}
            inside = [s for s in steps if s.id in ids]
            return (
                f"Yes: {_names(inside)} is {label}."
                if inside
                else q.no(f"No: {_names(steps)} is not {label}.")
            )
        return (
            f"Yes, {label}: {joined([_with_limits(s) for s in found])}."
            if found
            else q.no(f"No step of **{q.workflow.name}** is {label}.")
        )
    if not rest:
        return None
    steps = q.meant(rest)
    if steps:
        return (
            "Yes: "
            + "; ".join(f"{named(s)}" + (f", done by {s.assignee}" if s.assignee else "") for s in steps)
            + "."
        )
    for split in range(1, len(rest)):
        who = q.role(rest[:split])
        if who is not None:
            steps = q.meant(rest[split:])
            if steps:
                return _does_it(q, who, steps)
    return None


def _does_it(q: Inquiry, who: str, steps: list[Step]) -> str:
    right = [s for s in steps if s.assignee == who]
    if right:
        return f"Yes: {_names(right)} is done by {who}."
    told = "; ".join(f"{named(s)} is done by {s.assignee or 'nobody in particular'}" for s in steps)
    return q.no(f"No: {told}.")


def _about_step(q: Inquiry) -> str | None:
    """Read "what is the review?", "what does pay out do?", "tell me about X"."""
    if not q.has("what", "tell", "explain", "about", "how", "describe", "where"):
        return None
    q.has(
        "is",
        "does",
        "do",
        "be",
        "me",
        "about",
        "the",
        "for",
        "happen",
        "in",
        "at",
        "work",
        "mean",
        "exactly",
        "where",
        "come",
        "step",
        "during",
    )
    rest = q.content()
    steps = q.meant(rest) if rest else []
    if steps:
        return "\n\n".join(told_step(q.workflow, s) for s in steps[:3])
    who = q.role(rest) if rest else None
    return f"**{who}** does {_names(roles_of(q.workflow)[who])}." if who else None


def _facts(q: Inquiry) -> str | None:
    workflow = q.workflow
    if not q.has("what", "which", "how", "is", "does", "when", "who"):
        return None
    if q.has("version"):
        return f"**{workflow.name}** is at version {workflow.version}."
    if q.has("tag"):
        return (
            f"Its tags: {joined(workflow.tags)}."
            if workflow.tags
            else q.no(f"**{workflow.name}** has no tag.")
        )
    if q.has("call", "name", "title") and not [t for t in q.content() if not t.is_("be", "it")]:
        other = f" It is also called {joined(workflow.aliases)}." if workflow.aliases else ""
        return f"It is called **{workflow.name}** (`{workflow.id}`).{other}"
    if q.has("description", "purpose") or (q.has("for") and not q.content()):
        return workflow.description or q.no(f"**{workflow.name}** has no description.")
    if q.has("trigger"):
        return starts_line(workflow)
    if q.has("condition", "threshold", "limit", "rule"):
        found = [
            f"At {named(s)}: {way_on(workflow, e)}."
            for e in workflow.transitions
            if e.when and (s := workflow.step(e.from_))
        ]
        return "\n".join(found) if found else q.no(f"**{workflow.name}** has no condition.")
    if q.has("service", "system", "call", "tool", "application") and not [
        t for t in q.content() if not t.is_("use", "be", "it", "external", "involve")
    ]:
        found = [f"{named(s)} calls `{s.uses}`" for s in workflow.steps if s.uses]
        return "; ".join(found) + "." if found else q.no(f"No step of **{workflow.name}** calls a service.")
    return None


_RULES: tuple[Answer, ...] = (
    _count, _what_if, _between_steps, _order, _loops, _together, _extremes, _neighbours, _paths,
    _longest_path, _how_long, _starts, _ends, _which_steps, _what_role_does, _who,
    _facts, _condition, _exists, _about_step,
)  # fmt: skip
