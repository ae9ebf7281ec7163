"""From the parts of a description, each known for what it is, to the graph of a workflow."""

import re
from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import Condition, condition_of
from workflow_agent.assistant.offline.drafting.doubts import says_at_once
from workflow_agent.assistant.offline.drafting.graph import End, Graph, Node, Track
from workflow_agent.assistant.offline.drafting.parts import STEPS, Part, is_label, noun_before, ordered
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.naming import (
    Deed,
    base_of,
    event_of,
    name_of,
    object_of,
    read_deed,
    step_name,
    verb_in,
)
from workflow_agent.assistant.offline.nlu.recurring import is_habit, recurrence_told, rhythm_beside
from workflow_agent.assistant.offline.phrases import (
    Actors,
    acts,
    bare,
    capitalized,
    cased,
    is_pronoun,
    is_system,
    role_named,
    text_of,
    thing_of,
    told_together,
)
from workflow_agent.assistant.offline.plan import NotRead
from workflow_agent.assistant.offline.references import akin
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.values import durations_in, first_of, times_at
from workflow_agent.values.stored import JsonObject

_NUMBER: Final = re.compile(r"\d+")
_SHORT: Final = 5
_SURE_NAME: Final = 0.9
"""How probable it must be that words are a name for them to be the first step where an arrow follows."""
_ARROWS: Final = ("->", "=>", ">")
_BE: Final = ("is", "are", "gets", "get")
_APPROVES: Final = frozenset({"approve", "accept"})
_REJECTS: Final = frozenset({"reject", "decline", "deny", "refuse"})


@dataclass(slots=True)
class _Told:
    """What was told of last, for what later words leave out."""

    thing: str = ""
    patient: str = ""
    """What the passives of the sentence are about."""
    deed: Deed | None = None
    is_plural: bool = False
    """Whether several people did it, whose verbs have no ending: "the pupils roll"."""


@dataclass(slots=True)
class Drawing:
    """The graph of a description while its parts are drawn, one after the other."""

    track: Track = field(default_factory=Track)
    triggers: list[JsonObject] = field(default_factory=list[JsonObject])
    name: str | None = None
    parts: list[Part] = field(default_factory=list[Part])
    """The parts in the order they were drawn."""
    undrawn: list[str] = field(default_factory=list[str])
    """What could not be drawn, or may be meant in another way, in words."""
    _actors: Actors = field(default_factory=Actors)
    _told: _Told = field(default_factory=_Told)
    _who: Tokens = ()
    """Who does the next step."""
    _led: Tokens = ()
    """What stands in front of that."""
    _after: Tokens = ()
    """What stands behind the part that is drawn, where it is the last of its sentence."""
    _time: Part | None = None
    """The time of the next step."""
    _is_back: bool = False
    """Whether a way back was told last."""
    _tries: int = 0
    """How often the next step is tried, where that was told before it."""
    _sentence: list[Node] = field(default_factory=list[Node])
    """The steps of the sentence that is drawn."""
    _together: int = 1
    """How many of them were told together last: "taste the sauce and add salt"."""
    _late: Node | None = None
    """The step whose exception is told, where nothing was drawn of it yet."""
    _condition: Part | None = None
    """Of a loop whose steps, or whose way back, follow."""
    _drawn_loop: Part | None = None
    _loop: tuple[list[End], Node] | None = None
    """Of a loop whose steps follow its condition: the ways out, and the step whose result it depends on."""
    _title: Tokens = ()
    _leaps: list[tuple[list[End], Part]] = field(default_factory=list[tuple[list[End], Part]])

    @property
    def graph(self) -> Graph:
        """The graph as far as it is drawn."""
        return self.track.graph

    def draw(self, parts: Iterable[Part]) -> None:
        """Draw all parts."""
        told = self.parts = ordered(parts)
        for at, part in enumerate(told):
            if part.begins_sentence:
                self._end_sentence()
            following = told[at + 1 : at + 2]
            behind = next((one for one in following if not one.begins_sentence), None)
            ending = following[0].before if following and behind is None else ()
            self._after = tuple(takewhile(lambda one: one.kind != "break" and one.text not in (".", ";"), ending))
            self._part(part, behind)
        self._end_sentence()
        self.track.rejoin(is_last=True)
        self._leap()
        self.undrawn = [*self.track.doubts, *self._actors.unclear, *self.undrawn]

    def _end_sentence(self) -> None:
        if self._condition is not None:
            self._repeat(self._condition, self._sentence)
        if self._time is not None and not self._sentence:
            self._limit(self._time)
        if self._who:
            self._pass_on()
        if self._time is not None:
            self.undrawn.append(f"the time {self._time.said!r}")
            self._time = None
        if self._loop is not None:
            (exits, check), self._loop = self._loop, None
            self.track.rejoin()
            renewed = any(node.document["name"].endswith(" again") for node in self._sentence)
            if self.track.frontier:
                # "... the developer fixes it and QA tests it again": then it is asked again.
                self.track.lead_back(exits[0].step if renewed else check.id)
            self.track.frontier = exits
        if self.graph.parent is not None:
            self.track.rejoin()
            self.track.frontier, loop, self.graph.parent = [End(self.graph.parent)], self.graph.parent, None
            if not self._sentence:
                self.undrawn.append(f"what is done {self.graph.by_id[loop].document['name'].lower()!r}")
        self._sentence, self._condition, self._told.patient, self._is_back = [], None, "", False

    def _part(self, part: Part, behind: Part | None) -> None:
        alone = {
            "else": self._else,
            "late": self._exception,
            "fail": self._exception,
            "end": self._stop,
            "wait": self._wait,
            "pause": self._pause,
            "when": self._scheduled,
            "each": self._each,
        }
        with_next = {
            **dict.fromkeys(("do", "in", "par"), self._step),
            **dict.fromkeys(("back", "goto"), self._lead),
            **dict.fromkeys(("until", "while"), self._looped),
            "who": self._somebody,
            "if": self._case,
            "time": self._timed,
            "num": self._counted,
            "start": self._started,
            "name": self._named,
        }
        if part.role in alone:
            alone[part.role](part)
        elif part.role in with_next:
            with_next[part.role](part, behind)

    def _named(self, part: Part, behind: Part | None) -> None:
        if behind is None or not any(token.text in _ARROWS for token in behind.before):
            self.name, self._title = self.name or name_of(part.tokens), part.tokens
            return
        # "research topic -> invite guest": the first of a list.
        if part.certainty < _SURE_NAME:
            self.undrawn.append(f"what {part.said!r} is")
        self._step(replace(part, role="do"))

    # ---- steps

    def _step(self, part: Part, behind: Part | None = None) -> None:
        if self._is_more_of_last(part) or self._is_way_back(part, behind):
            return
        track = self.track
        led = (*self._led, *part.before)
        lows = {token.lower for token in led if token.kind == "word"}
        is_item = any(token.kind == "bullet" for token in led)
        if "before" in lows and {"that", "this"} & lows:
            self.undrawn.append(f"what {part.said!r} comes before")
        if {"which", "case"} <= lows and track.open:
            # "..., unless it is under 500, in which case the clerk does it."
            track.otherwise()
        if part.role == "do":
            track.rejoin(is_for_all=is_item or bool(word_set("drawing.for_all") & lows))
        elif part.role == "in" and track.arm is None and track.resume is None:
            self.undrawn.append(f"in which case {part.said!r}")
        if self._who and _is_told_of(part):
            # "The police are informed": those it is about, not who does it.
            part, self._who = replace(part, tokens=(*self._who, *_copula(part), *part.tokens), before=()), ()
        # "Legal and finance review it at the same time": each of them does.
        at_once = "both" in part.lows or says_at_once((*part.tokens, *self._after))
        self._who, *others = told_together(self._who, is_both=at_once)
        with track.beside() if part.role == "par" else nullcontext():
            node = self._drawn(part)
        for who in others:
            with track.beside():
                self._sentence.append(self._same(node, who))
        number = next((_NUMBER.search(token.text) for token in reversed(led) if token.kind == "bullet"), None)
        if number is not None:
            self.graph.numbered[int(number[0])] = node
        is_joined = lows == {"and"} and not any(token.text in ",;" for token in led)
        self._together = self._together + 1 if is_joined else 1
        self._sentence.append(node)
        self._late, self._led, self._is_back = None, (), False
        self._hold_told(node)
        if self._tries > 1:
            node.document["retry"] = {"max_attempts": self._tries}
        self._tries = 0

    def _is_more_of_last(self, part: Part) -> bool:
        """Read what is no step: "make it", whom a late step goes to, the second half of "the flights and the hotel"."""
        deed = self._deed(part, self._who)
        if self._late is not None and (target := _escalated_to(deed, self._who)):
            self._who = target
            self._pass_on()
            return True
        if self._late is not None and _only_moves(deed):
            # "The case goes to | the head": who it is follows.
            return True
        if self._who:
            return False
        is_item = any(token.kind == "bullet" for token in part.before)
        is_told = part.begins_sentence and not is_item and bool(self.graph.nodes)
        if deed.voice != "noun":
            return is_told and deed.voice == "active" and _only_asks(part.tokens[0], deed)
        if self._late is not None and acts(part.tokens):
            self._who = part.tokens
            self._pass_on()
            return True
        last = self._told.deed
        # A second object needs a first one: in "design, permit and construction" each is a step.
        goes_on = part.lows == ["and"] and last is not None and last.voice == "active" and bool(last.rest)
        if not self._sentence or not goes_on:
            return False
        _rename(self._sentence[-1], f"{self._sentence[-1].document['name']} and {cased(part.tokens)}")
        return True

    def _is_way_back(self, part: Part, behind: Part | None) -> bool:
        """Lead back where a step is one that was told before: "the author writes again"."""
        lows = [token.lower for token in part.tokens]
        if lows[0] == "back":
            self._lead(replace(part, role="back"), behind)
            return True
        deed = read_deed(part.tokens, is_told_who=bool(self._who))
        renews = [token.lower for token in deed.rest[:2]]
        is_renewed = renews == ["a", "new"] or renews[:1] == ["another"]
        if part.role == "in" and (word_set("drawing.again") & {*lows} or is_renewed):
            role = self._actors.role(self._who) if self._who and not is_pronoun(self._who) else None
            same = [node for node in self.graph.nodes if deed.verb and node.verb == deed.verb]
            same = [node for node in same if role is None or node.role.lower() == role.lower()]
            if is_renewed:
                same = [node for node in same if deed.rest[-1].lemma in node.words]
            if same:
                self._who = ()
                self.track.lead_back(same[-1].id)
            return bool(same)
        if behind is not None and behind.role in ("until", "while") and {"back", "to"} <= {*lows}:
            # "Counsel sends it back to the paralegal until nothing is left to correct."
            self._lead(replace(part, role="back", tokens=part.tokens[lows.index("back") :]), behind)
            return True
        return False

    def _drawn(self, part: Part) -> Node:
        """Return the step of a part, entered."""
        told = self._told
        who, self._who = self._who, ()
        who, deed = self._read(part, who)
        told.is_plural = bool(who) and deed.voice == "active" and not deed.is_finite
        role = self._actors.role(who, told.deed.rest if told.deed is not None else ())
        name = step_name(deed, told.patient if deed.voice == "passive" and told.patient else told.thing)
        lengths = durations_in(part.tokens)
        if lengths and deed.voice == "active" and deed.verb in word_set("drawing.waiting"):
            node = self.graph.add(name, "wait", duration=lengths[0][1].value)
        else:
            node = self.graph.add(name, "action" if role is None or is_system(who) else "human", assignee=role)
        said = (*deed.subject, *deed.rest)
        node.role, node.verb = role or "", deed.verb
        node.words = frozenset({token.lemma for token in said if token.is_content} | {deed.verb}) - {""}
        node.is_passive = deed.voice == "passive" or (deed.voice == "noun" and verb_in(part.tokens) is None)
        self._keep(deed)
        self.track.enter(node)
        return node

    def _read(self, part: Part, who: Tokens) -> tuple[Tokens, Deed]:
        """Return who does a step and what its words say, with what they leave out."""
        last = self._told.deed
        deed = self._deed(part, who)
        goes_on = bool(self._sentence) and not part.begins_sentence and last is not None and last.voice == "active"
        if deed.voice == "noun" and not who and (at := verb_in(part.tokens)) and acts(part.tokens[:at]):
            # "The patient goes home."
            return part.tokens[:at], read_deed(part.tokens[at:], is_told_who=True)
        if deed.voice == "active" and not who and not part.begins_sentence:
            # "The nurse weighs the baby and writes it down", "the pupils roll out a tile and scratch a number in it".
            is_same = deed.is_finite or (goes_on and self._told.is_plural)
            return self._actors.last if is_same else (), deed
        if deed.voice == "passive" and not deed.subject:
            if subject := noun_before(part):
                return who, replace(deed, subject=subject)
            plain = part.tokens[0].entry.form == "ed" and not _copula(part)
            if goes_on and not who and self._actors.last and plain:
                # "The cook washed, peeled and chopped them": no participle, but one more past tense.
                return self._actors.last, read_deed(part.tokens, is_told_who=True)
        return who, deed

    def _deed(self, part: Part, who: Tokens) -> Deed:
        """Return what the words of a step say, "reports missing items" behind "cleans the room" as a verb."""
        last = self._told.deed
        goes_on = bool(self._sentence) and not part.begins_sentence and last is not None and last.is_finite
        is_alike = goes_on and "s" in part.tokens[0].entry.form.split()
        return read_deed(part.tokens, is_told_who=bool(who) or is_alike)

    def _keep(self, deed: Deed) -> None:
        """Keep what later words may leave out."""
        told = self._told
        if deed.voice == "passive" and deed.subject:
            told.patient = told.thing if is_pronoun(deed.subject) else cased(deed.subject)
        goes_on = any(token.lower in ("it", "them") for token in deed.rest)
        if deed.voice != "noun" and not goes_on and deed.verb not in word_set("verb.move") | word_set("verb.tell"):
            told.thing = thing_of(object_of(deed)) or told.thing
        told.deed = deed

    # ---- who

    def _somebody(self, part: Part, behind: Part | None) -> None:
        """Read who does a step: the one that follows, or behind "by" and in brackets the one before."""
        if len(part.tokens) == 1 and part.tokens[0].lower in ("it", "this", "that") and part.tokens[0].text != "IT":
            # "It escalates to the head": nobody does that.
            return
        signs = [token.text for token in part.before]
        is_noted = signs[-1:] == ["("] and not (behind is not None and behind.role in STEPS and not behind.before)
        is_asked = self.track.arm is not None and not self.track.arm.steps
        if self._sentence and not is_asked and (part.lows[-1:] == ["by"] or is_noted):
            role = self._actors.role(part.tokens)
            for node in reversed(self._sentence):
                known = node.document.get("assignee") or node.document["type"] not in ("action", "human")
                if known or role is None or not (node.is_passive or is_noted):
                    break
                node.document |= {"assignee": role, "type": "action" if is_system(part.tokens) else "human"}
                node.role = role
                if is_noted:
                    break
            return
        if self._who and part.lows == ["and"]:
            # "The plaintiff and the defendant".
            self._who = (*self._who, *part.before, *part.tokens)
            return
        if self._who and not is_pronoun(part.tokens):
            self.undrawn.append(f"what {text_of(self._who)!r} does")
        self._who, self._led = part.tokens, part.before

    def _same(self, node: Node, who: Tokens) -> Node:
        """Return a step like another one that somebody else does, entered."""
        role = self._actors.role(who)
        other = self.graph.add(node.document["name"], "action" if is_system(who) else "human", assignee=role)
        other.role, other.verb, other.words = role or "", node.verb, node.words
        self.track.enter(other)
        return other

    def _pass_on(self) -> None:
        """Draw what somebody does of whom only the name is told: "above that by the director"."""
        who, self._who = self._who, ()
        if self._late is not None:
            node, self._late = self._late, None
            self.track.drop_exception()
            node.document["escalate_to"] = role_named(who)
            return
        tasks = self.graph.tasks()
        if not tasks or self.track.arm is None or self.track.arm.steps:
            self.undrawn.append(f"what {text_of(who)!r} does")
            return
        node = self._same(tasks[-1], who)
        self._sentence.append(node)
        self._hold_told(node)

    def _pass_on_in_case(self) -> None:
        """Draw what somebody does in a case of whom only the name was told, before the next case."""
        if self._who and self.track.arm is not None and not self.track.arm.steps:
            self._pass_on()

    # ---- times

    def _timed(self, part: Part, behind: Part | None) -> None:
        """Read how long a step may take: the one before in the sentence, else the one that follows."""
        follows = behind is not None and behind.role in (*STEPS, "who") and not _has_comma(behind)
        if self._sentence and not self._who and not (follows and _has_comma(part)):
            self._hold(self._sentence[-1], part)
        else:
            self._time = part

    def _limit(self, part: Part) -> None:
        """Read the time of a step told before: "the manager has two days", "this must be done within a day"."""
        who, self._who, self._time = self._who, (), None
        role = role_named(who) if who and not is_pronoun(who) else None
        fits = [node for node in self.graph.tasks() if role is None or node.role.lower() == role.lower()]
        if fits:
            self._hold(fits[-1], part)
        else:
            self.undrawn.append(f"the time {part.said!r}")

    def _hold_told(self, node: Node) -> None:
        """Give a step the time that was told before it."""
        held, self._time = self._time, None
        if held is not None:
            self._hold(node, held)

    def _hold(self, node: Node, part: Part) -> None:
        lengths = durations_in(part.tokens)
        lows = [token.lower for token in part.tokens]
        name = node.document["name"]
        if not lengths and lows[:3] != ["the", "same", "day"]:
            # "by Friday noon" is no length of time: it stays in the step's words.
            _rename(node, f"{name} {cased(part.tokens)}")
            return
        length = lengths[0][1].value if lengths else "P1D"
        lasts = "for" in (*part.lows[-1:], lows[0])
        if lasts and node.verb in word_set("drawing.waiting"):
            node.document.pop("assignee", None)
            node.document |= {"type": "wait", "duration": length}
        elif lasts or "timeout" in node.document:
            _rename(node, f"{name} {'' if lows[0] == 'for' else 'for '}{cased(part.tokens)}")
        else:
            node.document["timeout"] = length

    def _counted(self, part: Part, behind: Part | None) -> None:
        """Read how often a step is tried: the one before in the sentence, else the one that follows."""
        found = first_of(times_at, part.tokens)
        count = found.value if found is not None else next((int(t.value) for t in part.tokens if t.value), 0)
        retries = any(token.is_("retry", "try", "repeat") for token in part.before)
        nodes = self._sentence or (self.graph.tasks() if retries or behind is None else [])
        if self._is_back:
            self.undrawn.append(f"how often it goes back: {part.said!r}")
        elif count < 1 or not (nodes or behind is not None):
            self.undrawn.append(f"how often: {part.said!r}")
        elif not nodes:
            self._tries = count
        elif count > 1:
            nodes[-1].document["retry"] = {"max_attempts": count}
            if self._late is not None and retries:
                # "If it fails, retry 3 times": nothing else is done then.
                self.track.drop_exception()
                self._late = None

    def _pause(self, part: Part) -> None:
        """Read the time between the tries of the step before."""
        tried = self._sentence[-1].document.get("retry") if self._sentence else None
        if tried is None:
            self.undrawn.append(f"the time between tries: {part.said!r}")
        else:
            tried["interval"] = durations_in(part.tokens)[0][1].value

    def _wait(self, part: Part) -> None:
        self._late = None
        lengths, said = durations_in(part.tokens), part.tokens
        led = "" if lengths else "until "
        if not lengths and len(said) > 1 and said[0].lower in ("until", "till", "for"):
            led, said = ("for " if said[0].lower == "for" else "until "), said[1:]
        if not lengths and not self.graph.nodes and not self.triggers:
            # "Once the harvest is in, ..."
            self._started(replace(part, tokens=said, before=(*part.before, part.tokens[0])), None)
            return
        if self.track.arm is None:
            self.track.rejoin()
        if not lengths and self._is_done(said):
            return
        length = lengths[0][1].value if lengths else None
        node = self.graph.add(capitalized(f"Wait {led}{cased(said)}"), "wait", duration=length)
        node.verb, node.words = "wait", frozenset(token.lemma for token in said if token.is_content)
        self.track.enter(node)
        self._sentence.append(node)

    def _is_done(self, tokens: Tokens) -> bool:
        """Say whether what is waited for is that the steps before are done: "both have answered", "she has signed"."""
        first = tokens[0]
        if first.lower in ("both", "all", "everything", "everyone") or (first.value is not None and self.track.joins):
            return True
        said = [base_of(token) for token in tokens[verb_in(tokens) or 0 :] if token.has("verb")]
        only_points = {token.lower for token in tokens} <= word_set("drawing.done")
        return only_points or any(akin(one, node.verb) for one in said for node in self.graph.nodes if node.verb)

    # ---- cases

    def _case(self, part: Part, behind: Part | None = None) -> None:
        track, labels = self.track, behind is not None and is_label(behind)
        self._pass_on_in_case()
        if part.role == "if" and any(token.is_("retry") for token in part.tokens) and self.graph.tasks():
            # "If that fails retry three times, then ..."
            self._exception(replace(part, role="fail"))
            return
        condition = condition_of(part.tokens, denied="unless" in part.lows or {"but", "not"} <= {*part.lows})
        if part.before and part.before[-1].lower in word_set("mood.verbs"):
            # "Is it urgent?" is asked as it was told.
            condition = replace(condition, text=f"{part.before[-1].lower} {condition.text}")
        if track.leaves_loop(condition):
            # "... as long as there are errors; when there are none, ..."
            return
        self._late = None
        if track.resume is not None and condition.polarity > 0 and condition.elliptic:
            # "If that fails, ... If it works, ...": the main way goes on.
            track.ended += track.frontier
            track.drop_exception()
            return
        if part.begins_sentence:
            track.end_exception()
        track.park_exception()
        if (arm := track.arm) is None:
            self._ask(condition, is_label=labels)
        elif arm.is_else and not arm.steps:
            track.take_else_back()
            track.answer(condition)
        elif not arm.steps and any(token.text == "?" for token in part.before):
            # "Ok? Yes: pay. No: ...": the condition before was the question.
            track.forget_answer()
            track.answer(condition)
        elif not arm.steps:
            self.undrawn.append(f"how {track.open[-1].conditions[-1].text!r} and {condition.text!r} belong together")
            track.ask(condition)
        elif self._is_answer(condition, is_label=labels):
            track.answer(condition)
            self._told.thing = track.open[-1].about
        elif _is_about(condition, arm.words, arm.verb) or "also" in part.lows:
            track.ask(condition)
        elif (not part.begins_sentence or condition.elliptic) and not track.open[-1].is_whole:
            track.answer(condition)
        else:
            track.rejoin()
            self._ask(condition, is_label=labels)

    def _ask(self, condition: Condition, *, is_label: bool) -> None:
        deed = self._told.deed
        said = {deed.verb, *(base_of(token) for token in deed.rest if token.has("verb"))} if deed else set[str]()
        self.track.ask(condition)
        decision = self.track.open[-1]
        decision.is_labelled, decision.rejects = is_label, bool(said & _APPROVES and said & _REJECTS)
        decision.about = self._told.thing

    def _is_answer(self, condition: Condition, *, is_label: bool) -> bool:
        """Say whether a condition answers an open question, and leave those that were asked inside its arms."""
        for depth, decision in reversed(list(enumerate(self.track.open))):
            alike = (condition.parts_from(other) or condition.denies(other) for other in decision.conditions)
            if not decision.is_whole and ((is_label and decision.is_labelled) or any(alike)):
                while len(self.track.open) > depth + 1:
                    self.track.leave_question()
                return True
        return False

    def _else(self, part: Part) -> None:
        if part.tokens[-1].lower == "so" and not self.track.open:
            # "If so" is no other case.
            self._case(part)
            return
        self._pass_on_in_case()
        self.track.end_exception()
        if self.track.leaves_loop():
            return
        condition = condition_of(part.tokens)
        if self.track.open and not self.track.open[-1].is_whole and _says_which(part.tokens):
            # "Fail? ... Pass? ...": the other case in words of its own.
            self.track.answer(condition)
            self._told.thing = self.track.open[-1].about
            return
        if self.track.otherwise():
            self._told.thing = self.track.open[-1].about
            if any(token.lower == "back" for token in part.tokens):
                # "Otherwise back to the start."
                self._lead(replace(part, role="back"), None)
            return
        last = self.graph.nodes[-1] if self.graph.nodes else None
        if last is not None and "timeout" in last.document:
            # "The supervisor approves within 2 days, else ..."
            self._leave(last)
        else:
            self.undrawn.append(f"what {part.said!r} is the contrary of")

    def _exception(self, part: Part) -> None:
        """Go on from a step that is late or fails."""
        worked = self.graph.worked()
        timed = bool(durations_in(part.tokens)) or any("timeout" in node.document for node in worked)
        is_case = not timed if part.role == "late" else not _fails(part.tokens)
        if is_case or "unless" in (*part.lows, part.tokens[0].lower):
            self._case(part)
            return
        condition = condition_of(part.tokens)
        if part.role == "fail" and self.track.open and self._is_answer(condition, is_label=False):
            self.track.answer(condition)
            return
        if not worked:
            self.undrawn.append(f"what is meant by {part.said!r}")
            return
        lengths = durations_in(part.tokens) if part.role == "late" else []
        key = "timeout" if part.role == "late" else "retry"
        node = worked[-1]
        if self.track.resume is not None and (named := self.graph.done_by(part.tokens)) is not None:
            node = named
        elif key not in node.document and not lengths:
            node = next((one for one in reversed(worked) if key in one.document), node)
        if lengths:
            node.document.setdefault("timeout", lengths[0][1].value)
        times = first_of(times_at, part.tokens)
        if part.role == "fail" and times is not None and times.value > 1:
            # "If that fails retry three times, then ..."
            node.document["retry"] = {"max_attempts": times.value}
        if self.track.resume is None and node is not worked[-1] and self.track.open:
            self.track.rejoin()
        self._leave(node)
        if part.role == "fail" and any(token.among("drawing.any") for token in part.tokens):
            self.track.frontier = [End(one.id, None, "error") for one in self.graph.tasks()]

    def _leave(self, node: Node) -> None:
        self.track.leave(node.id)
        self._late = node

    # ---- loops and leaps

    def _lead(self, part: Part, behind: Part | None) -> None:
        """Lead back to a step, or on to one, on the condition that is told before it or behind it."""
        track = self.track
        self._who, self._late = (), None
        target = self.graph.named(part.tokens)
        loop = behind if behind is not None and behind.role in ("until", "while") else self._condition
        if target is None and part.role == "goto":
            self._leaps.append((track.frontier, part))
            track.stop_here()
        elif target is None:
            self.undrawn.append(f"where {part.said!r} leads")
        elif loop is not None:
            track.repeat(target.id, condition_of(loop.tokens), is_until=loop.role == "until")
            self._condition, self._drawn_loop = None, loop
        elif track.arm is None and track.resume is None and self._loop is None:
            self.undrawn.append(f"on what condition it goes {'on' if part.role == 'goto' else 'back'}: {part.said!r}")
        else:
            track.lead_back(target.id)
            self._is_back = True

    def _looped(self, part: Part, behind: Part | None) -> None:
        if part is self._drawn_loop:
            return
        tasks = self.graph.tasks()
        if self._sentence and not (behind is not None and behind.role == "back"):
            is_whole = "repeat" in " ".join(part.lows)
            self._repeat(part, self._sentence if is_whole else self._sentence[-self._together :])
        elif tasks and behind is None:
            # "This goes on until the client says ok."
            self.undrawn.append(f"where the loop begins that goes on {part.role} {part.said!r}")
            self._repeat(part, tasks[-2:])
        elif tasks and behind is not None and behind.role != "back":
            # "As long as he wants changes, she revises it": it is asked in front of the steps that follow.
            self.track.rejoin()
            holds, other = self.track.question(condition_of(part.tokens))
            exits, self.track.frontier = ([holds], [other]) if part.role == "until" else ([other], [holds])
            self._loop = exits, tasks[-1]
        else:
            self._condition = part

    def _each(self, part: Part) -> None:
        """Open a loop over things, whose steps are those of the sentence."""
        if self.graph.parent is not None:
            self.undrawn.append(f"the loop over {part.said!r} inside another")
            return
        self.track.rejoin()
        said = cased(bare(part.tokens) or part.tokens)
        node = self.graph.add(capitalized(f"For each {said}"), "loop", loop={"over": said})
        self.track.enter(node)
        self.track.frontier, self.graph.parent = [], node.id
        self._told.thing = f"the {said}"

    def _repeat(self, part: Part, steps: Sequence[Node]) -> None:
        if steps:
            self.track.repeat(steps[0].id, condition_of(part.tokens), is_until=part.role == "until")
        else:
            self.undrawn.append(f"the loop {part.role} {part.said!r}")

    def _leap(self) -> None:
        """Lead on to the steps that were named before they were told."""
        for ends, part in self._leaps:
            target = self.graph.named(part.tokens)
            if target is None:
                self.undrawn.append(f"where {part.said!r} leads")
                self.track.frontier += ends
                continue
            for end in ends:
                self.graph.lead(end, target.id)

    # ---- the whole

    def _started(self, part: Part, behind: Part | None) -> None:
        at = verb_in(part.tokens)
        if at is None:
            plain = (n for n, token in enumerate(part.tokens) if n and token.has("verb") and acts(part.tokens[:n]))
            at = next(plain, None)
        subject = part.tokens[:at]
        is_led = any(low in word_set("drawing.when") for low in part.lows)
        if at is not None and acts(subject) and not is_led and not self.graph.nodes:
            # "A visitor asks for a book. The librarian ...": it is work, too.
            self._who = subject
            self._step(replace(part, role="do", tokens=part.tokens[at:]))
            return
        if at is None and behind is not None and any(token.text in _ARROWS for token in behind.before):
            # "request > quote > order": the first of a list.
            self._step(replace(part, role="do"))
            return
        if at is None and behind is not None and any(token.text == ":" for token in behind.before):
            # A title: "Orders: check the form, ...".
            self.name = self.name or name_of(part.tokens)
            return
        event = event_of(part.tokens)
        if self.triggers or not event:
            self.undrawn.append(f"what {part.said!r} starts")
            return
        self.triggers.append({"type": "event", "event": event})
        self._told.thing = thing_of(subject)
        if acts(subject):
            self._actors.meet(subject)
            self._told.thing = thing_of(object_of(read_deed(part.tokens[at:], is_told_who=True))) if at else ""

    def _scheduled(self, part: Part) -> None:
        # "Nightly import at 1:30": half of it may stand in the name.
        for words in ((*rhythm_beside(self._title), *part.tokens), part.tokens):
            with suppress(NotRead):
                if is_habit(words) and (told := recurrence_told(words, every=False)) is not None:
                    self.triggers.append(told.trigger())
                    return
        self.undrawn.append(f"the time {part.said!r}")

    def _stop(self, part: Part) -> None:
        """End the case that is told, behind what its words tell to do: "the club is told, and that is it"."""
        if "back" in part.lows or any(token.lower == "back" for token in part.tokens):
            self._lead(replace(part, role="back"), None)
            return
        self._late = None
        inside = self.track.arm is not None or self.track.resume is not None
        if inside and _tells_work(part, is_told_who=bool(self._who)):
            self._step(replace(part, role="in"))
        self._who = ()
        if inside:
            self.track.stop()
        else:
            self.track.rejoin(is_last=True)


def _copula(part: Part) -> Tokens:
    return tuple(token for token in part.before if token.lower in _BE)


def _is_told_of(part: Part) -> bool:
    """Say whether a step behind somebody is a passive: "the police | are informed"."""
    deed = read_deed(part.tokens, is_told_who=False)
    if part.tokens[0].lower not in _BE and not _copula(part):
        return False
    return deed.voice == "passive" and not deed.subject and [token.lower for token in deed.rest[:1]] != ["to"]


def _rename(node: Node, name: str) -> None:
    node.document["name"] = capitalized(name)


def _has_comma(part: Part) -> bool:
    return any(token.text in ",;" for token in part.before)


def _escalated_to(deed: Deed, who: Tokens) -> Tokens:
    """Return who gets or hears of what is late: "it goes to the mediator", "the chief is notified"; else nobody."""
    if deed.voice == "passive" and deed.verb in word_set("drawing.told"):
        told = deed.subject or who
        return told if acts(told) else ()
    said = deed.rest
    points = all(token.has("pron", "part", "prep", "adv") for token in said)
    if who and said and points and deed.verb in ("get", "receive", "take"):
        # "The director gets it", "the deputy takes over".
        return who
    # "The case goes to the mediator" is read as a thing.
    verbs = {token.entry.verb for token in said} if deed.voice == "noun" else {deed.verb}
    at = max((n for n, token in enumerate(said) if token.lower == "to"), default=None)
    target = said[at + 1 :] if at is not None and verbs & _moving() else ()
    return target if target and acts(target) else ()


def _moving() -> frozenset[str]:
    return word_set("verb.move") | {"escalate"}


def _only_moves(deed: Deed) -> bool:
    """Say whether words only tell that something goes somewhere: "it goes to"."""
    said = (*deed.subject, *deed.rest)
    verbs = {deed.verb, *(token.entry.verb for token in said)}
    behind = deed.rest[-1:]
    return bool(verbs & _moving()) and len(said) < _SHORT and not (behind and acts(behind))


def _says_which(tokens: Tokens) -> bool:
    """Say whether the words of another case say which: "pass", "if it is fine", and not "otherwise", "if not"."""
    return any(token.lower in word_set("good") | word_set("bad") and token.is_content for token in tokens)


def _fails(tokens: Tokens) -> bool:
    """Say whether words tell of a step that does not work, and not of a result that is not good."""
    denied = any(token.has("neg") for token in tokens)
    return any(token.among("drawing.fails") or (denied and token.is_("work", "succeed")) for token in tokens)


def _only_asks(first: Token, deed: Deed) -> bool:
    """Say whether words only ask for the workflow that was told: "set it up please"."""
    builds = bool({first.lemma, first.entry.verb} & (word_set("build") | word_set("lead.draw")))
    points = (token.kind == "punct" or token.has("pron", "filler", "part", "adv", "prep") for token in deed.rest)
    return builds and bool(deed.rest) and all(points)


def _tells_work(part: Part, *, is_told_who: bool) -> bool:
    """Say whether the words of an end tell something to do, and not only that the case is closed."""
    deed = read_deed(part.tokens, is_told_who=is_told_who)
    about = {token.entry.noun or token.lower for token in deed.subject if token.is_content or token.has("pron")}
    closes = about <= word_set("workflow") | word_set("drawing.whole") and deed.verb in word_set("drawing.closes")
    closes = closes or any(token.lower == "nothing" for token in part.tokens)
    return bool(deed.verb or verb_in(part.tokens)) and not closes


def _is_about(condition: Condition, words: frozenset[str], verb: str) -> bool:
    """Say whether a condition is about what the step before it does: "... asks the vendor. If the vendor accepts"."""
    told = words - word_set("set.pronouns") | {verb}
    return any(akin(one, other) for one in condition.content for other in told if one and other)
