"""Which collections hold which findings.

Chroma filters slowly (a filter by study over 100,000 findings took 205 ms, a search without one 8 ms), so the
scope is the collection: one for each study, one for all studies, each apart for facts and for vetoed ideas.
"""

import re
from typing import TYPE_CHECKING, Any

from agents.adapters.chroma.function import embedding_function
from agents.adapters.embeddings.base import Embedder
from agents.core.canonical import digest_of

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

STATUSES = ("active", "vetoed")
"""What is indexed. A vetoed idea is negative knowledge and never found among the facts."""
OURS = "daybook-"
_HNSW: Any = {"space": "cosine", "max_neighbors": 32, "ef_construction": 200, "ef_search": 800}


class Collections:
    """Opens collections by scope and keeps them open. Names carry the model and the dimension of its vectors."""

    def __init__(self, client: "ClientAPI", embedder: Embedder) -> None:
        self.client = client
        self._function = embedding_function(embedder)
        plain = re.sub(r"[^A-Za-z0-9]+", "-", embedder.name).strip("-")[:40]
        self._model = f"{plain}-{embedder.dimension}-{digest_of(embedder.name)[:6]}"
        self._open: dict[str, Collection] = {}

    def everything(self, status: str) -> "Collection":
        """Return the collection of all studies."""
        return self._get_or_create(f"{OURS}all-{self._model}-{status}")

    def of_study(self, study_id: str, status: str) -> "Collection":
        """Return the collection of one study."""
        return self._get_or_create(self._name(study_id, status))

    def existing(self, study_id: str, status: str) -> "Collection | None":
        """Return the collection of one study, or None when it has no finding yet."""
        from chromadb.errors import NotFoundError

        name = self._name(study_id, status)
        if name not in self._open:
            try:
                self._open[name] = self.client.get_collection(name, embedding_function=self._function)
            except NotFoundError:
                return None
        return self._open[name]

    def embed(self, texts: list[str]) -> Any:
        """Return the vectors of ``texts``."""
        return self._function(texts)

    def drop_all(self) -> None:
        """Delete every collection of ours, of whichever model."""
        self._open.clear()
        while True:
            names = [item.name for item in self.client.list_collections(limit=1000)]
            ours = [name for name in names if name.startswith(OURS)]
            for name in ours:
                self.client.delete_collection(name)
            if not ours:
                return

    def _name(self, study_id: str, status: str) -> str:
        return f"{OURS}study-{digest_of(study_id)[:24]}-{self._model}-{status}"

    def _get_or_create(self, name: str) -> "Collection":
        if name not in self._open:
            self._open[name] = self.client.get_or_create_collection(
                name, embedding_function=self._function, configuration={"hnsw": _HNSW}
            )
        return self._open[name]
