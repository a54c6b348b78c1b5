"""MCP servers as sources of tools: a process of our own, or an address."""
