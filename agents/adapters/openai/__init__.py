"""The parts of the chat client; ``agents.adapters.openai_chat`` puts them together."""
