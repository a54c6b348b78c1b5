"""Conditions as numbers: blocks of features, each with a length scale of its own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.core.constraints import same_level
from agents.core.science import Conditions, Parameter, Space
from agents.reasoners.optimiser.descriptors import Array, level_coordinates

_PRESENT = 1e-9


@dataclass(frozen=True)
class Block:
    """Columns of the feature matrix that share one length scale.

    ``kind`` is level, structure, ordered, number, fraction or present.
    """

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
    """Return the encoding of ``space``; it needs at least one parameter.

    Two levels of a factor without structures are at squared distance 1; a factor with SMILES has a second
    block of descriptors; numbers run from 0 to 1 over their range; a fraction of a mixture is whether it is
    present at all, and its square root over its range, in one block with all other fractions.
    """
    parts: list[tuple[str, int]] = []
    tables: dict[str, Array] = {}
    for parameter in space.parameters:
        if parameter.levels:
            level_parts = _level_parts(parameter)
            tables[parameter.name] = np.hstack([table for _, table in level_parts])
            parts += [(kind, table.shape[1]) for kind, table in level_parts]
        else:
            parts.append(("present" if parameter.kind == "mixture" else "number", 1))
    fractions = sum(parameter.kind == "mixture" for parameter in space.parameters)
    parts += [("fraction", fractions)] if fractions else []
    stops = np.cumsum([width for _, width in parts]).tolist()
    blocks = [Block(kind, stop - width, stop) for (kind, width), stop in zip(parts, stops, strict=True)]
    return Encoding(space=space, blocks=tuple(blocks), tables=tables)


def encode(encoding: Encoding, rows: Sequence[Conditions]) -> Array:
    """Return one row of features for each of ``rows``. A level that the space does not know raises ``KeyError``."""
    if not rows:
        return np.zeros((0, encoding.width))
    return encode_columns(
        encoding, {p.name: [row[p.name] for row in rows] for p in encoding.space.parameters}
    )


def encode_columns(encoding: Encoding, columns: Mapping[str, Sequence[Any]]) -> Array:
    """Return what ``encode`` gives for the same conditions, by column."""
    parts: list[Array] = []
    roots: list[Array] = []
    for parameter in encoding.space.parameters:
        values = columns[parameter.name]
        if parameter.levels:
            parts.append(encoding.tables[parameter.name][places(parameter, values).astype(np.int64)])
        elif parameter.kind == "mixture":
            fractions = np.clip(np.array(values, dtype=np.float64), 0.0, None)
            parts.append(((fractions > _PRESENT) / math.sqrt(2))[:, None])
            roots.append(_root_share(parameter, fractions)[:, None])
        else:
            parts.append(places(parameter, values)[:, None])
    return np.hstack([*parts, *roots])


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


def _root_share(parameter: Parameter, fractions: Array) -> Array:
    """Return the square roots of fractions as shares of the range of the root."""
    low, high = math.sqrt(max(parameter.low or 0.0, 0.0)), math.sqrt(parameter.high or 1.0)
    return np.asarray((np.sqrt(fractions) - low) / (high - low))


def _level_parts(parameter: Parameter) -> list[tuple[str, Array]]:
    """Return the feature tables of a factor with levels, by kind."""
    if parameter.kind == "ordered":
        values = np.array([float(level) for level in parameter.levels])
        return [("ordered", ((values - values.min()) / (float(np.ptp(values)) or 1.0))[:, None])]
    parts = [("level", np.eye(len(parameter.levels)) / math.sqrt(2))]
    coordinates = level_coordinates(tuple(parameter.smiles.get(str(level), "") for level in parameter.levels))
    return parts if coordinates is None else [*parts, ("structure", coordinates)]
