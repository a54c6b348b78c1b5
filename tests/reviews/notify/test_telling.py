"""Who is told what: in the application always, outside as each person set it up."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.services import stop_run
from reviews.models import Absence, Delivery, Notice, Preference
from reviews.services import apply_due, assign, decide
from tests.support import make_run, take

ALL = [str(kind) for kind in Notice.Kind]


def told(user) -> list[str]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def want(user, **fields):
    return Preference.objects.create(user=user, **{"kinds": ALL, **fields})


def test_an_open_review_is_told_to_those_who_may_answer_it(desk):
    desk.gate()
    assert [told(user) for user in (desk.ana, desk.ben, desk.olga)] == [["opened"]] * 3
    assert told(desk.ren) == told(desk.vic) == []


def test_a_rule_for_owners_tells_owners(desk):
    desk.gate(role="owner", then="review")
    assert (told(desk.ana), told(desk.olga)) == ([], ["opened"])


def test_people_who_are_away_find_nothing_of_it(desk):
    now = timezone.now()
    Absence.objects.create(user=desk.ana, starts=now - timedelta(hours=1), ends=now + timedelta(hours=1))
    desk.gate()
    assert (told(desk.ana), told(desk.ben)) == ([], ["opened"])


def test_each_thing_is_told_to_whom_it_concerns(desk):
    gate = desk.gate(then="second")
    assign(gate=gate, user=desk.ana, to=desk.ben)
    assert told(desk.ben) == ["opened", "assigned"]
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert told(desk.ben) == ["opened", "assigned", "second"]
    assert told(desk.ana) == ["opened"]
    decide(gate=gate, user=desk.ben, verdict="veto", shown_digest=gate.digest, reason_code="unsafe")
    assert told(desk.olga) == ["opened", "second", "disputed"]
    assert "disputed" not in told(desk.ana)


def test_an_escalation_is_told_to_the_owners(desk):
    desk.gate(deadline_hours=1)
    apply_due(now=timezone.now() + timedelta(hours=2))
    assert told(desk.olga) == ["opened", "escalated"]
    assert told(desk.ana) == ["opened"]


def test_what_is_closed_is_no_news(desk):
    gate = desk.gate()
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert not Notice.objects.filter(review_id=gate.pk, read_at=None).exists()
    other = desk.gate()
    stop_run(other.run_id, by="olga")
    assert not Notice.objects.filter(review_id=other.pk, read_at=None).exists()


def test_who_started_a_run_is_told_that_it_ended(desk):
    from agents.store.runs import finish

    run = make_run(desk.study, user=desk.ren)
    finish(take(run), outcome="done", is_stopped=False)
    assert told(desk.ren) == ["ended"]


def test_nothing_is_made_due_outside_unless_somebody_asked_for_it(desk):
    desk.gate()
    assert not Delivery.objects.exists()


def test_each_way_that_was_set_up_has_a_message(desk):
    want(desk.ana, email="each", webhook_url="https://example.org/x", apprise_url="discord://1/2")
    want(desk.ben, email="each", kinds=["ended"])
    desk.gate()
    assert sorted(Delivery.objects.values_list("channel", "user__username")) == [
        ("apprise", "ana"),
        ("email", "ana"),
        ("webhook", "ana"),
    ]


def test_a_digest_is_one_message(desk):
    want(desk.ana, email="digest", digest_hour=8)
    for _ in range(3):
        desk.gate()
    delivery = Delivery.objects.get()
    assert delivery.notices.count() == 3
    assert delivery.next_at > timezone.now()
    assert delivery.next_at.hour == 8


def test_quiet_hours_gather_into_one_message_at_their_end(desk):
    now = timezone.now()
    start, end = (now - timedelta(hours=1)).time(), (now + timedelta(hours=2)).time()
    want(desk.ana, webhook_url="https://example.org/x", quiet_from=start, quiet_to=end)
    for _ in range(2):
        desk.gate()
    delivery = Delivery.objects.get()
    assert delivery.notices.count() == 2
    assert timedelta(hours=1) < delivery.next_at - now <= timedelta(hours=2)


@pytest.mark.parametrize("count", [1, 12])
def test_the_cost_does_not_grow_with_the_members(desk, django_assert_max_num_queries, count):
    from reviews.models import Review
    from reviews.notify.telling import tell_of
    from reviews.services import add_member
    from tests.support import make_user

    gate = desk.gate()
    for number in range(count):
        add_member(study=desk.study, user=make_user(f"r{number}"), role="reviewer")
    review = Review.objects.select_related("run").get(pk=gate.pk)
    with django_assert_max_num_queries(3):
        tell_of(review, "opened")
