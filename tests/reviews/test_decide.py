"""Decisions of people: one winner, double clicks forgiven, roles kept, what was shown is what was decided."""

import pytest
from django.http import Http404

from agents import wiring
from agents.core.errors import BadInput, Conflict, Refused
from agents.core.gates import GateKind
from agents.models import Gate, Run
from agents.services import stop_run
from agents.testing.toolbox import ToyToolbox
from reviews.models import Decision, Draft, Review, Role
from reviews.services import add_member, claim, decide, release, save_draft
from tests.support import at_once, log_of, make_run, make_user, open_gate

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())


@pytest.fixture
def run() -> Run:
    return make_run()


@pytest.fixture
def gate(run) -> Gate:
    return open_gate(run)


def member(gate: Gate, name: str, role: str = Role.REVIEWER):
    user = make_user(name)
    add_member(study=gate.run.study, user=user, role=role)
    return user


def take_decision(gate: Gate, user, verdict: str = "approve", **fields) -> Decision:
    return decide(gate=gate, user=user, verdict=verdict, shown_digest=gate.digest, **fields)


def test_a_decision_keeps_who_when_what_was_shown_and_what_was_let_through(gate):
    decision = take_decision(gate, member(gate, "ana"), "edit", arguments={"dose": 7}, note="too little")
    assert (decision.by, decision.role, decision.note, decision.channel) == (
        "ana",
        "reviewer",
        "too little",
        "web",
    )
    assert decision.proposed["arguments"] == {"dose": 5}
    assert decision.answer["action"]["arguments"] == {"dose": 7}
    assert decision.shown_digest == gate.digest
    assert Review.objects.get(gate=gate).status == "decided"


def test_the_second_of_two_people_hears_who_was_first(gate):
    ana, ben = member(gate, "ana"), member(gate, "ben")
    take_decision(gate, ana)
    with pytest.raises(Conflict, match="Already decided by ana"):
        take_decision(gate, ben, "veto", reason_code="unsafe")
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    ("verdict", "fields"),
    [
        ("approve", {"note": "go"}),
        ("edit", {"arguments": {"dose": 7}}),
        ("veto", {"reason_code": "unsafe", "note": "too hot"}),
        ("answer", {"result": {"mass": 3}}),
        ("stop", {}),
    ],
)
def test_the_same_decision_again_is_the_first_one(gate, verdict, fields):
    ana = member(gate, "ana")
    assert take_decision(gate, ana, verdict, **fields) == take_decision(gate, ana, verdict, **fields)
    assert log_of(gate.run).count("review.decided") == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("approve", {}), ("veto", {"reason_code": "unsafe"})),
        (("edit", {"arguments": {"dose": 7}}), ("edit", {"arguments": {"dose": 8}})),
        (("answer", {"result": {"mass": 3}}), ("answer", {"result": {"mass": 4}})),
        (("veto", {"reason_code": "unsafe"}), ("veto", {"reason_code": "off_topic"})),
        (("edit", {"arguments": {"dose": 7}}), ("edit", {"arguments": {"dosis": 7}})),
    ],
)
def test_another_decision_of_the_same_person_is_a_conflict(gate, first, second):
    ana = member(gate, "ana")
    take_decision(gate, ana, first[0], **first[1])
    with pytest.raises(Conflict, match="Already decided by ana"):
        take_decision(gate, ana, second[0], **second[1])


def test_a_double_click_at_once_is_one_decision_and_two_successes(transactional_db):
    for _ in range(10):
        gate = open_gate(make_run())
        ana = member(gate, f"ana-{gate.pk}")
        works = [lambda gate=gate, ana=ana: take_decision(Gate.objects.get(pk=gate.pk), ana)] * 2
        first, second = at_once(*works)
        assert first == second
        assert isinstance(first, Decision)


def test_a_double_click_never_answers_the_next_gate(run):
    first = open_gate(run, key="1/review")
    ana = member(first, "ana")
    take_decision(first, ana)
    second = open_gate(run, key="2/review", digest="e" * 64)
    take_decision(first, ana)
    second.refresh_from_db()
    assert second.status == "open"


def test_a_decision_on_another_version_changes_nothing(gate):
    ana = member(gate, "ana")
    with pytest.raises(Conflict, match="changed while you were reading"):
        decide(gate=gate, user=ana, verdict="approve", shown_digest="0" * 64)
    assert Review.objects.get(gate=gate).status == "open"


def test_a_decision_after_the_stop_hears_of_it(gate):
    ana = member(gate, "ana")
    stop_run(gate.run_id, by="ben")
    with pytest.raises(Conflict, match="cancelled"):
        take_decision(gate, ana)
    assert Review.objects.get(gate=gate).status == "cancelled"


def test_input_that_does_not_fit_decides_nothing_and_keeps_the_draft(gate):
    ana = member(gate, "ana")
    save_draft(gate=gate, user=ana, fields={"dose": "seven"})
    with pytest.raises(BadInput):
        take_decision(gate, ana, "edit", arguments={"dosis": 7})
    assert Draft.objects.get(gate=gate).fields == {"dose": "seven"}
    take_decision(gate, ana)
    assert not Draft.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.RESEARCHER])
def test_a_role_that_is_too_low_decides_nothing(gate, role):
    with pytest.raises(Refused, match="needs the role reviewer"):
        take_decision(gate, member(gate, "eve", role))
    assert Review.objects.get(gate=gate).status == "open"


def test_a_researcher_may_enter_a_result(run):
    gate = open_gate(run, key="1/result", kind=GateKind.RESULT)
    decision = take_decision(gate, member(gate, "rosa", Role.RESEARCHER), "answer", result={"mass": 3})
    assert decision.answer["result"] == {"mass": 3}


def test_for_a_stranger_the_review_does_not_exist(gate):
    with pytest.raises(Http404):
        take_decision(gate, make_user("eve"))


def test_a_claim_shows_who_is_looking_until_it_is_released(gate):
    ana, ben = member(gate, "ana"), member(gate, "ben")
    assert claim(gate=gate, user=ana).claimed_by == ana
    with pytest.raises(Conflict, match="ana is looking"):
        claim(gate=gate, user=ben)
    release(gate=gate, user=ana)
    assert claim(gate=gate, user=ben).claimed_by == ben
