"""The legal candidates of a study: inside the space, no limit broken."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from agents.core.constraints import (
    SUM_TOLERANCE,
    holds,
    mixture_names,
    outside_space,
    parameters_of,
    violations,
)
from agents.core.science import Conditions, Constraint, Parameter, Predicate, Space
from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.encoding import Encoding, encode_columns, level_index, places
from agents.reasoners.optimiser.sampling import sample_numbers

ENUMERATED = 200_000
"""Spaces with more combinations of levels than this are sampled."""

SAMPLED_LEVELS = 20_000
SAMPLED_NUMBERS = 4_096

_BINS = 5
_SLACK = 1e-9

Columns = dict[str, NDArray[np.generic]]


@dataclass(frozen=True)
class Pool:
    """Candidates by column. ``is_complete`` when every legal point of the space is among them."""

    encoding: Encoding
    columns: Columns
    features: Array
    is_complete: bool

    def __len__(self) -> int:
        return len(self.features)

    @functools.cached_property
    def tree(self) -> KDTree:
        """The candidates by their places, for finding repeats."""
        parameters = self.encoding.space.parameters
        return KDTree(np.column_stack([places(p, self.columns[p.name].tolist()) for p in parameters]))

    @functools.cached_property
    def groups(self) -> dict[str, NDArray[np.int64]]:
        """The group of each candidate by each factor: its level, or one of five equal parts of its range."""
        return {p.name: _grouped(p, self.columns[p.name]) for p in self.encoding.space.parameters}

    def conditions(self, index: int) -> Conditions:
        """Return the conditions of one candidate as plain JSON values."""
        return {name: column[index].item() for name, column in self.columns.items()}


def given_pool(encoding: Encoding, rows: Sequence[Conditions], constraints: list[Constraint]) -> Pool:
    """Return the pool of the given conditions, without those outside the space or beyond a limit."""
    space = encoding.space
    legal = [row for row in rows if not outside_space(row, space) and not violations(row, constraints)]
    columns = {
        p.name: np.array(
            [_at_level(p, row[p.name]) for row in legal],
            dtype=np.str_ if p.kind == "categorical" else np.float64,
        )
        for p in space.parameters
    }
    return legal_pool(encoding, columns, [], is_complete=True)


def space_pool(encoding: Encoding, constraints: list[Constraint], *, seed: int) -> Pool:
    """Return every legal combination of a space of levels, or a spread sample of a larger or continuous one."""
    listed = {p.name: listed_values(p) for p in encoding.space.parameters}
    levels = {name: np.array(values) for name, values in listed.items() if values is not None}
    numeric = [p for p in encoding.space.parameters if listed[p.name] is None]
    combinations = math.prod(len(values) for values in levels.values())
    if not numeric and combinations <= ENUMERATED:
        return legal_pool(encoding, _product(levels, combinations), constraints, is_complete=True)
    rng = np.random.default_rng([seed, 1])
    if not numeric:
        columns = _drawn(levels, SAMPLED_LEVELS, rng)
        return legal_pool(encoding, columns, constraints, is_complete=False)
    predicates = [c.predicate for c in constraints if c.predicate is not None]
    numbers = sample_numbers(numeric, predicates, SAMPLED_NUMBERS, seed=seed)
    columns = _drawn(levels, len(numbers), rng)
    columns.update({p.name: numbers[:, k] for k, p in enumerate(numeric)})
    return legal_pool(encoding, columns, constraints, is_complete=False)


def legal_pool(
    encoding: Encoding, columns: Columns, constraints: list[Constraint], *, is_complete: bool
) -> Pool:
    """Return the pool of those candidates that are inside the space and break no limit."""
    names = [p.name for p in encoding.space.parameters]
    keep = _inside(columns, encoding.space)
    for constraint in constraints:
        if constraint.predicate is not None:
            keep &= _mask(constraint.predicate, columns)
    kept = {name: columns[name][keep] for name in names}
    for parameter in encoding.space.parameters:
        if parameter.kind == "integer":
            kept[parameter.name] = kept[parameter.name].astype(np.int64)
    return Pool(
        encoding,
        kept,
        encode_columns(encoding, {name: column.tolist() for name, column in kept.items()}),
        is_complete,
    )


def listed_values(parameter: Parameter) -> list[float | str] | None:
    """Return the values a factor may take when they can be listed, else None."""
    if parameter.levels:
        return parameter.levels
    if parameter.kind != "integer":
        return None
    assert parameter.low is not None
    assert parameter.high is not None
    first, last = math.ceil(parameter.low), math.floor(parameter.high)
    return [float(value) for value in range(first, last + 1)] if last - first < 1_000 else None


def _inside(columns: Columns, space: Space) -> NDArray[np.bool_]:
    """Return which candidates keep the bounds of numbers and the sum of a mixture."""
    keep = np.ones(len(columns[space.parameters[0].name]), dtype=bool)
    for parameter in space.parameters:
        if not parameter.levels:
            share = places(parameter, columns[parameter.name].tolist())
            keep &= (share >= -_SLACK) & (share <= 1.0 + _SLACK)
    fractions = mixture_names(space)
    if fractions:
        total = np.sum([columns[name].astype(np.float64) for name in fractions], axis=0)
        keep &= np.abs(total - 1.0) <= SUM_TOLERANCE
    return keep


def _grouped(parameter: Parameter, column: NDArray[np.generic]) -> NDArray[np.int64]:
    share = places(parameter, column.tolist())
    return (share if parameter.levels else np.clip(share * _BINS, 0, _BINS - 1)).astype(np.int64)


def _at_level(parameter: Parameter, value: float | str) -> float | str:
    """Return the level that ``value`` spells, free of rounding in a file."""
    return parameter.levels[level_index(parameter, value)] if parameter.levels else value


def _mask(predicate: Predicate, columns: Columns) -> NDArray[np.bool_]:
    """Return which candidates satisfy ``predicate``, asking the core once for each combination that occurs."""
    names = parameters_of(predicate)
    length = len(next(iter(columns.values())))
    if any(name not in columns for name in names) or not length:
        return np.ones(length, dtype=bool)
    code = np.zeros(length, dtype=np.int64)
    for name in names:
        _, inverse = np.unique(columns[name], return_inverse=True)
        code = np.unique(code * (int(inverse.max()) + 1) + inverse, return_inverse=True)[1]
    _, first, position = np.unique(code, return_index=True, return_inverse=True)
    verdicts = [holds({name: columns[name][i].item() for name in names}, predicate) for i in first]
    return np.array(verdicts, dtype=bool)[position]


def _product(levels: Columns, combinations: int) -> Columns:
    codes = np.unravel_index(np.arange(combinations), [len(values) for values in levels.values()])
    return {name: values[code] for (name, values), code in zip(levels.items(), codes, strict=True)}


def _drawn(levels: Columns, count: int, rng: np.random.Generator) -> Columns:
    return {name: values[rng.integers(len(values), size=count)] for name, values in levels.items()}
