"""What a person does to a finding: kept as a version, logged, and true for search, tools and prompts."""

from uuid import uuid4

import pytest

from agents import services
from agents.core.errors import BadInput, Conflict, NotFound
from agents.core.proposal import MemoryOperation
from agents.memory import search_findings
from agents.models import Event, Finding, Run
from agents.records import records_of
from agents.store.audit import log_problems
from agents.store.book import OrmFindingBook
from agents.store.findings import active_of
from agents.store.rebuild import differences, rebuild
from tests.support import do, make_run, make_study, take

pytestmark = pytest.mark.django_db


def add(lease, *texts: str) -> list[Finding]:
    protocol = _protocol(Run.objects.get(pk=lease.run_id))
    book = OrmFindingBook(lease, protocol)
    key = f"{Event.objects.filter(run_id=lease.run_id).count()}/add"
    operations = [MemoryOperation(op="add", text=text, evidence=[n + 1]) for n, text in enumerate(texts)]
    do(book.apply, operations, round=1, key=key)
    rows = Finding.objects.filter(run_id=lease.run_id)
    return [rows.get(text=text, status="active") for text in texts]


def _protocol(run):
    from agents.core.study import StudyProtocol

    return StudyProtocol.model_validate(run.protocol)


@pytest.fixture
def run(db):
    return make_run()


def test_a_correction_is_a_version_with_name_and_reason_and_the_log_knows(run):
    (row,) = add(take(run), "KOAc is slow")
    Finding.objects.update(is_indexed=True)
    services.edit_finding(
        row.pk, text="KOAc is slow below 80 °C", scope="DMAc", by="ana", reason="too wide", seen=1
    )

    row.refresh_from_db()
    old = row.versions.get()
    assert (row.text, row.scope, row.version, row.is_indexed) == (
        "KOAc is slow below 80 °C",
        "DMAc",
        2,
        False,
    )
    assert (old.text, old.by, old.reason) == ("KOAc is slow", "ana", "too wide")
    event = Event.objects.filter(run=run).latest("seq")
    assert (event.kind, event.payload["by"], event.payload["reason"]) == (
        "finding.changed",
        "ana",
        "too wide",
    )
    run.refresh_from_db()
    assert [each["text"] for each in run.state["findings"]] == ["KOAc is slow below 80 °C"]


def test_a_change_needs_a_reason_and_the_latest_version(run):
    (row,) = add(take(run), "KOAc is slow")
    with pytest.raises(BadInput, match="Say why"):
        services.retract_finding(row.pk, by="ana", reason="  ")
    with pytest.raises(Conflict, match="you saw version 7"):
        services.retract_finding(row.pk, by="ana", reason="wrong", seen=7)
    with pytest.raises(NotFound):
        services.retract_finding(uuid4(), by="ana", reason="wrong")
    row.refresh_from_db()
    assert (row.status, row.version) == ("active", 1)


def test_a_withdrawn_claim_leaves_prompt_search_and_record_while_the_run_is_driven(run):
    lease = take(run)
    row, _ = add(lease, "KOAc is slow", "DMAc is fine")
    book = OrmFindingBook(lease, _protocol(run))
    assert len(do(book.active)) == 2

    services.retract_finding(row.pk, by="ana", reason="the base was wet")

    do(book.apply, [MemoryOperation(op="support", finding="F2", evidence=[3])], round=3, key="3/x")
    assert [finding.text for finding in do(book.active)] == ["DMAc is fine"]
    assert [finding.text for finding in active_of(run.pk)] == ["DMAc is fine"]
    assert search_findings("KOAc is slow", study_ids=[run.study_id]) == []
    (record,) = records_of(run.pk, f"F{row.number}")
    assert record.text.startswith("NOT A FACT (retracted)")


def test_the_same_claim_of_another_run_of_the_study_is_withdrawn_with_it(run):
    second, elsewhere = make_run(run.study), make_run(make_study())
    (row,) = add(take(run), "KOAc is slow")
    add(take(second), "koac is  slow")
    add(take(elsewhere), "KOAc is slow")
    services.retract_finding(row.pk, by="ana", reason="wet")
    assert [r.status for r in Finding.objects.filter(study=run.study)] == ["retracted"] * 2
    assert Finding.objects.get(run=elsewhere).status == "active"


def test_the_reasoner_cannot_bring_a_withdrawn_claim_back(run):
    lease = take(run)
    (row,) = add(lease, "KOAc is slow")
    services.retract_finding(row.pk, by="ana", reason="wet")
    book = OrmFindingBook(lease, _protocol(run))
    do(book.apply, [MemoryOperation(op="add", text="KOAc is  SLOW", evidence=[2])], round=2, key="2/y")
    assert do(book.active) == []
    assert "a person withdrew the claim" in Event.objects.filter(run=run).latest("seq").payload["reason"]


def test_a_merge_keeps_both_sources_and_points_from_one_to_the_other(run):
    second = make_run(run.study)
    (kept,) = add(take(run), "KOAc is slow in DMAc")
    (other,) = add(take(second), "KOAc is rather slow in DMAc")
    services.merge_findings(kept.pk, other=other.pk, by="ana", reason="the same", seen=1)
    kept.refresh_from_db()
    other.refresh_from_db()
    assert (kept.support, other.status, other.replaced_by) == (2, "superseded", str(kept.pk))
    assert {item.get("run", str(run.pk)) for item in kept.evidence} == {str(run.pk), str(second.pk)}
    assert Event.objects.filter(kind="finding.changed", payload__by="ana").count() == 2


def test_evidence_of_another_run_does_not_stand_in_the_way_of_the_runs_own(run):
    second, lease = make_run(run.study), take(run)
    (kept,) = add(lease, "KOAc is slow in DMAc")
    other = Finding.objects.create(
        study=run.study, run=second, number=1, text="KOAc is slow", evidence=[{"round": 5, "stance": "for"}]
    )
    services.merge_findings(kept.pk, other=other.pk, by="ana", reason="the same")
    book = OrmFindingBook(lease, _protocol(run))
    do(book.apply, [MemoryOperation(op="support", finding="F1", evidence=[5])], round=5, key="5/z")
    kept.refresh_from_db()
    assert kept.support == 3


def test_what_was_replaced_names_its_successor(run):
    old, new = add(take(run), "KOAc is slow", "KOAc is slow below 80 °C")
    services.supersede_finding(old.pk, successor=new.pk, by="ana", reason="sharper")
    old.refresh_from_db()
    assert (old.status, old.replaced_by) == ("superseded", str(new.pk))
    with pytest.raises(BadInput, match="superseded"):
        services.retract_finding(old.pk, by="ana", reason="again")


def test_rows_made_anew_from_the_log_are_the_same(run):
    old, new = add(take(run), "KOAc is slow", "KOAc is slow below 80 °C")
    services.edit_finding(new.pk, text="KOAc is slow at 70 °C", by="ana", reason="measured")
    services.supersede_finding(old.pk, successor=new.pk, by="ana", reason="sharper")
    assert log_problems(run.pk) == []
    assert differences(run.pk) == []
    before = _shown(run)
    Finding.objects.filter(run=run).delete()
    rebuild(run.pk)
    assert _shown(run) == before


def _shown(run) -> list:
    rows = Finding.objects.filter(run=run).order_by("number")
    return [
        (
            row.pk,
            row.text,
            row.status,
            row.replaced_by,
            [(v.text, v.by, v.reason) for v in row.versions.all()],
        )
        for row in rows
    ]


def test_an_edit_cannot_say_what_was_withdrawn(run):
    wrong, other = add(take(run), "KOAc is slow", "DMAc is fine")
    services.retract_finding(wrong.pk, by="ana", reason="wet")
    with pytest.raises(BadInput, match="withdrawn in this study"):
        services.edit_finding(other.pk, text="koac is slow", by="ana", reason="hm")
