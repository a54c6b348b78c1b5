"""``name_to_smiles``: from a common name to a structure, offline first."""

from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import BaseModel, Field

from agents.core.errors import NotConfigured, NotFound
from agents.core.tools import EffectClass
from agents.tools import network
from agents.tools.gate.notes import folded, nearest
from agents.tools.registry import tool
from agents.tools.schema import Smiles

PUBCHEM = "https://pubchem.ncbi.nlm.nih.gov/rest/pug/compound/name/{name}/property/SMILES/JSON"


class NamedStructure(BaseModel):
    """A structure found by name."""

    name: str
    smiles: Smiles
    source: Literal["offline table", "PubChem"]


@tool(
    category="chemistry",
    title="Name to SMILES",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    timeout_s=20,
    examples=[{"name": "aspirin"}],
)
async def name_to_smiles(
    name: Annotated[str, Field(min_length=1, max_length=200, description="Common name or abbreviation.")],
) -> NamedStructure:
    """Find the SMILES of a chemical by its common name."""
    wanted = folded(name)
    if wanted in table():
        known, smiles = table()[wanted]
        return NamedStructure(name=known, smiles=smiles, source="offline table")
    return NamedStructure(name=name, smiles=await _from_pubchem(name), source="PubChem")


@lru_cache(maxsize=1)
def table() -> dict[str, tuple[str, str]]:
    """Return name and SMILES of the common chemicals by folded name or synonym.

    Source: written for Daybook; skeletons agree with the PubChem identifiers in the ``chemicals`` package.
    """
    text = (files(__package__) / "common_chemicals.tsv").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str]] = {}
    for line in text.splitlines()[1:]:
        name, synonyms, smiles = line.split("\t")
        for each in (name, *filter(None, synonyms.split("|"))):
            found[folded(each)] = (name, smiles)
    return found


async def _from_pubchem(name: str) -> str:
    close = nearest(folded(name), list(table()))
    hint = f"; did you mean {table()[close][0]}?" if close else ""
    try:
        answer = await network.get_json(PUBCHEM.format(name=quote(name, safe="")))
    except NotConfigured as error:
        message = (
            f"{name!r} is not in the table of {len(set(table().values()))} common chemicals{hint} and {error}"
        )
        raise NotFound(f"{message}. Give its SMILES instead") from error
    except NotFound as error:
        raise NotFound(f"neither the offline table nor PubChem knows {name!r}{hint}") from error
    return str(answer["PropertyTable"]["Properties"][0]["SMILES"])
