"""The gate before a call: what is corrected, what is refused, and in which words."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.core.errors import BadInput
from agents.core.tools import Action, ToolSpec
from agents.tools.gate import check_action
from agents.tools.gate.validate import is_valid
from agents.tools.tool import Tool

SCHEMA = {
    "type": "object",
    "properties": {
        "temperature": {"type": "number", "minimum": 20, "maximum": 120, "unit": "°C"},
        "repeats": {"type": "integer", "minimum": 1},
        "base": {"type": "string", "enum": ["KOAc", "CsOPiv", "csopiv (tech.)"]},
        "level": {"type": "number", "enum": [90, 105, 120]},
        "smiles": {"type": "string", "format": "smiles"},
        "stirred": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 20},
        "values": {"type": "array", "items": {"type": "number"}, "minItems": 2},
        "speed": {"type": "number", "default": 300},
    },
    "required": ["temperature"],
    "additionalProperties": False,
}


def never(arguments: dict[str, Any]) -> dict[str, Any]:
    raise AssertionError("the gate runs nothing")


TOOLS = {
    name: Tool(spec=ToolSpec(name=name, input_schema=SCHEMA), run=never) for name in ("heat", "heat_slowly")
}


def check(tool: str = "heat", **arguments: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    checked = check_action(Action(tool=tool, arguments={"temperature": 60, **arguments}), TOOLS)
    return checked.action.arguments, checked.coercions


def refusal(tool: str = "heat", **arguments: Any) -> list[dict[str, Any]]:
    with pytest.raises(BadInput) as caught:
        check(tool, **arguments)
    return caught.value.problems


def test_a_valid_action_passes_unchanged_with_defaults_filled_in() -> None:
    assert check() == ({"temperature": 60, "speed": 300}, [])


@pytest.mark.parametrize(
    ("field", "received", "used"),
    [
        ("temperature", "60", 60),
        ("temperature", " 6.05e1 ", 60.5),
        ("temperature", "333.15 K", 60),
        ("temperature", {"value": 140, "unit": "°F"}, 60.0),
        ("temperature", "６０", 60),
        ("repeats", 3.0, 3),
        ("repeats", "3.0", 3),
        ("base", " KOAc ", "KOAc"),
        ("base", "koac", "KOAc"),
        ("level", "105", 105),
        ("smiles", " CCO\n", "CCO"),
        ("stirred", "True", True),
        ("values", "[1, 2]", [1, 2]),
        ("note", "a\x00b", "ab"),
    ],
)
def test_a_value_that_can_only_mean_one_thing_is_read_as_that(field: str, received: Any, used: Any) -> None:
    arguments, coercions = check(**{field: received})
    assert arguments[field] == used
    assert type(arguments[field]) is type(used)
    assert coercions[0]["field"] == field
    assert coercions[0]["received"] == received


def test_the_gate_changes_nothing_the_second_time() -> None:
    arguments, _ = check(repeats="3", base="koac", level="105", values="[1, 2]")
    assert check(**arguments) == (arguments, [])


@pytest.mark.parametrize("key", ["Temperature", " temperature", "TEMPERATURE"])
def test_a_field_that_differs_only_in_case_or_spaces_is_understood(key: str) -> None:
    checked = check_action(Action(tool="heat", arguments={key: 60}), TOOLS)
    assert checked.action.arguments["temperature"] == 60
    assert checked.coercions == [
        {"field": "temperature", "received": f"field {key!r}", "used": "field 'temperature'"}
    ]


def test_two_spellings_of_one_field_are_not_guessed_at() -> None:
    assert [p["field"] for p in refusal(Temperature=70)] == ["Temperature"]


def test_null_means_not_given() -> None:
    assert check(repeats=None)[0] == {"temperature": 60, "speed": 300}


@pytest.mark.parametrize(
    ("field", "received", "message"),
    [
        ("temperature", "abc", 'field temperature: expected a number from 20 to 120 °C, received "abc"'),
        ("temperature", 400, "field temperature: expected a number from 20 to 120 °C, received 400"),
        ("temperature", True, "field temperature: expected a number from 20 to 120 °C, received true"),
        ("temperature", None, "field temperature: expected a number from 20 to 120 °C, received null"),
        ("temperature", float("nan"), 'field temperature: expected a finite number, received "nan"'),
        ("temperature", float("inf"), 'field temperature: expected a finite number, received "inf"'),
        ("temperature", 10**400, 'field temperature: expected a finite number, received "a huge number"'),
        ("temperature", "NaN", 'field temperature: expected a number from 20 to 120 °C, received "NaN"'),
        ("temperature", "1,000", 'field temperature: expected a value in °C, received "1,000": '),
        (
            "temperature",
            "5 min",
            'field temperature: expected a value in °C, received "5 min": min cannot be converted to °C',
        ),
        ("repeats", 2.5, "field repeats: expected a whole number, at least 1, received 2.5"),
        ("repeats", "two", 'field repeats: expected a whole number, at least 1, received "two"'),
        ("level", 110, "field level: expected one of 90, 105, 120, received 110"),
        (
            "base",
            "CsOPi",
            'field base: expected one of KOAc, CsOPiv, csopiv (tech.), received "CsOPi"; did you mean CsOPiv?',
        ),
        ("smiles", "C1CC", 'field smiles: expected a structure as SMILES, for example CCO, received "C1CC"'),
        ("values", [1], "field values: expected a list of at least 2 values, each a number, received [1]"),
        ("values", [1, "x"], 'field values[1]: expected a number, received "x"'),
        ("note", "x" * 21, f'field note: expected text of at most 20 characters, received "{"x" * 21}"'),
        (
            "temprature",
            60,
            "field temprature does not exist: expected one of the fields temperature, repeats, base, level, "
            "smiles, stirred, note, values, speed; did you mean temperature?",
        ),
    ],
)
def test_what_is_wrong_is_said_with_field_expectation_and_value(
    field: str, received: Any, message: str
) -> None:
    problem = refusal(**{field: received})[0]
    assert problem["message"].startswith(message)
    assert problem["field"].startswith(field)


def test_a_missing_field_names_what_it_wants() -> None:
    with pytest.raises(BadInput) as caught:
        check_action(Action(tool="heat", arguments={}), TOOLS)
    assert caught.value.problems == [
        {
            "field": "temperature",
            "expected": "a number from 20 to 120 °C",
            "received": None,
            "message": "field temperature is missing: expected a number from 20 to 120 °C",
        }
    ]


def test_all_faults_are_told_at_once() -> None:
    assert {p["field"] for p in refusal(temperature="x", base="y", repeats=0)} == {
        "temperature",
        "base",
        "repeats",
    }


def test_an_unknown_tool_lists_the_tools_and_the_nearest() -> None:
    problem = refusal("heet")[0]
    assert (
        problem["message"] == 'there is no tool "heet"; did you mean heat? The tools are: heat, heat_slowly'
    )
    assert problem["nearest"] == "heat"


def test_an_invented_tool_is_not_likened_to_anything() -> None:
    problem = refusal("launch_rocket")[0]
    assert problem["message"] == 'there is no tool "launch_rocket"; the tools are: heat, heat_slowly'


@pytest.mark.parametrize("name", ["Heat-Slowly", "heatSlowly", "functions.heat_slowly"])
def test_a_tool_name_that_differs_only_in_case_marks_or_prefix_is_understood(name: str) -> None:
    checked = check_action(Action(tool=name, arguments={"temperature": 60}), TOOLS)
    assert checked.action.tool == "heat_slowly"
    assert checked.coercions[0] == {"field": "tool", "received": name, "used": "heat_slowly"}


def test_very_deep_and_very_long_arguments_are_refused_before_they_are_looked_at() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert "nested deeper than 40 levels" in refusal(values=deep)[0]["message"]
    assert "longer than 1,000,000 characters" in refusal(note="x" * 1_000_001)[0]["message"]


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["60", "5 K", "KOAc"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from([*SCHEMA["properties"], "Temperature", "other"])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(names, anything, max_size=5))
def test_nothing_that_breaks_the_schema_ever_passes(arguments: dict[str, Any]) -> None:
    try:
        checked = check_action(Action(tool="heat", arguments=arguments), TOOLS)
    except BadInput:
        return
    assert is_valid(checked.action.arguments, SCHEMA)
    assert check_action(checked.action, TOOLS).coercions == []
