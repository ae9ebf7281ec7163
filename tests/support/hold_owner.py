"""A process that is alive: `python -m tests.support.hold_owner <data> <owner> [<conversation> ...]`.

It notes the conversations, says so, and waits until its input ends.
"""

import sys
from pathlib import Path

from workflow_agent.storage.files.owners import ProcessOwners

if __name__ == "__main__":
    owners = ProcessOwners(Path(sys.argv[1]), sys.argv[2])
    for conversation_id in sys.argv[3:]:
        owners.note("acme", conversation_id)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    owners.close()
