"""The list of what is alike: without scripts, with a tick for each, and told what became of each."""

import pytest
from django.urls import reverse

from reviews.models import Decision, Review
from tests.reviews.views.conftest import proposal_content, waiting_gate
from tests.reviews.views.many import make_many


@pytest.fixture
def queue(lab):
    lab.gates = [
        waiting_gate(lab.study, title=f"Measure {n}", content={**proposal_content(), "warnings": []})
        for n in range(3)
    ]
    lab.url = reverse("batch", args=[lab.gates[0].pk])
    return lab


def form(gates, **more):
    return {
        "pick": [str(gate.pk) for gate in gates],
        **{f"digest-{gate.pk}": gate.digest for gate in gates},
        "verdict": "approve",
        **more,
    }


def test_the_list_shows_each_and_ticks_what_has_no_warning(queue):
    lines = {line.review.title: line.is_ticked for line in queue.reviewer.get(queue.url).context["lines"]}
    assert lines == {"Measure 0": True, "Measure 1": True, "Measure 2": True, "Measure KOAc at 80 °C": False}


def test_a_high_risk_is_not_ticked(queue):
    Review.objects.filter(pk=queue.gates[1].pk).update(risk="high")
    first = queue.reviewer.get(queue.url).context["lines"][0]
    assert (first.review.title, first.is_ticked) == ("Measure 1", False)


def test_what_is_ticked_is_decided_and_the_rest_is_not(queue):
    answer = queue.reviewer.post(queue.url, form(queue.gates[:2], note="go on"))
    assert "2 reviews decided." in answer.content.decode()
    assert {row.review_id for row in Decision.objects.all()} == {gate.pk for gate in queue.gates[:2]}


def test_one_that_was_decided_meanwhile_is_named(queue):
    queue.owner.post(
        reverse("review-decide", args=[queue.gates[0].pk]),
        {"verdict": "approve", "digest": queue.gates[0].digest},
    )
    page = queue.reviewer.post(queue.url, form(queue.gates)).content.decode()
    assert "2 reviews decided." in page
    assert "Already decided by owner at" in page


def test_sending_it_twice_is_one_decision_each(queue):
    for _ in range(2):
        page = queue.reviewer.post(queue.url, form(queue.gates)).content.decode()
    assert "3 reviews decided." in page
    assert Decision.objects.count() == 3


def test_a_veto_without_a_reason_keeps_what_was_ticked_and_typed(queue):
    answer = queue.reviewer.post(queue.url, form(queue.gates[:1], verdict="veto", note="too hot"))
    assert answer.status_code == 422
    assert [line.review.title for line in answer.context["lines"] if line.is_ticked] == ["Measure 0"]
    assert "too hot" in answer.content.decode() and "Choose a reason" in answer.content.decode()
    assert not Decision.objects.exists()


def test_what_is_left_out_says_why(queue):
    Review.objects.filter(pk=queue.gates[2].pk).update(mode="second")
    page = queue.reviewer.get(queue.url).content.decode()
    assert "it needs a second opinion" in page


def test_get_decides_nothing_and_a_stranger_finds_nothing(queue):
    queue.reviewer.get(f"{queue.url}?verdict=approve&pick={queue.gates[0].pk}")
    assert not Decision.objects.exists()
    assert queue.clients["stranger"].get(queue.url).status_code == 404
    assert queue.reviewer.post(queue.url, form([], pick=["nonsense"])).status_code == 422


def test_the_inbox_leads_to_it_when_there_are_several(queue):
    board = queue.reviewer.get("/inbox/", {"review": str(queue.gates[0].pk)}).content.decode()
    assert queue.url in board
    Review.objects.exclude(pk=queue.gates[0].pk).update(mode="second")
    assert (
        "together" not in queue.reviewer.get("/inbox/", {"review": str(queue.gates[0].pk)}).content.decode()
    )


def test_a_long_list_costs_no_more_queries(queue, django_assert_max_num_queries):
    policy = Review.objects.get(pk=queue.gates[0].pk).policy
    make_many(queue.study, 1, policy=policy, tool="ask_researcher", mode="second")
    with django_assert_max_num_queries(20) as few:
        queue.reviewer.get(queue.url)
    make_many(queue.study, 500, policy=policy, tool="ask_researcher")
    make_many(queue.study, 200, policy=policy, tool="ask_researcher", mode="second")
    with django_assert_max_num_queries(20) as many:
        queue.reviewer.get(queue.url)
    assert len(few) == len(many)
