"""Statements of a sentence: a clause, with what joins it to the others and on what condition it holds."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from workflow_agent.assistant.offline.drafting.conditions import comparison_end, label_end
from workflow_agent.assistant.offline.drafting.grammar import Clause, Grammar
from workflow_agent.assistant.offline.drafting.phrases import is_role, phrase_at
from workflow_agent.assistant.offline.lexicon import word_set
from workflow_agent.assistant.offline.tokens import Token
from workflow_agent.assistant.offline.values import duration_at, schedule_at

_SEPARATORS: Final = frozenset({",", "and", "but", "or", "plus", "&", "so", "n"})
_BREAKS: Final = frozenset({"->", ":", ";", ".", "!", "?", "\u2013", "\u2014", "/", "|", ">"})
_ALWAYS: Final = frozenset({"if", "unless", "until", "while", "foreach"})
"""Subordinate parts that begin wherever their word stands; the others need a clause behind it."""
_CUTS: Final = frozenset({"else", "meanwhile", "anyway", "repeat", "yes"})
_ANY: Final = frozenset({"anything", "everything", "something", "nothing", "anyone", "everyone", "someone"})
_LONGEST_CONDITION: Final = 40
_LONGEST_AMOUNT: Final = 8
_OF_NOUN: Final = frozenset({"of", "for", "in", "from", "with", "on", "by", "about", "per"})


@dataclass(frozen=True, slots=True)
class Sub:
    """A subordinate part: "if the form is complete", "above 500", "until it is right"."""

    kind: str
    """if, unless, until, while, when, before or foreach."""
    word: str
    """What leads it in; "amount" for a comparison, "subset" for what a subject says of itself."""
    tokens: tuple[Token, ...]
    clause: Clause | None = None


@dataclass(slots=True)
class Statement:
    """What a clause or a phrase tells, and how it hangs together with what was told before."""

    joint: str = ""
    """The sign or word that parts it from the statement before."""
    marks: set[str] = field(default_factory=set[str])
    subs: list[Sub] = field(default_factory=list[Sub])
    clause: Clause | None = None
    phrase: tuple[Token, ...] = ()
    trailing: list[Sub] = field(default_factory=list[Sub])
    schedule: tuple[Token, ...] = ()
    context: list[Token] = field(default_factory=list[Token])
    """Of a phrase in front of the clause: "in our school"."""
    lead: list[Token] = field(default_factory=list[Token])
    """The words of its marks."""
    is_item: bool = False
    """Whether it is an item of a list, where a phrase without a verb is a step."""

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of its clause or phrase."""
        return self.clause.tokens if self.clause else self.phrase


def read_statements(
    tokens: Sequence[Token], *, is_list: bool = False, is_item: bool = False, form: str = ""
) -> list[Statement]:
    """Return the statements of a sentence.

    Args:
        tokens: The sentence without the mark of a list's item.
        is_list: Whether commas part steps in it.
        is_item: Whether it is an item of a list.
        form: How a verb goes on with what was said in front of the sentence: "a workflow that posts …".
    """
    return _Reader(tokens, is_list, is_item, form).read()


class _Reader:
    def __init__(self, tokens: Sequence[Token], is_list: bool, is_item: bool, form: str) -> None:
        self._tokens, self._is_list, self._is_item = tokens, is_list, is_item
        self._grammar = Grammar(tokens)
        self._told: list[Statement] = []
        self._pending = Statement()
        self._form, self._is_bare = form, not form

    def read(self) -> list[Statement]:
        at, count = 0, len(self._tokens)
        while at < count:
            at = self._past_joints(at)
            at = self._past_openers(at)
            if at >= count:
                break
            sub = phrase_at("sub", self._tokens, at)
            said = sub[1] if sub is not None and sub[0] == "if" else at
            label = label_end(self._tokens, said) if self._told else None
            if label is not None:
                self._pending.subs.append(
                    Sub("if", f"label {self._tokens[label].text}", tuple(self._tokens[said:label]))
                )
                self._pending.lead += self._tokens[at:said]
                at = label + 1
            elif sub is not None and self._is_sub(at, sub):
                at = self._sub(at, *sub)
            elif (end := self._fronted(at)) is not None:
                at = end
            else:
                at = self._main(at)
        self._finish()
        return self._told

    def _finish(self) -> None:
        rest = self._pending
        if not (rest.subs or rest.marks or rest.schedule or rest.context or rest.lead):
            return
        if self._told and not rest.schedule and "repeat" not in rest.marks:
            self._told[-1].trailing += rest.subs
            self._told[-1].lead += rest.lead
            self._told[-1].context += rest.context
        else:
            self._told.append(rest)

    # ---- joints and openers

    def _past_joints(self, at: int) -> int:
        while at < len(self._tokens) and (
            self._grammar.low(at) in _SEPARATORS | _BREAKS
            or (self._tokens[at].kind == "punct" and self._tokens[at].text not in "(<=")
        ):
            low = self._grammar.low(at)
            if self._pending.joint in ("", ",") or low in ("->", "or"):
                self._pending.joint = low
            self._pending.lead.append(self._tokens[at])
            at += 1
        return at

    def _past_openers(self, at: int) -> int:
        """Return the position past marks, fillers and times in front of a clause."""
        for _ in range(8):
            if at >= len(self._tokens):
                break
            found = phrase_at("mark", self._tokens, at)
            if found is not None and self._is_mark(at, found):
                self._pending.marks.add(found[0])
                end = found[1]
            elif (time := schedule_at(self._tokens, at)) is not None and self._grammar.low(at) != "the":
                self._pending.schedule = tuple(self._tokens[at : time.end])
                end = time.end
            elif (skipped := phrase_at("skipped", self._tokens, at)) and not self._grammar.is_imperative(at):
                end = skipped[1]
            elif self._tokens[at].text in (",", ":") and (self._pending.marks or self._pending.schedule):
                end = at + 1
            else:
                break
            self._pending.lead += self._tokens[at:end]
            at = end
        return at

    def _is_mark(self, at: int, found: tuple[str, int]) -> bool:
        name, end = found
        after = self._grammar.token(end)
        if self._tokens[at].lower == "if" and after is not None and after.kind != "punct":
            return end == at + 2 and not self._grammar.has(end, "aux") and self._boundary(end, "base")
        if name == "else" and at and self._tokens[at - 1].lower in _ANY:
            return False
        if self._grammar.low(end) == "of" or (after is not None and after.text == "-"):
            return False
        ordinal = end == at + 1 and self._tokens[at].lower in word_set("grammar.is_part_of_noun.next")
        if ordinal and self._grammar.low(end) in word_set("set.ranked"):
            return False
        if ordinal:
            orders = self._grammar.is_imperative(end) and self._grammar.follows_a_verb(end + 1)
            orders = orders and end + 1 < len(self._tokens)
            named = (
                self._grammar.has(end, "det", "pron") or self._grammar.is_role(end) or self._grammar.low(end) == "in"
            )
            return self._grammar.low(end) == "," or orders or (named and self._boundary(end, ""))
        if name == "repeat":
            return after is None or self._grammar.low(end) in ("until", "till", "as", "while", ",", ".", "the", "this")
        return True

    # ---- subordinate parts

    def _is_sub(self, at: int, found: tuple[str, int]) -> bool:
        kind, start = found
        low = self._grammar.low(at)
        if at and self._tokens[at - 1].has("det"):
            return False
        if kind in _ALWAYS:
            if low in ("should", "where"):
                return at == 0 and self._grammar.is_noun(start)
            if kind == "foreach" and not self._begins(at):
                return False
            return start < len(self._tokens) and not (kind == "while" and low == "while" and not self._acts_at(start))
        if low == "as" and start == at + 1:
            return False
        if self._grammar.starts_clause(start):
            return True
        if kind == "before" or low in ("following", "on", "upon", "after"):
            return False
        states = any(form in ("ed", "ing") for form in self._grammar.forms(start)) or self._grammar.has(start, "adj")
        return kind == "when" and (states or self._begins(at))

    def _acts_at(self, at: int) -> bool:
        return self._grammar.starts_clause(at) or bool(self._grammar.forms(at))

    def _begins(self, at: int) -> bool:
        return at == 0 or bool(self._pending.lead)

    def _sub(self, at: int, kind: str, start: int) -> int:
        is_leading = not self._told or bool(self._pending.lead) or bool(self._pending.subs)
        end = self._sub_end(start, is_leading=is_leading)
        if kind == "foreach":
            end = next((one for one in range(start + 1, end) if self._opens(one)), end)
        elif is_leading:
            end = self._order_behind(start, end)
        word = " ".join(token.lower for token in self._tokens[at:start])
        clause = self._grammar.clause(start, end)
        (self._pending if is_leading else self._told[-1]).lead.extend(self._tokens[at:start])
        sub = Sub(kind, word, tuple(self._tokens[start:end]), clause)
        if is_leading:
            self._pending.subs.append(sub)
            self._is_bare = True
        else:
            self._told[-1].trailing.append(sub)
        return end

    def _opens(self, at: int) -> bool:
        """Say whether a clause opens behind a noun: "for each picture the lawyer checks", "for each file scan it"."""
        if self._tokens[at - 1].has("det", "prep", "adj"):
            return False
        subject = self._grammar.has(at, "det", "pron") or is_role(self._tokens[at])
        orders = self._grammar.is_imperative(at) and self._grammar.follows_a_verb(at + 1) and at + 1 < len(self._tokens)
        return (subject and self._grammar.starts_clause(at)) or orders

    def _sub_end(self, start: int, *, is_leading: bool) -> int:
        """Return where a condition ends: at a comma where it leads, else where another clause begins."""
        comma = self._comma(start) if is_leading else None
        at = start
        while at < len(self._tokens):
            low = self._grammar.low(at)
            if low in _BREAKS and self._tokens[at].kind == "punct" and low not in ">/":
                return at
            if at > start and (
                ((mark := phrase_at("mark", self._tokens, at)) and (low == "then" or mark[0] in _CUTS))
                or (
                    (sub := phrase_at("sub", self._tokens, at)) and sub[0] in _ALWAYS and low not in ("should", "where")
                )
            ):
                return at
            if low == "," and (comma == at or self._boundary(self._past(at), "")):
                return at
            if low in ("and", "but", "so") and not is_leading and self._boundary(self._past(at), ""):
                return at
            if at > start and self._clause_behind(start, at):
                return at
            at += 1
        return len(self._tokens)

    def _order_behind(self, start: int, end: int) -> int:
        """Return where a condition ends that nothing parts from the order behind it: "if ok store it"."""
        mark = phrase_at("mark", self._tokens, self._past(end)) if end < len(self._tokens) else None
        if end < len(self._tokens) and self._grammar.low(end) not in (".", ";") and not (mark and mark[0] == "else"):
            return end
        for at in range(start + 1, end):
            before = self._tokens[at - 1]
            done = before.has("adj") or before.entry.form == "ed" or before.lower in word_set("good") | word_set("bad")
            if done and "base" in self._grammar.forms(at):
                return at
        return end

    def _past(self, at: int) -> int:
        while self._grammar.low(at) in _SEPARATORS:
            at += 1
        return at

    def _comma(self, start: int) -> int | None:
        """Return the comma that ends a condition; None where another condition or "else" follows it."""
        for at in range(start, min(start + _LONGEST_CONDITION, len(self._tokens))):
            low = self._grammar.low(at)
            if low in (".", ":", "->", ";", "?", "!") or low == "then":
                return None
            if low == ",":
                behind = self._past(at)
                mark, sub = phrase_at("mark", self._tokens, behind), phrase_at("sub", self._tokens, behind)
                parted = mark is not None or (sub is not None and self._is_sub(behind, sub))
                return None if parted or comparison_end(self._tokens, behind) else at
        return None

    def _clause_behind(self, start: int, at: int) -> bool:
        """Say whether a condition without a comma is over: a subject with its verb, or an order, begins."""
        before, found = self._tokens[at - 1], self._grammar.subject(start)
        told = found is not None and found.verb < at
        particle = before.lower in ("in", "up", "out", "off") and told
        if before.has("det", "prep", "conj", "wh", "aux") and before.text != "IT" and not particle:
            return False
        near = self._tokens[max(start, at - _LONGEST_AMOUNT) : at]
        amount = any(comparison_end(near, one) == len(near) for one in range(len(near)))
        complement = before.has("adj") or before.entry.form == "ing" or amount
        if told and complement and "s" in self._grammar.forms(at) and (amount or not self._grammar.is_noun(at)):
            return True
        alone = not told and not self._grammar.is_article(start) and not self._grammar.has(start, "pron")
        there = self._grammar.low(at) == "there" and self._grammar.has(at + 1, "aux")
        if not told and not there and not (alone and (before.has("adj", "verb") or before.kind == "number")):
            return False
        outcome = before.lower in word_set("good") | word_set("bad")
        if (before.entry.verb in word_set("verb.event") or (alone and outcome)) and self._grammar.is_imperative(at):
            return True
        opens = there or self._grammar.has(at, "pron") or self._grammar.has(at, "det") or is_role(self._tokens[at])
        return opens and self._grammar.starts_clause(at) and (particle or self._transitive_done(found, at))

    def _transitive_done(self, found: object, at: int) -> bool:
        """Say whether what stands in front may be all of the condition: no verb waits for its object."""
        before = self._tokens[at - 1]
        thinks = before.entry.verb in word_set("verb.clausal") and before.entry.form != "ed"
        return not (thinks and found is not None)

    def _fronted(self, at: int) -> int | None:
        """Read "above 500", "for orders over 20" and "in our school" in front of a clause."""
        if not self._begins(at) and self._told:
            return None
        amount = comparison_end(self._tokens, at)
        if amount is not None and (
            self._boundary(self._past(amount), "") or self._grammar.low(amount) in ("", "by", ",")
        ):
            self._pending.subs.append(Sub("if", "amount", tuple(self._tokens[at:amount])))
            return amount
        led = phrase_at("sub", self._tokens, at)
        led = led if led is not None and led[0] in ("when", "before") else None
        if led is None and (not self._grammar.has(at, "prep") or self._grammar.low(at) in ("by", "until", "to")):
            return None
        end = self._fronted_end(at)
        if end is None:
            return None
        own = tuple(self._tokens[at:end])
        compares = any(comparison_end(own, one) for one in range(len(own)))
        with_it = own[0].lower in ("with", "without") and not any(token.has("det") for token in own)
        if compares or with_it:
            self._pending.subs.append(Sub("if", "amount", own))
        elif led is not None or duration_at(own, 1):
            start = led[1] - at if led is not None else 1
            self._pending.subs.append(Sub("when", own[0].lower, own[start:]))
        else:
            self._pending.context += own
        self._pending.lead += own
        self._is_bare = True
        return end

    def _fronted_end(self, at: int) -> int | None:
        for end in range(at + 2, min(at + 14, len(self._tokens))):
            if self._grammar.low(end) in (",", ":"):
                return end
            before = self._tokens[end - 1]
            opens = self._grammar.has(end, "det", "pron") or is_role(self._tokens[end])
            if opens and not before.has("det", "prep", "adj", "conj") and self._grammar.starts_clause(end):
                return end
            if self._tokens[end].kind == "punct":
                return None
        return None

    # ---- main clauses

    def _main(self, at: int) -> int:
        found = self._grammar.subject(at)
        end = self._main_end(at, found.verb if found is not None else self._grammar.past_adverbs(at))
        clause = self._read_clause(at, end)
        if "yes" in self._pending.marks and self._pending.subs and self._told:
            # "…, unless it is small, in which case …": the condition is the clause's before.
            self._told[-1].trailing += self._pending.subs
            self._pending.subs = []
        statement, self._pending = self._pending, Statement()
        statement.is_item = self._is_list or self._is_item
        statement.clause, statement.phrase = clause, () if clause else tuple(self._tokens[at:end])
        self._told.append(statement)
        if clause is not None:
            self._form = clause.form
            orders = self._grammar.low(at) in ("have", "get", "let")
            self._is_bare = clause.form == "base" and (not clause.subject or orders)
        return max(end, at + 1)

    def _read_clause(self, at: int, end: int) -> Clause | None:
        if self._grammar.low(at) == "back" and self._grammar.low(at + 1) == "to":
            return None
        relative = self._grammar.low(at) in ("who", "which")
        if relative:
            verb = self._grammar.past_adverbs(at + 1)
            form = next((one for one in self._grammar.forms(verb) if one != "ing"), "s")
            clause = self._grammar.clause(at + 1, end, form=form)
            return replace(clause, is_relative=True, tokens=tuple(self._tokens[at:end])) if clause else None
        is_bare = self._is_bare or self._is_list or self._is_item or bool(self._pending.subs)
        is_bare = is_bare or bool(self._pending.marks & {"else", "seq", "last", "first", "yes", "beside", "meanwhile"})
        led = bool(self._pending.subs or self._pending.marks & {"else", "yes"})
        orders = led and self._form == "s" and "s" not in self._grammar.forms(self._grammar.past_adverbs(at))
        return self._grammar.clause(at, end, form="" if orders else self._form, is_bare=is_bare)

    def _main_end(self, start: int, verb: int) -> int:
        at = max(verb, start) + 1
        if self._grammar.low(start) in ("who", "which"):
            at = start + 2
        while at < len(self._tokens):
            low, token = self._grammar.low(at), self._tokens[at]
            if low == "(":
                at = next(
                    (one for one in range(at, min(at + 30, len(self._tokens))) if self._grammar.low(one) == ")"), at
                )
            elif (token.kind == "punct" and low in _BREAKS and not self._is_glued(at)) or self._cuts(at):
                return at
            elif low in _SEPARATORS and not (low == "so" and self._grammar.low(at + 1) == "that"):
                if low == "or" and at == max(verb, start) + 1 and self._goes_on(at + 1, self._form_of(start, verb)):
                    at += 2
                    continue
                if self._boundary(self._past(at), self._form_of(start, verb), at):
                    return at
                at = self._past(at) - 1
            at += 1
        return len(self._tokens)

    def _is_glued(self, at: int) -> bool:
        token, before = self._tokens[at], self._tokens[at - 1]
        return token.text in "/>|" and before.end == token.start

    def _form_of(self, start: int, verb: int) -> str:
        if verb <= start and self._grammar.subject(start) is None and (self._is_bare or self._is_list or self._is_item):
            return "base"
        clause = self._grammar.clause(start, min(verb + 8, len(self._tokens)), form=self._form, is_bare=True)
        return clause.form if clause is not None else ""

    def _cuts(self, at: int) -> bool:
        """Say whether a word that begins a part of its own stands at a position without a separator."""
        mark = phrase_at("mark", self._tokens, at)
        waits = self._grammar.has(at - 1, "aux")
        nth = self._grammar.low(at) in word_set("grammar.is_part_of_noun.next")
        if mark is not None and not waits and not nth:
            behind = mark[1] >= len(self._tokens) or self._grammar.low(mark[1]) in _BREAKS | _SEPARATORS
            if mark[0] in ("meanwhile", "beside", "last") and behind:
                return False
            if mark[0] in _CUTS or (mark[0] == "seq" and self._grammar.low(at) in ("then", "afterwards", "whereupon")):
                return self._is_mark(at, mark)
            if self._boundary(mark[1], "s") and mark[0] != "first":
                return self._is_mark(at, mark)
        sub = phrase_at("sub", self._tokens, at)
        if sub is None:
            return False
        if sub[0] in _ALWAYS:
            asks = self._grammar.low(at) == "if" and self._tokens[at - 1].entry.verb in word_set("verb.check")
            asks = asks and self._tokens[at - 1].entry.verb not in word_set("verb.about") | {"decide"}
            asks = asks or (self._tokens[at - 1].entry.verb == "check" and self._grammar.low(at) == "if")
            return self._grammar.low(at) not in ("should", "where") and not asks and self._is_sub(at, sub)
        if self._grammar.low(at) in ("following", "on", "upon", "as"):
            return False
        if sub[0] == "before" or self._grammar.low(at) == "after":
            return self._grammar.starts_clause(sub[1]) or (sub[0] == "before" and self._is_list)
        return self._grammar.starts_clause(sub[1]) or self._is_sub(at, sub)

    def _boundary(self, at: int, form: str, sign: int | None = None) -> bool:
        """Say whether a clause, an item or a subordinate part begins behind a separator.

        Args:
            at: Where it would begin.
            form: How a verb would go on with the subject before; empty for none.
            sign: The separator in front, where there is one.
        """
        if at >= len(self._tokens):
            return False
        if sign is not None and self._is_list and self._parts_items(sign, at):
            return True
        sub, mark = phrase_at("sub", self._tokens, at), phrase_at("mark", self._tokens, at)
        if sub is not None and self._is_sub(at, sub):
            return True
        if mark is not None and (mark[0] in (*_CUTS, "seq", "last", "beside") and self._is_mark(at, mark)):
            return True
        if self._grammar.low(at) in ("who", "which") and sign is not None and self._grammar.low(sign) == ",":
            return bool(self._grammar.forms(self._grammar.past_adverbs(at + 1))) or self._grammar.has(at + 1, "aux")
        fronts = self._grammar.has(at, "prep") and self._grammar.low(at) not in ("by", "to", "of", "for")
        if self._elliptic(at) or (fronts and self._fronted_end(at) is not None):
            return True
        found = self._grammar.subject(at)
        if found is not None and (
            found.is_sure
            or is_role(self._tokens[found.end - 1])
            or self._grammar.is_article(at)
            or (sign is not None and self._grammar.low(sign) == "," and not self._is_list)
        ):
            return True
        return bool(form) and self._goes_on(self._grammar.past_adverbs(at), form)

    def _elliptic(self, at: int) -> bool:
        """Say whether an amount with who acts on it begins: "above that by the director"."""
        for start in (at, at + 1):
            end = comparison_end(self._tokens, start)
            if end is not None and (self._grammar.low(end) in ("by", "the") or self._grammar.starts_clause(end)):
                return True
        return False

    def _parts_items(self, sign: int, at: int) -> bool:
        if self._grammar.low(sign) == ",":
            return True
        later = any(token.text == "," for token in self._tokens[at:])
        return self._grammar.low(sign) == "and" and not later and self._is_serial(sign, at)

    def _is_serial(self, sign: int, at: int) -> bool:
        """Say whether an "and" joins the last item of a list: a verb behind it, or other items by commas."""
        listed = any(token.text == "," for token in self._tokens[:sign])
        verbs = "base" in self._grammar.forms(at)
        first = "base" in self._grammar.forms(0)
        left = sum(token.kind != "punct" for token in self._tokens[at:])
        return verbs or (listed and (not first or left == 1))

    def _goes_on(self, at: int, form: str) -> bool:
        """Say whether a verb at a position goes on with the subject of the clause before."""
        if self._grammar.has(at, "aux"):
            return True
        wanted = "ed" if form == "passive" else form
        forms = self._grammar.forms(at)
        if wanted == "s" and "base" in forms and "s" not in forms:
            return self._grammar.has(at + 1, "det", "pron") or self._grammar.low(at + 1) == "to"
        if wanted not in forms:
            return False
        pure = not self._grammar.is_noun(at) and not self._grammar.has(at, "adj")
        last = at + 1 >= len(self._tokens) or self._grammar.low(at + 1) in _BREAKS
        object_follows = self._grammar.follows_a_verb(at + 1)
        if wanted == "ed":
            return object_follows or (pure and form != "passive")
        if pure:
            return True
        if last or self._grammar.low(at + 1) in _SEPARATORS:
            return self._is_list or form == "base"
        if self._grammar.has(at + 1, "prep"):
            return self._grammar.low(at + 1) not in _OF_NOUN
        return object_follows or form == "s" or self._grammar.is_noun(at + 1)
