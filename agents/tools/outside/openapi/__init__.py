"""OpenAPI documents as sources of tools: each operation is one."""
