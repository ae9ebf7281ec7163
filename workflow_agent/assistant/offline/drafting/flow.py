"""From the segments of sentences to the graph: what follows what, on which condition, beside what."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import (
    Condition,
    comparison_end,
    read_condition,
    text_of,
)
from workflow_agent.assistant.offline.drafting.details import Details, details_of
from workflow_agent.assistant.offline.drafting.doubts import doubt_of_condition, doubt_of_step, doubt_of_words
from workflow_agent.assistant.offline.drafting.grammar import Clause, is_plural, is_role, verb_of
from workflow_agent.assistant.offline.drafting.graph import MOST_STEPS, End, Graph, Node
from workflow_agent.assistant.offline.drafting.naming import (
    acts,
    bare,
    capitalized,
    cased,
    is_pronoun,
    is_system,
    object_of,
    role_named,
    shortened,
    step_name,
)
from workflow_agent.assistant.offline.drafting.sentence import Segment, Sub
from workflow_agent.assistant.offline.drafting.words import phrase_at
from workflow_agent.assistant.offline.lexicon import inflected, word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at
from workflow_agent.values.stored import JsonObject
from workflow_agent.workflows.model.parser import slug

_JOINING: Final = word_set("set.joining")
_VERBS_OF: Final = {
    "approval": "approve",
    "review": "review",
    "payment": "pay",
    "signature": "sign",
    "signing": "sign",
    "verification": "verify",
    "inspection": "inspect",
    "checking": "check",
    "processing": "process",
    "confirmation": "confirm",
    "testing": "test",
    "repair": "repair",
    "decision": "decide",
    "publication": "publish",
}
"""The work that a noun names behind "it goes to the manager for …"."""
_READY: Final = word_set("set.ready")


@dataclass(slots=True)
class Decision:
    """A question that parts the flow, and the arms told so far."""

    node: Node
    conditions: list[Condition]
    ends: list[End] = field(default_factory=list[End])
    """Where arms that were told to their end go on."""
    ended: list[End] = field(default_factory=list[End])
    """Where arms end that a bad outcome closes."""
    has_else: bool = False
    before: Node | None = None
    """The step it follows."""
    doubt: str = ""
    """What is unclear where something follows the arms."""
    closes: bool = False
    """Whether an arm that was told first ends the work unless what follows says otherwise."""


@dataclass(slots=True)
class Unit:
    """The last thing that was told: where it begins and ends, for what happens beside it."""

    first: str
    ends: list[End]
    fork: str | None = None


class Flow:
    """Draws a graph sentence by sentence."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.frontier: list[End] = []
        self.ended: list[End] = []
        self.triggers: list[JsonObject] = []
        self.assumptions: list[str] = []
        self.undrawn: list[str] = []
        self.unread: list[Token] = []
        self.used: list[Token] = []
        self.remarks: list[Token] = []
        """Tokens that structure was drawn of: ways back, deadlines, joins."""
        self._pending: tuple[Clause, tuple[Token, ...]] | None = None
        self.decision: Decision | None = None
        self.asked: tuple[Token, ...] = ()
        """The question in the text that the next decision answers."""
        self.numbered: dict[int, str] = {}
        self.awaiting_number: int | None = None
        self._in_arm = False
        self._must_join = False
        self._nouns: set[str] = set()
        self._unit: Unit | None = None
        self._thing = ""
        self._actor: tuple[Token, ...] = ()
        self._last: tuple[Clause | None, Details, Node] | None = None
        self._moved_to: tuple[Token, ...] = ()
        self._loop_back: str | None = None
        self._sentence_first: Node | None = None
        self._previous_first: Node | None = None
        self._previous_count = 0
        self._count = 0
        self._repeat_from: Node | None = None
        self._return_to: Node | None = None
        self._later: list[Segment] = []
        self._resume: list[End] | None = None
        self._is_aside = False
        self._of_subset = False
        self._alternatives: frozenset[str] = frozenset()
        self._follows_relative = False
        self._will_loop = False
        self._subject: tuple[Token, ...] = ()
        self._told_with: list[Sub] = []
        self._context: tuple[Token, ...] = ()

    # ---- sentences

    def sentence(
        self, segments: Sequence[Segment], *, is_list: bool = False, role: str | None = None
    ) -> None:
        """Draw what a sentence tells."""
        segments = list(segments)
        if self._closes_decision(segments):
            self._doubt_arm(segments[0])
            closing = segments[0].clause is not None and segments[0].clause.verb in word_set("verb.closing")
            ended = self.decision.ended if closing and self.decision is not None else []
            if self.decision is not None and closing:
                self.decision.ends += ended
                self.decision.ended = []
            self._close()
        if self._count:
            self._previous_first, self._previous_count = self._sentence_first, self._count
        self._sentence_first, self._count = None, 0
        groups = _parallel_groups(segments)
        at = 0
        while at < len(segments):
            if at in groups:
                self._parallel(segments[at : groups[at]])
                at = groups[at]
            else:
                following = segments[at + 1].clause if at + 1 < len(segments) else None
                self._follows_relative = following is not None and following.relative
                self._segment(segments[at], at, is_list=is_list, role=role)
                at += 1
        for segment in self._later:
            self._segment(segment, 0, is_list=False)
        self._later = []
        self._end_of_sentence()

    def _doubt_arm(self, first: Segment) -> None:
        """Doubt whether a sentence still belongs to the last arm: by the same one, and without "then"."""
        clause = first.clause
        if self.decision is None or clause is None or first.marks or first.subs or not clause.subject:
            return
        told, before = role_named(clause.subject), role_named(self._actor)
        same = told is not None and told == before
        if len(self.decision.conditions) + self.decision.has_else > 1 and (
            is_pronoun(clause.subject) or same
        ):
            self.undrawn.append(f"which case {text_of(clause.tokens)!r} is for")

    def _end_of_sentence(self) -> None:
        if self.graph.parent is not None:
            self._leave_loop()
        if self._loop_back is not None:
            self._end_repeat()
        if self._return_to is not None and self._in_arm:
            for end in self.frontier:
                self.graph.lead(end, self._return_to.id)
            self.frontier = []
        self._return_to = None
        if self._resume is not None:
            self._end_of_aside()
        if self._in_arm and self.decision is not None:
            self.decision.ends += self._arm_ends()
            self.frontier, self._in_arm, self._must_join = [], False, False

    def _closes_decision(self, segments: Sequence[Segment]) -> bool:
        """Say whether a sentence goes on after the arms told so far instead of adding one."""
        if self.decision is None or not segments:
            return False
        first = segments[0]
        if "else" in first.marks or "yes" in first.marks:
            return False
        if first.subs and first.subs[0].kind in ("if", "unless", "when"):
            condition = self._condition(first.subs[0])
            return not self._is_sibling(condition, first.subs[0])
        return not self._is_subset(first)

    def _is_sibling(self, condition: Condition, sub: Sub) -> bool:
        decision = self.decision
        if decision is None:
            return False
        if (
            sub.kind == "when"
            and condition.polarity == 0
            and (not condition.elliptic or sub.word in ("after", "following", "upon"))
        ):
            return False
        return any(condition.parts_from(other) for other in decision.conditions) and not decision.has_else

    # ---- segments

    def _segment(self, segment: Segment, at: int, *, is_list: bool, role: str | None = None) -> None:
        if len(self.graph.nodes) >= MOST_STEPS:
            self._unread(segment)
            return
        if "beside" in segment.marks:
            self._beside(Segment(clause=segment.clause))
            return
        if "anyway" in segment.marks:
            self._close()
            self.frontier += self.ended
            self.ended = []
        if (
            ("last" in segment.marks or "seq" in segment.marks)
            and at
            and not segment.subs
            and "last" in segment.marks
        ):
            self._close()
        if (
            segment.separator == "or"
            and at
            and segment.clause is not None
            and segment.clause.subject
            and not is_list
        ):
            if not self._else(segment):
                return
            self.undrawn.append(f"or {text_of(segment.clause.tokens)!r}")
        if "else" in segment.marks and not self._else(segment):
            return
        if (
            segment.clause is not None
            and segment.lead_tokens
            and segment.lead_tokens[0].lower == "after"
            and self._escalates_late(segment.clause)
        ):
            self.used += segment.clause.tokens
            return
        if "yes" in segment.marks and self.decision is None and self._last is not None:
            self._open(Condition("yes", 1, "", frozenset()))
        elif "yes" in segment.marks and self.decision is not None and not self._in_arm:
            self._arm(Condition("yes", 1, "", frozenset({"yes"})))
        for schedule in segment.schedules:
            self._schedule(schedule)
        for sub in segment.subs:
            self._sub(sub, segment)
        subset = None
        if self._is_rest(segment) and self.decision is not None:
            self._else(segment)
            segment.clause = (
                replace(segment.clause, subject=())
                if segment.clause and segment.clause.voice == "passive"
                else segment.clause
            )
        elif (subset := self._subset(segment)) is not None:
            self._branch(self._condition(subset), subset)
        self._of_subset = subset is not None
        self._context = segment.context
        if segment.wait is not None:
            self._step_of_wait(segment)
        if segment.clause is not None:
            self._clause(segment, role)
        elif segment.phrase:
            self._phrase(segment, is_list=is_list, role=role)
        for sub in segment.trailing:
            self._trailing(sub, segment)

    def _unread(self, segment: Segment) -> None:
        tokens = [token for sub in segment.subs for token in sub.tokens]
        tokens += segment.clause.tokens if segment.clause else segment.phrase
        tokens += [token for sub in segment.trailing for token in sub.tokens]
        self.unread += tokens
        if segment.subs:
            self.undrawn.append(f"the condition {text_of(segment.subs[0].tokens)!r}")

    def _phrase(self, segment: Segment, *, is_list: bool, role: str | None) -> None:
        """Draw a phrase without a verb, which is a step in a list and nothing elsewhere."""
        tokens = bare(segment.phrase) or segment.phrase
        if (
            self._in_arm
            and [token.lower for token in segment.phrase[:2]] == ["back", "to"]
            and (target := self._node_named(segment.phrase[2:]))
        ):
            self.used += segment.phrase
            self._draw_back(target, Details())
            return
        amount_of = self._last if segment.subs or "else" in segment.marks else None
        if amount_of is not None and (
            tokens[0].lower == "by"
            or all(token.has("noun", "adj", "name", "det") or token.text == "IT" for token in tokens)
        ):
            who = tuple(tokens[1:]) if tokens[0].lower == "by" else tuple(tokens)
            if acts(who):
                self._same_by(who)
                return
        if not is_list or not any(token.is_content for token in segment.phrase):
            self.unread += [token for token in segment.phrase if token.is_content]
            return
        if comparison_end(segment.phrase, 0) or any(
            token.lower in word_set("flow.phrase.no") or token.has("aux")
            for token in segment.phrase
            if token.text != "IT"
        ):
            self.undrawn.append(f"{text_of(segment.phrase)[:100]!r}")
        name = capitalized(shortened(cased(segment.phrase)))
        node = self._add_step(name, role, frozenset(token.lemma for token in tokens if token.is_content), "")
        self._thing = cased(segment.phrase)
        self._remember(None, Details(), node)

    def _same_by(self, who: tuple[Token, ...]) -> None:
        """Draw what the clause before does, done by another: "above that by the director"."""
        if self._last is None:
            return
        clause, details, node = self._last
        role = role_named(who)
        name = node.document["name"]
        again = self._add_step(name, role, node.words, clause.verb if clause else "")
        self._remember(clause, details, again)

    # ---- conditions

    def _condition(self, sub: Sub) -> Condition:
        tokens = sub.tokens
        if (doubt := doubt_of_condition(sub.tokens, sub.clause)) is not None and doubt not in self.undrawn:
            self.undrawn.append(doubt)
        subject = sub.clause.subject if sub.clause is not None else ()
        if sub.word == "amount":
            subject = ()
        return read_condition(tokens, negate=sub.kind == "unless", subject=subject)

    def _sub(self, sub: Sub, segment: Segment) -> None:
        if sub.kind == "foreach":
            self._enter_loop(sub)
        elif sub.kind == "when" or (sub.kind == "before" and sub.clause is not None):
            self._when(sub)
        elif "repeat" in segment.marks and sub.kind in ("until", "while") and self._last is not None:
            first = (
                self._sentence_first
                if self._count
                else self._previous_first
                if self._previous_count > 1
                else self.graph.nodes[0]
            )
            self._repeat_from = first or self._last[2]
            if len(self.graph.nodes) > 2:
                self.undrawn.append(f"what is repeated {sub.kind} {text_of(sub.tokens)!r}")
            self._until(sub, segment)
        elif (
            sub.kind == "while"
            and sub.clause is not None
            and sub.word == "while"
            and sub.clause.voice != "state"
        ):
            self._later.append(Segment(marks=frozenset({"beside"}), clause=sub.clause))
            if not acts(sub.clause.subject):
                self.undrawn.append(f"what happens while {text_of(sub.tokens)!r}")
        elif sub.kind == "while" and sub.clause is not None:
            self._repeat_while(sub)
        elif sub.kind in ("if", "unless"):
            if not self.graph.nodes and not self.triggers and sub.kind == "if" and self._starts_work(sub):
                self._trigger(sub)
                return
            self._branch(self._condition(sub), sub)
            if sub.clause is not None and acts(sub.clause.subject) and not is_pronoun(sub.clause.subject):
                self._actor = sub.clause.subject
        else:
            lost = self.remarks if sub.kind == "before" and not self.graph.nodes else self.unread
            lost += [token for token in sub.tokens if token.is_content]
            if sub.kind in ("until", "while"):
                self.undrawn.append(f"the loop {text_of(sub.tokens)!r}")

    def _starts_work(self, sub: Sub) -> bool:
        return (
            sub.clause is not None
            and sub.clause.voice == "active"
            and sub.clause.verb in word_set("flow.starts_work.arrive")
        )

    def _branch(self, condition: Condition, sub: Sub | None) -> None:
        if (
            self.decision is not None
            and (self._in_arm or self.decision.ends or self.decision.ended or not self.frontier)
            and sub is not None
            and self._is_sibling(condition, sub)
        ):
            self._arm(condition)
            return
        if self._in_arm:
            self._close()
        self._close()
        earlier = self._step_meant(sub) if sub is not None and condition.polarity < 0 else None
        if earlier is not None:
            self._aside_after(earlier, condition)
            return
        self._open(condition)

    def _step_meant(self, sub: Sub) -> Node | None:
        """Return the earlier step, not the last, whose outcome a condition tells: "if the test fails"."""
        if (
            sub.clause is None
            or sub.clause.verb not in ("fail", "be")
            or self._last is None
            or self.graph.parent
        ):
            return None
        said = {token.lemma for token in sub.clause.subject if token.is_content} | {
            verb_of(token) for token in sub.clause.subject if token.is_content
        }
        fails = sub.clause.verb == "fail"
        fitting = [
            node
            for node in self.graph.nodes
            if said
            and (
                (fails and said <= node.words | {node.verb})
                or (len(said) == 1 and any(word == node.verb or _akin(word, node.verb) for word in said))
            )
        ]
        if len(fitting) != 1 or fitting[0] is self._last[2] or fitting[0].document["type"] == "decision":
            return None
        return fitting[0]

    def _aside_after(self, node: Node, condition: Condition) -> None:
        """Begin an arm behind an earlier step; what follows the sentence goes on where it was."""
        self._resume = list(self.frontier)
        question = self.graph.add(capitalized(shortened(condition.text)) + "?", "decision")
        self.graph.nodes.remove(question)
        self.graph.nodes.insert(self.graph.nodes.index(node) + 1, question)
        for edge in self.graph.edges:
            if edge["from"] == node.id:
                edge["from"], edge["type"] = question.id, "default"
        self.graph.lead(End(node.id), question.id)
        self.decision = Decision(question, [condition], before=node, has_else=True)
        self.frontier = [End(question.id, condition.text, "condition")]
        self._in_arm, self._unit, self._is_aside = True, None, True

    def _open(self, condition: Condition) -> Decision:
        """Begin a decision with its first arm."""
        before = self._last[2] if self._last is not None else None
        subject = text_of(self.asked) or condition.text.removeprefix("not: ")
        self.used += self.asked
        self.asked = ()
        node = self.graph.add(capitalized(shortened(subject)) + "?", "decision")
        self._enter(node.id)
        self.decision = Decision(node, [condition], before=before)
        self.frontier = [End(node.id, condition.text, "condition")]
        self._in_arm, self._unit = True, None
        return self.decision

    def _arm(self, condition: Condition) -> None:
        """Begin a further arm of the open decision."""
        if self.decision is None:
            return
        if self._in_arm:
            self.decision.ends += self._arm_ends()
        same = [one for one in self.decision.conditions if one.polarity == condition.polarity != 0]
        if same and not (condition.bounds and same[0].bounds):
            self.undrawn.append(f"whether {condition.text!r} is asked with {same[0].text!r} or after it")
        self.decision.conditions.append(condition)
        self.frontier = [End(self.decision.node.id, condition.text, "condition")]
        self._in_arm, self._must_join, self._unit = True, False, None

    def _arm_ends(self) -> list[End]:
        """Return where the arm that is told goes on; one that a bad outcome closes goes nowhere."""
        decision = self.decision
        if decision is None:
            return []
        if self._must_join:
            self._join()
        told = self._last[0] if self._last is not None else None
        verb = told.verb if told is not None else ""
        last = decision.conditions[-1]
        is_bad = last.polarity < 0 or (decision.has_else and decision.conditions[0].polarity > 0)
        if (
            is_bad
            and verb in word_set("verb.rework")
            and self.frontier
            and self._loop_back is None
            and self._last is not None
        ):
            self.undrawn.append(f"what follows {self._last[2].document['name']!r}: is it looked at again?")
        known = word_set("verb.terminal") | word_set("verb.rework")
        if last.polarity < 0 and verb not in known and self._last is not None and self._loop_back is None:
            decision.doubt = f"whether the work goes on after {self._last[2].document['name']!r}"
        if (
            is_bad
            and verb in word_set("verb.terminal")
            and self.frontier
            and self.frontier[0].step != decision.node.id
        ):
            decision.ended += self.frontier
            return []
        return self.frontier

    def _else(self, segment: Segment) -> bool:
        """Begin the other arm; say whether anything of the segment is left to draw."""
        clause = segment.clause
        last = self._last
        late = (
            last is not None
            and last[2].document.get("timeout")
            and (self.decision is None or (not self._in_arm and not self.decision.ends))
        )
        if (
            late
            and clause is not None
            and last is not None
            and (
                clause.verb == "escalate"
                or (clause.verb in word_set("verb.move") and clause.voice == "active")
            )
        ):
            who = _after_to(clause.rest)
            if who:
                last[2].document["escalate_to"] = cased(bare(who))[:100]
                self.used += (*clause.tokens, *segment.lead_tokens)
                return False
        if self.decision is None:
            if last is None:
                self.undrawn.append(f"the branch {text_of(segment.lead_tokens)!r}")
                return True
            if not late and last[2].verb not in word_set("choice") | word_set("verb.about"):
                self.undrawn.append(f"otherwise than {last[2].document['name']!r}")
            told = f"not: {last[2].document['name'].lower()}" if not late else "not in time"
            self._open(Condition(told, -1, "", frozenset(), elliptic=True))
            return True
        if self._in_arm:
            self.decision.ends += self._arm_ends()
        self.decision.has_else = True
        self.frontier = [End(self.decision.node.id, None, "default")]
        self._in_arm, self._must_join, self._unit = True, False, None
        return True

    def _close(self) -> None:
        """Go on after the arms of the open decision."""
        decision = self.decision
        if decision is None:
            return
        if self._in_arm:
            decision.ends += self._arm_ends()
        elif self.frontier:
            decision.ends += self.frontier
        exhausted = decision.has_else or len(decision.conditions) > 1
        self.frontier = list(decision.ends)
        self.ended += decision.ended
        if not exhausted:
            self.frontier.append(End(decision.node.id, None, "default"))
        elif not self.frontier:
            self.frontier, self.ended = [], self.ended
        self.decision, self._in_arm, self._must_join, self._unit = None, False, False, None

    # ---- when

    def _when(self, sub: Sub) -> None:
        if sub.kind == "before":
            if sub.clause is not None and acts(sub.clause.subject):
                self._later.append(Segment(clause=sub.clause))
            else:
                self.unread += [token for token in sub.tokens if token.is_content]
            return
        if not self.graph.nodes:
            self._trigger(sub)
            return
        lows = {token.lower for token in sub.tokens}
        subject = {token.lower for token in sub.clause.subject} if sub.clause else lows
        all_of_them = (
            sub.clause is not None
            and sub.clause.subject
            and sub.clause.subject[0].lower in ("both", "all", "everything", "everyone")
        )
        if all_of_them or (subject & _JOINING and lows & _READY and (self._must_join or not self._in_arm)):
            self._close()
            self.used += sub.tokens
            return
        condition = self._condition(sub)
        if self.decision is not None and self._is_sibling(condition, sub):
            self._arm(condition)
            return
        self._close()
        if self._was_told(sub):
            self.used += sub.tokens
            return
        if condition.polarity != 0 and (
            condition.elliptic or (self._last is not None and self._last[2].verb in word_set("choice"))
        ):
            self._branch(condition, sub)
            return
        clause = sub.clause
        if (
            clause is not None
            and clause.voice == "active"
            and acts(clause.subject)
            and not is_pronoun(clause.subject)
            and clause.verb not in word_set("verb.event")
        ):
            self._clause(Segment(clause=clause), None)
            return
        node = self.graph.add(
            capitalized(shortened(text_of(sub.tokens))),
            "event",
            event=slug(text_of(sub.tokens), max_chars=60),
        )
        self._enter(node.id)
        self._unit = None

    def _was_told(self, sub: Sub) -> bool:
        """Say whether a time clause speaks of a step that was told before: "once the contract is signed"."""
        clause = sub.clause
        said = sub.tokens if clause is None else clause.subject if clause.voice == "state" else ()
        verbs = {clause.verb} if clause is not None else set[str]()
        verbs |= {form for token in said for form in (token.entry.verb, token.entry.noun) if form}
        if self._last is None or (clause is None and len(said) > 5):
            return False
        recent = self.graph.nodes[-12:]
        return any(
            node.verb and (node.verb in verbs or any(_akin(node.verb, verb) for verb in verbs))
            for node in recent
        )

    def _trigger(self, sub: Sub) -> None:
        clause = sub.clause
        self.used += sub.tokens
        if clause is None or not clause.subject or (is_pronoun(clause.subject) and clause.verb == "be"):
            event = slug(text_of(bare(sub.tokens)), fallback="", max_chars=60)
        else:
            noun = "_".join(token.lemma for token in bare(clause.subject)[-2:] if token.kind == "word")
            if (
                clause.voice == "active"
                and acts(clause.subject)
                and (thing := bare(object_of(clause, clause.rest)))
            ):
                noun = "_".join([*(token.lower for token in thing[-2:-1]), thing[-1].lemma])
            verb = (
                "received"
                if clause.verb in ("come", "arrive") and not acts(clause.subject)
                else inflected(clause.verb, "VBN")
            )
            verb = "_".join(token.lower for token in clause.rest[:3]) if clause.voice == "state" else verb
            event = f"{slug(noun, fallback='')}.{slug(verb, fallback='')}".strip("._")
        if event:
            self.triggers.append({"type": "event", "event": event[:100]})
        if clause is not None:
            thing = clause.subject if not acts(clause.subject) else object_of(clause, clause.rest)
            self._thing = _thing_named(thing) or self._thing
            self._actor = clause.subject if acts(clause.subject) else self._actor
            if clause.negated:
                self.undrawn.append(f"the condition {text_of(sub.tokens)!r}")

    def _schedule(self, tokens: tuple[Token, ...]) -> None:
        found = schedule_at(tokens, 0)
        if found is None or self.graph.nodes:
            self.unread += [token for token in tokens if token.is_content]
            self.undrawn.append(f"the time {text_of(tokens)!r}")
            return
        self.used += tokens
        self.triggers.append(found.value)

    # ---- loops

    def _enter_loop(self, sub: Sub) -> None:
        self._close()
        if not self.graph.nodes:
            self.undrawn.append(f"how much is done for each {text_of(sub.tokens)!r}")
        said = cased(bare(sub.tokens)) or cased(sub.tokens)
        node = self.graph.add(shortened(f"For each {said}"), "loop", loop={"over": said})
        self._enter(node.id)
        self.frontier = []
        self.graph.parent = node.id
        self._thing = f"the {said}"

    def _leave_loop(self) -> None:
        loop = self.graph.parent
        if loop is None:
            return
        self._close()
        self.graph.parent = None
        self.frontier = [End(loop)]
        self._unit = None

    def _repeat_while(self, sub: Sub) -> None:
        """Begin "as long as …, …": the body leads back to the question."""
        self._close()
        condition = self._condition(sub)
        self._loop_back = self._open(condition).node.id

    def _end_repeat(self) -> None:
        back, self._loop_back = self._loop_back, None
        if back is None or self.decision is None:
            return
        for end in self.frontier:
            self.graph.lead(end, back)
        self.frontier = []
        self.decision.ends += []

    def _trailing(self, sub: Sub, segment: Segment) -> None:
        """Draw what a subordinate part behind a clause says of it."""
        if self._last is None or (segment.clause is None and not segment.phrase):
            self.unread += [token for token in sub.tokens if token.is_content]
            return
        if sub.kind == "until" and self._last[2].document["type"] == "wait":
            node = self._last[2]
            node.document["name"] = shortened(f"{node.document['name']} until {cased(sub.tokens)}")
        elif sub.kind == "until" or (sub.kind == "while" and sub.word != "while"):
            self._until(sub, segment)
        elif (
            sub.kind == "before"
            and self._in_arm
            and (target := self._node_named(sub.tokens)) is not None
            and target is not self._last[2]
        ):
            self._aside_before(target)
        elif sub.kind == "before" and sub.clause is not None and acts(sub.clause.subject):
            self._later.append(Segment(clause=sub.clause))
        elif sub.kind == "if" and self._last[2].verb in word_set("verb.check") and not self._last[1].rest:
            self._last[2].document["name"] = shortened(
                f"{self._last[2].document['name']} {sub.word} {cased(sub.tokens)}"
            )
        elif sub.kind in ("if", "unless"):
            self._conditional_after(sub)
        elif sub.kind == "while" and sub.clause is not None and sub.clause.voice == "active":
            self._beside(Segment(clause=sub.clause))
        elif (
            sub.kind == "when"
            and sub.clause is not None
            and (self._was_told(sub) or (not self.triggers and len(self.graph.nodes) == 1))
        ):
            if not self._was_told(sub) or len(self.graph.nodes) == 1:
                self._trigger(sub)
        elif sub.kind == "when" and self._condition(sub).polarity:
            self._conditional_after(sub)
        else:
            self.unread += [token for token in sub.tokens if token.is_content]
            if sub.kind in ("when", "foreach", "while"):
                self.undrawn.append(f"{sub.word} {text_of(sub.tokens)!r}")

    def _aside_before(self, target: Node) -> None:
        """Put the arm that is told in front of an earlier step: "…, inform her before storing it"."""
        decision = self.decision
        if decision is None:
            return
        question = decision.node.id
        entered = list(self.graph.into.get(question, ()))
        self._resume = [End(edge["from"], edge.get("when"), edge["type"]) for edge in entered]
        self.graph.edges = [edge for edge in self.graph.edges if edge["to"] != question]
        self.graph.into[question] = []
        self.graph.redirect(target.id, question)
        self.graph.lead(End(question, None, "default"), target.id)
        for end in self.frontier:
            self.graph.lead(end, target.id)
        self.frontier, self._in_arm, self.decision = [], False, None

    def _end_of_aside(self) -> None:
        if self._is_aside:
            self.ended += self.frontier if self.decision is None else []
            if self.decision is not None:
                self.ended += self._arm_ends() if self._in_arm else self.decision.ends
                self.ended += self.decision.ended
            self.decision, self._in_arm, self._is_aside = None, False, False
        self.frontier, self._resume, self._unit = self._resume or [], None, None

    def _conditional_after(self, sub: Sub) -> None:
        """Put the condition in front of the step that was just drawn."""
        if self._last is None:
            return
        node = self._last[2]
        condition = self._condition(sub)
        if self._in_arm or self._unit is None or self._unit.first != node.id:
            self.unread += [token for token in sub.tokens if token.is_content]
            self.undrawn.append(f"the condition {text_of(sub.tokens)!r}")
            return
        question = self.graph.add(
            capitalized(shortened(condition.text.removeprefix("not: "))) + "?", "decision"
        )
        self.graph.redirect(node.id, question.id)
        self.graph.nodes.remove(question)
        self.graph.nodes.insert(self.graph.nodes.index(node), question)
        self.graph.lead(End(question.id, condition.text, "condition"), node.id)
        self.decision = Decision(question, [condition], list(self.frontier))
        self.frontier, self._unit, self._in_arm = [], None, False

    def _until(self, sub: Sub, segment: Segment) -> None:
        """Draw the way back of "… until …" and "… as long as …"."""
        if self._last is None or self._must_join or not self.frontier:
            self.unread += [token for token in sub.tokens if token.is_content]
            self.undrawn.append(f"the loop {text_of(sub.tokens)!r}")
            return
        if self._repeat_from is None and self._count > 1:
            self.undrawn.append(f"what is repeated until {text_of(sub.tokens)!r}")
        first = self._repeated_from(segment, self._last[2])
        condition = self._condition(sub)
        question = self.graph.add(capitalized(shortened(condition.text)) + "?", "decision")
        for end in self.frontier:
            self.graph.lead(end, question.id)
        limit = self._last[1].limit
        often = f" (at most {limit} times)" if limit else ""
        if sub.kind == "until":
            self.graph.lead(
                End(question.id, f"not yet{often}", "default")
                if not often
                else End(question.id, f"not yet{often}", "condition"),
                first,
            )
            self.frontier = [End(question.id, condition.text, "condition")]
        else:
            self.graph.lead(End(question.id, condition.text + often, "condition"), first)
            self.frontier = [End(question.id, None, "default")]
        self._unit = None

    def _repeated_from(self, segment: Segment, last: Node) -> str:
        if self._repeat_from is not None:
            first, self._repeat_from = self._repeat_from, None
            return first.id
        if (
            segment.separator == "and"
            and self._sentence_first is not None
            and "seq" not in segment.marks
            and self._count == 2
        ):
            return self._sentence_first.id
        return last.id

    # ---- clauses

    def _clause(self, segment: Segment, role: str | None) -> None:
        clause = segment.clause
        if clause is None:
            return
        details = details_of(clause)
        self._subject = subject = self._subject_of(clause)
        self._told_with = segment.trailing
        self._will_loop = any(sub.kind in ("until", "while") for sub in segment.trailing)
        for read in (
            self._remark,
            self._repeats,
            self._retries,
            self._goes_back,
            self._ends,
            self._says_deadline,
            self._moves,
            self._again,
        ):
            if read(clause, details):
                self.used += clause.tokens
                return
        self._work(clause, details, subject, role)

    def _subject_of(self, clause: Clause) -> tuple[Token, ...]:
        if clause.relative and not self._moved_to and self._last is not None and self._last[0] is not None:
            told = self._last[1].rest
            who = _after_to(told)
            if who and acts(who):
                return who
            if told and acts(told):
                return tuple(told[-3:] if len(told) > 3 else told)
        if clause.relative or (clause.inherits and clause.voice != "passive"):
            return self._moved_to or self._actor
        subject = clause.subject
        if (
            is_pronoun(subject)
            and subject[0].lower in ("he", "she", "they", "who")
            and clause.voice == "active"
        ):
            return self._moved_to or self._actor
        if is_pronoun(subject) and subject[0].lower == "it" and clause.voice == "active":
            return self._actor
        return subject

    def _remark(self, clause: Clause, details: Details) -> bool:
        """Leave out what tells no work: what somebody thinks, what holds, what is not done."""
        if (
            clause.inherits
            and len(clause.tokens) > 2
            and clause.tokens[0].has("aux")
            and clause.tokens[1].has("pron", "det")
        ):
            self.unread += [token for token in clause.tokens if token.is_content]
            self.undrawn.append(f"the condition {text_of(clause.tokens)!r}")
            return True
        if (
            not self.graph.nodes
            and clause.subject
            and clause.subject[0].lower == "we"
            and clause.form == "base"
            and _is_general(details.rest)
        ):
            self.remarks += [token for token in clause.tokens if token.is_content]
            return True
        has = (
            clause.verb == "have"
            and not {token.lower for token in clause.rest} & word_set("had")
            and not _caused(clause.rest)
            and not any(token.lower == "to" for token in clause.rest)
        )
        if (
            has
            or clause.voice == "state"
            or clause.verb in word_set("verb.state")
            or clause.negated
            or clause.modal in ("would", "could", "might", "may", "did")
        ):
            if (
                clause.voice == "state"
                and clause.verb == "be"
                and not clause.negated
                and any(token.lower in ("over", "done", "finished", "complete") for token in clause.rest)
            ):
                return True
            self.remarks += [token for token in clause.tokens if token.is_content]
            if self.graph.nodes and (
                details.structure
                or clause.modal in ("may", "might", "could", "would")
                or clause.negated
                or details.timeout
                or any(token.kind == "number" for token in details.rest)
            ):
                self.undrawn.append(f"what {text_of(clause.tokens)!r} says")
            return True
        if (
            clause.subject
            and clause.subject[0].lower in ("that", "this", "everything")
            and len(clause.subject) == 1
            and clause.verb in ("make", "help", "happen", "work", "take")
        ) and (clause.verb != "take" or details.duration is None):
            if not self._moves_deadline(clause, details):
                self.remarks += [token for token in clause.tokens if token.is_content]
            return True
        return False

    def _moves_deadline(self, clause: Clause, details: Details) -> bool:
        """Read "that must happen within a day" of the step before."""
        if clause.verb in ("happen", "take") and details.timeout and self._last is not None:
            self._last[2].document["timeout"] = details.timeout
            return True
        return False

    def _says_deadline(self, clause: Clause, details: Details) -> bool:
        """Read "the office has four weeks to answer" and "which takes about a week"."""
        subject = self._subject
        if (
            clause.verb == "have"
            and (length := duration_at(clause.rest, 0)) is not None
            and length.end + 1 < len(clause.rest)
            and clause.rest[length.end].lower == "to"
        ):
            verb = clause.rest[length.end + 1]
            told = replace(clause, verb=verb_of(verb), verbs=(verb,), rest=clause.rest[length.end + 2 :])
            self._work(told, replace(details_of(told), timeout=length.value), subject, None)
            return True
        if (
            clause.verb == "take"
            and self._last is not None
            and (details.duration or details.timeout)
            and not any(token.has("noun") for token in details.rest if token.is_content)
        ):
            key = "duration" if details.duration else "timeout"
            self._last[2].document[key] = details.duration or details.timeout
            return True
        return False

    def _repeats(self, clause: Clause, details: Details) -> bool:
        """Read "repeat painting until …": where the way back leads."""
        if clause.verb not in ("repeat", "redo") or self._last is None:
            return False
        target = self._node_named(details.rest) or (
            self._node_named(clause.subject) if clause.voice == "passive" else None
        )
        if target is None:
            return False
        if self._will_loop:
            self._repeat_from = target
            return True
        if self._in_arm:
            self._draw_back(target, details)
            return True
        return False

    def _retries(self, clause: Clause, details: Details) -> bool:
        """Read "retry three times" and "try up to five times" of the step before."""
        often = details.limit or details.times
        if clause.verb not in word_set("verb.retry") or self._last is None:
            return False
        if (
            often is None
            and details.again
            and self._in_arm
            and self.decision is not None
            and self.decision.before is not None
        ) and not (details.rest and self._transitive_object(details.rest)):
            self._draw_back(self.decision.before, details)
            return True
        if often is None and clause.verb != "retry":
            return False
        named = {token.lemma for token in details.rest if token.is_content}
        node = self._last[2]
        if named and not (named & node.words or named & {node.verb}):
            found = self._node_named(details.rest)
            if found is None:
                return False
            node = found
        node.document["retry"] = {"max_attempts": often or 3}
        if (
            self._in_arm
            and self.decision is not None
            and self.frontier
            and self.frontier[0].step == self.decision.node.id
        ):
            return True
        return True

    def _transitive_object(self, rest: Sequence[Token]) -> bool:
        return bool(rest) and not any(
            token.lower in ("day", "time", "later", "week", "hour") for token in rest
        )

    def _goes_back(self, clause: Clause, details: Details) -> bool:
        """Draw "it goes back to the author" as a way back."""
        subject = self._subject
        lows = [token.lower for token in details.rest]
        returns = (
            "back" in lows[:3]
            or (clause.verb == "back" and lows[:1] == ["to"])
            or (clause.verb in ("return", "revert") and "to" in lows[:3])
        )
        over = clause.verb in ("start", "begin") and (
            "over" in lows[:2] or details.again or "beginning" in lows
        )
        if over or (clause.verb == "restart" and not lows):
            target = self._node_named(clause.subject) or (self.graph.nodes[0] if self.graph.nodes else None)
        elif returns and (clause.verb in word_set("verb.back") or clause.verb == "back"):
            target = self._node_named(_after_to(details.rest))
        else:
            return False
        who = _after_to(details.rest)
        if self._follows_relative and self._in_arm and who and acts(who):
            self._moved_to = who
            self._return_to = self.decision.before if self.decision else None
            return True
        if target is None:
            return self._back_to_nobody(details)
        if (
            clause.voice == "active"
            and subject
            and clause.subject
            and _is_bad_thing(clause.subject)
            and not self._in_arm
        ):
            self._close()
            self._open(
                Condition(
                    cased(bare(clause.subject)), -1, "", frozenset(token.lemma for token in clause.subject)
                )
            )
        if not self._in_arm and (
            told := next(
                (sub for sub in self._told_with if sub.kind in ("if", "while", "when", "unless")), None
            )
        ):
            self._told_with.remove(told)
            self._close()
            self._open(self._condition(told))
        if not self._in_arm:
            self.unread += [token for token in clause.tokens if token.is_content]
            self.undrawn.append(f"the way back {text_of(clause.tokens)!r}")
            return True
        self._draw_back(target, details)
        return True

    def _draw_back(self, target: Node, details: Details) -> None:
        often = details.limit or details.times
        for end in self.frontier:
            when = f"{end.when or 'otherwise'}, at most {often} times" if often else end.when
            self.graph.lead(End(end.step, when, "condition" if when else end.type), target.id)
        self.frontier, self._unit = [], None

    def _back_to_nobody(self, details: Details) -> bool:
        """Remember to whom it goes back, for the next step to be done by them."""
        who = _after_to(details.rest)
        if who and acts(who) and self._in_arm:
            self._moved_to = who
        return False

    def _node_named(self, tokens: Sequence[Token]) -> Node | None:
        """Return the step that words name: its number, who does it, or its verb and object."""
        said = bare(tokens)
        if not said:
            return None
        lows = [token.lower for token in said]
        if lows[0] in ("step", "point", "number") and len(said) > 1 and said[1].value is not None:
            return self.graph.by_id.get(self.numbered.get(int(said[1].value), ""))
        if lows[0] in ("beginning", "start"):
            return self.graph.nodes[0] if self.graph.nodes else None
        role = role_named(said)
        if role and (found := self.graph.by_role.get(slug(role))):
            if len(found) > 1:
                self.undrawn.append(f"which step of {role!r} it goes back to")
            return found[-1]
        content = [
            token
            for token in said
            if token.is_content and token.lower not in ("step", "stage", "phase", "team", "department")
        ]
        for token in content:
            if found := self.graph.by_role.get(slug(token.text)):
                return found[-1]
        wanted = {
            form for token in content for form in (token.lemma, token.entry.verb, token.entry.noun) if form
        }
        found = [node for word in wanted for node in self.graph.by_word.get(word, ())]
        return found[-1] if found else None

    def _ends(self, clause: Clause, details: Details) -> bool:
        """Read "the process ends here": the arm ends, nothing is drawn."""
        if clause.verb not in word_set("verb.end") or clause.voice != "active":
            return False
        whole = (
            not clause.subject
            or is_pronoun(clause.subject)
            or (clause.subject[-1].entry.noun or clause.subject[-1].lower) in word_set("workflow")
            or clause.inherits
        )
        if (
            not whole
            or any(token.has("noun") for token in details.rest if token.is_content)
            or not (self._in_arm or self.graph.nodes)
            or (not clause.subject and not clause.inherits and not self._in_arm)
        ):
            return False
        if self._in_arm:
            self.ended += self.frontier
            self.frontier = []
        return True

    def _moves(self, clause: Clause, details: Details) -> bool:
        """Read "it goes to freight": who the next clause is done by, not a step of its own."""
        if (
            self._follows_relative
            and clause.voice == "passive"
            and clause.verb in word_set("verb.hand")
            and (who := _after_to(details.rest))
            and acts(who)
        ):
            self._moved_to = who
            return True
        if (
            clause.verb not in ("go", "move", "proceed", "pass", "continue")
            or clause.voice != "active"
            or (
                clause.subject
                and acts(clause.subject)
                and not is_pronoun(clause.subject)
                and not self._of_subset
            )
        ):
            return False
        who = _after_to(details.rest)
        if not who:
            return False
        if acts(who):
            if (told := self._handed_for(clause, details.rest)) is not None:
                self._work(told, details_of(told), who, None)
                return True
            self._moved_to, self._pending = who, (clause, who)
            return True
        return False

    def _handed_for(self, clause: Clause, rest: Sequence[Token]) -> Clause | None:
        """Return what is done after "it goes to the manager for approval": the manager approves it."""
        at = next((at for at, token in enumerate(rest) if token.lower == "for"), len(rest))
        verb = _VERBS_OF.get(rest[at + 1].lower) if at + 2 == len(rest) else None
        if verb is None:
            return None
        thing = bare(clause.subject)
        if thing and not is_pronoun(thing):
            self._thing = f"the {cased(thing)}"
        return replace(clause, verb=verb, verbs=(), subject=(), rest=(), tokens=clause.tokens)

    def _doubt_move(self, who: Sequence[Token]) -> None:
        """Doubt a move to somebody who does not do the next step."""
        pending, self._pending = self._pending, None
        if pending is not None and slug(role_named(pending[1]) or "") != slug(role_named(who) or ""):
            self.undrawn.append(f"{text_of(pending[0].tokens)!r}")

    def _escalates_late(self, clause: Clause) -> bool:
        """Read "after that the case goes to the director" behind a step with a deadline."""
        who = _after_to(clause.rest)
        if (
            self._last is None
            or not self._last[2].document.get("timeout")
            or not who
            or clause.verb not in ("go", "escalate", "move", "pass")
        ):
            return False
        self._last[2].document["escalate_to"] = cased(bare(who))[:100]
        return True

    def _again(self, clause: Clause, details: Details) -> bool:
        """Draw "the auditor reviews it again" as a way back to the review."""
        subject = self._subject
        if not details.again or not self._in_arm or self._loop_back is not None:
            return False
        role = slug(role_named(subject) or "") if subject else ""
        nodes = self.graph.by_word.get(clause.verb, [])
        found = [node for node in nodes if not role or not node.role or slug(node.role) == role]
        if not found and role:
            found = self.graph.by_role.get(role, [])
            if len(found) > 1:
                self.undrawn.append(f"which step {text_of(clause.tokens)!r} goes back to")
        if not found:
            return False
        self._draw_back(found[-1], details)
        return True

    def _work(self, clause: Clause, details: Details, subject: tuple[Token, ...], given: str | None) -> None:
        """Draw the step that a clause tells."""
        if (
            self._context
            and self._context[0].lower == "within"
            and (length := duration_at(self._context, 1)) is not None
            and length.end == len(self._context)
        ):
            details.timeout, self._context = length.value, ()
        who = details.agent if clause.voice == "passive" else subject
        self._doubt_move(who)
        shares = (
            clause.voice == "passive"
            and not clause.subject
            and self._last is not None
            and self._last[0] is not None
        )
        if (
            shares
            and self._last is not None
            and self._last[0] is not None
            and self._last[0].voice == "active"
            and self._actor
        ):
            clause = replace(clause, subject=self._actor)
        if (
            clause.verb in word_set("verb.cause")
            and clause.verb in ("have", "let", "get")
            and not clause.subject
            and (caused := _caused(details.rest))
        ):
            self.used += clause.tokens
            who, clause, details = caused[0], caused[1], details_of(caused[1])
        if (
            who
            and (not acts(who) or self._of_subset)
            and clause.voice == "active"
            and (is_pronoun(who) or self._of_subset or not _transitive(details.rest))
        ):
            self._happens(clause, details)
            return
        role = given or (role_named(who) if who and not is_system(who) else None)
        if is_pronoun(clause.subject) and clause.subject[0].lower in ("i", "we", "you"):
            role = None
        subject_thing = clause.subject if clause.voice == "passive" else ()
        self.used += clause.tokens
        name = step_name(clause, (*details.rest, *self._context), self._thing)
        if any(
            (token.value is not None and token.kind == "number")
            or token.lemma in ("day", "hour", "week", "minute", "month")
            for token in self._context
        ):
            self.undrawn.append(f"the time {text_of(self._context)!r}")
        told = {token.lemma for token in (*clause.subject, *self._context)}
        if told & self._alternatives:
            self.undrawn.append(f"which case {text_of(clause.tokens)!r} is for")
        self._alternatives |= _alternatives_in(details.rest)
        self._nouns |= {token.entry.noun for token in clause.tokens if token.entry.noun}
        if clause.verb == "wait":
            node = self._add_step(name, None, frozenset(), "wait", kind="wait", duration=details.duration)
        else:
            content = frozenset(token.lemma for token in (*details.rest, *subject_thing) if token.is_content)
            content |= {clause.verb, *(token.entry.verb or token.lemma for token in clause.verbs)}
            node = self._add_step(
                name,
                role,
                content,
                clause.verb,
                timeout=details.timeout,
                duration=details.duration,
                system=bool(who) and is_system(who),
            )
        if details.schedule is not None:
            self._schedule_of(details)
        if details.again and self._loop_back is None:
            self.undrawn.append(f"the loop {text_of(clause.tokens)!r}")
        if details.times is not None or details.limit is not None:
            self.undrawn.append(f"how often: {text_of(clause.rest)!r}")
        for kind, word in details.structure:
            self.undrawn.append(f"the {kind} {word!r} in {name!r}")
        self._doubt(doubt_of_step(clause, details, who) or self._doubt_of_words(clause, details))
        self._doubt_pronoun(clause)
        if who and acts(who):
            self._actor = who
        self._moved_to = ()
        thing = object_of(clause, details.rest)
        self._thing = (_thing_named(thing) if not acts(thing) else "") or self._thing
        self._remember(clause, details, node)

    def _doubt(self, doubt: str | None) -> None:
        if doubt is not None:
            self.undrawn.append(doubt)

    def _doubt_of_words(self, clause: Clause, details: Details) -> str | None:
        # What "damaged" says of parcels is the branch's condition, where one was drawn of it.
        return doubt_of_words(replace(clause, subject=()) if self._of_subset else clause, details.rest)

    def _doubt_pronoun(self, clause: Clause) -> None:
        """Doubt who "they" are where the clause before speaks of two."""
        if (
            self._last is None
            or self._last[0] is None
            or not is_pronoun(clause.subject)
            or clause.subject[0].lower not in ("they", "he", "she")
            or clause.voice != "active"
        ):
            return
        others = [
            token
            for token in self._last[1].rest
            if token.lower in ("them", "him", "her") or (is_role(token) and token.text != "IT")
        ]
        if others and not self._moved_to:
            self.undrawn.append(f"who {clause.subject[0].text!r} is in {text_of(clause.tokens)!r}")

    def _schedule_of(self, details: Details) -> None:
        if len(self.graph.nodes) == 1:
            self.triggers.append(details.schedule or {})
        else:
            self.undrawn.append(f"the time {text_of(details.schedule_tokens)!r}")

    def _happens(self, clause: Clause, details: Details) -> None:
        """Draw what happens by itself: "the gate opens"; what arrives first starts the work."""
        if not self.graph.nodes and clause.verb in ("arrive", "come") and clause.subject:
            self._trigger(Sub("when", clause.tokens, clause, "when"))
            return
        if clause.verb in ("happen", "occur", "change", "stay", "remain"):
            self.undrawn.append(f"{text_of(clause.tokens)!r}")
        subject = (
            cased(clause.subject)
            if clause.subject and not is_pronoun(clause.subject)
            else self._thing or "it"
        )
        verb = clause.tokens[len(clause.subject) :]
        name = capitalized(
            shortened(
                f"{subject} {cased([one for one in verb if one not in clause.rest or one in details.rest])}"
            )
        )
        node = self._add_step(
            name,
            None,
            frozenset(token.lemma for token in clause.tokens if token.is_content),
            clause.verb,
            timeout=details.timeout,
            duration=details.duration,
        )
        for kind, word in details.structure:
            self.undrawn.append(f"the {kind} {word!r} in {name!r}")
        self._doubt(self._doubt_of_words(clause, details))
        self._remember(clause, details, node)

    def _step_of_wait(self, segment: Segment) -> None:
        if not self.graph.nodes:
            self.unread += [token for token in segment.lead_tokens if token.is_content]
            self.undrawn.append(f"the time {text_of(segment.lead_tokens)!r}")
            return
        if self._in_arm is False:
            self._close()
        node = self.graph.add(
            f"Wait {text_of(segment.lead_tokens).lower().removeprefix('after ').removesuffix(' later')}",
            "wait",
            duration=segment.wait,
        )
        self._enter(node.id)
        self._unit = None

    def _add_step(
        self,
        name: str,
        role: str | None,
        content: frozenset[str],
        verb: str,
        *,
        kind: str = "",
        system: bool = False,
        **fields: str | None,
    ) -> Node:
        if not self._in_arm and self.decision is not None:
            if self.decision.doubt:
                self.undrawn.append(self.decision.doubt)
            self._close()
        if self._must_join and len(self.frontier) > 1:
            self._join()
        kind = kind or ("human" if role and not system else "action")
        node = self.graph.add(name, kind, assignee=role if kind == "human" else None, **fields)
        self.graph.know(node, role or "", verb, content)
        if self.awaiting_number is not None:
            self.numbered[self.awaiting_number] = node.id
            self.awaiting_number = None
        self._enter(node.id)
        self._unit = Unit(node.id, self.frontier)
        self._sentence_first = self._sentence_first or node
        self._count += 1
        return node

    def _remember(self, clause: Clause | None, details: Details, node: Node) -> None:
        self._last = (clause, details, node)

    def _enter(self, step: str) -> None:
        """Lead everything that is open to a step."""
        if self._must_join and len(self.frontier) > 1:
            self._join()
        for end in self.frontier:
            self.graph.lead(end, step)
        self.frontier = [End(step)]

    # ---- in parallel

    def _join(self) -> None:
        join = self.graph.add("All done", "join")
        for end in self.frontier:
            self.graph.lead(end, join.id)
        self.frontier, self._must_join = [End(join.id)], False

    def _parallel(self, segments: Sequence[Segment]) -> None:
        """Draw segments beside each other."""
        lead = segments[0]
        marks = lead.marks
        beside = "meanwhile" in marks or ("beside" in marks and len(segments) == 1)
        if beside and self._unit is not None and not (marks & {"seq", "last"}):
            for segment in segments:
                self._beside(segment)
            return
        for sub in lead.subs:
            self._sub(sub, lead)
        for schedule in lead.schedules:
            self._schedule(schedule)
        fork = self.graph.add("In parallel", "fork")
        self._enter(fork.id)
        ends: list[End] = []
        for segment in segments:
            self.frontier = [End(fork.id)]
            self._segment(
                Segment(clause=segment.clause, phrase=segment.phrase, trailing=segment.trailing),
                0,
                is_list=True,
            )
            ends += self.frontier
        self.frontier, self._must_join = ends, True
        self._unit = Unit(fork.id, ends, fork.id)

    def _beside(self, segment: Segment) -> None:
        """Draw a segment beside what was told last."""
        unit = self._unit
        if unit is None:
            self._segment(Segment(clause=segment.clause, phrase=segment.phrase), 0, is_list=True)
            self.undrawn.append("what happens at the same time")
            return
        ends = list(self.frontier)
        if unit.fork is None:
            first = self.graph.by_id[unit.first]
            fork = self.graph.add("In parallel", "fork")
            self.graph.nodes.remove(fork)
            self.graph.nodes.insert(self.graph.nodes.index(first), fork)
            self.graph.redirect(unit.first, fork.id)
            self.graph.lead(End(fork.id), unit.first)
            unit = Unit(unit.first, ends, fork.id)
        self.frontier, self._must_join = [End(unit.fork or unit.first)], False
        self._segment(Segment(clause=segment.clause, phrase=segment.phrase), 0, is_list=True)
        self.frontier += ends
        self._must_join = True
        self._unit = Unit(unit.first, self.frontier, unit.fork)

    # ---- subsets

    def _is_subset(self, segment: Segment) -> bool:
        return self.decision is not None and (self._subset(segment) is not None or self._is_rest(segment))

    def _is_rest(self, segment: Segment) -> bool:
        """Say whether a clause speaks of all others."""
        subject = [token.lower for token in segment.clause.subject] if segment.clause is not None else []
        return bool(subject) and (
            subject
            in (
                ["others"],
                ["the", "others"],
                ["the", "rest"],
                ["all", "others"],
                ["everything", "else"],
                ["everyone", "else"],
            )
            or subject[:2] in (["all", "other"], ["the", "remaining"], ["the", "other"], ["other"])
        )

    def _subset(self, segment: Segment) -> Sub | None:
        """Return the condition in a subject: "incomplete forms are returned", "requests under 500 are …"."""
        clause = segment.clause
        if clause is None or segment.subs or segment.marks & {"else", "yes", "meanwhile"} or clause.inherits:
            return None
        subject = clause.subject
        at = next((at for at in range(1, len(subject)) if comparison_end(subject, at) == len(subject)), None)
        if at is not None:
            clause.subject = subject[:at]
            return Sub("if", subject, None, "amount")
        if not self.graph.nodes:
            return None
        if (
            len(subject) < 2
            or subject[0].has("det", "num", "pron")
            or not (is_plural(subject[-1]) or subject[-1].lower in ("one", "ones"))
        ):
            return None
        first = subject[0]
        told = first.lower in word_set("good") | word_set("bad")
        known = subject[-1].lower in ("one", "ones") or (subject[-1].entry.noun or "") in self._nouns
        is_adjective = first.has("adj") or first.entry.form == "ed"
        return Sub("if", (first,), None, "subset") if told or (known and is_adjective) else None

    def finish(self) -> None:
        """Lead everything that is open to the end."""
        self._doubt_move(())
        self._close()
        if self._must_join and len(self.frontier) > 1:
            self._join()


def _parallel_groups(segments: Sequence[Segment]) -> dict[int, int]:
    """Return where groups of segments that happen together begin and end."""
    groups: dict[int, int] = {}
    for at, segment in enumerate(segments):
        rest = segment.clause.rest if segment.clause is not None else ()
        together = "together" in segment.marks or any(
            phrase_at("together", rest, one) for one in range(len(rest))
        )
        if together:
            start = at
            while (
                start > 0
                and not segments[start].marks & {"seq", "first", "last", "else", "yes"}
                and not (segments[start].subs and start)
            ):
                start -= 1
            if at > start:
                groups[start] = at + 1
        elif segment.marks & {"meanwhile", "beside", "both"}:
            end = at + 1
            while end < len(segments) and not segments[end].marks and not segments[end].subs:
                end += 1
            groups[at] = end
    return groups


def _after_to(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """Return what stands behind "to" up to the next preposition."""
    at = next((at for at, token in enumerate(tokens[:6]) if token.lower in ("to", "with", "into")), None)
    if at is None:
        return ()
    end = at + 1
    while (
        end < len(tokens)
        and not (
            tokens[end].has("prep", "conj", "wh") and tokens[end].text != "IT" and tokens[end].lower != "of"
        )
        and tokens[end].kind != "punct"
    ):
        end += 1
    return tuple(tokens[at + 1 : end])


def _thing_named(tokens: Sequence[Token]) -> str:
    """Return a thing as later names speak of it: "the contract"."""
    said = bare(tokens)
    if not said or is_pronoun(said) or not any(token.is_content for token in said):
        return ""
    return f"the {cased(said)}"


def _akin(one: str, other: str) -> bool:
    """Say whether a verb and a noun have one stem: "approve", "approval"."""
    size = min(len(one), len(other))
    return size >= 5 and one[: size - 1][:6] == other[: size - 1][:6]


def _is_bad_thing(tokens: Sequence[Token]) -> bool:
    return any(
        token.lower in word_set("bad")
        or token.lower in ("bugs", "rejects", "corrections", "complaints", "incomplete")
        for token in tokens
    )


def _is_general(rest: Sequence[Token]) -> bool:
    """Say whether an object stands for a kind of thing: "custom cakes", not "the cake"."""
    nouns = [token for token in rest if token.has("noun")]
    return (
        bool(nouns) and not rest[0].has("det", "pron", "num") and any(is_plural(token) for token in nouns[:4])
    )


def _alternatives_in(rest: Sequence[Token]) -> frozenset[str]:
    """Return the words that "or" parts in an object: "by card or by bank transfer"."""
    if not any(token.lower == "or" for token in rest):
        return frozenset()
    return frozenset(token.lemma for token in rest if token.is_content)


def _transitive(rest: Sequence[Token]) -> bool:
    return bool(rest) and (
        rest[0].has("det", "noun", "adj", "num", "name", "pron") or rest[0].kind in ("quoted", "number")
    )


def _caused(rest: Sequence[Token]) -> tuple[tuple[Token, ...], Clause] | None:
    """Return who is made to do what in "have the intern collect the quotes"."""
    for at in range(1, min(len(rest), 7)):
        start = at + (rest[at].lower == "to")
        if (
            start < len(rest)
            and "base" in rest[start].entry.form.split()
            and rest[start].has("verb")
            and acts(rest[:at])
            and (is_role(rest[at - 1]) or rest[at - 1].text[:1].isupper())
        ):
            verb = rest[start]
            told = Clause(
                0,
                0,
                (),
                verb.entry.verb or verb.lemma,
                "active",
                "base",
                tuple(rest[start + 1 :]),
                (verb,),
                tokens=tuple(rest),
            )
            return tuple(rest[:at]), told
    return None
