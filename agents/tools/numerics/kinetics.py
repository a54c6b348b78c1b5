"""``simulate_kinetics``: concentrations over time by the law of mass action."""

import re
from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool
from agents.tools.schema import Unit

_TERM = re.compile(r"(?:(\d+)\s*\*?\s*)?([A-Za-z][\w()+\-]*?)")


class Reaction(BaseModel):
    """An elementary step; a reversible one is two steps."""

    equation: Annotated[str, Field(max_length=200, description="For example A + 2 B -> C.")]
    rate_constant: Annotated[float, Field(ge=0, description="In mol, L and the unit of time used.")]


class Start(BaseModel):
    """A concentration at time 0."""

    species: Annotated[str, Field(min_length=1, max_length=60)]
    concentration: Annotated[float, Unit("mol/L"), Field(ge=0)]


class Course(BaseModel):
    """One species over time."""

    species: str
    concentrations: Annotated[list[float], Unit("mol/L")]


class Simulation(BaseModel):
    """All species at the same times."""

    times: list[float]
    courses: list[Course]


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    cacheable=True,
    parallel_safe=True,
    timeout_s=30,
    examples=[
        {
            "reactions": [{"equation": "A -> B", "rate_constant": 0.1}],
            "start": [{"species": "A", "concentration": 1.0}],
            "end_time": 20.0,
        }
    ],
)
def simulate_kinetics(
    reactions: Annotated[list[Reaction], Field(min_length=1, max_length=50)],
    start: Annotated[list[Start], Field(min_length=1, max_length=50)],
    end_time: Annotated[float, Field(gt=0)],
    points: Annotated[int, Field(ge=2, le=50)] = 11,
) -> Simulation:
    """Simulate reaction kinetics by mass action from rate constants and starting concentrations."""
    import numpy as np
    from scipy.integrate import solve_ivp

    steps = [(*_sides(reaction.equation), reaction.rate_constant) for reaction in reactions]
    species = list(dict.fromkeys(name for left, right, _ in steps for name in (*left, *right)))
    unknown = [each.species for each in start if each.species not in species]
    if unknown:
        raise BadInput(f"{unknown[0]} is in no reaction; the species are {', '.join(species)}")
    place = {name: i for i, name in enumerate(species)}
    initial = np.zeros(len(species))
    for each in start:
        initial[place[each.species]] = each.concentration
    times = np.linspace(0.0, end_time, points)
    found = solve_ivp(
        lambda _, now: _change(now, steps, place),
        (0.0, end_time),
        initial,
        method="LSODA",
        t_eval=times,
        rtol=1e-8,
        atol=1e-12,
    )
    if not found.success:
        raise BadInput(f"these equations could not be integrated: {found.message}")
    courses = [Course(species=name, concentrations=found.y[place[name]].tolist()) for name in species]
    return Simulation(times=times.tolist(), courses=courses)


def _change(now: Any, steps: list[tuple[Counter[str], Counter[str], float]], place: dict[str, int]) -> Any:
    import numpy as np

    change = np.zeros_like(now)
    for left, right, constant in steps:
        rate = constant
        for name, count in left.items():
            # Rounding may leave a spent reactant slightly below zero.
            rate *= max(now[place[name]], 0.0) ** count
        for side, sign in ((left, -1), (right, 1)):
            for name, count in side.items():
                change[place[name]] += sign * count * rate
    return change


def _sides(equation: str) -> tuple[Counter[str], Counter[str]]:
    left, arrow, right = equation.replace("→", "->").partition("->")
    if not arrow or "->" in right or "<" in left:
        raise BadInput(
            f"{equation!r} is no step: write reactants -> products, once; a reversible reaction is two steps"
        )
    sides = _side(left, equation), _side(right, equation)
    if not sides[0]:
        raise BadInput(f"{equation!r} has no reactant")
    return sides


def _side(text: str, equation: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for term in filter(None, (part.strip() for part in re.split(r"\s\+\s", text.strip()))):
        match = _TERM.fullmatch(term)
        if match is None:
            raise BadInput(f"{term!r} in {equation!r} is no species: write for example 2 A + B -> C")
        found[match[2]] += int(match[1] or 1)
    return found
