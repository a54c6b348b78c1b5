"""What doctor and reindex put right, and what they leave to people."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from agents.core.lifecycle import RunStatus
from agents.models import Effect, Experiment, Finding, FindingVersion, Gate, Run
from agents.store.audit import log_problems
from agents.store.log import append
from reviews.models import Review
from tests.commands.console import data, fault, say
from tests.doctor.conftest import examine
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


def mended(*words: str) -> list[str]:
    return [remark["mended"] for remark in examine("--repair", *words)]


@pytest.mark.parametrize("column", ["state", "spent"])
def test_a_runs_row_is_made_anew_from_its_log(run, column):
    before = getattr(run, column)
    Run.objects.filter(pk=run.pk).update(**{column: {}})
    (remark,) = examine("--only", "projection")
    assert remark["what"].startswith("The run shows another ")
    assert mended("--only", "projection") == ["made anew from the log"]
    assert getattr(Run.objects.get(pk=run.pk), column) == before
    assert log_problems(run.pk) == []


def test_a_changed_measurement_comes_back_from_the_log(run):
    row = Experiment.objects.get(run=run, round=2)
    measurements = row.measurements
    Experiment.objects.filter(pk=row.pk).update(measurements=[], status="failed")
    (remark,) = examine("--only", "projection")
    assert remark["what"].endswith("the row shows another measurements, status.")
    assert mended("--only", "projection") == ["made anew from the log"]
    row.refresh_from_db()
    assert (row.measurements, row.status) == (measurements, "measured")


@pytest.mark.parametrize("model", [Experiment, Finding])
def test_rows_that_were_lost_come_back_whole(run, model):
    fields = [
        f.attname
        for f in model._meta.concrete_fields
        if f.name not in ("created_at", "updated_at", "is_indexed")
    ]
    before = list(model.objects.filter(run=run).order_by("pk").values(*fields))
    model.objects.filter(run=run).delete()
    say("reindex", "--projections")
    assert list(model.objects.filter(run=run).order_by("pk").values(*fields)) == before
    assert examine("--only", "projection") == []


def test_earlier_versions_of_a_finding_come_back(run):
    kept = ("version", "text", "confidence", "status", "reason")
    before = list(FindingVersion.objects.values(*kept))
    FindingVersion.objects.all().delete()
    assert data("reindex", "--projections")["differences"][0]["what"] == "Version 1 of finding F1 is missing."
    assert list(FindingVersion.objects.values(*kept)) == before


def test_reindex_reports_differences_and_marks_findings(run):
    Finding.objects.update(is_indexed=True)
    Experiment.objects.filter(run=run, round=1).update(note="changed")
    done = data("reindex")
    assert [each["what"].rpartition(": ")[2] for each in done["differences"]] == [
        "the row shows another note."
    ]
    assert (done["runs"], done["findings_to_index"]) == (1, 1)
    assert not Finding.objects.get().is_indexed


def test_reindex_leaves_a_damaged_run_alone_and_says_so(run):
    Run.objects.filter(pk=run.pk).update(head="0" * 64)
    assert "damaged" in str(fault("reindex", "--projections"))


def test_the_lease_of_a_dead_worker_is_freed(run):
    owner = Run.objects.get(pk=run.pk).lease_owner
    from agents.store.lease import process_name

    dead = process_name().rpartition(":")[0] + ":1"
    Run.objects.filter(pk=run.pk).update(lease_owner=dead, lease_until=timezone.now() + timedelta(hours=1))
    assert [remark["level"] for remark in examine("--only", "runs")] == ["warn"]
    assert mended("--only", "runs") == ["freed the lease"]
    assert (owner, Run.objects.get(pk=run.pk).lease_owner) == ("w1", "")


def test_a_run_that_waits_for_nothing_is_queued_again():
    run = stories.a_run()
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    stories.wait(run, gate)
    Gate.objects.update(status=Gate.Status.CANCELLED)
    assert examine("--only", "runs")[0]["level"] == "fail"
    assert mended("--only", "runs") == ["queued it: it goes on from its gate's answer"]
    assert Run.objects.get(pk=run.pk).status == RunStatus.QUEUED


def test_a_review_of_a_run_that_is_over_is_cancelled():
    run = stories.a_run()
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    Run.objects.filter(pk=run.pk).update(status=RunStatus.SUCCEEDED)
    assert mended("--only", "runs") == ["cancelled the review"]
    assert (Gate.objects.get(pk=gate.pk).status, Review.objects.get(pk=gate.pk).status) == (
        "cancelled",
        "cancelled",
    )
    assert log_problems(run.pk) == []


@pytest.mark.parametrize("damage", ["deleted", "closed"])
def test_an_open_gate_gets_its_review_back(damage):
    run = stories.a_run()
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    if damage == "deleted":
        Review.objects.all().delete()
    else:
        Review.objects.update(status="decided")
    assert mended("--only", "decisions") == ["put right from the gate"]
    review = Review.objects.get(pk=gate.pk)
    assert (review.status, review.title) == ("open", gate.request["title"])


def test_an_unfinished_effect_of_a_run_that_is_over_is_marked(run):
    Effect.objects.filter(run=run, key="2/act/weigh").update(status="started")
    Run.objects.filter(pk=run.pk).update(status=RunStatus.CANCELLED)
    assert mended("--only", "effects") == ["marked as of unknown outcome"]
    assert Effect.objects.get(run=run, key="2/act/weigh").status == "unknown"
    assert log_problems(run.pk) == []


def test_an_unfinished_effect_of_a_run_that_goes_on_is_left_to_the_run(run):
    Effect.objects.filter(run=run, key="2/act/weigh").update(status="started", effect_class="blind")
    Run.objects.filter(pk=run.pk).update(status=RunStatus.PAUSED)
    (remark,) = examine("--repair", "--only", "effects")
    assert remark["what"].endswith("when the run goes on, a person is asked.")
    assert remark["mended"] == ""


def test_the_work_of_a_running_run_is_nobodys_business(run):
    Effect.objects.filter(run=run, key="2/act/weigh").update(status="started", tries=F("tries"))
    assert examine("--only", "effects") == []


def test_asking_a_model_that_ended_in_a_logged_failure_is_no_open_question(run):
    call = {"role": "reason", "model": "m", "prompt_tokens": 0, "completion_tokens": 0}
    Effect.objects.create(
        run=run, key="3/reason/1", effect_class="local", epoch=1, started_at=timezone.now(), status="started"
    )
    Run.objects.filter(pk=run.pk).update(status=RunStatus.PAUSED)
    assert [remark["level"] for remark in examine("--only", "effects")] == ["warn"]
    append(run, "model.called", {**call, "fault": "unreachable"}, round=3)
    assert examine("--only", "effects") == []
