"""The card and the inbox when several people are asked, and giving reviews on."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from reviews.models import Absence, Handover, Opinion, Review
from reviews.services import add_member
from tests.reviews.views.conftest import browser_of, waiting_gate
from tests.support import make_user


@pytest.fixture
def second(lab):
    """Another reviewer, and a gate that two people must answer without seeing each other."""
    lab.other = make_user("other")
    add_member(study=lab.study, user=lab.other, role="reviewer")
    Review.objects.filter(pk=lab.gate.pk).update(mode="second")
    return lab


def post(client, gate, **fields):
    return client.post(reverse("review-decide", args=[gate.pk]), {"digest": gate.digest, **fields})


def card(client, gate) -> str:
    return client.get(reverse("review", args=[gate.pk])).content.decode()


def test_the_second_does_not_see_what_the_first_said(second):
    post(second.reviewer, second.gate, verdict="veto", reason_code="unsafe", note="far too hot")
    page = card(browser_of(second.other), second.gate)
    assert "1 of 2 have answered" in page
    assert "far too hot" not in page
    assert 'value="approve"' in page
    own = card(second.reviewer, second.gate)
    assert "far too hot" in own
    assert "You have answered. It waits for somebody else." in own
    assert 'value="approve"' not in own


def test_nor_on_any_other_page_of_the_run(second):
    post(second.reviewer, second.gate, verdict="veto", reason_code="unsafe", note="far too hot")
    client = browser_of(second.other)
    for name in ("run", "run-timeline", "run-decisions", "run-report", "run-policy"):
        assert "far too hot" not in client.get(reverse(name, args=[second.run.pk])).content.decode()
    assert "far too hot" not in client.get(reverse("inbox")).content.decode()


def test_a_dispute_shows_both_and_is_an_owners(second):
    post(second.reviewer, second.gate, verdict="veto", reason_code="unsafe", note="far too hot")
    other = browser_of(second.other)
    post(other, second.gate, verdict="approve")
    page = card(second.owner, second.gate)
    for words in ("Two people disagree", "far too hot", "other (Reviewer)", 'value="approve"'):
        assert words in page
    assert "Deciding it needs an owner" in card(second.clients["researcher"], second.gate)
    assert 'value="approve"' not in card(other, second.gate)


def test_whoever_was_against_it_stays_in_the_record(second):
    post(second.reviewer, second.gate, verdict="veto", reason_code="unsafe", note="far too hot")
    post(browser_of(second.other), second.gate, verdict="approve")
    post(second.clients["owner"], second.gate, verdict="approve")
    for name in ("run-decisions", "run-report"):
        page = second.reviewer.get(reverse(name, args=[second.run.pk])).content.decode()
        assert "far too hot" in page, name
    assert "far too hot" in card(second.owner, second.gate)


def test_an_opinion_is_answered_with_what_it_waits_for(second):
    answer = second.reviewer.post(
        reverse("review-decide", args=[second.gate.pk]),
        {"digest": second.gate.digest, "verdict": "approve"},
        follow=True,
    )
    assert "Somebody else must agree" in answer.content.decode()
    assert Opinion.objects.count() == 1
    assert "Measure KOAc" not in second.reviewer.get(reverse("inbox")).content.decode()
    assert "Measure KOAc" in second.reviewer.get(reverse("inbox"), {"show": "waiting"}).content.decode()


def test_four_eyes_show_the_edit_that_waits(lab):
    Review.objects.filter(pk=lab.gate.pk).update(mode="four_eyes")
    fields = {"arg.base": "KOAc", "arg.temperature": "60", "hypothesis": "KOAc is enough", "mean": "42.12"}
    answer = post(lab.reviewer, lab.gate, verdict="edit", low="30.5", high="55", **fields)
    assert answer.status_code == 302
    page = card(lab.owner, lab.gate)
    assert "reviewer changed it; you approve or veto this version" in page
    digest = Opinion.objects.get().answer["action_digest"]
    assert f'name="digest" value="{digest}"' in page
    lab.owner.post(reverse("review-decide", args=[lab.gate.pk]), {"verdict": "approve", "digest": digest})
    lab.gate.refresh_from_db()
    assert lab.gate.answer["action"]["arguments"]["temperature"] == 60
    decisions = lab.owner.get(reverse("run-decisions", args=[lab.run.pk])).content.decode()
    assert "reviewer, owner" in decisions


def test_a_review_is_given_on_from_its_card(lab):
    url = reverse("review-assign", args=[lab.gate.pk])
    lab.reviewer.post(url, {"to": "owner", "note": "your dryer"})
    page = card(lab.viewer, lab.gate)
    assert "Given to owner" in page
    assert "your dryer" in page
    assert "Measure KOAc" in lab.owner.get(reverse("inbox"), {"show": "mine"}).content.decode()
    assert lab.reviewer.post(url, {"to": "stranger"}).status_code == 422
    assert lab.reviewer.post(url, {"to": "viewer"}).status_code == 422
    assert Handover.objects.count() == 1


def test_a_deadline_and_its_outcome_stand_on_the_card(lab):
    Review.objects.filter(pk=lab.gate.pk).update(
        due_at=timezone.now() + timedelta(hours=2), on_deadline="veto"
    )
    assert "then it is vetoed" in card(lab.viewer, lab.gate)


def test_being_away_is_saved_listed_and_ended(lab):
    start, end = timezone.now() + timedelta(hours=1), timezone.now() + timedelta(days=3)
    fields = {
        "starts": f"{start:%Y-%m-%dT%H:%M}",
        "ends": f"{end:%Y-%m-%dT%H:%M}",
        "deputy": lab.users["owner"].pk,
    }
    assert lab.reviewer.post(reverse("away"), fields).status_code == 302
    assert "owner stands in" in lab.reviewer.get(reverse("away")).content.decode()
    again = lab.reviewer.post(reverse("away"), fields)
    assert (again.status_code, "another absence" in again.content.decode()) == (422, True)
    strange = lab.owner.post(reverse("away"), {**fields, "deputy": lab.users["stranger"].pk})
    assert strange.status_code == 422
    lab.reviewer.post(reverse("away-end", args=[Absence.objects.get().pk]))
    assert not Absence.objects.exists()


def test_the_inbox_costs_the_same_however_many_people_answered(second):
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            second.owner.get(reverse("inbox"))
        return len(queries)

    first = cost()
    for _ in range(6):
        gate = waiting_gate(second.study)
        Review.objects.filter(pk=gate.pk).update(mode="second")
        post(second.reviewer, gate, verdict="approve")
    assert cost() <= first < 25
