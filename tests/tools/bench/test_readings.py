"""Several readings at once, times, files, and that nothing impossible gets past the check."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.core.errors import BadInput
from agents.core.evidence import judge_evidence
from agents.core.ledger import noise
from agents.core.measurement import Experiment, Measurement
from agents.core.science import Objective, Parameter, Space
from agents.core.tools import Action
from agents.tools.bench.ask import STATUSES
from agents.tools.bench.experiment import entered_row
from agents.tools.bench.results import check_entry

YIELD = Objective(name="yield", unit="%", low=0, high=100)
MELTING = Objective(name="melting", unit="°C")
SPACE = Space(parameters=[Parameter(name="temperature", kind="continuous", unit="°C", low=20, high=120)])
FILE = {"name": "a.csv", "content_hash": "0" * 64, "media_type": "text/csv", "size": 3}


def entry(data: dict[str, Any], *objectives: Objective) -> dict[str, Any]:
    return check_entry(data, space=SPACE, objectives=list(objectives or [YIELD]))


def refusal(data: dict[str, Any], *objectives: Objective) -> str:
    with pytest.raises(BadInput) as caught:
        entry(data, *objectives)
    return str(caught.value)


def test_replicates_are_each_kept_and_their_mean_is_the_value():
    measured = entry({"yield": [70.0, 72.0, 74.0]})["measurements"]["yield"]
    assert measured == {"replicates": [70.0, 72.0, 74.0], "value": 72.0, "unit": "%", "status": "ok"}


def test_replicates_are_converted_one_by_one():
    data = {"melting": {"replicates": [273.15, 274.15], "unit": "K", "uncertainty": 0.5}}
    measured = entry(data, MELTING)["measurements"]["melting"]
    assert (measured["replicates"], measured["value"], measured["uncertainty"]) == ([0.0, 1.0], 0.5, 0.5)


def test_one_reading_is_a_value():
    assert entry({"yield": [70.0]})["measurements"]["yield"] == {"value": 70.0, "unit": "%", "status": "ok"}


def test_a_failed_experiment_needs_no_value_though_the_form_presets_ok():
    data = {"status": "failed", "measurements": {"yield": {"unit": "%", "status": "ok"}}}
    assert entry(data)["measurements"]["yield"]["status"] == "failed"


def test_a_checked_entry_passes_the_check_again_unchanged():
    once = entry({"yield": [70.0, 71.5], "measured_at": "2026-11-30T14:05+01:00", "attachments": [FILE]})
    assert entry(once) == once


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"yield": [70, 140]}, "field measurements.yield.replicates[1]: expected a number from 0 to 100 %"),
        ({"yield": [70, "hot"]}, 'measurements.yield.replicates[1]: expected a number, received "hot"'),
        ({"yield": [70, float("nan")]}, "measurements.yield.replicates[1]: expected a finite number"),
        ({"yield": {"value": 60, "replicates": [70, 72]}}, "expected the mean of the replicates, 71"),
        ({"yield": {"replicates": [1, 2], "status": "failed"}}, "expected no value for a measurement"),
        ({"yield": {"replicates": [1, 2], "status": "below_detection"}}, "enter the limit as the value"),
        ({"yield": {"value": 5, "uncertainty": 0}}, "leave it empty when it is unknown, received 0"),
        ({"yield": {"replicates": [1, 2], "unit": "g"}}, "g cannot be converted to %"),
        (
            {"yield": {"value": 5, "status": "ok"}, "status": "failed"},
            "expected no value of an experiment that failed, or the outcome ok",
        ),
        ({"yield": 5, "measured_at": "yesterday"}, "field measured_at: expected date, time and time zone"),
        ({"yield": 5, "measured_at": "2026-11-30T14:05"}, "field measured_at: expected date, time and time"),
        ({"yield": 5, "attachments": [{"name": "x", "content_hash": "../etc"}]}, "content_hash"),
    ],
)
def test_what_cannot_be_right_is_named(data: dict[str, Any], expected: str) -> None:
    assert expected in refusal(data)


def row_of(data: dict[str, Any]) -> Experiment:
    action = Action(tool="ask_researcher", arguments={"temperature": 90})
    return entered_row(action, entry(data), [YIELD])


def test_the_ledger_row_keeps_readings_time_and_files():
    row = row_of({"yield": [70, 74], "measured_at": "2026-11-30T14:05+01:00", "attachments": [FILE]})
    assert row.measurements[0].replicates == [70, 74]
    assert row.measurements[0].spread == pytest.approx(math.sqrt(8))
    assert row.measured_at == "2026-11-30T14:05:00+01:00"
    assert row.attachments[0].content_hash == "0" * 64


def test_readings_within_a_row_tell_the_noise():
    found = noise([row_of({"yield": [70, 74]})], "yield")
    assert found is not None
    assert (found.degrees, found.sd) == (1, pytest.approx(math.sqrt(8)))


def test_a_miss_within_the_error_of_the_mean_is_inconclusive():
    prediction = {"objective": "yield", "mean": 60, "low": 50, "high": 71}
    row = row_of({"yield": [70, 74]})
    assert row.measurements[0].sigma == pytest.approx(2.0)
    assert judge_evidence(row, prediction, [], [YIELD])["stance"] == "inconclusive"
    assert judge_evidence(row_of({"yield": 72}), prediction, [], [YIELD])["stance"] == "against"


def test_equal_readings_leave_the_uncertainty_unknown_never_zero():
    assert row_of({"yield": [70, 70]}).measurements[0].sigma is None


def test_a_measurement_without_replicates_is_written_as_it_always_was():
    assert "replicates" not in Measurement(objective="yield", value=1.0).model_dump(mode="json")


numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.integers(),
    st.text(max_size=6),
    st.none(),
    st.booleans(),
)
fields = {
    "value": numbers,
    "replicates": st.one_of(st.lists(numbers, max_size=5), numbers),
    "unit": st.sampled_from(["%", "permille", "1", "g", "", "°C", "K"]),
    "uncertainty": numbers,
    "status": st.sampled_from([*STATUSES, "invalid", "great"]),
}
measurements = st.one_of(numbers, st.lists(numbers, max_size=4), st.fixed_dictionaries({}, optional=fields))
entries = st.fixed_dictionaries(
    {"yield": measurements, "melting": measurements},
    optional={
        "status": st.sampled_from(["ok", "failed", "abandoned", "below_detection"]),
        "actual": st.fixed_dictionaries({}, optional={"temperature": numbers, "pressure": numbers}),
        "measured_at": st.one_of(st.text(max_size=12), st.just("2026-11-30T14:05+01:00")),
    },
)


@settings(max_examples=400, deadline=None)
@given(entries)
def test_nothing_of_a_wrong_type_unit_or_size_reaches_the_ledger(data: dict[str, Any]) -> None:
    try:
        checked = entry(data, YIELD, MELTING)
    except BadInput:
        return
    row = entered_row(Action(tool="ask_researcher", arguments={"temperature": 90}), checked, [YIELD, MELTING])
    for measurement, objective in zip(row.measurements, (YIELD, MELTING), strict=True):
        assert measurement.unit == objective.unit
        readings = [*measurement.replicates, *([] if measurement.value is None else [measurement.value])]
        assert all(type(each) in (int, float) and math.isfinite(each) for each in readings)
        assert measurement.uncertainty is None or measurement.uncertainty > 0
        assert measurement.sigma is None or math.isfinite(measurement.sigma)
        if measurement.status == "ok":
            assert readings
            assert objective is MELTING or all(0 <= each <= 100 for each in readings)
        if measurement.status in ("failed", "abandoned"):
            assert not readings
