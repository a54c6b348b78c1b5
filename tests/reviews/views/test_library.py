"""The findings library in a browser without JavaScript: filters, actions by role, files."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from agents.memory import search_findings
from agents.models import Event, Finding
from reviews.services import add_member
from tests.reviews.views.conftest import new_study
from tests.support import make_run


def finding(run, number: int, text: str, **fields) -> Finding:
    return Finding.objects.create(study=run.study, run=run, number=number, text=text, **fields)


def texts(answer) -> set[str]:
    return {row.text for row in answer.context["page"].object_list}


def post(client, row, verb: str, **data):
    return client.post(
        reverse("finding-verb", args=[row.pk, verb]), {"reason": "wet base", "seen": row.version, **data}
    )


@pytest.fixture
def row(lab) -> Finding:
    return finding(lab.run, 1, "KOAc is slow", evidence=[{"round": 1, "stance": "for"}])


@pytest.mark.parametrize("q", ["", "base"])
def test_filters_narrow_lists_and_searches(lab, q):
    finding(lab.run, 1, "The base decides", domain="coupling", confidence=0.9)
    finding(lab.run, 2, "The base hardly matters", domain="printing", confidence=0.4)
    old = finding(lab.run, 3, "The base is old news", domain="coupling", confidence=0.9)
    Finding.objects.filter(pk=old.pk).update(created_at="2020-01-05T12:00:00Z")

    def shown(**given):
        return texts(lab.viewer.get(reverse("findings"), {"q": q, **given}))

    assert shown(domain="printing") == {"The base hardly matters"}
    assert shown(sure="0.8", since="2021-01-01") == {"The base decides"}
    assert shown(since="2020-01-05", until="2020-01-05") == {"The base is old news"}
    assert len(shown(sure="9", since="x")) == 3
    assert "is_narrowed" in lab.viewer.get(reverse("findings")).context


def test_a_list_costs_the_same_however_long(lab, django_assert_max_num_queries):
    for number in range(1, 40):
        finding(lab.run, number, f"Finding number {number}")
    with django_assert_max_num_queries(14):
        assert len(lab.viewer.get(reverse("findings")).context["page"].object_list) == 25


def test_withdrawn_in_the_browser_is_gone_from_search(lab, row):
    answer = post(lab.reviewer, row, "retract")
    assert answer.status_code == 302
    assert search_findings("KOAc", study_ids=[lab.study.pk]) == []
    html = lab.viewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert "wet base" in html
    assert "Withdrawn" in html
    assert "Withdraw…" not in html


def test_a_correction_shows_its_difference_and_who_made_it(lab, row):
    post(lab.reviewer, row, "edit", text="KOAc is slow below 80 °C", scope="DMAc")
    html = lab.viewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert "<ins> below 80 °C</ins>" in html
    assert "reviewer" in html
    assert "wet base" in html


def test_what_was_typed_comes_back_with_what_is_wrong(lab, row):
    answer = post(lab.reviewer, row, "edit", text="KOAc is fast", reason="")
    assert answer.status_code == 422
    assert "KOAc is fast" in answer.content.decode()
    stale = post(lab.reviewer, row, "retract", seen=9)
    assert stale.status_code == 409
    assert "changed meanwhile" in stale.content.decode()
    assert post(lab.reviewer, row, "edit", text=row.text).status_code == 422
    assert post(lab.reviewer, row, "merge").status_code == 422
    assert post(lab.reviewer, row, "explode").status_code == 404
    row.refresh_from_db()
    assert row.version == 1


def test_duplicates_are_offered_and_merged_with_both_sources(lab, row):
    other = finding(make_run(lab.study), 1, "KOAc is really slow", evidence=[{"round": 1, "stance": "for"}])
    html = lab.reviewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert "May say the same" in html
    assert post(lab.reviewer, row, "merge", other=other.pk).status_code == 302
    row.refresh_from_db()
    assert row.support == 2
    page = lab.viewer.get(reverse("finding", args=[row.pk]))
    assert [link.run.number for link in page.context["chain"]] == [1, 2]
    gone = lab.viewer.get(reverse("finding", args=[other.pk])).content.decode()
    assert "Replaced by" in gone


def test_another_one_can_be_looked_for_and_put_in_its_place(lab, row):
    finding(lab.run, 2, "The ligand decides")
    better = finding(lab.run, 3, "Dry KOAc is fast")
    page = lab.reviewer.get(reverse("finding", args=[row.pk]), {"find": "dry"})
    assert page.context["others"][0].pk == better.pk
    post(lab.reviewer, row, "supersede", other=better.pk)
    row.refresh_from_db()
    assert (row.status, row.replaced_by) == ("superseded", str(better.pk))


def test_a_finding_of_another_study_does_not_exist_for_those_who_are_not_in_it(lab, row):
    secret = finding(make_run(new_study(title="Secret")), 1, "secret")
    assert post(lab.reviewer, row, "merge", other=secret.pk).status_code == 404


def test_a_viewer_sees_no_actions(lab, row):
    html = lab.viewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert "What to do with it" not in html


def test_evidence_leads_to_event_decision_and_page(lab, row):
    from django.db import transaction

    from agents.models import Document
    from agents.store.log import append, lock_run

    document = Document.objects.create(
        study=lab.study, name="a.md", content_hash="0" * 64, pages=2, status="ready"
    )
    lab.reviewer.post(
        reverse("review-decide", args=[lab.gate.pk]), {"verdict": "approve", "digest": lab.gate.digest}
    )
    passages = [{"document": "a.md", "page": 2, "text": "slow"}, {"document": "gone.md", "page": 1}]
    with transaction.atomic():
        run = lock_run(lab.run.pk)
        result = {"data": {"passages": passages}}
        append(run, "effect.finished", {"key": "1/act", "attempt": 1, "result": result}, round=1)
        done = {"action": {"tool": "x", "arguments": {}}, "outcome": "12 %"}
        seq = append(run, "round.completed", done, round=1)
    html = lab.viewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert f"?event={seq}#e{seq}" in html
    assert reverse("review", args=[lab.gate.pk]) in html
    assert reverse("page", args=[document.pk, 2]) in html
    assert "12 %" in html


def test_runs_that_were_told_of_it_are_listed(lab, row):
    from django.db import transaction

    from agents.store.log import append, lock_run

    second = make_run(lab.study)
    with transaction.atomic():
        run = lock_run(second.pk)
        result = {"data": {"findings": [{"id": "F1", "text": row.text}]}}
        append(run, "effect.finished", {"key": "4/act", "attempt": 1, "result": result}, round=4)
    page = lab.viewer.get(reverse("finding", args=[row.pk]))
    assert [(use.run.number, use.how, use.round) for use in page.context["uses"]] == [(2, "recalled", 4)]


def test_a_file_goes_out_with_the_filters_and_comes_in_to_wait(lab, row):
    finding(lab.run, 2, "Too hot", status="vetoed")
    export = reverse("findings-export")
    assert f"{export}?status=all" in lab.viewer.get(reverse("findings"), {"status": "all"}).content.decode()
    assert export not in lab.viewer.get(reverse("findings"), {"q": "KOAc"}).content.decode()
    answer = lab.viewer.get(export, {"status": "all"})
    assert "attachment" in answer["Content-Disposition"]
    assert len(json.loads(answer.content)["findings"]) == 2
    other = new_study(title="Other")
    add_member(study=other, user=lab.users["researcher"], role="researcher")
    add_member(study=other, user=lab.users["reviewer"], role="reviewer")
    file = SimpleUploadedFile("f.json", answer.content)
    done = lab.clients["researcher"].post(reverse("findings-import"), {"study": other.slug, "file": file})
    assert done.status_code == 302
    waiting = lab.clients["researcher"].get(done["Location"])
    assert texts(waiting) == {"KOAc is slow", "Too hot"}
    imported = Finding.objects.get(study=other, text="KOAc is slow")
    assert post(lab.reviewer, imported, "accept", reason="").status_code == 302
    imported.refresh_from_db()
    assert imported.status == "active"


def test_a_file_that_is_none_and_a_study_that_is_not_mine_are_refused(lab):
    client = lab.clients["researcher"]
    bad = client.post(
        reverse("findings-import"), {"study": lab.study.slug, "file": SimpleUploadedFile("f.json", b"{}")}
    )
    assert (bad.status_code, "no export of findings" in bad.content.decode()) == (422, True)
    secret = new_study(title="Secret")
    refused = client.post(
        reverse("findings-import"), {"study": secret.slug, "file": SimpleUploadedFile("f.json", b"{}")}
    )
    assert refused.status_code == 422
    assert Event.objects.filter(kind="finding.added").count() == 0
