"""Reading documents in the background, and what the researcher makes of the digest."""

import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from agents.core.digest import Digest, DigestItem, ParsedDocument, Passage
from agents.core.errors import DaybookError
from agents.core.text import clean_text, clean_value
from agents.models import DigestItem as ItemRow
from agents.models import Document
from agents.models import Passage as PassageRow
from agents.services.items import adopt_digest
from agents.signals import work_queued
from agents.store.artifacts import artifact_path

LEASE = timedelta(minutes=10)
ATTEMPTS = 3
PROGRESS_EVERY = 0.5


def digest_next(*, study_id: UUID | None = None, should_stop: Callable[[], bool] | None = None) -> bool:
    """Read the oldest waiting document (of ``study_id``) and file its digest; False when none waits.

    A document that cannot be read is marked as failed with the reason; one whose worker died is taken up
    again, at most ``ATTEMPTS`` times.
    """
    document = _claim(study_id)
    if document is None:
        return False
    try:
        _digest(document, should_stop)
    except DaybookError as fault:
        _fail(document, str(fault))
    except Exception as fault:
        _fail(
            document,
            f"Reading failed unexpectedly ({type(fault).__name__}). The server's log has the details.",
        )
        raise
    return True


def _claim(study_id: UUID | None) -> Document | None:
    now = timezone.now()
    waiting = Q(status=Document.Status.UPLOADED) | Q(status=Document.Status.READING, lease_until__lt=now)
    rows = Document.objects.filter(waiting)
    if study_id is not None:
        rows = rows.filter(study_id=study_id)
    for pk in rows.order_by("created_at").values_list("pk", flat=True)[:5]:
        taken = Document.objects.filter(waiting, pk=pk).update(
            status=Document.Status.READING, lease_until=now + LEASE, attempts=F("attempts") + 1, pages_read=0
        )
        if taken:
            document = Document.objects.select_related("study").get(pk=pk)
            if document.attempts <= ATTEMPTS:
                return document
            _fail(document, f"Reading this file brought the reader down {ATTEMPTS} times; it was set aside.")
    return None


def _fail(document: Document, reason: str) -> None:
    Document.objects.filter(pk=document.pk).update(
        status=Document.Status.FAILED, error=clean_text(reason)[:2000], lease_until=None
    )


def _digest(document: Document, should_stop: Callable[[], bool] | None) -> None:
    from agents.adapters.documents import ReadLimits, read_document  # pulls in the readers
    from agents.core.passages import split_passages

    limits = ReadLimits(
        max_bytes=settings.UPLOAD_MAX_BYTES,
        max_pages=settings.UPLOAD_MAX_PAGES,
        seconds=settings.UPLOAD_MAX_SECONDS,
    )
    parsed = read_document(
        artifact_path(document.content_hash),
        name=document.name,
        limits=limits,
        on_progress=_progress_of(document),
        should_stop=should_stop,
    )
    passages = split_passages(parsed, document_id=str(document.pk))
    digest = _digest_of(document, parsed)
    _file(document, parsed, passages, digest)


def _progress_of(document: Document) -> Callable[[int, int], None]:
    last = 0.0

    def progress(page: int, of: int) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_EVERY or page == of:
            last = time.monotonic()
            Document.objects.filter(pk=document.pk).update(
                pages=of, pages_read=page, lease_until=timezone.now() + LEASE
            )

    return progress


def _digest_of(document: Document, parsed: ParsedDocument) -> Digest:
    from agents.wiring import digester_for

    digester, warning = digester_for(document.study)
    digest: Digest = async_to_sync(digester)(parsed, document_id=str(document.pk), goal=document.study.goal)
    if warning:
        digest = digest.model_copy(update={"warnings": [warning, *digest.warnings]})
    return digest


@transaction.atomic
def _file(document: Document, parsed: ParsedDocument, passages: list[Passage], digest: Digest) -> None:
    """Store passages and items in one transaction, and fill what the study has not stated yet."""
    document.passages.all().delete()
    document.digest_items.all().delete()
    PassageRow.objects.bulk_create(
        [
            PassageRow(
                document=document,
                index=p.index,
                page=p.page,
                start=p.start,
                end=p.end,
                text=clean_text(p.text),
            )
            for p in passages
        ],
        batch_size=500,
    )
    ItemRow.objects.bulk_create([_row(document, number, item) for number, item in enumerate(digest.items)])
    Document.objects.filter(pk=document.pk).update(
        status=Document.Status.READY,
        pages=len(parsed.pages),
        pages_read=len(parsed.pages),
        language=parsed.language,
        media_type=parsed.media_type[:120],
        how=digest.how,
        error="",
        lease_until=None,
        warnings=clean_value(list(dict.fromkeys([*parsed.warnings, *digest.warnings]))),
        coverage={
            "captured": digest.captured,
            "seen": digest.seen,
            "uncovered": clean_value(digest.uncovered)[:500],
        },
    )
    adopt_digest(document.study, only_empty=True)


def _row(document: Document, number: int, item: DigestItem) -> ItemRow:
    value = clean_value(item.model_dump(mode="json"))
    return ItemRow(
        study=document.study,
        document=document,
        position=number,
        kind=item.kind,
        text=value["text"],
        data=value["data"],
        note=value["note"],
        page=item.source.page,
        quote=value["source"]["quote"],
        is_verified=item.source.verified,
        original=value,
    )


def restart_document(document: Document) -> Document:
    """Read a failed document again."""
    Document.objects.filter(pk=document.pk).update(
        status=Document.Status.UPLOADED, error="", attempts=0, lease_until=None
    )
    document.refresh_from_db()
    work_queued.send(sender=Document, run_id=None)
    return document
