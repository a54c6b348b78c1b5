"""``manage.py reindex --findings --wait`` shows how far the index has come."""

import io

import pytest
from django.core.management import CommandError, call_command

from agents.management.commands import reindex
from agents.models import Finding
from tests.support import make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def findings():
    run = make_run()
    for number in range(1, 4):
        Finding.objects.create(
            study=run.study, run=run, number=number, text=f"claim {number}", is_indexed=True
        )


def test_progress_is_told_until_all_are_there(findings, monkeypatch):
    def catch_up(seconds: float) -> None:
        first = Finding.objects.filter(is_indexed=False).first()
        Finding.objects.filter(pk=first.pk).update(is_indexed=True)

    monkeypatch.setattr(reindex.time, "sleep", catch_up)
    out, told = io.StringIO(), io.StringIO()
    call_command("reindex", "--findings", "--wait", "--json", stdout=out, stderr=told)

    assert told.getvalue().split("\n")[:4] == [f"{n} of 3 findings" for n in range(4)]
    assert '"findings_indexed": 3' in out.getvalue()


def test_without_a_site_that_indexes_the_command_says_so(findings, monkeypatch):
    monkeypatch.setattr(reindex, "PATIENCE_S", 0.0)
    monkeypatch.setattr(reindex, "POLL_S", 0.0)

    with pytest.raises(CommandError, match=r"3 findings wait.*manage.py serve"):
        call_command("reindex", "--findings", "--wait", stdout=io.StringIO(), stderr=io.StringIO())
