"""What the engine may rely on of the ledger and of the book of findings."""

import pytest

from agents.core.errors import Fenced
from agents.core.measurement import Experiment, Measurement
from agents.core.proposal import MemoryOperation
from tests.support import do


def experiment(dose: float, mass: float | None, round: int = 1) -> Experiment:
    measured = Measurement(
        objective="mass", value=mass, unit="g", status="ok" if mass is not None else "failed"
    )
    return Experiment(id="", planned={"dose": dose}, measurements=[measured], round=round)


def file(kit, dose: float, mass: float | None, key: str) -> Experiment:
    return do(kit.ledger.file, experiment(dose, mass), key=key)


def add(kit, *texts: str, key: str = "1/memory/1", round: int = 1):
    return do(kit.book.apply, [MemoryOperation(op="add", text=text) for text in texts], round=round, key=key)


def change(kit, op: str, finding: str, key: str, **more):
    return do(kit.book.apply, [MemoryOperation(op=op, finding=finding, **more)], round=2, key=key)


def test_an_experiment_is_filed_once_for_its_key(kit):
    first = file(kit, 5, 0.5, "1/experiment")
    assert file(kit, 5, 0.9, "1/experiment") == first
    assert do(kit.ledger.rows) == [first]
    assert kit.log() == [("experiment.filed", "1/experiment/filed")]


def test_rows_come_oldest_first_and_stay_after_a_crash(kit):
    filed = [file(kit, dose, dose / 10, f"{dose}/experiment") for dose in (5, 3, 9)]
    assert do(kit.crash().ledger.rows) == filed


def test_equal_conditions_are_counted_as_replicates(kit):
    filed = [file(kit, 5, 0.5, f"{n}/experiment") for n in range(3)]
    assert [row.replicate for row in filed] == [1, 2, 3]


def test_a_caller_cannot_change_the_ledger_by_changing_its_list(kit):
    file(kit, 5, 0.5, "1/experiment")
    do(kit.ledger.rows).clear()
    assert len(do(kit.ledger.rows)) == 1


def test_the_best_value_so_far_goes_with_each_row(kit):
    for number, mass in enumerate((0.5, 0.9, 0.7, None)):
        file(kit, number, mass, f"{number}/experiment")
    assert do(kit.journal.spent).experiments == 4


def test_findings_are_numbered_and_strongest_first(kit):
    add(kit, "mass grows with dose", "it is linear")
    change(kit, "support", "F2", "2/memory/1", evidence=[2])
    assert [(f.id, f.text, f.support) for f in do(kit.book.active)] == [
        ("F2", "it is linear", 2),
        ("F1", "mass grows with dose", 1),
    ]


def test_operations_are_applied_once_for_their_key(kit):
    add(kit, "mass grows with dose")
    assert add(kit, "another", key="1/memory/1") == []
    assert [f.text for f in do(kit.crash().book.active)] == ["mass grows with dose"]


def test_a_claim_that_stands_already_is_supported(kit):
    add(kit, "Mass grows  with dose")
    add(kit, "mass grows with dose", key="2/memory/1", round=2)
    (finding,) = do(kit.book.active)
    assert (finding.support, finding.version) == (2, 2)


def test_a_refused_proposal_that_is_asked_again_files_its_evidence_once(kit):
    """Each answer of a round carries the last round's finding again: one experiment is one piece of evidence."""
    add(kit, "mass grows with dose", key="2/memory/1")
    for attempt in (2, 3):
        add(kit, "mass grows with dose", key=f"2/memory/{attempt}")
    (finding,) = do(kit.book.active)
    assert (finding.support, finding.version, finding.confidence) == (1, 1, 0.667)
    assert len(finding.evidence) == 1


def test_a_retired_finding_is_active_no_more(kit):
    add(kit, "mass grows with dose")
    change(kit, "retire", "F1", "2/memory/1", reason="saturates")
    assert do(kit.book.active) == []


def test_an_operation_on_a_finding_that_is_not_there_is_noted_and_the_others_applied(kit):
    operations = [MemoryOperation(op="support", finding="F9"), MemoryOperation(op="add", text="it is linear")]
    changed = do(kit.book.apply, operations, round=1, key="1/memory/1")
    assert [f.text for f in changed] == ["it is linear"]
    assert kit.log()[-1] == ("guard.tripped", "1/memory/1/done")


def test_no_operations_are_no_event(kit):
    assert add(kit) == []
    assert kit.log() == []


def test_a_worker_that_lost_its_run_files_nothing(kit):
    kit.lose()
    with pytest.raises(Fenced):
        file(kit, 5, 0.5, "1/experiment")
    with pytest.raises(Fenced):
        add(kit, "mass grows with dose")
    assert kit.log() == []
