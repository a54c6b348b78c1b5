"""The inbox: what waits, in which order, and the next one ready after a decision."""

import re

import pytest
from django.urls import reverse

from reviews.models import Review
from reviews.services import add_member
from tests.reviews.views.conftest import new_study, waiting_gate

HTMX = {"HX-Request": "true"}
INBOX = "/inbox/"


def titles(answer) -> list[str]:
    return [review.title for review in answer.context["page"].object_list]


@pytest.fixture
def three(lab):
    lab.second = waiting_gate(lab.study, title="Second")
    lab.third = waiting_gate(lab.study, title="Third", risk="high")
    return lab


def test_it_opens_the_riskiest_in_place(three):
    answer = three.reviewer.get(INBOX)
    assert titles(answer) == ["Third", "Measure KOAc at 80 °C", "Second"]
    assert answer.context["current"].title == "Third"


def test_it_lists_the_oldest_first_when_asked(three):
    assert titles(three.reviewer.get(INBOX, {"order": "oldest"})) == [
        "Measure KOAc at 80 °C",
        "Second",
        "Third",
    ]


def test_a_chosen_review_is_the_one_opened(three):
    assert three.reviewer.get(INBOX, {"review": str(three.second.pk)}).context["current"].title == "Second"


@pytest.mark.parametrize("asked", ["nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_review_that_is_not_there_opens_the_first(three, asked):
    assert three.reviewer.get(INBOX, {"review": asked}).context["current"].title == "Third"


def test_another_study_can_be_left_out(three):
    other = new_study(title="Solvents")
    add_member(study=other, user=three.users["reviewer"], role="reviewer")
    waiting_gate(other, title="Elsewhere")
    assert titles(three.reviewer.get(INBOX, {"study": other.slug})) == ["Elsewhere"]


def test_after_a_decision_the_next_one_is_there(three):
    answer = three.reviewer.post(
        f"{reverse('review-decide', args=[three.third.pk])}?from=inbox&at=0",
        {"verdict": "approve", "digest": three.third.digest},
        headers=HTMX,
    )
    assert (answer["HX-Retarget"], answer.context["current"].title) == ("#inbox", "Measure KOAc at 80 °C")
    assert titles(answer) == ["Measure KOAc at 80 °C", "Second"]


def test_after_a_decision_in_the_middle_the_one_below_is_there(three):
    answer = three.reviewer.post(
        f"{reverse('review-decide', args=[three.gate.pk])}?from=inbox&at=1",
        {"verdict": "approve", "digest": three.gate.digest},
        headers=HTMX,
    )
    assert answer.context["current"].title == "Second"


def test_what_was_decided_stays_to_be_read(three):
    three.reviewer.post(
        reverse("review-decide", args=[three.second.pk]), {"verdict": "approve", "digest": "d" * 64}
    )
    assert titles(three.reviewer.get(INBOX, {"show": "decided"})) == ["Second"]


def test_claimed_ones_are_a_list_of_their_own(three):
    three.reviewer.post(reverse("review-claim", args=[three.second.pk]))
    assert titles(three.reviewer.get(INBOX, {"show": "mine"})) == ["Second"]


def test_an_empty_inbox_says_what_to_do_next(lab):
    page = lab.clients["stranger"].get(INBOX).content.decode()
    assert "Nothing needs you" in page
    assert reverse("studies") in page


def test_the_badge_counts_what_waits(three):
    assert 'data-count="3"' in three.reviewer.get(reverse("inbox-count")).content.decode()


def test_the_badge_tells_when_what_waits_has_changed(lab):
    first = lab.reviewer.get(reverse("inbox-count"))
    seen = {"seen": first.context["stamp"]}
    assert "HX-Trigger" not in lab.reviewer.get(reverse("inbox-count"), seen)
    waiting_gate(lab.study)
    assert lab.reviewer.get(reverse("inbox-count"), seen)["HX-Trigger"] == "inbox-changed"


def test_a_page_remembers_from_its_first_moment_what_waits(lab):
    page = lab.reviewer.get(INBOX).content.decode()
    seen = re.search(r"seen=([\d.]+)", page)[1]
    assert "HX-Trigger" not in lab.reviewer.get(reverse("inbox-count"), {"seen": seen})
    Review.objects.all().delete()
    waiting_gate(lab.study)
    answer = lab.reviewer.get(reverse("inbox-count"), {"seen": seen})
    assert 'data-count="1"' in answer.content.decode()
    assert answer["HX-Trigger"] == "inbox-changed"  # as many as before, and another one


def test_more_reviews_cost_no_more_queries(lab, django_assert_max_num_queries):
    with django_assert_max_num_queries(20) as one:
        lab.reviewer.get(INBOX)
    waiting_gate(lab.study)
    waiting_gate(lab.study)
    with django_assert_max_num_queries(20) as three:
        lab.reviewer.get(INBOX)
    assert len(one) == len(three)
