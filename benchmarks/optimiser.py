"""How many experiments the optimiser needs, on measured tables, beside random choice, chemists and EDBO.

    python -m benchmarks.optimiser [--quick] [--json FILE]
    python -m benchmarks.optimiser --data FOLDER --dataset NAME   (Olympus layout: FOLDER/NAME/config.json, data.csv)

Every seed drives ``OptimiserReasoner.propose`` with briefs as the engine builds them.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two processes already fill two cores

import asyncio
import functools
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.core.brief import Brief
from agents.core.budget import Budget
from agents.core.measurement import Experiment, Measurement, conditions_digest
from agents.core.proposal import Proposal
from agents.core.science import Parameter, Space
from agents.core.study import StudyProtocol
from agents.reasoners.optimiser import OptimiserReasoner
from benchmarks.parts.common import Target, for_each, parser_for, report
from benchmarks.parts.optimiser_data import DEFAULT, Table, chemists, edbo_runs, olympus_table, shipped_table

MOST = 100
"""Experiments after which a seed gives up."""
CURVE = 50
RANDOM_ORDERS = 1000


@dataclass(frozen=True)
class Race:
    """What is counted on a table: ``marks`` are values by name; a seed runs until it met all and ``least``."""

    table: Table
    marks: dict[str, float]
    least: int = 25
    batch: int = 1


@dataclass(frozen=True)
class Course:
    """One seed's experiments: values in order, repeats, CPU seconds spent in proposing."""

    values: list[float]
    repeats: int
    seconds: float


def race_on(table: Table) -> Race:
    """Return the marks of a table: top 5 %, and what published work counts on it."""
    count = len(table.rows)
    marks = {"top5": table.threshold(-(-count // 20))}
    if table.name == DEFAULT:
        marks["ge99"] = 99.0
    elif table.name.startswith("suzuki"):
        marks["top20rows"] = table.threshold(20)
    elif table.name.startswith(("oer", "chan_lam")):
        marks["top1"] = table.threshold(-(-count // 100))
    return Race(table, marks, least=50 if "top1" in marks else 25)


def run_seed(race: Race, seed: int) -> Course:
    """Return one seed's experiments."""
    return asyncio.run(_run_seed(race, seed))


async def _run_seed(race: Race, seed: int) -> Course:
    table = race.table
    look_up = table.by_digest()
    reasoner = OptimiserReasoner(seed, candidates=None if table.is_complete else lambda: table.rows)
    protocol = StudyProtocol(
        study_id="benchmark",
        title=table.name,
        goal=f"{table.objective.goal} {table.objective.name}",
        space=table.space,
        objectives=[table.objective],
        experiment_tool="measure",
        budget=Budget(experiments=None, rounds=None),
    )
    rows: list[Experiment] = []
    repeats, seconds = 0, 0.0
    while len(rows) < MOST and not _is_done(race, rows):
        planned: list[Experiment] = []
        for _ in range(race.batch):
            brief = Brief(protocol=protocol, round=len(rows) + 1, experiments=[*rows, *planned])
            started = time.process_time()
            turn = await reasoner.propose(brief, None)
            seconds += time.process_time() - started
            assert turn.proposal is not None
            planned.append(_planned(turn.proposal, len(rows) + len(planned) + 1))
        for row in planned:
            repeats += row.planned in [earlier.planned for earlier in rows]
            rows.append(_measured(row, table, look_up))
    values = [row.value_of(table.objective.name) or 0.0 for row in rows]
    return Course(values, repeats, seconds)


def _planned(proposal: Proposal, number: int) -> Experiment:
    return Experiment(id=str(number), planned=proposal.action.arguments, status="planned", round=number)


def _measured(row: Experiment, table: Table, look_up: dict[str, float]) -> Experiment:
    value = look_up[conditions_digest(row.planned)]
    measurement = Measurement(objective=table.objective.name, value=value, unit=table.objective.unit)
    return row.model_copy(update={"measurements": [measurement], "status": "measured"})


def _is_done(race: Race, rows: list[Experiment]) -> bool:
    if len(rows) < race.least:
        return False
    values = [row.value_of(race.table.objective.name) or 0.0 for row in rows]
    return all(first_hit(race, values, mark) <= len(values) for mark in race.marks.values())


def first_hit(race: Race, values: list[float], mark: float) -> int:
    """Return the number of the first experiment that reaches ``mark``; one more than were made if none does."""
    wanted = race.table.objective.utility(mark)
    hits = [k for k, value in enumerate(values, start=1) if race.table.objective.utility(value) >= wanted]
    return hits[0] if hits else MOST + 1


def best_after(race: Race, values: list[float], count: int) -> float:
    """Return the best of the first ``count`` values, of all when there are fewer."""
    return max(values[:count], key=race.table.objective.utility)


def figures_of(race: Race, courses: list[list[float]], prefix: str = "") -> dict[str, Any]:
    """Return the summary of many courses: experiments to each mark, best after 25 and 50, best-so-far curve."""
    figures: dict[str, Any] = {}
    for name, mark in race.marks.items():
        hits = [first_hit(race, values, mark) for values in courses]
        figures[f"{prefix}{name}_median"] = float(np.median(hits))
        figures[f"{prefix}{name}_mean"] = round(float(np.mean(hits)), 2)
        figures[f"{prefix}{name}_worst"] = int(max(hits))
        figures[f"{prefix}{name}_reached"] = sum(hit <= MOST for hit in hits)
    for count in sorted({25, race.least}):
        best = [best_after(race, values, count) for values in courses]
        figures[f"{prefix}best{count}_mean"] = round(float(np.mean(best)), 4)
        figures[f"{prefix}best{count}_median"] = round(float(np.median(best)), 4)
    figures[f"{prefix}curve"] = [
        round(float(np.mean([best_after(race, values, count) for values in courses])), 3)
        for count in range(1, CURVE + 1)
    ]
    return figures


def random_courses(race: Race, seeds: int) -> list[list[float]]:
    """Return what measuring in random order gives."""
    return [
        np.random.default_rng(seed).permutation(race.table.values)[:MOST].tolist() for seed in range(seeds)
    ]


def plain(race: Race) -> Race:
    """Return the same race without structures: what plain one-hot Bayesian optimisation would know."""
    space = Space(parameters=[_without_smiles(p) for p in race.table.space.parameters])
    return replace(race, table=replace(race.table, space=space))


def _without_smiles(parameter: Parameter) -> Parameter:
    return parameter.model_copy(update={"smiles": {}})


def targets_of(race: Race) -> list[Target]:
    """Return the lines to reach on a table."""
    name = race.table.name
    lines = [Target("repeats", "==", 0)]
    if name == DEFAULT:
        lines += [
            Target("top5_median", "<=", 8),
            Target("top5_median", "<=", 7.5),
            Target("ge99_median", "<=", 16),
            Target("ge99_worst", "<=", 80),
            Target("best25_mean", ">=", 97),
        ]
        if race.batch == 1:
            lines.append(Target("cpu_ms_a_proposal", "<=", 10))
    known = {
        "suzuki_edbo": [Target("top20rows_mean", "<=", 27.3)],
        "buchwald_c": [Target("top5_median", "<=", 11)],
        "crossed_barrel": [Target("top5_median", "<=", 8)],
        "oer_plate_3496": [
            Target("top5_median", "<=", 9),
            Target("top1_median", "<=", 18),
            Target("best50_mean", "<=", 0.341),
        ],
        "chan_lam_full": [
            Target("top5_median", "<=", 9),
            Target("top1_median", "<=", 23),
            Target("best50_median", ">=", 90),
        ],
    }
    return lines + known.get(name, [])


def print_curves(figures: dict[str, Any]) -> None:
    """Print the best so far, on average, after some numbers of experiments."""
    shown = {
        name.removesuffix("curve").rstrip("_") or "optimiser": v
        for name, v in figures.items()
        if name.endswith("curve")
    }
    print("\nBest so far (mean) after n experiments")
    counts = [1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 50]
    print(f"{'n':>12}" + "".join(f"{count:>8}" for count in counts))
    for name, curve in shown.items():
        print(f"{name:>12}" + "".join(f"{curve[count - 1]:>8.4g}" for count in counts))
    print()


def cpu_figures(race: Race) -> dict[str, float]:
    """Return CPU milliseconds a proposal on the way to 100 observations, one seed to the end."""
    whole = replace(race, least=MOST)
    course = run_seed(whole, 0)
    return {"cpu_ms_a_proposal_to_100": round(1e3 * course.seconds / len(course.values), 2)}


def main() -> None:
    """Run the race and report it."""
    parser = parser_for("How many experiments the optimiser needs on measured tables.")
    parser.add_argument("--dataset", default=DEFAULT, help="name of the table (default: the shipped one)")
    parser.add_argument("--data", type=Path, help="folder of tables in Olympus layout")
    parser.add_argument("--seeds", type=int, help="number of seeds (default 100, quick 20)")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed (default 0)")
    parser.add_argument("--batch", type=int, default=1, help="experiments proposed before any is measured")
    options = parser.parse_args()
    is_shipped = options.dataset == DEFAULT
    if not is_shipped and options.data is None:
        parser.error("--dataset other than direct_arylation needs --data FOLDER, the folder that holds it")
    table = shipped_table() if is_shipped else olympus_table(options.data / options.dataset)
    race = replace(race_on(table), batch=options.batch)
    count = options.seeds or (20 if options.quick else 100)
    seeds = range(options.first_seed, options.first_seed + count)
    courses = for_each(functools.partial(run_seed, race), seeds)
    proposals = sum(len(course.values) for course in courses)
    figures: dict[str, Any] = {
        "dataset": table.name,
        "seeds": count,
        "batch": race.batch,
        "rows": len(table.rows),
    }
    figures |= figures_of(race, [course.values for course in courses])
    figures["repeats"] = sum(course.repeats for course in courses)
    figures["cpu_ms_a_proposal"] = round(1e3 * sum(course.seconds for course in courses) / proposals, 2)
    figures |= cpu_figures(race) if race.batch == 1 else {}
    figures |= figures_of(race, random_courses(race, RANDOM_ORDERS), "random_")
    if not options.quick and any(p.smiles for p in table.space.parameters):
        figures |= figures_of(
            race, [c.values for c in for_each(functools.partial(run_seed, plain(race)), seeds)], "onehot_"
        )
    if is_shipped:
        figures |= figures_of(race, chemists(), "chemists_")
        figures |= figures_of(race, edbo_runs(), "edbo_")
    print_curves(figures)
    report(figures, targets_of(race), path=options.json)


if __name__ == "__main__":
    main()
