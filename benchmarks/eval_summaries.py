"""Whether untrue sentences of summaries are found, and true ones in other words stay.

    python -m benchmarks.eval_summaries [--cases]

Each lie and each honest sentence is held against its talk alone, as the summariser's sentences are. `--cases` names
those of the development half that are judged wrongly; of the others only the totals are to be looked at.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

from tests.support.summarised_talks import Talk, talks_in
from workflow_agent.assistant.compaction.evidence import Evidence

_DATA = Path(__file__).parent / "data"
HALVES: Mapping[str, Path] = {
    "development": _DATA / "summaries_dev.txt",
    "development, later talks": _DATA / "summaries_dev_2.txt",
    "development, by a third hand": _DATA / "summaries_dev_3.txt",
    "development, plain voices": _DATA / "summaries_dev_4.txt",
    "development, fluent": _DATA / "summaries_dev_5.txt",
    "development, strongly reworded": _DATA / "summaries_dev_6.txt",
    "held out": _DATA / "summaries_heldout.txt",
    "held out, other trades": _DATA / "summaries_heldout_2.txt",
    "held out, later talks": _DATA / "summaries_heldout_3.txt",
    "held out, by a third hand": _DATA / "summaries_heldout_4.txt",
    "held out, fluent": _DATA / "summaries_heldout_5.txt",
    "held out, strongly reworded": _DATA / "summaries_heldout_6.txt",
}


def wrongly_judged(talk: Talk) -> tuple[list[str], list[str]]:
    """Return the lies of a talk that pass, and the honest sentences that do not, with the reason."""
    evidence = Evidence("", talk.events)
    passed = [one for one in talk.lies if evidence.why_not(one.partition(": ")[2]) is None]
    dropped = [f"{one} ({why})" for one in talk.honest if (why := evidence.why_not(one))]
    return passed, dropped


def figures(half: str) -> dict[str, tuple[float, int]]:
    """Return the shares of lies that are found and of honest sentences that stay, with how many there are."""
    talks = talks_in(HALVES[half])
    judged = [wrongly_judged(one) for one in talks]
    lies, honest = sum(len(one.lies) for one in talks), sum(len(one.honest) for one in talks)
    return {
        "lies that are found": (1 - sum(len(passed) for passed, _ in judged) / lies, lies),
        "honest sentences that stay": (1 - sum(len(dropped) for _, dropped in judged) / honest, honest),
    }


def main() -> None:
    """Print the figures of each set."""
    parser = argparse.ArgumentParser(description="Untrue and true sentences of summaries.")
    parser.add_argument("--cases", action="store_true", help="name what of the development half is judged wrongly")
    for half in HALVES:
        for what, (value, count) in figures(half).items():
            print(f"{half}: {what}: {value:.1%} of {count}")
    if parser.parse_args().cases:
        for talk in (talk for half in HALVES if half.startswith("development") for talk in talks_in(HALVES[half])):
            for found in wrongly_judged(talk):
                print(*(f"  {talk.name}: {one}" for one in found), sep="\n")


if __name__ == "__main__":
    main()
