"""Retracted, superseded or vetoed text never comes back as a fact; a vetoed idea comes back as a warning."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents import memory
from agents.memory import index_findings, search_findings, use_store
from agents.models import Finding, FindingVersion
from agents.store.findings import active_of
from agents.wiring import finding_search_for
from tests.support import do, make_run

pytestmark = pytest.mark.django_db
SUBJECTS = ("CsOPiv in DMAc", "stirring at 600 rpm", "冷却水流量", "graphene content", "twist angle")
VERBS = ("raises the yield", "lowers the yield", "没有影响", "needs a replicate")
texts = st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(VERBS)).map(" ".join)
statuses = st.sampled_from(["active", "superseded", "retracted", "vetoed"])
histories = st.lists(st.tuples(texts, st.lists(statuses, min_size=1, max_size=3)), min_size=1, max_size=8)
"""Findings, each with the statuses that it goes through."""


class Index:
    """A store that forgets nothing it was told to forget: the worst that an index can be."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    async def add(self, finding) -> None:
        self.known[finding.id] = finding.text

    async def remove(self, finding_id) -> None:
        """Forget nothing."""

    async def search(self, query, *, study_ids, limit=5, status="active", among=None):
        from agents.core.findings import FoundFinding

        return [FoundFinding(finding_id=each, score=0.9) for each in self.known][:limit]


@pytest.fixture(params=["by words", "by an index that forgets nothing"])
def store(request):
    use_store(None if request.param == "by words" else Index())
    yield memory.current_store()
    use_store(None)


@given(histories)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_only_active_text_is_ever_a_fact(store, history):
    run = make_run()
    if store is not None:
        store.known.clear()
    for number, (text, path) in enumerate(history, start=1):
        row = Finding.objects.create(study=run.study, run=run, number=number, text=text)
        for status in path:
            if store is not None:
                index_findings(store)
            Finding.objects.filter(pk=row.pk).update(status=status, is_indexed=False)

    allowed = set(Finding.objects.filter(run=run, status="active").values_list("pk", flat=True))
    for subject in SUBJECTS:
        hits = search_findings(subject, study_ids=[run.study_id], limit=50)
        assert {hit.row.pk for hit in hits} <= allowed
        recalled = do(finding_search_for(protocol_of(run)), subject, 50)
        assert {finding.status for finding in recalled} <= {"active"}
    assert {finding.status for finding in active_of(run.pk)} <= {"active"}


def protocol_of(run):
    from agents.core.study import StudyProtocol

    return StudyProtocol.model_validate(run.protocol)


def test_the_text_before_a_revision_does_not_come_back(store):
    run = make_run()
    row = Finding.objects.create(study=run.study, run=run, number=1, text="graphene hurts")
    FindingVersion.objects.create(
        finding=row, version=1, text="graphene hurts", confidence=0.5, status="active"
    )
    Finding.objects.filter(pk=row.pk).update(text="graphene helps", version=2)
    if store is not None:
        index_findings(store)

    assert [hit.row.text for hit in search_findings("graphene", study_ids=[run.study_id])] == [
        "graphene helps"
    ]


def test_a_veto_of_an_earlier_run_warns_on_the_card_of_a_similar_proposal(monkeypatch):
    from django.db import transaction

    from agents import assembly, wiring
    from agents.models import Gate
    from agents.services import deliver, prepare_answer
    from agents.testing.reasoner import ScriptedReasoner, propose
    from agents.testing.toolbox import ToyToolbox
    from agents.worker import work_once
    from tests.support import make_study

    doses = iter([1000, 1, 1010])
    for module in (assembly, wiring):
        monkeypatch.setattr(module, "toolbox_for", lambda protocol: ToyToolbox())
    reasoner = ScriptedReasoner(lambda brief: propose("weigh", dose=next(doses)))
    monkeypatch.setattr(assembly, "reasoner_for", lambda protocol, toolbox: reasoner)
    study = make_study()
    first = make_run(study)
    work_once(worker="w")
    gate = Gate.objects.get(run=first)
    answer = prepare_answer(gate, verdict="veto", by="ana", reason_code="unsafe", note="it would overflow")
    with transaction.atomic():
        deliver(gate, answer, shown_digest=gate.digest)
    work_once(worker="w")

    second = make_run(study)
    while work_once(worker="w"):
        pass

    (warning,) = Gate.objects.get(run=second, status="open").request["content"]["warnings"]
    assert warning == (
        f"Something like this was vetoed by ana on {answer.at[:10]} in run #1, round 1: it would overflow. "
        "This differs only in dose."
    )
    assert [row.status for row in Finding.objects.filter(run=first)] == ["vetoed"]
