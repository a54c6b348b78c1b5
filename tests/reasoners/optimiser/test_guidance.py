import pytest

from agents.core.science import Parameter, Space
from agents.reasoners.optimiser.guidance import read_guidance

SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", label="Base", levels=["KOAc", "CsOPiv"]),
        Parameter(name="ligand", kind="categorical", levels=["X-Phos", "PPh3", "PPh3 oxide", "P(fur)3"]),
        Parameter(name="solvent", kind="categorical", levels=["DMAc", "BuCN", "p-Xylene"]),
        Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120]),
        Parameter(name="air", kind="categorical", levels=["no", "yes"]),
    ]
)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("use CsOPiv", "base is CsOPiv"),
        ("ligand = XPhos", "ligand is X-Phos"),
        ("Try x phos with p-xylene.", "ligand is X-Phos; solvent is p-Xylene"),
        ("X-Phos or P(fur)3 please", "ligand is X-Phos or P(fur)3"),
        ("PPh3 oxide", "ligand is PPh3 oxide"),
        ("avoid DMAc", "solvent is other than DMAc"),
        ("Don't use DMAc and BuCN", "solvent is other than DMAc; solvent is other than BuCN"),
        ("avoid DMAc, use BuCN", "solvent is BuCN; solvent is other than DMAc"),
        ("Use X-Phos instead of PPh3", "ligand is X-Phos; ligand is other than PPh3"),
        ("temperature = 105 °C", "temperature is equal to 105"),
        ("Temperature above 100", "temperature is above 100"),
        ("keep the temperature no more than 105", "temperature is at most 105"),
        ("avoid temperature above 105", "temperature is at most 105"),
        ("use KOAc at temperature no more than 105", "base is KOAc; temperature is at most 105"),
        ("temperature between 90 and 105", "temperature is at least 90; temperature is at most 105"),
        ("air: yes", "air is yes"),
        ("用 CsOPiv，避免 DMAc", "base is CsOPiv; solvent is other than DMAc"),
    ],
)
def test_plain_requests_are_read(text, reading):
    assert read_guidance(text, SPACE).reading == reading


@pytest.mark.parametrize(
    "text", ["Be bold.", "yes, go on", "The yields look odd", "Why not something cheaper?", "105"]
)
def test_nothing_is_guessed(text):
    assert not read_guidance(text, SPACE).is_understood


def test_alternatives_are_met_by_any_and_bounds_by_all():
    wish = read_guidance("X-Phos or PPh3, temperature above 100", SPACE)
    assert wish.is_met({"ligand": "PPh3", "temperature": 105.0})
    assert not wish.is_met({"ligand": "PPh3", "temperature": 90.0})
    assert not wish.is_met({"ligand": "P(fur)3", "temperature": 105.0})
