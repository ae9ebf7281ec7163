"""`evidence`: how the model's programs used the call history."""

import json

import typer

from workflow_agent.cli.options import AsJson, DataDir, chosen_settings
from workflow_agent.conversations.history_evidence import history_evidence
from workflow_agent.storage.files.journal import call_histories


def evidence(data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Report how often, and how, programs of the model used the call history.

    Reads the conversations below the data directory; changes nothing.

    Examples:

      workflow-agent evidence

      workflow-agent evidence --data-dir ~/workflows --json
    """
    found = history_evidence(call_histories(chosen_settings(data_dir=data_dir).data_dir)).as_dict()
    if as_json:
        typer.echo(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        shown = value if isinstance(value, int) else json.dumps(value)
        typer.echo(f"{name.replace('_', ' ')}: {shown}")
