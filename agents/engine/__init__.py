"""The agent graph: LangGraph lives here and in the saver only. Runs without Django."""
