"""Tools from outside: MCP servers, OpenAPI documents and instruments that call back, behind the same gate."""
