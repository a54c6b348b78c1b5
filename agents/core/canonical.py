"""One spelling for every JSON value, so that equal values have equal digests."""

import hashlib
import json
from typing import Any

JSON = Any
"""A plain JSON value: None, bool, int, float, str, list or dict with string keys."""


def canonical_json(value: JSON) -> str:
    """Return ``value`` as JSON with sorted keys and no spaces.

    Raises ``ValueError`` for NaN and infinity, which have no JSON spelling, and ``TypeError``
    for values that are not plain JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: JSON) -> str:
    """Return the SHA-256 of the canonical JSON of ``value`` as 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
