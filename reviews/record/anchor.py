"""The anchor: the heads of all records and logs as one file that is kept elsewhere, and compared later."""

import hmac
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.utils import timezone

from agents.core.canonical import canonical_json
from agents.core.errors import BadInput
from agents.models import Event, Run
from reviews.models import RecordEntry, RecordHead
from reviews.record.keys import current_key, key_named, mac_of
from reviews.record.verifying import Fault

FORMAT = "daybook-record-anchor/1"


def make_anchor() -> dict[str, Any]:
    """Return how far every run's record and log are, sealed with the site's key."""
    key_id, key = current_key()
    heads = {head.run_id: head for head in RecordHead.objects.all()}
    rows = Run.objects.order_by("created_at", "pk").values_list("pk", "study__slug", "number", "seq", "head")
    runs = [
        {
            "run": str(pk),
            "name": f"{slug}#{number}",
            "entries": heads[pk].seq if pk in heads else 0,
            "record": heads[pk].mac if pk in heads else "",
            "events": seq,
            "log": head,
        }
        for pk, slug, number, seq, head in rows
    ]
    anchor = {"format": FORMAT, "made_at": timezone.now().isoformat(), "key_id": key_id, "runs": runs}
    return {**anchor, "seal": mac_of(key, canonical_json(anchor))}


def anchor_faults(anchor: Any) -> Iterator[tuple[str, Fault]]:
    """Yield what the site no longer has as ``anchor`` says it had it, each with the run's name.

    Raises ``BadInput`` for what is no anchor, or one that was not sealed by this site.
    """
    for row in _checked(anchor):
        run = Run.objects.filter(pk=row["run"]).first()
        if run is None:
            yield (
                row["name"],
                Fault(
                    f"The run is gone, with {row['entries']} entries of its record: deleted with its study, or taken away."
                ),
            )
            continue
        yield from ((row["name"], fault) for fault in _run_faults(run, row))


def _run_faults(run: Run, row: dict[str, Any]) -> Iterator[Fault]:
    entry = RecordEntry.objects.filter(run=run, seq=row["entries"]).values("mac", "gate", "round").first()
    if row["entries"] and entry is None:
        yield Fault(
            f"The record had {row['entries']} entries when the anchor was made; entry {row['entries']} is gone."
        )
    elif entry is not None and entry["mac"] != row["record"]:
        told = f"Entry {row['entries']} of the record is another one than when the anchor was made."
        yield Fault(told, gate=entry["gate"], round=entry["round"], entry=row["entries"])
    event = Event.objects.filter(run=run, seq=row["events"]).values_list("chain", flat=True).first()
    if row["events"] and event is None:
        yield Fault(
            f"The log had {row['events']} events when the anchor was made; event {row['events']} is gone."
        )
    elif event is not None and event != row["log"]:
        yield Fault(f"The log up to event {row['events']} is another one than when the anchor was made.")


def _checked(anchor: Any) -> list[dict[str, Any]]:
    if not isinstance(anchor, dict) or anchor.get("format") != FORMAT:
        raise BadInput(
            f"This is no anchor of a record: expected the format {FORMAT}. Make one with `manage.py record anchor`."
        )
    key = key_named(str(anchor.get("key_id")))
    if key is None:
        raise BadInput(
            f"The anchor was sealed with the key {anchor.get('key_id')}, which this site does not have: it is from another "
            "site, or SECRET_KEY changed; put the old one into SECRET_KEY_FALLBACKS."
        )
    said = {name: value for name, value in anchor.items() if name != "seal"}
    if not hmac.compare_digest(mac_of(key, canonical_json(said)), str(anchor.get("seal"))):
        raise BadInput("The anchor is not what was written: its seal does not fit. Use another copy of it.")
    return [row for row in anchor["runs"] if UUID(row["run"])]
