"""Results that may be used again: of the same tool, version and arguments in the same study."""

from collections import OrderedDict
from typing import Protocol

from agents.core.canonical import digest_of
from agents.core.study import StudyProtocol
from agents.core.tools import Action, ToolResult, ToolSpec

MOST_RESULTS = 256
_OF_THE_STUDY = {"study_id", "documents", "datasets", "space", "objectives", "constraints", "outside"}
"""What of a study its tools depend on; who proposes, within which budget and under which policy they do not."""


class KeptResults(Protocol):
    """Where results are kept; whoever keeps them bounds how many."""

    async def get(self, key: str) -> ToolResult | None:
        """Return the result under ``key``, or None."""

    async def put(self, key: str, result: ToolResult) -> None:
        """Keep ``result`` under ``key``."""


class ResultCache:
    """Keeps the last ``most`` results in memory, for toolboxes without a store."""

    def __init__(self, most: int = MOST_RESULTS) -> None:
        self._most = most
        self._results: OrderedDict[str, ToolResult] = OrderedDict()

    async def get(self, key: str) -> ToolResult | None:
        """Return the result under ``key``, or None."""
        found = self._results.get(key)
        if found is not None:
            self._results.move_to_end(key)
        return found

    async def put(self, key: str, result: ToolResult) -> None:
        """Keep ``result``; the one that was not used for longest goes when there are too many."""
        self._results[key] = result
        while len(self._results) > self._most:
            self._results.popitem(last=False)


def may_be_kept(spec: ToolSpec) -> bool:
    """Return True when a result may answer the same call again; a measurement repeated is a measurement made."""
    return spec.cacheable and not spec.is_experiment


def again(result: ToolResult) -> ToolResult:
    """Return a kept result as that of another call: marked as cached, it costs nothing and takes no time."""
    return result.model_copy(update={"cached": True, "duration_s": 0.0, "cost": 0.0})


def scope_of(protocol: StudyProtocol) -> str:
    """Return what names the study as it stands for its tools: when that changes, nothing kept is used."""
    return digest_of(protocol.model_dump(mode="json", include=_OF_THE_STUDY))


def result_key(scope: str, spec: ToolSpec, action: Action) -> str:
    """Return the key of a call: by scope, tool, version and canonical arguments."""
    return digest_of([scope, spec.name, spec.version, action.arguments])
