"""From the words of an order to edits: the longest run of clauses that one reader reads wholly, again and again.

Each reader takes a clause only when every word of it has its place. What no reader takes is the reason
of an order, or named as not used.
"""

import json
from collections.abc import Callable, Sequence

from workflow_agent.assistant.offline import conditions, fields, header, placing, shaping
from workflow_agent.assistant.offline.clauses import Mood, counts, phrase_at, read_head, stripped, trimmed
from workflow_agent.assistant.offline.lexicon import entry_of, nearest, word_set
from workflow_agent.assistant.offline.plan import WHOLE, Asked, NotRead, Plan
from workflow_agent.assistant.offline.references import PRONOUNS, StepUnclear, akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens, read_tokens, sentences
from workflow_agent.assistant.offline.units import with_names
from workflow_agent.assistant.offline.values import duration_at

_MOST_SEGMENTS = 40
"""Pieces between joints that one message is read of; the rest is named as not used."""
_MOST_AT_ONCE = 7
_MOST_WORDS = 60
_MOST_TRIES = 60
"""Runs of pieces that are tried of one message, so that its length does not matter."""
_JOINTS = (",", ";", ":", "(", ")", "-", "\N{EN DASH}", "and", "then", "but", "so", "plus", "also", "...", "…")
_AGAIN = word_set("orders.again")
_COMPARED = ("not", "than", "from", "of", "was", "by", "more", "another", "extra", "additional", "#")
"""Words in front of a value that is compared with, or added to, what is there."""


def plan_orders(plan: Plan, tokens: Sequence[Token]) -> None:
    """Work the edits of a message out.

    Raises:
        StepUnclear: A step it names is none, or may be several.
        Asked: Something is missing.
    """
    names = " ".join(step.name for step in plan.workflow.steps).casefold()
    tokens = with_names(plan.workflow, tokens)
    reason: StepUnclear | Asked | None = None
    left = _MOST_SEGMENTS
    said = _sentences(tokens)
    for sentence in said:
        count, unread = _read_sentence(plan, sentence, left, has_more=sentence is not said[-1])
        left -= count
        reason = reason or unread
    if reason is not None and not plan.edits and not plan.kept:
        raise reason
    plan.unread[:] = [text for text in plan.unread if not _is_reason(plan, text)]
    _name_unused(plan, tokens, names)


def _is_reason(plan: Plan, text: str) -> bool:
    """Say whether words not used are why a step is added: they name its work, and no case, number or denial."""
    words = read_tokens(text)
    if len(words) < 3 or any(t.kind != "word" or t.has("neg") or t.among("clauses.significant") for t in words):
        return False
    new = [edit["step"]["name"] for edit in plan.edits if edit["op"] == "insert_step"]
    acts = any(t.entry.form == "s" and t.has("verb") for t in words[1:])
    return acts and any(akin(t.lower, one) for name in new for one in content_of(name) for t in words if counts(t))


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


def _read_sentence(
    plan: Plan, sentence: Tokens, most: int, *, has_more: bool
) -> tuple[int, StepUnclear | Asked | None]:
    """Read a sentence; return how many pieces it has, and what kept its words from being read."""
    sentence = with_names(plan.workflow, sentence)
    if sentence and sentence[-1].text == "?" and has_more and stripped(sentence)[0] == "told":
        plan.unread.append(plan.said(sentence))
        return 1, None
    cuts = _cuts(sentence)
    reason: StepUnclear | Asked | None = None
    verb: Tokens = ()
    at = 0
    while at < len(cuts) - 1 and at < most:
        end, problem = _longest_read(plan, sentence, cuts, at, verb)
        if end > at:
            verb = stripped(_between(sentence, cuts[at], cuts[end]))[1][:1] or verb
        else:
            if problem is not None and (reason is None or not _is_choice(reason)):
                reason = problem
            end = _passed_over(plan, sentence, cuts, at, verb)
        at = end
    if at < len(cuts) - 1:
        plan.unread.append(plan.said(sentence[cuts[at] :]))
    return len(cuts) - 1, reason


def _is_choice(reason: StepUnclear | Asked) -> bool:
    return isinstance(reason, Asked) or bool(reason.candidates)


def _longest_read(
    plan: Plan, sentence: Tokens, cuts: Sequence[int], at: int, verb: Tokens
) -> tuple[int, StepUnclear | Asked | None]:
    """Read the most pieces that are one clause; return where they end (where they begin for none), and why none is."""
    reason: StepUnclear | Asked | None = None
    is_next = at > 0 and sentence[cuts[at] - 1].is_("then", "and")
    takes = bool(verb) and verb[0].is_("remove", "delete", "drop")
    for end in range(min(len(cuts) - 1, at + _MOST_AT_ONCE), at, -1):
        piece = _between(sentence, cuts[at], cuts[end])
        if len(piece) > _MOST_WORDS or plan.tries > _MOST_TRIES:
            continue
        plan.tries += 1
        if not piece or (takes and not read_head(piece).verbs and _gapped(plan, verb, piece)):
            return end, None
        try:
            if _read_clause(plan, piece, is_next=is_next):
                return end, None
        except (StepUnclear, Asked) as unread:
            reason = unread if reason is None or not _is_choice(reason) else reason
    return at, reason


def _passed_over(plan: Plan, sentence: Tokens, cuts: Sequence[int], at: int, verb: Tokens) -> int:
    """Name a piece as not used, unless it orders nothing; return where it ends."""
    last = len(cuts) - 1
    piece = _between(sentence, cuts[at], cuts[at + 1])
    if at and verb and _gapped(plan, verb, piece):
        return at + 1
    for stop in range(min(last - 1, at + 3), at, -1):
        if _is_topic(plan, _between(sentence, cuts[at], cuts[stop])):
            return stop
    has_more = at + 1 < last
    gives_reason = has_more and (sentence[cuts[at + 1] - 1].is_("so") or sentence[cuts[at + 1]].is_("so"))
    if not (gives_reason or _is_said_beside(plan, piece, has_more=has_more)):
        plan.unread.append(plan.said(piece))
    return at + 1


def _gapped(plan: Plan, verb: Tokens, piece: Tokens) -> bool:
    """Read a clause that shares the verb of the one before: "rename a to b and c to d"; say whether it is one."""
    if not piece or not verb[0].among("orders.gapped"):
        return False
    try:
        return _read_clause(plan, (*verb, *piece))
    except (StepUnclear, Asked):
        return False


def _cuts(sentence: Tokens) -> list[int]:
    """Return where the pieces of a sentence begin, and its end."""
    cuts = [0]
    for at, token in enumerate(sentence):
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
    while piece and piece[0].text == ")":
        piece = piece[1:]
    if piece and piece[-1].text == ")" and not any(t.text == "(" for t in piece):
        piece = piece[:-1]
    return piece


def _read_clause(plan: Plan, piece: Tokens, *, is_next: bool = False) -> bool:
    """Read a clause with the first reader that reads it wholly; say whether one does.

    Raises:
        StepUnclear: None does, and its words may mean several steps, or none.
        Asked: None does, and something is missing.
    """
    mood, rest = stripped(piece)
    if phrase_at(piece, 0, "corrections.tsv")[1]:
        plan.unread.clear()
    plan.is_also = any(t.is_("also", "too", "well") for t in piece)
    plan.is_after = (
        (piece[0].is_("else", "otherwise") or (piece[0].is_("after") and any(t.is_("that") for t in piece[1:2])))
        and bool(plan.edits)
        and plan.edits[-1]["op"] == "set_timeout"
    )
    rest = _plain(rest)
    if plan.is_after and len(rest) > 1 and rest[0].is_("else", "otherwise"):
        rest = rest[1:]
    if not rest:
        return mood in ("told", "order")
    if mood == "weighed":
        plan.weighed = True
    ways = [rest]
    reason_at = next(
        (
            i
            for i in range(1, len(rest))
            if "because" in phrase_at(rest, i, "markers.tsv")[1] and rest[i].kind == "word"
        ),
        None,
    )
    if reason_at is not None:
        ways.append(trimmed(rest[:reason_at]))
    problem: StepUnclear | Asked | None = None
    for words in ways:
        verbs = read_head(words).verbs
        for reader in _readers(plan, mood, words, verbs, is_next=is_next):
            before = (plan.workflow, plan.steps, list(plan.edits), list(plan.notes), list(plan.unread))
            try:
                if reader():
                    return True
            except NotRead as why:
                problem = problem or (Asked(str(why)) if str(why) else None)
            except (StepUnclear, Asked) as why:
                if problem is None or (isinstance(problem, StepUnclear) and not problem.candidates):
                    problem = why
            plan.workflow, plan.steps, plan.edits, plan.notes, plan.unread = before
    if problem is not None:
        raise problem
    return False


def _readers(
    plan: Plan, mood: Mood, words: Tokens, verbs: frozenset[str], *, is_next: bool
) -> Sequence[Callable[[], bool]]:
    """Return the readers of a clause in the order they are tried."""
    takes = mood == "unneeded"
    if mood == "negated":
        return (lambda: header.read_trigger(plan, words, takes=True), lambda: _keep(plan, words, verbs))
    if not takes and words[0].is_("keep", "retain", "preserve", "leave") and words[0].kind == "word":
        return (lambda: _keep(plan, words, verbs),)
    return (
        lambda: header.read_description(plan, words),
        lambda: header.read_label(plan, words, takes=takes),
        lambda: header.read_name(plan, words),
        lambda: fields.read_fields(plan, words, takes=takes),
        lambda: header.read_trigger(plan, words, takes=takes),
        lambda: conditions.read_threshold(plan, words),
        lambda: shaping.read_shape(plan, words, verbs),
        lambda: shaping.read_case(plan, words),
        lambda: shaping.read_way(plan, words, verbs),
        lambda: not takes and placing.read_placing(plan, words, adds=mood == "wanted"),
        lambda: is_next and placing.insert_after_last(plan, words),
    )


def _plain(tokens: Tokens) -> Tokens:
    """Return a clause without "please" behind it and "in this workflow", and with "take x out" as "take out x"."""
    words = list(tokens)
    while (
        len(words) > 1
        and words[-1].kind in ("word", "punct")
        and (words[-1].among("orders.trail") or words[-1].text in ",.")
    ):
        words.pop()
    if len(words) > 4 and words[-1].is_("on") and words[-3].is_("from"):
        # "From January on".
        words = words[:-3]
    for mark in ("from", "of", "in", "out"):
        at = len(words) - 1
        while at > 1 and (words[at].lemma in WHOLE or words[at].has("det") or words[at].is_("it", "here", "whole")):
            at -= 1
        if at > 1 and at < len(words) - 1 and words[at].is_(mark) and words[at].kind == "word":
            words = words[:at]
    first = 1 if words and words[0].among("orders.particled") else 0
    out = next(
        (i for i in range(2, len(words)) if words[i].is_("out", "away", "off") and words[i].kind == "word"), None
    )
    if first and out is not None and out == len(words) - 1:
        words = [Token("remove", "word", words[0].start, words[0].end, entry_of("remove")), *words[1:out]]
    elif first and out is not None and words[out].is_("off"):
        # "Take the time limit off the review".
        words = [
            Token("remove", "word", words[0].start, words[0].end, entry_of("remove")),
            *words[1:out],
            *words[out + 1 :],
        ]
    if words and words[0].kind == "word" and not words[0].entry.known:
        meant = nearest(words[0].lower, word_set("orders.mended"))
        words[0] = Token(meant, "word", words[0].start, words[0].end, entry_of(meant)) if meant else words[0]
    return tuple(words)


def _keep(plan: Plan, words: Tokens, verbs: frozenset[str]) -> bool:
    """Note what must stay: "do not remove the review"; "do not retry it" takes the retries away."""
    if "retry" in verbs or "escalate" in verbs or any(t.is_("anymore", "more", "longer") for t in words):
        return fields.read_fields(plan, words, takes=True)
    if not verbs and words[0].is_("need", "want", "use", "require", "send", "do") and words[0].kind == "word":
        return fields.read_fields(
            plan, tuple(t for t in words if not t.is_("need", "want", "use", "require")), takes=True
        )
    if not verbs and any(
        phrase_at(words, i, "verbs.tsv")[1] and words[i - 1].text in (",", "and") for i in range(2, len(words))
    ):
        return False
    rest = [t for t in words[1:] if not t.among("orders.keep")]
    if not any(counts(t) for t in rest):
        named = plan.edits[-1].get("step") if plan.edits else plan.steps.last
        plan.kept += [named] if isinstance(named, str) and any(t.lower in PRONOUNS for t in words) else []
        return any(t.is_("rest", "everything", "all") for t in words) or bool(plan.kept)
    plan.kept += [step.id for step in plan.steps_in(rest)]
    return True


def _is_said_beside(plan: Plan, piece: Tokens, *, has_more: bool) -> bool:
    """Say whether words order nothing: courtesy, an order told again, a reason, or what comes next is about."""
    words = [t for t in piece if t.kind == "word"]
    if not any(counts(t) or t.lower in PRONOUNS for t in piece):
        return True
    if (
        piece[0].is_("not")
        and plan.edits
        and all(t.kind == "number" or t.value is not None or t.entry.noun for t in piece[1:])
    ):
        # "Not 3", of what was just set to something else.
        return True
    others = [t for t in piece if counts(t) and t.lower not in _AGAIN and t.lower not in PRONOUNS]
    if (plan.edits or has_more) and not others and len(words) < 6:
        return True
    if any(t.kind == "number" or t.value is not None for t in piece):
        return False
    return (has_more and _is_topic(plan, piece)) or _is_background(piece)


def _is_topic(plan: Plan, piece: Tokens) -> bool:
    """Say whether words name only steps, which are what comes next is about."""
    told = next((i for i, t in enumerate(piece) if i and t.kind == "word" and t.has("aux")), len(piece))
    if any(t.kind in ("quoted", "number") or t.has("neg") for t in piece[told:]):
        return False
    about = [t for t in piece[:told] if t.is_("and") or t.text == "," or (t.is_content and not t.among("shaping.swap"))]
    try:
        named = [step.id for step in plan.steps_in(about)]
    except StepUnclear:
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
    return any(t.entry.form == "ed" and t.has("verb") and at > 0 for at, t in enumerate(words)) and not any(
        t.has("aux") for t in words
    )


def _name_unused(plan: Plan, tokens: Sequence[Token], names: str) -> None:
    """Name the numbers and quoted words of a message that came to be in no edit."""
    starts = any(edit["op"] in ("add_trigger", "remove_trigger") for edit in plan.edits)
    made = (
        json.dumps([*plan.edits, *plan.superseded], ensure_ascii=False).casefold().replace(",", "").replace('\\"', '"')
    )
    unread = " ".join(plan.unread)
    for at, token in enumerate(tokens):
        if token.kind not in ("number", "quoted") or any(
            t.lower in _COMPARED
            for t in (*tokens[max(at - 3, 0) : at], *(t for t in tokens[at + 1 : at + 2] if t.is_("more")))
        ):
            continue
        length = duration_at(tokens, at) or duration_at(tokens, max(at - 2, 0))
        said = {token.text.casefold().replace(",", ""), f"{token.value:g}" if token.value is not None else "-"}
        known = any(one in made or one in names for one in said) or (length and length.value.casefold() in made)
        removed = token.kind == "quoted" and any(edit["op"].startswith(("remove", "un")) for edit in plan.edits)
        listing = token.kind == "number" and at + 1 < len(tokens) and tokens[at + 1].text in (")", ".")
        if plan.edits and not known and not removed and not listing and not (starts and token.kind == "number"):
            kept = token.kind == "quoted" and plan.maybe((token,)) is not None
            plan.unread += [] if kept or token.text in unread else [token.text]
