"""A sentence in segments: how each is joined to what came before, its condition, its clause."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end, label_end
from workflow_agent.assistant.offline.drafting.grammar import Clause, Grammar, is_role
from workflow_agent.assistant.offline.drafting.words import phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at

_MOST_SEGMENTS: Final = 300
"""Of one sentence; what follows is named as not read."""
_SKIPPED: Final = word_set("set.skipped")


@dataclass(slots=True)
class Sub:
    """A subordinate part: a condition, a time, an end."""

    kind: str
    """if, unless, until, while, when, before, foreach, yes, else."""
    tokens: tuple[Token, ...]
    clause: Clause | None = None
    word: str = ""
    """The word it is led in with."""
    joined: tuple[Clause, ...] = ()
    """Further clauses of the same condition."""


@dataclass(slots=True)
class Segment:
    """One clause of a sentence, or a phrase without a verb, with what leads it in and what trails it."""

    marks: frozenset[str] = frozenset()
    subs: tuple[Sub, ...] = ()
    clause: Clause | None = None
    phrase: tuple[Token, ...] = ()
    trailing: list[Sub] = field(default_factory=list[Sub])
    separator: str = ""
    wait: str | None = None
    """A length of time that passes before it, as ISO 8601."""
    schedules: list[tuple[Token, ...]] = field(default_factory=list[tuple[Token, ...]])
    context: tuple[Token, ...] = ()
    """A phrase in front that says where or when: "on the pickup day"."""
    lead_tokens: tuple[Token, ...] = ()
    """The words of its marks, waits and schedules."""


class SentenceReader:
    """Reads the segments of one sentence."""

    def __init__(self, tokens: Sequence[Token], *, is_list: bool = False, commas_part: bool = False) -> None:
        self.tokens = tuple(tokens)
        self.grammar = Grammar(self.tokens, commas_part=commas_part)
        self.segments: list[Segment] = []
        self._is_list = is_list
        self._marks: set[str] = set()
        self._subs: list[Sub] = []
        self._wait: str | None = None
        self._schedules: list[tuple[Token, ...]] = []
        self._lead: list[Token] = []
        self._separator = ""
        self._context: tuple[Token, ...] = ()

    def read(self) -> list[Segment]:
        """Return the segments, in order."""
        at = 0
        while at < len(self.tokens) and len(self.segments) < _MOST_SEGMENTS:
            at = max(self._step(at), at + 1)
        if at < len(self.tokens):
            self._add(None, self.tokens[at:])
        if self._marks or self._subs or self._schedules or self._wait or self._lead:
            self._add(None, ())
        return self.segments

    def _step(self, at: int) -> int:
        """Read what begins at a position and return where it ends."""
        token = self.tokens[at]
        if token.text != "IT" and (
            token.kind in ("break", "bullet", "fence")
            or (token.lower in _SKIPPED and not (token.lower == "that" and self.grammar.subject_and_verb(at)))
            or (token.kind == "punct" and token.text != "'")
        ):
            self._separator = (
                "and"
                if self._separator == "," and token.lower == "and"
                else token.text
                if self._separator != "->"
                else "->"
            )
            return at + 1
        for read in (
            self._label,
            self._mark,
            self._time,
            self._skipped,
            self._sub,
            self._comparison,
            self._with_or_without,
            self._place,
        ):
            end = read(at)
            if end is not None:
                return end
        return self._clause(at)

    def _label(self, at: int) -> int | None:
        """Read "score below 60 ->" as the condition of what follows."""
        end = label_end(self.tokens, at)
        if end is None:
            return None
        self._subs.append(Sub("if", self.tokens[at:end], None, "label"))
        return end + 1

    def _mark(self, at: int) -> int | None:
        found = phrase_at("mark", self.tokens, at)
        if found is None:
            return None
        name, end = found
        if self.grammar.low(end) == "of":
            return None
        if name == "repeat" and not (
            self.grammar.is_break(end) or self.tokens[end].lower in ("until", "till", "as", "while", ",")
        ):
            return None
        if name in ("seq", "first", "last") and self._is_adjective(at, end):
            return None
        if (
            name in ("yes", "else")
            and self.tokens[at].lower in ("if", "failing")
            and not (
                self.grammar.is_break(end)
                or self.tokens[end].lower == ","
                or (end - at == 2 and (self.grammar.starts_clause(end) or self.grammar.is_imperative(end)))
            )
        ):
            return None
        if (
            name in ("meanwhile", "beside")
            and self.segments
            and self.segments[-1].clause
            and not self._subs
            and (self.grammar.is_break(end) or self.tokens[end].lower in (",", "and"))
            and self._separator == ""
        ):
            self.segments[-1].marks |= {"together"}
            self.segments[-1].lead_tokens += self.tokens[at:end]
            return end
        self._marks.add(name)
        self._lead += self.tokens[at:end]
        return end

    def _is_adjective(self, at: int, end: int) -> bool:
        """Say whether a word like "first" or "next" stands before its noun."""
        low = self.tokens[at].lower
        if end - at > 1 or low not in word_set("sentence.is_adjective.first"):
            return False
        if end >= len(self.tokens) or self.tokens[end].lower == ",":
            return False
        if self._is_list and self.segments and not self.grammar.starts_clause(end):
            return True
        return not (
            self.grammar.starts_clause(end)
            or self.grammar.is_imperative(end)
            or self.grammar.kind_is(end, "verb", "det", "pron", "aux", "conj", "wh")
        )

    def _time(self, at: int) -> int | None:
        schedule = schedule_at(self.tokens, at)
        if schedule is not None and self.tokens[at].lower not in ("in", "the", "of", "and", ","):
            self._schedules.append(self.tokens[at : schedule.end])
            return schedule.end
        low = self.tokens[at].lower
        start = at + 1 if low in ("after", "in") else at
        length = duration_at(self.tokens, start)
        if length is None:
            return None
        if low == "after" or (
            length.end < len(self.tokens)
            and self.tokens[length.end].lower in ("later", "afterwards", "after", "on")
        ):
            end = length.end + (low != "after")
            if (
                low == "after"
                and end < len(self.tokens)
                and self.tokens[end].lower in ("of", "from", "without")
            ):
                return None
            if low != "after" and not (
                end >= len(self.tokens) or self.tokens[end].lower == "," or self.grammar.starts_clause(end)
            ):
                return None
            self._wait = length.value
            self._lead += self.tokens[at:end]
            return end
        return None

    def _skipped(self, at: int) -> int | None:
        if self.tokens[at].lower == "both" and self.grammar.is_imperative(at + 1):
            self._marks.add("both")
            return at + 1
        found = phrase_at("skipped", self.tokens, at)
        if found is None or (
            found[1] - at == 1 and self.grammar.forms(at) and self.grammar.is_imperative(at)
        ):
            return None
        self._lead += self.tokens[at : found[1]]
        return found[1]

    def _sub(self, at: int) -> int | None:
        found = phrase_at("sub", self.tokens, at)
        if found is None:
            return None
        kind, start = found
        low = self.tokens[at].lower
        outcome = (
            "ed" in self.grammar.forms(start).split()
            and self.grammar.starts_clause(start + 1)
            and not self.grammar.kind_is(start + 1, "prep")
        )
        clause = None if outcome else self.grammar.clause_at(start, told_if=True)
        if kind == "foreach" or clause is None:
            end = self._phrase_end(start, kind)
            if end is None or (low in ("as", "on", "should", "even") and kind != "when" and start - at == 1):
                return None
            sub = Sub(kind, self.tokens[start:end], None, low)
        else:
            if low in ("as", "following", "upon", "on") and start - at == 1 and clause.end == start:
                return None
            clauses = self._further(clause)
            end = clauses[-1].end
            sub = Sub(kind, self.tokens[start:end], clause, low, tuple(clauses[1:]))
        return self._attached(sub, end, self.tokens[at:start])

    def _further(self, clause: Clause) -> list[Clause]:
        """Return a condition's clause with those joined to it by "and" or "or" before its comma."""
        clauses = [clause]
        for _ in range(3):
            at = clauses[-1].end
            if self.grammar.low(at) not in ("and", "or"):
                break
            more = self.grammar.clause_at(at + 1, before=clauses[-1], told_if=True)
            if more is None or self.grammar.is_break(more.end) or self.grammar.low(more.end) != ",":
                break
            clauses.append(more)
        return clauses

    def _phrase_end(self, at: int, kind: str) -> int | None:
        """Return where a condition without a verb ends: "if approved", "for each invoice", "upon receipt"."""
        end = at
        while end < len(self.tokens) and not self.grammar.is_break(end) and self.tokens[end].lower != ",":
            if end > at and (
                self.grammar.marks(end)
                or (
                    self.grammar.starts_clause(end)
                    and not self.grammar.kind_is(end - 1, "det", "prep", "adj")
                )
            ):
                break
            if (
                end > at
                and kind in ("if", "unless", "when")
                and self.grammar.is_imperative(end)
                and self.grammar.follows_a_verb(end + 1)
                and not self.grammar.kind_is(end - 1, "det", "prep", "adj")
            ):
                break
            end += 1
            if end - at > 16:
                return None
        return end if end > at else None

    def _attached(self, sub: Sub, end: int, lead: tuple[Token, ...]) -> int:
        """Keep a subordinate part: behind the last clause where it trails it, else in front of the next."""
        last = self.segments[-1] if self.segments else None
        trails = (
            last is not None
            and (last.clause is not None or last.phrase)
            and not self._marks
            and not self._subs
        )
        if trails and last is not None:
            fronted = self._something_follows(end)
            is_behind = sub.kind == "until" or self._separator == "" or not fronted
            if is_behind and not (self._separator in (":", "->", "and", ";") and fronted):
                last.trailing.append(sub)
                last.lead_tokens += lead
                self._separator = ""
                return end
        self._subs.append(sub)
        self._lead += lead
        if self.grammar.low(end) == ":":
            end += 1
        return end

    def _something_follows(self, end: int) -> bool:
        at = end
        while self.grammar.low(at) in (",", ":", "then") or self.grammar.low(at) == "->":
            at += 1
        if at >= len(self.tokens) or self.grammar.low(at) in ("and", "or", "but"):
            return False
        if (mark := phrase_at("mark", self.tokens, at)) and mark[0] in ("else", "seq", "last", "yes"):
            return False
        at = self.grammar.past_openers(at)
        return (
            self.grammar.starts_clause(at)
            or self.grammar.is_imperative(at)
            or (self.grammar.low(end) == "," and self.grammar.kind_is(at, "verb"))
            or ("s" in self.grammar.forms(at).split() and self.grammar.follows_a_verb(at + 1))
        )

    def _comparison(self, at: int) -> int | None:
        """Read "under 50 support refunds": an amount in front of a clause."""
        end = comparison_end(self.tokens, at)
        if end is None or end >= len(self.tokens):
            return None
        after = end + (self.tokens[end].lower in (",", ":"))
        if not (
            self.grammar.starts_clause(after)
            or self.grammar.is_imperative(after)
            or self._names_a_role(after)
        ):
            return None
        self._subs.append(Sub("if", self.tokens[at:end], None, "amount"))
        return after

    def _names_a_role(self, at: int) -> bool:
        if self.grammar.low(at) == "by":
            at += 1
        if self.grammar.kind_is(at, "det"):
            at += 1
        return any(is_role(token) for token in self.tokens[at : at + 3])

    def _with_or_without(self, at: int) -> int | None:
        """Read "without permission another site is picked": a bare noun that a clause depends on."""
        if self.tokens[at].lower not in ("with", "without") or (self.segments and self._separator == ""):
            return None
        for end in range(at + 2, min(at + 5, len(self.tokens))):
            after = end + (self.tokens[end].lower == ",")
            if self.grammar.kind_is(at + 1, "det", "pron"):
                return None
            if self.grammar.starts_clause(after):
                self._subs.append(Sub("if", self.tokens[at:end], None, "with"))
                return after
        return None

    def _place(self, at: int) -> int | None:
        """Read "on the pickup day they pay the rest": where or when, in front of a clause."""
        token = self.tokens[at]
        length = duration_at(self.tokens, at)
        timed = (
            length is not None
            and length.end < len(self.tokens)
            and self.tokens[length.end].lower in ("before", "after", "prior")
        )
        if (
            not (timed or token.has("prep"))
            or token.text == "IT"
            or self._context
            or token.lower in ("by", "like", "than", "unless")
        ):
            return None
        for end in range(at + 2, min(at + 10, len(self.tokens))):
            if self.grammar.is_break(end) or self.grammar.is_break(end - 1):
                return None
            comma = self.tokens[end].lower == ","
            fits = self.grammar.is_noun(end - 1) and (
                comma or self.grammar.kind_is(end, "det", "pron") or self.grammar.is_noun(end)
            )
            after = end + comma
            if fits and (self.grammar.starts_clause(after) or (comma and self.grammar.is_imperative(after))):
                if not comma and self.grammar.kind_is(end - 1, "prep", "det"):
                    continue
                self._context = self.tokens[at:end]
                return after
            if comma:
                return None
        return None

    def _clause(self, at: int) -> int:
        last = next((one.clause for one in reversed(self.segments) if one.clause), None)
        clause = self.grammar.clause_at(at, before=last)
        if clause is not None and clause.end > at:
            self._add(clause, ())
            return clause.end
        end = at + 1
        while end < len(self.tokens) and not self.grammar.is_break(end) and self.tokens[end].lower != ",":
            if self.tokens[end].lower in ("and", "or") and (
                self._is_list or self.grammar.starts_clause(end + 1)
            ):
                break
            if self.tokens[end].lower == "who" or (
                phrase_at("sub", self.tokens, end) and self.grammar.starts_clause(end + 1)
            ):
                break
            end += 1
        self._add(None, self.tokens[at:end])
        return end

    def _add(self, clause: Clause | None, phrase: tuple[Token, ...]) -> None:
        self.segments.append(
            Segment(
                frozenset(self._marks),
                tuple(self._subs),
                clause,
                phrase,
                [],
                self._separator,
                self._wait,
                self._schedules,
                self._context,
                tuple(self._lead),
            )
        )
        self._marks, self._subs, self._wait, self._schedules, self._lead, self._separator = (
            set(),
            [],
            None,
            [],
            [],
            "",
        )
        self._context = ()
