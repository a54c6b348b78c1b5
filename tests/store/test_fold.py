"""Whatever is logged, in whatever order, committed or rolled back: row and log agree."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.models import Event
from agents.store.audit import folded_state, log_problems
from agents.store.log import append, lock_run
from tests.core.event_strategies import EVENT
from tests.support import make_run, make_study

pytestmark = pytest.mark.django_db
STEPS = st.lists(st.tuples(EVENT, st.booleans(), st.sampled_from([None, "a", "b"])), max_size=25)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_the_row_is_the_fold_of_the_log_whatever_happens(steps):
    run = make_run(make_study(slug=f"s-{Event.objects.count()}"))
    for (kind, payload, number), is_kept, key in steps:
        with transaction.atomic():
            append(lock_run(run.pk), kind, payload, round=number, key=key)
            transaction.set_rollback(not is_kept)
    run.refresh_from_db()
    assert log_problems(run.pk) == []
    assert run.state == folded_state(run.pk)
    assert run.seq == Event.objects.filter(run=run).count()
