"""Whatever a release has stored is read by every later one, and its waiting runs go on."""

import json

import pytest
from django.db import transaction

from agents import assembly, wiring
from agents.core.events import KINDS
from agents.core.gates import VERDICTS, GateKind
from agents.core.projection import apply_event
from agents.models import Event, Gate, Run
from agents.services import deliver, prepare_answer
from agents.store.audit import log_problems
from agents.worker import work_once
from reviews.models import Review
from reviews.opening import new_review
from tests.golden import lab
from tests.golden.rows import HERE, load

pytestmark = pytest.mark.django_db
RELEASES = sorted(path.name for path in HERE.iterdir() if (path / "rows.json").is_file())
COMING = "next"
"""Kinds that no release has written yet; their folder becomes the release's when it is recorded."""
WAITING = ("proposal", "result", "outcome", "attention", "finish")
ANSWERS = {
    GateKind.RESULT: {"verdict": "answer", "result": {"mass": 0.4}},
    GateKind.OUTCOME: {"verdict": "retry"},
    GateKind.ATTENTION: {"verdict": "retry"},
}


@pytest.fixture(params=RELEASES)
def stored(request, monkeypatch) -> str:
    load(HERE / request.param / "rows.json")
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: lab.toolbox())
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: lab.reasoner(protocol.title))
    return request.param


def answer(gate: Gate) -> None:
    if not Review.objects.filter(gate=gate).exists():
        new_review(gate).save(force_insert=True)
    given = ANSWERS.get(GateKind(gate.kind), {"verdict": "approve"})
    with transaction.atomic():
        deliver(gate, prepare_answer(gate, by="ana", **given), shown_digest=gate.digest)


def test_there_is_a_release_to_look_back_at():
    assert RELEASES[0] == "0.1"


def test_every_stored_log_is_whole(stored):
    for run in Run.objects.all():
        assert log_problems(run.pk, with_state=False) == []
    assert Event.objects.count() > 50


def test_every_kind_of_gate_is_stored_waiting(stored):
    assert set(Gate.objects.filter(status="open").values_list("kind", flat=True)) == set(VERDICTS)


@pytest.mark.parametrize("kind", WAITING)
def test_a_run_that_waited_goes_on(stored, kind):
    run = Run.objects.get(study__title=kind)
    before = run.seq
    gate = Gate.objects.get(run=run, status="open")
    assert (run.status, gate.kind) == ("waiting", kind)
    answer(gate)
    while work_once(worker="w", run_id=run.pk):
        pass
    run.refresh_from_db()
    assert run.status in ("waiting", "succeeded"), run.error
    assert run.seq > before + 1
    assert not Gate.objects.filter(pk=gate.pk, status="open").exists()
    assert log_problems(run.pk, with_state=False) == []


def test_a_finished_run_still_tells_its_story(stored):
    run = Run.objects.get(study__title="whole")
    assert (run.status, run.state["best"]["value"], len(run.state["steps"])) == ("succeeded", 0.3, 3)


@pytest.mark.parametrize("release", RELEASES)
def test_every_kind_of_a_release_is_still_understood(release):
    kinds = json.loads((HERE / release / "kinds.json").read_text(encoding="utf-8"))
    state = {}
    for kind, payload in kinds.items():
        state = apply_event(state, kind=kind, payload=payload, round=1)
        assert KINDS[kind].required <= payload.keys(), f"{kind} asks for more than release {release} wrote"
    assert state["spent"]["tokens"] == 120


def test_every_kind_has_a_golden_event():
    known: set[str] = set()
    for folder in (*RELEASES, COMING):
        known |= json.loads((HERE / folder / "kinds.json").read_text(encoding="utf-8")).keys()
    assert set(KINDS) <= known, "a new kind of event belongs into tests/golden of the coming release"
