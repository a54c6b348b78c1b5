"""The ledger gate: what stands against an experiment, what lies near it, how noisy it is."""

import pytest

from agents.core import ledger
from agents.core.ledger import judge, nearest, noise
from agents.core.measurement import Experiment, Measurement, conditions_digest
from agents.core.science import Bound, Constraint, Parameter, Space

SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", levels=["KOAc", "CsOPiv"]),
        Parameter(name="temperature", kind="continuous", unit="°C", low=20, high=120),
    ]
)
HOT = Constraint(
    id="c1", text="Stay at or below 110 °C.", predicate=Bound(parameter="temperature", op="<=", value=110)
)


def made(
    value: float | None = 50.0, *, id: str = "e1", status: str = "measured", **conditions: object
) -> Experiment:
    measurements = [] if value is None else [{"objective": "yield", "value": value, "unit": "%"}]
    return Experiment(id=id, planned=conditions, measurements=measurements, status=status, round=3)


def kinds(conditions: dict[str, object], rows: list[Experiment] | None = None, **given: object) -> list[str]:
    found = judge(conditions, rows=rows or [], space=SPACE, constraints=[HOT], **given)
    return [problem.kind for problem in found]


def test_a_new_legal_experiment_passes() -> None:
    assert kinds({"base": "KOAc", "temperature": 80.0}, [made(base="CsOPiv", temperature=80.0)]) == []


def test_an_exact_repeat_names_the_experiment_and_its_round() -> None:
    rows = [made(base="KOAc", temperature=80)]
    found = judge({"base": "KOAc", "temperature": 80.0}, rows=rows, space=SPACE, constraints=[])
    assert [(p.kind, p.experiment_id) for p in found] == [("repeat", "e1")]
    assert found[0].message == (
        "These conditions are already measured in round 3; declare a replicate to repeat them."
    )


def test_a_repeat_of_another_run_is_named_by_run_and_round() -> None:
    there = {"base": "KOAc", "temperature": 80}
    row = made(**there).model_copy(update={"run": 1})
    found = judge(there, rows=[row], space=SPACE, constraints=[])
    assert "already measured in run 1, round 3;" in found[0].message
    assert nearest(there, [row], SPACE)[0].run == 1


def test_a_difference_below_a_thousandth_of_the_range_is_a_repeat_too() -> None:
    rows = [made(base="KOAc", temperature=80)]
    assert kinds({"base": "KOAc", "temperature": 80.09}, rows) == ["near_repeat"]
    assert kinds({"base": "KOAc", "temperature": 80.2}, rows) == []


def test_an_exact_repeat_is_named_before_a_near_one() -> None:
    rows = [made(id="near", base="KOAc", temperature=80.05), made(id="exact", base="KOAc", temperature=80)]
    found = judge({"base": "KOAc", "temperature": 80}, rows=rows, space=SPACE, constraints=[])
    assert [(p.kind, p.experiment_id) for p in found] == [("repeat", "exact")]


def test_what_was_really_done_counts_not_what_was_planned() -> None:
    done = Experiment(id="e1", planned={"base": "KOAc", "temperature": 80}, actual={"temperature": 90})
    assert kinds({"base": "KOAc", "temperature": 80}, [done]) == []
    assert kinds({"base": "KOAc", "temperature": 90}, [done]) == ["repeat"]


@pytest.mark.parametrize("status", ["planned", "failed", "abandoned"])
def test_tried_and_planned_experiments_are_not_repeated_by_chance(status: str) -> None:
    rows = [made(None, status=status, base="KOAc", temperature=80)]
    assert kinds({"base": "KOAc", "temperature": 80}, rows) == ["repeat"]


def test_a_declared_replicate_passes_but_not_past_a_constraint() -> None:
    rows = [made(base="KOAc", temperature=115)]
    assert kinds({"base": "KOAc", "temperature": 115}, rows, is_replicate=True) == ["constraint"]


def test_every_reason_is_told_at_once() -> None:
    assert kinds({"base": "NaOH", "temperature": 115}, budget_left=0) == [
        "outside_space",
        "constraint",
        "budget",
    ]


def test_a_study_without_parameters_has_no_repeats() -> None:
    assert judge({}, rows=[Experiment(id="e1", planned={})], space=Space(), constraints=[]) == []


def test_neighbours_are_nearest_first_and_say_what_differs() -> None:
    rows = [
        made(10.0, id="far", base="CsOPiv", temperature=20),
        made(70.0, id="near", base="KOAc", temperature=70),
        made(None, id="unmeasured", base="KOAc", temperature=80),
    ]
    found = nearest({"base": "KOAc", "temperature": 80}, rows, SPACE)
    assert [(n.experiment_id, n.value, n.unit) for n in found] == [("near", 70.0, "%"), ("far", 10.0, "%")]
    assert found[0].differs == {"temperature": [70, 80]}
    assert found[1].differs == {"base": ["CsOPiv", "KOAc"], "temperature": [20, 80]}


def test_noise_is_pooled_over_replicates() -> None:
    rows = [made(value, base="KOAc", temperature=80) for value in (50.0, 52.0)]
    rows += [made(value, base="CsOPiv", temperature=80) for value in (60.0, 61.0, 62.0)]
    rows += [made(99.0, base="CsOPiv", temperature=90)]
    found = noise(rows, "yield")
    assert found is not None
    assert (found.degrees, found.groups) == (3, 2)
    assert found.sd == pytest.approx((4 / 3) ** 0.5)


def test_without_replicates_noise_is_unknown_not_zero() -> None:
    assert noise([made(base="KOAc", temperature=80)], "yield") is None


def test_noise_looks_once_at_each_row(monkeypatch) -> None:
    """It is asked about whole ledgers: comparing every row with every other would take minutes on a long one."""
    rows = [made(50.0 + k % 3, base="KOAc", temperature=20 + k % 500) for k in range(2000)]
    looked = []
    monkeypatch.setattr(
        ledger, "conditions_digest", lambda given: looked.append(1) or conditions_digest(given)
    )
    found = noise(rows, "yield")
    assert found is not None
    assert (found.groups, found.degrees, len(looked)) == (500, 1500, len(rows))


def looked_up(number: int, value: float, *, run: int | None = None, temperature: float = 80) -> Experiment:
    return Experiment(
        id=f"l{number}",
        planned={"base": "KOAc", "temperature": temperature},
        measurements=[Measurement(objective="yield", value=value)],
        instrument="measure",
        run=run,
    )


def test_reading_a_row_of_the_data_set_again_is_no_replicate_in_any_run() -> None:
    assert noise([looked_up(1, 40.0), looked_up(2, 40.0), looked_up(3, 40.0, run=2)], "yield") is None


def test_different_rows_of_the_data_set_are_replicates_each_once() -> None:
    rows = [looked_up(number, value) for number, value in enumerate((40.0, 42.0, 40.0, 42.0))]
    found = noise(rows, "yield")
    assert found is not None
    assert (found.sd, found.degrees, found.groups) == (pytest.approx(2**0.5), 1, 1)


def test_the_same_value_measured_twice_by_people_is_a_replicate() -> None:
    rows = [
        looked_up(number, 40.0).model_copy(update={"origin": "person", "instrument": ""}) for number in (1, 2)
    ]
    found = noise(rows, "yield")
    assert found is not None
    assert (found.sd, found.degrees) == (0.0, 1)
