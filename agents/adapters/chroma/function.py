"""Our embeddings as Chroma knows them: registered, so that a collection says which model made it."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from agents.adapters.embeddings.base import Embedder
from agents.adapters.embeddings.choose import embedder_for

if TYPE_CHECKING:
    from chromadb.api.types import EmbeddingFunction

REGISTERED_AS = "daybook"


def embedding_function(embedder: Embedder) -> "EmbeddingFunction[Any]":
    """Return ``embedder`` as Chroma's ``EmbeddingFunction``."""
    made: EmbeddingFunction[Any] = _registered()(embedder)
    return made


@cache
def _registered() -> Any:
    from chromadb.api.types import EmbeddingFunction
    from chromadb.utils.embedding_functions import register_embedding_function

    class DaybookEmbeddings(EmbeddingFunction[Any]):
        """Calls an ``Embedder``; its name and dimension are kept with the collection."""

        def __init__(self, embedder: Embedder) -> None:
            self.embedder = embedder

        def __call__(self, input: Sequence[str]) -> Any:
            import numpy as np

            return [np.asarray(vector, dtype=np.float32) for vector in self.embedder.embed(input)]

        @staticmethod
        def name() -> str:
            return REGISTERED_AS

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> "DaybookEmbeddings":
            # For clients that name no function: they read any collection, and search those of the offline model.
            return DaybookEmbeddings(embedder_for())

        def get_config(self) -> dict[str, Any]:
            return {"model": self.embedder.name, "dimension": self.embedder.dimension}

        def default_space(self) -> Any:
            return "cosine"

    register: Any = register_embedding_function
    register(DaybookEmbeddings)
    return DaybookEmbeddings
