"""The parts of a description, and the order in which they are drawn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Final

from workflow_agent.assistant.offline.phrases import in_small_letters, is_pronoun, text_of
from workflow_agent.assistant.offline.tokens import Tokens
from workflow_agent.assistant.offline.values import durations_in

STEPS: Final = frozenset({"do", "in", "par"})
_IN_ARMS: Final = frozenset({"do", "in", "who", "time", "num", "par", "wait"})
_CASES: Final = frozenset({"if", "else", "late", "fail"})
_LED: Final = frozenset({"if", "when", "unless", "provided", "case", "where", "should"})
"""Words in front of a case that stands behind what it holds for."""
_LEADING: Final = frozenset({"after", "when", "once", "then", "that", "this", "all", "it", "is", "are", "they", "done"})
_MEANWHILE: Final = frozenset({"meanwhile", "meantime"})
_UNSURE: Final = 0.6
_SURE: Final = 0.9
_SHORT: Final = 4
_APART: Final = frozenset({",", ";", ":", "->", "-", "\N{EN DASH}", "\N{EM DASH}"})
_SIGNS: Final = (":", "->", "=>", "-", "=", "?", ">")


@dataclass(frozen=True, slots=True)
class Part:
    """Some words of a description and what they are."""

    role: str
    tokens: Tokens
    before: Tokens
    """What stands between the part before and this one, signs and line breaks included."""
    certainty: float = 1.0
    alike: float = 1.0
    """How probable it is that it is that, or what may come to the same: a step, be it of the main line or of a case; a
    case, be it one of its own or the other one; a name, or words in no part of the graph."""

    @property
    def begins_sentence(self) -> bool:
        """Whether a sentence or a line begins between the part before and this one."""
        return any(token.kind in ("break", "bullet") or token.text in (".", "!", "?") for token in self.before)

    @property
    def lows(self) -> list[str]:
        """The words in front of it, in small letters."""
        return [token.lower for token in self.before if token.kind == "word"]

    @property
    def said(self) -> str:
        """Its words, to be quoted."""
        return text_of(self.tokens[:30])[:100]


def ordered(parts: Iterable[Part]) -> list[Part]:
    """Return parts as they are drawn: each case in front of what it holds for, each step behind the one it follows."""
    whole = _whole_passives(_led_back(one) for one in parts if not _only_leads(one))
    told = _questions(_one_by_one(_without_headings(_with_each(_with_pauses(_with_times(whole))))))
    return _settled(_groups_parted(_in_order(_with_arms(_cases_first(told)))))


def _only_leads(part: Part) -> bool:
    """Say whether a case is none, and only leads on: "after that", "when all this is done"."""
    words = [token.lower for token in part.tokens]
    timed = {"after", "when", "once"} & {*words, *part.lows[-1:]}
    return part.role in ("if", "late", "fail") and bool(timed) and "if" not in part.lows and set(words) <= _LEADING


def _led_back(part: Part) -> Part:
    """Return what stands behind "back to" as where it leads back."""
    acts = part.tokens[0].has("verb") and not part.tokens[-1].is_("start", "beginning", "step")
    is_back = part.role in STEPS and part.lows[-2:] in (["back", "to"], ["back", "at"]) and not acts
    return replace(part, role="back") if is_back else part


def _settled(parts: list[Part]) -> list[Part]:
    """Return parts with how sure it is that they are steps, where their place says already whether of a case.

    So it is right behind a case, and where no case was told.
    """
    found: list[Part] = []
    for part in parts:
        before = [one for one in found if one.role != "who"]
        behind_case = bool(before) and before[-1].role in _CASES and not part.begins_sentence
        led = (*(found[-1].before if found and found[-1].role == "who" else ()), *part.before)
        then = any(token.lower in ("then", "afterwards", "finally") for token in led)
        apart = any(token.text in (".", ";") or token.kind == "break" for token in led)
        late = acts_when_late(before)
        if part.role == "in" and then and part.certainty < (_SURE if late else _UNSURE) and (apart or late):
            # "... the manager approves it; then the warehouse ships it."
            found.append(replace(part, role="do", certainty=part.alike))
        elif part.role in ("do", "in") and (behind_case or not any(one.role in _CASES for one in before)):
            found.append(replace(part, certainty=max(part.certainty, part.alike)))
        else:
            found.append(part)
    return found


def acts_when_late(before: Sequence[Part]) -> bool:
    """Say whether the last case is a lateness and something is done in it: "if she is late, her deputy decides"."""
    case = next((at for at in reversed(range(len(before))) if before[at].role in _CASES), None)
    return case is not None and before[case].role == "late" and any(one.role in STEPS for one in before[case + 1 :])


def _whole_passives(parts: Iterable[Part]) -> list[Part]:
    """Return parts with "invoices | are | scanned" as one."""
    found: list[Part] = []
    for part in parts:
        copula = [token.lower for token in part.before] in (["is"], ["are"], ["was"], ["were"], ["gets"], ["get"])
        if copula and found and found[-1].role == part.role and part.role in STEPS and _no_deed(found[-1].tokens):
            first = found.pop()
            tokens = (*first.tokens, *part.before, *part.tokens)
            found.append(replace(first, tokens=tokens, certainty=min(first.certainty, part.certainty)))
        else:
            found.append(part)
    return found


def _with_times(parts: list[Part]) -> list[Part]:
    """Return parts with those that say a length of time and nothing else as such."""
    followed = [next((one.role for one in parts[at + 1 :] if one.role != "who"), "") for at in range(len(parts))]
    return [_as_time(part, behind) for part, behind in zip(parts, followed, strict=True)]


def _with_pauses(parts: list[Part]) -> list[Part]:
    """Return parts with the times between tries as such: "5 times, 10 minutes apart", "three tries, every hour"."""
    found = list(parts)
    for at, part in enumerate(parts[1:], 1):
        between = (*part.before, *part.tokens, *(parts[at + 1].before[:1] if at + 1 < len(parts) else ()))
        behind = parts[at - 1].role == "num" and not part.begins_sentence
        if behind and durations_in(part.tokens) and any(token.among("drawing.apart") for token in between):
            found[at] = replace(part, role="pause", certainty=1.0)
    return found


def _as_time(part: Part, behind: str) -> Part:
    """Return "within 2 days" as a time, and "after 3 days" as a wait where what follows is told of every case."""
    unsure = part.role == "late" and (part.certainty < _UNSURE or behind == "do")
    lengths = durations_in(part.tokens) if unsure or part.role in ("if", *STEPS) else []
    covered = {at for start, length in lengths for at in range(start, length.end)}
    if not lengths or any(token.is_content and at not in covered for at, token in enumerate(part.tokens)):
        return part
    waits = any(token.lower in ("after", "later") for token in (*part.before[-1:], *part.tokens))
    return replace(part, role="wait" if waits else "time")


def _with_each(parts: Iterable[Part]) -> list[Part]:
    """Return parts with "for each picture" as one, where it stands in none."""
    found: list[Part] = []
    for part in parts:
        lows = [token.lower for token in (*part.before, part.tokens[0])]
        pairs = enumerate(pairwise(lows), 1)
        at = next((n for n, pair in pairs if pair in (("for", "each"), ("for", "every"))), None)
        if part.role == "start" and lows[-2:] in (["for", "each"], ["for", "every"]):
            found.append(replace(part, role="each"))
            continue
        said = part.before
        named = tuple(takewhile(lambda token: token.kind == "word", said[at + 1 :])) if at is not None else ()
        if at is not None and named and part.role != "each":
            found.append(Part("each", said[at : at + 1 + len(named)], said[: at - 1]))
            found.append(replace(part, before=said[at + 1 + len(named) :]))
        else:
            found.append(part)
    return found


def _without_headings(parts: list[Part]) -> list[Part]:
    """Return parts without lines that only head a list: "Preparation", and the items below it."""
    found: list[Part] = []
    for at, part in enumerate(parts):
        behind = parts[at + 1] if at + 1 < len(parts) else None
        kinds = [token.kind for token in part.before]
        follows = [token.kind for token in behind.before[-2:]] if behind is not None else []
        is_line = follows == ["break", "bullet"] and "bullet" not in kinds
        alone = at == 0 or "break" in kinds
        is_list = any(one.role in STEPS for one in parts[at + 1 :])
        heads = part.role == "do" and is_line and alone and is_list
        if not (heads and len(part.tokens) < _SHORT and _no_deed(part.tokens)):
            found.append(part)
    return found


def _no_deed(tokens: Tokens) -> bool:
    return len(tokens) == 1 or not tokens[0].has("verb")


def is_label(behind: Part) -> bool:
    """Say whether what a case leads to stands behind a sign: "granted: a certificate is issued"."""
    return any(token.text in _SIGNS for token in behind.before)


def noun_before(part: Part) -> Tokens:
    """Return the noun phrase that stands right in front of a passive, in no part: "applications are | received"."""
    at = len(part.before)
    while at and part.before[at - 1].kind == "word" and not part.before[at - 1].has("conj"):
        at -= 1
    said = part.before[at:]
    while said and (said[-1].has("aux") or said[-1].lower in ("to", "then", "also")):
        said = said[:-1]
    acts = any(token.has("verb", "aux", "wh") and not token.has("noun") for token in said)
    named = not acts and any(token.has("noun", "name") for token in said)
    return (in_small_letters(said[0]), *said[1:]) if named else ()


def _one_by_one(parts: Iterable[Part]) -> list[Part]:
    """Return parts in which two steps in one are two: "sow and water", "fetch the orders and print the lists"."""
    found: list[Part] = []
    for part in parts:
        at = next((n for n, token in enumerate(part.tokens) if n and token.lower == "and"), None)
        first, second = (part.tokens[:at], part.tokens[at + 1 :]) if at is not None else (part.tokens, ())
        # "Survey, design, permit and construction".
        is_listed = bool(found) and found[-1].role in STEPS and [token.text for token in part.before] == [","]
        if part.role in STEPS and second and _are_two(first, second, is_listed=is_listed):
            joint = part.before if is_listed else part.tokens[len(first) : len(first) + 1]
            found += [replace(part, tokens=first), replace(part, tokens=second, before=joint)]
        else:
            found.append(part)
    return found


def _are_two(first: Tokens, second: Tokens, *, is_listed: bool) -> bool:
    """Say whether both halves begin with a verb of one form, or are both items of a list."""
    forms = [set(one[0].entry.form.split()) & {"base", "s", "ed"} for one in (first, second)]
    acts = all(one[0].has("verb") and not one[0].has("det", "prep") for one in (first, second))
    alike = acts and bool(forms[0] & forms[1])
    if is_listed and len(first) < _SHORT and len(second) < _SHORT:
        return alike or not any(token.has("det", "prep", "pron") for token in (*first, *second))
    names = all(token.has("noun") for token in second[:1])
    return alike and len(first) > 1 and (len(second) > 1 or not names)


def _questions(parts: list[Part]) -> list[Part]:
    """Return parts in which a failure with an "otherwise" is a case: "if the tests fail he fixes it, else ..."."""
    found: list[Part] = []
    for at, part in enumerate(parts):
        behind = takewhile(lambda one: one.role in ("in", "who", "time", "else"), parts[at + 1 :])
        is_case = part.role == "fail" and any(one.role == "else" for one in behind)
        found.append(replace(part, role="if") if is_case else part)
    return found


def _cases_first(parts: list[Part]) -> list[Part]:
    """Return parts with what stands behind what it holds for in front of it: "the boss signs if it is above 500"."""
    found: list[Part] = []
    moved = False
    for part, behind in zip(parts, (*parts[1:], None), strict=False):
        leads = behind is not None and not behind.begins_sentence and is_label(behind)
        is_case = part.role in ("if", "fail", "late") and not leads
        start = _held_from(found) if is_case and _follows_its_step(part) else None
        if start is None:
            # "The manager approves if it is above 5000, then it is paid": that is done in each case.
            found.append(replace(part, role="do") if moved and part.role == "in" and "then" in part.lows else part)
            moved = moved and part.role == "who"
            continue
        first, *others = found[start:]
        moved = True
        held = [replace(one, role="in") if one.role == "do" else one for one in (replace(first, before=()), *others)]
        found[start:] = [replace(part, before=(*first.before, *part.before)), *held]
    return found


def _held_from(parts: Sequence[Part]) -> int | None:
    """Return where the parts at the end begin that a case told behind them holds for, or None."""
    if parts and parts[-1].role == "end":
        return len(parts) - 1
    start = _cluster_before(parts, len(parts))
    if start is None:
        return None
    while parts[start].role != "who" and parts[start].lows == ["and"] and not parts[start].begins_sentence:
        if (first := _cluster_before(parts, start)) is None:
            break
        start = first
    in_case = start > 0 and parts[start - 1].role in _CASES and not parts[start].begins_sentence
    return None if in_case else start


def _follows_its_step(part: Part) -> bool:
    """Say whether a case follows what it holds for: "if it rains", "but only if it rains", "(only over 500)"."""
    words, signs = set(part.lows), {token.text for token in part.before}
    if part.begins_sentence:
        return False
    joins = "and" not in words and ("unless" in words or bool(words & _LED and not signs & _APART))
    return joins or ("(" in signs and ")" not in signs) or "only" in words or {"but", "not"} <= words


def _with_arms(parts: list[Part]) -> list[Part]:
    """Return parts with what stands right behind a case, and between a case and its "otherwise", as told in it."""
    found = list(parts)
    for at, part in enumerate(parts):
        if part.role not in ("if", "else"):
            continue
        others = (n for n in range(at + 1, len(parts)) if parts[n].role in ("if", "else", "start", "end", "back"))
        other = next(others, at)
        until = other if other > at and parts[other].role == "else" else at + 1
        for n in range(at + 1, len(parts)):
            role = found[n].role
            if role not in _IN_ARMS or (n >= until and found[n].begins_sentence):
                break
            if role == "do" and (n < until or not any(one.role in STEPS for one in found[at + 1 : n])):
                found[n] = replace(found[n], role="in")
            if role == "do" and found[n].role == "do":
                break
    return found


def _in_order(parts: list[Part]) -> list[Part]:
    """Return parts with "after she has checked it" in front of its step, and "before they are paid" behind it."""
    found = list(parts)
    for at, part in enumerate(parts):
        led = found[at - 1] if at and found[at - 1].role == "who" else part
        lows = led.lows
        if part.role not in ("do", "in") or {"that", "this", "which", "and", "then"} & set(lows):
            continue
        start = at - 1 if led is not part else at
        before = _cluster_before(found, start)
        if lows[-1:] == ["before"] and (led.begins_sentence or start == 0):
            end = next((n for n in range(at + 1, len(found)) if found[n].begins_sentence), len(found))
            rest = found[at + 1 : end]
            if any(one.role in STEPS for one in rest):
                rest[0] = replace(rest[0], before=(*led.before[:-1], *rest[0].before))
                found[start:end] = [*rest, replace(found[start], before=()), *found[start + 1 : at + 1]]
        elif {"after", "once"} & set(lows[-2:]) and before is not None and not led.begins_sentence:
            perfect = any(token.lower in ("has", "have", "had") for token in part.before)
            if perfect or part.tokens[0].entry.form == "ing" or not any(token.text == "," for token in led.before):
                found[before : at + 1] = _turned(found[before:start], found[start : at + 1])
    return found


def _is_by(part: Part) -> bool:
    return part.role == "who" and part.lows[-1:] == ["by"]


def _turned(first: list[Part], second: list[Part]) -> list[Part]:
    """Return two steps in the other order, with who is named in the first in front."""
    one, other = first[0], second[0]
    if one.role == other.role == "who" and is_pronoun(other.tokens):
        one, other = replace(one, tokens=other.tokens), replace(other, tokens=one.tokens)
    return [replace(other, before=one.before), *second[1:], replace(one, before=other.before), *first[1:]]


def _cluster_before(parts: Sequence[Part], end: int) -> int | None:
    """Return where the step, and who does it, begins that is told right in front of a place in the same sentence."""
    at = end - 1
    while at >= 0 and not parts[at].begins_sentence and (parts[at].role in ("time", "num") or _is_by(parts[at])):
        at -= 1
    if at < 0 or parts[at].role not in ("do", "in"):
        return None
    return at - 1 if at and parts[at - 1].role == "who" and not parts[at].begins_sentence else at


def _groups_parted(parts: list[Part]) -> list[Part]:
    """Return parts in which what runs at once behind a step does not run beside that step itself.

    "Book the hall; simultaneously print posters and sell tickets": the first of the group is a step like others. With
    "meanwhile" it is that step beside which the group runs.
    """
    found = list(parts)
    for at, part in enumerate(parts):
        led = found[at - 1] if at and found[at - 1].role == "who" else part
        if part.role != "par" or not at or any(one.role == "par" for one in found[max(at - 2, 0) : at]):
            continue
        if _MEANWHILE & set(led.lows) and "then" not in led.lows:
            continue
        opens = led.begins_sentence or any(token.text == ";" for token in led.before) or "then" in led.lows
        rest = list(takewhile(lambda one: not one.begins_sentence, found[at + 1 :]))
        if opens and any(one.role == "par" for one in rest):
            found[at] = replace(part, role="do")
    return found
