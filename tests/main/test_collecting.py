"""Looking for garbage seldom, in a process of its own: it would be so for all other tests."""

import json
import subprocess
import sys

_SERVING = """
import gc, json
from workflow_agent.main.garbage import collect_seldom
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
