"""Words that say that an order may be none, or not of all that it names: a question, a remark, an exception.

What is denied the reader sees by itself; examples of these few are rare.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from workflow_agent.assistant.offline.tokens import Token, Tokens
from workflow_agent.assistant.offline.turn.outcome import JsonObject

ASKED: Final = "You ask, and I am not sure that you want it done"
_ASKED_OF = ("you", "we", "they", "i", "he", "she")
"""Of whom "have" asks; "have it start at 6" orders."""
_ENDS = frozenset(",.;!?-")
_MOST_TAIL = 6
_TAKES_BACK = ("actually", "better", "leave", "forget", "wait", "think", "stop", "rather")
_PERHAPS = ("perhaps", "maybe", "possibly")
_EXCEPT = ("except", "excepting", "excluding")
_ALL = ("all", "any", "every", "everything", "anything", "anybody", "anyone", "everybody", "everyone", "nobody", "step")
_TAKES = frozenset({"remove_step", "disconnect", "untag", "remove_alias", "remove_trigger", "set_automation"})
_ADDS = frozenset({"insert_step", "add_step", "connect"})
_UNLESS = ("without", "unless", "until", "before", "except")
_DENIES = ("no", "never", "nobody", "cannot")


def hedges(edits: Sequence[JsonObject], tokens: Tokens, said: Tokens) -> Iterator[str]:
    """Yield why the edits of a message may not be wanted, as sentences without a full stop.

    Args:
        edits: What the message was taken to order.
        tokens: The message.
        said: The message without what is said beside the order, and without what fills a slot of it.
    """
    words = tuple(t for t in said if t.kind != "punct")
    if words and _begins(tokens, words[0]) and _is_asked(words):
        yield ASKED
    if _opens_remark(tuple(t for t in tokens if t.kind != "punct")):
        yield "I am not sure that you want it done now"
    for at, token in enumerate(said):
        if token.is_(*_PERHAPS):
            yield f"You said “{token.text}”"
        if _turns_round(edits, said, at):
            yield f"I am not sure what “{token.text}” says here"
    if any(t.is_("sorry", "no") and at and _corrects(tokens[at + 1 : at + 4]) for at, t in enumerate(tokens)):
        yield "You put it right, and I am not sure what holds"
    if _is_taken_back(tokens):
        yield "The end of your message may take it back"
    if _leaves_out(said) or (len(edits) > 1 and _one_of(words) and all(e["op"] in _TAKES for e in edits)):
        yield "I am not sure what is to be left out"


def _turns_round(edits: Sequence[JsonObject], said: Tokens, at: int) -> bool:
    """Say whether a word makes an order none, or another: "by the bank, no, the clerk", "it never needs an approval".

    And not "it is never paid without an approval".
    """
    token, around = said[at], (*said[max(at - 1, 0) : at], *said[at + 1 : at + 2])
    corrects = token.is_("no") and len(around) > 1 and all(t.kind == "punct" for t in around)
    adds = any(edit["op"] in _ADDS for edit in edits)
    return corrects or (adds and token.is_("never") and not any(t.is_(*_UNLESS) for t in said[at + 1 :]))


def _corrects(tokens: Tokens) -> bool:
    """Say whether "I mean" is said."""
    return any(one.is_("i", "we") and other.is_("mean") for one, other in itertools.pairwise(tokens))


def denies(said: Tokens) -> bool:
    """Say whether words deny something."""
    return any(token.kind == "word" and (token.has("neg") or token.is_(*_DENIES)) for token in said)


def _begins(tokens: Tokens, word: Token) -> bool:
    """Say whether a word begins the message or a part of it: "is it late? Shall we", and not "X shall be"."""
    at = next((at for at, token in enumerate(tokens) if token.start == word.start), 0)
    return at == 0 or tokens[at - 1].kind in ("punct", "break")


def _is_asked(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    first, second, third = words[:3]
    asks = first.is_("shall", "did", "was", "were") or (first.is_("have") and second.is_(*_ASKED_OF))
    return asks or (first.is_("would") and second.is_("not") and third.is_("it"))


def _opens_remark(words: Tokens) -> bool:
    if len(words) < 3:
        return False
    first, second = words[:2]
    noticed = ("see", "hear", "heard", "saw", "noticed", "thought")
    tells = first.is_("i", "we") and second.lower in noticed
    thanks = first.is_("thanks", "thank") and any(t.is_("for") for t in words[1:4])
    return tells or thanks


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
    return plain and (dismisses or denies(tuple(tail)) or tail[0].is_("or"))
