"""Whatever is done to what people decided, past Daybook, is found and named: run, round and what."""

import random
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from agents.models import Event, Gate, RememberedApproval, Run
from agents.store.log import chain_value
from reviews.models import Decision, Opinion, RecordEntry, RecordHead
from reviews.record.anchor import anchor_faults, make_anchor
from reviews.record.columns import columns_bound
from reviews.record.entries import sealed_head, sign
from reviews.record.verifying import TABLES, read_record
from reviews.services import decide
from tests.doctor.conftest import examine
from tests.reviews.exports import stories
from tests.reviews.record.conftest import execute, faults

pytestmark = pytest.mark.django_db


def test_what_was_not_touched_is_not_accused(kept):
    assert faults(kept.told) == faults(kept.shared) == []
    assert [read_record(run.pk).entries for run in (kept.told, kept.shared)] == [3, 6]


def test_doctor_names_run_round_and_what(kept):
    Decision.objects.filter(verdict="edit").update(note="colder")
    (remark,) = examine("--only", "record")[:1]
    assert remark["what"] == "The decision is not what was written: note."
    assert f"#{kept.told.number} ({kept.told.pk}), round 2, gate 2/review" in remark["where"]
    assert remark["level"] == "fail"


@pytest.mark.parametrize("model", [Decision, Opinion, RememberedApproval])
def test_a_row_that_was_taken_away_is_missed(kept, model):
    model.objects.filter(**({"by": "ana"} if model is not Decision else {"by": "ana, ben"})).delete()
    assert any("is gone" in what for what in faults(kept.shared))


def test_a_row_that_was_slipped_in_is_noticed(kept):
    row = Decision.objects.get(verdict="veto")
    Decision.objects.filter(pk=row.pk).delete()
    row.pk = None
    row.save(force_insert=True)
    told = faults(kept.told)
    assert any("that the record does not know" in what for what in told)
    assert any("is gone" in what for what in told)


def test_a_tail_that_was_cut_off_with_its_decision_is_missed(kept):
    Decision.objects.filter(verdict="veto").delete()
    RecordEntry.objects.filter(run=kept.told, seq=3).delete()
    assert "The record had 3 entries; it ends with 2." in faults(kept.told)


def test_a_head_that_was_set_back_does_not_seal(kept):
    Decision.objects.filter(verdict="veto").delete()
    RecordEntry.objects.filter(run=kept.told, seq=3).delete()
    before = RecordEntry.objects.get(run=kept.told, seq=2).mac
    RecordHead.objects.filter(run=kept.told).update(seq=2, mac=before)
    assert "The row that counts the record's entries is not what was written." in faults(kept.told)


def test_a_record_set_back_to_an_older_whole_state_differs_from_the_anchor(kept):
    older = RecordHead.objects.get(run=kept.told), RecordEntry.objects.get(run=kept.told, seq=3)
    anchor = make_anchor()
    assert list(anchor_faults(anchor)) == []
    RecordEntry.objects.filter(run=kept.told).delete()
    RecordHead.objects.filter(run=kept.told).delete()
    Decision.objects.filter(review__run=kept.told).delete()
    assert faults(kept.told) == []
    ((name, fault),) = anchor_faults(anchor)
    assert (name, older[1].seq) == (f"{kept.told.study.slug}#{kept.told.number}", 3)
    assert fault.what == "The record had 3 entries when the anchor was made; entry 3 is gone."


def test_a_log_that_was_computed_anew_is_another_one(kept):
    """Without the key anybody can make the plain chain of the log fit again; what was decided on it does not."""
    run, head = Run.objects.get(pk=kept.told.pk), ""
    for event in Event.objects.filter(run=run).order_by("seq"):
        if event.kind == "review.decided" and event.round == 1:
            event.payload = {**event.payload, "note": "never"}
        given = {name: getattr(event, name) for name in ("seq", "kind", "round", "key", "payload", "at")}
        event.chain = head = chain_value(head, **given)
        event.save()
    Run.objects.filter(pk=run.pk).update(head=head)
    assert examine("--only", "log") == []
    assert any(what.startswith("The log up to event") for what in faults(run))


def test_a_chain_computed_without_the_key_does_not_fit(kept, settings):
    entry = RecordEntry.objects.get(run=kept.told, seq=3)
    named, secret = entry.key_id, settings.SECRET_KEY
    settings.SECRET_KEY = "somebody else's"
    sign(entry, RecordEntry.objects.get(run=kept.told, seq=2).mac)
    entry.key_id = named
    entry.save()
    head = sealed_head(RecordHead(run_id=kept.told.pk), entry)
    head.key_id = named
    head.save()
    settings.SECRET_KEY = secret
    told = faults(kept.told)
    assert any(what.startswith("Entry 3 of the record (decision) is not what was written") for what in told)
    assert "The row that counts the record's entries is not what was written." in told


def test_a_row_changed_together_with_its_entry_and_event_is_found(kept):
    from reviews.record.columns import digests

    Decision.objects.filter(verdict="edit").update(note="colder")
    row = Decision.objects.get(verdict="edit")
    entry = RecordEntry.objects.get(kind="decision", subject=str(row.pk))
    RecordEntry.objects.filter(pk=entry.pk).update(columns={**entry.columns, **digests(row, ["note"])})
    event = Event.objects.get(run=kept.told, key="2/review/decided")
    Event.objects.filter(pk=event.pk).update(payload={**event.payload, "note": "colder"})
    (told,) = faults(kept.told)
    assert told.startswith("Entry 2 of the record (decision) is not what was written")


def test_an_entry_of_another_history_does_not_follow(kept):
    """The site wrote each of them, but not one after the other: as when a backup was put in between."""
    first, second = (RecordEntry.objects.get(run=kept.told, seq=seq) for seq in (1, 2))
    second.at += timedelta(seconds=1)
    sign(second, first.mac)
    second.save()
    (told,) = faults(kept.told)
    assert told.startswith("Entry 3 of the record (decision) is not what was written, or does not follow")


def test_two_entries_that_changed_places_are_found(kept):
    first, second = (RecordEntry.objects.get(run=kept.told, seq=seq) for seq in (1, 2))
    RecordEntry.objects.filter(pk=first.pk).update(seq=99)
    RecordEntry.objects.filter(pk=second.pk).update(seq=1)
    RecordEntry.objects.filter(pk=first.pk).update(seq=2)
    assert sum("does not follow from the one before" in what for what in faults(kept.told)) >= 2


def test_two_decisions_that_changed_places_between_runs_are_found(kept):
    mine = Decision.objects.get(review__run=kept.told, verdict="approve")
    other = Decision.objects.get(review__run=kept.shared)
    here, there = mine.review_id, other.review_id
    spare = Decision.objects.get(verdict="veto").review_id
    Decision.objects.filter(verdict="veto").delete()
    Decision.objects.filter(pk=mine.pk).update(review_id=spare)
    Decision.objects.filter(pk=other.pk).update(review_id=here)
    Decision.objects.filter(pk=mine.pk).update(review_id=there)
    for run in (kept.told, kept.shared):
        assert any("review_id" in what for what in faults(run))


def test_an_entry_given_to_another_run_is_found_in_both(kept):
    RecordEntry.objects.filter(run=kept.told, seq=3).update(run=kept.shared, seq=7)
    assert any("it ends with 2" in what for what in faults(kept.told))
    assert any(what.startswith("Entry 7") for what in faults(kept.shared))


def test_another_persons_name_under_a_decision_is_found(kept):
    Decision.objects.filter(verdict="edit").update(user=kept.desk.ben)
    assert faults(kept.told) == ["The decision is not what was written: user_id."]


def test_an_emptied_name_is_found_unless_the_account_is_deleted(kept):
    Opinion.objects.filter(by="ana").update(user=None)
    assert faults(kept.shared) == ["The opinion is not what was written: user_id."]
    Opinion.objects.filter(by="ana").update(user=kept.desk.ana)
    kept.desk.ana.delete()
    assert faults(kept.shared) == []


def test_an_approval_that_was_never_given_up_on_record_is_found(kept):
    RememberedApproval.objects.filter(by="ben").update(revoked_at=None, revoked_by="")
    (told,) = faults(kept.shared)
    assert told == "The remembered approval of weigh by ben is not what was written: revoked_at, revoked_by."


def test_an_approval_that_counts_other_uses_than_the_log_is_found(kept):
    RememberedApproval.objects.filter(by="ana").update(uses=F("uses") + 1)
    assert faults(kept.shared) == ["The remembered approval of weigh by ana counts 1 uses; the log has 0."]


def test_what_was_asked_and_answered_is_bound_with_the_decision(kept):
    gate = Gate.objects.get(run=kept.told, key="2/review")
    Gate.objects.filter(pk=gate.pk).update(judgement={**gate.judgement, "why": "nobody asked"})
    assert faults(kept.told) == ["The gate that the decision answers is not what was written: judgement."]


def rows_bound() -> list:
    """Return (model, key, columns) of every stored row that the record binds, itself included."""
    found = []
    for kind, model in TABLES.items():
        if kind != "revocation":
            columns = [*columns_bound(kind, model), "user_id"]
            columns += ["revoked_at", "revoked_by", "uses"] if model is RememberedApproval else []
            found += [(model, row.pk, columns) for row in model.objects.all()]
    decided = Gate.objects.filter(review__decision__isnull=False)
    gate_columns = [field.attname for field in Gate._meta.concrete_fields]
    found += [(Gate, row.pk, gate_columns) for row in decided]
    for model in (RecordEntry, RecordHead):
        columns = [field.attname for field in model._meta.concrete_fields if field.attname != "id"]
        found += [(model, row.pk, columns) for row in model.objects.all()]
    return found


def flip(model, key, attname: str, chance: random.Random) -> bytes:
    """Change one bit of a stored column, or fill an empty one; return what stands there now."""
    field = next(field for field in model._meta.concrete_fields if field.attname == attname)
    table, primary = model._meta.db_table, model._meta.pk
    where = f'"{primary.column}" = %s', [primary.get_db_prep_value(key, connection)]
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT CAST("{field.column}" AS BLOB) FROM "{table}" WHERE {where[0]}', where[1])
        raw = bytearray(cursor.fetchone()[0] or b"")
        if isinstance(field, models.AutoField):
            raw = bytearray(
                str(key ^ 1 << chance.randrange(8, 20)).encode()
            )  # SQLite stores no other bytes here
        elif raw:
            raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(7)
        else:
            raw = bytearray(b"7")
        cursor.execute(
            f'UPDATE "{table}" SET "{field.column}" = CAST(x\'{raw.hex()}\' AS TEXT) WHERE {where[0]}',
            where[1],
        )
        assert cursor.rowcount == 1
    return bytes(raw)


@pytest.mark.parametrize("seed", range(2))
def test_one_bit_of_any_column_of_any_stored_decision_is_found(kept, seed):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps values, not bytes; a changed value is what the tests above change")
    chance, missed, tried = random.Random(seed), [], 0
    execute("PRAGMA ignore_check_constraints = ON")
    for model, key, columns in rows_bound():
        for attname in columns:
            before = transaction.savepoint()
            try:
                raw = flip(model, key, attname, chance)
            except IntegrityError:  # the database itself refuses two rows of one person
                transaction.savepoint_rollback(before)
                continue
            found = [fault for run in (kept.told, kept.shared) for fault in read_record(run.pk).faults]
            if not found:
                missed.append((model.__name__, key, attname, raw))
            elif model in (Decision, Opinion) and attname not in ("id", "review_id"):
                # Named: which round, and which column unless its bytes cannot be read at all.
                assert all(fault.round is not None and fault.gate for fault in found)
                assert any(attname in fault.what or "cannot be read" in fault.what for fault in found)
            transaction.savepoint_rollback(before)
            tried += 1
    execute("PRAGMA ignore_check_constraints = OFF")
    assert missed == []
    assert tried > 150


def test_reading_a_record_costs_the_same_however_long_it_is(kept):
    def cost(run) -> int:
        with CaptureQueriesContext(connection) as queries:
            read_record(run.pk)
        return len(queries)

    three = cost(kept.told)
    study = stories.a_study(title="Longer")
    run = stories.a_run(study)
    for number in range(1, 13):
        gate = stories.propose(run, number, {"base": "KOAc", "temperature": 60 + number})
        decide(gate=gate, user=stories.user(), verdict="approve", shown_digest=gate.digest)
    assert read_record(run.pk).entries == 12
    assert cost(run) == three < 24
