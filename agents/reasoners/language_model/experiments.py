"""The ledger in a few lines: how much was measured, the best, the nearest, what was never tried."""

from collections import Counter
from collections.abc import Sequence

from agents.core.brief import Step
from agents.core.ledger import nearest
from agents.core.measurement import Experiment
from agents.core.science import Conditions, Objective, Space

BEST = 3
NEAREST = 2


def experiment_lines(
    rows: Sequence[Experiment],
    *,
    space: Space,
    objectives: Sequence[Objective],
    near: Conditions | None,
    told: Sequence[Step] = (),
) -> list[str]:
    """Return the summary, most useful line first. ``near`` are the conditions to look around.

    Conditions are told by value alone, in the order that the first line names: names at every row would
    cost more than the rows. What ``told`` steps of the same prompt say already is not said again.
    """
    if not rows:
        return []
    order = f" (values are {', '.join(p.name for p in space.parameters)})" if space.parameters else ""
    lines, untried = [_counts(rows) + order], _untried(rows, space)
    for objective in objectives:
        lines += _best(rows, objective, space, told)
    rows = [row for row in rows if not _is_told(row, told)]
    if near and space.parameters:
        lines += _near(rows, near, space, objectives)
    return lines + untried


def conditions_text(conditions: Conditions, space: Space | None = None) -> str:
    """Return ``base=CsOPiv, temperature=105``, or ``CsOPiv, 105`` for complete conditions of ``space``."""
    names = [parameter.name for parameter in space.parameters] if space else []
    if names and set(names) == set(conditions):
        return ", ".join(value_text(conditions[name]) for name in names)
    return ", ".join(f"{name}={value_text(value)}" for name, value in conditions.items())


def value_text(value: object) -> str:
    """Return a number at six significant digits, anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _counts(rows: Sequence[Experiment]) -> str:
    counts = Counter(row.status for row in rows)
    return ", ".join(f"{counts[status]} {status}" for status in sorted(counts, key=lambda s: (-counts[s], s)))


def _is_told(row: Experiment, steps: Sequence[Step]) -> bool:
    return any(step.round == row.round and step.action.arguments == row.planned for step in steps)


def _best(rows: Sequence[Experiment], objective: Objective, space: Space, told: Sequence[Step]) -> list[str]:
    valued = [(row, value) for row in rows if (value := row.value_of(objective.name)) is not None]
    # Of equal values the earlier row comes first, so that the line stays as it is.
    valued.sort(key=lambda pair: -objective.utility(pair[1]))
    name = f"{objective.name} {objective.unit}".strip()
    lines = []
    for place, (row, value) in enumerate(valued[:BEST]):
        if not _is_told(row, told):
            rank = "next" if place else "best"
            lines.append(f"{rank} {name}: {value:.6g} at {conditions_text(row.conditions, space)}")
        elif place == 0:
            lines.append(f"best {objective.name}: that of round {row.round}")
    return lines


def _near(
    rows: Sequence[Experiment], near: Conditions, space: Space, objectives: Sequence[Objective]
) -> list[str]:
    others = [row for row in rows if row.conditions != near]
    name = objectives[0].name if objectives else ""
    lines = []
    for found in nearest(near, others, space, NEAREST, objective=name):
        differs = ", ".join(f"{key}={value_text(there)}" for key, (there, _) in found.differs.items())
        lines.append(f"near the last: {value_text(found.value)} {found.unit} with {differs or 'the same'}")
    return lines


def _untried(rows: Sequence[Experiment], space: Space) -> list[str]:
    lines = []
    for parameter in space.parameters:
        tried = {str(value_text(row.conditions.get(parameter.name))) for row in rows}
        left = [value_text(level) for level in parameter.levels if value_text(level) not in tried]
        if left:
            lines.append(f"never tried {parameter.name}: {', '.join(left)}")
    return lines
