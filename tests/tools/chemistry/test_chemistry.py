"""Chemistry: reference values, and refusals that help."""

import pytest

from agents.core.errors import BadInput, NotFound
from agents.tools.chemistry.bench_sums import (
    Component,
    DilutionInput,
    buffer_ph,
    buffer_recipe,
    dilution,
    reaction_amounts,
)
from agents.tools.chemistry.descriptors import calculate_descriptors
from agents.tools.chemistry.names import name_to_smiles, table
from agents.tools.chemistry.structures import molar_mass_of, similarity, validate_smiles
from agents.tools.smiles import is_smiles

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def test_aspirin_has_its_known_descriptors() -> None:
    found = calculate_descriptors(ASPIRIN)
    assert (round(found.MolWt, 2), round(found.LogP, 2), found.TPSA) == (180.16, 1.31, 63.6)
    assert (found.Formula, found.HBondDonors, found.HBondAcceptors, found.Rings) == ("C9H8O4", 1, 3, 1)
    assert round(found.QED, 2) == 0.55


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("aspirin", "C9H8O4"),
        ("Acetylsalicylic Acid", "C9H8O4"),
        ("caffeine", "C8H10N4O2"),
        ("DMAc", "C4H9NO"),
        ("x-phos", "C33H49P"),
        ("CsOPiv", "C5H9CsO2"),
        ("Pd(OAc)2", "C4H6O4Pd"),
        ("water", "H2O"),
    ],
)
async def test_names_and_abbreviations_are_found_offline(name: str, formula: str) -> None:
    found = await name_to_smiles(name)
    assert found.source == "offline table"
    assert validate_smiles(found.smiles).formula == formula


async def test_an_unknown_name_says_what_to_do_without_a_network() -> None:
    with pytest.raises(NotFound) as caught:
        await name_to_smiles("asprin")
    text = str(caught.value)
    assert "'asprin' is not in the table of" in text
    assert "did you mean aspirin?" in text
    assert "DAYBOOK_TOOL_HOSTS" in text
    assert "Give its SMILES instead" in text


def test_every_structure_of_the_table_can_be_read() -> None:
    assert len({smiles for _, smiles in table().values()}) > 450
    assert [name for name, smiles in table().values() if not is_smiles(smiles)] == []


def test_a_structure_is_validated_and_written_canonically() -> None:
    found = validate_smiles("C1=CC=CC=C1")
    assert (found.is_valid, found.canonical_smiles, found.formula) == (True, "c1ccccc1", "C6H6")


@pytest.mark.parametrize(
    ("smiles", "problem"),
    [
        ("C1CC", "grammar"),
        ("not a molecule", "grammar"),
        ("C(C)(C)(C)(C)C", "valence"),
    ],
)
def test_an_invalid_structure_says_why(smiles: str, problem: str) -> None:
    found = validate_smiles(smiles)
    assert not found.is_valid
    assert problem in found.problem


def test_similarity_is_one_for_the_same_structure_and_low_for_a_stranger() -> None:
    assert similarity("c1ccccc1", "C1=CC=CC=C1").tanimoto == 1.0
    assert similarity(ASPIRIN, "CCCCCC").tanimoto < 0.2


def test_dilution_finds_the_missing_value() -> None:
    found = dilution(DilutionInput(stock_concentration=2.0, final_concentration=0.1, final_volume=100.0))
    assert (found.stock_volume, found.solvent_to_add) == (5.0, 95.0)
    found = dilution(DilutionInput(stock_concentration=2.0, stock_volume=5.0, final_volume=100.0))
    assert found.final_concentration == pytest.approx(0.1)


def test_a_dilution_needs_three_values_and_goes_one_way() -> None:
    with pytest.raises(ValueError, match="give exactly three of the four values"):
        DilutionInput(stock_concentration=2.0)
    with pytest.raises(BadInput, match="cannot raise the concentration"):
        dilution(DilutionInput(stock_concentration=0.1, final_concentration=1.0, final_volume=10.0))


def test_amounts_follow_from_equivalents() -> None:
    bromide = Component(smiles="Brc1ccccc1", equivalents=1.0, name="PhBr")
    base = Component(smiles="O=C([O-])[O-].[K+].[K+]", equivalents=2.5)
    first, second = reaction_amounts(0.5, [bromide, base]).amounts
    assert (first.name, round(first.mass, 1)) == ("PhBr", 78.5)
    assert (second.amount, round(second.mass, 1)) == (1.25, 172.8)
    assert molar_mass_of("O") == pytest.approx(18.015, abs=0.001)


def test_a_buffer_of_equal_parts_has_the_ph_of_its_acid() -> None:
    assert buffer_ph(4.76, 0.1, 0.1).ph == pytest.approx(4.76, abs=0.01)
    assert buffer_ph(4.76, 0.1, 0.1).note == ""


def test_a_very_dilute_buffer_is_not_what_the_approximation_says() -> None:
    found = buffer_ph(4.76, 1e-6, 1e-6)
    assert found.henderson_hasselbalch_ph == 4.76
    assert found.ph == pytest.approx(6.04, abs=0.01)
    assert "use the exact value" in found.note


def test_a_buffer_recipe_keeps_the_total() -> None:
    found = buffer_recipe(7.21, 7.21, 0.1, 100.0)
    assert (found.acid_amount, found.base_amount) == (5.0, 5.0)
    with pytest.raises(BadInput, match="choose one within 2 units"):
        buffer_recipe(10, 4.76, 0.1, 100.0)
