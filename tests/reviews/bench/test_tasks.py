"""Who measures, how and by when; what waits for whom."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.core.errors import BadInput, Conflict, NotFound, Refused
from agents.core.gates import GateKind
from agents.services import stop_run
from reviews.bench.tasks import set_task, start_task, waiting_tasks
from reviews.models import BenchTask, Review
from reviews.services import add_member
from tests.reviews.views.conftest import waiting_gate


def titles(user, **filters):
    return [review.title for review in waiting_tasks(user, **filters)]


def test_what_is_due_first_comes_first(bench):
    set_task(gate=bench.hot, user=bench.ana, due_at=timezone.now() + timedelta(days=1))
    assert titles(bench.ana) == ["Measure CsOPiv, 110.5", "Measure KOAc, 80"]
    assert [task.gate.bench_task.is_overdue for task in waiting_tasks(bench.ana)[:1]] == [False]


def test_a_stranger_has_no_tasks(bench):
    assert titles(bench.stranger) == []


def test_proposals_and_jobs_of_instruments_are_no_bench_tasks(bench):
    waiting_gate(bench.study)
    waiting_gate(
        bench.study, kind=GateKind.RESULT, key="2/result",
        content={"action": {"tool": "ask_researcher", "arguments": {}}, "tool": "x", "job": {"id": 1}},
    )  # fmt: skip
    assert len(titles(bench.ana)) == 2


def test_a_task_is_handed_over_with_what_is_typed(bench):
    set_task(gate=bench.cold, user=bench.ana, assignee="ana", instructions="Under argon.")
    set_task(gate=bench.cold, user=bench.ana, assignee="olga", instructions="Under argon.")
    task = BenchTask.objects.get(gate=bench.cold)
    assert (task.assignee.get_username(), task.set_by, task.instructions) == ("olga", "ana", "Under argon.")
    assert titles(bench.olga, mine=True) == ["Measure KOAc, 80"]
    assert titles(bench.ana, mine=True) == []


@pytest.mark.parametrize("name", ["vi", "stranger", "nobody"])
def test_only_members_who_may_enter_results_are_assigned(bench, name):
    with pytest.raises(NotFound, match="Members who may: ana, olga"):
        set_task(gate=bench.cold, user=bench.ana, assignee=name)


def test_a_viewer_assigns_nothing(bench):
    with pytest.raises(Refused, match="needs the role researcher"):
        set_task(gate=bench.cold, user=bench.vi, assignee="ana")


def test_a_task_that_is_over_is_not_assigned(bench):
    stop_run(bench.cold.run_id, by="olga")
    with pytest.raises(Conflict):
        set_task(gate=bench.cold, user=bench.ana)


def test_too_long_instructions_are_refused_with_their_length(bench):
    with pytest.raises(BadInput, match="4001 characters; at most 4000"):
        set_task(gate=bench.cold, user=bench.ana, instructions="x" * 4001)


def test_later_tasks_of_the_run_start_with_what_was_left_standing(bench):
    set_task(gate=bench.cold, user=bench.ana, assignee="ana", instructions="Argon.", is_standing=True)
    later = bench.cold
    later.pk, later.key = None, "2/result"
    later._state.adding = True
    later.id = type(bench.hot)._meta.pk.default()
    later.save()
    start_task(later)
    task = BenchTask.objects.get(gate=later)
    assert (task.assignee.get_username(), task.instructions, task.due_at) == ("ana", "Argon.", None)


def test_a_former_member_stays_named_on_the_task(bench):
    set_task(gate=bench.cold, user=bench.ana, assignee="olga")
    add_member(study=bench.study, user=bench.olga, role="viewer")
    assert Review.objects.get(pk=bench.cold.pk).gate.bench_task.assignee == bench.olga


def test_the_list_costs_the_same_however_long_it_is(bench, django_assert_num_queries):
    set_task(gate=bench.cold, user=bench.ana, assignee="ana")
    with django_assert_num_queries(1):
        rows = list(waiting_tasks(bench.ana))
        assert [getattr(row.gate, "bench_task", None) and row.gate.bench_task.assignee for row in rows]
