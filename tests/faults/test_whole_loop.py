"""The whole loop with the language-model reasoner over real HTTP: the scripted scientist on the sample reactions."""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction

from agents.models import Gate, Run, Study, Thought
from agents.services import deliver, load_bundle, prepare_answer, start_run
from agents.store.lease import claim
from agents.testing import ModelServer, Traits
from agents.testing.lab import ENOUGH, scientist
from agents.worker import advance
from benchmarks.parts.faults_site import connected_to

FOLDER = Path(settings.BASE_DIR) / "examples" / "direct_arylation"


@pytest.fixture
def study(transactional_db: None, tmp_path: Path) -> Study:
    """The sample study with its table and without its document, whose digest has tests of its own."""
    described = json.loads((FOLDER / "study.json").read_text(encoding="utf-8"))
    (tmp_path / "study.json").write_text(json.dumps({**described, "documents": []}), encoding="utf-8")
    shutil.copy(FOLDER / "data.csv", tmp_path)
    return load_bundle(tmp_path)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(scientist) as server, connected_to(server):
        yield server


def begin(study: Study, **given: Any) -> Run:
    return start_run(study, by="ana", reasoner="language_model", **given)


def go(run: Run) -> Run:
    """Drive ``run`` as a worker does, until it waits or ends."""
    lease = claim(worker="w", run_id=run.pk)
    assert lease is not None, run.status
    advance(lease)
    run.refresh_from_db()
    return run


def decide(run: Run, verdict: str, **given: Any) -> Gate:
    gate = Gate.objects.get(run=run, status=Gate.Status.OPEN)
    answer = prepare_answer(gate, verdict=verdict, by="ana", **given)
    with transaction.atomic():
        return deliver(gate, answer, shown_digest=gate.digest)


def payloads(run: Run, kind: str) -> list[dict[str, Any]]:
    return list(run.events.filter(kind=kind).order_by("seq").values_list("payload", flat=True))


def test_unattended_it_measures_distils_and_concludes_at_a_flat_and_recorded_cost(study, server):
    run = go(begin(study, policy="auto"))
    assert (run.status, run.spent["experiments"], run.state["outcome"]) == ("succeeded", ENOUGH, "done")
    assert len({row.conditions_digest for row in run.experiments.all()}) == run.experiments.count() == ENOUGH
    assert "best condition seen" in payloads(run, "summary.written")[0]["text"]
    calls = payloads(run, "model.called")
    assert len(calls) == len(server.requests)
    assert sum(call["prompt_tokens"] + call["completion_tokens"] for call in calls) == run.spent["tokens"]
    late = [call["prompt_tokens"] for call in calls if call["role"] == "reason"][5:]
    assert (late[-1] - late[0]) / len(late) <= 2
    assert max(late) - min(late) <= 30


def test_with_a_person_at_every_step_what_they_decide_is_what_is_done(study, server):
    run = go(begin(study, policy="every_step", budget={"rounds": 5}))
    decide(run, "approve")
    go(run)
    proposed = Gate.objects.get(run=run, status="open").request["content"]["proposal"]["action"]["arguments"]
    edited = {**proposed, "temperature": 90 if proposed["temperature"] != 90 else 120}
    decide(run, "edit", arguments=edited)
    go(run)
    vetoed = decide(run, "veto", reason_code="unsafe", note="Not with this solvent.")
    go(run)
    decide(run, "answer", result={"measurements": {"yield": {"value": 42.0}}})
    go(run)
    decide(run, "approve")
    assert go(run).status == "succeeded"
    done = [row.planned for row in run.experiments.order_by("round")]
    assert edited in done
    assert vetoed.request["content"]["proposal"]["action"]["arguments"] not in done
    assert [row.round for row in run.experiments.order_by("round")] == [1, 2, 4, 5]
    assert run.experiments.get(round=4).measurements[0]["value"] == 42.0


def test_a_veto_reaches_the_model_with_its_reason(study, server):
    run = go(begin(study, policy="every_step"))
    decide(run, "veto", reason_code="unsafe", note="Not with this solvent.")
    go(run)
    assert "Not with this solvent." in server.requests[-1]["messages"][-1]["content"]


def test_what_the_model_says_can_be_watched_while_it_says_it(study):
    with ModelServer(scientist, traits=Traits(piece=8, pause_s=0.02)) as server, connected_to(server):
        run = begin(study, policy="every_step")
        worker = threading.Thread(target=lambda: (go(run), connection.close()))
        worker.start()
        seen: list[str] = []
        while worker.is_alive():
            text = Thought.objects.filter(run=run).values_list("text", flat=True).first()
            if text and text not in seen:
                seen.append(text)
            time.sleep(0.05)
    assert len(seen) >= 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(seen))
