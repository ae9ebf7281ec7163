"""From the words of an order to edits: clause by clause, each by the frame that uses all of its words.

A clause is the longest run of pieces between joints that a frame reads wholly. Where none does, the frame that leaves
the fewest words over reads one piece, and those words are named as not used.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from workflow_agent.assistant.offline import conditions, fields, forms, header, placing, shaping, ways
from workflow_agent.assistant.offline.clauses import (
    GREETINGS,
    closing_size,
    counts,
    is_aside,
    phrase_at,
    read_head,
    stripped,
    tells_place,
    tells_who_does_it,
    trimmed,
)
from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.people import is_somebody, written
from workflow_agent.assistant.offline.plan import WHOLE, Asked, Clause, NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, Steps, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.assistant.offline.values import duration_at, durations_in
from workflow_agent.workflows.model.workflow import Workflow

Frame = Callable[[Plan, Clause], Tokens]
Problem = StepUnclear | Asked
_FRAMES: tuple[Frame, ...] = (
    forms.read_form,
    header.read_description,
    header.read_label,
    header.read_name,
    fields.read_fields,
    header.read_trigger,
    conditions.read_threshold,
    conditions.read_condition,
    shaping.read_shape,
    ways.read_case,
    ways.read_way,
    conditions.read_approval,
    placing.read_placing,
)
_MOST_PIECES = 40
"""Pieces between joints that one message is read of; the rest is named as not used."""
_MOST_AT_ONCE = 7
_MOST_WORDS = 60
_MOST_TRIES = 300
"""Words of the clauses that are tried of one message, so that its length does not matter."""
_MOST_UNREAD = 2
_JOINTS = (",", ";", ":", "(", ")", "-", "\N{EN DASH}", "and", "then", "but", "so", "plus", "also", "...", "…")
_AGAIN = word_set("orders.again")
_IMPERATIVES = frozenset({"add", "remove", "rename", "move", "swap", "tag", "untag", "assign", "give"})
_BEGINNING = _IMPERATIVES | word_set("orders.beginning")
"""Verbs that begin an order."""
_COMPARED = ("not", "than", "from", "of", "was", "by", "more", "another", "extra", "additional", "#")
"""Words in front of a value that is compared with, or added to, what is there."""


def plan_orders(plan: Plan, tokens: Sequence[Token]) -> None:
    """Work the edits of a message out.

    Raises:
        StepUnclear: A step it names is none, or may be several.
        Asked: Something is missing.
    """
    original = plan.workflow
    reason: Problem | None = None
    left = _MOST_PIECES
    said = [_without_courtesy(plan, one) for one in _sentences(tokens)]
    for sentence in said:
        count, problem = _read_sentence(plan, sentence, left, has_more=sentence is not said[-1])
        left -= count
        reason = reason or problem
    if reason is not None and not plan.edits and not plan.kept:
        raise reason
    gone = {edit["step"] for edit in plan.edits if edit["op"] == "remove_step"}
    timed = {edit["step"] for edit in plan.edits if edit["op"] == "set_timeout"}
    why = {text for text, step in plan.told.items() if step in gone or (step in timed and _TOO_LONG.search(text))}
    plan.unread = [text for text in plan.unread if text not in why and not _is_reason(plan, text)]
    _settle_asides(plan, tokens, original)
    _name_unused(plan, tokens, original)


def _settle_asides(plan: Plan, tokens: Sequence[Token], original: Workflow) -> None:
    """Take what is told beside the order for its reason, or name it as not used."""
    beside = set(_reasons(plan, tokens, original))
    plan.asides = {text: where for text, where in plan.asides.items() if text in beside or text not in plan.unread}
    because = [one for one in plan.asides if "because" in phrase_at(read_tokens(one), 0, "markers.tsv")[1]]
    plan.reasons = [*(text for text in plan.unread if text in beside), *(one for one in because if plan.edits)]
    ids = {edit.get("transition") for edit in plan.edits}
    ways = [end for edge in original.transitions if edge.id in ids for end in (edge.from_, edge.to)]
    touched = {*ways, *(str(one) for edit in plan.edits for one in edit.values()), *map(_step_of, plan.edits)}
    elsewhere = [one for one, step in plan.told.items() if one in plan.asides and step not in touched]
    # "Too much residue means it is halted, no second fasting" tells of another step than the one that goes.
    left = [one for one in elsewhere if one not in plan.unread and not one.startswith("not ")]
    plan.unread = [one for one in plan.unread if one not in beside]
    plan.unread += left if plan.edits and not plan.reasons else []


def _reasons(plan: Plan, tokens: Sequence[Token], original: Workflow) -> Iterator[str]:
    """Yield the asides of a message that can be no more than why its order is given."""
    touched = {_step_of(edit) for edit in plan.edits}
    removes = any(edit["op"].startswith(("remove", "un")) for edit in plan.edits)
    beside = [range(*where) for text, where in plan.asides.items() if text in plan.unread]
    said = [t for t in tokens if not any(t.start in one for one in beside)]
    gone = [step for step in original.steps if plan.workflow.step(step.id) is None]
    unnamed = [s for s in gone if not any(akin(t.lower, word) for t in said for word in content_of(s.name))]
    for text in plan.asides:
        words = read_tokens(text)
        # "So that box can go" goes by what was told before.
        points = any(akin(t.lower, word) for s in unnamed for t in words for word in content_of(s.name))
        if (
            plan.edits
            and is_aside(words, removes=removes)
            and plan.told.get(text) in (None, *touched)
            and (points or not unnamed)
        ):
            yield text


def _tells_of_people(piece: Tokens) -> bool:
    return bool(piece) and is_aside(piece) and (piece[0].among("orders.people") or tells_who_does_it(piece))


def _sentences(tokens: Sequence[Token]) -> list[Tokens]:
    """Return the sentences of tokens, also those that "1) ... 2) ..." part."""
    found: list[Tokens] = []
    for sentence in sentences(tokens):
        part: list[Token] = []
        for at, token in enumerate(sentence):
            if token.kind == "number" and at + 1 < len(sentence) and sentence[at + 1].text == ")" and part:
                found.append(tuple(part))
                part = []
            elif token.text != ")" or part:
                part.append(token)
        found.append(tuple(part))
    return found


_TOO_LONG = re.compile(r"\b(?:too (?:long|short|slow|little|much)|not enough|more time|less time)\b", re.IGNORECASE)
_LONGEST_OPENING = 9
_LONGEST_SPOKEN = 3
"""Words of a step's name where it is only spoken of."""


def _without_courtesy(plan: Plan, sentence: Tokens) -> Tokens:
    """Return a sentence without what says nothing of the order.

    In front "dear team,", "as discussed," and "for the loan workflow:", behind "thank you very much".
    """
    said = trimmed(sentence)
    stop = next((at for at, token in enumerate(said[:_LONGEST_OPENING]) if token.text in (",", "!", ":")), 0)
    front = said[:stop]
    greets = stop and front[0].lower in GREETINGS and not any(token.has("aux", "prep") for token in front)
    if greets or " ".join(token.lower for token in front) in word_set("orders.opening") or _names_this(plan, front):
        sentence = said = trimmed(said[stop:])
    size = closing_size(said, "orders.closing", fewest_left=1)
    # "Rename it to Thanks", and not "rename it - thanks".
    apart = size > 1 or (size and said[-2].kind == "punct")
    return trimmed(said[:-size]) if apart else sentence


def _names_this(plan: Plan, front: Tokens) -> bool:
    """Say whether words name the workflow that the order is for: "in the loan workflow"."""
    said = [token for token in front if token.is_content]
    if (
        not said
        or not front[0].is_("for", "in", "on", "about", "regarding", "concerning")
        or said[-1].lemma not in WHOLE
    ):
        return False
    known = {word for name in (plan.workflow.name, *plan.workflow.aliases) for word in content_of(name)}
    return all(any(akin(token.lower, word) for word in known) for token in said[:-1])


def _read_sentence(plan: Plan, sentence: Tokens, most: int, *, has_more: bool) -> tuple[int, Problem | None]:
    """Read a sentence; return how many pieces it has, and what kept its words from being read."""
    mood = stripped(sentence)[0]
    asks = mood == "told" or (mood == "wanted" and sentence[0].is_("we", "i"))
    if sentence and sentence[-1].text == "?" and has_more and asks:
        plan.unread = [*plan.unread, plan.said(sentence)]
        return 1, None
    cuts = _cuts(plan, sentence)
    reason: Problem | None = None
    verb: Tokens = ()
    at = 0
    while at < len(cuts) - 1 and at < most and plan.tries <= _MOST_TRIES:
        if _is_why(sentence, cuts, at):
            # "We do not wash cars any more, so delete that."
            plan.steps.last = _spoken_of(plan, _between(sentence, cuts[at], cuts[at + 1])) or plan.steps.last
            at += 1
            continue
        if _stays(_between(sentence, cuts[at], cuts[at + 1])) or (at and _takes_back(sentence, cuts, at)):
            if at == len(cuts) - 2 and _takes_back(sentence, cuts, at):
                # "Remove the notice. Wait, no."
                plan.unread = [*plan.unread, plan.said(_between(sentence, cuts[at], cuts[at + 1]))]
            at += 1
            continue
        end, problem = _longest_read(plan, sentence, cuts, at, verb)
        if end > at:
            verb = stripped(_between(sentence, cuts[at], cuts[end]))[1][:1] or verb
        else:
            if problem is not None and (reason is None or not _is_choice(reason)):
                reason = problem
            end = _passed_over(plan, sentence, cuts, at)
        at = end
    if at < len(cuts) - 1:
        plan.unread = [*plan.unread, plan.said(sentence[cuts[at] :])]
    return len(cuts) - 1, reason


def _is_choice(reason: Problem) -> bool:
    return isinstance(reason, Asked) or bool(reason.candidates)


def _cuts(plan: Plan, sentence: Tokens) -> list[int]:
    """Return where the pieces of a sentence begin, and its end; the "and" of a step's name parts none."""
    cuts = [0]
    names = plan.steps.whole_names(sentence, exactly=True)
    named = {one for first, (end, _) in names.items() for one in range(first, end)}
    for at, token in enumerate(sentence):
        if at in named:
            continue
        following = sentence[at + 1] if at + 1 < len(sentence) else None
        late = (
            token.is_("or", "otherwise", "else")
            and following is not None
            and following.is_("escalate", "tell", "inform")
        )
        if at and token.kind != "quoted" and (late or token.lower in _JOINTS or token.text in _JOINTS):
            cuts.append(at + 1)
    return [*dict.fromkeys((*(cut for cut in cuts if cut < len(sentence)), len(sentence)))]


def _between(sentence: Tokens, start: int, end: int) -> Tokens:
    """Return the tokens of pieces, without the joints around them."""
    piece = trimmed(sentence[start:end])
    while (
        piece
        and piece[-1].kind in ("word", "punct")
        and (piece[-1].lower in (*_JOINTS, "or", "otherwise") or piece[-1].text == "(")
    ):
        piece = piece[:-1]
    while len(piece) > 1 and (piece[0].text == ")" or (piece[0].is_("and") and piece[0].kind == "word")):
        piece = piece[1:]
    if piece and piece[-1].text == ")" and not any(t.text == "(" for t in piece):
        piece = piece[:-1]
    return piece


def _longest_read(
    plan: Plan, sentence: Tokens, cuts: Sequence[int], at: int, verb: Tokens
) -> tuple[int, Problem | None]:
    """Read the most pieces that are one clause; return where they end (where they begin for none), and why none is."""
    reason: Problem | None = None
    is_next = at > 0 and sentence[cuts[at] - 1].is_("then", "and")
    is_late = at > 0 and sentence[cuts[at] - 1].is_("otherwise", "else", "or")
    partly = len(cuts) - 1 == at + 1 and not (plan.edits and is_aside(_between(sentence, cuts[at], cuts[at + 1])))
    most = len(cuts)
    for end in range(min(len(cuts) - 1, at + _MOST_AT_ONCE), at, -1):
        piece = _between(sentence, cuts[at], cuts[end])
        if not piece:
            return end, None
        if (
            len(piece) > _MOST_WORDS
            or plan.tries > _MOST_TRIES
            or (end > at + 1 and _orders_twice(sentence, cuts[at : end + 1]))
            or end > most
            or any(_is_why(sentence, cuts, one) for one in range(at, end))
            or any(_stays(_between(sentence, cuts[one], cuts[one + 1])) for one in range(at, end))
            or any(_tells_of_people(_between(sentence, cuts[one], cuts[one + 1])) for one in range(at + 1, end))
        ):
            continue
        if (first := _first_of_two(plan, sentence, cuts[at : end + 1])) is not None:
            most = at + first
            continue
        if end == at + 1 and plan.edits and is_aside(piece, removes=False):
            # "We have no contract with them" removes no contract.
            return at, reason
        plan.tries += len(piece)
        said = [piece]
        if at and verb and verb[0].among("orders.gapped") and not read_head(piece).verbs:
            said = [(*verb, *piece), piece] if verb[0].is_("remove", "delete", "drop") else [piece, (*verb, *piece)]
        for words in said:
            before, count = _state(plan), len(plan.edits)
            try:
                if _read_clause(plan, words, is_next=is_next, is_late=is_late, partly=partly and end == at + 1):
                    if end > at + 1 and _leaves_value(before[0], words, plan.edits[count:]):
                        _restore(plan, before)
                        continue
                    adds = any(edit["op"] in ("insert_step", "add_step") for edit in plan.edits[count:])
                    if words is piece or not (adds and verb[0].is_("remove", "delete", "drop")):
                        return end, None
                    # "Drop the alias and print the contract" drops no contract.
                    _restore(plan, before)
            except (StepUnclear, Asked) as unread:
                reason = unread if reason is None or not _is_choice(reason) else reason
    return at, reason


def _stays(piece: Tokens) -> bool:
    """Say whether a piece tells what goes on as it does: "and then the customer is informed as before"."""
    said = " ".join(token.lower for token in piece[-2:])
    return len(piece) > 2 and said in word_set("orders.unchanged") and not read_head(stripped(piece)[1]).verbs


def _leaves_value(workflow: Workflow, words: Tokens, edits: Sequence[JsonObject]) -> bool:
    """Say whether a number, time or name of several pieces is in none of their edits: then they are no one clause."""
    made = json.dumps(edits).replace(",", "").casefold()
    lengths = durations_in(words)
    timed = {at for first, one in lengths for at in range(first, one.end)}
    numbers = [at for at, token in enumerate(words) if token.kind == "number" and at not in timed]
    if any(words[at].text.replace(",", "") not in made and not _is_compared(words, at) for at in numbers):
        return True
    # Of two times one may be that of now.
    now = json.dumps([[step.timeout, step.duration] for step in workflow.steps]).casefold() if len(lengths) > 1 else ""
    behind = [(words[first - 1], one.value.casefold()) for first, one in lengths if first]
    if any(length not in f"{made} {now}" and not t.is_("of", "than", "not", "from", "instead") for t, length in behind):
        return True
    names = [t for t in words[1:] if t.kind == "word" and t.text[:1].isupper() and not t.entry.known]
    known = " ".join((made, *(step.name.casefold() for step in workflow.steps)))
    return any(t.lower not in known for t in names)


def _is_compared(words: Tokens, at: int) -> bool:
    return at > 0 and words[at - 1].is_("of", "than", "not")


def _is_why(sentence: Tokens, cuts: Sequence[int], at: int) -> bool:
    """Say whether a piece is why the next one is ordered: "two people approve, so add ..."."""
    said, behind = sentence[cuts[at] : cuts[at + 1]], sentence[cuts[at + 1] - 1 :]
    while behind and behind[0].text == ",":
        behind = behind[1:]
    if len(behind) < 2 or not behind[0].is_("so") or any(t.is_("should", "must", "shall", "need") for t in said):
        return False
    why, what = (read_head(stripped(trimmed(piece))[1]).verbs for piece in (said, behind[1:]))
    return not why & _IMPERATIVES and bool(what & _IMPERATIVES)


def _orders_twice(sentence: Tokens, cuts: Sequence[int]) -> bool:
    """Say whether the first piece begins with the verb of an order, and another one too: they are no one clause."""
    heads = [read_head(_between(sentence, one, other)) for one, other in itertools.pairwise(cuts)]
    return bool(heads[0].verbs & _IMPERATIVES) and any(head.verbs & _IMPERATIVES for head in heads[1:])


def _first_of_two(plan: Plan, sentence: Tokens, cuts: Sequence[int]) -> int | None:
    """Return how many pieces the first of two orders has, each of which is read wholly; None where there is one.

    Taken for one, the second would be part of a name or a condition of the first: "..., and then give it to Anna".
    """
    for at, cut in enumerate(cuts[1:-1], 1):
        said, behind = _between(sentence, cuts[0], cut), _between(sentence, cut, cuts[-1])
        if any(t.is_("between") for t in said) and sentence[cut - 1].is_("and") and not any(t.is_("and") for t in said):
            # "Between the offer | and the contract".
            continue
        # ", done by the tenant, within 5 days" says more of the step before it.
        if not (said and behind) or behind[0].entry.form == "ed" or behind[0].is_("by", "within", "with", "due"):
            continue
        begins = bool(read_head(stripped(behind)[1]).verbs & _BEGINNING) or sentence[cut - 1].is_("then")
        if _reads_both(plan, (said, behind), begins=begins):
            return at
    return None


def _reads_both(plan: Plan, pieces: Sequence[Tokens], *, begins: bool) -> bool:
    """Say whether each of two pieces is an order; a step that one of them adds has its place there.

    Args:
        plan: As it is so far, and is then.
        pieces: Two.
        begins: Whether words say that the second begins another order.
    """
    before = _state(plan)
    spoken: set[str] = set()
    try:
        for piece in pieces:
            count, unread = len(plan.edits), list(plan.unread)
            plan.tries += len(piece)
            read = _read_clause(plan, piece, is_next=piece is not pieces[0], is_late=False, partly=False)
            new = plan.edits[count:]
            adds = any(edit["op"] in ("insert_step", "add_step") for edit in new)
            placed = piece[0].is_("if", "when") or tells_place(piece)
            steps = {_step_of(edit) for edit in new}
            # ", by the teller" and ", exponential backoff" say more of the step before them.
            goes_on = piece is not pieces[0] and not begins and steps <= spoken
            if not (read and new) or plan.unread != unread or (adds and not (begins or placed)) or goes_on:
                return False
            spoken = steps
    except (StepUnclear, Asked):
        return False
    else:
        return True
    finally:
        _restore(plan, before)


def _step_of(edit: JsonObject) -> str:
    step = edit.get("step")
    return str(cast("JsonObject", step).get("id") if isinstance(step, dict) else step)


def _read_clause(plan: Plan, piece: Tokens, *, is_next: bool, is_late: bool, partly: bool) -> bool:
    """Read a clause by the first frame that reads it wholly, else (`partly`) by the one that leaves the fewest over.

    Raises:
        StepUnclear: None does, and its words may mean several steps, or none.
        Asked: None does, and something is missing.
    """
    mood, rest = stripped(piece)
    if phrase_at(piece, 0, "corrections.tsv")[1]:
        plan.unread = []
    rest = _plain(rest)
    if not rest:
        return mood in ("told", "order")
    plan.weighed = plan.weighed or mood == "weighed"
    reason_at = next(
        (
            i
            for i in range(1, len(rest))
            if rest[i].kind == "word" and "because" in phrase_at(rest, i, "markers.tsv")[1]
        ),
        None,
    )
    ways_ = [rest]
    if reason_at is not None:
        ways_ = [rest, *([cut] if (cut := trimmed(rest[:reason_at])) else [])]
        if rest[reason_at].is_("so") and not any(t.text == "," for t in rest[reason_at:]):
            # "Tag it urgent so that I find it" names no tag "so I find".
            ways_.reverse()
    problem: Problem | None = None
    for words in ways_:
        clause = Clause(
            words,
            read_head(words).verbs,
            negated=mood == "negated",
            unneeded=mood == "unneeded",
            wanted=mood == "wanted",
            is_next=is_next,
            is_after=_is_after(plan, piece, joined=is_late),
        )
        done, why = _by_frames(plan, clause, partly=partly)
        if done:
            if words is not rest and reason_at is not None:
                plan.asides[plan.said(rest[reason_at:])] = rest[reason_at].start, rest[-1].end
            return True
        problem = problem or why
    if problem is not None:
        raise problem
    return False


def _is_after(plan: Plan, piece: Tokens, *, joined: bool) -> bool:
    """Say whether words tell what comes after the time that was just set: "after that it goes to the boss"."""
    leads = piece[0].is_("else", "otherwise", "afterwards") or (
        piece[0].is_("after") and any(t.is_("that") for t in piece[1:2])
    )
    return (leads or joined) and any(edit["op"] == "set_timeout" for edit in plan.edits[-3:])


State = tuple[Workflow, Steps, list[JsonObject], list[str], list[str], list[str]]


def _state(plan: Plan) -> State:
    return plan.workflow, plan.steps, plan.edits, plan.notes, plan.unread, plan.kept


def _restore(plan: Plan, state: State) -> None:
    plan.workflow, plan.steps, plan.edits, plan.notes, plan.unread, plan.kept = state


def _by_frames(plan: Plan, clause: Clause, *, partly: bool) -> tuple[bool, Problem | None]:
    """Read a clause by a frame; say whether one does, and what kept the first from it."""
    problem: Problem | None = None
    before = _state(plan)
    best: tuple[int, State] | None = None
    for frame in _frames_for(clause):
        try:
            unread = frame(plan, clause)
            if not unread:
                return True, None
            if best is None or len(unread) < best[0]:
                plan.unread = [*plan.unread, *(t.text for t in unread)]
                best = len(unread), _state(plan)
        except NotRead as why:
            problem = problem or (Asked(str(why)) if str(why) else None)
        except (StepUnclear, Asked) as why:
            if problem is None or (isinstance(problem, StepUnclear) and not problem.candidates):
                problem = why.with_traceback(None)
        _restore(plan, before)
    if partly and best is not None and best[0] <= _MOST_UNREAD:
        _restore(plan, best[1])
        return True, None
    return False, problem


def _frames_for(clause: Clause) -> Sequence[Frame]:
    """Return the frames that may read a clause, in the order in which they are asked."""
    first, second = clause.tokens[0], clause.tokens[1:2]
    keeps = first.is_("keep", "retain", "preserve", "leave") and first.kind == "word"
    if keeps and not any(t.is_("out") for t in second):
        return (_keep,)
    gone = any(t.is_("anymore", "longer", "more") for t in clause.tokens[-2:])
    if clause.negated and gone:
        return (header.read_trigger, fields.read_fields, _stop)
    if clause.negated:
        return (header.read_trigger, fields.read_fields, _keep)
    if clause.unneeded:
        return (header.read_label, fields.read_fields, header.read_trigger, shaping.read_shape)
    return _FRAMES


def _stop(plan: Plan, clause: Clause) -> Tokens:
    """Remove the step of "we do not analyse blood any more"."""
    return shaping.read_shape(plan, replace(clause, negated=False, unneeded=True))


def _plain(tokens: Tokens) -> Tokens:
    """Return a clause without "please" behind it and "in this workflow", and with "take x out" as "take out x"."""
    words = list(tokens)
    words = words if words and phrase_at(words, 0, "verbs.tsv")[1] else _with_shared_noun(words)
    counted = len(words) > 2 and words[0].is_("second", "third", "fourth", "fifth") and words[1].entry.form != "ing"
    if counted and phrase_at(words, 1, "verbs.tsv")[1]:
        # "Second, give it 5 days", and not "second marking".
        words = words[1:]
    while (
        len(words) > 1
        and words[-1].kind in ("word", "punct")
        and (words[-1].among("orders.trail") or words[-1].text in ",.")
        and (not words[-1].is_("well") or words[-2].is_("as"))
    ):
        words.pop()
    ends = next((at for at, t in enumerate(words[:-2]) if t.is_("end") and words[at + 1].is_("up")), None)
    before = ends is not None and any(t.is_("before") for t in words[max(ends - 4, 0) : ends])
    if ends is not None and before and "ed" in words[ends + 2].entry.form.split():
        # "Before it ends up denied".
        del words[ends : ends + 2]
    if len(words) > 3 and words[-1].is_("tomorrow", "today", "now") and words[-2].is_("from", "of", "starting", "as"):
        words = words[: -3 if words[-3].is_("as") else -2]
    if len(words) > 4 and words[-1].is_("on") and words[-3].is_("from") and words[-2].kind != "number":
        # "From January on", and not "from 1500 on".
        words = words[:-3]
    # The "of" of "get rid of it" is the verb's.
    verb_end = phrase_at(words, 0, "verbs.tsv")[0] if words else 0
    for mark in ("from", "of", "in", "out"):
        at = len(words) - 1
        while at > 1 and (words[at].lemma in WHOLE or words[at].has("det") or words[at].is_("it", "here", "whole")):
            at -= 1
        if verb_end <= at < len(words) - 1 and at > 1 and words[at].is_(mark) and words[at].kind == "word":
            words = words[:at]
    if (
        len(words) > 2
        and words[0].kind == "word"
        and words[1].lower in PRONOUNS
        and words[2].has("part", "prep", "adv")
    ):
        # "Kick this off" as "kick off this".
        apart = (words[0], words[2], words[1])
        words = [*apart, *words[3:]] if phrase_at(apart, 0, "cues.tsv")[0] > 1 else words
    out = next(
        (i for i in range(2, len(words)) if words[i].is_("out", "away", "off") and words[i].kind == "word"), None
    )
    if (
        words
        and words[0].among("orders.particled")
        and out is not None
        and (out == len(words) - 1 or words[out].is_("off"))
    ):
        verb = Token("remove", "word", words[0].start, words[0].end, entry_of("remove"))
        words = [verb, *words[1:out], *words[out + 1 :]]
    if words and words[0].kind == "word" and not words[0].entry.known:
        meant = nearest(words[0].lower, word_set("orders.mended"))
        words[0] = Token(meant, "word", words[0].start, words[0].end, entry_of(meant)) if meant else words[0]
    return tuple(words)


def _with_shared_noun(words: list[Token]) -> list[Token]:
    """Return "first and second marking" as "first marking and second marking"."""
    for at, (one, joint, other, noun) in enumerate(zip(words, words[1:], words[2:], words[3:], strict=False)):
        ordinals = all(t.kind == "word" and t.among("orders.ordinals") for t in (one, other))
        if ordinals and joint.is_("and") and noun.has("noun"):
            return [*words[: at + 1], noun, *words[at + 1 :]]
    return words


def _keep(plan: Plan, clause: Clause) -> Tokens:
    """Note what must stay: "do not remove the review".

    Raises:
        NotRead: It tells of more than that.
    """
    words = clause.tokens
    verbs = [
        i for i in range(2, len(words)) if phrase_at(words, i, "verbs.tsv")[1] and words[i - 1].text in (",", "and")
    ]
    if not clause.verbs and verbs:
        raise NotRead
    rest = [t for t in words[1:] if not t.among("orders.keep")]
    if any(counts(t) for t in rest):
        plan.kept = [*plan.kept, *(step.id for step in plan.steps_in(rest))]
        return ()
    named = plan.edits[-1].get("step") if plan.edits else plan.steps.last
    if isinstance(named, str) and any(t.lower in PRONOUNS for t in words):
        plan.kept = [*plan.kept, named]
    if not plan.kept and not any(t.is_("rest", "everything", "all", "anything") for t in words):
        raise NotRead
    return ()


def _passed_over(plan: Plan, sentence: Tokens, cuts: Sequence[int], at: int) -> int:
    """Name a piece as not used, unless it orders nothing; return where it ends."""
    last = len(cuts) - 1
    piece = _between(sentence, cuts[at], cuts[at + 1])
    for stop in range(min(last - 1, at + 3), at, -1):
        if _is_topic(plan, _between(sentence, cuts[at], cuts[stop])):
            return stop
    corrected = phrase_at(piece, 0, "corrections.tsv")[0] if piece else 0
    denied = at > 0 and _takes_back(sentence, cuts, at - 1)
    if (corrected or denied) and _corrects(plan, piece[corrected:]):
        return at + 1
    has_more = at + 1 < last
    gives_reason = has_more and (sentence[cuts[at + 1] - 1].is_("so") or sentence[cuts[at + 1]].is_("so"))
    named = _spoken_of(plan, piece)
    if named is not None and not plan.edits:
        # "Nobody reads the award letter. Get rid of it."
        plan.steps.last = named
        if not any(t.kind in ("quoted", "number") or t.is_("should", "must", "need", "shall") for t in piece):
            plan.told[plan.said(piece)] = named
    more = (corrected or denied) and any(counts(t) for t in piece[corrected:])
    said_beside = not more and (gives_reason or _is_said_beside(plan, piece, has_more=has_more))
    if piece and not more and (said_beside or is_aside(piece)):
        plan.asides[plan.said(piece)] = piece[0].start, piece[-1].end
        if named is not None:
            plan.told[plan.said(piece)] = named
    if not said_beside:
        plan.unread = [*plan.unread, plan.said(piece)]
    return at + 1


def _takes_back(sentence: Tokens, cuts: Sequence[int], at: int) -> bool:
    """Say whether a piece only says that the one before was wrong: "..., no, ..."."""
    piece = _between(sentence, cuts[at], cuts[at + 1])
    return bool(piece) and all(t.among("orders.corrects") for t in piece)


def _corrects(plan: Plan, said: Tokens) -> bool:
    """Put another value in place of the one just set: "... by the lab - sorry, I mean the field crew"; say whether."""
    words = [t for t in said if not t.has("det")]
    edit = plan.edits[-1] if plan.edits else {}
    before = read_tokens(plan.text[: said[0].start]) if said else ()
    if edit.get("op") == "set_assignee" and is_somebody(plan.workflow, words):
        who = read_tokens(str(edit["assignee"]).replace("_", " "))
        old = [t for t in before if any(t.lower == one.lower for one in who)]
        plan.do({**edit, "assignee": written(plan.workflow, words)})
    elif edit.get("op") == "set_timeout" and (lengths := durations_in(words)) and lengths[0][1].end == len(words):
        at, length = durations_in(before)[-1]
        old = list(before[at : length.end])
        plan.do({**edit, "timeout": lengths[0][1].value})
    else:
        return False
    plan.taken_back |= {t.start for t in old}
    return True


def _spoken_of(plan: Plan, piece: Tokens) -> str | None:
    """Return the id of the one step that words name, wholly or behind an article; None for none or several."""
    named = {step.id for _, step in plan.steps.whole_names(piece).values()}
    acts = len(piece) > 1 and piece[0].entry.form == "ing" and piece[1].has("verb", "aux")
    if not named and acts and (step := plan.maybe(piece[:1])) is not None:
        # "Signing takes too long."
        named = {step.id}
    # Of an order that is not understood, a step may be where something goes.
    for at, token in enumerate(piece if not read_head(piece).verbs else ()):
        if not named and token.has("det") and not (at and piece[at - 1].is_("during", "before", "after", "until")):
            ends = range(min(at + 1 + _LONGEST_SPOKEN, len(piece)), at + 1, -1)
            some = [piece[at + 1 : end] for end in ends]
            some = [words for words in some if not is_somebody(plan.workflow, words)]
            found = next((step for words in some if (step := plan.maybe(words)) is not None), None)
            named = {found.id} if found else named
    return named.pop() if len(named) == 1 else None


def _is_said_beside(plan: Plan, piece: Tokens, *, has_more: bool) -> bool:
    """Say whether words order nothing: courtesy, an order told again, a reason, or what comes next is about."""
    words = [t for t in piece if t.kind == "word"]
    if not any(counts(t) or t.lower in PRONOUNS for t in piece):
        return True
    if (
        piece[0].is_("not")
        and plan.edits
        and not any(t.entry.form == "base" and t.has("verb") and not t.has("noun", "aux") for t in words)
    ):
        # "Not 3", "not at the end", of what was just set to something else.
        return True
    others = [t for t in piece if counts(t) and t.lower not in _AGAIN and t.lower not in PRONOUNS]
    undone = not plan.edits and read_head(piece).verbs & {"remove", "rename", "swap", "move"}
    if (plan.edits or has_more) and not others and len(words) < 6 and not undone:
        return True
    if any(t.kind == "number" or t.value is not None for t in piece):
        return False
    return (has_more and _is_topic(plan, piece)) or _is_background(piece)


def _is_topic(plan: Plan, piece: Tokens) -> bool:
    """Say whether words name only steps, which are what comes next is about."""
    told = next((i for i, t in enumerate(piece) if i and t.kind == "word" and t.has("aux")), len(piece))
    if any(t.kind in ("quoted", "number") or t.has("neg") or t.value is not None for t in piece[told:]):
        return False
    about = [t for t in piece[:told] if t.is_("and") or t.text == "," or (t.is_content and not t.among("shaping.swap"))]
    try:
        named = [step.id for step in plan.steps_in(about)]
    except (StepUnclear, NotRead):
        return False
    if named:
        plan.topic, plan.steps.last = named, named[-1]
    return bool(named)


def _is_background(piece: Tokens) -> bool:
    """Say whether words tell what was or what somebody thinks, and so order nothing themselves."""
    words = [t for t in piece if t.kind == "word"]
    if any(t.kind == "quoted" or t.has("neg") or t.is_("should", "must", "shall", "need", "keep") for t in piece):
        return len(words) > 1 and words[0].among("orders.teller") and words[1].is_("know", "think", "mean", "care")
    if len(words) > 1 and words[0].among("orders.teller") and any(t.lower in PRONOUNS for t in words[2:]):
        return not any(t.has("aux") for t in words[1:])
    if len(words) > 1 and words[0].among("orders.teller"):
        return words[1].among("orders.comment") or "ed" in words[1].entry.form.split()
    past = any(t.entry.form == "ed" and t.has("verb") and at > 0 for at, t in enumerate(words))
    return past and not any(t.has("aux") or t.is_("get", "become", "place") for t in words)


def _is_reason(plan: Plan, text: str) -> bool:
    """Say whether words not used are why a step is added: they name its work, and no case, number or denial."""
    words = read_tokens(text)
    if len(words) < 3 or any(t.kind != "word" or t.has("neg") or t.among("clauses.significant") for t in words):
        return False
    new = [edit["step"]["name"] for edit in plan.edits if edit["op"] == "insert_step"]
    acts = any(t.entry.form == "s" and t.has("verb") for t in words[1:])
    return acts and any(akin(t.lower, one) for name in new for one in content_of(name) for t in words if counts(t))


def _name_unused(plan: Plan, tokens: Sequence[Token], original: Workflow) -> None:
    """Name the numbers and quoted words of a message that came to be in no edit."""
    starts = any(edit["op"] in ("add_trigger", "remove_trigger") for edit in plan.edits)
    made = json.dumps(plan.edits, ensure_ascii=False).casefold().replace(",", "").replace('\\"', '"')
    unread = " ".join(plan.unread)
    names = " ".join(step.name for step in original.steps).casefold()
    values = " ".join(f"{s.timeout} {s.duration} {s.retry} {s.when}" for s in original.steps)
    values += " ".join(edge.when.text or "" for edge in original.transitions if edge.when).replace(",", "")
    for at, token in enumerate(tokens):
        near = (*tokens[max(at - 3, 0) : at], *(t for t in tokens[at + 1 : at + 2] if t.is_("more")))
        was = any(t.is_("not") for t in near) and token.kind == "number" and token.text not in values
        counted = (at > 0 and tokens[at - 1].is_("step", "task")) or token.text.replace(",", "") in values
        if (
            token.kind not in ("number", "quoted")
            or token.start in plan.taken_back
            or counted
            or (any(t.lower in _COMPARED for t in near) and not was)
        ):
            continue
        length = duration_at(tokens, at) or duration_at(tokens, max(at - 2, 0))
        said = {token.text.casefold().replace(",", ""), f"{token.value:g}" if token.value is not None else "-"}
        known = any(one in made or one in names for one in said) or (length and length.value.casefold() in made)
        removed = token.kind == "quoted" and any(edit["op"].startswith(("remove", "un")) for edit in plan.edits)
        listing = token.kind == "number" and at + 1 < len(tokens) and tokens[at + 1].text in (")", ".")
        if plan.edits and not known and not removed and not listing and not (starts and token.kind == "number"):
            kept = token.kind == "quoted" and plan.maybe((token,)) is not None
            plan.unread = plan.unread if kept or token.text in unread else [*plan.unread, token.text]
