"""From the statements of sentences to the graph: what follows what, on which condition, beside what."""

from collections.abc import Sequence
from dataclasses import replace

from workflow_agent.assistant.offline.drafting.conditions import Condition, comparison_end, read_condition
from workflow_agent.assistant.offline.drafting.details import (
    Details,
    details_of,
    doubts_of,
    length_of,
    object_of,
    step_name,
    thing_of,
)
from workflow_agent.assistant.offline.drafting.grammar import Clause
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
    role_named,
    text_of,
)
from workflow_agent.assistant.offline.drafting.remarks import (
    event_of,
    is_habit,
    is_late,
    joins_ways,
    returns_to,
    subset_of,
    target_of,
    told_apart,
)
from workflow_agent.assistant.offline.drafting.statements import Statement, Sub
from workflow_agent.assistant.offline.lexicon import inflected, word_set
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, durations_in, schedule_at
from workflow_agent.values.stored import JsonObject


class Flow:
    """Draws a graph sentence by sentence."""

    def __init__(self) -> None:
        self.track = Track()
        self.graph = self.track.graph
        self.triggers: list[JsonObject] = []
        self.undrawn: list[str] = []
        self.used: set[int] = set()
        """Where tokens begin that a part of the draft says."""
        self.remarks: set[int] = set()
        """Where tokens begin that tell of no step: who somebody is, what for."""
        self.numbered: dict[int, str] = {}
        self.number: int | None = None
        """Of the list's item that is told."""
        self._thing: str = ""
        self._things: list[str] = []
        """What steps worked on, in their order."""
        self._is_full = False
        self._kind = ""
        """What "the others" and "damaged ones" are some of."""
        self._actor: tuple[Token, ...] = ()
        self._asked: tuple[str, tuple[Token, ...]] = ("", ())
        """What "it" and "he" were when the open question was asked."""
        self._moved_to: tuple[Token, ...] = ()
        self._who: tuple[Token, ...] = ()
        """Of the step told last."""
        self._last: tuple[Clause, Details, Node] | None = None
        self._firsts: list[Node] = []
        """The first step of each sentence."""
        self._told = 0
        """How many steps the sentence told."""
        self._loop: str | None = None
        """The question that the body of "as long as" leads back to."""
        self._bodies: dict[str, list[End]] = {}
        """Where the body of each loop ends."""
        self._later: list[Statement] = []
        self._patient = ""
        """What a passive that goes on is about."""
        self._is_labelled = False
        """Whether a sign parts the case that is told from what is done in it."""
        self._called: dict[str, str] = {}
        """By role, whether it was "he" or "she"."""
        self._is_unclear = False
        """Whether several persons were told of in the cases of the question before."""
        self._circumstance = ""
        """Where or when the step to come is done: " at the end of the day"."""
        self._in_chain = False
        """Whether the open question stands between two arrows, so that the next arrow leads on from it."""
        self._failed: Node | None = None
        """The step whose failure the sentence before told."""
        self._excepts = False
        """Whether the open question was asked by "unless"."""

    # ---- sentences

    def sentence(
        self, statements: Sequence[Statement], *, role: str | None = None, following: Sequence[Statement] = ()
    ) -> None:
        """Draw what a sentence tells.

        Args:
            statements: Its parts.
            role: Who does what an item of a list tells.
            following: The next sentence.
        """
        self._told, own = 0, list(statements)
        self._after_failure(own)
        if own and not self._is_further_arm(own[0], following):
            self._doubt_arm(own[0])
            self._is_unclear = self.track.decision is not None and self._actor != self._asked[1]
            self.track.close()
        groups = _at_once(own)
        at = 0
        while at < len(own):
            end = groups.get(at)
            after = [*own[at + 1 :], *following][:4]
            if end is not None:
                self._parallel(own[at:end])
            else:
                before = self._drawn()
                self._statement(own[at], role, after)
                told = {token.start for token in own[at].tokens if token.is_content}
                if told and before == self._drawn() and not told <= self.remarks:
                    self._doubt(text_of(own[at].tokens))
            at = end or at + 1
        for one in self._later:
            if "meanwhile" in one.marks:
                self._beside(one)
            else:
                self._statement(one, None, ())
        self._later = []
        self._end_sentence()

    def _doubt_arm(self, first: Statement) -> None:
        """Doubt whether a sentence still belongs to the last arm: by the same one, and without "then"."""
        decision, clause = self.track.decision, first.clause
        if decision is None or clause is None or first.marks or first.subs or not clause.subject:
            return
        told = role_named(clause.subject)
        same = told is not None and self._last is not None and told == self._last[2].role
        if len(decision.arms) > 1 and (is_pronoun(clause.subject) or same) and clause.voice == "active":
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")

    def _after_failure(self, own: Sequence[Statement]) -> None:
        """Go on from a step whose failure was told, where the sentence begins with "if it works"."""
        failed, self._failed = self._failed, None
        sub = own[0].subs[0] if own and own[0].subs else None
        otherwise = bool(own) and "else" in own[0].marks
        works = sub is not None and sub.kind in ("if", "when") and _condition(sub).polarity >= 0
        if failed is None or not (otherwise or works):
            return
        if sub is not None:
            self._use(sub.tokens)
            own[0].subs.pop(0)
        own[0].marks.discard("else")
        self.track.ended += [end for end in self.track.frontier if end.step != failed.id]
        self.track.frontier = [End(failed.id)]

    def _drawn(self) -> tuple[object, ...]:
        """Return what a statement changes that is drawn."""
        fields = sum(len(node.document) + len(node.document["name"]) for node in self.graph.nodes)
        track = self.track
        return (len(self.graph.nodes), len(self.graph.edges), fields, len(self.triggers), len(track.ended), track.arm)

    def finish(self) -> None:
        """Close what is open at the end of the text."""
        self._end_sentence()
        self._rejected()
        self.track.close()
        self.undrawn += self.track.doubts

    def _end_sentence(self) -> None:
        track = self.track
        if self._loop is not None and track.decision is not None:
            track.lead_back(self._loop)
            self._loop = None
        self._end_loop()
        track.end_sentence()

    def _end_loop(self) -> None:
        if self.graph.parent is not None:
            self.track.close()
            loop, self.graph.parent = self.graph.parent, None
            self._bodies[loop], self.track.frontier = self.track.frontier, [End(loop)]

    def _is_further_arm(self, first: Statement, following: Sequence[Statement]) -> bool:
        """Say whether a sentence adds an arm to the open question instead of going on after it."""
        decision = self.track.decision
        if decision is None:
            return False
        if first.marks & {"else", "yes"}:
            return True
        if first.subs and first.subs[0].kind in ("if", "unless", "when"):
            chained = bool(following) and "else" in following[0].marks and first.subs[0].kind == "if"
            return self._is_sibling(first.subs[0]) or (chained and not decision.has_else)
        return subset_of(first, (), is_open=True, is_told=True) is not None

    def _is_sibling(self, sub: Sub) -> bool:
        decision = self.track.decision
        if decision is None:
            return False
        returned = bool(decision.arms) and not decision.arms[-1].ends and self.track.arm is None
        if sub.kind == "when" and sub.word in ("after", "following", "upon", "once") and not returned:
            return False
        condition = _condition(sub)
        if sub.kind == "when" and condition.polarity == 0 and not condition.elliptic:
            return False
        parted = any(condition.parts_from(other) for other in decision.conditions)
        return parted and not any(arm.is_else for arm in decision.arms)

    # ---- statements

    def _statement(self, one: Statement, role: str | None, after: Sequence[Statement]) -> None:
        if len(self.graph.nodes) >= MOST_STEPS:
            if not self._is_full:
                self._doubt(f"what comes from {text_of(one.tokens)[:100]!r} on")
            self._is_full = True
            return
        self._use(one.lead)
        timed = any(token.lemma in word_set("doubts.units") for token in one.context)
        circumstance = ""
        if self.graph.nodes and one.clause is not None and not one.subs and is_definite(one.context):
            circumstance = f" {text_of(one.context)}"
            self._use(one.context)
        else:
            self.remarks |= {token.start for token in one.context}
            case = bool(one.context) and one.context[0].lower == "for"
            if timed or (any(token.is_content for token in one.context) and (self.graph.nodes or case)):
                self._doubt(text_of(one.context))
        self._circumstance = circumstance
        if "anyway" in one.marks:
            self.track.close()
            self.track.frontier += self.track.ended
            self.track.ended = []
        chained = one.joint == "->" and self._in_chain and self.track.arm is not None
        if ("last" in one.marks and self._told) or (chained and not (one.subs or one.marks & {"else", "yes"})):
            self.track.close()
        if one.subs or not one.joint:
            self._in_chain = one.joint == "->" and any(sub.word != "label ->" for sub in one.subs)
        if self._retried(one, after) or (one.marks & {"else", "seq"} and self._is_late_turn(one, after)):
            return
        if "else" in one.marks and not one.subs:
            self._otherwise(one)
        self._answered(one)
        if not (one.subs or one.marks & {"else", "yes"} or any(sub.kind == "if" for sub in one.trailing)):
            self._rejected()
        if one.schedule:
            self._schedule(one.schedule, _time_told(one.schedule))
        for sub in one.subs:
            if "else" in one.marks and sub.word == "amount" and sub.tokens[0].lower in ("with", "without"):
                self._doubt(f"otherwise {text_of(sub.tokens)!r}")
            self._sub(sub, one, after)
        self._of_subset(one, after)
        back = one.clause is not None and returns_to(one.clause, details_of(one.clause)) is not None
        branching = ("if", "unless", "while") if back else ("if", "unless")
        around = [sub for sub in one.trailing if sub.kind in branching]
        around.sort(key=lambda sub: sub.kind == "while")
        for sub in around:
            self._branch(_condition(sub), sub)
        if one.joint == "or" and one.subs and one.clause is not None:
            self._doubt(f"or {text_of(one.tokens)!r}")
        if one.joint == "or" and one.clause is not None and not one.subs and self._last is not None:
            self._or(one.clause)
        elif one.clause is not None:
            self._clause(one.clause, role, one, after)
        elif one.phrase:
            self._phrase(one, role)
        for sub in one.trailing:
            if sub.kind not in branching:
                self._trailing(sub, one)
        self._excepts = any(sub.kind == "unless" for sub in around) and bool(after) and "yes" in after[0].marks
        if around and not self._excepts:
            if one.trailing and after and after[0].joint and after[0].marks == {"seq"}:
                self._doubt(f"whether {text_of(after[0].tokens)!r} is for both cases")
            self.track.close()

    def _rejected(self) -> None:
        """Draw the way of who is rejected, where "approves or rejects" is told and no case follows."""
        track, last = self.track, self._last
        if last is None or track.decision is not None or [end.step for end in track.frontier] != [last[2].id]:
            return
        good = [verb for verb in last[0].verbs if verb in word_set("good")]
        if good and any(verb in word_set("bad") for verb in last[0].verbs):
            outcome = inflected(good[0], "VBN")
            track.open(Condition(outcome, 1, "", frozenset({good[0]})), rejects=True)
            track.close()

    def _or(self, clause: Clause) -> None:
        """Take "or asks for changes" as the other outcome of the step before."""
        if self._last is None:
            return
        own, details, node = self._last
        if clause.subject or clause.voice != own.voice or own.is_negated:
            self._doubt(f"or {text_of(clause.tokens)!r}")
        self._use(clause.tokens)
        other = step_name(clause, details_of(clause).rest, self._thing)
        node.document["name"] = capitalized(f"{node.document['name']} or {other[:1].lower()}{other[1:]}")
        self._last = (replace(own, verbs=(*(own.verbs or (own.verb,)), clause.verb)), details, node)

    def _answered(self, one: Statement) -> None:
        """Open or go on with the arm of "yes"."""
        if "yes" not in one.marks:
            return
        if self._excepts and self.track.decision is not None:
            self.track.else_arm()
        elif self.track.decision is not None:
            self.track.next_arm(Condition("yes", 1, "", frozenset({"yes"})))
        else:
            if self._last is None or not (self._last[0].verbs or self._last[0].verb in word_set("choice")):
                self._doubt(f"what is asked before {text_of(one.tokens)!r}")
            self.track.open(Condition("yes", 1, "", frozenset({"yes"})))

    def _otherwise(self, one: Statement) -> None:
        """Begin what happens otherwise; doubt it where it is told of no question."""
        if self.track.else_arm():
            self._thing, self._actor = self._asked
        else:
            self._doubt(f"otherwise {text_of(one.tokens)!r}")

    def _use(self, tokens: Sequence[Token]) -> None:
        self.used |= {token.start for token in tokens}

    def _doubt(self, *told: str) -> None:
        self.undrawn += [one for one in told if one not in self.undrawn]

    # ---- conditions

    def _sub(self, sub: Sub, one: Statement, after: Sequence[Statement]) -> None:
        if sub.kind == "foreach":
            self._for_each(sub)
        elif sub.kind in ("if", "unless"):
            event = event_of(sub) if sub.kind == "if" and not self.graph.nodes else None
            if event is not None and (sub.word.endswith(" of") or not event[1]):
                self._trigger(sub)
            else:
                self._branch(_condition(sub), sub, is_chained=bool(after) and "else" in after[0].marks)
        elif sub.kind == "while" and sub.word == "while" and sub.clause is not None:
            self._later.append(Statement(marks={"meanwhile"}, clause=sub.clause))
        elif sub.kind == "while":
            self._use(sub.tokens)
            last = self._last[2].document if self._last is not None else {}
            self._loop = self.track.open(_condition(sub)).node
            if _is_said_of(sub, str(last.get("assignee") or "")):
                # "As long as he is not satisfied": what he did is done again.
                self._loop = str(last["id"])
        elif sub.kind == "until" and "repeat" in one.marks:
            self._use(sub.tokens)
            self._until(sub, one)
        elif sub.kind == "until":
            one.trailing.insert(0, sub)
        elif sub.kind == "before" and sub.clause is not None and acts(sub.clause.subject):
            self._use(sub.tokens)
            if is_pronoun(sub.clause.subject):
                self._doubt(f"whether {text_of(sub.tokens)!r} is a step")
            self._thing = thing_of(object_of(sub.clause, sub.clause.rest)) or self._thing
            self._later.append(Statement(clause=sub.clause))
        else:
            self._when(sub)

    def _branch(self, condition: Condition, sub: Sub, *, is_chained: bool = False) -> None:
        self._doubt(*_doubts_of_condition(sub))
        self._is_labelled = sub.word.startswith("label")
        decision = self.track.decision
        meant = self._failing(sub, condition)
        if meant is not None:
            self.track.close()
            self._leave(meant)
            self._use(sub.tokens)
            return
        told = self.track.arm is None or self.track.arm.steps
        if decision is not None:
            self._thing, self._actor = self._asked
        rejects = self._last is not None and len(self._last[0].verbs) > 1
        if decision is not None and told and (self._is_sibling(sub) or (is_chained and not decision.has_else)):
            self.track.next_arm(condition)
        else:
            self._asked = self._thing, self._actor
            self.track.open(condition, rejects=rejects)
        self._use(sub.tokens)
        if decision is None and sub.clause is not None and sub.clause.verb and self._last is not None:
            own = [node for node in self.graph.nodes if node.verb == sub.clause.verb]
            if own and self._last[2] not in own:
                self._doubt(f"whether {condition.text!r} is asked after {own[-1].document['name']!r}")
        if decision is None and sub.clause is not None and not is_pronoun(sub.clause.subject):
            own = self.graph.named_role(role_named(sub.clause.subject) or "")
            if own and self._last is not None and self._last[2] is not own[-1] and own[-1].verb in word_set("choice"):
                self._doubt(f"whether {condition.text!r} is asked after {own[-1].document['name']!r}")
        if sub.clause is not None and not is_pronoun(sub.clause.subject):
            if sub.clause.voice != "active" and sub.clause.subject and is_plural(sub.clause.subject[-1]):
                self._thing = thing_of(sub.clause.subject) or self._thing
            self._actor = sub.clause.subject if acts(sub.clause.subject) else self._actor

    def _failing(self, sub: Sub, condition: Condition) -> Node | None:
        """Return the step before the last that a condition says fails: "if the test fails"."""
        clause = sub.clause
        if clause is None or clause.verb != "fail" or condition.polarity >= 0 or is_pronoun(clause.subject):
            return None
        words = {token.lemma for token in clause.subject if token.is_content}
        meant = [node for node in self.graph.nodes if words and words <= node.words | {node.verb}]
        is_last = self._last is not None and bool(meant) and meant[-1] is self._last[2]
        return meant[-1] if meant and not is_last else None

    def _when(self, sub: Sub) -> None:
        """Read "when an order comes in", "once both are ready", "after the interview"."""
        self._use(sub.tokens)
        if not self.graph.nodes:
            self._trigger(sub)
            return
        if joins_ways(sub) or (self.track.joins and _condition(sub).polarity > 0):
            self._doubt(*(_doubts_of_condition(sub) if sub.clause is not None else ()))
            self.track.close()
            self._end_loop()
            return
        if sub.word == "before":
            self._doubt(f"{sub.word} {text_of(sub.tokens)!r}")
        if self.track.decision is not None and self._is_sibling(sub):
            if {token.lower for token in sub.tokens} & {"done", "finished", "ready", "over"}:
                self._doubt(f"{sub.word} {text_of(sub.tokens)!r}")
            self.track.next_arm(_condition(sub))
            return
        condition = _condition(sub)
        if sub.clause is None and sub.word in ("after", "following", "upon", "before", "on"):
            self._after(sub)
        elif self._is_case(condition, sub):
            self._branch(condition, sub)
        else:
            self._close()
            self._doubt(f"{sub.word} {text_of(sub.tokens)!r}")

    def _is_case(self, condition: Condition, sub: Sub) -> bool:
        """Say whether "when it is rejected" and "once approved" tell a case rather than a time."""
        clause = sub.clause
        if sub.word == "when" and clause is not None and clause.voice == "state" and is_pronoun(clause.subject):
            return True
        if not condition.polarity or sub.word in ("after", "before"):
            return False
        chose = self._last is not None and (self._last[0].verbs or self._last[0].verb in word_set("choice"))
        return sub.word in ("when", "whenever", "only when") or (condition.elliptic and bool(chose))

    def _after(self, sub: Sub) -> None:
        """Go on behind the step that "after the interview" names; where it names none it is a time."""
        words = {token.lemma for token in sub.tokens if token.is_content}
        last = self._last
        self._close()
        if last is not None and last[0].verbs and any(akin(word, verb) for word in words for verb in last[0].verbs):
            self._doubt(f"{sub.word} {text_of(sub.tokens)!r}")
        meant = {node.id for node in self.graph.nodes if any(akin(word, own) for word in words for own in node.words)}
        ends = [end for end in self.track.frontier if end.step in meant]
        if ends:
            self.track.ended += [end for end in self.track.frontier if end not in ends]
            self.track.frontier = ends
        elif not meant:
            self.remarks |= {token.start for token in sub.tokens}

    def _close(self) -> None:
        """Lead the open question's arms on, unless one of them is being told."""
        if self.track.arm is None:
            self.track.close()

    def _trigger(self, sub: Sub) -> None:
        self._use(sub.tokens)
        self._doubt(*_doubts_of_condition(sub))
        found = event_of(sub)
        if found is None:
            self.remarks |= {token.start for token in sub.tokens}
            return
        event, _ = found
        if event and not self.triggers:
            self.triggers.append({"type": "event", "event": event})
        if sub.clause is not None:
            who = acts(sub.clause.subject)
            self._thing = thing_of(object_of(sub.clause, sub.clause.rest) if who else sub.clause.subject)
            self._actor = sub.clause.subject if who else self._actor

    def _schedule(self, tokens: Sequence[Token], schedule: JsonObject | None) -> None:
        if schedule is None or len(self.graph.nodes) > 1 or self.triggers:
            self._doubt(f"the time {text_of(tokens)!r}")
            return
        self._use(tokens)
        self.triggers.append(schedule)

    # ---- loops

    def _for_each(self, sub: Sub) -> None:
        self._use(sub.tokens)
        self.track.close()
        said = cased(bare(sub.tokens)) or cased(sub.tokens)
        loop = next((end.step for end in self.track.frontier if end.step in self._bodies), "")
        if loop and self.graph.by_id[loop].document["loop"] == {"over": said}:
            # Under a heading, each item is told with it.
            self.track.frontier, self.graph.parent = self._bodies[loop], loop
            return
        node = self.graph.add(capitalized(f"For each {said}"), "loop", loop={"over": said})
        self.track.enter(node)
        self.track.frontier, self.graph.parent = [], node.id
        self._thing = f"the {said}"

    def _trailing(self, sub: Sub, one: Statement) -> None:
        """Draw what a subordinate part behind a clause says of it."""
        self._use(sub.tokens)
        if sub.kind == "until":
            self._until(sub, one)
        elif sub.kind == "while" and sub.word == "while" and sub.clause is not None:
            self._beside(Statement(clause=sub.clause))
        elif sub.kind == "when" and self._starts(sub):
            self._trigger(sub)
        else:
            self._doubt(f"{sub.word} {text_of(sub.tokens)!r}")

    def _starts(self, sub: Sub) -> bool:
        """Say whether "when a build fails" behind the first sentence is what starts the work."""
        clause = sub.clause
        if clause is None or clause.voice == "state" or is_pronoun(clause.subject) or self.triggers:
            return False
        opens = sub.word not in ("after", "once", "following")
        return opens and len(self._firsts) == 1 and len(self.graph.nodes) == self._told

    def _until(self, sub: Sub, one: Statement) -> None:
        """Draw the way back of "until it is right": to the step, or to where what is repeated begins."""
        if self._last is None or self.track.arm is not None:
            self._doubt(f"the loop until {text_of(sub.tokens)!r}")
            return
        first = self._last[2]
        if self._last[1].schedule is not None:
            self._doubt(f"how often {text_of(self._last[0].tokens)!r}")
        if "repeat" in one.marks or one.clause is None or one.clause.verb in word_set("verb.repeat"):
            named = self._named(one.clause.rest) if one.clause is not None else []
            first = named[0] if named else self._firsts[-1]
        elif self._told > 1:
            self._doubt(f"what is repeated until {text_of(sub.tokens)!r}")
        condition = _condition(sub)
        self._doubt(*_doubts_of_condition(sub))
        plain = any(token.has("det", "prep", "noun") or token.value is not None for token in sub.tokens)
        if plain and (sub.clause is None or not (sub.clause.verb or sub.clause.subject)):
            self._doubt(f"the time until {text_of(sub.tokens)!r}")
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
            return [self.graph.by_id[self.numbered[number]]]
        if acts(said) and (role := role_named(said)) is not None:
            by_role = self.graph.named_role(role)
            if by_role:
                return by_role
        words = [token for token in said if token.is_content]
        for token in words:
            found = [node for node in self.graph.nodes if {token.entry.verb, token.lemma, token.lower} & node.words]
            if found:
                return found
        return []

    # ---- clauses

    def _clause(self, clause: Clause, role: str | None, one: Statement, after: Sequence[Statement]) -> None:
        details = details_of(clause)
        subject = self._subject_of(clause, one)
        if clause.is_relative and not one.joint:
            self._doubt(text_of(clause.tokens))
        if self._is_remark(clause, details, one) or self._repeats(clause, details, one):
            return
        if self._goes_back(clause, details, after) or self._ends(clause, details):
            return
        if self._moves(clause, details, after):
            return
        alone = not details.rest or details.rest[0].has("prep", "adv")
        happens = clause.verb in word_set("verb.event") and clause.voice == "active" and alone
        if happens and subject and not acts(subject):
            if not self.graph.nodes and clause.verb in ("arrive", "come", "land"):
                self._trigger(Sub("when", "when", clause.tokens, clause))
                return
            self._doubt(*([text_of(clause.tokens)] if clause.verb in ("happen", "occur") else []))
            self._step(clause, details, None, name=capitalized(cased(clause.tokens)))
            return
        who: tuple[Token, ...] = details.agent if clause.voice == "passive" else details.agent or subject
        named_by = bare(who)
        parted = any(token.has("wh", "prep") and token.lower != "of" for token in named_by[:-1])
        if len(named_by) > 4 or (parted and not any(token.has("pron") for token in named_by[:1])):
            self._doubt(f"who {text_of(who)!r} is")
        named = role or (role_named(who) if who and (acts(who) or clause.voice == "passive") else None)
        self._work(clause, details, who, named, one)

    def _work(self, clause: Clause, details: Details, who: tuple[Token, ...], role: str | None, one: Statement) -> None:
        if clause.voice == "active" and who and not role and not is_pronoun(who):
            if not details.rest or details.rest[0].has("prep", "adv"):
                # "The gate opens": what happens by itself is told whole.
                told = clause.tokens if clause.subject else (*who, *clause.tokens)
                if any(token.value is not None for token in who):
                    self._doubt(f"whether {text_of(told)!r} is a step")
                self._step(clause, details, None, name=capitalized(cased(told)))
                return
            if any(token.value is not None for token in who):
                self._doubt(f"who does {text_of(clause.tokens)!r}")
            role = role_named(who)
        begins = acts(clause.subject) if clause.subject else clause.form == "base"
        if (
            begins
            and self.track.arm is not None
            and (self.track.arm.is_else or (clause.subject and not self._is_labelled))
            and self.track.arm.steps
            and one.joint == ","
            and not one.subs
        ):
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")
        told = self._last[0] if self._last is not None and self._told else None
        orders = clause.voice == "active" and not clause.subject and clause.form == "base" and not role
        alone = not (one.is_item or one.subs or one.marks)
        if orders and alone and told is not None and told.subject and told.form != "base":
            self._doubt(f"who does {text_of(clause.tokens)!r}")
        if any(token.lower in ("and", "or") for token in bare(who)):
            self._doubt(f"who does {text_of(clause.tokens)!r}")
        said = bare(who)
        count = any(token.kind == "number" or (token.value or 0) > 1 for token in who[: len(who) - len(said)])
        if self._is_unclear and is_pronoun(clause.subject) and clause.subject[0].lower in ("he", "she"):
            self._doubt(f"who {clause.subject[0].lower!r} is")
        if who and is_pronoun(who) and who[0].lower in ("he", "she") and not role:
            self._doubt(f"who {who[0].lower!r} is")
        self._step(
            clause,
            details,
            role,
            counted=f" ({cased(who)})" if count else "",
            is_program=bool(who) and is_system(who),
            is_item=one.is_item,
        )
        if not clause.is_sure and not acts(clause.subject):
            self._doubt(f"who does {text_of(clause.tokens)!r}")
        if who and (acts(who) or (role and clause.voice == "active")):
            self._actor = () if is_pronoun(who) else who
        self._who, self._moved_to = who, ()

    def _step(
        self,
        clause: Clause,
        details: Details,
        role: str | None,
        *,
        name: str = "",
        counted: str = "",
        is_program: bool = False,
        is_item: bool = False,
    ) -> None:
        """Draw a step of a clause, and keep what later clauses call it."""
        self._use(clause.tokens)
        self._doubt_thing(clause, details, role)
        if details.rest and details.rest[-1].lower == "about":
            self._doubt(f"what {text_of(clause.tokens)!r} is about")
        name = name or step_name(clause, details.rest, self._thing_for(clause, is_item=is_item)) + counted
        if clause.voice == "passive" and clause.subject and not is_pronoun(clause.subject):
            self._patient = cased(clause.subject)
        elif clause.voice == "passive" and clause.subject:
            self._patient = self._thing
        name, self._circumstance = capitalized(name + self._circumstance), ""
        kind = "human" if role and not is_program else "action"
        if clause.verb in ("wait", "pause") and details.duration:
            kind, role = "wait", None
        retry = {"max_attempts": details.attempts} if details.attempts else None
        node = self.graph.add(
            name, kind, assignee=role, timeout=details.timeout, duration=details.duration, retry=retry
        )
        drawn = f"{name} {role or ''}".lower()
        told = (*details.rest, *bare(clause.subject)) if not clause.is_relative else ()
        front = () if clause.subject else clause.tokens[: len(clause.tokens) - len(clause.rest)]
        told = (*told, *[token for token in front if token.value is not None and not token.has("det")])
        said = [token for token in told if token.is_content and token.lemma not in drawn]
        lost = [token for token in said if token.text.lower() not in drawn]
        if lost and len(name) < 80:
            self._doubt(f"{text_of(lost)!r} in {text_of(clause.tokens)!r}")
        said = (*details.rest, *(clause.subject if clause.voice == "passive" else ()))
        words = {token.lemma for token in said if token.is_content} | {clause.verb, *clause.verbs}
        self.graph.know(node, role or "", clause.verb, frozenset(words))
        self.track.enter(node, verb=clause.verb)
        self._keep(clause, details, node)
        if details.schedule is not None:
            self._schedule(clause.tokens, details.schedule)
        if details.is_again and self._loop is None:
            self._doubt(f"the loop {text_of(clause.tokens)!r}")
        if clause.subject and clause.voice == "passive" and self.track.arm is None:
            self._doubt(*doubts_of(clause.subject))
        limited = any(token.lower in word_set("doubts.limits") for token in clause.subject)
        if limited or clause.is_negated or clause.verb in ("skip", "omit", "waive"):
            self._doubt(text_of(clause.tokens))
        self._doubt(*details.doubts)
        if clause.verbs and any(token.lower == "back" for token in details.rest):
            self._doubt(text_of(clause.tokens))
        lets = clause.verb == "let" and details.rest and details.rest[0].lower == "us"
        if clause.verb in word_set("verb.repeat") or lets:
            self._doubt(text_of(clause.tokens))
        if details.is_before and self.track.decision is not None and len(self.track.decision.arms) > 1:
            self._doubt(f"what {text_of(clause.tokens)!r} comes before")
        kind = bare(clause.subject)
        known = {word for one in self.graph.nodes[:-1] for word in one.words}
        if (
            clause.voice == "passive"
            and self.track.arm is None
            and len(kind) > 1
            and kind == clause.subject
            and kind[-1].lemma in known
        ):
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")
        tells = clause.subject[0].has("det") and len(bare(clause.subject)) > 1 if clause.subject else False
        asked = any(one.document["type"] == "decision" for one in self.graph.nodes)
        if tells and asked and bare(clause.subject)[0].lower in word_set("good") | word_set("bad"):
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")
        if any(token.lower in ("ones", "others", "other", "rest") for token in clause.subject):
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")
        if clause.verb not in word_set("verb.move") | word_set("verb.tell"):
            self._thing = thing_of(object_of(clause, details.rest)) or self._thing
            if self._thing and self._thing not in self._things:
                self._things.append(self._thing)

    def _doubt_thing(self, clause: Clause, details: Details, role: str | None) -> None:
        """Doubt what "it" is where another one works on it and several things were told of."""
        if details.is_again or not clause.subject or clause.voice != "active":
            return
        if any(token.lower == "it" for token in details.rest):
            last = self._last[2] if self._last is not None else None
            if len(self._things) > 1 and self._things[-1] == self._thing and last is not None and last.role != role:
                self._doubt(f"whether 'it' in {text_of(clause.tokens)!r} is {self._thing}")

    def _thing_for(self, clause: Clause, *, is_item: bool) -> str:
        """Return what "it", and a verb without its object, stand for."""
        if is_item and not clause.subject and not details_of(clause).rest:
            return ""
        told = self._last[0] if self._last is not None and self._told else None
        if clause.voice == "passive" and not clause.subject and told is not None and told.voice == "passive":
            return self._patient
        return self._thing

    def _keep(self, clause: Clause, details: Details, node: Node) -> None:
        self._last = (clause, details, node)
        if not self._told:
            self._firsts.append(node)
        self._told += 1
        if self.number is not None:
            self.numbered[self.number], self.number = node.id, None

    def _subject_of(self, clause: Clause, one: Statement | None = None) -> tuple[Token, ...]:
        """Return who a clause is about, for pronouns and where it goes on with the subject before."""
        if clause.is_relative:
            told = self._moved_to or self._person_told()
            if not told and clause.voice == "active":
                self._doubt(f"who does {text_of(clause.tokens)!r}")
            return told or self._actor
        if not clause.subject:
            if clause.form == "base":
                goes_on = self._told and self._last is not None and self._last[0].form == "base"
                return self._who if goes_on and not (one is not None and one.is_item) else ()
            plain = self._last is not None and self._last[0].form != clause.form and not clause.is_negated
            return () if plain else self._actor
        if is_pronoun(clause.subject):
            low = clause.subject[0].lower
            if low == "they" and clause.verb in word_set("verb.move") and self._thing:
                return ()
            if low in ("he", "she", "they", "who"):
                meant = self._moved_to or self._actor or clause.subject
                self._doubt_person(low, meant)
                return meant
        return clause.subject

    def _doubt_person(self, pronoun: str, meant: tuple[Token, ...]) -> None:
        """Doubt whom a pronoun means: the same one was "she", another person was told of last, "they" are one."""
        role = role_named(meant) or ""
        if pronoun == "they":
            roles = {node.role for node in self.graph.nodes if node.role}
            doubtful = len(roles) > 1 and not self._moved_to and not is_plural(meant[-1])
        elif self._last is not None and [token.lower for token in self._last[0].subject] == [pronoun]:
            doubtful = False
        else:
            person = self._person_told() if not self._moved_to else ()
            several = not person or is_plural(person[-1]) or person[0].lower in ("them", "us", "me", "you")
            named = not several and role_named(person) != role
            known = self._last is not None and any(token.lower in ("him", "her") for token in self._last[1].rest[-1:])
            doubtful = named or known
        if doubtful or (pronoun in ("he", "she") and self._called.setdefault(role, pronoun) != pronoun):
            self._doubt(f"who {pronoun!r} is")

    def _person_told(self) -> tuple[Token, ...]:
        """Return the person at the end of what was told last: "informs an expert, who …"."""
        if self._last is None:
            return ()
        rest = self._last[1].rest
        at = next((at for at in range(len(rest) - 1, -1, -1) if rest[at].has("det")), 0)
        return rest[at:] if rest and acts(rest[at:]) else ()

    def _phrase(self, one: Statement, role: str | None) -> None:
        """Draw a phrase without a verb: an item of a list, or who does the same in another case."""
        tokens = one.phrase
        said = bare(tokens)
        by = next((at for at, token in enumerate(tokens) if token.lower == "by"), None)
        who = tokens[by + 1 :] if by is not None else tokens if one.subs or "else" in one.marks else ()
        compares = by is not None and any(comparison_end(tokens, at) for at in range(by))
        is_same = compares or by == 0 or (by is None and bool(one.subs))
        if self._last is not None and who and acts(who) and is_same and not (by == 0 and one.is_item):
            if by and any(comparison_end(tokens, at) for at in range(by)):
                sub = Sub("if", "amount", tokens[:by])
                self._branch(_condition(sub), sub)
            clause, details, node = self._last
            self._use(tokens)
            again = self.graph.add(node.document["name"], "human", assignee=role_named(who))
            self.graph.know(again, role_named(who) or "", clause.verb, node.words)
            self.track.enter(again, verb=clause.verb)
            self._keep(clause, details, again)
            return
        if len(said) > 2 and [token.lower for token in tokens[:2]] == ["back", "to"]:
            targets = self._named(tokens[2:])
            if targets and (self.track.arm is not None or self.track.resume is not None):
                self._use(tokens)
                self.track.lead_back(targets[0].id)
                return
        limit = Details()
        if self._last is not None and not one.subs and length_of(tokens, limit) == len(tokens):
            self._use(tokens)
            self._last[2].document["timeout"] = limit.timeout
            return
        labelled = any(sub.word.startswith("label") for sub in one.subs)
        if not (one.is_item or labelled) or not any(token.is_content for token in tokens):
            tells = any(token.has("verb") and token.entry.form == "s" for token in tokens)
            if (self.graph.nodes or tells) and any(token.is_content for token in tokens):
                self._doubt(text_of(tokens))
            else:
                self.remarks |= {token.start for token in tokens}
            return
        self._item(tokens, said, role)

    def _item(self, tokens: tuple[Token, ...], said: tuple[Token, ...], role: str | None) -> None:
        """Draw an item of a list that has no verb of its own: "background check (HR)"."""
        clause = Clause((), said[0].lemma if said else "", "active", "base", said, tokens)
        details = details_of(clause)
        kept = details.rest or said or tokens
        role = role or role_named(details.agent)
        words = frozenset(word for token in kept for word in (token.lemma, token.entry.verb or "") if token.is_content)
        node = self.graph.add(
            capitalized(cased(kept)), "human" if role else "action", assignee=role, timeout=details.timeout
        )
        self.graph.know(node, role or "", "", words)
        self._use(tokens)
        self.track.enter(node)
        self._keep(clause, details, node)
        self._doubt(*details.doubts, *([f"whether {text_of(kept)!r} is one step"] if len(kept) > 8 else []))
        self._thing = thing_of(kept) or self._thing

    # ---- clauses that tell no step

    def _is_remark(self, clause: Clause, details: Details, one: Statement) -> bool:
        """Read what says something of the work and is no step: a state, a habit, a deadline."""
        given = duration_at(clause.rest, 0) if clause.verb == "have" else None
        if given is not None and given.end == len(clause.rest) and self._last is not None:
            # "The manager has two days" is about the manager's last step.
            named = self.graph.named_role(role_named(clause.subject) or "") or [self._last[2]]
            self._use(clause.tokens)
            named[-1].document["timeout"] = given.value
            return True
        sets = details.timeout and is_pronoun(clause.subject) and not details.rest
        plain = clause.verb in ("happen", "be", "take", "do", "") or clause.voice == "state"
        if sets and plain and self._last is not None:
            self._use(clause.tokens)
            self._last[2].document["timeout"] = details.timeout
            return True
        if any(token.kind == "number" for token in clause.tokens) and clause.voice == "state":
            self._doubt(text_of(clause.tokens))
        if not self.graph.nodes and not one.marks and is_habit(clause, details):
            self.remarks |= {token.start for token in clause.tokens}
            return True
        needs = clause.verb in ("need", "require", "complain")
        points = [token.lower for token in clause.subject] in (["that"], ["this"], ["everything"])
        if points and clause.verb in ("make", "help", "mean", "save", "happen", "work", "take"):
            self.remarks |= {token.start for token in clause.tokens}
            return True
        waits = clause.verb in word_set("verb.state") and needs == (clause.voice == "passive")
        if clause.voice == "state" or waits:
            if self.graph.nodes or one.subs:
                self._doubt(text_of(clause.tokens))
            self.remarks |= {token.start for token in clause.tokens}
            return True
        return False

    def _repeats(self, clause: Clause, details: Details, one: Statement) -> bool:
        """Read "repeat until …", "this goes on until …", "try again up to three times"."""
        retries = clause.verb in word_set("verb.retry") and (details.attempts or clause.verb == "retry")
        if retries and self._last is not None and details.attempts:
            self._use(clause.tokens)
            self._last[2].document["retry"] = {"max_attempts": details.attempts}
            return True
        loops = any(sub.kind == "until" for sub in one.trailing)
        if (clause.verb in word_set("verb.repeat") or "repeat" in one.marks) and loops:
            self._use(clause.tokens)
            return True
        return False

    def _goes_back(self, clause: Clause, details: Details, after: Sequence[Statement]) -> bool:
        """Draw "it goes back to the author", "the author writes again", "another one is offered"."""
        said = returns_to(clause, details)
        again = details.is_again or (
            bool(clause.subject) and clause.subject[0].lower == "another" and clause.voice == "passive"
        )
        if said is None and not again:
            return False
        if after and after[0].clause is not None and after[0].clause.is_relative:
            self._doubt(f"what comes after {text_of(clause.tokens)!r}")
            self._moved_to = tuple(said or ())
            self._use(clause.tokens)
            return True
        role = role_named(self._subject_of(clause) or self._actor) if clause.voice == "active" else None
        if said is not None:
            targets = self._named(said)
        else:
            targets = [
                node
                for node in self.graph.nodes
                if node.verb == clause.verb and (role is None or not node.role or node.role == role)
            ]
        if not targets and details.is_again and role is not None and self._loop is None:
            targets = [node for node in self.graph.nodes if node.role == role]
            if not clause.subject:
                self._doubt(f"where {text_of(clause.tokens)!r} leads")
        if not targets:
            if said is not None and (not said or not acts(said)):
                self._doubt(f"the loop {text_of(clause.tokens)!r}")
            return False
        self._use(clause.tokens)
        if self.track.arm is None and self.track.resume is None:
            self._doubt(f"on what condition {text_of(clause.tokens)!r}")
            return True
        if len({node.id for node in targets}) > 1:
            self._doubt(f"where {text_of(clause.tokens)!r} leads")
        note = f"at most {details.attempts} times" if details.attempts else ""
        self.track.lead_back(targets[0].id, note)
        self._loop = None
        return True

    def _ends(self, clause: Clause, details: Details) -> bool:
        """Read "the process ends" and "that's it"."""
        subject = {token.entry.noun or token.lower for token in clause.subject}
        whole = subject & (word_set("workflow") | {"it", "that", "this", "everything"})
        inside = self.track.arm is not None or self.track.resume is not None
        orders = inside and clause.form == "base"
        if clause.verb not in word_set("verb.end") or details.rest or not (whole or (orders and not clause.subject)):
            return False
        self._use(clause.tokens)
        if inside:
            self.track.ended += self.track.frontier
            self.track.frontier = []
        if self.track.arm is not None:
            self.track.arm.steps += 1
        return True

    def _moves(self, clause: Clause, details: Details, after: Sequence[Statement]) -> bool:
        """Read "it goes to the expert": the next clause says what the expert does, else it is a step."""
        target = target_of(clause, details)
        if target is None:
            return False
        if self._last is not None and clause.verb == "escalate" and self.track.arm is None:
            self._use(clause.tokens)
            self._last[2].document["escalate_to"] = role_named(target)
            return True
        self._moved_to = target if acts(target) else ()
        kinds = bool(clause.subject) and is_plural(clause.subject[-1]) and not clause.subject[0].has("det", "pron")
        if kinds and self.graph.nodes and self.track.arm is None:
            self._doubt(f"which case {text_of(clause.tokens)!r} is for")
        if self._moved_to and after and after[0].clause is not None and after[0].clause.is_relative:
            self._use(clause.tokens)
            return True
        if clause.voice == "passive":
            self._step(clause, details, role_named(details.agent))
            return True
        name = f"Go to {cased(target)}" if not acts(target) else f"Pass {self._thing or 'it'} to {cased(target)}"
        self._step(clause, details, None, name=capitalized(name))
        return True

    # ---- deadlines and retries

    def _leave(self, node: Node) -> None:
        if node.document.get("parent") != self.graph.parent or self.track.resume is not None:
            self._doubt(f"what goes on where {node.document['name']!r} is late or fails")
        self.track.leave(node.id)
        self._failed = node

    def _is_late_turn(self, one: Statement, after: Sequence[Statement]) -> bool:
        """Read "otherwise it goes to the mediator" behind a deadline: who gets it, or what is done then."""
        last = self._last
        if last is None or one.clause is None or one.subs or not last[2].document.get("timeout"):
            return False
        if self.track.decision is not None or "escalate_to" in last[2].document:
            return False
        follows = "after" in {token.lower for token in one.lead}
        hands = one.clause.verb in word_set("verb.hand") | word_set("verb.move") | {"escalate"}
        if "else" not in one.marks and not (follows and hands):
            return False
        return self._late(one.clause, one, after)

    def _late(self, clause: Clause, one: Statement, after: Sequence[Statement]) -> bool:
        """Draw what happens where the last step is late."""
        if self._last is None:
            return False
        details = details_of(clause)
        target = target_of(clause, details)
        told = clause.verb in ("notify", "inform", "tell", "alert", "remind")
        who = target or (object_of(clause, details.rest) if told else ())
        if who and acts(who) and after and after[0].clause is not None and after[0].clause.is_relative:
            self._use(clause.tokens)
            self._leave(self._last[2])
            self._moved_to = who
            return True
        if (target or clause.voice == "passive") and who and acts(who):
            self._use(clause.tokens)
            self._last[2].document["escalate_to"] = role_named(who)
            return True
        told = clause.verb in ("get", "receive") and any(t.among("verb.told") for t in details.rest)
        if acts(clause.subject) and (told or (clause.verb == "take" and any(t.is_("over") for t in details.rest))):
            # "Otherwise the lead gets a reminder", "if not, the lead takes over".
            self._use(clause.tokens)
            self._last[2].document["escalate_to"] = role_named(clause.subject)
            return True
        self._leave(self._last[2])
        self._clause(clause, None, one, after)
        return True

    def _retried(self, one: Statement, after: Sequence[Statement]) -> bool:
        """Read "if the call fails, retry three times", "if nobody answers in a day, …" of a step."""
        last, sub = self._last, next((sub for sub in one.subs if sub.kind in ("if", "when")), None)
        if last is None or sub is None or one.clause is None:
            return False
        details = details_of(one.clause)
        if one.clause.verb in word_set("verb.retry") and _condition(sub).polarity < 0 and details.attempts:
            self._use((*sub.tokens, *one.clause.tokens))
            last[2].document["retry"] = {"max_attempts": details.attempts}
            self._leave(last[2])
            return True
        if last[2].document.get("retry") and self.track.decision is None:
            condition = _condition(sub)
            failed = any(token.lower in ("still", "fails", "fail") for token in sub.tokens) or condition.polarity < 0
            if failed:
                self._use(sub.tokens)
                self._leave(last[2])
                self._clause(one.clause, None, one, after)
                return True
        if self.track.decision is None and is_late(sub, last[0]) and "timeout" not in last[2].document:
            lengths = durations_in(sub.tokens)
            if lengths:
                last[2].document["timeout"] = lengths[0][1].value
        if last[2].document.get("timeout") and self.track.decision is None and is_late(sub, last[0]):
            self._use(sub.tokens)
            return self._late(one.clause, one, after)
        return False

    # ---- subsets

    def _of_subset(self, one: Statement, after: Sequence[Statement]) -> None:
        """Read "damaged parcels are sent back, the others are put on the shelf" as arms of a question."""
        found = subset_of(one, after, is_open=self.track.decision is not None, is_told=bool(self.graph.nodes))
        if found is None or one.subs or one.clause is None:
            return
        clause = one.clause
        self._use(clause.tokens)
        if found == "else":
            self.track.else_arm()
        else:
            sub = Sub("if", "subset", told_apart(clause.subject))
            self._thing = thing_of(clause.subject[-1:]) or self._thing
            condition = _condition(sub)
            asked = self.track.decision.conditions if self.track.decision is not None else []
            if any(
                (condition.content & other.content and condition.polarity == other.polarity != 0)
                or (condition.bounds != other.bounds and not condition.content & word_set("doubts.compared"))
                for other in asked
            ):
                self._doubt(f"which case {text_of(clause.tokens)!r} is for")
            if self.track.decision is not None:
                self.track.next_arm(condition)
            else:
                self.track.open(condition)
        prep = next((at for at, token in enumerate(clause.subject) if at and token.has("prep")), None)
        head = clause.subject[prep - 1 if prep else -1]
        if head.lower not in ("ones", "others", "one", "rest") and not is_pronoun((head,)):
            self._kind = head.text.lower()
        self._thing = f"the {self._kind}" if self._kind else self._thing
        if clause.voice == "active" and acts(clause.subject) and clause.verb not in word_set("verb.move"):
            one.clause = replace(clause, subject=clause.subject[:prep] if prep else clause.subject[-1:])
        elif clause.voice == "active" or found == "else" or head.lower in ("ones", "others", "one"):
            one.clause = replace(clause, subject=())
            self._actor, self._patient = (), self._thing

    # ---- at once

    def _parallel(self, statements: Sequence[Statement]) -> None:
        """Draw statements beside each other."""
        first = statements[0]
        if (
            first.marks & {"meanwhile", "beside"}
            and "seq" not in first.marks
            and ("meanwhile" in first.marks or len(statements) == 1)
        ):
            for one in statements:
                self._beside(one)
            return
        self._use(first.lead)
        for sub in first.subs:
            self._sub(sub, first, ())
        if first.schedule:
            self._schedule(first.schedule, _time_told(first.schedule))
        if any(one.clause is not None and one.clause.is_relative for one in statements):
            self._doubt(f"who does {text_of(statements[0].tokens)!r}")
        fork, ends = self.track.fork(), list[End]()
        for one in _told_apart(statements):
            self.track.frontier = [End(fork)]
            self._statement(replace(one, subs=[], marks=set(), schedule=()), None, ())
            ends += self.track.frontier
        self.track.join_next(ends, fork)

    def _beside(self, one: Statement) -> None:
        """Draw a statement beside what was told last."""
        found = self.track.beside()
        if any(sub.kind == "while" for sub in one.trailing):
            self._doubt(f"what runs at once with {text_of(one.tokens)!r}")
        if found is None:
            self._doubt(f"what happens while {text_of(one.tokens)!r}")
            return
        fork, ends = found
        self.track.frontier = [End(fork)]
        self._statement(replace(one, marks=set()), None, ())
        self.track.join_next(ends + self.track.frontier, fork)


def _time_told(tokens: Sequence[Token]) -> JsonObject | None:
    found = schedule_at(tokens, 0)
    return found.value if found is not None else None


def _condition(sub: Sub) -> Condition:
    subject = sub.clause.subject if sub.clause is not None else ()
    return read_condition(sub.tokens, negate=sub.kind == "unless", subject=() if sub.word == "amount" else subject)


def _doubts_of_condition(sub: Sub) -> list[str]:
    """Return what may be wrong in a condition: a second clause that is no part of it, or nothing said."""
    tokens = sub.tokens
    told = f"the condition {text_of(tokens)[:120]!r}"
    says = any(token.is_content or token.has("neg") or token.lower in word_set("good") for token in tokens)
    says = says or any(token.lower in word_set("set.over") | word_set("set.under") for token in tokens)
    if not (says or sub.word == "amount") or len(tokens) > 16:
        return [told]
    if any(token.among("doubts.repeats") for token in tokens):
        return [told]
    verbs = [token for token in tokens if token.has("aux") and token.text != "IT" and token.lower not in ("be", "been")]
    verbs += [
        token
        for token in tokens
        if "s" in token.entry.form.split() and token.has("verb") and not token.has("noun", "aux")
    ]
    relative = any(token.lower in word_set("doubts.in_clause.who") for token in tokens)
    behind = sub.clause.rest if sub.clause is not None else ()
    finite = any(token.has("aux") and token.text != "IT" and token.lower not in ("be", "been") for token in behind)
    if (finite and not relative) or ", " in text_of(tokens):
        return [told]
    joined = sum(token.lower in ("and", "or") for token in tokens)
    return [told] if len(verbs) > 1 + relative + joined else []


def _is_said_of(sub: Sub, who: str) -> bool:
    """Say whether a condition is about a person: "he is not satisfied", "the critic isn't happy"."""
    subject = [token.lower for token in sub.clause.subject if not token.has("det")] if sub.clause else []
    return bool(who) and (subject in (["he"], ["she"], ["they"]) or " ".join(subject) == who.lower())


def _at_once(statements: Sequence[Statement]) -> dict[int, int]:
    """Return the stretches of statements that run at once, by their beginnings."""
    groups: dict[int, int] = {}
    at = 0
    while at < len(statements):
        end = at + 1
        while end < len(statements) and not statements[end].marks and not statements[end].subs:
            end += 1
        told = [i for i in range(at, end) if (one := statements[i].clause) and details_of(one).is_together]
        if told:
            # What stands behind "in parallel" comes after it.
            end = told[-1] + 1
        run = statements[at:end]
        if _is_at_once(run):
            groups[at] = end
        at = end
    return groups


def _is_at_once(run: Sequence[Statement]) -> bool:
    clauses = [one.clause for one in run if one.clause is not None]
    if not clauses:
        return False
    first = clauses[0]
    both = len(run) > 1 and [token.lower for token in first.subject] == ["both"]
    shared = any(token.lower == "both" for token in first.tokens[:1]) and first.voice != "passive"
    pair = len(first.subject) > 2 and not both and bool({"both", "each"} & {token.lower for token in first.tokens})
    told = any(details_of(clause).is_together for clause in clauses)
    marked = run[0].marks & {"meanwhile", "beside"}
    return (
        bool(marked)
        or both
        or (told and len(run) > 1)
        or (pair and shared is False and first.voice == "active")
        or (shared and len(first.subject) > 2)
    )


def _told_apart(statements: Sequence[Statement]) -> Sequence[Statement]:
    """Return one statement for each of "the plaintiff and the defendant both submit …"."""
    only = statements[0].clause
    if len(statements) > 1 or only is None:
        return [
            replace(one, clause=replace(one.clause, subject=()))
            if one.clause is not None and [token.lower for token in one.clause.subject] == ["both"]
            else one
            for one in statements
        ]
    at = next((at for at, token in enumerate(only.subject) if token.lower == "and"), None)
    if at is None:
        return statements
    sides = (only.subject[:at], only.subject[at + 1 :])
    return [replace(statements[0], clause=replace(only, subject=side)) for side in sides]
