"""The memory operations of a reply: those that make sense are kept, each other is named."""

from collections.abc import Sequence
from typing import Any

from agents.core.findings import Finding
from agents.core.proposal import MemoryOperation
from agents.reasoners.language_model.readings import Notes, rounds_of, share_of, shown, text_of
from agents.reasoners.language_model.replies.strict import unwrapped

OPERATIONS = ("add", "support", "revise", "contradict", "retire")
"""What a turn may do; a milestone review does more."""
LONGEST = 600
"""Characters of a finding; a longer one is no distilled claim."""


def read_memory(
    value: Any, *, findings: Sequence[Finding], newest: int, notes: Notes
) -> tuple[list[MemoryOperation], list[str]]:
    """Return the operations and a sentence for each one that cannot be used. ``newest`` is the last round."""
    value = unwrapped(value) if isinstance(value, str) else value
    if value is None or value == "":
        return [], []
    items = value if isinstance(value, list) else [value]
    known = {finding.id.casefold(): finding.id for finding in findings}
    operations: list[MemoryOperation] = []
    problems: list[str] = []
    for item in items:
        found = _operation(unwrapped(item), known, newest, notes)
        if isinstance(found, str):
            problems.append(found)
        elif found is not None:
            operations.append(found)
    return operations, problems


def _operation(item: Any, known: dict[str, str], newest: int, notes: Notes) -> MemoryOperation | str | None:
    if not isinstance(item, dict):
        return f"memory: expected an object, received {shown(item)}"
    op = str(item.get("op", "")).strip().lower()
    text, name = text_of(item.get("text")), str(item.get("finding") or "").strip()
    if not (op or text or name):
        return None
    if op not in OPERATIONS:
        return f"memory op: expected one of {', '.join(OPERATIONS)}, received {shown(item.get('op'))}"
    if op in ("add", "revise") and not text:
        return f"memory: {op} needs a text"
    if op != "add" and name.casefold() not in known:
        return f"memory: there is no finding {name or '(none)'}; there are: {', '.join(known.values()) or 'none'}"
    return MemoryOperation.model_validate(
        {
            "op": op,
            "finding": known.get(name.casefold(), ""),
            "text": text[:LONGEST],
            "reason": text_of(item.get("reason"))[:LONGEST],
            "confidence": share_of(item.get("confidence"), "confidence", notes),
            "evidence": rounds_of(item.get("evidence"), newest),
        }
    )
