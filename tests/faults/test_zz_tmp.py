from tests.faults.test_clock import *
from django.db.models.functions import Now
from agents.models import Run
def test_x(clock, oracle):
    r=press_run()
    from django.db import connection
    connection.ensure_connection()
    clock.jump(MONTH)
    v=Run.objects.annotate(n=Now()).get(pk=r.pk).n
    assert (v-datetime.datetime.now(datetime.UTC)).days in (29,30), v
