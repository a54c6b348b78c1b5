"""From a raw reply to an object that may be trusted to be what the model wrote.

``scan`` finds objects in text, ``strict`` reads JSON without indulgence, ``mend`` repairs commas, quotes and
literals and proves that it changed nothing else, ``extract`` puts them in order.
"""

from agents.reasoners.language_model.replies.extract import Candidate, candidates
from agents.reasoners.language_model.replies.faults import Unusable

__all__ = ["Candidate", "Unusable", "candidates"]
