import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.core.science import Parameter, Space
from agents.reasoners.optimiser.guidance import read_guidance

SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", label="Base", levels=["KOAc", "CsOPiv"]),
        Parameter(name="ligand", kind="categorical", levels=["X-Phos", "PPh3", "PPh3 oxide", "P(fur)3"]),
        Parameter(name="solvent", kind="categorical", levels=["DMAc", "BuCN", "p-Xylene"]),
        Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120]),
        Parameter(name="air", kind="categorical", levels=["no", "yes"]),
        Parameter(name="concentration", kind="continuous", unit="mol/L", low=0.05, high=0.2),
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
        (
            "avoid P(fur)3 and use temperature at most 105",
            "ligand is other than P(fur)3; temperature is at most 105",
        ),
        (
            "avoid P(fur)3 and temperature at most 105",
            "ligand is other than P(fur)3; temperature is at most 105",
        ),
        ("use ligand other than PPh3", "ligand is other than PPh3"),
        ("anything but PPh3", "ligand is other than PPh3"),
        ("not PPh3 but X-Phos", "ligand is X-Phos; ligand is other than PPh3"),
        ("instead of KOAc use CsOPiv", "base is CsOPiv; base is other than KOAc"),
        ("exclude everything except DMAc", "solvent is DMAc"),
        ("use everything except DMAc", "solvent is other than DMAc"),
        ("try temperature 105 not 120", "temperature is equal to 105; temperature is other than 120"),
        ("keep the temperature under 378.15 K", "temperature is below 105"),
        ("concentration at least 100 mM", "concentration is at least 0.1"),
        ("stay below 100 °C", "temperature is below 100"),
        ("temperature should not exceed 105 °C", "temperature is at most 105"),
        ("never go above 105 °C", "temperature is at most 105"),
        ("105 °C or less", "temperature is at most 105"),
        (
            "Do not try DMAc, PPh3 or KOAc",
            "base is other than KOAc; ligand is other than PPh3; solvent is other than DMAc",
        ),
        ("No, use BuCN", "solvent is BuCN"),
        ("温度不超过 105", "temperature is at most 105"),
        ("不要用 PPh3，改用 X-Phos", "ligand is X-Phos; ligand is other than PPh3"),
        ("用 BuCN 而不是 DMAc", "solvent is BuCN; solvent is other than DMAc"),
        ("temperature from 90 to 105 °C", "temperature is at least 90; temperature is at most 105"),
        (
            "stop using KOAc; the temperature must stay at 105",
            "base is other than KOAc; temperature is equal to 105",
        ),
    ],
)
def test_plain_requests_are_read(text, reading):
    assert read_guidance(text, SPACE).reading == reading


@pytest.mark.parametrize(
    "text",
    [
        "Be bold.",
        "yes, go on",
        "The yields look odd",
        "Why not something cheaper?",
        "105",
        "if the temperature is above 100 use DMAc",
        "Have you tried PPh3?",
        "PPh3 gave a poor yield",
        "PPh3 is too expensive",
        "unless it boils, keep DMAc",
        "avoid between 90 and 105 °C",
        "concentration below 100 °C",
        "raise the temperature a little",
    ],
)
def test_nothing_is_guessed(text):
    assert not read_guidance(text, SPACE).is_understood


def test_alternatives_are_met_by_any_and_bounds_by_all():
    wish = read_guidance("X-Phos or PPh3, temperature above 100", SPACE)
    assert wish.is_met({"ligand": "PPh3", "temperature": 105.0})
    assert not wish.is_met({"ligand": "PPh3", "temperature": 90.0})
    assert not wish.is_met({"ligand": "P(fur)3", "temperature": 105.0})


WORDS = [
    "avoid",
    "use",
    "not",
    "but",
    "PPh3",
    "temperature",
    "105",
    "°C",
    "at most",
    "except",
    "everything",
    "and",
    "，",
    "90-105",
    "100 mM",
    "K",
]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=60))
def test_any_text_is_read_without_a_fault_and_says_what_it_took(text):
    wish = read_guidance(text, SPACE)
    assert bool(wish.reading) == wish.is_understood
