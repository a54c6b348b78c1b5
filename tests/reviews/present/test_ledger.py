"""The ledger's rows as the pages show them."""

from agents.core.science import Bound, Constraint, Parameter
from agents.models import Experiment
from reviews.present.ledger import table_row

WARM = Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120])
CAP = Constraint(
    id="C1", text="At most 110 °C.", predicate=Bound(parameter="temperature", op="<=", value=110)
)


def shown(**actual: float) -> dict[str, object]:
    row = Experiment(planned={"temperature": 105}, actual=actual, round=1)
    return table_row(row, [WARM], [], [CAP])


def test_a_row_that_was_not_done_as_planned_says_so_and_what_it_breaks():
    row = shown(temperature=500)
    assert row["departs"] is True
    assert [fault.constraint_id for fault in row["faults"]] == ["", "C1"]


def test_a_row_within_the_limits_breaks_nothing():
    assert (shown()["departs"], shown()["faults"]) == (False, [])
    assert (shown(temperature=90)["departs"], shown(temperature=90)["faults"]) == (True, [])
