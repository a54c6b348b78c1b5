"""Several reviews as one list: of one tool and policy, each with a decision and a compare-and-swap of its own."""

import pytest

from agents.core.canonical import digest_of
from agents.core.errors import BadInput
from agents.core.gates import GateKind
from agents.core.policy import PolicyTable, Rule
from agents.models import Event, Run
from agents.services import set_policy
from reviews.models import Decision, Review
from reviews.services import alike, assign, claim, decide, decide_batch, left_out
from tests.reviews.conftest import CONTENT
from tests.support import ACTION, at_once, make_run, make_study, open_gate

OTHER = {"tool": "rest", "arguments": {"hours": 5}}


def several(desk, count: int = 3, *, study=None, action=ACTION, **more):
    """Return open gates of new runs under the policy that is in force."""
    content = {**CONTENT, "proposal": {**CONTENT["proposal"], "action": action}}
    return [
        open_gate(make_run(study or desk.study), content=content, digest=digest_of(action), **more)
        for _ in range(count)
    ]


@pytest.fixture
def queue(desk):
    """Three open reviews of one tool and one policy."""
    set_policy(desk.study, PolicyTable(rules=[Rule(then="review")]), by="olga")
    desk.gates = several(desk)
    desk.like = Review.objects.get(pk=desk.gates[0].pk)
    return desk


def listed(queue, user=None):
    return {row.pk for row in alike(queue.like, user or queue.ana)}


def picks(gates):
    return [(gate.pk, gate.digest) for gate in gates]


def approve(queue, gates, **more):
    return decide_batch(user=queue.ana, picks=picks(gates), verdict="approve", **more)


def test_each_keeps_a_decision_of_its_own_and_says_that_it_was_one_of_a_list(queue):
    outcomes = approve(queue, queue.gates, note="all alike")
    assert [one.decision.review_id for one in outcomes] == [gate.pk for gate in queue.gates]
    rows = Decision.objects.all()
    assert {(row.verdict, row.by, row.note, row.channel) for row in rows} == {
        ("approve", "ana", "all alike", "web batch")
    }
    assert len({row.shown_digest for row in rows}) == 1 and rows.count() == 3
    assert Event.objects.filter(kind="review.decided").count() == 3
    assert set(Run.objects.values_list("status", flat=True)) == {"queued"}


def test_what_was_decided_meanwhile_is_told_and_the_others_go_through(queue):
    decide(
        gate=queue.gates[1],
        user=queue.ben,
        verdict="veto",
        shown_digest=queue.gates[1].digest,
        reason_code="unsafe",
    )
    outcomes = approve(queue, queue.gates)
    assert [bool(one.decision) for one in outcomes] == [True, False, True]
    assert outcomes[1].told.startswith("Already decided by ben at")


@pytest.mark.django_db(transaction=True)
def test_of_two_lists_at_once_each_review_is_decided_once(queue):
    def by(user):
        return lambda: decide_batch(user=user, picks=picks(queue.gates), verdict="approve")

    lists = at_once(by(queue.ana), by(queue.ben))
    assert Decision.objects.count() == 3
    for pair in zip(*lists, strict=True):
        assert sorted(bool(one.decision) for one in pair) == [False, True]


def test_a_proposal_that_changed_while_it_was_read_is_not_decided(queue):
    outcomes = decide_batch(
        user=queue.ana, picks=[*picks(queue.gates[:2]), (queue.gates[2].pk, "e" * 64)], verdict="approve"
    )
    assert "changed while you were reading" in outcomes[2].told
    assert Decision.objects.count() == 2


def test_a_veto_gives_its_reason_to_each(queue):
    decide_batch(
        user=queue.ana, picks=picks(queue.gates), verdict="veto", reason_code="too_costly", note="less"
    )
    assert set(Decision.objects.values_list("verdict", "reason_code", "note")) == {
        ("veto", "too_costly", "less")
    }


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"verdict": "stop"}, "approved or vetoed"),
        ({"verdict": "edit"}, "approved or vetoed"),
        ({"verdict": "veto"}, "Choose a reason"),
        ({"verdict": "veto", "reason_code": "nonsense"}, "Choose a reason"),
        ({"verdict": "approve", "note": "n" * 4001}, "longer than 4000"),
    ],
)
def test_a_list_that_cannot_be_decides_nothing(queue, given, told):
    with pytest.raises(BadInput, match=told):
        decide_batch(user=queue.ana, picks=picks(queue.gates), **given)
    assert not Decision.objects.exists()


def test_nothing_ticked_is_told(queue):
    with pytest.raises(BadInput, match="No review is ticked"):
        approve(queue, [])


def test_another_tool_is_another_list(queue):
    (other,) = several(queue, 1, action=OTHER)
    assert listed(queue) == {gate.pk for gate in queue.gates}
    with pytest.raises(BadInput, match="same tool and policy"):
        approve(queue, [*queue.gates, other])
    assert not Decision.objects.exists()


def test_another_policy_is_another_list_and_so_is_another_studys_table(queue):
    set_policy(queue.study, PolicyTable(rules=[Rule(then="review"), Rule(then="allow")]), by="olga")
    (changed,) = several(queue, 1)
    twin = make_study()
    from reviews.services import add_member

    add_member(study=twin, user=queue.ana, role="reviewer")
    set_policy(twin, PolicyTable(rules=[Rule(then="review")]), by="olga")
    (elsewhere,) = several(queue, 1, study=twin)
    assert Review.objects.get(pk=elsewhere.pk).policy == queue.like.policy
    assert listed(queue) == {gate.pk for gate in queue.gates}
    for gate in (changed, elsewhere):
        with pytest.raises(BadInput, match="same tool and policy"):
            approve(queue, [*queue.gates, gate])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"mode": "second"}, "second opinion"),
        ({"mode": "four_eyes"}, "another person's yes"),
        ({"needs_role": "owner"}, "needs the role owner"),
        ({"is_disputed": True}, "two people disagree"),
    ],
)
def test_what_needs_more_than_one_yes_is_left_out_with_the_reason(queue, change, why):
    Review.objects.filter(pk=queue.gates[1].pk).update(**change)
    assert queue.gates[1].pk not in listed(queue)
    (alone,) = left_out(queue.like, queue.ana)
    assert (alone.review.pk, why in alone.why) == (queue.gates[1].pk, True)
    outcomes = approve(queue, queue.gates)
    assert why in outcomes[1].told
    assert Decision.objects.count() == 2


def test_a_question_of_another_kind_is_left_out(queue):
    type(queue.gates[1]).objects.filter(pk=queue.gates[1].pk).update(kind=GateKind.RESULT)
    assert [one.why for one in left_out(queue.like, queue.ana)] == ["it asks for an answer of its own"]
    assert "answer of its own" in approve(queue, queue.gates)[1].told


def test_what_is_signed_is_signed_one_by_one(queue):
    Run.objects.filter(pk=queue.gates[1].run_id).update(policy_table={"is_signed": True})
    Run.objects.filter(pk=queue.gates[2].run_id).update(policy_table={"is_signed": False})
    assert listed(queue) == {queue.gates[0].pk, queue.gates[2].pk}
    assert [one.why for one in left_out(queue.like, queue.ana)] == ["its decision is signed, one by one"]
    assert "signed, one by one" in approve(queue, queue.gates)[1].told


def test_what_somebody_else_holds_is_left_out(queue):
    claim(gate=queue.gates[1], user=queue.ben)
    assign(gate=queue.gates[2], user=queue.ana, to=queue.ben)
    assert [one.why for one in left_out(queue.like, queue.ana)] == [
        "ben is looking at it",
        "it was given to ben",
    ]


def test_who_may_only_read_has_no_list_and_decides_nothing(queue):
    assert listed(queue, queue.vic) == set()
    outcomes = decide_batch(user=queue.vic, picks=picks(queue.gates), verdict="approve")
    assert {one.told for one in outcomes} == {"Left out: it needs the role reviewer."}


def test_reviews_of_studies_that_do_not_exist_for_somebody_are_not_in_it(queue, django_user_model):
    stranger = django_user_model.objects.create_user("stranger")
    with pytest.raises(BadInput, match="same tool and policy"):
        decide_batch(user=stranger, picks=picks(queue.gates), verdict="approve")
    assert not Decision.objects.exists()
