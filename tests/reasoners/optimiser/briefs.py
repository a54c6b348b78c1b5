"""Small studies and ledgers for the optimiser's tests."""

import asyncio
from collections.abc import Callable
from typing import Any

from agents.core.brief import Brief
from agents.core.measurement import Experiment, Measurement
from agents.core.proposal import Proposal, Turn
from agents.core.science import Conditions, Constraint, Objective, Parameter, Space
from agents.core.study import StudyProtocol
from agents.reasoners.optimiser import OptimiserReasoner

YIELD = Objective(name="yield", unit="%", low=0, high=100)
BASE = Parameter(name="base", kind="categorical", levels=["KOAc", "CsOAc", "CsOPiv"])
LIGAND = Parameter(name="ligand", kind="categorical", levels=["X-Phos", "PPh3", "PCy3", "P(fur)3"])
HEAT = Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120])
REACTION = Space(parameters=[BASE, LIGAND, HEAT])

Respond = Callable[[Conditions], float]


def study(space: Space = REACTION, **changes: Any) -> StudyProtocol:
    given = {"objectives": [YIELD], "experiment_tool": "measure", **changes}
    return StudyProtocol(study_id="s", title="t", goal="raise the yield", space=space, **given)


def row(number: int, conditions: Conditions, value: float | None = None, **changes: Any) -> Experiment:
    objective = changes.pop("objective", "yield")
    values = [] if value is None else [Measurement(objective=objective, value=value, unit="%")]
    given = {"round": number, **changes}
    return Experiment(id=f"e{number}", planned=conditions, measurements=values, **given)


def reaction_yield(conditions: Conditions) -> float:
    """X-Phos is best by far, caesium helps a little, heat helps."""
    ligand = {"X-Phos": 60.0, "PPh3": 20.0, "PCy3": 10.0, "P(fur)3": 0.0}[conditions["ligand"]]
    base = {"KOAc": 0.0, "CsOAc": 5.0, "CsOPiv": 12.0}[conditions["base"]]
    return ligand + base + (conditions["temperature"] - 90) / 3


def brief(protocol: StudyProtocol, rows: list[Experiment] | None = None, **changes: Any) -> Brief:
    rows = rows or []
    return Brief(protocol=protocol, experiments=rows, **{"round": len(rows) + 1, **changes})


def propose(given: Brief, seed: int = 0, **options: Any) -> Turn:
    return asyncio.run(OptimiserReasoner(seed, **options).propose(given, None))


def next_experiment(given: Brief, seed: int = 0, **options: Any) -> Proposal:
    proposal = propose(given, seed, **options).proposal
    assert proposal is not None
    return proposal


def drive(
    protocol: StudyProtocol, respond: Respond, count: int, *, seed: int = 0, **changes: Any
) -> list[Experiment]:
    """Return the ledger after ``count`` experiments that the optimiser chose; fewer when it wanted to finish."""
    reasoner = OptimiserReasoner(seed)
    rows: list[Experiment] = []
    objective = protocol.objectives[0].name
    for number in range(1, count + 1):
        turn = asyncio.run(reasoner.propose(brief(protocol, rows, **changes), None))
        if turn.proposal is None:
            break
        conditions = turn.proposal.action.arguments
        rows.append(row(number, conditions, respond(conditions), objective=objective))
    return rows


def limit(predicate: Any, text: str = "limit") -> Constraint:
    return Constraint(id=text, text=text, predicate=predicate)
