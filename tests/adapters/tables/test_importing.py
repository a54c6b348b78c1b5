import pytest

from agents.adapters.tables import experiments_from, read_table
from agents.core.science import Objective, Parameter, Space
from agents.core.study import DatasetRef

SPACE = Space(
    parameters=[
        Parameter(name="solvent", kind="categorical", levels=["ethanol", "water"]),
        Parameter(name="temperature", kind="ordered", unit="°C", levels=[60, 80]),
        Parameter(name="time", kind="continuous", unit="min", low=1, high=120),
    ]
)
OBJECTIVES = [Objective(name="yield", unit="%", low=0, high=100)]
HEADER = "Solvent,Temperature (°C),Time (min),Yield (%)\n"


@pytest.fixture
def imported(tmp_path):
    def imported(text: str, *, columns=None, levels=None, space=SPACE, objectives=OBJECTIVES):
        path = tmp_path / "past.csv"
        path.write_text(text)
        ref = DatasetRef(id="", name="past.csv", content_hash="", columns=columns or {}, levels=levels or {})
        return experiments_from(
            read_table(path, name="past.csv"), mapping=ref, space=space, objectives=objectives
        )

    return imported


def test_rows_become_past_experiments(imported):
    experiments, problems = imported(HEADER + "water,60,10,50.5\nethanol,80,20,70\n")
    assert problems == []
    assert [(e.planned, e.value_of("yield"), e.origin, e.status) for e in experiments] == [
        ({"solvent": "water", "temperature": 60, "time": 10}, 50.5, "past", "measured"),
        ({"solvent": "ethanol", "temperature": 80, "time": 20}, 70, "past", "measured"),
    ]


def test_units_of_the_file_are_converted(imported):
    experiments, _ = imported("Solvent,Temperature (K),Time (h),Yield (%)\nwater,333.15,0.5,50\n")
    assert experiments[0].planned == {"solvent": "water", "temperature": 60, "time": 30}


def test_a_unit_of_another_kind_is_named_by_column(imported):
    experiments, problems = imported(HEADER.replace("(min)", "(mL)") + "water,60,10,50\n")
    assert experiments == []
    assert [(p.kind, p.column) for p in problems] == [("unit", "Time (mL)")]


def test_equal_conditions_are_replicates_and_equal_rows_copies(imported):
    experiments, problems = imported(HEADER + "water,60,10,50\nwater,60,10,52\nwater,60,10,50\n")
    assert [e.replicate for e in experiments] == [1, 2]
    assert [(p.kind, p.row) for p in problems] == [("duplicate", 4)]


@pytest.mark.parametrize(
    ("row", "kind", "column", "message"),
    [
        (
            "acetone,60,10,50",
            "undeclared",
            "Solvent",
            "'acetone' is not an option of solvent (ethanol, water)",
        ),
        ("water,70,10,50", "undeclared", "Temperature (°C)", "70 is not a level of temperature (60, 80)"),
        ("water,60,500,50", "out_of_bounds", "Time (min)", "500 is outside 1 to 120"),
        ("water,60,10,120", "out_of_bounds", "Yield (%)", "120 is above 100, the limit of yield"),
        ("water,,10,50", "missing", "Temperature (°C)", "there is no value for temperature"),
        ("water,60,10,", "missing", "", "no measured value"),
        ("water,60,10,=1+1", "not_a_number", "Yield (%)", "'=1+1' is not a number"),
    ],
)
def test_what_does_not_fit_keeps_its_row_out(imported, row, kind, column, message):
    experiments, problems = imported(HEADER + f"water,80,10,40\n{row}\n")
    assert len(experiments) == 1
    assert [(p.kind, p.row, p.column) for p in problems] == [(kind, 3, column)]
    assert message in problems[0].message


def test_mapped_columns_and_levels(imported):
    experiments, problems = imported(
        "S,T,t,y\nO,60,10,50\n",
        columns={"solvent": "S", "temperature": "T", "time": "t", "yield": "y"},
        levels={"solvent": {"O": "water"}},
    )
    assert problems == []
    assert experiments[0].planned["solvent"] == "water"


def test_a_missing_column_is_named(imported):
    _, problems = imported("Solvent,Time (min),Yield (%)\nwater,1,2\n")
    assert [p.column for p in problems] == ["temperature"]
    assert "Its columns are Solvent, Time (min), Yield (%)" in problems[0].message


def test_uncertainties_limits_and_failures(imported):
    experiments, problems = imported(HEADER + "water,60,1,50 ± 2\nwater,60,2,<0.1\nwater,60,3,failed\n")
    assert problems == []
    found = [(m.value, m.uncertainty, m.status) for e in experiments for m in e.measurements]
    assert found == [(50, 2, "ok"), (0.1, None, "below_detection"), (None, None, "failed")]
    assert experiments[2].status == "failed"
