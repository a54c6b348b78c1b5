"""Instruments that call back: what is late, wrong, doubled or forged is answered and harms nothing."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.test import Client
from pytest_httpserver import HTTPServer
from standardwebhooks.webhooks import Webhook

from agents.core.tools import Action
from agents.models import Experiment, Gate, Job, Run
from agents.services import protocol_of
from agents.services.outside import add_source, set_tool
from agents.tools import network
from agents.wiring import registry, toolbox_for
from agents.worker import advance
from reviews.models import Decision
from reviews.services import decide
from tests.reviews.views.conftest import new_study
from tests.support import do, make_run, make_user, open_gate, take

pytestmark = pytest.mark.django_db

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ACTION = {"tool": "hplc_experiment", "arguments": {"base": "KOAc", "temperature": 80}}


@pytest.fixture(autouse=True)
def site(monkeypatch, settings):
    monkeypatch.setenv("TOOL_SECRET_HPLC", SECRET)
    registry()  # it sets the hosts of the settings when it is made
    monkeypatch.setattr(network, "_allowed", frozenset({"localhost"}))
    settings.DAYBOOK_PUBLIC_URL = "https://daybook.example"


@pytest.fixture
def study(httpserver: HTTPServer):
    study = new_study()
    row = add_source(
        study, name="hplc", kind="webhook", by=None, is_admin=True,
        url=httpserver.url_for("/jobs"), secret="TOOL_SECRET_HPLC",
    )  # fmt: skip
    set_tool(row.tools.get(), is_on=True, by="ana", declared={"effect": "keyed"})
    study.experiment_tool = "hplc_experiment"
    study.save()
    return study


@pytest.fixture
def job(study, httpserver: HTTPServer) -> Job:
    """A job that was sent, and its run waiting for the report."""
    httpserver.expect_request("/jobs", method="POST").respond_with_data("queued as 17", status=202)
    run = make_run(study)
    key = f"{run.pk}:1/act/hplc_experiment:1"
    result = do(toolbox_for(protocol_of(study)).call, Action(**ACTION), idempotency_key=key)
    assert result.success, result.error_message
    open_gate(run, key="1/result", kind="result", content={"action": ACTION, "tool": ACTION["tool"]})
    return Job.objects.get(key=key)


def post(
    job,
    body,
    *,
    secret: str = SECRET,
    id: str = "msg_1",
    at: datetime | None = None,
    raw: bytes | None = None,
):
    text = json.dumps(body)
    at = at or datetime.now(UTC)
    headers = {
        "webhook-id": id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign(id, at, text),
    }
    pk = job.pk if isinstance(job, Job) else job
    return Client(enforce_csrf_checks=True).post(
        f"/hooks/jobs/{pk}/",
        raw if raw is not None else text.encode(),
        content_type="application/json",
        headers=headers,
    )


GOOD = {"result": {"measurements": {"yield": {"value": 71.2, "unit": "%", "uncertainty": 0.8}}}}


def test_the_job_is_signed_and_says_where_to_report(job, httpserver):
    (request, _) = httpserver.log[0]
    Webhook(SECRET).verify(request.data, dict(request.headers))
    sent = json.loads(request.data)
    assert sent["callback"] == f"https://daybook.example/hooks/jobs/{job.pk}/"
    assert sent["arguments"] == ACTION["arguments"]
    assert request.headers["Idempotency-Key"] == job.key
    assert "whsec" not in request.data.decode()


def test_a_job_that_is_sent_again_is_the_same_one(job, study):
    do(toolbox_for(protocol_of(study)).call, Action(**ACTION), idempotency_key=job.key)
    assert Job.objects.count() == 1


def test_a_report_answers_the_gate_as_a_person_would(job):
    answer = post(job, {"job": str(job.pk), **GOOD})
    assert (answer.status_code, answer.json()) == (200, {"status": "taken"})
    gate = Gate.objects.get(run=job.run)
    assert (gate.status, gate.answer["by"], gate.answer["source"]) == (
        "answered",
        "instrument hplc",
        "instrument",
    )
    assert gate.answer["result"]["measurements"]["yield"]["value"] == 71.2
    assert Run.objects.get(pk=job.run_id).status == "queued"
    decision = Decision.objects.get()
    assert (decision.by, decision.channel, decision.user) == ("instrument hplc", "webhook", None)


def test_units_are_converted_and_a_wrong_one_is_refused(job):
    answer = post(job, {"result": {"measurements": {"yield": {"value": 3, "unit": "mol"}}}})
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["field"] == "measurements.yield.unit"
    assert Gate.objects.get(run=job.run).status == "open"
    assert post(job, GOOD, id="msg_2").status_code == 200


def test_the_same_message_again_is_a_success_that_changes_nothing(job):
    assert post(job, GOOD).json() == {"status": "taken"}
    assert post(job, GOOD).json() == {"status": "taken before"}
    assert Decision.objects.count() == 1


def test_the_same_id_with_another_content_is_a_conflict(job):
    post(job, GOOD)
    assert post(job, {"result": {"yield": 99}}).status_code == 409


def test_a_second_report_is_told_who_was_first(job):
    post(job, GOOD)
    answer = post(job, {"result": {"yield": 99}}, id="msg_2")
    assert answer.status_code == 409
    assert "Already decided by instrument hplc" in answer.json()["error"]


@pytest.mark.parametrize(
    "change",
    [
        {"secret": "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
        {"at": datetime.now(UTC) - timedelta(minutes=10)},
        {"at": datetime.now(UTC) + timedelta(minutes=10)},
        {"raw": b'{"result": {"yield": 99}}'},
        {"raw": b""},
    ],
)
def test_what_is_not_signed_now_by_the_instrument_is_not_read(job, change):
    assert post(job, GOOD, **change).status_code == 401
    assert Gate.objects.get(run=job.run).status == "open"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"webhook-id": "m", "webhook-timestamp": "nan", "webhook-signature": "v1,x"},
        {"webhook-id": "m", "webhook-timestamp": "1e400", "webhook-signature": "v1"},
        {
            "webhook-id": "m",
            "webhook-timestamp": str(int(datetime.now(UTC).timestamp())),
            "webhook-signature": "v1,%%%",
        },
        {
            "webhook-id": "m",
            "webhook-timestamp": str(int(datetime.now(UTC).timestamp())),
            "webhook-signature": "",
        },
    ],
)
def test_headers_that_are_no_signature_are_answered(job, headers):
    answer = Client().post(f"/hooks/jobs/{job.pk}/", b"{}", content_type="application/json", headers=headers)
    assert answer.status_code == 401


@pytest.mark.parametrize(
    "body", [[], {}, {"result": 3}, {"result": {}}, {"result": {"yield": "much"}}, {"result": {"yield": 300}}]
)
def test_a_result_that_does_not_fit_is_answered_by_field(job, body):
    answer = post(job, body)
    assert (answer.status_code, bool(answer.json()["error"])) == (422, True)
    assert Gate.objects.get(run=job.run).status == "open"


def test_a_report_for_another_job_is_refused(job):
    assert post(job, {"job": str(uuid4()), **GOOD}).status_code == 422


def test_a_job_that_was_never_given_does_not_exist(job):
    assert post(uuid4(), GOOD).status_code == 404


def test_only_posts_are_reports(job):
    assert Client().get(f"/hooks/jobs/{job.pk}/").status_code == 405


def test_a_report_that_is_too_long_is_not_read(job):
    assert post(job, {"result": {"note": "x" * 1_100_000}}).status_code == 413


def test_a_person_may_enter_the_result_and_a_late_report_changes_nothing(job):
    gate = Gate.objects.get(run=job.run)
    user = make_user("ana")
    user.is_superuser = True
    user.save()
    decide(gate=gate, user=user, verdict="answer", shown_digest=gate.digest, result={"yield": 50})
    answer = post(job, GOOD)
    assert (answer.status_code, "Already decided by ana" in answer.json()["error"]) == (409, True)
    assert Gate.objects.get(run=job.run).answer["result"]["measurements"]["yield"]["value"] == 50


def test_a_job_that_was_given_up_stays_given_up(job):
    gate = Gate.objects.get(run=job.run)
    user = make_user("ana")
    user.is_superuser = True
    user.save()
    decide(gate=gate, user=user, verdict="veto", shown_digest=gate.digest, reason_code="other")
    assert post(job, GOOD).status_code == 409


def test_a_report_that_comes_before_the_run_waits_is_asked_for_again(job):
    Gate.objects.filter(run=job.run).delete()
    answer = post(job, GOOD)
    assert (answer.status_code, answer["Retry-After"]) == (425, "5")
    assert Job.objects.get().messages == {}


def test_when_the_source_was_removed_its_reports_are_not_believed(job):
    job.source.delete()
    assert post(job, GOOD).status_code == 404


def test_without_the_secret_the_site_says_that_it_cannot_check(job, monkeypatch):
    monkeypatch.delenv("TOOL_SECRET_HPLC")
    assert post(job, GOOD).status_code == 503


@pytest.mark.parametrize(
    ("status", "fault"), [(400, "bad_input"), (409, ""), (500, "transient"), (302, "refused")]
)
def test_what_the_instrument_says_to_a_job(study, httpserver, status, fault):
    httpserver.expect_request("/jobs").respond_with_data("x", status=status, headers={"Location": "/y"})
    key = f"{make_run(study).pk}:1/act/hplc_experiment:1"
    result = do(toolbox_for(protocol_of(study)).call, Action(**ACTION), idempotency_key=key)
    assert result.fault == fault


def test_a_site_that_does_not_know_its_address_sends_no_job(study, httpserver, settings):
    settings.DAYBOOK_PUBLIC_URL = ""
    key = f"{make_run(study).pk}:1/act/hplc_experiment:1"
    result = do(toolbox_for(protocol_of(study)).call, Action(**ACTION), idempotency_key=key)
    assert (result.fault, "DAYBOOK_PUBLIC_URL" in result.error_message) == ("refused", True)
    assert httpserver.log == []


def test_a_whole_run_parks_at_the_instrument_survives_restarts_and_goes_on(study, httpserver):
    httpserver.expect_request("/jobs", method="POST").respond_with_data("taken", status=202)
    set_tool(study.tool_sources.get().tools.get(), is_on=True, by="ana", declared={"needs_review": False})
    run = make_run(study, policy="auto", budget={"experiments": 1})
    for _ in range(3):  # each a worker of its own, on what the database holds
        assert advance(take(run)) == "waiting"
        Run.objects.filter(pk=run.pk).update(status="queued")
    assert len(httpserver.log) == 1
    assert advance(take(run)) == "waiting"
    run.refresh_from_db()
    assert (run.lease_owner, run.wait["kind"]) == ("", "result")
    assert post(Job.objects.get(), GOOD).status_code == 200
    assert advance(take(run)) == "succeeded"
    row = Experiment.objects.get(run=run)
    assert (row.measurements[0]["value"], row.operator) == (71.2, "instrument hplc")
