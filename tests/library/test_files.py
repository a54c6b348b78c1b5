"""Findings out of one library and into another: nothing is lost, and nothing is trusted."""

import json

import pytest

from agents import services
from agents.core.errors import BadInput
from agents.core.findings_file import SIZE_LIMIT
from agents.memory import search_findings
from agents.models import Finding
from tests.support import make_run, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    run = make_run(make_study(title="Bases"))
    kept = Finding.objects.create(
        study=run.study,
        run=run,
        number=1,
        text="KOAc 温度越高越快",
        scope="DMAc",
        domain="coupling",
        evidence=[{"round": 1, "stance": "for", "missing": []}],
        support=3,
        against=1,
        confidence=0.667,
        round=1,
    )
    Finding.objects.create(study=run.study, run=run, number=2, text="Too hot", status="vetoed")
    old = Finding.objects.create(study=run.study, run=run, number=3, text="KOAc is faster")
    services.supersede_finding(old.pk, successor=kept.pk, by="ana", reason="sharper")
    return run.study


def written(study) -> bytes:
    return json.dumps(services.export_findings(Finding.objects.filter(study=study))).encode()


def test_what_goes_out_comes_in_and_goes_out_the_same(study):
    first, other = written(study), make_study()
    done = services.import_findings(other, first, by="ben", name="bases.json")
    assert (len(done.added), done.known) == (3, 0)
    left, right = json.loads(first), json.loads(written(other))
    assert said(left) == said(right)


def said(data: dict) -> dict:
    own = ("study_id", "run_id", "status", "replaced_by", "number")
    return {
        each["id"]: {name: value for name, value in each.items() if name not in own}
        for each in data["findings"]
    }


def test_an_imported_one_keeps_its_id_as_origin_and_waits(study):
    other = make_study()
    services.import_findings(other, written(study), by="ben", name="bases.json")
    source = Finding.objects.get(study=study, number=1)
    row = Finding.objects.get(study=other, text=source.text)
    assert (row.status, row.run, row.number) == ("unreviewed", None, 1)
    assert row.origin["id"] == str(source.pk)
    assert (row.origin["study"], row.origin["run"], row.origin["by"]) == ("Bases", 1, "ben")
    assert row.created_at == source.created_at
    assert search_findings("KOAc", study_ids=[other.pk]) == []

    services.accept_finding(row.pk, by="ana")

    assert [hit.row.pk for hit in search_findings("KOAc", study_ids=[other.pk])] == [row.pk]


def test_a_veto_stays_one_and_what_is_replaced_points_within_the_new_library(study):
    other = make_study()
    services.import_findings(other, written(study), by="ben")
    veto = Finding.objects.get(study=other, text="Too hot")
    assert veto.status == "unreviewed"
    assert services.accept_finding(veto.pk, by="ana").status == "vetoed"
    old = Finding.objects.get(study=other, status="superseded")
    assert old.replaced_by == str(Finding.objects.get(study=other, support=3).pk)
    assert old.versions.get().by == "ana"


def test_the_same_file_twice_changes_nothing_nor_does_ones_own(study):
    other, file = make_study(), written(study)
    services.import_findings(other, file, by="ben")
    assert services.import_findings(other, file, by="ben").added == []
    assert services.import_findings(study, file, by="ben").known == 3
    assert services.import_findings(study, written(other), by="ben").known == 3
    assert Finding.objects.count() == 6


def one(**changes) -> bytes:
    finding = {"id": "x1", "study_id": "s", "text": "KOAc is slow", **changes}
    return json.dumps({"format": "daybook-findings", "version": 1, "findings": [finding]}).encode()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[]", "no export of findings"),
        (b'{"format": "other"}', "no export of findings"),
        (b'{"format": "daybook-findings"}', "Field required"),
        (b'{"format": "daybook-findings", "version": 9, "findings": []}', "version"),
        (one(confidence=2), "finding 1 → confidence"),
        (one(text=""), "finding 1 → text"),
        (one(status="certain"), "finding 1 → status"),
        (one(evidence=[{"round": float("inf")}]), "is no JSON"),
        (one(colour="red"), "finding 1 → colour"),
        (b" " * (SIZE_LIMIT + 1), "bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_none_is_refused_with_the_place(content, told):
    study = make_study()
    with pytest.raises(BadInput, match=told):
        services.import_findings(study, content, by="ben")
    assert Finding.objects.count() == 0


def test_an_id_twice_in_a_file_is_refused():
    data = json.loads(one())
    data["findings"] *= 2
    with pytest.raises(BadInput, match="twice"):
        services.import_findings(make_study(), json.dumps(data).encode(), by="ben")


def test_control_characters_do_not_come_in():
    study = make_study()
    services.import_findings(study, one(text="KOAc\x00 is slow"), by="ben")
    assert Finding.objects.get().text == "KOAc is slow"
