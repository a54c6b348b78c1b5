"""Schema faults as problems that name field, expectation and what was received."""

from functools import lru_cache
from typing import Any

from agents.core.canonical import canonical_json
from agents.tools.gate.notes import Notes, Schema, is_finite, nearest, shown
from agents.tools.gate.words import expectation

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 40


def size_problem(value: Any) -> str:
    """Return why ``value`` is too deep or too large to look at, or an empty text."""
    if _depth(value) > MAX_DEPTH:
        return f"the value is nested deeper than {MAX_DEPTH} levels"
    if _characters(value) > MAX_CHARACTERS:
        return f"the value is longer than {MAX_CHARACTERS:,} characters"
    return ""


def validate(value: Any, schema: Schema, *, notes: Notes, field: str = "") -> None:
    """Note every fault of ``value`` against ``schema`` and every number that is not finite.

    ``value`` must have passed ``size_problem``. At most 20 faults are noted.
    """
    before = len(notes.problems)
    for name, number in _not_finite(value, field):
        _refuse(notes, name, "a finite number", number)
    if len(notes.problems) > before:
        return
    for error in sorted(_validator(canonical_json(schema)).iter_errors(value), key=_order)[:20]:
        _translate(error, notes, field)


def is_valid(value: Any, schema: Schema) -> bool:
    """Return True when ``value`` fits ``schema`` and holds only finite numbers."""
    notes = Notes()
    validate(value, schema, notes=notes)
    return not notes.problems


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    import json

    from jsonschema import Draft202012Validator, FormatChecker
    from referencing import Registry

    checker = FormatChecker(formats=())
    checker.checks("smiles")(_is_smiles)
    # An empty registry: a reference that leads outside is an error, never a download.
    return Draft202012Validator(json.loads(schema), format_checker=checker, registry=Registry())


def _is_smiles(value: Any) -> bool:
    from agents.tools.smiles import is_smiles

    return not isinstance(value, str) or is_smiles(value)


def _order(error: Any) -> str:
    return "/".join(str(part) for part in error.absolute_path)


def _translate(error: Any, notes: Notes, root: str) -> None:
    name = _name(error.absolute_path, root)
    if error.validator == "required":
        for missing in error.validator_value:
            if missing not in error.instance:
                _missing(error, missing, name, notes)
        return
    expected = expectation(error.schema)
    hint = ""
    if error.validator == "enum" and isinstance(error.instance, str):
        close = nearest(error.instance, [str(level) for level in error.validator_value])
        hint = f"; did you mean {close}?" if close else ""
    _refuse(notes, name, expected, error.instance, hint)


def _missing(error: Any, missing: str, parent: str, notes: Notes) -> None:
    name = f"{parent}.{missing}" if parent else missing
    if any(problem["field"] == name for problem in notes.problems):
        return
    expected = expectation((error.schema.get("properties") or {}).get(missing, {}))
    notes.refuse(
        name, expected=expected, received=None, message=f"field {name} is missing: expected {expected}"
    )


def _refuse(notes: Notes, name: str, expected: str, received: Any, hint: str = "") -> None:
    if any(problem["field"] == name for problem in notes.problems):
        return
    where = f"field {name}: " if name else ""
    message = f"{where}expected {expected}, received {shown(received)}{hint}"
    notes.refuse(name, expected=expected, received=received, message=message)


def _name(path: Any, root: str) -> str:
    name = root
    for part in path:
        step = f"[{part}]" if isinstance(part, int) else f".{part}"
        name = (name + step).removeprefix(".")
    return name


def _not_finite(value: Any, field: str) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [hit for key, item in value.items() for hit in _not_finite(item, _name([str(key)], field))]
    if isinstance(value, list | tuple):
        return [hit for i, item in enumerate(value) for hit in _not_finite(item, _name([i], field))]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return [(field, value)] if is_number and not is_finite(value) else []


def _depth(value: Any) -> int:
    """Return how deep ``value`` nests, counting no further than one past the limit."""
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH:
        inner = [item for node in level for item in _children(node)]
        level, depth = inner, depth + 1
    return depth


def _characters(value: Any) -> int:
    """Return about how many characters ``value`` takes, counting no further than the limit."""
    total, waiting = 0, [value]
    while waiting and total <= MAX_CHARACTERS:
        node = waiting.pop()
        total += len(node) if isinstance(node, str) else 4
        waiting.extend(_children(node))
    return total


def _children(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return [*node.keys(), *node.values()]
    return list(node) if isinstance(node, list | tuple) else []
