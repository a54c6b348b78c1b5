import pytest

from agents.adapters.tables import load_dataset
from agents.core.errors import BadInput
from agents.core.science import Parameter, Space
from agents.core.study import DatasetRef

TEXT = """Solvent_SMILES,Temp (°C),code,yield
CCO,60,1,10.5
CCO,80.0,2,20
O,60,1,30
O,60,1,31
O,,1,32
"""
SPACE = Space(
    parameters=[
        Parameter(name="solvent", kind="categorical", levels=["ethanol", "water"]),
        Parameter(name="temperature", kind="ordered", levels=[60, 80], unit="°C"),
    ]
)
REF = DatasetRef(
    id="1",
    name="plate.csv",
    content_hash="0",
    columns={"solvent": "Solvent_SMILES", "temperature": "temp"},
    levels={"solvent": {"CCO": "ethanol", "O": "water"}},
)


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "plate.csv"
    path.write_text(TEXT)
    return load_dataset(path, REF)


def test_finds_rows_by_the_names_and_levels_of_the_study(dataset):
    assert dataset.find({"solvent": "ethanol", "temperature": 80}, SPACE) == [
        {"solvent": "ethanol", "temperature": 80.0, "code": 2, "yield": 20}
    ]


def test_replicates_come_back_in_file_order(dataset):
    rows = dataset.find({"solvent": "water", "temperature": 60.0}, SPACE)
    assert [row["yield"] for row in rows] == [30, 31]


def test_numbers_as_text_find_the_same_rows(dataset):
    assert len(dataset.find({"solvent": " water ", "temperature": "60"}, SPACE)) == 2


def test_unmeasured_conditions_find_nothing(dataset):
    assert dataset.find({"solvent": "water", "temperature": 80}, SPACE) == []


def test_conditions_are_distinct_and_complete(dataset):
    assert dataset.conditions(SPACE) == [
        {"solvent": "ethanol", "temperature": 60},
        {"solvent": "ethanol", "temperature": 80},
        {"solvent": "water", "temperature": 60},
    ]


def test_a_row_given_out_cannot_change_the_dataset(dataset):
    dataset.find({"solvent": "ethanol", "temperature": 80}, SPACE)[0]["yield"] = 99
    assert dataset.find({"solvent": "ethanol", "temperature": 80}, SPACE)[0]["yield"] == 20


def test_describes_units_ranges_and_levels(dataset):
    solvent, temperature, *_ = dataset.describe()["columns"]
    assert (solvent["levels"], solvent["distinct"]) == (["ethanol", "water"], 2)
    assert (temperature["unit"], temperature["low"], temperature["high"]) == ("°C", 60, 80)


def test_missing_parameters_are_named(dataset):
    with pytest.raises(BadInput, match="lack temperature"):
        dataset.find({"solvent": "water"}, SPACE)
    wider = Space(parameters=[*SPACE.parameters, Parameter(name="time", kind="continuous", low=1, high=2)])
    with pytest.raises(BadInput, match=r"plate\.csv has no column for time"):
        dataset.conditions(wider)


def test_a_mapping_to_a_column_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "plate.csv"
    path.write_text(TEXT)
    with pytest.raises(BadInput, match="no column 'Ligand' for 'ligand'"):
        load_dataset(path, REF.model_copy(update={"columns": {"ligand": "Ligand"}}))


def test_coded_levels_written_as_numbers_map_to_names(tmp_path):
    path = tmp_path / "plate.csv"
    path.write_text(TEXT)
    ref = REF.model_copy(
        update={"columns": {"catalyst": "code"}, "levels": {"catalyst": {"1": "Pd", "2.0": "Ni"}}}
    )
    space = Space(parameters=[Parameter(name="catalyst", kind="categorical", levels=["Pd", "Ni"])])
    assert [row["yield"] for row in load_dataset(path, ref).find({"catalyst": "Ni"}, space)] == [20]
