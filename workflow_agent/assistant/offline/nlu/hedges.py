"""Words that say that an order may be none, or not of all that it names: a question, a remark, an exception.

What is denied the reader sees by itself; examples of these few are rare.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject

ASKED: Final = "You ask, and I am not sure that you want it done"
_ENDS = frozenset(",.;!?-")
_MOST_TAIL = 6
_TAKES_BACK = ("actually", "better", "leave", "forget", "wait", "think", "stop", "rather")
_ALL = ("all", "any", "every", "everything", "anything", "anybody", "anyone", "everybody", "everyone", "nobody", "step")
_TAKES = frozenset({"remove_step", "disconnect", "untag", "remove_alias", "remove_trigger", "set_automation"})
_ADDS = frozenset({"insert_step", "add_step", "connect"})
_UNLESS = ("without", "unless", "until", "before", "except")


def hedges(edits: Sequence[JsonObject], tokens: Tokens, said: Tokens) -> Iterator[str]:
    """Yield why the edits of a message may not be wanted, as sentences without a full stop.

    `said` is the message without what is said beside the order, and without what fills a slot of it.
    """
    words = tuple(t for t in said if t.kind != "punct")
    removes = any(edit["op"] == "remove_step" for edit in edits)
    if removes and words and all(t.among("hedges.joining") for t in words):
        # "Then the hearing" names a step and no more.
        yield "You did not say what is to become of it"
    if words and _begins(tokens, words[0]) and _is_asked(words):
        yield ASKED
    if _opens_remark(tuple(t for t in tokens if t.kind != "punct")):
        yield "I am not sure that you want it done now"
    for at, token in enumerate(said):
        if token.is_("perhaps", "maybe", "possibly"):
            yield f"You said “{token.text}”"
        if _turns_round(edits, said, at):
            yield f"I am not sure what “{token.text}” says here"
    corrected = (tokens[at + 1 : at + 4] for at, t in enumerate(tokens) if at and t.is_("sorry", "no"))
    if any(_side_by_side(some, ("i", "we"), ("mean",)) for some in corrected):
        yield "You put it right, and I am not sure what holds"
    if _is_taken_back(tokens):
        yield "The end of your message may take it back"
    one_of = len(edits) > 1 and _side_by_side(words, ("one", "either"), ("of",))
    if _leaves_out(said) or (one_of and all(edit["op"] in _TAKES for edit in edits)):
        yield "I am not sure what is to be left out"


def _turns_round(edits: Sequence[JsonObject], said: Tokens, at: int) -> bool:
    """Say whether a word makes an order none, or another: "by the bank, no, the clerk", "it never needs an approval".

    And not "it is never paid without an approval".
    """
    token, around = said[at], (*said[max(at - 1, 0) : at], *said[at + 1 : at + 2])
    corrects = token.is_("no") and len(around) > 1 and all(t.kind == "punct" for t in around)
    adds = any(edit["op"] in _ADDS for edit in edits)
    return corrects or (adds and token.is_("never") and not any(t.is_(*_UNLESS) for t in said[at + 1 :]))


def _side_by_side(tokens: Tokens, first: Sequence[str], second: Sequence[str]) -> bool:
    """Say whether one of some words stands right in front of one of others: "I mean"."""
    return any(one.is_(*first) and other.is_(*second) for one, other in itertools.pairwise(tokens))


def denies(said: Tokens) -> bool:
    """Say whether words deny something."""
    words = (token for token in said if token.kind == "word")
    return any(token.has("neg") or token.is_("no", "never", "nobody", "cannot") for token in words)


def _begins(tokens: Tokens, word: Token) -> bool:
    """Say whether a word begins the message or a part of it: "is it late? Shall we", and not "X shall be"."""
    at = next((at for at, token in enumerate(tokens) if token.start == word.start), 0)
    return at == 0 or tokens[at - 1].kind in ("punct", "break")


def _is_asked(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    first, second, third = words[:3]
    # "Have it start at 6" orders.
    has = first.is_("have") and second.is_("you", "we", "they", "i", "he", "she")
    would = first.is_("would") and second.is_("not") and third.is_("it")
    return has or would or first.is_("shall", "did", "was", "were")


def _opens_remark(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    tells = words[0].is_("i", "we") and words[1].lower in ("see", "hear", "heard", "saw", "noticed", "thought")
    return tells or (words[0].is_("thanks", "thank") and any(t.is_("for") for t in words[1:4]))


def _leaves_out(said: Tokens) -> bool:
    for at, token in enumerate(said):
        if token.is_("except", "excepting", "excluding"):
            return True
        if token.is_("but") and at and at + 1 < len(said):
            before, after = said[at - 1], said[at + 1]
            if before.is_(*_ALL) or (after.is_("not") and at + 2 < len(said) and not said[at + 2].has("aux")):
                return True
    return False


def _is_taken_back(tokens: Tokens) -> bool:
    """Say whether a message ends in no more than "no", "actually don't" or "or what do you think"."""
    kept = list(tokens)
    while kept and kept[-1].kind in ("punct", "break"):
        kept.pop()
    tail = list(itertools.takewhile(lambda t: t.text not in _ENDS and t.kind != "break", reversed(kept)))[::-1]
    if not tail or len(tail) == len(kept) or len(tail) > _MOST_TAIL or tail[-1].has("prep"):
        return False
    plain = all(t.kind == "word" and (not t.is_content or t.is_(*_TAKES_BACK)) for t in tail)
    dismisses = len(tail) == 2 and tail[0].is_("leave", "forget") and tail[1].has("pron")
    contrasts = any(one.is_("not", "no") and _counts_or_places(other) for one, other in itertools.pairwise(tail))
    return plain and not contrasts and (dismisses or denies(tuple(tail)) or tail[0].is_("or"))


def _counts_or_places(token: Token) -> bool:
    """Say whether a word behind "not" tells of what another is not: "not one", "not both at once", "no need"."""
    return token.value is not None or token.has("prep") or token.is_("both", "all", "need", "alongside", "together")
