"""The one setting behind which embeddings are chosen."""

from agents.adapters.embeddings.base import Embedder
from agents.adapters.embeddings.endpoint import EndpointEmbedder
from agents.adapters.embeddings.hybrid import HybridEmbedder
from agents.adapters.embeddings.offline import OfflineEmbedder
from agents.core.errors import NotConfigured

OFFLINE_WORDS = 0.6
"""The small offline model knows few words of the laboratory. Chosen on the tuning questions of
``benchmarks/retrieval.py``."""


def embedder_for(model: str = "", *, api_key: str = "", base_url: str = "") -> Embedder:
    """Return the embedder for the setting ``EMBEDDINGS_MODEL``: empty or ``offline`` needs no network, any
    other name is asked from the OpenAI-compatible endpoint. Loads no weights and opens no connection.

    Raises ``NotConfigured`` when a model is named and neither key nor address of an endpoint is set.
    """
    if model in ("", "offline"):
        return HybridEmbedder(OfflineEmbedder(), word_share=OFFLINE_WORDS)
    if not api_key and not base_url:
        raise NotConfigured(
            f"EMBEDDINGS_MODEL is {model!r} and needs OPENAI_API_KEY, or OPENAI_BASE_URL of a local server; "
            "leave EMBEDDINGS_MODEL empty for the offline model"
        )
    return HybridEmbedder(EndpointEmbedder(model=model, api_key=api_key, base_url=base_url))
