"""What in a message says that an order in it is none: a denial, a question, a remark, something left out or taken back.

The reader looks at what an order is made of; these few words turn it round, and examples of them are rare.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from workflow_agent.assistant.offline.clauses import phrase_at
from workflow_agent.assistant.offline.references import akin, content_of
from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject
from workflow_agent.workflows.model.steps import Step

ASKED: Final = "You ask, and I am not sure that you want it done"
_ENDS = frozenset(",.;!?-")
_MOST_TAIL = 6
_TAKES_BACK = ("actually", "better", "leave", "forget", "wait", "think", "stop", "rather")
_PERHAPS = ("perhaps", "maybe", "possibly")
_EXCEPT = ("except", "excepting", "excluding")
_ALL = ("all", "any", "every", "everything", "anything", "anybody", "anyone", "everybody", "everyone", "nobody", "step")
_TAKES = frozenset({"remove_step", "disconnect", "untag", "remove_alias", "remove_trigger", "set_automation"})
_SHIFTS = ("remove_step", "move_step", "rename_step", "replace_step")
_IN_CASE = ("if", "when", "unless", "until", "where", "whenever", "once", "case", "so", "as")
_DENIES = ("never", "nobody", "cannot")
_ENOUGH = ("enough", "sufficient")
"""What something is not, for which it is changed: "two days aren't enough"."""
_UNLESS = ("without", "unless", "except")
"""Behind "nobody", what is allowed: "nobody without the right may pay"."""
_BEFORE, _BEHIND = 4, 6
"""Words around a denial that may say what it is of."""
_LIMITS = ("longer", "later", "more", "less", "fewer")
"""Of "no longer than"."""


def hedges(edits: Sequence[JsonObject], tokens: Tokens, said: Tokens, steps: Sequence[Step]) -> Iterator[str]:
    """Yield why the edits of a message may not be wanted, as sentences without a full stop.

    Args:
        edits: What the message was taken to order.
        tokens: The message.
        said: The message without what is said beside the order, and without what fills a slot of it.
        steps: Those of the workflow before.
    """
    words = tuple(t for t in said if t.kind != "punct")
    starts = bool(words) and _begins(tokens, words[0])
    if (starts and _is_asked(words)) or _has_tag_question(tokens):
        yield ASKED
    if _opens_remark(tuple(t for t in tokens if t.kind != "punct")) or _is_past(words):
        yield "I am not sure that you want it done now"
    for token in said:
        if token.is_(*_PERHAPS):
            yield f"You said “{token.text}”"
    if _leaves_out(said) or (len(edits) > 1 and _one_of(words) and all(e["op"] in _TAKES for e in edits)):
        yield "I am not sure what is to be left out"
    if _is_taken_back(tokens):
        yield "The end of your message may take it back"
    if (kept := _kept(edits, tokens, steps)) is not None:
        yield f"You ask me to change **{kept}** and to keep it"
    if (denied := _denied(edits, said)) is not None:
        yield f"I am not sure what “{denied}” says here"


def _kept(edits: Sequence[JsonObject], tokens: Tokens, steps: Sequence[Step]) -> str | None:
    """Return the step that a message takes away or moves, and asks to keep."""
    touched = [step for step in steps if step.id in {edit.get("step") for edit in edits if edit["op"] in _SHIFTS}]
    for at, token in enumerate(tokens):
        led = tokens[max(at - 4, 0) : at]
        if not token.is_("keep", "retain") or any(_is_denial(t) or t.is_("longer") for t in led):
            # "We no longer need to keep it."
            continue
        behind = list(itertools.takewhile(lambda t: t.kind == "word" and not t.has("conj"), tokens[at + 1 :]))
        words = [t for t in behind[:_MOST_TAIL] if t.is_content and not t.is_("step", "one")]
        for step in touched:
            named = words and all(any(akin(t.lower, one) for one in content_of(step.name)) for t in words)
            if named or (not words and any(t.is_("it", "that", "them") for t in behind)):
                return step.name
    return None


def _begins(tokens: Tokens, word: Token) -> bool:
    """Say whether a word begins the message or a part of it: "is it late? Shall we", and not "X shall be"."""
    at = next((at for at, token in enumerate(tokens) if token.start == word.start), 0)
    return at == 0 or tokens[at - 1].kind in ("punct", "break")


def _is_asked(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    first, second, third = words[:3]
    asks = first.is_("shall", "did", "was", "were") or (first.is_("have") and second.has("pron"))
    return asks or (first.is_("would") and second.is_("not") and third.is_("it"))


def _has_tag_question(tokens: Tokens) -> bool:
    """Say whether a message ends with ", don't they?"."""
    kept = list(tokens)
    while kept and kept[-1].kind == "punct":
        kept.pop()
    tail = list(itertools.takewhile(lambda t: t.text != ",", reversed(kept)))
    ends = 1 < len(tail) < 4 and len(tail) < len(kept)
    return ends and tail[0].has("pron") and tail[-1].has("aux") and not tail[-1].is_("will", "would", "could", "can")


def _opens_remark(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    first, second = words[:2]
    noticed = ("see", "hear", "heard", "saw", "noticed", "thought", "wish", "wished")
    tells = first.is_("i", "we") and second.lower in noticed
    thanks = first.is_("thanks", "thank") and any(t.is_("for") for t in words[1:4])
    unsure = any(one.is_("not") and other.is_("sure") for one, other in itertools.pairwise(words))
    return tells or thanks or unsure


def _is_past(words: Tokens) -> bool:
    pairs = list(itertools.pairwise(words))
    used = any(one.lower == "used" and other.is_("to") for one, other in pairs)
    return used or any(
        one.is_("last") and other.is_("time", "week", "month", "year", "quarter") for one, other in pairs
    )


def _leaves_out(said: Tokens) -> bool:
    for at, token in enumerate(said):
        if token.is_(*_EXCEPT):
            return True
        if token.is_("but") and at and at + 1 < len(said):
            before, after = said[at - 1], said[at + 1]
            if before.is_(*_ALL) or (after.is_("not") and at + 2 < len(said) and not said[at + 2].has("aux")):
                return True
    return False


def _one_of(words: Tokens) -> bool:
    return any(one.is_("one", "either") and other.is_("of") for one, other in itertools.pairwise(words))


def _is_taken_back(tokens: Tokens) -> bool:
    """Say whether a message ends in no more than "no", "actually don't" or "or what do you think"."""
    kept = list(tokens)
    while kept and kept[-1].kind in ("punct", "break"):
        kept.pop()
    tail = list(itertools.takewhile(lambda t: t.text not in _ENDS and t.kind != "break", reversed(kept)))[::-1]
    if not tail or len(tail) == len(kept) or len(tail) > _MOST_TAIL:
        return False
    plain = (
        not tail[-1].has("prep")
        and all(not t.is_content or t.is_(*_TAKES_BACK) for t in tail)
        and all(t.kind == "word" for t in tail)
    )
    dismisses = len(tail) == 2 and tail[0].is_("leave", "forget") and tail[1].has("pron")
    return plain and (dismisses or any(_is_denial(t) for t in tail) or tail[0].is_("or"))


def _is_denial(token: Token) -> bool:
    return token.kind == "word" and (token.has("neg") or token.is_("no", *_DENIES))


def _denied(edits: Sequence[JsonObject], said: Tokens) -> str | None:
    """Return the word of a message that denies what its edits do; None where they take something away as it says."""
    taking = sum(map(_takes_away, edits))
    takes = taking == len(edits)
    for at, token in enumerate(said):
        if not _is_denial(token) or _denies_nothing(edits, said, at):
            continue
        behind = said[at + 1 : at + 4]
        if takes and not token.is_("never"):
            # "We don't need it" takes it away, "never remove it" does not.
            orders = any("remove" in phrase_at(behind, one, "verbs.tsv")[1] for one in range(len(behind)))
            if orders and not (behind and behind[0].is_("longer", "more")):
                return token.text
            continue
        alone = token.is_("no") and at and said[at - 1].kind == "punct" and at + 1 < len(said)
        if alone and said[at + 1].kind == "punct":
            # "By the bank, no, the clerk."
            return token.text
        before = said[at - 1] if at else None
        follows = next((t for t in behind if not t.has("det")), None)
        acts = follows is not None and follows.has("verb") and not follows.has("noun", "adj")
        needs = follows is not None and follows.is_("need", "reason", "way")
        lacks = token.is_("no") and follows is not None and follows.is_content
        if lacks and taking:
            # "Owner support, no timeout."
            taking -= 1
            continue
        if token.is_(*_DENIES) or lacks or acts or needs or (before is not None and before.has("aux")):
            return token.text
    return None


def _denies_nothing(edits: Sequence[JsonObject], said: Tokens, at: int) -> bool:
    """Say whether a denial is of a case, a limit, of what is so far, or of all but those who may."""
    token, behind = said[at], said[at + 1 : at + _BEHIND]
    in_case = any(t.is_(*_IN_CASE) for t in said[max(at - _BEFORE, 0) : at])
    return (
        in_case
        or _is_inverted(said, at)
        or _is_too_little(said, at)
        or _limits(token, behind)
        or (
            all("permission" in edit or "permission" in edit.get("set", ()) for edit in edits)
            and token.is_("nobody", "no")
            and any(t.is_(*_UNLESS) for t in behind)
        )
    )


def _is_inverted(said: Tokens, at: int) -> bool:
    """Say whether a denial is of a case told without "if": "should the order not go through, ..."."""
    starts = next((one for one in range(at, -1, -1) if said[one].kind in ("punct", "break")), -1) + 1
    comma = next((one for one, t in enumerate(said) if one > at and t.text == ","), len(said))
    asks = bool(said) and said[-1].text == "?"
    return starts < at and said[starts].is_("should", "had") and comma < len(said) and not asks


def _is_too_little(said: Tokens, at: int) -> bool:
    """Say whether a denial is of what is so far: "two days aren't enough", and not "don't give it enough"."""
    follows = itertools.takewhile(lambda t: t.kind == "word", said[at + 1 : at + _BEHIND])
    is_so = at > 0 and said[at - 1].is_("be")
    return is_so and any(t.is_(*_ENOUGH) for t in follows)


def _limits(token: Token, behind: Tokens) -> bool:
    """Say whether a denial is of a limit: "no longer than", "must not take longer than"."""
    than = next((at for at, t in enumerate(behind) if at and t.is_("than") and behind[at - 1].is_(*_LIMITS)), None)
    return than is not None and (than == 1 or token.is_("not")) and not token.is_("never")


def _takes_away(edit: JsonObject) -> bool:
    """Say whether an edit takes something away, or puts one thing in the place of another."""
    if edit["op"] in _TAKES or edit["op"] in ("update_transition", "replace_step"):
        return True
    values = [value for key, value in edit.items() if key not in ("op", "step")]
    return values == [None] or "unset" in edit or "when" in str(edit.get("set", ""))
