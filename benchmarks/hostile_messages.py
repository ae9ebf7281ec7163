"""How much processor time one long message takes, of many shapes, through the offline chat.

    python -m benchmarks.hostile_messages --random 200

Each is 32,000 characters long and sent twice: without a workflow, and with one of 60 steps open. It prints
the slowest, and ends with 1 where one takes more than a second or is answered with a server error.
"""

import argparse
import asyncio
import logging
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from workflow_agent.main.composition import build
from workflow_agent.settings import Settings

CHARS, STEPS, MOST_SECONDS, SHOWN = 32_000, 60, 1.0, 10
REPEATED = (
    " ", "\n", "\t", ".", "a; ", "a, ", "a. ", "a", "1", "A", "a-", "step_", "a.b_", '"',
    '"a" ', "'", "it's ", "(", ")", "[", "{}", "```\na\n", "`", "a -> b ", "->", "a → b ", "|",
    "| a | b |\n", "#", "> ", "*", "**a** ", "😀", "e\u0301", "שלום ", "工", "a\u200b", "İ", "ß",
    "\u00a0", "/", "\\", "?", "! ", "... ", "a: ", "a=b ", "<b>a</b>", "%41",
    "https://a.b/c?d=e ", "a@b.cd ", "@general ", "wf_a ", "2026-01-01 ", "2 days ",
    "5,000 euros ", "and ", "or ", "then ", "not ", "that ", "of the ", "the ", "why ", "yes ",
    "undo ", "Manager ", "every monday at 9 ", "check the form and ",
    "remove Manager review and ", "add a legal review after Step 3 and ",
    'rename Step 3 to "X" and ', "if it is rejected then go back, otherwise ",
    "what happens after Step 3? ", "who does Step 4 and ", "between Step 1 and Step 2 ",
    "do not remove Step 3 but ", "remember that we like it. ", "The clerk checks the invoice. ",
    "approved by the manager, ", "reviw the aproval stpe ", "- check it\n",
    "the manager said that the clerk said that ", "compare version 1 with version 2 and ",
    "key: value\n", "if ", "otherwise ", "if a then b otherwise ", "and or if ", ", and ", ", or ", "1 2 3 ",
    "12,345.67 ", "1.2.3.", "- ", "-", "\u2013\u2014 ", "--> ", "=>", "Step 3 ", "Step 3, ",
    "Step 3 and Step 4 or ", "[(", "([{<", "((a) ", "\u201ca \u2018b\u2019 ", "'a \"b\" ", "«a» ",
    "Шаг шag 步骤 ", "कदम ", "👩\u200d👩\u200d👧 ", "\u200b", "\u200d\u2060", "\u202ea\u202c",
    "a\u0300\u0301\u0302", "after Step 3 before Step 4 ", "until it is approved ", "who what when ",
    "for each of the items ", "within 2 days or after 3 hours ", "called called ", "the step step ",
    "move Step 3 after Step 4 and ", "is Step 3 before Step 4 or ", "unless ", "either a or b, ",
)  # fmt: skip

ORDINALS = ("first", "second", "third", "last", "old", "new", "legal", "final", "other")


def shapes(random_count: int, seed: int) -> Iterator[str]:
    """Yield the messages: one piece over and over, lists of 3,000 items, and pieces mixed at random."""
    for piece in REPEATED:
        yield _long(piece)
        yield f"hi{_long(piece)[: CHARS - 3]}x"
    yield _long("", "\n".join(f"{number}. do task number {number}" for number in range(1, 3_001)))
    yield _long("Create a workflow for travel:\n", "\n".join(f"{n}. task {n}" for n in range(1, 3_001)))
    yield _long("flowchart TD\n", "\n".join(f"a{n} --> a{n + 1}" for n in range(3_000)))
    yield _long("", " ".join(f"word{number}" for number in range(6_000)))
    yield _long("Create a workflow. ", _long("The employee sends the form and, if it is over 5, the boss signs. "))
    yield _long("remove ", " and ".join(f"Item {number}" for number in range(200)) + " and ")
    yield _long("".join(f"remove the {ORDINALS[n % 9]} review of group {n} and " for n in range(1_000)))
    yield _long("".join(f'rename Step {n % STEPS} to "Phase {n}", ' for n in range(1_000)))
    yield _long("".join(f"add a check {n} after Step {n % STEPS} and " for n in range(1_000)))
    yield _long("", "".join(f"- Step {n % STEPS}: person {n}\n" for n in range(2_000)))
    yield _long("(" * (CHARS // 2) + ")" * (CHARS // 2))
    yield _long("If it is over 5, " * 900 + "then it ends.")
    yield _long(" ".join(f"Step{n}" for n in range(5_000)))
    random_ = random.Random(seed)
    for _ in range(random_count):
        chosen = random_.choices(REPEATED, k=random_.randint(2, 4))
        yield _long("".join(chosen))


def _long(start: str, text: str | None = None) -> str:
    return (start * (CHARS // len(start) + 1) if text is None else start + text)[:CHARS]


async def measured(random_count: int, seed: int) -> list[tuple[float, str]]:
    """Return processor seconds and what was sent, the slowest first; raise where the server fails."""
    steps = [{"id": f"s{n}", "name": f"Step {n}" if n % 3 else f"Manager review {n}"} for n in range(STEPS)]
    transitions = [{"from": f"s{number}", "to": f"s{number + 1}"} for number in range(STEPS - 1)]
    workflow = {"id": "wf_big", "name": "Big process", "steps": steps, "transitions": transitions}
    took: list[tuple[float, str]] = []
    with tempfile.TemporaryDirectory() as directory:
        application = build(Settings(data_dir=Path(directory), samples=True))
        await application.prepare()
        await application.catch_up()
        transport = httpx.ASGITransport(application.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=600) as client:
            (await client.post("/api/v1/workflows", json=workflow)).raise_for_status()
            (await client.post("/api/v1/chat", json={"message": "hello"})).raise_for_status()
            for message in shapes(random_count, seed):
                for opened in ({}, {"workflow_id": "wf_big"}):
                    before = time.process_time()
                    answer = await client.post("/api/v1/chat", json={"message": message, **opened})
                    seconds = time.process_time() - before
                    if answer.is_server_error:
                        raise RuntimeError(f"{answer.status_code} for {message[:60]!r}: {answer.text[:300]}")
                    took.append((seconds, f"{message[:60]!r} {opened}"))
        await application.finish()
        await asyncio.to_thread(application.close)
    return sorted(took, reverse=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--random", type=int, default=100)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    logging.disable(logging.WARNING)
    took = asyncio.run(measured(given.random, given.seed))
    for seconds, what in took[:SHOWN]:
        print(f"{seconds:.2f} s  {what}")
    print(f"{len(took)} messages")
    return took[0][0] > MOST_SECONDS


if __name__ == "__main__":
    raise SystemExit(main())
