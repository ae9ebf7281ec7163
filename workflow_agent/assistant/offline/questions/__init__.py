"""Questions about one workflow: read by an encoder, answered from the graph."""
