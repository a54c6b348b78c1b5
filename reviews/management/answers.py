"""What is typed after ``review edit`` and ``review answer``, as the fields of a decision."""

import json
import re
from typing import Any

from agents.core.errors import BadInput
from agents.core.proposal import Proposal
from agents.models import Gate

_SPREAD = re.compile(r"(?P<value>[^±]+?)\s*(?:±|\+/-|\+-)\s*(?P<spread>[-+.\deE]+)\s*(?P<unit>\D.*)?")
_LIMITS = {"<": "below_detection", ">": "above_detection"}


def pairs(given: list[str], *, flag: str) -> dict[str, str]:
    """Return ``name=value`` texts by name. Raises ``BadInput`` for one without ``=``."""
    found = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise BadInput(f"{flag} {text!r}: write {flag} NAME=VALUE.")
        found[name.strip()] = value.strip()
    return found


def edit_fields(gate: Gate, *, changes: list[str], hypothesis: str, is_replicate: bool) -> dict[str, Any]:
    """Return an edit of the proposal at ``gate``: values as typed, since the schema gate reads them.

    Raises ``BadInput`` when nothing would change or the gate is not about a proposal.
    """
    content = gate.request["content"].get("proposal")
    if content is None:
        raise BadInput(f"A {gate.kind} review has no proposal to edit; see `review show` for what it takes.")
    if not (changes or hypothesis or is_replicate):
        raise BadInput("Nothing to edit: give --set NAME=VALUE, --hypothesis TEXT or --replicate.")
    proposal = Proposal.model_validate(content)
    fields: dict[str, Any] = {"arguments": {**proposal.action.arguments, **pairs(changes, flag="--set")}}
    if hypothesis:
        fields["hypothesis"] = {**proposal.hypothesis.model_dump(), "text": hypothesis, "confidence": None}
    if is_replicate:
        fields["is_replicate"] = True
    return fields


def result_of(
    *, values: list[str], status: str, actual: list[str], operator: str, instrument: str, extra: str
) -> dict[str, Any]:
    """Return a result as the tool's own check reads it. ``extra`` is a JSON object with whatever else it has."""
    result: dict[str, Any] = _json_object(extra)
    named = {"status": status, "operator": operator, "instrument": instrument}
    result |= {name: value for name, value in named.items() if value}
    if actual:
        result["actual"] = pairs(actual, flag="--set")
    if values:
        result["measurements"] = {
            name: measured(text) for name, text in pairs(values, flag="--value").items()
        }
    if not result:
        raise BadInput("Nothing to enter: give --value OBJECTIVE=NUMBER, --status, or --result JSON.")
    return result


def measured(text: str) -> Any:
    """Return ``71.2``, ``71.2 %``, ``71.2±0.8 %``, ``<0.5`` or a status as a measurement."""
    if text[:1] in _LIMITS:
        return {"value": text[1:].strip(), "status": _LIMITS[text[0]]}
    match = _SPREAD.fullmatch(text)
    if match is None:
        return text
    unit = {"unit": match["unit"].strip()} if match["unit"] else {}
    return {"value": match["value"], "uncertainty": match["spread"], **unit}


def _json_object(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except ValueError as fault:
        raise BadInput(f"--result is not JSON: {fault}.") from None
    if not isinstance(value, dict):
        raise BadInput(f"--result holds a {type(value).__name__}; an object with named values is expected.")
    return value
