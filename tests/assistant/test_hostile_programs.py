"""Programs that mean harm: each ends within the limits, reaches nothing, and leaves a record."""

import json
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.chats import TENANT, ChatUnderTest, chat_with
from tests.support.scripted import Calls, Script, scripted
from workflow_agent.assistant.sandbox import PythonSandbox, SandboxLimits

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

LIMITS = SandboxLimits(duration_seconds=0.3, memory_bytes=24 * 2**20, sleep_seconds=0.1, suspensions=40)
DOUBLING = "x = [0]\nfor i in range(60): x = [x, x]\n"
"""Sixty small lists that count for 2**60 where each is looked into wherever it stands."""

HARM = Path(tempfile.gettempdir()) / "harmed-by-a-program"
HARMLESS_ENDS = {
    "prints too much": "print('x' * 100_000)",
    "prints without end": "while True: print('flood')",
    "loops": "while True: pass",
    "loops in a comprehension": "[i for i in iter(int, 1)]",
    "counts to the end of days": "for i in range(10**18): pass",
    "loops with everything caught": "while True:\n    try:\n        1 / 0\n    except:\n        continue",
    "computes a tower of powers": "9 ** 9 ** 9",
    "shifts far": "1 << 10**10",
    "repeats a text": "'a' * 10**10",
    "repeats a list": "[0] * 10**9",
    "fills a list": "x = []\nwhile True: x.append('y' * 1000)",
    "fills a dict": "x = {}\ni = 0\nwhile True:\n    x[i] = str(i) * 100\n    i += 1",
    "doubles a text": "x = 'ab'\nwhile True: x += x",
    "joins a lot": "','.join(['x' * 1000] * 10**6)",
    "recurses": "def f(): return f()\nf()",
    "recurses with two": "def a(): return b()\ndef b(): return a()\na()",
    "recurses in a lambda": "f = lambda n: f(n + 1)\nf(0)",
    "recurses in repr": "class A:\n    def __repr__(self): return repr(self)\nrepr(A())",
    "sleeps": "import time\ntime.sleep(3600)",
    "sleeps in small pieces": "import time\nfor i in range(10**6): time.sleep(0.05)",
    "sleeps backwards": "import time\ntime.sleep(-1)",
    "awaits a long sleep": "import asyncio\nasyncio.run(asyncio.sleep(3600))",
    "gives a huge result": "'x' * 1_000_000",
    "gives a long list": "list(range(100_000))",
    "gives lists of the same lists": DOUBLING + "x",
    "prints lists of the same lists": DOUBLING + "print(x)",
    "raises with lists of the same lists": DOUBLING + "raise ValueError(str(x))",
    "asks for content named by lists of the same lists": DOUBLING + "content(x)",
    "calls what is not there with lists of the same lists": DOUBLING + "nothing_of_this_name(x)",
    "asks for content without end": "while True:\n try: content('no')\n except LookupError: 0",
    "searches without end": "while True: search_history('x')",
    "asks for content by a huge name": "content('x' * 5_000_000)",
    "asks for a turn that cannot be": "get_turn(10**30)",
    "asks for a turn by a list": "get_turn([1])",
    "calls with too many arguments": "content(1, 2, 3)",
    "calls with keywords": "content(path='/etc/passwd')",
    "looks up names without end": "for i in range(1000):\n try: nobody\n except NameError: 0",
    "matches catastrophically": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "is nested deeply": "(" * 5000 + "1" + ")" * 5000,
    "is no program": "def def def",
    "holds a null": "x = 'a\x00b'\nx +",
    "exits": "raise SystemExit(3)",
    "interrupts": "raise KeyboardInterrupt",
    "asserts": "assert False, 'x' * 10**6",
    "formats widely": "'{:>1000000000}'.format(1)",
    "formats widely again": "f'{1:>{10**9}}'",
    "reads digits": "int('9' * 10**6)",
    "reads a file": "open('/etc/passwd').read()",
    "reads its own source": "open(__file__).read()",
    "writes a file": "open('HARM', 'w').write('x')",
    "writes by path": "from pathlib import Path\nPath('HARM').write_text('x')",
    "lists a directory": "import os\nos.listdir('/')",
    "removes a file": "import os\nos.remove('HARM')",
    "reads the environment": "import os\nos.environ['PATH']",
    "runs a command": "import os\nos.system('touch HARM')",
    "starts a process": "import subprocess\nsubprocess.run(['touch', 'HARM'])",
    "opens a socket": "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "fetches a page": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "imports by function": "__import__('os').system('true')",
    "imports ctypes": "import ctypes\nctypes.string_at(0)",
    "imports importlib": "import importlib\nimportlib.import_module('os').system('true')",
    "climbs to object": "().__class__.__bases__[0].__subclasses__()",
    "climbs by a function": "(lambda: 0).__globals__['__builtins__']",
    "climbs by its tools": "content.__globals__",
    "climbs by a traceback": "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
    "climbs by a format": "'{0.__class__.__mro__}'.format(1).__class__.__base__.__subclasses__()",
    "reads the frames": "import sys\nsys._getframe().f_back",
    "sets the recursion limit": "import sys\nsys.setrecursionlimit(10**9)",
    "replaces builtins": "import builtins\nbuiltins.len = None",
    "evaluates an import": "eval(\"__import__('os').system('true')\")",
    "starts threads": "import threading\nthreading.Thread(target=print).start()",
    "collects garbage": "import gc\ngc.get_objects()",
    "unpickles": "import pickle\npickle.loads(b'cos\\nsystem\\n(S\"true\"\\ntR.')",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[PythonSandbox]:
    """One sandbox for all of them, as a server has: what one program does is no harm to the next either."""
    made = PythonSandbox(LIMITS)
    yield made
    await made.close()


@pytest.fixture
def under_test(sandbox: PythonSandbox) -> Iterator[tuple[ChatUnderTest, Script]]:
    model, script = scripted()
    yield chat_with(model, sandbox=sandbox, timeout_seconds=60.0), script
    assert not HARM.exists()


LOOKED = (Calls([("list_workflows", {})]), "None.")
"""A turn that leaves records for a program to read."""


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in HARMLESS_ENDS.items()])
async def test_a_hostile_program_ends_harms_nothing_and_leaves_a_record(
    under_test: tuple[ChatUnderTest, Script], code: str
) -> None:
    made, script = under_test
    script.steps[:] = [
        *LOOKED,
        Calls([("run_python", {"code": code.replace("HARM", str(HARM))})]),
        "That did not work.",
    ]
    first = await made.say("list")

    outcome = await made.say("count my searches", conversation_id=first.conversation_id)

    assert outcome.reply.content == "That did not work."
    stored = await made.store.load(TENANT, outcome.conversation_id)
    (record,) = [call for call in stored.calls if call.method_name == "run_python"]
    assert record.outcome_summary.status in ("success", "retried", "error")
    assert record.program_source == code.replace("HARM", str(HARM))[:10_000]
    assert len(json.dumps(record.model_dump(mode="json"))) < 25_000
    assert len(stored.calls) <= LIMITS.suspensions + 4


async def test_after_a_program_that_was_stopped_the_next_one_runs(under_test: tuple[ChatUnderTest, Script]) -> None:
    made, script = under_test
    script.steps[:] = [
        *LOOKED,
        Calls([("run_python", {"code": HARMLESS_ENDS["fills a list"]})]),
        Calls([("run_python", {"code": "1 + 1"})]),
        "Two.",
    ]
    first = await made.say("list")

    outcome = await made.say("count", conversation_id=first.conversation_id)

    results: list[Any] = [m.results[0] for one in outcome.reply.iterations for m in one.messages if m.results]
    assert [result.outcome for result in results] == ["failed", "success"]
    assert results[1].content["result"] == 2
