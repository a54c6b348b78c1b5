"""The sections of the inbox: every open review either needs somebody or waits for others, and never both."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.inbox import inbox_for, open_count
from reviews.models import Review
from reviews.services import assign, claim, decide


def shown(user, show="needs", **more):
    return [row.pk for row in inbox_for(user, show=show, **more)]


def is_partition(desk, gate):
    for name in ("ana", "ben", "olga", "ren", "vic"):
        user = getattr(desk, name)
        assert shown(user) + shown(user, "waiting") == [gate.pk], name
        assert set(shown(user, "mine")) <= set(shown(user)), name
        assert open_count(user) == len(shown(user)), name


def test_what_my_role_does_not_allow_waits_for_others(desk):
    gate = desk.gate(role="owner", then="review")
    assert (shown(desk.olga), shown(desk.ana), shown(desk.ren)) == ([gate.pk], [], [])
    is_partition(desk, gate)


def test_what_somebody_holds_waits_for_them_until_the_claim_ends(desk):
    gate = desk.gate()
    claim(gate=gate, user=desk.ana)
    assert (shown(desk.ana, "mine"), shown(desk.ben), shown(desk.ben, "waiting")) == (
        [gate.pk],
        [],
        [gate.pk],
    )
    is_partition(desk, gate)
    Review.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert (shown(desk.ana, "mine"), shown(desk.ben)) == ([], [gate.pk])


def test_what_was_given_to_me_is_mine_and_no_longer_anybodys(desk):
    gate = desk.gate()
    assign(gate=gate, user=desk.ana, to=desk.ben)
    assert (shown(desk.ben, "mine"), shown(desk.ana), shown(desk.ana, "waiting")) == (
        [gate.pk],
        [],
        [gate.pk],
    )
    is_partition(desk, gate)


def test_a_blind_second_is_asked_until_they_have_said_it(desk):
    gate = desk.gate(then="second")
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert (shown(desk.ana), shown(desk.ben)) == ([], [gate.pk])
    is_partition(desk, gate)


def test_what_is_decided_is_in_no_open_section(desk):
    gate = desk.gate()
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert shown(desk.ben, "decided") == [gate.pk]
    assert shown(desk.ben) + shown(desk.ben, "waiting") + shown(desk.ben, "mine") == []


def test_a_stranger_sees_no_section_of_it(desk, django_user_model):
    desk.gate()
    stranger = django_user_model.objects.create_user("stranger")
    assert [shown(stranger, show) for show in ("needs", "mine", "waiting", "decided")] == [[]] * 4


@pytest.mark.parametrize(("order", "first"), [("risk", 1), ("cost", 2), ("oldest", 0)])
def test_each_order_puts_its_own_first(desk, order, first):
    gates = [desk.gate() for _ in range(3)]
    Review.objects.filter(pk=gates[1].pk).update(risk="high")
    Review.objects.filter(pk=gates[2].pk).update(cost=40)
    assert shown(desk.ana, order=order)[0] == gates[first].pk


def test_a_review_knows_its_study_its_tool_and_what_asked_for_it(desk):
    review = Review.objects.get(pk=desk.gate(then="review").pk)
    assert (review.study_id, review.tool, review.policy) == (desk.study.pk, "weigh", "custom v1, rule 1")
