"""Every known word form with its classes, made once from the lexicon."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from workflow_agent.domain.modes.lexicon import VERBS, WORDS
from workflow_agent.domain.modes.nouns import NOUNS
from workflow_agent.domain.modes.spelling import DOUBLED, IRREGULAR

REQUESTABLE: Final = ("CHANGE", "ADJUST", "CREATE", "FIND", "STUDY")
"""The verb classes a person can ask the assistant to do."""


def plural(word: str) -> str:
    """Return a noun's plural or a verb's third person."""
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def verb_forms(verb: str) -> tuple[str, str, str]:
    """Return a verb's third person, past and -ing form."""
    if verb in IRREGULAR:
        return plural(verb), *IRREGULAR[verb]
    if verb.endswith("e"):
        return plural(verb), verb + "d", (verb if verb.endswith("ee") else verb[:-1]) + "ing"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return plural(verb), verb[:-1] + "ied", verb + "ing"
    stem = verb + verb[-1] if verb in DOUBLED else verb
    return plural(verb), stem + "ed", stem + "ing"


def _classified() -> Iterator[tuple[str, str]]:
    for verb_class, verbs in VERBS.items():
        for verb in verbs.split():
            third, past, ing = verb_forms(verb)
            yield verb, verb_class
            yield third, f"{verb_class}_S"
            yield past, f"{verb_class}_ED"
            yield ing, f"{verb_class}_ING"
    for noun_class, nouns in NOUNS.items():
        for noun in nouns.split():
            yield noun, noun_class
            yield plural(noun), noun_class
            yield plural(noun), f"{noun_class}S"
    for word_class, words in WORDS.items():
        for word in words.split():
            yield word, word_class


def _vocabulary() -> Mapping[str, frozenset[str]]:
    classes: defaultdict[str, set[str]] = defaultdict(set)
    for word, word_class in _classified():
        classes[word] |= {word, word_class}
    return MappingProxyType({word: frozenset(found) for word, found in classes.items()})


VOCABULARY: Final = _vocabulary()
"""Known word form -> the word and its classes."""


def classes_of(word: str) -> frozenset[str]:
    """Return a word and its classes; a number or a workflow id has one, an unknown word only itself."""
    known = VOCABULARY.get(word)
    if known is not None:
        return known
    if word.startswith("wf_"):
        return frozenset((word, "FLOW", "NAMED"))
    return frozenset((word, "NUM")) if word[0].isdigit() else frozenset((word, "OTHER"))
