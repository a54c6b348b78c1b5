"""The engine and its persistence: no views, no templates."""

import os

# LangGraph reads it when first imported: from then on it builds no foreign type out of a checkpoint.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
