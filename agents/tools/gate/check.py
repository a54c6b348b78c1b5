"""The gate's three doors: an action before it runs, a result before it counts, any value against a schema."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from agents.core.canonical import canonical_json
from agents.core.errors import BadInput
from agents.core.names import listed
from agents.core.tools import Action, CheckedAction
from agents.tools.gate.coerce import coerce
from agents.tools.gate.notes import Notes, Schema, nearest, same_name, shown
from agents.tools.gate.validate import size_problem, validate
from agents.tools.tool import Tool


def check_action(action: Action, tools: Mapping[str, Tool]) -> CheckedAction:
    """Return ``action`` with typed arguments and the coercions that were made.

    Raises ``BadInput`` whose problems name field, expectation and what was received; for an unknown tool
    they list the tools and the nearest name. A person's edit passes the same door.
    """
    notes = Notes()
    tool = find_tool(action.tool, tools, notes)
    arguments = _checked(
        action.arguments, tool.spec.input_schema, notes, what=f"arguments of {tool.spec.name}"
    )
    if tool.input_model is not None:
        _apply_model(arguments, tool.input_model, notes, what=f"arguments of {tool.spec.name}")
    if tool.check is not None:
        tool.check(arguments)
    return CheckedAction(action=Action(tool=tool.spec.name, arguments=arguments), coercions=notes.coercions)


def find_tool(name: str, tools: Mapping[str, Tool], notes: Notes | None = None) -> Tool:
    """Return the tool called ``name``, spelt alike but for case and joining marks.

    Raises ``BadInput`` that lists the tools and the nearest name.
    """
    if name in tools:
        return tools[name]
    # Some models write the name space in front, as in functions.measure.
    meant = same_name(name.rpartition(".")[2], list(tools))
    if meant:
        if notes is not None:
            notes.changed("tool", received=name, used=meant)
        return tools[meant]
    close = nearest(name, list(tools))
    known = listed(list(tools), near=name)
    message = (
        f"there is no tool {shown(name)}; {f'did you mean {close}? T' if close else 't'}he tools are: {known}"
    )
    problem = {"field": "tool", "expected": f"one of {known}", "received": name, "message": message}
    raise BadInput(message, [{**problem, "nearest": close}])


def check_output(data: Any, tool: Tool) -> dict[str, Any]:
    """Return a tool's result as plain JSON when it fits the output schema, without coercing anything.

    Raises ``BadInput`` otherwise, for NaN and infinity too.
    """
    what = f"result of {tool.spec.name}"
    if isinstance(data, BaseModel):
        data = data.model_dump(mode="json")
    _stop(size_problem(data), what=what)
    notes = Notes()
    if not isinstance(data, dict):
        notes.refuse(
            "", expected="named values", received=data, message=f"expected named values, got {shown(data)}"
        )
    else:
        validate(data, tool.spec.output_schema, notes=notes)
    _raise(notes, what=what)
    assert isinstance(data, dict)
    return _plain_json(data, what=what)


def check_value(value: Any, schema: Schema, *, what: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return ``value`` with safe coercions made, and the list of them; raises ``BadInput`` as above."""
    notes = Notes()
    return _checked(value, schema, notes, what=what), notes.coercions


def _checked(value: Any, schema: Schema, notes: Notes, *, what: str) -> dict[str, Any]:
    _stop(size_problem(value), what=what)
    if not isinstance(value, dict):
        message = f"expected named values, received {shown(value)}"
        notes.refuse("", expected="named values", received=value, message=message)
        _raise(notes, what=what)
    result = coerce(value, schema, field="", notes=notes)
    validate(result, schema, notes=notes)
    _raise(notes, what=what)
    return _plain_json(result, what=what)


def _apply_model(arguments: dict[str, Any], model: type[BaseModel], notes: Notes, *, what: str) -> None:
    """Ask the rules that a schema cannot say, such as "low is below high"."""
    try:
        model.model_validate(arguments)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False):
            field = ".".join(str(part) for part in fault["loc"])
            text = fault["msg"].removeprefix("Value error, ")
            message = f"field {field}: {text}" if field else text
            notes.refuse(field, expected=text, received=fault["input"], message=message)
    _raise(notes, what=what)


def _plain_json(value: dict[str, Any], *, what: str) -> dict[str, Any]:
    try:
        canonical_json(value)
    except (TypeError, ValueError) as error:
        _stop(f"it is no plain JSON: {error}", what=what)
    return value


def _stop(problem: str, *, what: str) -> None:
    if problem:
        entry = {"field": "", "expected": "plain JSON of bounded size", "received": None, "message": problem}
        raise BadInput(f"{what}: {problem}", [entry])


def _raise(notes: Notes, *, what: str) -> None:
    if notes.problems:
        text = "; ".join(problem["message"] for problem in notes.problems)
        raise BadInput(f"{what}: {text}", notes.problems)
