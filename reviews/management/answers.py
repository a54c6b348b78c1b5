"""What is typed after ``review edit`` and ``review answer``, as the fields of a decision."""

import json
from typing import Any

from agents.core.errors import BadInput
from agents.core.proposal import Proposal
from agents.core.tools import Action
from agents.core.workflow import is_workflow, items_of
from agents.models import Gate
from reviews.bench.notation import measured


def pairs(given: list[str], *, flag: str) -> dict[str, str]:
    """Return ``name=value`` texts by name. Raises ``BadInput`` for one without ``=``."""
    found = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not mark or not name.strip():
            raise BadInput(f"{flag} {text!r}: write {flag} NAME=VALUE.")
        found[name.strip()] = value.strip()
    return found


def edit_fields(
    gate: Gate,
    *,
    changes: list[str],
    hypothesis: str,
    refuted_by: str,
    is_replicate: bool,
    leave_out: list[int],
) -> dict[str, Any]:
    """Return an edit of the proposal at ``gate``: values as typed, since the schema gate reads them.

    In a list a change names its step, as in ``2.smiles=CCO``, and ``leave_out`` the steps that do not run.

    Raises ``BadInput`` when nothing would change or the gate is not about a proposal.
    """
    content = gate.request["content"].get("proposal")
    if content is None:
        raise BadInput(f"A {gate.kind} review has no proposal to edit; see `review show` for what it takes.")
    if not (changes or hypothesis or refuted_by or is_replicate or leave_out):
        raise BadInput(
            "Nothing to edit: give --set NAME=VALUE, --leave-out STEP, --hypothesis TEXT, --refuted-by TEXT "
            "or --replicate."
        )
    proposal = Proposal.model_validate(content)
    fields: dict[str, Any] = {"arguments": _edited(proposal.action, pairs(changes, flag="--set"), leave_out)}
    if hypothesis:
        fields["hypothesis"] = {**proposal.hypothesis.model_dump(), "text": hypothesis, "confidence": None}
    if refuted_by:
        stated = fields.get("hypothesis") or proposal.hypothesis.model_dump()
        fields["hypothesis"] = {**stated, "refuted_by": refuted_by}
    if is_replicate:
        fields["is_replicate"] = True
    return fields


def _edited(action: Action, changes: dict[str, str], leave_out: list[int]) -> dict[str, Any]:
    if not is_workflow(action):
        if leave_out:
            raise BadInput("--leave-out names a step of a list; this proposal is a single action.")
        return {**action.arguments, **changes}
    items = {item.step: item.model_dump(mode="json") for item in items_of(action)}
    for name, value in changes.items():
        step, dot, field = name.partition(".")
        if not dot or not step.isdigit() or int(step) not in items:
            known = ", ".join(str(each) for each in items)
            raise BadInput(
                f"--set {name!r}: name a step of the list, as in 1.FIELD=VALUE; the steps are {known}."
            )
        items[int(step)]["arguments"][field] = value
    unknown = [step for step in leave_out if step not in items]
    if unknown:
        raise BadInput(f"--leave-out {unknown[0]}: the list has no such step.")
    return {"items": [item for step, item in items.items() if step not in leave_out]}


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
