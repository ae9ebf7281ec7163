"""From a description in words to the draft of a workflow."""
