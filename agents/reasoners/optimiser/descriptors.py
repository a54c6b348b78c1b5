"""Molecular descriptors of the levels of a factor, reduced to a few principal components."""

import functools
import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

COMPONENTS = 5


@functools.lru_cache(maxsize=256)
def level_coordinates(smiles: tuple[str, ...]) -> Array | None:
    """Return one row a level: RDKit descriptors, standardised over the levels, on at most 5 components.

    Rows are scaled so that two levels are on average at squared distance 1. None when a structure
    cannot be read or the levels do not differ.
    """
    table = _descriptor_table(smiles)
    if table is None:
        return None
    spread = table.std(axis=0)
    kept = spread > 1e-9
    if not kept.any():
        return None
    centred = (table[:, kept] - table[:, kept].mean(axis=0)) / spread[kept]
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    coordinates = (left * sizes)[:, :COMPONENTS]
    gaps = ((coordinates[:, None] - coordinates[None]) ** 2).sum(axis=-1)
    typical = gaps[~np.eye(len(smiles), dtype=bool)].mean()
    return np.asarray(coordinates / math.sqrt(typical), dtype=np.float64)


def _descriptor_table(smiles: tuple[str, ...]) -> Array | None:
    """Return levels x descriptors without columns that some level leaves undefined."""
    from rdkit import Chem, RDLogger
    from rdkit.Chem import Descriptors

    RDLogger.DisableLog("rdApp.*")  # type: ignore[attr-defined]
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    if len(molecules) < 2 or any(molecule is None or not molecule.GetNumAtoms() for molecule in molecules):
        return None
    rows = [[_finite(function(molecule)) for _, function in Descriptors.descList] for molecule in molecules]
    table = np.array(rows, dtype=np.float64)
    return np.asarray(table[:, np.isfinite(table).all(axis=0)])


def _finite(value: float) -> float:
    """Keep descriptors whose size has a meaning; a few overflow on salts."""
    return float(value) if math.isfinite(value) and abs(value) < 1e9 else math.nan
