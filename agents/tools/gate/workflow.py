"""The workflow gate: a list of actions checked as a whole before any runs, and each once more before it runs."""

import copy
from collections.abc import Mapping
from typing import Any

from agents.core.errors import BadInput
from agents.core.tools import Action, CheckedAction
from agents.core.workflow import (
    WORKFLOW,
    Item,
    Path,
    Reference,
    items_of,
    put_at,
    reference_of,
    references_in,
    value_at,
    workflow_of,
)
from agents.tools.gate.check import check_action, check_value, find_tool
from agents.tools.gate.fitting import NoField, in_unit, misfit, schema_at
from agents.tools.gate.notes import Notes, Schema
from agents.tools.tool import Tool


def check_workflow(action: Action, tools: Mapping[str, Tool]) -> CheckedAction:
    """Return the workflow with typed arguments and every coercion, or raise ``BadInput`` with all problems.

    References must lead to an earlier step, to something that it gives, of a type and unit that fits. The
    field of a problem begins with the number of its step, as in ``2.smiles``.
    """
    checked: list[Item] = []
    problems: list[dict[str, Any]] = []
    coercions: list[dict[str, Any]] = []
    for item in items_of(action):
        try:
            found = _check_item(item, checked, tools)
        except BadInput as fault:
            problems += [_at_step(item.step, problem) for problem in _problems(fault)]
            # Later steps may refer to it: one mistake is told once.
            checked.append(item)
            continue
        coercions += [{**change, "field": f"{item.step}.{change['field']}"} for change in found.coercions]
        checked.append(
            item.model_copy(update={"tool": found.action.tool, "arguments": found.action.arguments})
        )
    if problems:
        raise BadInput("; ".join(problem["message"] for problem in problems), problems)
    return CheckedAction(action=workflow_of(checked), coercions=coercions)


def resolve_item(
    item: Item, results: Mapping[int, tuple[str, Any]], tools: Mapping[str, Tool]
) -> CheckedAction:
    """Return the action of ``item`` with references replaced by what ``results`` holds, checked by the gate.

    ``results`` maps a step to its tool and data. Values are converted to the unit of the field that they go
    to. Raises ``BadInput`` when a value is missing or does not pass.
    """
    wanted = find_tool(item.tool, tools).spec.input_schema
    arguments = copy.deepcopy(item.arguments)
    for reference in references_in(item.arguments):
        tool, data = results[reference.step]
        try:
            value = value_at(data, reference.path)
        except LookupError:
            raise _refusal(reference, f"step {reference.step} gave nothing there") from None
        given = schema_at(find_tool(tool, tools).spec.output_schema, reference.path)
        put_at(arguments, reference.place, in_unit(value, given, schema_at(wanted, reference.place)))
    return check_action(Action(tool=item.tool, arguments=arguments), tools)


def _check_item(item: Item, before: list[Item], tools: Mapping[str, Tool]) -> CheckedAction:
    notes = Notes()
    tool = find_tool(item.tool, tools, notes) if item.tool != WORKFLOW else _refuse_tool(item.tool)
    references = list(references_in(item.arguments))
    if tool.spec.executor != "machine":
        who = "a person" if tool.spec.executor == "person" else "an instrument that reports later"
        raise _fault("tool", f"{tool.spec.name} is done by {who}: propose it by itself")
    if references and tool.spec.is_experiment:
        named = ", ".join(reference.text for reference in references)
        raise _fault(
            _named(references[0].place), f"the conditions of an experiment are stated, not taken from {named}"
        )
    for reference in references:
        _check_reference(reference, before, tool, tools)
    if not references:
        found = check_action(Action(tool=tool.spec.name, arguments=item.arguments), tools)
        return found.model_copy(update={"coercions": [*notes.coercions, *found.coercions]})
    rest, schema = _without(item.arguments, tool.spec.input_schema)
    arguments, coercions = check_value(rest, schema, what=f"arguments of {tool.spec.name}")
    whole = _with(arguments, item.arguments)
    return CheckedAction(
        action=Action(tool=tool.spec.name, arguments=whole), coercions=[*notes.coercions, *coercions]
    )


def _check_reference(reference: Reference, before: list[Item], tool: Tool, tools: Mapping[str, Tool]) -> None:
    source = next((item for item in before if item.step == reference.step), None)
    if source is None:
        known = ", ".join(f"${item.step}" for item in before) or "none, it is the first"
        raise _refusal(reference, f"there is no step {reference.step} before it; earlier steps are: {known}")
    if source.tool not in tools:
        return  # told at the step itself
    given = tools[source.tool].spec
    try:
        wanted = schema_at(tool.spec.input_schema, reference.place)
    except NoField:
        return  # told as a field that does not exist
    try:
        found = schema_at(given.output_schema, reference.path)
    except NoField as missing:
        raise _refusal(reference, f"{given.name} gives nothing there; {missing}") from None
    problem = misfit(found, wanted)
    if problem:
        raise _refusal(reference, problem)


def _without(value: Any, schema: Schema) -> tuple[Any, Schema]:
    """Return ``value`` without its references, and the schema that the rest must fit."""
    if isinstance(value, dict):
        fields = dict(schema.get("properties") or {})
        required = list(schema.get("required") or [])
        rest: dict[str, Any] = {}
        for name, inner in value.items():
            if reference_of(inner) is not None and name in fields:
                del fields[name]
                required = [one for one in required if one != name]
            elif reference_of(inner) is None and name in fields:
                rest[name], fields[name] = _without(inner, fields[name])
            else:
                rest[name] = inner
        return rest, {**schema, "properties": fields, "required": required}
    if isinstance(value, list):
        kept = [item for item in value if not list(references_in(item))]
        gone = len(value) - len(kept)
        bounds: Schema = {
            name: max(0, schema[name] - gone) for name in ("minItems", "maxItems") if gone and name in schema
        }
        return kept, {**schema, **bounds}
    return value, schema


def _with(rest: Any, given: Any) -> Any:
    """Return ``rest`` with the references of ``given`` where they stood."""
    if isinstance(given, dict) and isinstance(rest, dict):
        put = {name: inner for name, inner in given.items() if reference_of(inner) is not None}
        deeper = {name: _with(inner, given[name]) for name, inner in rest.items() if name in given}
        return {**rest, **deeper, **put}
    if isinstance(given, list) and isinstance(rest, list):
        checked = iter(rest)
        return [item if list(references_in(item)) else next(checked) for item in given]
    return rest


def _named(place: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).lstrip(".")


def _refuse_tool(name: str) -> Tool:
    raise _fault("tool", f"a {name} cannot be a step of another one: list its actions")


def _refusal(reference: Reference, problem: str) -> BadInput:
    return _fault(_named(reference.place), f"{reference.text}: {problem}", received=reference.text)


def _fault(field: str, problem: str, received: Any = None) -> BadInput:
    message = f"field {field}: {problem}"
    return BadInput(
        message, [{"field": field, "expected": problem, "received": received, "message": message}]
    )


def _problems(fault: BadInput) -> list[dict[str, Any]]:
    return fault.problems or [{"field": "", "expected": "", "received": None, "message": str(fault)}]


def _at_step(step: int, problem: dict[str, Any]) -> dict[str, Any]:
    return {
        **problem,
        "field": f"{step}.{problem['field']}".rstrip("."),
        "message": f"step {step}: {problem['message']}",
        "step": step,
    }
