"""Whatever comes in: nothing that breaks a schema reaches an executor, and nothing that breaks one comes out."""

import asyncio
import json
from typing import Any

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.core.canonical import canonical_json
from agents.core.errors import BadInput
from agents.core.study import StudyProtocol
from agents.core.tools import Action, EffectClass, ToolResult, ToolSpec
from agents.core.workflow import items_of
from agents.tools.registry import Registry
from agents.tools.tool import Tool
from agents.tools.toolbox import StudyToolbox

SCHEMA = {
    "type": "object",
    "properties": {
        "mass": {"type": "number", "minimum": 0, "maximum": 10, "unit": "g"},
        "count": {"type": "integer", "minimum": 1},
        "level": {"type": "string", "enum": ["low", "high"]},
        "name": {"type": "string", "maxLength": 8},
        "values": {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 3},
        "inner": {
            "type": "object",
            "properties": {"flag": {"type": "boolean"}},
            "required": ["flag"],
            "additionalProperties": False,
        },
    },
    "required": ["mass"],
    "additionalProperties": False,
}
NAMES = [*SCHEMA["properties"], "Mass", "extra", "flag"]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 20),
    st.floats(),
    st.sampled_from(
        ["low", "HIGH", "3", "300 mg", "2 m", "abc", "nan", "$1.mass", "$1", "$9.mass", "$2.name", ""]
    ),
    st.text(max_size=10),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
FAST = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def is_valid(value: Any) -> bool:
    """Judge by another road than the gate's own: strict JSON, and jsonschema as it comes."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(json.loads(text))


def toolbox_of(run) -> StudyToolbox:
    spec = ToolSpec(name="probe", effect=EffectClass.LOCAL, input_schema=SCHEMA, output_schema=SCHEMA)
    registry = Registry({"probe": Tool(spec=spec, run=run)})
    return StudyToolbox(StudyProtocol(study_id="", title="", goal=""), registry=registry)


def checked_or_told(toolbox: StudyToolbox, action: Action) -> Action | None:
    """Return the checked action, or None when it was refused with a message for each problem."""
    told: list[str] = []
    try:
        return toolbox.check(action).action
    except BadInput as fault:
        told = [problem["message"] for problem in fault.problems]
    assert told
    assert all(told)
    return None


@FAST
@given(ARGUMENTS)
def test_no_arguments_that_break_the_schema_reach_the_executor(arguments):
    seen: list[Any] = []

    def run(given_arguments):
        seen.append(given_arguments)
        return {"mass": 1}

    toolbox = toolbox_of(run)
    raw = asyncio.run(toolbox.call(Action(tool="probe", arguments=arguments), idempotency_key=""))
    assert raw.success == bool(seen)
    checked = checked_or_told(toolbox, Action(tool="probe", arguments=arguments))
    if checked is not None:
        asyncio.run(toolbox.call(checked, idempotency_key=""))
        assert seen
    assert all(is_valid(each) for each in seen)


@FAST
@given(VALUES | ARGUMENTS)
def test_no_result_that_breaks_the_schema_comes_back_as_one(result):
    toolbox = toolbox_of(lambda arguments: result)
    given_result = asyncio.run(toolbox.call(Action(tool="probe", arguments={"mass": 1}), idempotency_key=""))
    assert given_result.success == is_valid(result)
    assert given_result.success or given_result.fault == "output_invalid"
    if given_result.success:
        assert is_valid(given_result.data)
    # What the state holds is plain JSON.
    canonical_json(given_result.model_dump(mode="json"))


@FAST
@given(st.lists(ARGUMENTS, min_size=1, max_size=3), ARGUMENTS)
def test_no_step_of_a_list_reaches_the_executor_with_what_breaks_the_schema(listed, result):
    seen: list[Any] = []

    def run(given_arguments):
        seen.append(given_arguments)
        return result

    toolbox = toolbox_of(run)
    action = Action(
        tool="workflow", arguments={"items": [{"tool": "probe", "arguments": each} for each in listed]}
    )
    checked = checked_or_told(toolbox, action)
    if checked is None:
        return
    results: dict[int, ToolResult] = {}
    for item in items_of(checked):
        known = {step: (each.tool, each.data) for step, each in results.items()}
        try:
            one = toolbox.resolve(item, known).action
        except BadInput:
            results[item.step] = ToolResult(success=False, tool="probe")
            continue
        results[item.step] = asyncio.run(toolbox.call(one, idempotency_key=""))
    assert all(is_valid(each) for each in seen)
    assert all(is_valid(each.data) for each in results.values() if each.success)
