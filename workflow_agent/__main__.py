"""`python -m workflow_agent`: the same as the command `workflow-agent`."""

from workflow_agent.main import run

if __name__ == "__main__":
    run()
