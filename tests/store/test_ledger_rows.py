"""The ledger is read anew by every drive: what did not change is not taken apart again, what did is."""

import json

from agents.core.measurement import Experiment as Value
from agents.models import Experiment
from agents.store import ledger
from tests.support import make_study


def filed(study, **more):
    return Experiment.objects.create(
        study=study,
        key=f"k{Experiment.objects.count()}",
        planned={"base": "CsOPiv", "t": 105.5, "名": "甲"},
        measurements=[{"objective": "yield", "value": 12.5, "unit": "%", "replicates": [12, 13]}],
        conditions_digest="d",
        **more,
    )


def test_a_row_read_as_text_is_the_row_read_as_an_object(db):
    study = make_study()
    rows = [
        filed(study),
        filed(study, origin="person", measured_at="2026-01-02T03:04:05Z", round=3, note="ü"),
    ]
    assert ledger.rows_of(study.pk) == [ledger.as_value(row) for row in rows]
    assert all(isinstance(row, Value) for row in ledger.rows_of(study.pk))


def test_what_did_not_change_is_parsed_once_and_what_did_is_read_again(db, monkeypatch):
    study = make_study()
    row = filed(study)
    filed(study)
    ledger.forget_rows()
    ledger.rows_of(study.pk)
    parsed = []
    monkeypatch.setattr(
        ledger.json, "loads", lambda text: parsed.append(text) or json.JSONDecoder().decode(text)
    )
    ledger.rows_of(study.pk)
    assert parsed == []

    row.status = "failed"
    row.save()
    assert [each.status for each in ledger.rows_of(study.pk)] == ["failed", "measured"]
    assert len(parsed) == 4
