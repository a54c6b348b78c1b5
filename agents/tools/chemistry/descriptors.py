"""``calculate_descriptors``: what RDKit computes from a structure."""

from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.tools import EffectClass
from agents.tools.chemistry.structures import known_molecule
from agents.tools.registry import tool
from agents.tools.schema import Smiles, Unit


class Descriptors(BaseModel):
    """Descriptors of one structure, named as in RDKit."""

    MolWt: Annotated[float, Unit("g/mol"), Field(description="Average molecular weight.")]
    ExactMolWt: Annotated[float, Unit("Da"), Field(description="Monoisotopic mass.")]
    LogP: Annotated[float, Field(description="Crippen's octanol-water partition coefficient.")]
    TPSA: Annotated[float, Unit("Å^2"), Field(description="Topological polar surface area.")]
    QED: Annotated[float, Field(ge=0, le=1, description="Drug-likeness, 1 is best.")]
    HBondDonors: int
    HBondAcceptors: int
    RotatableBonds: int
    Rings: int
    AromaticRings: int
    HeavyAtoms: int
    FractionCSP3: float
    FormalCharge: int
    Formula: str


@tool(
    category="chemistry",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"smiles": "CC(=O)Oc1ccccc1C(=O)O"}],
)
def calculate_descriptors(smiles: Smiles) -> Descriptors:
    """Calculate molecular descriptors of a structure: weight, LogP, TPSA, QED, hydrogen bonds, rings."""
    from rdkit.Chem import Descriptors as catalogue
    from rdkit.Chem import rdMolDescriptors, rdmolops

    mol = known_molecule(smiles)
    of = {name: function(mol) for name, function in catalogue.descList if name in _NAMES.values()}
    return Descriptors(
        **{ours: round(of[theirs], 5) for ours, theirs in _NAMES.items()},
        FormalCharge=rdmolops.GetFormalCharge(mol),
        Formula=rdMolDescriptors.CalcMolFormula(mol),
    )


_NAMES = {
    "MolWt": "MolWt",
    "ExactMolWt": "ExactMolWt",
    "LogP": "MolLogP",
    "TPSA": "TPSA",
    "QED": "qed",
    "HBondDonors": "NumHDonors",
    "HBondAcceptors": "NumHAcceptors",
    "RotatableBonds": "NumRotatableBonds",
    "Rings": "RingCount",
    "AromaticRings": "NumAromaticRings",
    "HeavyAtoms": "HeavyAtomCount",
    "FractionCSP3": "FractionCSP3",
}
"""Our names and those of RDKit's own list."""
