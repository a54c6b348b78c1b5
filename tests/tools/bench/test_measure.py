"""An uploaded table as the instrument."""

import pytest

from agents.core.errors import BadInput
from agents.core.tools import Action
from agents.tools.toolbox import StudyToolbox
from tests.tools.conftest import make_toolbox, row


def act(**arguments: object) -> Action:
    return Action(tool="measure", arguments=arguments)


async def test_it_returns_the_objectives_of_the_row(toolbox: StudyToolbox) -> None:
    result = await toolbox.call(act(base="KOAc", temperature=105), idempotency_key="1")
    assert (result.success, result.data) == (True, {"yield": 20.0})
    assert result.summary == "Measure: yield 20 %."


def test_its_schema_has_levels_units_and_bounds(toolbox: StudyToolbox) -> None:
    spec = next(spec for spec in toolbox.specs() if spec.name == "measure")
    assert spec.input_schema["properties"] == {
        "base": {"type": "string", "enum": ["KOAc", "CsOPiv"], "title": "base"},
        "temperature": {"type": "number", "enum": [90, 105, 120], "title": "temperature", "unit": "°C"},
    }
    assert spec.output_schema["properties"] == {
        "yield": {"type": "number", "title": "yield", "unit": "%", "minimum": 0, "maximum": 100}
    }
    assert (spec.is_experiment, spec.effect) == (True, "local")


def test_conditions_that_the_table_lacks_are_refused_with_the_nearest(toolbox: StudyToolbox) -> None:
    with pytest.raises(BadInput) as caught:
        toolbox.check(act(base="CsOPiv", temperature=90))
    assert str(caught.value) == (
        "yields.csv has no experiment at base CsOPiv, temperature 90 °C. The nearest that exist: "
        "base CsOPiv, temperature 105 °C; base KOAc, temperature 90 °C; base CsOPiv, temperature 120 °C"
    )


async def test_a_row_without_a_value_says_so(toolbox: StudyToolbox) -> None:
    result = await toolbox.call(act(base="CsOPiv", temperature=120), idempotency_key="1")
    assert (result.success, result.fault) == (False, "bad_input")
    assert result.error_message == "yields.csv has a row for these conditions, but no value of yield in it"


async def test_replicates_come_in_the_order_of_the_table() -> None:
    filed = [row(61.0, base="CsOPiv", temperature=105)]

    async def ledger() -> list[object]:
        return filed

    toolbox = make_toolbox(experiments=ledger)
    second = await toolbox.call(act(base="CsOPiv", temperature=105), idempotency_key="2")
    filed.append(row(65.0, id="e2", base="CsOPiv", temperature=105))
    third = await toolbox.call(act(base="CsOPiv", temperature=105), idempotency_key="3")
    assert [second.data["yield"], third.data["yield"]] == [65.0, 61.0]


def test_its_result_becomes_a_ledger_row(toolbox: StudyToolbox) -> None:
    filed = toolbox.experiment_from(act(base="KOAc", temperature=90), {"yield": 12.0})
    assert filed is not None
    assert (filed.id, filed.origin, filed.status, filed.instrument) == ("", "tool", "measured", "measure")
    assert filed.planned == {"base": "KOAc", "temperature": 90}
    assert (filed.value_of("yield"), filed.measurements[0].unit) == (12.0, "%")
