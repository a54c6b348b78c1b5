"""Measurements as people write them in a notebook."""

import re
from typing import Any

_SPREAD = re.compile(r"(?P<value>[^±]+?)\s*(?:±|\+/-|\+-)\s*(?P<spread>[-+.\deE]+)\s*(?P<unit>\D.*)?")
_LIMITS = {"<": "below_detection", ">": "above_detection"}


def measured(text: str) -> Any:
    """Return ``71.2``, ``71.2 %``, ``71.2±0.8 %``, ``<0.5`` or a status as a measurement."""
    if text[:1] in _LIMITS:
        return {"value": text[1:].strip(), "status": _LIMITS[text[0]]}
    match = _SPREAD.fullmatch(text)
    if match is None:
        return text
    unit = {"unit": match["unit"].strip()} if match["unit"] else {}
    return {"value": match["value"], "uncertainty": match["spread"], **unit}
