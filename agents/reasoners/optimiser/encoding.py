"""Conditions as numbers: blocks of features, each with a length scale of its own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.core.constraints import same_level
from agents.core.science import Conditions, Parameter, Space
from agents.reasoners.optimiser.descriptors import Array, level_coordinates


@dataclass(frozen=True)
class Block:
    """Columns of the feature matrix that share one length scale. ``parameter`` is the factor they describe."""

    parameter: str
    kind: str
    start: int
    stop: int


@dataclass(frozen=True)
class Encoding:
    """How a space becomes features. ``tables`` maps a factor with levels to one row of features a level."""

    space: Space
    blocks: tuple[Block, ...]
    tables: dict[str, Array]

    @property
    def width(self) -> int:
        """The number of feature columns."""
        return self.blocks[-1].stop


def encoding_of(space: Space) -> Encoding:
    """Return the encoding of ``space``.

    Two levels of a factor without structures are at squared distance 1; a factor with SMILES has a second
    block of descriptors; numbers run from 0 to 1 over their range; a fraction of a mixture is its square
    root, and whether it is present at all.
    """
    blocks: list[Block] = []
    tables: dict[str, Array] = {}
    start = 0
    for parameter in space.parameters:
        parts = _parts(parameter)
        if parameter.levels:
            tables[parameter.name] = np.hstack([table for _, table in parts])
        for kind, table in parts:
            blocks.append(Block(parameter.name, kind, start, start + table.shape[1]))
            start += table.shape[1]
    return Encoding(space=space, blocks=tuple(blocks), tables=tables)


def encode(encoding: Encoding, rows: Sequence[Conditions]) -> Array:
    """Return one row of features for each of ``rows``. A level that the space does not know raises ``KeyError``."""
    columns = [_column(encoding, parameter, rows) for parameter in encoding.space.parameters]
    return np.hstack(columns) if rows else np.zeros((0, encoding.width))


def level_index(parameter: Parameter, value: object) -> int:
    """Return the position of ``value`` among the levels of ``parameter``; ``KeyError`` when it is none."""
    for position, level in enumerate(parameter.levels):
        if same_level(level, value):
            return position
    raise KeyError(f"{value!r} is no level of {parameter.name}")


def places(parameter: Parameter, values: Sequence[Any]) -> Array:
    """Return one coordinate a value: the number of its level, or its share of the range."""
    if parameter.levels:
        known = {level: position for position, level in enumerate(parameter.levels)}
        return np.array(
            [known[v] if v in known else level_index(parameter, v) for v in values], dtype=np.float64
        )
    assert parameter.low is not None
    assert parameter.high is not None
    return (np.array(values, dtype=np.float64) - parameter.low) / (parameter.high - parameter.low)


def _parts(parameter: Parameter) -> list[tuple[str, Array]]:
    """Return the feature tables of one factor by kind; for numbers without levels only the widths matter."""
    count = len(parameter.levels)
    if parameter.kind == "categorical":
        parts = [("level", np.eye(count) / math.sqrt(2))]
        coordinates = level_coordinates(
            tuple(parameter.smiles.get(str(level), "") for level in parameter.levels)
        )
        return parts if coordinates is None else [*parts, ("structure", coordinates)]
    if parameter.kind == "ordered":
        values = np.array([float(level) for level in parameter.levels])
        span = float(np.ptp(values)) or 1.0
        return [("number", ((values - values.min()) / span)[:, None])]
    if parameter.kind == "mixture":
        return [("fraction", np.zeros((1, 1))), ("present", np.zeros((1, 1)))]
    return [("number", np.zeros((1, 1)))]


def _column(encoding: Encoding, parameter: Parameter, rows: Sequence[Conditions]) -> Array:
    """Return the feature columns of one factor for all rows."""
    name = parameter.name
    if parameter.levels:
        indices = places(parameter, [row[name] for row in rows]).astype(np.int64)
        return np.asarray(encoding.tables[name][indices])
    return number_features(parameter, np.array([float(row[name]) for row in rows]))


def number_features(parameter: Parameter, values: Array) -> Array:
    """Return the feature columns of a number without levels."""
    assert parameter.low is not None
    assert parameter.high is not None
    if parameter.kind == "mixture":
        positive = np.clip(values, 0.0, None)
        return np.column_stack([np.sqrt(positive), (positive > 1e-9).astype(np.float64)])
    return np.asarray(((values - parameter.low) / (parameter.high - parameter.low))[:, None])
