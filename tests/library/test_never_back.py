"""After any sequence of library actions, what was withdrawn, replaced or vetoed is told as a fact nowhere."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents import services
from agents.core.errors import DaybookError
from agents.core.memory import same_claim
from agents.memory import current_store, index_findings, search_findings, use_store
from agents.models import Finding
from agents.store.findings import active_of
from agents.wiring import finding_search_for
from reviews.present.memory import next_prompt
from tests.memory.test_never_again import Index, protocol_of
from tests.support import do, make_run, make_study

pytestmark = pytest.mark.django_db
TEXTS = ("CsOPiv in DMAc", "csopiv in  DMAc", "stirring at 600 rpm", "冷却水流量没有影响", "graphene hurts")
PLACES = st.integers(min_value=0, max_value=7)
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "retract", "supersede", "merge", "accept", "export and import"]),
        PLACES,
        PLACES,
        st.sampled_from(TEXTS),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(params=["by words", "by an index that forgets nothing"])
def store(request, monkeypatch):
    from agents import wiring
    from agents.testing.toolbox import ToyToolbox

    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())
    use_store(None if request.param == "by words" else Index())
    yield current_store()
    use_store(None)


def do_one(study, action: str, left: int, right: int, text: str) -> None:
    rows = list(Finding.objects.filter(study=study).order_by("created_at", "pk"))
    row, other = rows[left % len(rows)], rows[right % len(rows)]
    given = {"by": "ana", "reason": "tried"}
    if action == "edit":
        services.edit_finding(row.pk, text=text, **given)
    elif action == "retract":
        services.retract_finding(row.pk, **given)
    elif action == "supersede":
        services.supersede_finding(row.pk, successor=other.pk, **given)
    elif action == "merge":
        services.merge_findings(row.pk, other=other.pk, **given)
    elif action == "accept":
        services.accept_finding(row.pk, **given)
    else:
        elsewhere = make_study()
        services.import_findings(
            elsewhere,
            json.dumps(services.export_findings(Finding.objects.filter(study=study))).encode(),
            by="ben",
        )
        file = json.dumps(services.export_findings(Finding.objects.filter(study=elsewhere))).encode()
        services.import_findings(study, file, by="ben")


@given(ACTIONS)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_sequence_of_actions_brings_it_back(store, actions):
    run = make_run()
    second = make_run(run.study)
    for number, text in enumerate(TEXTS, start=1):
        Finding.objects.create(study=run.study, run=run, number=number, text=text)
    Finding.objects.create(study=run.study, run=second, number=1, text=TEXTS[0])
    Finding.objects.create(study=run.study, run=second, number=2, text="too hot", status="vetoed")
    for action in actions:
        if store is not None:
            index_findings(store)
        with suppress(DaybookError):
            do_one(run.study, *action)

    rows = Finding.objects.filter(study=run.study)
    allowed = set(rows.filter(status="active").values_list("pk", flat=True))
    withdrawn = list(rows.filter(status="retracted").values_list("text", flat=True))
    told = []
    for query in TEXTS:
        hits = search_findings(query, study_ids=[run.study_id], limit=50)
        assert {hit.row.pk for hit in hits} <= allowed
        told += [hit.row.text for hit in hits]
        told += [finding.text for finding in do(finding_search_for(protocol_of(run)), query, 50)]
    for each in (run, second):
        told += [finding.text for finding in active_of(each.pk)]
        each.refresh_from_db()
        prompt = "\n".join(part.text for part in next_prompt(each))
        told += [text for text in withdrawn if text in prompt]
    assert not [text for text in told if any(same_claim(text, gone) for gone in withdrawn)]
