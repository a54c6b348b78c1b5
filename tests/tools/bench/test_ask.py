"""A person as the instrument: the form, what may be entered, and the ledger row it becomes."""

from typing import Any

import pytest

from agents.core.errors import BadInput
from agents.core.science import Objective, Space
from agents.core.tools import Action
from agents.tools.toolbox import StudyToolbox
from tests.tools.conftest import make_protocol, make_toolbox

ACTION = Action(tool="ask_researcher", arguments={"base": "KOAc", "temperature": 90})


@pytest.fixture
def toolbox() -> StudyToolbox:
    return make_toolbox(make_protocol(experiment_tool="ask_researcher"))


def entered(toolbox: StudyToolbox, data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = toolbox.check_result("ask_researcher", data)["measurements"]["yield"]
    return found


def message(toolbox: StudyToolbox, data: dict[str, Any]) -> str:
    with pytest.raises(BadInput) as caught:
        toolbox.check_result("ask_researcher", data)
    return str(caught.value)


def test_it_takes_the_same_conditions_as_measure_and_never_runs_by_itself(toolbox: StudyToolbox) -> None:
    specs = {spec.name: spec for spec in toolbox.specs()}
    asked, measured = specs["ask_researcher"], specs["measure"]
    assert asked.input_schema == measured.input_schema
    assert (asked.executor, asked.effect, asked.is_experiment) == ("person", "blind", True)


async def test_the_machine_refuses_to_perform_it(toolbox: StudyToolbox) -> None:
    result = await toolbox.call(ACTION, idempotency_key="1")
    assert (result.success, result.fault) == (False, "refused")


@pytest.mark.parametrize(
    "data",
    [
        {"measurements": {"yield": {"value": 71.2, "unit": "%", "status": "ok"}}},
        {"measurements": {"yield": {"value": "71.2"}}},
        {"measurements": {"yield": "71.2 %"}},
        {"yield": 71.2},
        {"yield": {"value": 712, "unit": "permille"}},
    ],
)
def test_short_forms_and_other_units_mean_the_same(toolbox: StudyToolbox, data: dict[str, Any]) -> None:
    assert entered(toolbox, data) == {"value": 71.2, "unit": "%", "status": "ok"}


def test_temperatures_are_read_as_readings_and_their_uncertainty_as_a_difference() -> None:
    warm = Objective(name="melting_point", unit="°C")
    toolbox = make_toolbox(make_protocol(objectives=[warm], experiment_tool="ask_researcher"))
    data = toolbox.check_result(
        "ask_researcher", {"melting_point": {"value": 408.15, "unit": "K", "uncertainty": 0.5}}
    )
    assert data["measurements"]["melting_point"] == {
        "value": 135.0,
        "unit": "°C",
        "uncertainty": 0.5,
        "status": "ok",
    }


def test_a_missing_uncertainty_stays_unknown(toolbox: StudyToolbox) -> None:
    row = toolbox.experiment_from(ACTION, toolbox.check_result("ask_researcher", {"yield": 50}))
    assert row is not None
    assert row.measurements[0].uncertainty is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"yield": 140}, "field measurements.yield.value: expected a number from 0 to 100 %, received 140"),
        (
            {"yield": {"value": 3, "unit": "g"}},
            'field measurements.yield.unit: expected a unit that converts to %, received "g": '
            "g cannot be converted to %",
        ),
        (
            {},
            "field measurements.yield.value: expected a number from 0 to 100 %, or a status other than ok, "
            "received nothing",
        ),
        (
            {"yield": {"value": 5, "uncertainty": -1}},
            "field measurements.yield.uncertainty: expected a number, at least 0, received -1",
        ),
        ({"yield": float("nan")}, 'field measurements.yield.value: expected a finite number, received "nan"'),
        ({"yield": "abc"}, 'field measurements.yield.value: expected a number, received "abc"'),
        (
            {"yield": {"value": 5, "status": "failed"}},
            "field measurements.yield.value: expected no value for a measurement that is failed, received 5",
        ),
        (
            {"yield": {"value": "5 g", "unit": "%"}},
            'field measurements.yield.value: expected a number, received "5 g"',
        ),
        (
            {"yeild": 5},
            "field yeild does not exist: expected one of the fields measurements, actual, status, operator, "
            "instrument, measured_at, note, attachments; leave it out",
        ),
    ],
)
def test_what_cannot_be_right_is_named(toolbox: StudyToolbox, data: dict[str, Any], expected: str) -> None:
    assert expected in message(toolbox, data)


def test_a_failed_experiment_needs_no_values(toolbox: StudyToolbox) -> None:
    data = toolbox.check_result("ask_researcher", {"status": "failed", "note": "The flask broke."})
    row = toolbox.experiment_from(ACTION, data)
    assert row is not None
    assert (row.status, row.note, row.value_of("yield")) == ("failed", "The flask broke.", None)
    assert row.measurements[0].status == "failed"


def test_below_detection_keeps_its_limit_and_is_no_value(toolbox: StudyToolbox) -> None:
    data = toolbox.check_result("ask_researcher", {"yield": {"value": 0.5, "status": "below_detection"}})
    row = toolbox.experiment_from(ACTION, data)
    assert row is not None
    assert (row.status, row.measurements[0].value, row.value_of("yield")) == ("measured", 0.5, None)


def test_only_what_differed_from_the_plan_is_kept_as_actual(toolbox: StudyToolbox) -> None:
    data = toolbox.check_result(
        "ask_researcher", {"yield": 50, "actual": {"base": "KOAc", "temperature": "94 °C"}, "operator": "Wei"}
    )
    row = toolbox.experiment_from(ACTION, data)
    assert row is not None
    assert (row.planned["temperature"], row.actual, row.operator) == (90, {"temperature": 94}, "Wei")


def test_a_person_may_answer_in_place_of_the_instrument(toolbox: StudyToolbox) -> None:
    action = Action(tool="measure", arguments=ACTION.arguments)
    row = toolbox.experiment_from(action, toolbox.check_result("measure", {"yield": "33 %"}))
    assert row is not None
    assert (row.origin, row.value_of("yield")) == ("person", 33.0)


def test_a_study_without_parameters_asks_in_words() -> None:
    toolbox = make_toolbox(make_protocol(space=Space(), objectives=[], experiment_tool="ask_researcher"))
    action = Action(tool="ask_researcher", arguments={"task": "Look at the crystals and say their colour."})
    assert toolbox.check(action).action == action
    assert toolbox.check_result("ask_researcher", {"answer": "White."}) == {
        "answer": "White.",
        "status": "ok",
    }
    assert toolbox.experiment_from(action, {"answer": "White."}) is None
