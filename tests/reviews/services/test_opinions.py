"""Reviews that one person does not decide alone."""

import pytest
from django.db import connections

from agents.core.errors import Conflict, Refused
from agents.models import Event, Gate, Run
from reviews.inbox import inbox_for, open_count
from reviews.models import Decision, Opinion, Review
from reviews.present.people import people_of
from reviews.services import decide
from tests.doctor.conftest import examine
from tests.support import at_once, log_of


def say(gate, user, verdict="approve", digest="", **fields):
    gate = Gate.objects.select_related("run__study", "review").get(pk=gate.pk)
    return decide(gate=gate, user=user, verdict=verdict, shown_digest=digest or gate.digest, **fields)


def state(gate) -> tuple[str, str]:
    gate.refresh_from_db()
    return gate.status, Run.objects.get(pk=gate.run_id).status


def seen(gate, user, role="reviewer"):
    review = Review.objects.select_related("run").get(pk=gate.pk)
    return people_of(review, user=user, role=role, gate_digest=gate.digest)


# A blind second


def test_one_of_two_decides_nothing(desk):
    gate = desk.gate(then="second")
    assert isinstance(say(gate, desk.ana), Opinion)
    assert state(gate) == ("open", "waiting")
    assert not Decision.objects.exists()


def test_two_who_agree_decide_with_both_names(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana, note="looks safe")
    decision = say(gate, desk.ben)
    assert (decision.verdict, decision.by, decision.note) == ("approve", "ana, ben", "ana: looks safe")
    assert [row["by"] for row in decision.answer["opinions"]] == ["ana", "ben"]
    assert state(gate) == ("answered", "queued")
    logged = Event.objects.get(run=gate.run, kind="review.decided").payload
    assert [(row["by"], row["verdict"]) for row in logged["opinions"]] == [
        ("ana", "approve"),
        ("ben", "approve"),
    ]


def test_nobody_sees_what_the_first_said_until_both_have(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana, "veto", reason_code="unsafe", note="far too hot")
    assert [row.by for row in seen(gate, desk.ana).said] == ["ana"]
    for other in (desk.ben, desk.olga, desk.vic):
        assert seen(gate, other).said == []
        assert seen(gate, other).count == 1
    told = str(list(Event.objects.filter(run=gate.run).values_list("payload", flat=True)))
    assert "far too hot" not in told
    assert "veto" not in told
    say(gate, desk.ben)
    assert [row.by for row in seen(gate, desk.olga).said] == ["ana", "ben"]


def test_the_same_person_is_not_both(desk):
    gate = desk.gate(then="second")
    first = say(gate, desk.ana)
    assert say(gate, desk.ana) == first
    with pytest.raises(Conflict, match="waits for somebody else"):
        say(gate, desk.ana, "veto", reason_code="unsafe")
    assert state(gate) == ("open", "waiting")


def test_a_disagreement_goes_to_an_owner_who_is_neither(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana)
    say(gate, desk.olga, "veto", reason_code="unsafe")
    assert Review.objects.get(pk=gate.pk).is_disputed
    assert log_of(gate.run)[-1] == "review.disputed"
    with pytest.raises(Refused, match="needs the role owner"):
        say(gate, desk.ben)
    with pytest.raises(Refused, match="one of the two"):
        say(gate, desk.olga)
    decision = say(gate, desk.otto, note="with the hood closed")
    assert (decision.by, decision.verdict, decision.role) == ("otto", "approve", "owner")
    assert {row["by"]: row["verdict"] for row in decision.answer["opinions"]} == {
        "ana": "approve",
        "olga": "veto",
    }


def test_not_even_an_administrator_settles_a_disagreement_of_their_own(desk):
    gate = desk.gate(then="second")
    desk.olga.is_superuser = True
    desk.olga.save()
    say(gate, desk.olga)
    say(gate, desk.ana, "veto", reason_code="unsafe")
    with pytest.raises(Refused, match="one of the two"):
        say(gate, desk.olga)
    assert not seen(gate, desk.olga, "owner").may_decide
    assert not inbox_for(desk.olga).exists()
    assert isinstance(say(gate, desk.olga, "stop"), Decision)


def test_two_different_edits_are_a_disagreement(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana, "edit", arguments={"dose": 6})
    say(gate, desk.ben, "edit", arguments={"dose": 7})
    assert Review.objects.get(pk=gate.pk).is_disputed


def test_two_vetoes_agree_whatever_their_reasons(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana, "veto", reason_code="unsafe", note="hot")
    decision = say(gate, desk.ben, "veto", reason_code="too_costly", note="dear")
    assert (decision.verdict, decision.note) == ("veto", "ana: hot\nben: dear")


def test_anybody_who_may_review_may_stop_at_once(desk):
    gate = desk.gate(then="second", role="owner")
    assert isinstance(say(gate, desk.ben, "stop"), Decision)
    assert state(gate) == ("answered", "cancelled")


def test_a_stop_closes_the_review_and_the_second_changes_nothing(desk):
    from agents.services import stop_run

    gate = desk.gate(then="second")
    say(gate, desk.ana)
    stop_run(gate.run_id, by="olga")
    with pytest.raises(Conflict, match="cancelled"):
        say(gate, desk.ben)
    assert Opinion.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_both_are_kept_and_one_decision_is_made(desk):
    for _ in range(8):
        gate = desk.gate(then="second")
        results = at_once(lambda g=gate: say(g, desk.ana), lambda g=gate: say(g, desk.ben))
        assert sorted(type(result).__name__ for result in results) == ["Decision", "Opinion"], results
        assert state(gate) == ("answered", "queued")
    connections.close_all()


def test_the_second_post_of_the_same_is_a_success(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana)
    decision = say(gate, desk.ben)
    assert say(gate, desk.ben) == decision
    assert say(gate, desk.ana) == decision


def test_the_doctor_finds_nothing_wrong_and_names_an_altered_opinion(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana)
    say(gate, desk.ben)

    def wrong() -> list[str]:
        return [row["what"] for row in examine() if str(gate.pk) in row["where"]]

    assert wrong() == []
    gate.refresh_from_db()
    gate.answer["opinions"][0]["verdict"] = "veto"
    gate.save(update_fields=["answer"])
    assert any("says another opinions" in what for what in wrong())


# Four eyes


def test_who_did_not_start_the_run_approves_alone(desk):
    gate = desk.gate(started_by=desk.ana, then="four_eyes")
    assert isinstance(say(gate, desk.ben), Decision)


def test_who_started_the_run_is_not_the_only_approver(desk):
    gate = desk.gate(started_by=desk.ana, then="four_eyes")
    assert isinstance(say(gate, desk.ana), Opinion)
    assert state(gate) == ("open", "waiting")
    decision = say(gate, desk.ben)
    assert (decision.by, decision.verdict) == ("ana, ben", "approve")


def test_who_edits_is_not_the_only_approver_and_the_other_approves_the_edit(desk):
    gate = desk.gate(then="four_eyes")
    opinion = say(gate, desk.ana, "edit", arguments={"dose": 9})
    assert isinstance(opinion, Opinion)
    people = seen(gate, desk.ben)
    assert people.edit == opinion
    assert people.digest == opinion.answer["action_digest"] != gate.digest
    with pytest.raises(Conflict, match="changed while you were reading"):
        say(gate, desk.ben, digest=gate.digest)
    decision = say(gate, desk.ben, digest=people.digest)
    assert (decision.verdict, decision.by) == ("edit", "ana, ben")
    gate.refresh_from_db()
    assert gate.answer["action"]["arguments"] == {"dose": 9}
    assert gate.answer["action_digest"] == people.digest


def test_a_veto_needs_nobodys_consent(desk):
    gate = desk.gate(started_by=desk.ana, then="four_eyes")
    say(gate, desk.ana, "edit", arguments={"dose": 9})
    decision = say(gate, desk.ben, "veto", reason_code="unsafe")
    assert (decision.verdict, decision.by) == ("veto", "ben")
    assert state(gate)[0] == "answered"


def test_another_edit_is_a_dispute(desk):
    gate = desk.gate(then="four_eyes")
    opinion = say(gate, desk.ana, "edit", arguments={"dose": 9})
    say(gate, desk.ben, "edit", digest=opinion.answer["action_digest"], arguments={"dose": 8})
    assert Review.objects.get(pk=gate.pk).is_disputed


# Roles and lists


def test_a_rule_may_want_an_owner(desk):
    gate = desk.gate(role="owner", then="review")
    with pytest.raises(Refused, match="needs the role owner"):
        say(gate, desk.ana)
    assert isinstance(say(gate, desk.olga), Decision)


def test_what_i_have_answered_waits_for_others_and_a_dispute_needs_an_owner(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana)
    assert (open_count(desk.ana), open_count(desk.ben)) == (0, 1)
    assert [row.pk for row in inbox_for(desk.ana, show="waiting")] == [gate.pk]
    say(gate, desk.ben, "veto", reason_code="other")
    assert (open_count(desk.ana), open_count(desk.ben), open_count(desk.olga)) == (0, 0, 1)
    assert [row.pk for row in inbox_for(desk.ana, show="waiting")] == [gate.pk]
