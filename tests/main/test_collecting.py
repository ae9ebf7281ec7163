"""Looking for garbage seldom, in a process of its own: it would be so for all other tests."""

import json
import platform
import subprocess
import sys

import pytest

_SERVING = """
import gc, json
from workflow_agent.main.process import collect_seldom
before = gc.get_threshold()[0]
collect_seldom()
kept = len(gc.get_objects())
print(json.dumps([before, gc.get_threshold()[0], gc.get_freeze_count() > 0, gc.isenabled(), kept]))
"""


def test_a_process_that_serves_leaves_out_what_there_is_and_looks_seldom() -> None:
    told = subprocess.run([sys.executable, "-c", _SERVING], capture_output=True, text=True, check=True).stdout
    before, after, is_frozen, is_on, kept = json.loads(told)

    assert after > 10 * before
    assert (is_frozen, is_on) == (True, True)
    assert kept < before


_HOLES = """
import gc
from pathlib import Path
from workflow_agent.main.process import collect_seldom

def resident_kb():
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])

collect_seldom()
blocks = [bytes(4_096) for _ in range(16_384)]
kept = blocks[::16]
del blocks
full = resident_kb()
gc.collect()
print(full - resident_kb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is free between the used")
def test_memory_that_is_free_between_what_is_used_goes_back_to_the_system() -> None:
    told = subprocess.run([sys.executable, "-c", _HOLES], capture_output=True, text=True, check=True).stdout

    assert int(told) > 32 * 1_024
