"""Taking documents in: stored at once, read in the background."""

from typing import IO

from django.conf import settings
from django.db import IntegrityError, transaction

from agents.core.errors import BadInput, Conflict
from agents.core.lifecycle import RunStatus
from agents.core.text import clean_text
from agents.models import Document, Run, Study
from agents.signals import work_queued
from agents.store.artifacts import read_upload, store_bytes

DOCUMENTS_PER_STUDY = 50


def add_document(study: Study, *, file: IO[bytes], name: str, media_type: str = "") -> Document:
    """Store an upload and queue it to be read. Raises ``BadInput`` (empty, too large) or ``Conflict`` (twice)."""
    name = clean_text(name).replace("/", "_").replace("\\", "_").strip()[:255] or "document"
    if study.documents.count() >= DOCUMENTS_PER_STUDY:
        raise BadInput(f"A study holds at most {DOCUMENTS_PER_STUDY} documents; remove one first.")
    content = read_upload(file, limit=settings.UPLOAD_MAX_BYTES, name=name)
    artifact = store_bytes(content, media_type=media_type)
    try:
        with transaction.atomic():
            document = Document.objects.create(
                study=study,
                name=name,
                content_hash=artifact.content_hash,
                media_type=media_type[:120],
                size=artifact.size,
            )
            transaction.on_commit(lambda: work_queued.send(sender=Run, run_id=None))
    except IntegrityError:
        twin = study.documents.get(content_hash=artifact.content_hash)
        raise Conflict(f"The study has this file already, as {twin.name!r}.") from None
    return document


def remove_document(document: Document) -> None:
    """Take a document and its digest out of the study; runs that used it keep their record."""
    if document.study.runs.filter(status__in=(RunStatus.RUNNING, RunStatus.QUEUED)).exists():
        raise Conflict("A run of this study is working now; pause or stop it before removing a document.")
    document.delete()
