"""Sums of the bench: dilution, amounts of a reaction, buffers."""

import math
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.chemistry.structures import molar_mass_of
from agents.tools.registry import tool
from agents.tools.schema import Smiles, Unit

Positive = Annotated[float, Field(gt=0)]
KW = 1.0e-14
"""Ion product of water at 25 °C, in (mol/L)²."""


class DilutionInput(BaseModel):
    """Three of the four; the missing one is calculated."""

    stock_concentration: Annotated[Positive | None, Unit("mol/L")] = None
    stock_volume: Annotated[Positive | None, Unit("mL")] = None
    final_concentration: Annotated[Positive | None, Unit("mol/L")] = None
    final_volume: Annotated[Positive | None, Unit("mL")] = None

    @model_validator(mode="after")
    def _one_is_missing(self) -> Self:
        missing = [name for name, value in self if value is None]
        if len(missing) != 1:
            raise ValueError(
                f"give exactly three of the four values; missing now: {', '.join(missing) or 'none'}"
            )
        return self


class Dilution(BaseModel):
    """A complete dilution."""

    stock_concentration: Annotated[float, Unit("mol/L")]
    stock_volume: Annotated[float, Unit("mL")]
    final_concentration: Annotated[float, Unit("mol/L")]
    final_volume: Annotated[float, Unit("mL")]
    solvent_to_add: Annotated[float, Unit("mL")]


@tool(
    category="chemistry",
    effect=EffectClass.LOCAL,
    in_process=True,
    examples=[{"stock_concentration": 1.0, "final_concentration": 0.1, "final_volume": 50.0}],
)
def dilution(values: DilutionInput) -> Dilution:
    """Calculate a dilution, C1·V1 = C2·V2: give three of the four values. Volumes are taken as additive."""
    stock = (values.stock_concentration, values.stock_volume)
    final = (values.final_concentration, values.final_volume)
    c1, v1 = _completed(*stock, moles=_product(*final))
    c2, v2 = _completed(*final, moles=_product(*stock))
    if c2 > c1:
        raise BadInput(f"a dilution cannot raise the concentration from {c1:g} to {c2:g} mol/L")
    return Dilution(
        stock_concentration=c1,
        stock_volume=v1,
        final_concentration=c2,
        final_volume=v2,
        solvent_to_add=v2 - v1,
    )


def _product(concentration: float | None, volume: float | None) -> float:
    """Return the amount of a complete side; 0 for the side that is to be completed."""
    return (concentration or 0.0) * (volume or 0.0)


def _completed(concentration: float | None, volume: float | None, *, moles: float) -> tuple[float, float]:
    if concentration is None:
        assert volume is not None
        return moles / volume, volume
    return concentration, moles / concentration if volume is None else volume


class Component(BaseModel):
    """A component of a reaction."""

    smiles: Smiles
    equivalents: Positive
    name: Annotated[str, Field(max_length=100)] = ""


class Amount(BaseModel):
    """What to weigh of one component."""

    name: str
    molar_mass: Annotated[float, Unit("g/mol")]
    amount: Annotated[float, Unit("mmol")]
    mass: Annotated[float, Unit("mg")]


class Amounts(BaseModel):
    """What to weigh."""

    amounts: list[Amount]


@tool(
    category="chemistry",
    effect=EffectClass.LOCAL,
    in_process=True,
    examples=[{"scale": 0.5, "components": [{"smiles": "Brc1ccccc1", "equivalents": 1.0}]}],
)
def reaction_amounts(
    scale: Annotated[Positive, Unit("mmol"), Field(description="Amount of one equivalent.")],
    components: Annotated[list[Component], Field(min_length=1, max_length=30)],
) -> Amounts:
    """Calculate amount and mass of every component of a reaction from its equivalents."""
    amounts = []
    for component in components:
        molar_mass = molar_mass_of(component.smiles)
        amount = scale * component.equivalents
        name = component.name or component.smiles
        amounts.append(Amount(name=name, molar_mass=molar_mass, amount=amount, mass=amount * molar_mass))
    return Amounts(amounts=amounts)


class BufferPh(BaseModel):
    """The pH of a buffer, solved exactly and by the usual approximation."""

    ph: float
    henderson_hasselbalch_ph: float
    note: str = ""


@tool(
    category="chemistry",
    title="Buffer pH",
    effect=EffectClass.LOCAL,
    in_process=True,
    examples=[{"pka": 4.76, "acid_concentration": 0.1, "base_concentration": 0.1}],
)
def buffer_ph(
    pka: Annotated[float, Field(ge=-5, le=19)],
    acid_concentration: Annotated[Positive, Unit("mol/L"), Field(le=20)],
    base_concentration: Annotated[Positive, Unit("mol/L"), Field(le=20)],
) -> BufferPh:
    """Calculate the pH of a buffer of a weak acid and its conjugate base in water at 25 °C (no activities)."""
    ka, total = 10.0**-pka, acid_concentration + base_concentration

    def charge(ph: float) -> float:
        h = 10.0**-ph
        return float(h + base_concentration - KW / h - total * ka / (ka + h))

    low, high = -2.0, 16.0
    for _ in range(80):  # the charge falls with pH, so halving the interval finds the one root
        middle = (low + high) / 2
        low, high = (middle, high) if charge(middle) > 0 else (low, middle)
    ph = (low + high) / 2
    simple = pka + math.log10(base_concentration / acid_concentration)
    differs = abs(ph - simple) > 0.05
    note = "too dilute or too strong for Henderson-Hasselbalch: use the exact value" if differs else ""
    return BufferPh(ph=round(ph, 4), henderson_hasselbalch_ph=round(simple, 4), note=note)


class BufferRecipe(BaseModel):
    """What to mix for a buffer."""

    acid_amount: Annotated[float, Unit("mmol")]
    base_amount: Annotated[float, Unit("mmol")]
    base_to_acid_ratio: float


@tool(
    category="chemistry",
    effect=EffectClass.LOCAL,
    in_process=True,
    examples=[{"target_ph": 7.4, "pka": 7.21, "total_concentration": 0.05, "volume": 500.0}],
)
def buffer_recipe(
    target_ph: Annotated[float, Field(ge=0, le=14)],
    pka: Annotated[float, Field(ge=0, le=14)],
    total_concentration: Annotated[Positive, Unit("mol/L"), Field(le=20)],
    volume: Annotated[Positive, Unit("mL")],
) -> BufferRecipe:
    """Calculate how much weak acid and conjugate base make a buffer of a pH (Henderson-Hasselbalch)."""
    if abs(target_ph - pka) > 2:
        raise BadInput(
            f"an acid of pKa {pka:g} does not buffer at pH {target_ph:g}: choose one within 2 units"
        )
    ratio = 10.0 ** (target_ph - pka)
    total = total_concentration * volume
    acid = total / (1 + ratio)
    return BufferRecipe(acid_amount=acid, base_amount=total - acid, base_to_acid_ratio=ratio)
