"""An experiment whose result is too long for the log loses none of its measurements."""

import json
import statistics
from typing import Any

import pytest

from agents.core.measurement import Experiment
from agents.core.tools import Action, EffectClass
from agents.tools.registry import Registry
from agents.tools.tool import Tool
from agents.tools.toolbox import StudyToolbox
from tests.tools.conftest import make_protocol, make_toolbox

TRACE = [{"t": t, "signal": t * 0.5} for t in range(5000)]
READINGS = [50.0 + (k % 7) for k in range(3000)]
ACTION = Action(tool="spectrometer", arguments={"base": "KOAc", "temperature": 90})


class Store:
    """Keeps artifacts in memory."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def __call__(self, content: bytes, *, name: str, media_type: str) -> str:
        self.kept.append(content)
        return f"hash-{len(self.kept)}"


def laboratory(result: dict[str, Any], store: Store) -> StudyToolbox:
    """Return a study whose instrument gives ``result``."""
    model = next(spec for spec in make_toolbox().specs() if spec.name == "measure")
    spec = model.model_copy(
        update={"name": "spectrometer", "output_schema": {"type": "object"}, "effect": EffectClass.BLIND}
    )
    registry = Registry(tools={"spectrometer": Tool(spec=spec, run=lambda given: result)})
    return make_toolbox(make_protocol(experiment_tool="spectrometer"), registry=registry, artifacts=store)


async def filed(result: dict[str, Any]) -> tuple[Experiment, dict[str, Any], Store]:
    store = Store()
    toolbox = laboratory(result, store)
    called = await toolbox.call(ACTION, idempotency_key="1")
    assert called.success, called.error_message
    row = toolbox.experiment_from(ACTION, called.data)
    assert row is not None
    return row, called.data, store


async def test_the_value_is_filed_and_the_whole_is_an_artifact() -> None:
    row, data, store = await filed({"yield": 61.5, "trace": TRACE})
    assert (row.value_of("yield"), row.measurements[0].unit, row.status) == (61.5, "%", "measured")
    assert data["artifact"] == "hash-1"
    assert data["outline"]["trace"]["rows"] == 5000
    assert len(json.dumps(data)) < 2000
    assert json.loads(store.kept[0]) == {"yield": 61.5, "trace": TRACE}


async def test_a_full_entry_keeps_its_uncertainty_status_and_remarks() -> None:
    entry = {"value": None, "status": "below_detection", "uncertainty": 0.2, "note": "noisy"}
    row, _, _ = await filed(
        {"measurements": {"yield": entry}, "operator": "ana", "actual": {"temperature": 91}, "trace": TRACE}
    )
    assert row.measurements[0].model_dump(include=entry.keys()) == entry
    assert (row.operator, row.actual) == ("ana", {"temperature": 91})


async def test_a_few_readings_are_kept_as_they_are() -> None:
    row, _, _ = await filed(
        {"measurements": {"yield": {"value": 2.0, "replicates": [1.0, 3.0]}}, "trace": TRACE}
    )
    assert row.values_of("yield") == [1.0, 3.0]


async def test_thousands_of_readings_are_told_by_mean_and_its_deviation() -> None:
    row, data, store = await filed({"measurements": {"yield": {"replicates": READINGS}}})
    expected = statistics.stdev(READINGS) / len(READINGS) ** 0.5
    assert row.value_of("yield") == pytest.approx(statistics.fmean(READINGS))
    assert row.measurements[0].sigma == pytest.approx(expected)
    assert len(json.dumps(data)) < 2000
    assert json.loads(store.kept[0])["measurements"]["yield"]["replicates"] == READINGS


async def test_a_trace_that_is_called_like_a_field_of_the_ledger_is_no_entry() -> None:
    row, _, _ = await filed({"yield": 61.5, "measurements": TRACE})
    assert row.value_of("yield") == 61.5
