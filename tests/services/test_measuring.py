"""Who performs the experiments of a study: any tool that gives what is measured, if it takes what is varied."""

from dataclasses import replace

import pytest

from agents import wiring
from agents.core.errors import BadInput
from agents.models import SourceTool, ToolSource
from agents.services import create_study, missing_for_start
from agents.services.measuring import measuring_tools
from agents.tools.registry import Registry, tool

SPACE = {"parameters": [{"name": "temperature", "kind": "continuous", "low": 0, "high": 90, "unit": "°C"}]}
OBJECTIVE = {"name": "density", "unit": "g/mL", "goal": "minimise"}

pytestmark = pytest.mark.django_db


@tool()
def water_density(temperature: float, pressure: float = 1.0) -> dict[str, float]:
    """Estimate a density."""
    return {"density": 1.0 - temperature / 1e4}


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """One tool of the laboratory that gives a density."""
    from agents.tools.registry import tool_of

    made = tool_of(water_density)
    gives = {"type": "object", "properties": {"density": {"type": "number"}}, "required": ["density"]}
    spec = made.spec.model_copy(update={"output_schema": gives})
    registry = Registry(tools={"water_density": replace(made, spec=spec)})
    monkeypatch.setattr(wiring, "registry", lambda: registry)


def study_with(**changes):
    fields = {"title": "T", "goal": "G", "space": SPACE, "objectives": [OBJECTIVE]}
    return create_study(**{**fields, "experiment_tool": "water_density", **changes})


def test_a_tool_that_gives_the_response_can_measure():
    study = study_with()
    assert measuring_tools(study) == [("water_density", "Water density")]
    assert missing_for_start(study) == []


def test_a_tool_that_gives_something_else_is_neither_offered_nor_started():
    study = study_with(objectives=[{**OBJECTIVE, "name": "mass"}])
    assert measuring_tools(study) == []
    assert missing_for_start(study) == [
        "The tool water_density gives density and not mass: name what is measured as the tool does, or choose who "
        "measures."
    ]


@pytest.mark.parametrize("names", [["warmth"], ["temperature", "stirring"]])
def test_parameters_have_the_names_that_the_tool_takes(names):
    one = SPACE["parameters"][0]
    study = study_with(space={"parameters": [{**one, "name": name} for name in names]})
    assert missing_for_start(study) == [
        f"The tool water_density takes temperature, pressure and the study varies {', '.join(names)}: name the "
        "parameters as the tool does."
    ]


@pytest.mark.parametrize(
    ("is_on", "state", "offered"), [(True, "ok", 1), (False, "ok", 0), (True, "changed", 0)]
)
def test_an_outside_tool_that_is_on_can_measure(is_on, state, offered):
    study = study_with()
    source = ToolSource.objects.create(study=study, name="rig", kind="openapi")
    gives = {"type": "object", "properties": {"density": {"type": "number"}}}
    SourceTool.objects.create(
        source=source, name="rig_density", remote="density", is_on=is_on, state=state,
        accepted={"output_schema": gives, "input_schema": {"properties": {"temperature": {}}}},
    )  # fmt: skip
    assert [name for name, _ in measuring_tools(study)] == ["rig_density", "water_density"][1 - offered :]


def test_a_field_that_there_is_not_is_answered_with_those_there_are():
    with pytest.raises(BadInput) as caught:
        create_study(title="T", objectives=[{"name": "y", "direction": "target"}])
    assert str(caught.value) == (
        "The study was not saved: objectives.0.direction: there is no such field; "
        "the fields are goal, high, label, low, name, target, unit"
    )
