"""Taking what was decided before there was a record into it, once, when the site is upgraded."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from reviews.record.entries import Kind, content_of, sealed_head, sign


def adopt(apps: Any) -> int:
    """Write an entry, marked as adopted, for each row that has none; return how many. ``apps`` as migrations have it."""
    runs = apps.get_model("agents", "Run").objects.only("seq", "head", "round", "policy")
    done = 0
    for run in runs.order_by("created_at", "pk").iterator(chunk_size=200):
        rows = _rows(apps, run)
        if rows:
            _write(apps, run, rows)
            done += len(rows)
    return done


def _rows(apps: Any, run: Any) -> list[tuple[datetime, str, Any, Any]]:
    """Return what people said in the run, oldest first: when, of which kind, the row and the gate it answers."""
    rows: list[tuple[datetime, str, Any, Any]] = []
    for kind, name in ((Kind.DECISION, "Decision"), (Kind.OPINION, "Opinion")):
        said = apps.get_model("reviews", name).objects.filter(review__gate__run=run.pk)
        rows += [(row.at, kind, row, row.review.gate) for row in said.select_related("review__gate")]
    for row in apps.get_model("agents", "RememberedApproval").objects.filter(run=run.pk):
        rows.append((row.created_at, Kind.APPROVAL, row, None))
        if row.revoked_at:
            rows.append((row.revoked_at, Kind.REVOCATION, row, None))
    return sorted(rows, key=lambda row: (row[0], row[1], str(row[2].pk)))


def _write(apps: Any, run: Any, rows: list[tuple[datetime, str, Any, Any]]) -> None:
    entries, before, now = [], "", timezone.now()
    for seq, (_, kind, row, gate) in enumerate(rows, start=1):
        entry = apps.get_model("reviews", "RecordEntry")(
            run_id=run.pk,
            seq=seq,
            kind=kind,
            subject=str(row.pk),
            event_seq=run.seq,
            event_chain=run.head,
            at=now,
            is_adopted=True,
            **content_of(kind, row, gate, run),
        )
        sign(entry, before)
        before = entry.mac
        entries.append(entry)
    apps.get_model("reviews", "RecordEntry").objects.bulk_create(entries)
    sealed_head(apps.get_model("reviews", "RecordHead")(run_id=run.pk), entries[-1]).save(force_insert=True)
