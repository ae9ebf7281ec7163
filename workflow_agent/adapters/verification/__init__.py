"""Looking over a data directory: everything is parsed and checked, and nothing is touched by that."""

from workflow_agent.adapters.verification.findings import Finding
from workflow_agent.adapters.verification.looking import repair, verify

__all__ = ["Finding", "repair", "verify"]
