"""One spelling for every JSON value, so that equal values have equal digests."""

import hashlib
import json
from decimal import Decimal
from typing import Any

JSON = Any
"""A plain JSON value: None, bool, int, float, str, list or dict with string keys."""

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: JSON) -> str:
    """Return ``value`` as JSON with sorted keys and no spaces.

    Numbers that are equal are spelt alike: 1.0 as 1, 1e16 as 10000000000000000. PostgreSQL returns them so,
    and a digest must survive the way through a database. Raises ``ValueError`` for NaN and infinity, which have no JSON spelling, and ``TypeError``
    for values that are not plain JSON.
    """
    text = _ENCODER.encode(value)
    # A whole number that is a float is written with one of these. Most values hold none and are spelt already.
    return _ENCODER.encode(_spelt(value)) if ".0" in text or "e+" in text else text


def check_json(value: JSON) -> None:
    """Raise as ``canonical_json`` does for what has no spelling."""
    _ENCODER.encode(value)


def digest_of(value: JSON) -> str:
    """Return the SHA-256 of the canonical JSON of ``value`` as 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def _spelt(value: JSON) -> JSON:
    if isinstance(value, float):
        # By its decimal spelling, not its exact binary value: 1e23 is not 99999999999999991611392.
        return int(Decimal(repr(value))) if value.is_integer() else value
    if isinstance(value, dict):
        return {name: _spelt(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_spelt(item) for item in value]
    return value
