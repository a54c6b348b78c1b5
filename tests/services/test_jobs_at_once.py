"""Reports over real HTTP, and many of them at once: one is taken, the others are told."""

import json
from datetime import UTC, datetime

import httpx2
import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from agents.models import Gate, Job
from agents.services.outside import add_source, set_tool
from reviews.instruments import receive
from reviews.models import Decision
from tests.reviews.views.conftest import new_study
from tests.support import at_once, make_run, open_gate

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
ACTION = {"tool": "hplc_experiment", "arguments": {"base": "KOAc", "temperature": 80}}
BODY = json.dumps({"result": {"measurements": {"yield": {"value": 71.2, "unit": "%"}}}})


@pytest.fixture
def job(monkeypatch) -> Job:
    monkeypatch.setenv("TOOL_SECRET_HPLC", SECRET)
    study = new_study()
    row = add_source(
        study,
        name="hplc",
        kind="webhook",
        by=None,
        is_admin=True,
        url="https://x.example",
        secret="TOOL_SECRET_HPLC",
    )
    set_tool(row.tools.get(), is_on=True, by="ana")
    run = make_run(study)
    open_gate(run, key="1/result", kind="result", content={"action": ACTION, "tool": ACTION["tool"]})
    return Job.objects.create(run=run, source=row, key=f"{run.pk}:1/act/x:1", round=1, sent_at=timezone.now())


def signed(id: str = "msg_1") -> dict[str, str]:
    now = datetime.now(UTC)
    signature = Webhook(SECRET).sign(id, now, BODY)
    return {"webhook-id": id, "webhook-timestamp": str(int(now.timestamp())), "webhook-signature": signature}


def test_over_real_http_a_report_is_taken_once(job, live_server):
    address = f"{live_server.url}/hooks/jobs/{job.pk}/"
    forged = httpx2.post(address, content=BODY, headers={**signed(), "webhook-id": "other"})
    taken = httpx2.post(address, content=BODY, headers=signed())
    again = httpx2.post(address, content=BODY, headers=signed())
    assert [forged.status_code, taken.json(), again.json()] == [
        401,
        {"status": "taken"},
        {"status": "taken before"},
    ]


@pytest.mark.parametrize("ids", [["msg_1"] * 6, [f"msg_{n}" for n in range(6)]])
def test_of_many_at_once_one_is_taken(job, ids):
    body = BODY.encode()
    results = at_once(*[lambda id=id: receive(job.pk, headers=signed(id), body=body) for id in ids])
    assert results.count(True) == 1
    others = [result for result in results if result is not True]
    assert all(result is False or "Already decided" in str(result) for result in others)
    assert (Decision.objects.count(), Gate.objects.get().status) == (1, "answered")
