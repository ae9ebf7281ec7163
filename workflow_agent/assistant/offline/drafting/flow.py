"""From statements to the graph: what follows what, on which condition, again, beside what, and until when."""

from collections.abc import Sequence
from dataclasses import replace

from workflow_agent.assistant.offline.drafting.clauses import Clause, Tokens
from workflow_agent.assistant.offline.drafting.conditions import Condition, read_condition
from workflow_agent.assistant.offline.drafting.doubts import doubts_of_condition, doubts_of_step, tells_kind
from workflow_agent.assistant.offline.drafting.graph import MOST_STEPS, End, Node, Track
from workflow_agent.assistant.offline.drafting.phrases import (
    acts,
    bare,
    capitalized,
    cased,
    is_definite,
    is_plural,
    is_pronoun,
    is_system,
    names_several,
    object_of,
    role_named,
    step_name,
    text_of,
    thing_of,
)
from workflow_agent.assistant.offline.drafting.spans import spans_of
from workflow_agent.assistant.offline.drafting.statements import Statement, at_once, counts_several, told_apart
from workflow_agent.assistant.offline.lexicon import inflected, word_set
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import clock_at, durations_in
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import slug

_OTHERS = frozenset({"other", "others", "rest", "remaining", "remainder"})
_DONE = word_set("set.ready")
_WAITING = frozenset(
    {"wait", "pause", "rest", "cool", "dry", "soak", "stand", "sit", "rise", "mature", "settle", "cure"}
)


class Flow:
    """Draws a graph sentence by sentence."""

    def __init__(self) -> None:
        self.track = Track()
        self.graph = self.track.graph
        self.triggers: list[JsonObject] = []
        self.undrawn: list[str] = []
        self.used: set[int] = set()
        """Where tokens begin that a part of the draft stands for."""
        self.shown: set[int] = set()
        """Where tokens begin that the shape of the graph stands for."""
        self.numbered: dict[int, Node] = {}
        self._thing, self._asked_thing = "", ""
        """What "it" stands for, now and when the open question was asked."""
        self._patient, self._circumstance = "", ""
        """What a passive that goes on is about, and when or where the next step is done."""
        self._kind = ""
        """What "the others" are some of."""
        self._actor: Tokens = ()
        self._things: list[str] = []
        """What steps worked on, in their order."""
        self._called: dict[str, str] = {}
        """By role, whether it was "he" or "she"."""
        self._has_them = False
        """Whether somebody did something to "them", who may be "they" later."""
        self._is_labelled = False
        """Whether a sign parts the case that is told from what is done in it."""
        self._is_unclear = False
        """Whether several persons were told of in the cases of the question before."""
        self._asked_actor: Tokens = ()
        self._asked_node: Node | None = None
        """The step after which the open question is asked."""
        self._last: tuple[Clause, Node] | None = None
        self._told = 0
        """How many steps the sentence told."""
        self._firsts: list[Node] = []
        self._moved_to: Tokens = ()
        self._loop: tuple[str, str] | None = None
        """What the body of "as long as" leads back to."""
        self._bodies: dict[str, list[End]] = {}
        self._later: list[Clause] = []
        self._failed: Node | None = None
        self._number: int | None = None

    # ---- sentences

    def sentence(
        self,
        statements: Sequence[Statement],
        *,
        role: str | None = None,
        following: Sequence[Statement] = (),
        number: int | None = None,
        is_item: bool = False,
    ) -> None:
        """Draw what a sentence tells.

        Args:
            statements: Its statements.
            role: Who does what an item of a list tells.
            following: The next sentence.
            number: Of an item in a list.
            is_item: Whether it is an item of a list.
        """
        own = list(statements)
        self._told, self._number = 0, number
        if own:
            self._doubt_late(own[0])
            self._go_on_from_failure(own[0])
            decision = self.track.decision
            if decision is not None and not self._adds_case(own[0], following):
                if number is None:
                    # The next number is no part of the case before.
                    self._doubt_case(own[0])
                    if is_item and not decision.has_else and decision.arms[0].polarity > 0:
                        self.doubt(f"what follows where it is not so: {decision.conditions[0].text!r}")
                self._is_unclear = self._actor != self._asked_actor
                self._close_before(own[:1], is_next=number is not None)
        groups, at = at_once(own), 0
        while at < len(own):
            end = groups.get(at)
            after = [*own[at + 1 :], *following][:4]
            if end is not None:
                self._parallel(own[at:end], role, after)
            else:
                self._statement(own[at], role, after, is_item=is_item)
            at = end or at + 1
        for clause in self._later:
            if "meanwhile" in clause.marks:
                self._beside(Statement(clause))
            else:
                self._statement(Statement(clause), None, (), is_item=False)
        self._later = []
        self._end_sentence()

    def _doubt_late(self, first: Statement) -> None:
        """Doubt where "but first of all he looks" comes in, once steps were told."""
        said = [token.lower for token in first.tokens[:4]]
        turns = "but" in (first.clause.joint, *said[:1])
        if self.graph.nodes and turns and not {"first", "before", "beforehand"}.isdisjoint((*said, *first.marks)):
            self.doubt(f"where {text_of(first.tokens)!r} comes in")

    def _doubt_case(self, first: Statement) -> None:
        """Doubt whether a sentence still belongs to the last case: by the same one, and without "then"."""
        decision, clause = self.track.decision, first.clause
        if decision is None or first.marks or first.subs or not clause.subject:
            return
        told = role_named(clause.subject)
        same = told is not None and self._last is not None and told == self._last[1].role
        if (is_pronoun(clause.subject) or same) and clause.voice == "active":
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")

    def finish(self) -> None:
        """Close what is open at the end of the text."""
        self._end_sentence()
        self._reject_rest()
        self.track.close(is_last=True)
        self.doubt(*self.track.doubts)

    def doubt(self, *told: str) -> None:
        """Keep what is not drawn, or may be wrong."""
        self.undrawn += [one for one in told if one not in self.undrawn]

    def use(self, *parts: Sequence[Token]) -> None:
        """Keep that tokens are drawn."""
        self.used.update(token.start for tokens in parts for token in tokens)

    def show(self, tokens: Sequence[Token]) -> None:
        """Keep that the shape of the graph stands for tokens: they are drawn, and no step has their words."""
        self.use(tokens)
        self.shown.update(token.start for token in tokens)

    def _end_sentence(self) -> None:
        if self._loop is not None and self.track.decision is not None:
            self.track.lead_back(self._loop[0])
            self._loop = None
        self._end_body()
        self.track.end_sentence()

    def _end_body(self) -> None:
        if self.graph.parent is not None:
            self.track.close()
            loop, self.graph.parent = self.graph.parent, None
            self._bodies[loop], self.track.frontier = self.track.frontier, [End(loop)]

    def _go_on_from_failure(self, first: Statement) -> None:
        """Go on from a step whose failure was told, where the sentence begins with "if it works"."""
        failed, self._failed = self._failed, None
        sub = first.subs[0] if first.subs else None
        works = sub is not None and sub.kind in ("if", "when") and condition_of(sub).polarity >= 0
        if failed is None or not ("else" in first.marks or works):
            return
        if sub is not None:
            self.use(sub.tokens, sub.lead)
            first.subs.pop(0)
        first.marks.discard("else")
        self.track.ended += [end for end in self.track.frontier if end.step != failed.id]
        self.track.frontier = [End(failed.id)]

    def _adds_case(self, first: Statement, following: Sequence[Statement]) -> bool:
        """Say whether a sentence adds a case to the open question instead of going on behind it."""
        decision = self.track.decision
        if decision is None:
            return False
        if first.marks & {"else", "yes"}:
            return True
        if first.subs and first.subs[0].kind in ("if", "unless", "when"):
            chained = bool(following) and "else" in following[0].marks and first.subs[0].kind == "if"
            return self._is_case_beside(first.subs[0]) or (chained and not decision.has_else)
        return self._subset_of(first, ()) is not None

    def _is_case_beside(self, sub: Clause) -> bool:
        """Say whether a condition is another answer to the open question."""
        decision = self.track.decision
        if decision is None or any(arm.is_else for arm in decision.arms):
            return False
        condition = condition_of(sub)
        returned = bool(decision.arms) and not decision.arms[-1].ends and self.track.arm is None
        timed = sub.word in ("after", "following", "upon", "once") or not (condition.polarity or condition.elliptic)
        if sub.kind == "when" and not returned and timed:
            return False
        return any(condition.parts_from(other) for other in decision.conditions)

    # ---- statements

    def _statement(self, one: Statement, role: str | None, after: Sequence[Statement], *, is_item: bool) -> None:
        if len(self.graph.nodes) >= MOST_STEPS:
            self.doubt(f"what comes from {text_of(one.tokens)[:100]!r} on") if self._last is not None else None
            self._last = None
            return
        clause = one.clause
        self.use(clause.lead)
        if self._is_late_or_failed(one, after):
            return
        if "anyway" in clause.marks:
            self.track.close()
            self.track.frontier, self.track.ended = [*self.track.frontier, *self.track.ended], []
        decision = self.track.decision
        arm = self.track.arm
        if arm is not None and arm.steps and not self.track.frontier and not (one.subs or one.marks - {"seq"}):
            self.track.close()
        over = decision is not None and decision.has_else and len(decision.arms) > 1 and clause.joint == ","
        instead = self._failed is not None and self._last is not None and self._last[1] is not self._failed
        if instead and clause.joint == "," and clause.marks == {"seq"} and not one.subs:
            # "..., if he is late the deputy decides, then payroll books it": whoever decides.
            self.track.end_sentence()
        if self._told and (
            "last" in clause.marks
            or (over and clause.marks == {"seq"} and not one.subs and clause.lead[0].lower != "and")
        ):
            self.track.close()
        self._answer(one)
        self._front(one)
        if any(sub.joint == "or" for sub in one.subs) or (clause.is_relative and not clause.joint):
            self.doubt(text_of(one.tokens))
        for sub in one.subs:
            self._sub(sub, one, after)
        self._subset(one, after)
        around = [sub for sub in one.trailing if sub.kind in ("if", "unless")]
        for sub in around:
            self._branch(sub)
        if clause.joint == "or" and not one.subs and self._last is not None and clause.voice:
            self._or(clause)
        elif clause.kind == "phrase":
            self._phrase(one, role, is_item=is_item)
        else:
            self._clause(clause, role, one, after, is_item=is_item)
        for sub in one.trailing:
            if sub not in around:
                self._behind(sub, one)
        if around and not (after and after[0].marks & {"yes", "else"}):
            excepts = any(sub.kind == "unless" for sub in around)
            if excepts and after and after[0].clause.joint == "," and after[0].marks == {"seq"}:
                self.doubt(f"whether {text_of(after[0].tokens)!r} is for both cases")
            self._close_before(after)

    def _close_before(self, after: Sequence[Statement], *, is_next: bool = False) -> None:
        """Lead the cases of the open question on to what follows; `is_next` where it has the next number."""
        if self.track.is_refused and after and (is_next or after[0].marks & {"seq", "last"}):
            # "Otherwise he rejects it. Then we inform them": of both cases, or of the good one.
            self.doubt(f"which cases {text_of(after[0].tokens)!r} is for")
        self.track.close()

    def _answer(self, one: Statement) -> None:
        """Begin the case that "otherwise" and "if so" tell."""
        track = self.track
        asked = _asked_in(self._last[0]) if self._last is not None and track.decision is None else ()
        if asked and one.marks & {"else", "yes"} and not one.subs:
            self._branch(Clause("unless" if "else" in one.marks else "if", "question", tokens=asked))
        elif "else" in one.marks and not one.subs:
            if track.arm is not None and self._last is not None and self._last[1].document.get("timeout"):
                # "... has two days to answer, otherwise ...": in the other case, or where the time is over.
                self.doubt(f"whether 'otherwise' is where {text_of(self._last[0].tokens)!r} is not done")
            if track.else_arm():
                self._thing = self._asked_thing
            else:
                self.doubt(f"otherwise {text_of(one.tokens)!r}")
        elif "yes" in one.marks and not one.subs:
            yes = Condition("yes", 1, "", frozenset({"yes"}))
            if track.decision is not None and track.decision.negates:
                track.else_arm()
            elif track.decision is not None:
                track.next_arm(yes)
            else:
                if self._last is None or self._last[0].verb not in word_set("choice"):
                    self.doubt(f"what is asked before {text_of(one.tokens)!r}")
                track.open(yes)
        elif not one.subs and not any(sub.kind == "if" for sub in one.trailing):
            self._reject_rest()

    def _reject_rest(self) -> None:
        """Draw the way of who is rejected, where "approves or rejects" is told and no case follows."""
        track, last = self.track, self._last
        if last is None or track.decision is not None or [end.step for end in track.frontier] != [last[1].id]:
            return
        good = [verb for verb in last[0].verbs if verb in word_set("good")]
        if good and len(last[0].verbs) > 1 and not any(verb in word_set("bad") for verb in last[0].verbs):
            # "Approves it or asks for changes", and no case follows.
            self.doubt(f"what follows each outcome of {last[1].document['name']!r}")
        if good and any(verb in word_set("bad") for verb in last[0].verbs):
            track.open(Condition(inflected(good[0], "VBN"), 1, "", frozenset({good[0]})), rejects=True)
            track.close()

    def _or(self, clause: Clause) -> None:
        """Take "or asks for changes" as the other outcome of the step before."""
        assert self._last is not None  # noqa: S101
        own, node = self._last
        back = any(token.lower == "back" for token in clause.rest)
        if clause.subject or clause.voice != own.voice or own.is_negated or back:
            self.doubt(f"or {text_of(clause.tokens)!r}")
        self._last = (replace(own, verbs=[*(own.verbs or [own.verb]), clause.verb]), node)
        self._note_on_last(clause)
        other = step_name(clause, self._thing)
        node.document["name"] = capitalized(f"{node.document['name']} or {other[:1].lower()}{other[1:]}")

    def _front(self, one: Statement) -> None:
        """Read what stands in front of the subject: a case, a time, or for what it is done."""
        clause = one.clause
        said = () if _points_on(clause.rest) else clause.front
        if "schedule" in clause.values:
            self._schedule(clause)
        if not said:
            return
        lows = {token.lower for token in said}
        clock = clock_at(said, 1) if said[0].lower == "at" else None
        if clock is not None and clock.end == len(said) and not self.graph.nodes and not self.triggers:
            hour, minute = clock.value
            self.triggers.append({"type": "schedule", "cron": f"{minute} {hour} * * *", "timezone": "UTC"})
            self.use(said)
        elif "amount" in clause.values and set(said) & set(clause.values["amount"]):
            one.subs.append(Clause("if", "amount", tokens=said))
        elif said[0].lower in ("with", "without", "for") and not any(token.has("det") for token in said):
            one.subs.append(Clause("if", "amount", tokens=said, lead=clause.lead[:0]))
        elif said[0].lower in ("after", "following", "upon", "before") and self.graph.nodes:
            one.subs.append(Clause("when", said[0].lower, tokens=said[1:]))
        elif self.graph.nodes and is_definite(said):
            self._circumstance = f" {text_of(said)}"
        elif said[0].lower != "to" and (self.graph.nodes or lows & word_set("doubts.units")):
            self.doubt(*([text_of(said)] if any(token.is_content for token in said) else []))

    # ---- conditions

    def _sub(self, sub: Clause, one: Statement, after: Sequence[Statement]) -> None:
        self.use(sub.lead)
        if sub.kind == "foreach":
            self._for_each(sub)
        elif sub.kind in ("if", "unless"):
            event = event_of(sub) if sub.kind == "if" and not self.graph.nodes else None
            if event is not None and (sub.word.endswith(" of") or not event[1]):
                self._trigger(sub)
            else:
                self._branch(sub, is_chained=bool(after) and "else" in after[0].marks)
        elif sub.kind == "while" and sub.word == "while" and sub.voice:
            self._later.append(replace(sub, kind="main", marks={"meanwhile"}))
        elif sub.kind == "while":
            self.use(sub.tokens)
            opened = self.track.open(condition_of(sub))
            about = self._last[1].id if self._last is not None and self._is_about_last(sub) else opened.node
            self._loop = (about, opened.node)
        elif sub.kind == "until" and "repeat" in one.marks:
            self._until(sub, one)
        elif sub.kind == "until":
            one.trailing.insert(0, sub)
        elif sub.kind == "before" and sub.voice == "active" and acts(sub.subject):
            if is_pronoun(sub.subject):
                self.use(sub.tokens)
                self.doubt(f"whether {text_of(sub.tokens)!r} is a step")
                return
            self._thing = thing_of(object_of(sub)) or self._thing
            self._later.append(replace(sub, kind="main"))
        elif sub.word in ("after", "once") and not self.graph.nodes and sub.voice == "active" and acts(sub.subject):
            # "After the clerk checks the form, the manager signs": work, and nothing that happens.
            self._statement(Statement(replace(sub, kind="main")), None, (), is_item=False)
        elif len(one.subs) == 1 and self.graph.nodes and (length := _time_alone(sub)) is not None:
            self.show(sub.tokens)
            self.track.enter(self.graph.add("Wait", "wait", duration=length))
        else:
            self._when(sub, is_chained=self._is_chained(sub, after))

    def _is_about_last(self, sub: Clause) -> bool:
        """Say whether a condition is about who did the last step: "he is not satisfied"."""
        role = str(self._last[1].document.get("assignee") or "") if self._last is not None else ""
        said = [token.lower for token in sub.subject if not token.has("det")]
        return bool(role) and (said in (["he"], ["she"], ["they"]) or " ".join(said) == role.lower())

    def _branch(self, sub: Clause, *, is_chained: bool = False) -> None:
        condition = condition_of(sub)
        self.use(sub.tokens, sub.lead)
        self.doubt(*doubts_of_condition(sub))
        self._is_labelled = sub.word == "label"
        track = self.track
        failing = self._failing(sub, condition)
        if failing is not None:
            track.close()
            self._leave(failing)
            return
        told = track.arm is None or track.arm.steps
        if track.decision is not None:
            self._thing = self._asked_thing
        if (
            track.decision is not None
            and told
            and (self._is_case_beside(sub) or (is_chained and not track.decision.has_else))
        ):
            track.next_arm(condition)
        else:
            self._asked_thing, self._asked_actor = self._thing, self._actor
            self._asked_node = self._last[1] if self._last is not None else None
            asked = self._last[0] if self._last is not None else None
            opened = track.open(condition, rejects=asked is not None and len(asked.verbs) > 1)
            opened.negates = sub.kind == "unless"
            self._doubt_place(sub, condition)
        if sub.subject and not is_pronoun(sub.subject):
            if acts(sub.subject):
                self._meet(sub.subject)
            elif sub.voice != "active" and is_plural(sub.subject[-1]):
                self._thing = thing_of(sub.subject) or self._thing

    def _doubt_place(self, sub: Clause, condition: Condition) -> None:
        """Doubt where a question is asked that is about an earlier step than the last."""
        if self._last is None:
            return
        own = [node for node in self.graph.nodes if sub.verb and node.verb == sub.verb]
        if not own:
            # "If the triage takes longer": of the step, not of what it is about.
            own = [node for node in self.graph.nodes if any(akin(token.lemma, node.verb) for token in sub.subject)]
        if not own and sub.subject and not is_pronoun(sub.subject):
            own = [
                node for node in self.graph.named_role(role_named(sub.subject) or "") if node.verb in word_set("choice")
            ]
        if own and self._last[1] not in own:
            self.doubt(f"whether {condition.text!r} is asked after {own[-1].document['name']!r}")

    def _failing(self, sub: Clause, condition: Condition) -> Node | None:
        """Return the step before the last that a condition says fails: "if the test fails"."""
        if sub.verb != "fail" or condition.polarity >= 0 or is_pronoun(sub.subject):
            return None
        words = {token.lemma for token in sub.subject if token.is_content}
        meant = [node for node in self.graph.nodes if words and words <= node.words | {node.verb}]
        return meant[-1] if meant and self._last is not None and meant[-1] is not self._last[1] else None

    def _is_chained(self, sub: Clause, after: Sequence[Statement]) -> bool:
        """Say whether what follows tells the other case: "otherwise ...", "when it is not enough ..."."""
        if not after:
            return False
        others = [other for other in after[0].subs if other.kind in ("if", "when", "unless")]
        return "else" in after[0].marks or any(condition_of(one).parts_from(condition_of(sub)) for one in others)

    def _when(self, sub: Clause, *, is_chained: bool = False) -> None:
        """Read "when an order comes in", "once both are ready", "after the interview"."""
        self.use(sub.lead)
        track, condition = self.track, condition_of(sub)
        if not self.graph.nodes:
            self._trigger(sub)
        elif _joins(sub) or (track.joins and condition.polarity > 0):
            self.use(sub.tokens)
            self.show([token for token in sub.tokens if token.value is not None])
            track.close()
            self._end_body()
        elif track.decision is not None and self._is_case_beside(sub):
            self.use(sub.tokens)
            if sub.lows & {"done", "finished", "ready", "over"}:
                self.doubt(f"{sub.word} {text_of(sub.tokens)!r}")
            track.next_arm(condition)
        elif not sub.voice and sub.word != "when":
            self._after(sub)
        elif self._is_case(sub, condition):
            self._branch(sub)
        elif is_chained and sub.word in ("when", "whenever", "only when"):
            # "When it rains, ..., otherwise ...".
            self._branch(sub, is_chained=True)
        elif self._is_done(sub):
            self.use(sub.tokens)
            if track.arm is None:
                track.close()
        else:
            self.doubt(f"{sub.word} {text_of(sub.tokens)!r}")

    def _is_done(self, sub: Clause) -> bool:
        """Say whether "once it is packed" only tells that the last step is done."""
        last = self._last
        if last is None or sub.is_negated or condition_of(sub).polarity < 0:
            return False
        return sub.verb in {last[0].verb, *last[0].verbs} or any(akin(sub.verb, one) for one in [last[0].verb] if one)

    def _is_case(self, sub: Clause, condition: Condition) -> bool:
        """Say whether "when it is rejected" and "once approved" tell a case rather than a time."""
        if sub.word == "when" and sub.voice == "state" and is_pronoun(sub.subject):
            return True
        if not condition.polarity or sub.word in ("after", "before"):
            return False
        chose = self._last is not None and self._last[0].verb in word_set("choice")
        return sub.word in ("when", "whenever", "only when") or (condition.elliptic and chose)

    def _after(self, sub: Clause) -> None:
        """Go on behind the step that "after the interview" names."""
        if sub.word == "before":
            self.doubt(f"{sub.word} {text_of(sub.tokens)!r}")
        words = {token.lemma for token in sub.tokens if token.is_content}
        last = self._last[0] if self._last is not None else None
        if last is not None and any(akin(word, verb) for word in words for verb in last.verbs):
            self._branch(replace(sub, kind="if"))
            return
        if self.track.arm is None:
            self.track.close()
        meant = {node.id for node in self.graph.nodes if any(akin(word, own) for word in words for own in node.words)}
        ends = [end for end in self.track.frontier if end.step in meant]
        if meant:
            self.use(sub.tokens)
        if ends:
            self.track.ended += [end for end in self.track.frontier if end not in ends]
            self.track.frontier = ends

    def _trigger(self, sub: Clause) -> None:
        found = event_of(sub)
        if found is None:
            return
        self.use(sub.tokens, sub.lead)
        self.doubt(*doubts_of_condition(sub))
        if not self.triggers:
            self.triggers.append({"type": "event", "event": found[0]})
        who = acts(sub.subject)
        self._thing = thing_of(object_of(sub) if who else sub.subject)
        if who:
            self._meet(sub.subject)

    def _schedule(self, clause: Clause) -> None:
        if self.graph.nodes or self.triggers:
            self.doubt(f"the time {text_of(clause.values['schedule said'])!r}")
            return
        self.triggers.append(clause.values["schedule"])

    # ---- loops

    def _for_each(self, sub: Clause) -> None:
        self.use(sub.tokens)
        self.track.close()
        said = cased(bare(sub.tokens)) or cased(sub.tokens)
        loop = next((end.step for end in self.track.frontier if end.step in self._bodies), "")
        if loop and self.graph.by_id[loop].document["loop"] == {"over": said}:
            self.track.frontier, self.graph.parent = self._bodies[loop], loop
            return
        node = self.graph.add(capitalized(f"For each {said}"), "loop", loop={"over": said})
        self.track.enter(node)
        self.track.frontier, self.graph.parent = [], node.id
        self._thing = f"the {said}"

    def _behind(self, sub: Clause, one: Statement) -> None:
        """Draw what a subordinate clause behind a statement says of it."""
        self.use(sub.lead)
        starts = sub.kind == "when" and sub.subject and sub.voice != "state" and not is_pronoun(sub.subject)
        if sub.kind == "until":
            self._until(sub, one)
        elif sub.kind == "while" and sub.word == "while" and sub.voice:
            self._beside(Statement(replace(sub, kind="main")))
        elif sub.kind == "while" and self.track.arm is None and self._last is not None and self._is_back(one.clause):
            self.doubt(f"{sub.word} {text_of(sub.tokens)!r}")
        elif (
            starts
            and sum(node.verb != "" for node in self.graph.nodes) == self._told
            and not self.triggers
            and sub.word not in ("after", "once")
        ):
            self._trigger(sub)
        else:
            self.doubt(f"{sub.word} {text_of(sub.tokens)!r}")

    def _until(self, sub: Clause, one: Statement, first: Node | None = None) -> None:
        """Draw the way back of "until it is right": to the step, or to where what is repeated begins."""
        if self.track.arm is not None and self._asked_node is not None and not any(t.is_content for t in sub.tokens):
            # "If it is not compliant the analyst corrects it until it is."
            self.use(sub.tokens, sub.lead)
            self.track.lead_back(self._asked_node.id)
            return
        if self._last is None or self.track.arm is not None:
            self.doubt(f"the loop until {text_of(sub.tokens)!r}")
            return
        self.use(sub.tokens, sub.lead)
        self.doubt(*doubts_of_condition(sub))
        if "schedule" in one.clause.values:
            self.doubt(f"how often {text_of((*one.clause.tokens, *one.clause.lead))!r}")
        if first is not None:
            pass
        elif "repeat" in one.marks or one.clause.verb in word_set("verb.repeat") or not one.clause.voice:
            named = self._named(one.clause.rest)
            first = named[0] if named else self._firsts[-1]
            at = self.graph.nodes.index(first)
            # "This repeats until it is right": what the sentence before tells, or all that was told.
            points = any(token.lower in ("this", "that") for token in (*one.clause.lead, *one.clause.tokens))
            if not named and (len(self.graph.nodes) - at > 2 or (points and at > 0)):
                self.doubt(f"from which step on it is repeated until {text_of(sub.tokens)!r}")
        else:
            first = self._last[1]
        if (
            first is self._last[1]
            and self._told > 1
            and (one.clause.joint == "and" or one.clause.verb in word_set("verb.check") | word_set("choice") | {"read"})
        ):
            self.doubt(f"what is repeated until {text_of(sub.tokens)!r}")
        if not sub.voice and (sub.tokens[:1] and (sub.tokens[0].has("det", "noun") or sub.tokens[0].value is not None)):
            self.doubt(f"the time until {text_of(sub.tokens)!r}")
        condition = condition_of(sub)
        self.track.close()
        node = self.graph.add(f"{capitalized(condition.text)}?", "decision")
        self.track.enter(node)
        self.graph.lead(End(node.id, "not yet", "condition"), first.id)
        self.track.frontier = [End(node.id, condition.text, "condition")]

    def _named(self, tokens: Sequence[Token]) -> list[Node]:
        """Return the steps that a phrase names: by number, by role, or by the words of their names."""
        said = bare(tokens)
        number = next((int(token.value) for token in tokens if token.value is not None), None)
        if number is not None and number in self.numbered:
            return [self.numbered[number]]
        role = role_named(said) if said and acts(said) else None
        if role is not None and (by_role := self.graph.named_role(role)):
            return by_role
        for token in (token for token in said if token.is_content):
            own = {token.entry.verb or token.lemma, token.lemma, token.lower}
            if found := [node for node in self.graph.nodes if own & (node.words | {node.verb})]:
                return found
        return []

    # ---- clauses

    def _clause(
        self, clause: Clause, role: str | None, one: Statement, after: Sequence[Statement], *, is_item: bool
    ) -> None:
        if len(clause.subject) == 2 and clause.subject[0].lower == "first" and clause.subject[1].text.isupper():
            # "First HR posts the job."
            self.show(clause.subject[:1])
            clause.subject = clause.subject[1:]
        if self._ends(clause) or self._is_remark(clause, one) or self._repeats(clause, one):
            return
        if self._goes_back(clause, one, after) or self._moves(clause, after):
            return
        happens = clause.verb in word_set("verb.event") and clause.voice == "active" and not object_of(clause)
        subject = self._subject_of(clause, is_item=is_item)
        if happens and subject and not acts(subject):
            if not self.graph.nodes and clause.verb in ("arrive", "come", "land"):
                self._trigger(replace(clause, word="when"))
            else:
                self.doubt(*([text_of(clause.tokens)] if clause.verb in ("happen", "occur") else []))
                self._step(clause, None, name=capitalized(cased((*subject, *clause.tokens[len(clause.subject) :]))))
            return
        who = clause.agent or (() if clause.voice == "passive" else subject)
        named = role or (role_named(who) if who and (acts(who) or clause.voice == "passive") else None)
        self._doubt_actor(clause, who)
        if one.subs and clause.verb == "do" and not clause.subject:
            # "Only then do the guests board."
            self.doubt(text_of(clause.tokens))
        if clause.voice == "active" and who and not named and not is_pronoun(who):
            if not clause.rest or clause.rest[0].has("prep", "adv"):
                self._step(clause, None, name=capitalized(cased((*who, *clause.tokens[len(clause.subject) :]))))
                return
            named = role_named(who)
        self._doubt_arm(one)
        self._doubt_thing(clause, named)
        counted = f" ({cased(who)})" if counts_several(who) else ""
        self._step(clause, named, counted=counted, is_program=bool(who) and is_system(who), is_item=is_item)
        if who and (acts(who) or (named and clause.voice == "active")):
            self._meet(who)
        self._moved_to = ()

    def _doubt_actor(self, clause: Clause, who: Tokens) -> None:
        """Doubt who does a step: of "the clerk and the boss", of "he" where nobody was told of."""
        said = bare(who)
        if any(token.lower in ("and", "or", ",", "both", "all") for token in who) or len(said) > 5:
            self.doubt(f"who does {text_of(clause.tokens)!r}")
        if clause.voice == "active" and is_pronoun(who) and who[0].lower in ("he", "she", "who"):
            self.doubt(f"who {who[0].lower!r} is")

    def _doubt_arm(self, one: Statement) -> None:
        """Doubt whether "if parts are bad the office orders them, the boss signs it" tells one case or goes on."""
        arm, clause = self.track.arm, one.clause
        begins = acts(clause.subject) if clause.subject else clause.form == "B"
        if arm is None or not arm.steps or not begins or clause.joint != "," or one.subs or one.marks:
            return
        if arm.is_else or (clause.subject and not self._is_labelled):
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")

    def _doubt_thing(self, clause: Clause, role: str | None) -> None:
        """Doubt what "it" is where another one works on it and several things were told of."""
        if "again" in clause.values or not clause.subject or clause.voice != "active" or self._last is None:
            return
        if (
            any(token.lower == "it" for token in clause.rest)
            and len(self._things) > 1
            and (
                self._told > 1
                and not names_several(self._thing)
                and self._things[-1] == self._thing
                and self._last[1].role != (role or "")
            )
        ):
            self.doubt(f"whether 'it' in {text_of(clause.tokens)!r} is {self._thing}")

    def _step(
        self,
        clause: Clause,
        role: str | None,
        *,
        name: str = "",
        counted: str = "",
        is_program: bool = False,
        is_item: bool = False,
    ) -> Node:
        """Draw a step of a clause, and keep what later clauses call it."""
        values = clause.values
        name = (name or step_name(clause, self._thing_for(clause, is_item=is_item))) + counted + self._circumstance
        self._circumstance = ""
        if clause.voice == "passive" and clause.subject:
            self._patient = self._thing if is_pronoun(clause.subject) else cased(clause.subject)
        if "again" in values and self._loop is None:
            name = f"{name} again"
        kind = "human" if role and not is_program else "action"
        length = values.get("length")
        lets = clause.verb == "let" and any(token.entry.verb in _WAITING for token in clause.rest)
        if length and not values.get("within") and (clause.verb in _WAITING or lets):
            # "Wait 12 hours", "let it rest for 4 hours".
            kind, role = "wait", None
        timeout = values.get("within") or (length if clause.verb == "have" else None)
        retry = {"max_attempts": values["times"]} if values.get("times", 1) > 1 else None
        if retry and clause.may in ("may", "can", "could", "might"):
            self.doubt(f"what follows each time: {text_of(clause.tokens)!r}")
        if length and not timeout and kind != "wait" and clause.verb not in ("cool", "rest", "take", "stay", "let"):
            self.doubt(f"the time {text_of(values['length said'])!r}")
        duration = length if kind == "wait" else None
        node = self.graph.add(capitalized(name), kind, assignee=role, timeout=timeout, duration=duration, retry=retry)
        said = (*clause.rest, *(clause.subject if clause.voice == "passive" else ()))
        words = {token.lemma for token in said if token.is_content} | {clause.verb, *clause.verbs}
        self.graph.know(node, role or "", clause.verb, frozenset(words - {""}))
        self.track.enter(node, verb=clause.verb)
        known = {word for one in self.graph.nodes[:-1] for word in one.words}
        if self.track.arm is None and tells_kind(clause, known):
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")
        if self.track.arm is None and self._last is not None and _is_kind(clause) and _is_kind(self._last[0]):
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")
        if clause.agent and is_pronoun(clause.agent):
            self.doubt(f"who {text_of(clause.agent)!r} is")
        if any(token.lower in _OTHERS | {"ones"} for token in clause.subject):
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")
        self.doubt(*doubts_of_step(clause, is_case=self.track.arm is not None))
        self._doubt_repeated(clause, node)
        needs = clause.verb in ("need", "require") and [t.lower for t in clause.rest[:1]] in (["this"], ["that"])
        if clause.is_strange or needs:
            self.doubt(f"how {text_of(clause.tokens)!r} is meant")
        if "before" in values and self.track.decision is not None and len(self.track.decision.arms) > 1:
            self.doubt(f"what {text_of(clause.tokens)!r} comes before, told with 'first'")
        if "again" in values and self._loop is None and any(one.verb == clause.verb for one in self.graph.nodes[:-1]):
            self.doubt(f"the loop {text_of(clause.tokens)!r}")
        self._note(clause, node)
        self._keep(clause, node)
        self._has_them = self._has_them or any(token.lower == "them" for token in clause.rest)
        if clause.verb not in word_set("verb.move") | word_set("verb.tell"):
            self._thing = thing_of(object_of(clause)) or self._thing
            if self._thing and self._thing not in self._things:
                self._things.append(self._thing)
        return node

    def _doubt_repeated(self, clause: Clause, node: Node) -> None:
        """Doubt "ship" behind "ship it", and "the manager can ask for changes" of who was done before."""
        earlier = self.graph.nodes[:-1]
        if not (clause.rest or clause.subject or "again" in clause.values) and clause.verb:
            told = next((one for one in earlier if one.verb == clause.verb), None)
            if told is not None:
                self.doubt(f"whether {told.document['name']!r} and {node.document['name']!r} are one step")
        optional = clause.may in ("can", "may", "could", "might") and not clause.marks and clause.joint in ("", ".")
        acted = node.role and any(one.role == node.role for one in earlier[:-1]) and earlier[-1].role != node.role
        if optional and acted:
            self.doubt(f"when {text_of(clause.tokens)!r}")

    def _thing_for(self, clause: Clause, *, is_item: bool) -> str:
        """Return what "it", and a verb without its object, stand for."""
        if is_item and not clause.subject and not clause.rest:
            return ""
        goes_on = self._told and self._last is not None and self._last[0].voice == "passive"
        return self._patient if goes_on and clause.voice == "passive" and not clause.subject else self._thing

    def _note(self, clause: Clause, node: Node) -> None:
        """Read what stands in brackets: who does it, within what time."""
        note = clause.values.get("note")
        if not note:
            return
        parts: list[list[Token]] = [[]]
        for token in note:
            if token.text == ",":
                parts.append([])
            else:
                parts[-1].append(token)
        for said in filter(None, parts):
            spans = spans_of(said[said[0].lemma in word_set("verb.retry") :])
            if len(spans) == 1 and spans[0].kind in ("within", "length"):
                node.document["timeout"] = spans[0].value
            elif len(spans) == 1 and spans[0].kind == "times":
                node.document["retry"] = {"max_attempts": spans[0].value}
            elif acts(said) and not node.document.get("assignee") and not any(t.among("doubts.cases") for t in said):
                node.document["assignee"], node.role = role_named(said), role_named(said) or ""
                node.document["type"] = "human"
                self.graph.know(node, node.role, node.verb, node.words)
            else:
                self.doubt(f"the note {text_of(said)!r}")
            self.use(said)

    def _keep(self, clause: Clause, node: Node) -> None:
        self._last = (clause, node)
        if not self._told:
            self._firsts.append(node)
        self._told += 1
        if self._number is not None:
            self.numbered[self._number], self._number = node, None

    def _meet(self, who: Tokens) -> None:
        if not is_pronoun(who):
            self._actor = who

    def _subject_of(self, clause: Clause, *, is_item: bool = False) -> Tokens:
        """Return who a clause is about, for pronouns and where it goes on with the subject before."""
        if clause.is_relative and not clause.subject:
            told = self._moved_to or self._person_told()
            if not told and clause.voice == "active":
                self.doubt(f"who does {text_of(clause.tokens)!r}")
            return told or self._actor
        if not clause.subject:
            if clause.voice == "passive" or is_item:
                return ()
            last = self._last[0] if self._last is not None and self._told else None
            goes_on = clause.form in "ZEAH" or (
                last is not None
                and last.form in "BU"
                and clause.form in "BU"
                and bool(self._last and self._last[1].role)
            )
            return self._actor if goes_on and clause.form else ()
        if not is_pronoun(clause.subject):
            return clause.subject
        low = clause.subject[0].lower
        if low not in ("he", "she", "they", "who"):
            return clause.subject
        if low == "they" and clause.verb in word_set("verb.move") and self._thing:
            return ()
        meant = self._moved_to or self._actor or clause.subject
        self._doubt_person(low, meant)
        return meant

    def _doubt_person(self, pronoun: str, meant: Tokens) -> None:
        """Doubt whom a pronoun means: another person was told of last, the same one was "she", "they" are one."""
        role = role_named(meant) or ""
        if pronoun == "they":
            roles = {node.role for node in self.graph.nodes if node.role}
            if self._has_them:
                self.doubt("who 'they' are")
                return
            other = role_named(self._person_told()) if not self._moved_to and self._person_told() else role
            doubtful = other != role or (len(roles) > 1 and not self._moved_to and not is_plural(meant[-1]))
        elif self._last is not None and [token.lower for token in self._last[0].subject] == [pronoun]:
            doubtful = False
        else:
            person = self._person_told() if not self._moved_to else ()
            several = not person or is_plural(person[-1]) or person[0].has("pron") or person[-1].lower == "police"
            # "The nurse signs. When a patient refuses, she tells the doctor."
            worked = self._last[1].role if self._last is not None and not self._moved_to else None
            doubtful = self._is_unclear or (not several and role_named(person) != role) or (worked or role) != role
        if doubtful or (pronoun in ("he", "she") and self._called.setdefault(role, pronoun) != pronoun):
            self.doubt(f"who {pronoun!r} is")

    def _person_told(self) -> Tokens:
        """Return the person at the end of what was told last: "informs an expert, who …"."""
        rest = self._last[0].rest if self._last is not None else ()
        at = next((at for at in range(len(rest) - 1, -1, -1) if rest[at].has("det")), 0)
        return rest[at:] if rest and acts(rest[at:]) else ()

    def _phrase(self, one: Statement, role: str | None, *, is_item: bool) -> None:
        """Draw a phrase without a verb: an item of a list, or who does the same in another case."""
        clause = one.clause
        tokens = clause.tokens
        if not tokens:
            self._note_on_last(clause)
            return
        by = next((at for at, token in enumerate(tokens) if token.lower == "by"), None)
        amount = clause.values.get("amount", ())
        if amount and not one.subs and (by or (tokens[: len(amount)] == amount and len(tokens) > len(amount))):
            end = by or len(amount)
            self._branch(Clause("if", "amount", tokens=tokens[:end]))
            tokens, by = tokens[end:], 0 if tokens[end].lower == "by" else None
            one.subs.append(clause)
        who = tokens[by + 1 :] if by == 0 else tokens
        cases = bool(one.subs) or "else" in one.marks
        if self._last is not None and cases and who and acts(who) and (by == 0 or not is_item):
            node = self._last[1]
            again = self.graph.add(node.document["name"], "human", assignee=role_named(who))
            self.graph.know(again, role_named(who) or "", node.verb, node.words)
            self.track.enter(again, verb=node.verb)
            self._keep(self._last[0], again)
            return
        if "repeat" in one.marks and any(sub.kind == "until" for sub in one.trailing):
            return
        if "repeat" in one.marks and self.track.arm is not None and self._lead_back(self._named(tokens), clause):
            return
        if [token.lower for token in tokens[:2]] == ["back", "to"]:
            starts = any(token.lower in ("start", "beginning", "top") for token in tokens[2:])
            if not self._lead_back(self.graph.nodes[:1] if starts else self._named(tokens[2:]), clause):
                self.doubt(f"where {text_of(tokens)!r} leads")
            return
        if not is_item and not cases:
            timed = any(token.lemma in word_set("doubts.units") for token in tokens)
            if any(token.is_content for token in tokens) and (self.graph.nodes or timed):
                self.doubt(text_of(tokens))
            return
        item = replace(clause, verb="", voice="", rest=tokens)
        if by and acts(tokens[by + 1 :]):
            item.rest, role = tokens[:by], role or role_named(tokens[by + 1 :])
        self._step(item, role, name=capitalized(cased(bare(item.rest) or item.rest)))

    def _note_on_last(self, clause: Clause) -> None:
        """Take a deadline that stands alone for the last step's."""
        timeout = clause.values.get("within") or clause.values.get("length")
        if timeout and self._last is not None:
            self._last[1].document["timeout"] = timeout
        elif clause.values.get("times") and self._last is not None:
            self._last[1].document["retry"] = {"max_attempts": clause.values["times"]}

    # ---- clauses that tell no step

    def _is_remark(self, clause: Clause, one: Statement) -> bool:
        """Read what says something of the work and is no step: a state, a habit, a deadline."""
        values, last = clause.values, self._last
        limit = values.get("within") or values.get("length")
        self.use(clause.group)
        if limit and clause.verb == "have" and not clause.rest and last is not None:
            named = self.graph.named_role(role_named(clause.subject) or "") or [last[1]]
            named[-1].document["timeout"] = limit
            return True
        if limit and clause.group and clause.group[0].lemma == "have":
            # "The office has four weeks to answer."
            values["within"] = values.pop("length", limit)
        light = clause.verb in ("happen", "be", "take", "do", "") or clause.voice == "state"
        if limit and light and is_pronoun(clause.subject) and last is not None:
            last[1].document["timeout"] = limit
            return True
        if clause.verb in ("do", "go", "work", "happen", "run") and _points_on(clause.rest):
            # "For hiring we do it like this."
            self.show(clause.tokens)
            return True
        points = [token.lower for token in clause.subject] in (["that"], ["this"], ["everything"])
        if points and clause.verb in ("make", "help", "mean", "save", "happen", "work", "take"):
            return True
        if self.track.arm is not None and [token.lower for token in clause.subject] == ["nothing"]:
            # "If not, nothing happens": straight to what follows.
            self.show(clause.tokens)
            return True
        needs = clause.verb in ("need", "require")
        if clause.voice == "state" or (clause.verb in word_set("verb.state") and needs == (clause.voice == "passive")):
            if self.graph.nodes or one.subs:
                self.doubt(text_of(clause.tokens))
            return True
        thing = object_of(clause)
        plural = bool(thing) and is_plural(thing[-1]) and not thing[0].has("det")
        habit = clause.verb in word_set("verb.habit") or (plural and clause.verb not in word_set("choice"))
        first = bool(clause.subject) and clause.subject[0].lower in ("we", "i")
        return not self.graph.nodes and not one.marks and first and habit and not one.subs

    def _repeats(self, clause: Clause, one: Statement) -> bool:
        """Read "repeat until …", "this goes on until …", "try again up to three times"."""
        times = clause.values.get("times")
        if clause.verb in word_set("verb.retry") and times and self._last is not None:
            self._last[1].document["retry"] = {"max_attempts": times}
            return True
        loops = any(sub.kind == "until" for sub in one.trailing)
        return loops and (clause.verb in word_set("verb.repeat") or "repeat" in one.marks)

    def _is_back(self, clause: Clause) -> bool:
        lows = [token.lower for token in clause.rest]
        if "back" in lows or "over" in lows:
            return True
        return clause.verb in ("loop", "restart") or (clause.verb == "return" and not self._brings(clause))

    def _brings(self, clause: Clause) -> bool:
        """Say whether something is returned that nobody had here before: "the guest returns the key"."""
        thing = {token.lemma for token in object_of(clause) if token.is_content}
        heard = any(not thing.isdisjoint(node.words) for node in self.graph.nodes)
        return bool(thing) and not heard and all(token.lower != "to" for token in clause.rest)

    def _goes_back(self, clause: Clause, one: Statement, after: Sequence[Statement]) -> bool:
        """Draw "it goes back to the author", "the author writes again", "another one is offered"."""
        lows = [token.lower for token in clause.rest]
        renewed = self.track.arm is not None and _is_renewed(clause)
        again = (
            "again" in clause.values
            or renewed
            or (clause.voice == "passive" and [t.lower for t in clause.subject[:1]] == ["another"])
        )
        itself = word_set("verb.move") | word_set("verb.repeat") | {"come", "jump", "step", "start", "bounce"}
        moves = clause.verb in word_set("verb.back") | itself and self._is_back(clause)
        if self.track.arm is not None and self.track.arm.polarity > 0 and clause.verb == "return":
            moves = False
        moves = moves and (clause.verb in itself or bool({"to", "at", "with"} & set(lows)))
        if not moves and not again:
            return False
        said: Tokens = ()
        if moves:
            at = next((at for at in range(len(lows) - 1, -1, -1) if lows[at] in ("to", "at", "with", "from")), None)
            said = clause.rest[at + 1 :] if at is not None else ()
            if "back" in lows[:-1] and lows[lows.index("back") + 1] in ("in", "on", "into", "onto"):
                return False
            if after and after[0].clause.is_relative and acts(said):
                self._moved_to = said
                self.doubt(f"what comes after {text_of(clause.tokens)!r}")
                return True
            targets = self._named(said)
            if (
                not targets
                and at is None
                and not clause.rest[:-1]
                and clause.verb in ("go", "return", "start", "restart")
            ):
                targets = self.graph.nodes[:1]
                far = len(self.graph.nodes) > 2 and not is_pronoun(clause.subject) and self.track.arm is not None
                if far or (clause.rest and acts(clause.subject)):
                    self.doubt(f"where {text_of(clause.tokens)!r} leads")
        else:
            active = clause.voice == "active"
            role = role_named(self._subject_of(clause) or (() if renewed else self._actor)) if active else None
            targets = [
                node
                for node in self.graph.nodes
                if node.verb == clause.verb
                and (role is None or not node.role or node.role == role)
                and (not renewed or object_of(clause)[-1].lemma in node.words)
            ]
            if self.track.arm is not None and not targets and self._loop is None and not renewed:
                targets = [node for node in self.graph.nodes if role and node.role == role]
        until = next((sub for sub in one.trailing if sub.kind == "until"), None)
        if again and targets and until is not None and self.track.arm is None:
            one.trailing.remove(until)
            self._until(until, one, targets[-1])
            return True
        if not targets:
            loops = moves and not acts(said) and bool(self.graph.nodes)
            self.doubt(*([f"the loop {text_of(clause.tokens)!r}"] if loops else []))
            return False
        while_sub = next((sub for sub in one.trailing if sub.kind == "while" and sub.word != "while"), None)
        if while_sub is not None and self.track.arm is None:
            one.trailing.remove(while_sub)
            self._branch(while_sub)
        return self._lead_back(targets, clause)

    def _lead_back(self, targets: Sequence[Node], clause: Clause) -> bool:
        if not targets:
            return False
        if self.track.arm is None and self.track.resume is None:
            self.doubt(f"on what condition {text_of(clause.tokens)!r}")
            return True
        if len({node.id for node in targets}) > 1:
            self.doubt(f"where {text_of(clause.tokens)!r} leads")
        times = clause.values.get("times")
        self.use(clause.tokens)
        self.track.lead_back(targets[0].id, f"at most {times} times" if times else "")
        self._loop = None
        return True

    def _ends(self, clause: Clause) -> bool:
        """Read "the process ends" and "that's it"."""
        subject = {token.entry.noun or token.lower for token in clause.subject}
        whole = subject & (word_set("workflow") | {"it", "that", "this", "everything", "we", "i", "he", "she", "they"})
        inside = self.track.arm is not None or self.track.resume is not None
        goes_on = any(token.lower not in ("there", "here", "then") for token in clause.rest)
        says_end = clause.voice == "state" and [t.lower for t in clause.rest[:2]] in (["the", "end"], ["it"], ["all"])
        ends = clause.verb in word_set("verb.end") and not goes_on
        if not (ends or says_end) or not (whole or (inside and not clause.subject)):
            return False
        if inside:
            self.track.ended, self.track.frontier = [*self.track.ended, *self.track.frontier], []
        if self.track.arm is not None:
            self.track.arm.steps += 1
        self.show(clause.tokens)
        return True

    def _moves(self, clause: Clause, after: Sequence[Statement]) -> bool:
        """Read "it goes to the expert": the next clause says what the expert does, else it is a step."""
        target = target_of(clause)
        if not target:
            return False
        self.use(clause.tokens[: len(clause.subject)])
        if self._last is not None and clause.verb == "escalate" and self.track.arm is None:
            self._last[1].document["escalate_to"] = role_named(target)
            self._note_on_last(clause)
            return True
        self._moved_to = target if acts(target) else ()
        kinds = bool(clause.subject) and is_plural(clause.subject[-1]) and not clause.subject[0].has("det", "pron")
        if kinds and self.graph.nodes and self.track.arm is None:
            self.doubt(f"which case {text_of(clause.tokens)!r} is for")
        behind = after[0].clause if after else None
        if self._moved_to and behind is not None and behind.is_relative and not behind.subject:
            return True
        if clause.voice == "passive":
            self._step(clause, role_named(clause.agent))
            return True
        name = f"Go to {cased(target)}" if not acts(target) else f"Pass {self._thing or 'it'} to {cased(target)}"
        self._step(clause, None, name=capitalized(name))
        return True

    # ---- deadlines and failures

    def _leave(self, node: Node) -> None:
        if node.document.get("parent") != self.graph.parent or self.track.resume is not None:
            self.doubt(f"what goes on where {node.document['name']!r} is late or fails")
        self.track.leave(node.id)
        self._failed = node

    def _is_late_or_failed(self, one: Statement, after: Sequence[Statement]) -> bool:
        """Read "otherwise it goes to the mediator" behind a deadline, and "if the call fails, retry"."""
        last, clause = self._last, one.clause
        if last is None or self.track.decision is not None or not clause.voice:
            return False
        node = last[1].document
        sub = next((sub for sub in one.subs if sub.kind in ("if", "when")), None)
        if sub is None:
            turns = "else" in one.marks or (
                {token.lower for token in clause.lead} & {"after"} and (target_of(clause) or clause.verb == "escalate")
            )
            if not turns or one.subs or not (node.get("timeout") or node.get("retry")) or "escalate_to" in node:
                return False
        elif clause.verb in word_set("verb.retry") and condition_of(sub).polarity < 0 and "times" in clause.values:
            self.use(sub.tokens, sub.lead, clause.tokens)
            node["retry"] = {"max_attempts": clause.values["times"]}
            self._leave(last[1])
            return True
        else:
            late = is_late(sub, last[0]) and not (_time_alone(sub) and not self._hands_over(clause))
            lengths = durations_in((*sub.tokens, *sub.lead)) if late else []
            if lengths and "timeout" not in node:
                node["timeout"] = lengths[0][1].value
            fails = node.get("retry") and ("still" in sub.lows or condition_of(sub).polarity < 0)
            if not fails and not (late and node.get("timeout")):
                return False
            self.use(sub.tokens, sub.lead)
        if self._escalates(clause, after):
            return True
        self._leave(last[1])
        self._clause(clause, None, Statement(clause), after, is_item=False)
        return True

    def _hands_over(self, clause: Clause) -> bool:
        """Say whether a clause tells who gets or hears of the work, as of what is late."""
        told = clause.verb in ("notify", "inform", "tell", "alert", "remind", "escalate", "get", "receive", "take")
        return bool(target_of(clause)) or told

    def _escalates(self, clause: Clause, after: Sequence[Statement]) -> bool:
        """Read who gets the work of the last step where it is late."""
        assert self._last is not None  # noqa: S101
        node = self._last[1]
        target = target_of(clause)
        told = clause.verb in ("notify", "inform", "tell", "alert", "remind")
        who: Tokens = target or (object_of(clause) if told else ())
        if who and acts(who) and after and after[0].clause.is_relative:
            self.use(clause.tokens)
            self._leave(node)
            self._moved_to = who
            return True
        gets = is_pronoun(clause.rest) or any(token.among("verb.told") for token in clause.rest)
        takes = (clause.verb in ("get", "receive") and gets) or (
            clause.verb == "take" and any(token.lower == "over" for token in clause.rest)
        )
        if not (target or clause.voice == "passive") and takes and acts(clause.subject):
            who, target = clause.subject, clause.subject
        if not ((target or clause.voice == "passive") and who and acts(who)) or node.document.get("timeout") is None:
            return False
        self.use(clause.tokens)
        node.document["escalate_to"] = role_named(who)
        # "Otherwise" goes on from the step.
        self._failed = self._last[1]
        return True

    # ---- subsets

    def _subset_of(self, one: Statement, after: Sequence[Statement]) -> str | None:
        """Return "else" or "case" where a clause is about some of what was told: "damaged parcels are sent back"."""
        clause = one.clause
        if not clause.subject or clause.marks - {"seq"} or clause.front:
            return None
        is_open = self.track.decision is not None
        said = bare(clause.subject)
        if any(token.lower in _OTHERS for token in said[:2]):
            return "else" if is_open else None
        case = _case_in(clause)
        if case is None or not (self.graph.nodes or "amount" in clause.values):
            return None
        bad = case[0] in word_set("bad") or (case[0].startswith("un") and not clause.subject[0].has("det"))
        if is_open or (bad and clause.voice == "passive") or "amount" in clause.values:
            return "case"
        for other in after:
            words = {token.lemma for token in (*other.clause.subject, *other.clause.tokens[:3])}
            if words & (_OTHERS | {"ones", "one", case[1]}) and case[0] not in words:
                return "case"
        return None

    def _subset(self, one: Statement, after: Sequence[Statement]) -> None:
        """Read "damaged parcels are sent back, the others are put on the shelf" as cases of a question."""
        found = self._subset_of(one, after) if not one.subs else None
        if found is None:
            return
        clause = one.clause
        self.use(clause.subject)
        if not any(other.clause.lows & (_OTHERS | {"ones", "one"}) for other in after[:1]):
            self._doubt_kind(clause.subject)
        prep = next((at for at, token in enumerate(clause.subject) if at and token.has("prep")), None)
        head = clause.subject[prep - 1 if prep else -1]
        if found == "else":
            self.track.else_arm()
        else:
            said = clause.subject if prep or "amount" in clause.values else bare(clause.subject)[:-1]
            self._branch(Clause("if", "subset", tokens=tuple(said)))
        if head.lower not in ("ones", "others", "one", "rest") and not is_pronoun((head,)):
            self._kind = head.text.lower()
        self._thing = f"the {self._kind}" if self._kind else self._thing
        if clause.voice == "active" and acts(clause.subject) and clause.verb not in word_set("verb.move"):
            clause.subject = clause.subject[:prep] if prep else clause.subject[-1:]
        elif clause.voice == "active" or found == "else" or prep or head.lower in ("ones", "others", "one"):
            clause.subject, self._patient = (), self._thing
            if clause.voice == "active":
                self._actor = ()

    def _doubt_kind(self, said: Tokens) -> None:
        """Doubt where "missing documents" are asked about, once later steps worked on something else."""
        kind = next((token.lemma for token in reversed(said) if token.is_content), "")
        about = [node for node in self.graph.nodes if kind in node.words]
        if self.track.decision is None and about and self._last is not None and about[-1] is not self._last[1]:
            self.doubt(f"whether {text_of(said)!r} are asked about after {about[-1].document['name']!r}")
        elif about and self.graph.parent is None and (loop := about[-1].document.get("parent")):
            self.doubt(f"whether {text_of(said)!r} are asked about in {self.graph.by_id[loop].document['name']!r}")

    # ---- at once

    def _parallel(self, run: Sequence[Statement], role: str | None, after: Sequence[Statement]) -> None:
        """Draw statements beside each other."""
        first = run[0]
        marks = first.marks & {"meanwhile", "beside"}
        whiles = any(sub.kind == "while" for one in run for sub in one.trailing)
        if marks and "meanwhile" in marks and len(run) > 1 and not self.graph.nodes:
            # "At the same time x and y", with nothing before.
            marks = frozenset[str]()
        if (
            marks
            and "seq" not in first.marks
            and not (whiles and "meanwhile" in marks)
            and ("meanwhile" in marks or len(run) == 1)
        ):
            for one in run:
                self._beside(one)
            return
        self.use(first.clause.lead)
        self._front(first)
        for sub in first.subs:
            self._sub(sub, first, ())
        last = run[-1].clause
        beside = [*first.clause.lead, *(token for one in run for token in one.clause.values.get("together said", ()))]
        self.shown |= {token.start for token in beside}
        counted = any(
            t.lower == "all" or t.value is not None for t in (*last.values.get("together said", ()), *last.lead)
        )
        if len(run) > 2 and not counted and sum("together" in one.clause.values for one in run) == 1:
            self.doubt(f"what runs beside {text_of(last.tokens)!r}")
        fork, ends = self.track.fork(), list[End]()
        sides = len(run)
        run = told_apart(run)
        both = any(token.lower in ("both", "each") for token in (*first.clause.tokens, *first.clause.lead))
        if len(run) > sides and not both and not any(acts(one.clause.subject) for one in run):
            self.doubt(f"who does {text_of(first.clause.tokens)!r}")
        if whiles and len(run) == 1:
            sub = next(sub for sub in run[0].trailing if sub.kind == "while")
            run = [replace(run[0], trailing=[]), Statement(replace(sub, kind="main"))]
        for one in run:
            self.track.frontier = [End(fork)]
            clause = replace(
                one.clause,
                marks=set(),
                front=(),
                values={
                    key: value
                    for key, value in one.clause.values.items()
                    if not key.startswith(("together", "schedule"))
                },
            )
            self._statement(replace(one, clause=clause, subs=[]), role, (), is_item=bool(role))
            ends += self.track.frontier
        self.track.join_next(ends, fork)
        del after

    def _beside(self, one: Statement) -> None:
        """Draw a statement beside what was told last."""
        found = self.track.beside()
        if found is None:
            self.doubt(f"what happens while {text_of(one.tokens)!r}")
            return
        fork, ends = found
        self.track.frontier = [End(fork)]
        self._statement(replace(one, clause=replace(one.clause, marks=set())), None, (), is_item=False)
        self.track.join_next(ends + self.track.frontier, fork)


def condition_of(sub: Clause) -> Condition:
    """Return what a subordinate clause says as a condition."""
    subject = () if sub.word == "amount" else sub.subject
    return read_condition(sub.tokens, negate=sub.kind == "unless", subject=subject)


def event_of(sub: Clause) -> tuple[str, bool] | None:
    """Return the event that starts a workflow, and whether it is a state: "order.received"; None for none."""
    if not sub.subject or (is_pronoun(sub.subject) and not sub.verb):
        event = slug(text_of(bare(sub.tokens)), fallback="", max_chars=60)
        return (event, True) if event and sub.word not in ("before", "for") else None
    noun = "_".join(token.lemma for token in bare(sub.subject)[-2:] if token.kind == "word")
    thing = bare(object_of(sub))
    if sub.voice == "active" and acts(sub.subject) and thing:
        noun = "_".join([*(token.lower for token in thing[-2:-1]), thing[-1].lemma])
    if sub.voice == "state":
        verb = "_".join(token.lower for token in sub.rest[:3])
    elif sub.verb in ("come", "arrive") and not acts(sub.subject):
        verb = "received"
    else:
        verb = inflected(sub.verb, "VBN")
    event = f"{slug(noun, fallback='')}.{slug(verb, fallback='')}".strip("._")[:100]
    return (event, sub.voice == "state") if event else None


def target_of(clause: Clause) -> Tokens:
    """Return to whom a clause hands the work without saying what is done there; empty for another clause."""
    moved = (clause.verb in word_set("verb.move") and clause.voice == "active") or (
        clause.verb == "escalate" and clause.voice in ("active", "passive")
    )
    passed = clause.verb in word_set("verb.hand") and clause.voice == "passive"
    rest = clause.rest
    at = next((at for at, token in enumerate(rest[:2]) if token.lower in ("to", "with", "over")), None)
    if not (moved or passed) or at is None or at + 1 >= len(rest):
        return ()
    if at == 1 and not rest[0].has("adv", "part") and (moved or not rest[0].has("pron")):
        return ()
    target = rest[at + 1 :]
    return target if acts(target) or not passed else ()


def is_late(sub: Clause, last: Clause) -> bool:
    """Say whether a condition is that the last step is not done in time."""
    timed = bool(durations_in((*sub.tokens, *sub.lead)))
    negated = bool(sub.lows & word_set("set.negations"))
    answers = {"answer", "response", "reply", "react", "respond"}
    if any(token.entry.noun in word_set("description.trouble") for token in sub.tokens):
        # "After a day without errors": nothing is late.
        return False
    lasts = sub.verb in ("take", "last", "need", "require") and bool(sub.lows & {"longer", "more"})
    return (
        (timed and (negated or lasts or sub.word == "after"))
        or bool(sub.lows & {"deadline", "overdue", "late"})
        or (negated and (last.verb in sub.lows or bool(sub.lows & answers)))
    )


def _points_on(tokens: Tokens) -> bool:
    """Say whether words only point to what follows: "it like this", "as follows", "so"."""
    said = [token.lower for token in tokens if token.lower not in ("it", "this", "that", "things")]
    return said in (["like"], ["as", "follows"], ["so"], ["the", "following", "way"])


def _time_alone(sub: Clause) -> str | None:
    """Return the time of "after 3 days", in ISO 8601; None where more is said."""
    found = durations_in(sub.tokens)
    if len(found) != 1 or sub.word != "after":
        return None
    (at, length), *_ = found
    return length.value if at == 0 and length.end == len(sub.tokens) else None


def _is_kind(clause: Clause) -> bool:
    """Say whether a clause is about some kind of things: "dogs get a chip"."""
    said = clause.subject
    return bool(said) and is_plural(said[-1]) and not acts(said) and not any(token.has("det", "pron") for token in said)


def _asked_in(clause: Clause) -> Tokens:
    """Return what "check if the room is free" and "decide whether to pay" ask; empty for another clause."""
    at = next((at for at, token in enumerate(clause.rest) if token.lower in ("if", "whether")), None)
    return clause.rest[at + 1 :] if at is not None else ()


def _is_renewed(clause: Clause) -> bool:
    """Say whether a clause does something anew: "makes a new offer", "picks another area"."""
    said = [token.lower for token in object_of(clause)[:2]]
    return clause.voice == "active" and (said[:1] == ["another"] or said in (["a", "new"], ["the", "next"]))


def _joins(sub: Clause) -> bool:
    """Say whether a clause only says that all before it is done: "when both are ready", "once this is done"."""
    said = [token.lower for token in sub.subject or sub.tokens]
    if said[:1] in (["both"], ["all"], ["everything"], ["everyone"]):
        return True
    pointing = set(said) & (word_set("set.joining") | {"it", "he", "she"})
    return bool(pointing) and bool(sub.lows & _DONE) and len(sub.tokens) < 5


def _case_in(clause: Clause) -> tuple[str, str] | None:
    """Return what parts things and what they are: ("damaged", "parcel"), ("with", "guest"); else None."""
    subject = clause.subject
    said = bare(subject)
    if "amount" in clause.values and set(clause.values["amount"]) & set(subject):
        return said[0].lower, said[0].lemma
    for at, token in enumerate(said):
        if at and token.lower in ("with", "without") and is_plural(said[at - 1]):
            return token.lower, said[at - 1].lemma
    if len(said) < 2 or not (is_plural(said[-1]) or said[-1].lower in ("ones", "one")) or subject[0].has("det"):
        return None
    first = said[0]
    outcome = first.lower in word_set("good") | word_set("bad") or first.lower.startswith(("un", "in", "non"))
    tells = (
        (first.has("adj") and not first.entry.form)
        or outcome
        or said[-1].lower in ("ones", "one")
        or first.entry.form in ("ed", "base ed")
    )
    return (first.lower, said[-1].lemma) if tells else None
