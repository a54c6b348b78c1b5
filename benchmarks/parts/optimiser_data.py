"""Measured tables for the optimiser's benchmark: the shipped one, and any folder in Olympus layout."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.core.measurement import conditions_digest
from agents.core.science import Conditions, Objective, Space

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "examples" / "direct_arylation"
TABLES = ROOT / "benchmarks" / "data"
DEFAULT = "direct_arylation"


@dataclass(frozen=True)
class Table:
    """A look-up instrument: ``values`` holds the mean of the rows at each of ``rows``.

    ``is_complete`` when every point of the space was measured.
    """

    name: str
    space: Space
    objective: Objective
    rows: list[Conditions]
    values: np.ndarray

    @property
    def is_complete(self) -> bool:
        """True when the rows are the whole space."""
        sizes = [len(p.levels) for p in self.space.parameters]
        return bool(np.prod(sizes) == len(self.rows)) if all(sizes) else False

    def by_digest(self) -> dict[str, float]:
        """Return the value at each set of conditions."""
        return {conditions_digest(row): float(v) for row, v in zip(self.rows, self.values, strict=True)}

    def threshold(self, count: int) -> float:
        """Return the value that the best ``count`` rows reach, in the response's own unit."""
        order = sorted(self.values, key=self.objective.utility, reverse=True)
        return float(order[count - 1])


def shipped_table() -> Table:
    """Return the direct arylation table through the study that the project ships."""
    study = json.loads((SHIPPED / "study.json").read_text(encoding="utf-8"))
    dataset = study["datasets"][0]
    space = Space(**study["space"])
    objective = Objective(**study["objectives"][0])
    with (SHIPPED / dataset["file"]).open(encoding="utf-8", newline="") as file:
        raw = list(csv.DictReader(file))
    rows = [_named(record, space, dataset) for record in raw]
    values = np.array([float(record[dataset["columns"][objective.name]]) for record in raw])
    return Table(DEFAULT, space, objective, rows, values)


def olympus_table(folder: Path) -> Table:
    """Return the table of a folder with ``config.json`` and a headerless ``data.csv``; repeated rows are averaged."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    is_mixture = config["constraints"]["parameters"] == "simplex"
    space = Space(parameters=[_parameter(part, is_mixture=is_mixture) for part in config["parameters"]])
    first = config["measurements"][0]["name"]
    goals = config.get("default_goal", "maximize")
    minimised = (goals if isinstance(goals, str) else goals[0]).startswith("min")
    objective = Objective(name=first, goal="minimise" if minimised else "maximise")
    grouped: dict[str, tuple[Conditions, list[float]]] = {}
    with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
        for cells in filter(None, csv.reader(file)):
            row = {
                p.name: cell if p.kind == "categorical" else float(cell)
                for p, cell in zip(space.parameters, cells, strict=False)
            }
            key = conditions_digest(row)
            grouped.setdefault(key, (row, []))[1].append(float(cells[len(space.parameters)]))
    rows = [row for row, _ in grouped.values()]
    return Table(folder.name, space, objective, rows, np.array([np.mean(v) for _, v in grouped.values()]))


def chemists() -> list[list[float]]:
    """Return the yields that each of 50 chemists measured, in order."""
    with (TABLES / "human_game_50_players.csv").open(encoding="utf-8-sig", newline="") as file:
        players = list(csv.DictReader(file))
    return [[float(p[f"yield_{k}"]) for k in range(1, 101) if p.get(f"yield_{k}")] for p in players]


def edbo_runs() -> list[list[float]]:
    """Return the yields that 50 runs of EDBO measured, in order, five a batch."""
    with (TABLES / "edbo_gp_ei_batch5_50runs.csv").open(encoding="utf-8", newline="") as file:
        return [[float(cell) for cell in row[1:] if cell] for row in list(csv.reader(file))[1:]]


def _named(record: dict[str, str], space: Space, dataset: dict[str, Any]) -> Conditions:
    named: Conditions = {}
    for parameter in space.parameters:
        cell = record[dataset["columns"][parameter.name]]
        levels = dataset["levels"].get(parameter.name)
        named[parameter.name] = levels[cell] if levels else float(cell)
    return named


def _parameter(part: dict[str, Any], *, is_mixture: bool) -> dict[str, Any]:
    if part["type"] == "categorical":
        options = part["options"]
        return {
            "name": part["name"],
            "kind": "categorical",
            "levels": options,
            "smiles": {o: o for o in options},
        }
    kind = "mixture" if is_mixture else "continuous"
    return {"name": part["name"], "kind": kind, "low": part["low"], "high": part["high"]}
