"""Where a study asks for it, what one person changes in a finding holds only when another has approved it."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents import services
from agents.core.errors import BadInput, Conflict, DaybookError, NotFound, Refused
from agents.core.policy import PolicyTable
from agents.memory import current_store, index_findings, search_findings, use_store
from agents.models import Event, Finding, FindingChange
from agents.store.audit import log_problems
from agents.store.findings import active_of
from agents.store.rebuild import differences
from reviews.library import change, decide_change
from reviews.services import add_member
from tests.library.test_actions import add
from tests.memory.test_never_again import Index
from tests.support import make_run, make_study, make_user, take

pytestmark = pytest.mark.django_db
WHY = {"reason": "the base was wet"}


@pytest.fixture
def lab(db):
    study = make_study()
    services.set_policy(study, PolicyTable(second_for_findings=True), by="olga")
    people = {}
    for name, role in (("ana", "reviewer"), ("ben", "reviewer"), ("olga", "owner"), ("ren", "researcher")):
        people[name] = make_user(name)
        add_member(study=study, user=people[name], role=role)
    run = make_run(study)
    rows = add(take(run), "KOAc is slow", "DMAc is fine", "DMAc is quite fine")
    return study, run, rows, people


def said(study) -> set[str]:
    return {row.text for row in Finding.objects.filter(study=study, status="active")}


def test_an_edit_waits_and_the_old_text_is_what_everybody_is_told(lab):
    study, run, (row, *_), people = lab
    Finding.objects.update(is_indexed=True)
    change(row, "edit", user=people["ana"], text="KOAc is slow when wet", **WHY)
    row.refresh_from_db()
    assert (row.text, row.version, row.is_indexed) == ("KOAc is slow", 1, True)
    assert "finding.changed" not in [each.kind for each in Event.objects.filter(run=run)]
    assert [hit.row.text for hit in search_findings("KOAc", study_ids=[study.pk])] == ["KOAc is slow"]

    decide_change(row, user=people["ben"], approve=True)
    row.refresh_from_db()
    old, event = row.versions.get(), Event.objects.filter(run=run).latest("seq")
    assert (row.text, row.version, row.is_indexed) == ("KOAc is slow when wet", 2, False)
    assert (old.by, old.approved_by, old.reason) == ("ana", "ben", "the base was wet")
    assert (event.payload["by"], event.payload["approved_by"]) == ("ana", "ben")
    assert (log_problems(run.pk), differences(run.pk)) == ([], [])


def test_nobody_approves_their_own_change_and_a_researcher_none(lab):
    _, _, (row, *_), people = lab
    change(row, "edit", user=people["ana"], text="KOAc is slow when wet", **WHY)
    for name in ("ana", "ren"):
        with pytest.raises(Refused):
            decide_change(row, user=people[name], approve=True)
    row.refresh_from_db()
    assert row.version == 1


def test_a_refused_change_is_kept_with_its_reason_and_another_may_come(lab):
    _, _, (row, *_), people = lab
    change(row, "edit", user=people["ana"], text="KOAc is slow when wet", **WHY)
    with pytest.raises(Conflict, match="A change by ana waits"):
        change(row, "edit", user=people["ben"], text="KOAc is fast", **WHY)
    with pytest.raises(BadInput, match="Say why"):
        decide_change(row, user=people["ben"], approve=False)
    decide_change(row, user=people["ben"], approve=False, reason="no, it was dry")
    assert list(FindingChange.objects.values_list("state", "decided_by", "note")) == [
        ("refused", "ben", "no, it was dry")
    ]
    with pytest.raises(NotFound):
        decide_change(row, user=people["ben"], approve=True)
    change(row, "edit", user=people["ben"], text="KOAc is fast", **WHY)
    decide_change(row, user=people["ana"], approve=True)
    assert "KOAc is fast" in said(row.study)


def test_what_cannot_be_done_is_refused_at_once(lab):
    _, _, (row, *_), people = lab
    with pytest.raises(BadInput, match="Nothing was changed"):
        change(row, "edit", user=people["ana"], text=row.text, **WHY)
    with pytest.raises(BadInput, match="Say why"):
        change(row, "edit", user=people["ana"], text="else", reason="")
    assert not FindingChange.objects.exists()


def test_a_finding_that_changed_meanwhile_is_not_changed_by_what_waits(lab):
    _, _, (row, *_), people = lab
    change(row, "edit", user=people["ana"], text="KOAc is slow when wet", **WHY)
    services.edit_finding(row.pk, by="somebody", reason="closer", text="KOAc is slow at 60 °C")
    with pytest.raises(Conflict, match="you saw version 1"):
        decide_change(row, user=people["ben"], approve=True)
    row.refresh_from_db()
    assert row.text == "KOAc is slow at 60 °C"


def test_a_merge_and_a_replacement_wait_too(lab):
    study, _, (first, kept, other), people = lab
    change(kept, "merge", user=people["ana"], other=other.pk, **WHY)
    change(first, "supersede", user=people["ana"], other=kept.pk, **WHY)
    assert len(said(study)) == 3
    decide_change(kept, user=people["ben"], approve=True)
    assert said(study) == {"KOAc is slow", "DMAc is fine"}
    decide_change(first, user=people["ben"], approve=True)
    assert said(study) == {"DMAc is fine"}


def test_an_import_is_no_fact_before_the_second_person(lab):
    _, _, (row, *_), people = lab
    filed = services.export_findings(Finding.objects.filter(pk=row.pk))
    other = make_study(title="Other")
    services.set_policy(other, PolicyTable(second_for_findings=True), by="olga")
    for name in ("ana", "ben"):
        add_member(study=other, user=people[name], role="reviewer")
    (came,) = services.import_findings(other, json.dumps(filed).encode(), by="ana").added
    change(came, "accept", user=people["ana"])
    assert said(other) == set()
    decide_change(came, user=people["ben"], approve=True)
    assert said(other) == {"KOAc is slow"}


def test_withdrawing_needs_nobody_else(lab):
    study, _, (row, *_), people = lab
    change(row, "retract", user=people["ana"], **WHY)
    assert "KOAc is slow" not in said(study)


def test_without_the_rule_a_change_holds_at_once(lab):
    study, _, (row, *_), people = lab
    services.set_policy(study, PolicyTable(), by="olga")
    change(row, "edit", user=people["ana"], text="KOAc is slow when wet", **WHY)
    assert "KOAc is slow when wet" in said(study)


@pytest.fixture(params=["by words", "by an index that forgets nothing"])
def store(request):
    use_store(None if request.param == "by words" else Index())
    yield current_store()
    use_store(None)


TEXTS = ("KOAc is slow", "KOAc is fast", "DMAc is fine", "冷却水流量没有影响")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "edit", "merge", "supersede", "retract", "approve", "approve", "refuse"]),
        st.sampled_from(["ana", "ben"]),
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from(TEXTS),
    ),
    min_size=1,
    max_size=14,
)


@given(STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_text_that_waits_is_withdrawn_or_replaced_is_never_told_as_a_fact(lab, store, steps):
    from django.db import transaction

    study, run, _, people = lab
    if store is not None:
        store.known.clear()
    with suppress(_Undo), transaction.atomic():
        rows = list(Finding.objects.filter(study=study).order_by("number"))
        for verb, name, place, second, text in steps:
            row, user = Finding.objects.get(pk=rows[place].pk), people[name]
            with suppress(DaybookError):
                if verb in ("approve", "refuse"):
                    decide_change(row, user=user, approve=verb == "approve", **WHY)
                else:
                    change(row, verb, user=user, text=text, other=rows[second].pk, **WHY)
            if store is not None:
                index_findings(store)
            _require_only_facts(study, run)
        raise _Undo


class _Undo(Exception):
    """Takes back what one example did."""


def _require_only_facts(study, run) -> None:
    facts = {row.text for row in Finding.objects.filter(study=study, status="active")}
    told = {hit.row.text for text in TEXTS for hit in search_findings(text, study_ids=[study.pk], limit=50)}
    assert told <= facts
    assert {finding.text for finding in active_of(run.pk)} == facts
    approved = set(FindingChange.objects.filter(state="approved").values_list("given__text", flat=True))
    first = {"KOAc is slow", "DMAc is fine", "DMAc is quite fine"}
    assert facts <= first | approved
    assert all(each.decided_by != each.by for each in FindingChange.objects.filter(state="approved"))
