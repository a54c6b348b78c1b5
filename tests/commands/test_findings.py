"""``manage.py findings``: what the pages do, in a terminal."""

import pytest

from agents.models import Finding
from reviews.services import add_member
from tests.commands.console import data, fault, say
from tests.support import make_run, make_study, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def row() -> Finding:
    run = make_run(make_study(title="Bases"))
    add_member(study=run.study, user=make_user("rae"), role="reviewer")
    add_member(study=run.study, user=make_user("vic"), role="viewer")
    make_user("stranger")
    Finding.objects.create(study=run.study, run=run, number=2, text="The ligand decides", confidence=0.9)
    return Finding.objects.create(
        study=run.study, run=run, number=1, text="KOAc is slow", evidence=[{"round": 1, "stance": "for"}]
    )


def did(verb: str, row: Finding, *more: str, user: str = "rae") -> str:
    return say("findings", verb, str(row.pk)[:13], "--reason", "wet", "--user", user, *more)


def test_search_lists_and_narrows(row):
    assert "KOAc is slow" in say("findings", "search", "KOAc", "--user", "vic")
    assert [each["text"] for each in data("findings", "search", "--sure", "0.8", "--user", "vic")] == [
        "The ligand decides"
    ]
    assert say("findings", "search", "KOAc", "--user", "stranger").strip() == "Nothing fits."


def test_show_tells_the_whole_story(row):
    did("edit", row, "--text", "KOAc is slow when wet")
    told = say("findings", "show", str(row.pk), "--user", "vic")
    assert "before: KOAc is slow" in told
    assert "rae: wet" in told
    assert "evidence: round 1 for" in told
    assert data("findings", "show", str(row.pk), "--user", "vic")["history"][0]["by"] == "rae"


def test_retract_supersede_and_merge(row):
    other = Finding.objects.get(number=2)
    did("supersede", row, "--by", str(other.pk))
    row.refresh_from_db()
    assert (row.status, row.replaced_by) == ("superseded", str(other.pk))
    third = Finding.objects.create(study=row.study, run=row.run, number=3, text="The ligand matters")
    did("merge", other, "--with", str(third.pk))
    other.refresh_from_db()
    assert other.support == 2
    did("retract", other)
    assert say("findings", "search", "ligand", "--user", "vic").strip() == "Nothing fits."


def test_roles_and_mistakes_are_named(row):
    wet = ("--reason", "wet", "--user")
    assert "needs the role" in str(fault("findings", "retract", str(row.pk), *wet, "vic"))
    assert "no finding" in str(fault("findings", "retract", str(row.pk), *wet, "stranger"))
    assert "different" not in str(fault("findings", "merge", str(row.pk), "--with", str(row.pk), *wet, "rae"))
    assert "Nothing was changed" in str(fault("findings", "edit", str(row.pk), *wet, "rae"))
    row.refresh_from_db()
    assert row.version == 1


def test_export_and_import(row, tmp_path):
    file = tmp_path / "findings.json"
    assert "2 findings" in say("findings", "export", "--to", str(file), "--user", "vic")
    other = make_study()
    add_member(study=other, user=make_user("ben"), role="reviewer")
    done = data("findings", "import", other.slug, str(file), "--user", "ben")
    assert (len(done["added"]), done["known"]) == (2, 0)
    assert len(data("findings", "search", "--status", "unreviewed", "--user", "ben")) == 2
    say("findings", "accept", done["added"][0], "--user", "ben")
    assert Finding.objects.get(pk=done["added"][0]).status == "active"
    assert "cannot be read" in str(fault("findings", "import", other.slug, "nowhere.json", "--user", "ben"))
    assert "no study" in str(fault("findings", "import", row.study.slug, str(file), "--user", "ben"))


def test_a_second_person_approves_or_refuses(row):
    from agents.core.policy import PolicyTable
    from agents.services import set_policy

    set_policy(row.study, PolicyTable(second_for_findings=True), by="olga")
    add_member(study=row.study, user=make_user("ben"), role="reviewer")
    told = did("edit", row, "--text", "KOAc is slow when wet")
    assert "A change by rae waits for a second person" in told
    assert "KOAc is slow" in say("findings", "search", "--status", "waiting", "--user", "vic")
    assert "yourself" in str(fault("findings", "approve", str(row.pk), "--user", "rae"))
    say("findings", "approve", str(row.pk), "--user", "ben")
    row.refresh_from_db()
    assert row.text == "KOAc is slow when wet"
    did("edit", row, "--text", "KOAc is fast")
    did("refuse", row, user="ben")
    row.refresh_from_db()
    assert row.text == "KOAc is slow when wet"


def test_rules_are_distilled_listed_and_marked(row):
    assert "Nothing new holds in several runs" in say("findings", "distil", row.study.slug, "--user", "rae")
    Finding.objects.filter(pk=row.pk).update(kind="rule")
    (listed,) = data("findings", "search", "--kind", "rule", "--user", "vic")
    assert (listed["text"], listed["kind"], listed["reach"]) == ("KOAc is slow", "rule", "study")
    assert "[rule]" in say("findings", "search", "--kind", "rule", "--user", "vic")
