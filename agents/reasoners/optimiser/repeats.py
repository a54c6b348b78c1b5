"""Which candidates would repeat something: the same rule as the ledger gate, for a whole pool at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents.core.ledger import REPEAT_SHARE
from agents.core.science import Conditions
from agents.reasoners.optimiser.encoding import places
from agents.reasoners.optimiser.pool import Pool


def repeated(pool: Pool, taken: Sequence[Conditions]) -> NDArray[np.bool_]:
    """Return which candidates are the same as one of ``taken``, numbers within the ledger's tolerance."""
    found = np.zeros(len(pool), dtype=bool)
    if not taken or not len(pool):
        return found
    parameters = pool.encoding.space.parameters
    spots = np.column_stack([places(p, [conditions[p.name] for conditions in taken]) for p in parameters])
    gaps = pool.tree.query_ball_point(spots, r=REPEAT_SHARE * (1 + 1e-6), p=np.inf)
    for close in gaps:
        found[close] = True
    return found
