"""A pattern that is passed over because a phrase lacks its words would not have matched that phrase."""

import random
import re
from importlib.resources import files

import pytest

from workflow_agent.agent.offline.intents import grammar
from workflow_agent.agent.offline.intents.grammar import Phrase, matches, phrase_table

TABLES = ("answers", "changes", "inside", "portfolio", "statements")
_INNERMOST = re.compile(r"\[([^\[\]()]*)\]\*?|\(([^\[\]()]*)\)")


def one_of_its_phrases(pattern: str, choose: random.Random) -> str:
    """Return something that a pattern may match, with each choice made at random."""
    text = grammar._spelled_out(pattern, grammar._groups())

    def chosen(match: re.Match[str]) -> str:
        if match[1] is not None:
            return choose.choice(("", choose.choice(match[1].split("|"))))
        return choose.choice(match[2].split("|"))

    while _INNERMOST.search(text):
        text = _INNERMOST.sub(chosen, text)
    return re.sub(r"\{\w+\}", lambda _: choose.choice(("two", "Legal review", "every day", "2")), text)


@pytest.mark.parametrize("name", TABLES)
def test_no_pattern_is_passed_over_that_would_match(name: str) -> None:
    choose = random.Random(7)
    table = phrase_table(name)
    said = [one_of_its_phrases(one._pattern, choose) for one in table for _ in range(4)]
    said += [text.upper() for text in said[::3]]

    passed_over = [
        (text, one._pattern)
        for text in said
        for one in choose.sample(table, min(len(table), 40))
        if one._expression.fullmatch(text) and not one.match(text, grammar._folded(text))
    ]
    matched = sum(any(matches(text, table)) for text in said)

    assert passed_over == []
    assert matched > len(said) / 3, "too few of the phrases are any of its patterns'"


def test_a_phrase_compiles_few_of_the_patterns() -> None:
    fresh = [Phrase("any", line) for line in _lines("changes")]

    tried = [one for one in fresh if one.match("rename step 2", "rename step 2")]
    compiled = [one for one in fresh if "_expression" in vars(one)]

    assert len(fresh) > 200
    assert len(compiled) <= len(tried) + 10


@pytest.mark.parametrize(
    ("pattern", "phrase"),
    [
        pytest.param("(stop|end) it", "\N{LATIN SMALL LETTER LONG S}top it", id="a long s"),
        pytest.param("list it", "LIST IT", id="capitals"),
        pytest.param("list it", "l\N{LATIN SMALL LETTER DOTLESS I}st it", id="a dotless i"),
        pytest.param("take it[ out]", "take it", id="what may be missing"),
        pytest.param("(the |)order", "order", id="a choice with nothing in it"),
        pytest.param("(one|two[ more]) left", "two left", id="a choice with something optional"),
    ],
)
def test_what_a_pattern_takes_is_found(pattern: str, phrase: str) -> None:
    assert Phrase("any", pattern).match(phrase, grammar._folded(phrase))


def _lines(name: str) -> list[str]:
    text = (files("workflow_agent.agent.offline") / "phrases" / f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line.strip() and line[0] not in "#["]
