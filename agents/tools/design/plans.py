"""Designs over the space of a study: all combinations, or points spread evenly. Only legal conditions."""

import itertools
import math
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.constraints import outside_space, violations
from agents.core.errors import BadInput
from agents.core.science import Conditions, Constraint, Parameter, Space
from agents.core.tools import EffectClass
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

MAX_RUNS = 512


class Design(BaseModel):
    """Experiments in the order of the design; ``left_out`` counts combinations that a limit forbids."""

    experiments: list[dict[str, Any]]
    left_out: int


def design_tools(space: Space, constraints: list[Constraint]) -> list[Tool]:
    """Return the tools for this space."""

    @tool(category="design", effect=EffectClass.LOCAL, in_process=True, cacheable=True, parallel_safe=True)
    def design_factorial(
        levels: Annotated[int, Field(ge=2, le=5, description="Of each continuous parameter.")] = 2,
        centre_points: Annotated[int, Field(ge=0, le=10)] = 0,
    ) -> Design:
        """Plan all combinations of the parameters' levels; continuous ones get evenly spaced levels."""
        return factorial(space, constraints, levels=levels, centre_points=centre_points)

    @tool(category="design", effect=EffectClass.LOCAL, in_process=True, cacheable=True, parallel_safe=True)
    def design_space_filling(
        count: Annotated[int, Field(ge=1, le=100)] = 8, seed: Annotated[int, Field(ge=0)] = 0
    ) -> Design:
        """Plan experiments spread evenly over the space (Latin hypercube)."""
        return space_filling(space, constraints, count=count, seed=seed)

    return [tool_of(design_factorial), tool_of(design_space_filling)]


def factorial(space: Space, constraints: list[Constraint], *, levels: int, centre_points: int = 0) -> Design:
    """Return the full factorial design. Raises ``BadInput`` when it has more than 512 experiments."""
    if any(parameter.kind == "mixture" for parameter in space.parameters):
        raise BadInput("fractions of a mixture cannot be combined freely; use design_space_filling")
    choices = [_levels(parameter, levels) for parameter in space.parameters]
    total = math.prod(len(each) for each in choices)
    if total > MAX_RUNS:
        raise BadInput(
            f"this design has {total:,} experiments, more than {MAX_RUNS}: use fewer levels or design_space_filling"
        )
    names = [parameter.name for parameter in space.parameters]
    planned = [dict(zip(names, combination, strict=True)) for combination in itertools.product(*choices)]
    legal = [each for each in planned if is_legal(each, space, constraints)]
    centre = {parameter.name: _centre(parameter) for parameter in space.parameters}
    if centre_points and is_legal(centre, space, constraints):
        legal += [centre] * centre_points
    return Design(
        experiments=legal, left_out=total - len([e for e in planned if is_legal(e, space, constraints)])
    )


def space_filling(space: Space, constraints: list[Constraint], *, count: int, seed: int) -> Design:
    """Return up to ``count`` different legal experiments spread over the space; the same for the same seed."""
    import numpy as np
    from scipy.stats import qmc

    found: dict[str, Conditions] = {}
    left_out = 0
    for attempt in range(20):
        generator = np.random.default_rng([seed, attempt])
        sample = qmc.LatinHypercube(d=len(space.parameters), rng=generator).random(max(count, 8))
        for point in sample:
            conditions = _placed(point, space)
            if not is_legal(conditions, space, constraints):
                left_out += 1
            elif len(found) < count:
                found.setdefault(repr(conditions), conditions)
        if len(found) >= count:
            break
    return Design(experiments=list(found.values()), left_out=left_out)


def is_legal(conditions: Conditions, space: Space, constraints: list[Constraint]) -> bool:
    """Return True for a point of the space that breaks no constraint."""
    return not outside_space(conditions, space) and not violations(conditions, constraints)


def _levels(parameter: Parameter, count: int) -> list[Any]:
    if parameter.levels:
        return list(parameter.levels)
    low, high = _range(parameter)
    spaced = [low + (high - low) * step / (count - 1) for step in range(count)]
    return sorted({_rounded(value, parameter) for value in spaced})


def _centre(parameter: Parameter) -> Any:
    if parameter.levels:
        return parameter.levels[(len(parameter.levels) - 1) // 2]
    return _rounded(sum(_range(parameter)) / 2, parameter)


def _placed(point: Any, space: Space) -> Conditions:
    """Return the conditions at a point of the unit cube; mixtures share out their whole."""
    conditions = {
        parameter.name: _at(float(share), parameter)
        for share, parameter in zip(point, space.parameters, strict=True)
    }
    parts = [parameter.name for parameter in space.parameters if parameter.kind == "mixture"]
    if len(parts) > 1:
        # Exponential shares give points spread evenly over all mixtures.
        raw = {
            name: -math.log(max(1e-12, float(point[i]))) for i, name in enumerate(conditions) if name in parts
        }
        total = sum(raw.values())
        rounded = {name: round(value / total, 4) for name, value in raw.items()}
        rounded[parts[-1]] = round(1 - sum(rounded[name] for name in parts[:-1]), 4)
        conditions.update(rounded)
    return conditions


def _at(share: float, parameter: Parameter) -> Any:
    if parameter.levels:
        return parameter.levels[min(int(share * len(parameter.levels)), len(parameter.levels) - 1)]
    low, high = _range(parameter)
    return _rounded(low + share * (high - low), parameter)


def _rounded(value: float, parameter: Parameter) -> float | int:
    return round(value) if parameter.kind == "integer" else float(f"{value:.4g}")


def _range(parameter: Parameter) -> tuple[float, float]:
    assert parameter.low is not None
    assert parameter.high is not None
    return parameter.low, parameter.high
