"""Results that may be used again: of the same tool, version and arguments in the same study."""

import threading
from collections import OrderedDict

from agents.core.canonical import digest_of
from agents.core.tools import Action, ToolResult, ToolSpec

MOST_RESULTS = 256


class ResultCache:
    """The last ``most`` results; may be shared by threads and by the toolboxes of a process."""

    def __init__(self, most: int = MOST_RESULTS) -> None:
        self._most = most
        self._results: OrderedDict[str, ToolResult] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> ToolResult | None:
        """Return the result under ``key``, marked as cached, which costs nothing and takes no time."""
        with self._lock:
            found = self._results.get(key)
            if found is None:
                return None
            self._results.move_to_end(key)
        return found.model_copy(update={"cached": True, "duration_s": 0.0, "cost": 0.0})

    def put(self, key: str, result: ToolResult) -> None:
        """Keep ``result``; the one that was not used for longest goes when there are too many."""
        with self._lock:
            self._results[key] = result
            while len(self._results) > self._most:
                self._results.popitem(last=False)


def result_key(scope: str, spec: ToolSpec, action: Action) -> str:
    """Return the key of a call. ``scope`` names the study as it stands: its own tools depend on it."""
    return digest_of([scope, spec.name, spec.version, action.arguments])
