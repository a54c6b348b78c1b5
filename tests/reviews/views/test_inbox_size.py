"""Ten thousand open reviews: the first page costs what it shows, the badge a count, the deadlines what is due."""

import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.inbox import ORDERS, inbox_for, waiting_in
from reviews.models import Review
from reviews.services import apply_due
from tests.reviews.views.many import make_many

SIZES = (10, 1_000, 10_000)


def queries_of(act) -> int:
    with CaptureQueriesContext(
        connection,
    ) as seen:
        act()
    return len(seen)


def plan_of(rows) -> str:
    if connection.vendor != "sqlite":
        pytest.skip("the plan is read as SQLite words it")
    return rows.explain()


def test_the_first_page_costs_as_many_queries_at_any_size(lab):
    lab.reviewer.get("/inbox/")
    seen = []
    for size in SIZES:
        make_many(lab.study, size - Review.objects.count())
        seen.append(queries_of(lambda: lab.reviewer.get("/inbox/")))
    assert len(set(seen)) == 1
    assert seen[0] < 20


@pytest.mark.parametrize("order", list(ORDERS))
def test_each_order_walks_an_index_and_sorts_nothing(lab, order):
    plan = plan_of(inbox_for(lab.users["reviewer"], order=order)[:25])
    assert "TEMP B-TREE" not in plan
    assert "SCAN reviews_review" not in plan
    index = {"risk": "review_riskiest", "cost": "review_costliest", "oldest": "review_oldest"}[order]
    assert f"USING INDEX {index}" in plan


def test_what_was_decided_is_walked_newest_first(lab):
    plan = plan_of(inbox_for(lab.users["reviewer"], show="decided")[:25])
    assert "TEMP B-TREE" not in plan
    assert "review_newest" in plan


def test_the_badge_is_one_query_and_a_bound_time(lab):
    make_many(lab.study, 10_000)
    begun = time.perf_counter()
    assert queries_of(lambda: waiting_in(lab.users["reviewer"])) == 1
    assert time.perf_counter() - begun < 1
    assert waiting_in(lab.users["reviewer"])[0] == 10_001


def test_the_deadlines_cost_what_is_due_and_not_what_there_is(lab):
    far = timezone.now() + timedelta(days=9)
    past = timezone.now() - timedelta(hours=1)
    make_many(lab.study, 10, due_at=past, on_deadline="escalate")
    few = queries_of(lambda: apply_due())
    make_many(lab.study, 10, due_at=past, on_deadline="escalate")
    make_many(lab.study, 5_000, due_at=far, on_deadline="escalate")
    make_many(lab.study, 5_000)
    assert queries_of(lambda: apply_due()) == few
    due = Review.objects.filter(status="open", due_at__lte=timezone.now()).order_by("due_at")
    assert "USING INDEX review_due (status=? AND due_at<?)" in plan_of(due)
