"""Raw replies for tests that need no server."""

import json

from agents.core.model import ModelReply
from agents.core.ports import ModelUsage


def said(text="", **changes):
    usage = ModelUsage(role="reason", model="m")
    return ModelReply(**{"text": text, "finish": "stop", "usage": usage, **changes})


def said_json(value):
    return said(json.dumps(value, ensure_ascii=False))
