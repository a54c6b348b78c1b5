"""The files: there, and byte for byte what was stored."""

import hashlib
from collections.abc import Iterator

from django.core.files.storage import default_storage

from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Artifact, Dataset, Document
from agents.store.artifacts import CHUNK

ADVICE = "Restore the file from a backup, or upload it again in its study."


@check("artifacts", order=60)
def artifacts(look: Look) -> Iterator[Remark]:
    """Read every stored file and compare it with the hash it is named by."""
    count, is_sound = Artifact.objects.count(), True
    for number, row in enumerate(Artifact.objects.order_by("created_at").iterator(), start=1):
        look.progress(f"file {number} of {count}")
        problem = _problem(row)
        if problem:
            is_sound = False
            yield Remark(Level.FAIL, problem, f"{row.path}{_users(row.content_hash)}", ADVICE)
    for what in _without_row():
        is_sound = False
        yield Remark(Level.FAIL, "Its file was never stored, or its record is gone.", what, ADVICE)
    if is_sound:
        yield Remark(Level.OK, f"{count:,} files are there and hold what was stored")


def _problem(row: Artifact) -> str:
    if not default_storage.exists(row.path):
        return "The file is gone."
    digest, size = hashlib.sha256(), 0
    with default_storage.open(row.path, "rb") as file:
        while part := file.read(CHUNK):
            digest.update(part)
            size += len(part)
    if digest.hexdigest() == row.content_hash:
        return ""
    return f"The file is not what was stored: {size:,} bytes, {row.size:,} were stored, and another SHA-256."


def _users(content_hash: str) -> str:
    users = [
        name
        for rows in (Document.objects, Dataset.objects)
        for name in rows.filter(content_hash=content_hash).values_list("name", "study__slug")[:3]
    ]
    named = [f"{name!r} of {slug}" for name, slug in users]
    return f" ({', '.join(named)})" if named else ""


def _without_row() -> Iterator[str]:
    stored = Artifact.objects.values("content_hash")
    for row in Document.objects.exclude(content_hash__in=stored).select_related("study"):
        yield f"document {row.name!r} of {row.study.slug}"
    for table in Dataset.objects.exclude(content_hash__in=stored).select_related("study"):
        yield f"dataset {table.name!r} of {table.study.slug}"
