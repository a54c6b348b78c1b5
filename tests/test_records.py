"""Whatever a prompt left out is had again in one call, with its place."""

import pytest

from agents import assembly, wiring
from agents.core.proposal import MemoryOperation
from agents.core.science import Bound, Constraint
from agents.models import Gate, Run
from agents.records import records_of
from agents.services.forks import fork_run
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import ToyToolbox
from agents.worker import work_once
from tests.support import make_run, make_study

pytestmark = pytest.mark.django_db
SOURCE = {"origin": "document", "document": "paper.pdf", "page": 4, "quote": "≤ 110 mg", "verified": True}


def remember(round: int):
    return [MemoryOperation(op="add", text=f"dose {round - 1} worked", evidence=[round - 1])]


@pytest.fixture
def run(monkeypatch) -> Run:
    toolbox = ToyToolbox()

    def turn(brief):
        found = finish() if brief.round > 4 else propose("weigh", dose=brief.round)
        return found.model_copy(update={"memory": remember(brief.round)}) if brief.round > 1 else found

    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: toolbox)
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: ScriptedReasoner(turn))
    below = Constraint(
        id="C1",
        text="Keep below 110 mg",
        predicate=Bound(parameter="dose", op="<=", value=110),
        source=SOURCE,
    )
    study = make_study(constraints=[below.model_dump(mode="json")])
    run = make_run(study, policy="auto")
    while work_once(worker="w"):
        pass
    run.refresh_from_db()
    return run


def test_a_round_comes_with_what_was_done_what_came_of_it_and_its_event(run):
    (record,) = records_of(run.pk, "R3")

    assert record.text.startswith("weigh(dose=3) → mass 0.3")
    done = run.events.get(kind="round.completed", round=3)
    assert (record.reference, record.place, record.event) == ("R3", f"event {done.seq}", done.seq)


def test_a_finding_comes_with_its_evidence_and_a_limit_with_its_page(run):
    (finding,) = records_of(run.pk, "F2")
    (limit,) = records_of(run.pk, "C1")

    assert "evidence: R2 for" in finding.text
    assert (limit.place, limit.text) == ("paper.pdf, page 4", "Keep below 110 mg\n“≤ 110 mg”")


def test_words_find_the_round(run):
    assert [record.reference for record in records_of(run.pk, "dose=4", limit=1)] == ["R4"]


def test_what_is_not_there_brings_nothing(run):
    assert records_of(run.pk, "R99") == []
    assert records_of("00000000-0000-0000-0000-000000000000", "R1") == []


def test_another_run_has_records_of_its_own(run):
    other = make_run(run.study)

    assert records_of(other.pk, "R3") == []


def test_a_fork_knows_the_rounds_of_its_parent_up_to_where_it_left_it(run):
    fork = fork_run(Gate.objects.get(run=run, key="3/review"), by="ana")

    assert [record.reference for record in records_of(fork.pk, "R2")] == ["R2"]
    assert records_of(fork.pk, "R4") == []
    assert "R4" not in [record.reference for record in records_of(fork.pk, "weigh dose mass", limit=5)]
