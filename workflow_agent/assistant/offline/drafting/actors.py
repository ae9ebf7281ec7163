"""Who does what in a description: the people told of, and whom a pronoun stands for."""

from dataclasses import dataclass, field
from typing import Final

from workflow_agent.assistant.offline.phrases import acts, bare, is_pronoun, role_named
from workflow_agent.assistant.offline.tokens import Token, Tokens

_SPEAKERS: Final = frozenset({"i", "we", "you"})
_PERSONS: Final = frozenset({"he", "she", "who"})
_RELATIVES: Final = frozenset({"who", "which"})
_LONGEST: Final = 8
"""Words of a name for somebody."""


@dataclass(slots=True)
class Actors:
    """Everybody told of, in their order."""

    last: Tokens = ()
    unclear: list[str] = field(default_factory=list[str])
    """Whom it was not clear who is meant by, in words."""
    _met: list[Tokens] = field(default_factory=list[Tokens])

    def meet(self, who: Tokens) -> None:
        """Keep somebody who was told of."""
        if not is_pronoun(who):
            self.last = who
            self._met.append(who)

    def role(self, who: Tokens, before: Tokens = ()) -> str | None:
        """Return the role that words name, a pronoun as the one it stands for; None for nobody in particular.

        Args:
            who: The words.
            before: Those of the step told before, for "writes to the taxpayer, who sends them".
        """
        relative = next((n for n, token in enumerate(who) if n and token.lower in _RELATIVES), len(who))
        who = who[:relative]
        while len(who) > 1 and (
            who[-1].kind == "punct" or who[-1].has("adv", "conj") or who[-1].lower in ("both", "all", "each")
        ):
            who = who[:-1]
        if not who:
            return None
        low = who[0].lower
        if low in _RELATIVES and (meant := _at_the_end(before)):
            self.meet(meant)
            return role_named(meant)
        if not is_pronoun(who):
            self.meet(who)
            if len(bare(who)) > _LONGEST:
                self.unclear.append(f"who {' '.join(token.text for token in who[:_LONGEST])!r} is")
            return role_named(who)
        if low in _SPEAKERS:
            self.last = who
            return None
        if low in _PERSONS:
            persons = [one for one in self._met if not (bare(one) or one)[-1].among("role.group")]
            self.last = persons[-1] if persons else self.last
            if not persons:
                self.unclear.append(f"who {low!r} is")
        return role_named(self.last)


def told_together(who: Tokens, *, is_both: bool = False) -> list[Tokens]:
    """Return each of several, "both the architect and the engineer"; of one the words as they are.

    Args:
        who: The words.
        is_both: Whether "both" stands behind them.
    """
    is_both = is_both or any(token.lower == "both" for token in who)
    parts: list[list[Token]] = [[]]
    for token in who:
        if token.lower in ("and", "&") or token.text == ",":
            parts.append([])
        elif token.lower != "both":
            parts[-1].append(token)
    several = is_both and len(parts) > 1 and all(parts)
    return [tuple(part) for part in parts] if several else [who]


def _at_the_end(said: Tokens) -> Tokens:
    """Return somebody whom the words of a step end with."""
    at = max((n for n, token in enumerate(said) if token.has("prep", "det")), default=-1)
    last = said[at + 1 :]
    return last if last and acts(last) else ()
