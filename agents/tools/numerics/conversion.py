"""``convert_units``: a value in another unit."""

from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool
from agents.tools.units import UnitMismatch, convert, convert_difference

UnitText = Annotated[str, Field(min_length=1, max_length=60, description="For example mg/mL, °C, kJ/mol.")]


class Converted(BaseModel):
    """A converted value; the unit is spelt as it was asked for."""

    value: float
    unit: str


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    in_process=True,
    examples=[{"value": 25.0, "from_unit": "°C", "to_unit": "K"}],
)
def convert_units(
    value: float,
    from_unit: UnitText,
    to_unit: UnitText,
    is_difference: Annotated[bool, Field(description="True for a temperature difference.")] = False,
) -> Converted:
    """Convert a value to another unit; dimensions are checked."""
    change = convert_difference if is_difference else convert
    try:
        return Converted(value=change(value, given=from_unit, wanted=to_unit), unit=to_unit)
    except UnitMismatch as error:
        raise BadInput(f"field to_unit: {error}") from error
