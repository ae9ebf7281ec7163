"""Documents of other programs, read as text."""

from workflow_agent.adapters.documents.reading import DocumentLimits, read_document

__all__ = ["DocumentLimits", "read_document"]
