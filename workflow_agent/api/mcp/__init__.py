"""The service for MCP clients: tools and resources for workflows, the assistant, prompts by mode."""
