"""The workflow gate: a list is checked as a whole before any of it runs, and each item before it runs."""

from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import Action, EffectClass, ToolSpec
from agents.core.workflow import Item, items_of
from agents.tools.gate import check_workflow, resolve_item
from agents.tools.registry import load_registry, tool, tool_of
from agents.tools.schema import Unit
from agents.tools.tool import Tool


class Heat(BaseModel):
    warm: Annotated[float, Unit("K")]
    mass: Annotated[float, Unit("g")]
    count: int
    bare: float
    label: str
    rows: list[float]


@tool(effect=EffectClass.LOCAL, in_process=True)
def heat(power: Annotated[float, Field(ge=0)]) -> Heat:
    """Heat something."""
    return Heat(warm=300.0, mass=1.0, count=2, bare=1.5, label="x", rows=[1.0])


@tool(effect=EffectClass.LOCAL, in_process=True)
def stir(
    temperature: Annotated[float, Unit("°C"), Field(ge=0, le=100)],
    turns: int = 1,
    values: Annotated[list[float], Field(min_length=2)] | None = None,
) -> float:
    """Stir it."""
    return temperature


TOOLS = {
    **load_registry(with_entry_points=False).tools,
    "heat": tool_of(heat),
    "stir": tool_of(stir),
    "weigh": Tool(
        spec=ToolSpec(
            name="weigh", is_experiment=True, input_schema={"properties": {"t": {"type": "number"}}}
        ),
        run=lambda arguments: {},
    ),
    "ask": Tool(spec=ToolSpec(name="ask", executor="person"), run=lambda arguments: {}),
}


def listed(*items: tuple[str, dict]) -> Action:
    return Action(tool="workflow", arguments={"items": [{"tool": t, "arguments": a} for t, a in items]})


def refusal(*items: tuple[str, dict]) -> str:
    with pytest.raises(BadInput) as caught:
        check_workflow(listed(*items), TOOLS)
    assert caught.value.problems
    assert all(problem["message"] in str(caught.value) for problem in caught.value.problems)
    return str(caught.value)


ASPIRIN = ("name_to_smiles", {"name": "aspirin"})


def test_the_seed_workflow_passes_and_keeps_its_reference():
    found = check_workflow(listed(ASPIRIN, ("calculate_descriptors", {"smiles": "$1.smiles"})), TOOLS)
    assert items_of(found.action)[1].arguments == {"smiles": "$1.smiles"}


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([("name_to_smile", {"name": "aspirin"})], "step 1: there is no tool"),
        ([ASPIRIN, ("calculate_descriptors", {})], "step 2: field smiles is missing"),
        ([ASPIRIN, ("calculate_descriptors", {"smiles": "$1.smile"})], "gives nothing there; it gives name"),
        ([ASPIRIN, ("calculate_descriptors", {"smiles": "$2.smiles"})], "there is no step 2 before it"),
        ([ASPIRIN, ("calculate_descriptors", {"smiles": "$9"})], "earlier steps are: $1"),
        ([("calculate_descriptors", {"smiles": "$2.smiles"}), ASPIRIN], "none, it is the first"),
        ([("heat", {"power": 1}), ("stir", {"temperature": "$1.mass"})], "cannot be converted"),
        ([("heat", {"power": 1}), ("stir", {"temperature": "$1.bare"})], "a number without a unit"),
        ([("heat", {"power": 1}), ("stir", {"temperature": "$1.label"})], "and it is text"),
        ([("heat", {"power": 1}), ("stir", {"temperature": 5, "turns": "$1.bare"})], "a whole number"),
        ([("heat", {"power": 1}), ("stir", {"temperature": 5, "wrong": "$1.bare"})], "wrong does not exist"),
        ([("heat", {"power": -1})], "at least 0"),
        ([("heat", {"power": 1}), ("weigh", {"t": "$1.warm"})], "conditions of an experiment are stated"),
        ([("ask", {})], "done by a person: propose it by itself"),
        ([("workflow", {"items": []})], "cannot be a step"),
        ([("stir", {"temperature": 1, "values": [1.0]})], "at least 2"),
    ],
)
def test_a_fault_of_any_step_refuses_the_whole_and_names_step_and_field(items, said):
    assert said in refusal(*items)


def test_every_fault_is_told_at_once_under_the_field_of_its_step():
    with pytest.raises(BadInput) as caught:
        check_workflow(listed(("heat", {}), ("stir", {"temperature": 500})), TOOLS)
    assert [problem["field"] for problem in caught.value.problems] == ["1.power", "2.temperature"]


def test_coercions_of_each_step_are_recorded_under_its_number():
    found = check_workflow(listed(("heat", {"power": "300"}), ("Stir", {"temperature": "300 K"})), TOOLS)
    assert [change["field"] for change in found.coercions] == ["1.power", "2.tool", "2.temperature"]
    assert items_of(found.action)[1].arguments["temperature"] == pytest.approx(26.85)


def test_a_step_keeps_its_number_when_an_earlier_one_is_left_out_and_is_refused_when_it_needs_it():
    action = Action(
        tool="workflow",
        arguments={
            "items": [{"step": 2, "tool": "calculate_descriptors", "arguments": {"smiles": "$1.smiles"}}]
        },
    )
    with pytest.raises(BadInput, match="there is no step 1 before it"):
        check_workflow(action, TOOLS)


def test_a_value_is_converted_to_the_unit_of_the_field_it_goes_to():
    item = Item(step=2, tool="stir", arguments={"temperature": "$1.warm", "turns": "$1.count"})
    data = {"warm": 300.0, "count": 2}
    found = resolve_item(item, {1: ("heat", data)}, TOOLS)
    assert found.action.arguments == {"temperature": pytest.approx(26.85), "turns": 2}


@pytest.mark.parametrize(
    ("data", "said"), [({"warm": 900.0}, "from 0 to 100"), ({}, "step 1 gave nothing there")]
)
def test_a_value_that_does_not_pass_is_refused_before_the_call(data, said):
    item = Item(step=2, tool="stir", arguments={"temperature": "$1.warm"})
    with pytest.raises(BadInput, match=said):
        resolve_item(item, {1: ("heat", data)}, TOOLS)


def test_references_inside_a_list_are_put_back_where_they_stood():
    action = listed(("heat", {"power": 1}), ("stir", {"temperature": 5, "values": ["$1.bare", "2.5"]}))
    found = check_workflow(action, TOOLS)
    item = items_of(found.action)[1]
    assert item.arguments["values"] == ["$1.bare", 2.5]
    assert resolve_item(item, {1: ("heat", {"bare": 7})}, TOOLS).action.arguments["values"] == [7, 2.5]
