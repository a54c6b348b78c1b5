"""Two at once, again and again: each time exactly one wins, and what was done was done once.

The length is 100 here and 1,000 with ``make soak``, on SQLite and on PostgreSQL.
"""

import pytest
from django.db import transaction
from django.test import Client

from agents import assembly, wiring
from agents.core.errors import IllegalTransition
from agents.models import Event, Gate, Run
from agents.services import deliver, pause_run, prepare_answer, resume_run
from agents.store.audit import log_problems
from agents.testing.reasoner import ScriptedReasoner, finish, propose
from agents.testing.toolbox import ToyToolbox
from agents.worker import advance, work_once
from reviews.models import Decision, Role
from reviews.services import add_member
from tests.support import at_once, lose, make_run, make_study, make_user, open_gate, take

pytestmark = pytest.mark.django_db(transaction=True)
LONG = [pytest.mark.soak, pytest.mark.timeout(3600)]
times = pytest.mark.parametrize("times", [100, pytest.param(1000, marks=LONG)])


@pytest.fixture(autouse=True)
def toolbox(monkeypatch) -> ToyToolbox:
    """Return the instrument that every worker uses; its calls are the oracle."""
    made = ToyToolbox()
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: made)
    reasoner = ScriptedReasoner(
        lambda brief: finish() if brief.round > 1 else propose("weigh", dose=brief.round)
    )
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: reasoner)
    return made


def kinds(run: Run, kind: str) -> int:
    return Event.objects.filter(run=run, kind=kind).count()


def tell(results: list) -> list[str]:
    return sorted(type(result).__name__ for result in results)


@times
def test_two_reviewers_at_once_one_decides_and_the_other_hears_who(times):
    study = make_study()
    clients = {}
    for name in ("ana", "ben"):
        user = make_user(name)
        add_member(study=study, user=user, role=Role.REVIEWER)
        clients[name] = Client()
        clients[name].force_login(user)
    other = {"ana": "ben", "ben": "ana"}

    for _ in range(times):
        run = make_run(study)
        gate = open_gate(run)
        fields = {"digest": gate.digest, "note": "", "reason_code": "unsafe"}
        verdicts = {"ana": "approve", "ben": "veto"}

        def send(name: str, gate=gate, fields=fields, verdicts=verdicts) -> tuple[str, int, str]:
            path = f"/reviews/{gate.pk}/decide/"
            answer = clients[name].post(path, {**fields, "verdict": verdicts[name]})
            return name, answer.status_code, answer.content.decode()

        results = at_once(lambda send=send: send("ana"), lambda send=send: send("ben"))
        assert sorted(status for _, status, _ in results) == [302, 409], results
        loser = next(name for name, status, _ in results if status == 409)
        told = next(text for _, status, text in results if status == 409)
        assert Decision.objects.get(review__gate=gate).by == other[loser]
        assert other[loser] in told
        assert kinds(run, "review.decided") == 1
        assert log_problems(run.pk) == []


@times
def test_two_resumes_at_once_one_resumes(times):
    for _ in range(times):
        run = make_run()
        pause_run(run.pk, by="ana")
        results = at_once(*[lambda run=run, by=by: resume_run(run.pk, by=by) for by in ("ana", "ben")])
        assert tell(results) == ["IllegalTransition", "Run"]
        assert "not paused" in str(next(r for r in results if isinstance(r, IllegalTransition)))
        assert kinds(run, "run.resumed") == 1
        assert log_problems(run.pk) == []


@times
def test_two_workers_at_once_one_drives_and_the_tool_is_called_once(times, toolbox):
    for number in range(1, times + 1):
        run = make_run(policy="auto")
        worked = at_once(*[lambda run=run, w=w: work_once(worker=w, run_id=run.pk) for w in ("w1", "w2")])
        assert sorted(worked) == [False, True], worked
        assert Run.objects.get(pk=run.pk).status == "succeeded"
        assert len(toolbox.calls) == number
        assert kinds(run, "run.started") == 1
        assert log_problems(run.pk) == []


@times
def test_a_worker_that_lost_its_run_and_the_next_one_at_once_do_the_work_once(times, toolbox):
    """Both hold what they take for their lease: only the younger may write, whatever the order."""
    for number in range(1, times + 1):
        run = make_run(policy="auto")
        old = take(run, "w1")
        lose(run)
        young = take(run, "w2")
        ends = at_once(lambda old=old: advance(old), lambda young=young: advance(young))
        assert ends == ["fenced", "succeeded"]
        assert len(toolbox.calls) == number
        assert kinds(run, "experiment.filed") == 1
        assert log_problems(run.pk) == []


@times
def test_two_workers_that_resume_after_an_approval_do_the_approved_once(times, toolbox):
    """What LangGraph alone does twice: two resumes of one paused thread."""
    for number in range(1, times + 1):
        run = make_run()
        assert advance(take(run)) == "waiting"
        gate = Gate.objects.get(run=run)
        with transaction.atomic():
            deliver(gate, prepare_answer(gate, verdict="approve", by="ana"), shown_digest=gate.digest)
        at_once(*[lambda run=run, w=w: work_once(worker=w, run_id=run.pk) for w in ("w1", "w2")])
        assert len(toolbox.calls) == number
        assert kinds(run, "effect.started") == 1
        assert log_problems(run.pk) == []
