"""Reading SMILES with RDKit, quietly; validation, canonical form and similarity."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool
from agents.tools.schema import Smiles
from agents.tools.smiles import molecule


class StructureCheck(BaseModel):
    """Whether a text is a structure, and its canonical form."""

    is_valid: bool
    canonical_smiles: str = ""
    formula: str = ""
    problem: str = ""


class Similarity(BaseModel):
    """How alike two structures are."""

    tanimoto: Annotated[float, Field(ge=0, le=1, description="1 is the same fingerprint.")]
    fingerprint: str = "Morgan, radius 2, 2048 bits"


def known_molecule(smiles: str) -> Any:
    """Return the RDKit molecule of ``smiles``; raises ``BadInput`` when there is none."""
    found = molecule(smiles)
    if found is None:
        raise BadInput(f"{smiles!r} is not a structure that RDKit can read")
    return found


def molar_mass_of(smiles: str) -> float:
    """Return the average molar mass in g/mol; raises ``BadInput`` for text that is no structure."""
    from rdkit.Chem import Descriptors

    return float(dict(Descriptors.descList)["MolWt"](known_molecule(smiles)))


@tool(
    category="chemistry",
    title="Validate SMILES",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"smiles": "C1=CC=CC=C1"}],
)
def validate_smiles(
    smiles: Annotated[str, Field(min_length=1, max_length=1000, description="Text that may be a SMILES.")],
) -> StructureCheck:
    """Check that a text is a valid SMILES and return its canonical form and molecular formula."""
    from rdkit import Chem
    from rdkit.Chem.rdMolDescriptors import CalcMolFormula

    found = molecule(smiles)
    if found is None:
        return StructureCheck(is_valid=False, problem=_why(smiles))
    return StructureCheck(
        is_valid=True, canonical_smiles=Chem.MolToSmiles(found), formula=CalcMolFormula(found)
    )


@tool(
    category="chemistry",
    title="Similarity of structures",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"first": "CCO", "second": "CCN"}],
)
def similarity(first: Smiles, second: Smiles) -> Similarity:
    """Compare two structures by the Tanimoto similarity of their Morgan fingerprints."""
    from rdkit import DataStructs
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    a, b = (generator.GetFingerprint(known_molecule(smiles)) for smiles in (first, second))
    return Similarity(tanimoto=DataStructs.TanimotoSimilarity(a, b))


def _why(smiles: str) -> str:
    """Return what RDKit has against ``smiles``: a syntax fault, or a chemical one."""
    from rdkit import Chem, rdBase

    with rdBase.BlockLogs():
        raw = Chem.MolFromSmiles(smiles.strip(), sanitize=False)
        if raw is None:
            return "the text does not follow the SMILES grammar"
        faults = [fault.Message() for fault in Chem.DetectChemistryProblems(raw)]
    return "; ".join(faults) or "the structure has no atoms"
