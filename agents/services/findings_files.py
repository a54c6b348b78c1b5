"""Findings out of a library and into another: what comes in waits until a person accepts it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from agents.core.errors import BadInput
from agents.core.findings_file import FORMAT, MOST, FiledFinding, FindingsFile, read_findings
from agents.models import Finding, FindingVersion, Study
from agents.store.findings import as_value

NO_FACTS = ("superseded", "retracted")
"""These are no facts anywhere, and come in as they are."""


@dataclass(frozen=True)
class Imported:
    """What an import did: rows that were ``added``, and how many were ``known`` here already."""

    added: list[Finding]
    known: int


def export_findings(rows: QuerySet[Finding]) -> dict[str, Any]:
    """Return findings with evidence and versions as a file's content. An imported one keeps the id it came with."""
    count = rows.count()
    if count > MOST:
        raise BadInput(f"These are {count:,} findings; a file holds {MOST:,}. Choose a study or a time.")
    ordered = rows.order_by("created_at", "id").select_related("study", "run")
    listed = list(ordered.prefetch_related("versions"))
    names = {str(row.pk): _id_of(row) for row in listed}
    filed = [_filed(row, names) for row in listed]
    return FindingsFile(findings=filed).model_dump(mode="json", exclude_defaults=True) | {
        "format": FORMAT,
        "version": 1,
    }


def _id_of(row: Finding) -> str:
    return str(row.origin.get("id") or row.pk)


def _filed(row: Finding, names: dict[str, str]) -> FiledFinding:
    value = as_value(row, for_index=True).model_dump()
    value |= {"id": _id_of(row), "replaced_by": names.get(row.replaced_by, row.replaced_by)}
    versions = [
        {
            **{name: getattr(old, name) for name in ("version", "text", "scope", "confidence", "status")},
            "reason": old.reason,
            "by": old.by,
            "at": old.at.isoformat(),
        }
        for old in row.versions.all()
    ]
    study, run = row.origin.get("study", row.study.title), row.origin.get("run")
    return FiledFinding.model_validate(
        {
            **value,
            "number": row.number,
            "study": study,
            "run": row.run.number if row.run else run,
            "versions": versions,
        }
    )


@transaction.atomic
def import_findings(study: Study, content: bytes, *, by: str, name: str = "") -> Imported:
    """Take the findings of a file into ``study``: facts and vetoed ideas wait as unreviewed until accepted.

    What is here already, by its id, is left alone, so that the same file may come twice. Raises ``BadInput``.
    """
    found = read_findings(content)
    Study.objects.select_for_update().get(pk=study.pk)
    known = _known(study)
    fresh = [each for each in found if each.id not in known]
    number = Finding.objects.filter(study=study, run=None).aggregate(last=Max("number"))["last"] or 0
    rows = {
        each.id: _row(study, each, number + place, by=by, name=name)
        for place, each in enumerate(fresh, start=1)
    }
    for each in fresh:
        # Who took a finding's place is known by the id of its row here.
        successor = rows.get(each.replaced_by)
        rows[each.id].replaced_by = str(successor.pk) if successor else known.get(each.replaced_by, "")
    Finding.objects.bulk_create(rows.values(), batch_size=500)
    for each in fresh:
        _keep_time(rows[each.id], each)
        _keep_versions(rows[each.id], each)
    return Imported(list(rows.values()), len(found) - len(fresh))


def _known(study: Study) -> dict[str, str]:
    """Return the ids by which findings of the study may be named, with that of the row."""
    names: dict[str, str] = {}
    for pk, origin in Finding.objects.filter(study=study).values_list("pk", "origin"):
        names[str(pk)] = str(pk)
        if origin.get("id"):
            names[str(origin["id"])] = str(pk)
    return names


def _row(study: Study, each: FiledFinding, number: int, *, by: str, name: str) -> Finding:
    origin = {
        "id": each.id,
        "study": each.study,
        "run": each.run,
        "number": each.number,
        "status": each.status,
        "file": name[:200],
        "by": by,
        "at": timezone.now().isoformat(),
    }
    fields = (
        "text",
        "kind",
        "scope",
        "domain",
        "confidence",
        "support",
        "against",
        "evidence",
        "round",
        "version",
    )
    row = Finding(
        study=study, number=number, origin=origin, **{field: getattr(each, field) for field in fields}
    )
    row.status = each.status if each.status in NO_FACTS else Finding.Status.UNREVIEWED
    return row


def _time(text: str) -> datetime | None:
    try:
        at = parse_datetime(text)
    except ValueError:
        return None
    return timezone.make_aware(at) if at and timezone.is_naive(at) else at


def _keep_time(row: Finding, each: FiledFinding) -> None:
    """A finding is as old as it is, however late it was imported."""
    at = _time(each.created)
    if at is not None:
        Finding.objects.filter(pk=row.pk).update(created_at=at)


def _keep_versions(row: Finding, each: FiledFinding) -> None:
    fields = ("version", "text", "scope", "confidence", "status", "reason", "by")
    kept = {old.version: old for old in each.versions if old.version < each.version}
    made = [
        FindingVersion(finding=row, **{field: getattr(old, field) for field in fields})
        for old in kept.values()
    ]
    FindingVersion.objects.bulk_create(made)
    for version in made:
        at = _time(kept[version.version].at)
        if at is not None:
            FindingVersion.objects.filter(pk=version.pk).update(at=at)
