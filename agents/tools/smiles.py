"""Reading SMILES with RDKit, quietly: below both the gate and the chemistry tools."""

from typing import Any


def molecule(smiles: str) -> Any | None:
    """Return the RDKit molecule of ``smiles``, or None when it is not readable or has no atoms."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        found = Chem.MolFromSmiles(smiles.strip())
    return found if found is not None and found.GetNumAtoms() else None


def is_smiles(text: str) -> bool:
    """Return True when RDKit reads ``text`` as a structure."""
    return molecule(text) is not None
