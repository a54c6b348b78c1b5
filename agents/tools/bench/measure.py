"""``measure``: an uploaded dataset as the instrument of a study."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from agents.core.errors import BadInput
from agents.core.ledger import distance
from agents.core.measurement import Experiment, conditions_digest
from agents.core.science import Conditions, Objective, Space
from agents.core.tools import EffectClass, ToolSpec
from agents.tools.schema import Schema, space_schema
from agents.tools.tool import Arguments, Tool

LedgerRows = Callable[[], Awaitable[list[Experiment]]]


class Instrument(Protocol):
    """What is needed of a dataset: rows by conditions, under the study's own names."""

    def find(self, conditions: Conditions, space: Space) -> list[dict[str, Any]]:
        """Return the rows measured at ``conditions``, in file order."""

    def conditions(self, space: Space) -> list[Conditions]:
        """Return every distinct set of conditions in the table."""


def measure_tool(
    *,
    dataset: Instrument,
    name: str,
    space: Space,
    objectives: list[Objective],
    experiments: LedgerRows | None,
) -> Tool:
    """Return the tool that looks an experiment up in ``dataset``, called ``name`` in messages.

    Rows with equal conditions are replicates: the n-th experiment at these conditions, counted in the
    study's ledger, gets the n-th row, and after the last the first again.
    """

    async def run(arguments: Arguments) -> dict[str, Any]:
        rows = _rows(arguments)
        done = await experiments() if experiments else []
        wanted = conditions_digest(arguments)
        before = sum(1 for row in done if row.origin != "past" and conditions_digest(row.planned) == wanted)
        return _values(rows[before % len(rows)], objectives, name)

    def check(arguments: Arguments) -> None:
        _rows(arguments)

    def _rows(arguments: Arguments) -> list[dict[str, Any]]:
        return dataset.find(arguments, space) or _refuse_unknown(arguments, dataset, name, space)

    spec = ToolSpec(
        name="measure",
        title="Measure",
        description=f"Perform one experiment of the study at the given conditions: looked up in {name}.",
        category="bench",
        input_schema=space_schema(space),
        output_schema=_output_schema(objectives),
        effect=EffectClass.LOCAL,
        is_experiment=True,
        duration_s=0.1,
    )
    return Tool(spec=spec, run=run, check=check)


def objective_schema(objective: Objective) -> Schema:
    """Return the schema of a measured value: a number with unit, within what is possible."""
    schema: Schema = {"type": "number", "title": objective.label or objective.name}
    if objective.unit:
        schema["unit"] = objective.unit
    if objective.low is not None:
        schema["minimum"] = objective.low
    if objective.high is not None:
        schema["maximum"] = objective.high
    return schema


def _output_schema(objectives: list[Objective]) -> Schema:
    return {
        "type": "object",
        "properties": {objective.name: objective_schema(objective) for objective in objectives},
        "required": [objective.name for objective in objectives],
        "additionalProperties": False,
    }


def _values(row: dict[str, Any], objectives: list[Objective], name: str) -> dict[str, Any]:
    missing = [objective.name for objective in objectives if row.get(objective.name) is None]
    if missing:
        raise BadInput(f"{name} has a row for these conditions, but no value of {', '.join(missing)} in it")
    return {objective.name: row[objective.name] for objective in objectives}


def _refuse_unknown(arguments: Arguments, dataset: Instrument, name: str, space: Space) -> list[Any]:
    known = dataset.conditions(space)
    near = sorted(known, key=lambda each: distance(arguments, each, space))[:3]
    listed = "; ".join(_readable(each, space) for each in near) or "none, the table has no complete row"
    message = f"{name} has no experiment at {_readable(arguments, space)}. The nearest that exist: {listed}"
    raise BadInput(
        message,
        [
            {
                "field": "",
                "expected": f"one of {len(known):,} known conditions",
                "received": arguments,
                "message": message,
                "nearest": near,
            }
        ],
    )


def _readable(conditions: Conditions, space: Space) -> str:
    return ", ".join(
        f"{p.name} {conditions.get(p.name)}{' ' + p.unit if p.unit else ''}" for p in space.parameters
    )
