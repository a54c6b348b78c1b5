"""A small study with a table as its instrument, and doubles of what a toolbox is given."""

from typing import Any

import pytest

from agents.core.measurement import Experiment
from agents.core.science import Conditions, Objective, Parameter, Space
from agents.core.study import DatasetRef, StudyProtocol
from agents.tools.registry import Registry
from agents.tools.toolbox import StudyToolbox

SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", levels=["KOAc", "CsOPiv"]),
        Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120]),
    ]
)
YIELD = Objective(name="yield", unit="%", low=0, high=100)
ROWS: list[dict[str, Any]] = [
    {"base": "KOAc", "temperature": 90, "yield": 12.0},
    {"base": "KOAc", "temperature": 105, "yield": 20.0},
    {"base": "CsOPiv", "temperature": 105, "yield": 61.0},
    {"base": "CsOPiv", "temperature": 105, "yield": 65.0},
    {"base": "CsOPiv", "temperature": 120, "yield": None},
]


class TableDouble:
    """A dataset in memory."""

    rows = ROWS

    def find(self, conditions: Conditions, space: Space) -> list[dict[str, Any]]:
        return [row for row in ROWS if all(row[p.name] == conditions[p.name] for p in space.parameters)]

    def conditions(self, space: Space) -> list[Conditions]:
        known = [{p.name: row[p.name] for p in space.parameters} for row in ROWS]
        return [each for i, each in enumerate(known) if each not in known[:i]]

    def describe(self) -> dict[str, Any]:
        return {"name": "yields.csv", "rows": len(ROWS), "columns": []}


def make_protocol(**changes: Any) -> StudyProtocol:
    ref = DatasetRef(id="d1", name="yields.csv", content_hash="0", role="instrument")
    given: dict[str, Any] = {
        "study_id": "s1",
        "title": "Coupling",
        "goal": "more yield",
        "space": SPACE,
        "objectives": [YIELD],
        "datasets": [ref],
        "experiment_tool": "measure",
    }
    return StudyProtocol(**{**given, **changes})


def make_toolbox(protocol: StudyProtocol | None = None, **given: Any) -> StudyToolbox:
    given.setdefault("registry", Registry())
    return StudyToolbox(protocol or make_protocol(), datasets={"d1": TableDouble()}, **given)


def row(value: float | None = None, *, id: str = "e1", **conditions: Any) -> Experiment:
    measurements = [] if value is None else [{"objective": "yield", "value": value, "unit": "%"}]
    return Experiment(id=id, planned=conditions, measurements=measurements)


@pytest.fixture
def toolbox() -> StudyToolbox:
    return make_toolbox()
