"""What was done otherwise than planned, held against the space and the limits."""

from agents.core.departures import beyond_limits, departing_faults
from agents.core.measurement import Experiment
from agents.core.science import Bound, Constraint, Parameter, Space

SPACE = Space(
    parameters=[
        Parameter(name="temperature", kind="ordered", unit="°C", levels=[90, 105, 120]),
        Parameter(name="base", kind="categorical", levels=["KOAc", "CsOPiv"]),
    ]
)
CAP = Constraint(
    id="C1", text="At most 110 °C.", predicate=Bound(parameter="temperature", op="<=", value=110)
)
PLANNED = {"temperature": 105, "base": "KOAc"}


def test_a_typo_breaks_the_space_and_the_limit():
    faults = departing_faults(PLANNED, {"temperature": 500}, SPACE, [CAP])
    assert [(fault.parameters, fault.constraint_id) for fault in faults] == [
        (["temperature"], ""),
        (["temperature"], "C1"),
    ]


def test_what_stays_within_the_limits_breaks_nothing():
    assert departing_faults(PLANNED, {"temperature": 90}, SPACE, [CAP]) == []
    assert departing_faults(PLANNED, {}, SPACE, [CAP]) == []


def test_only_what_was_done_otherwise_counts():
    """The plan was judged by the limits of its time; a limit that came later is not broken by who carried it out."""
    planned = {**PLANNED, "temperature": 120}
    assert departing_faults(planned, {"base": "CsOPiv"}, SPACE, [CAP]) == []
    done = Experiment(id="e", planned=planned, actual={"base": "LiOH"})
    assert [fault.parameters for fault in beyond_limits(done, SPACE, [CAP])] == [["base"]]
