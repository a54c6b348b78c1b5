"""Files that come with a result: kept by content hash, checked for what they are, handed out as downloads."""

import io
from pathlib import PurePath
from typing import IO, Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from agents.core.errors import BadInput, NotFound
from agents.core.text import clean_text
from agents.models import Gate, Study
from agents.services.gates import action_of, check_open
from agents.store.artifacts import artifact_path, read_upload, store_bytes
from agents.tools.bench.ask import MOST_ATTACHMENTS
from reviews.models import BenchFile
from reviews.present.tooling import result_schema_of, spec_of

LIMIT = 20 * 1024 * 1024
LARGEST_IMAGE = 50_000_000
"""Pixels of an image that is drawn smaller; a larger one is only kept."""
THUMBNAIL = (480, 480)

TYPES: dict[str, tuple[str, tuple[bytes, ...]]] = {
    "csv": ("text/csv", ()),
    "tsv": ("text/csv", ()),
    "txt": ("text/plain", ()),
    "pdf": ("application/pdf", (b"%PDF-",)),
    "png": ("image/png", (b"\x89PNG\r\n\x1a\n",)),
    "jpg": ("image/jpeg", (b"\xff\xd8\xff",)),
    "jpeg": ("image/jpeg", (b"\xff\xd8\xff",)),
    "gif": ("image/gif", (b"GIF87a", b"GIF89a")),
    "tif": ("image/tiff", (b"II*\x00", b"MM\x00*")),
    "tiff": ("image/tiff", (b"II*\x00", b"MM\x00*")),
    "webp": ("image/webp", (b"RIFF",)),
}
"""What may come, by the end of its name: its media type and how its content begins. SVG and HTML may not."""


def takes_files(gate: Gate) -> bool:
    """Return True when a result that a person enters at ``gate`` may have files."""
    action = action_of(gate)
    spec = spec_of(gate.run, action.tool) if action else None
    return spec is not None and "attachments" in result_schema_of(gate.run, spec).get("properties", {})


def attach(*, gate: Gate, by: str, file: IO[bytes], name: str) -> BenchFile:
    """Keep ``file`` with the result that is being entered; the same content twice is kept once.

    Raises ``BadInput`` for a file that is too large, empty, or not what its name says, ``Conflict`` when the
    result was entered meanwhile. Who may is for the caller to check.
    """
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    check_open(gate)
    if not takes_files(gate):
        raise BadInput(_("This result takes no files."))
    name = clean_text(PurePath(name.replace("\\", "/")).name).strip()[:255] or "file"
    content = read_upload(file, limit=LIMIT, name=name)
    media_type = kind_of(name, content)
    if files_of(gate).count() >= MOST_ATTACHMENTS:
        raise BadInput(
            _("A result holds at most %(most)s files; remove one first.") % {"most": MOST_ATTACHMENTS}
        )
    artifact = store_bytes(content, media_type=media_type)
    kept, _made = BenchFile.objects.get_or_create(
        gate=gate,
        content_hash=artifact.content_hash,
        defaults={"name": name, "media_type": media_type, "size": artifact.size, "added_by": by},
    )
    return kept


def kind_of(name: str, content: bytes) -> str:
    """Return the media type of a file; raise ``BadInput`` unless name and content agree on one that may come."""
    suffix = PurePath(name).suffix.removeprefix(".").lower()
    if suffix not in TYPES:
        raise BadInput(
            _("%(name)s cannot be attached: expected one of %(known)s.")
            % {"name": repr(name), "known": ", ".join(TYPES)}
        )
    media_type, beginnings = TYPES[suffix]
    fits = (
        content.startswith(beginnings)
        if beginnings
        else b"\x00" not in content[:4096].replace(b"\xff\xfe", b"")
    )
    if not fits and not (suffix in ("csv", "tsv", "txt") and content[:2] in (b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(
            _("%(name)s does not hold what its name says: expected %(kind)s. Export it again, or rename it.")
            % {"name": repr(name), "kind": media_type}
        )
    return media_type


@transaction.atomic
def detach(*, gate: Gate, file_id: int) -> None:
    """Take a file off a result that is not entered yet; the content stays in the store."""
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    check_open(gate)
    files_of(gate).filter(pk=file_id).delete()


def files_of(gate: Gate) -> QuerySet[BenchFile]:
    """Return the files of the result at ``gate``, in the order they came."""
    return BenchFile.objects.filter(gate=gate)


def with_files(gate: Gate, result: dict[str, Any]) -> dict[str, Any]:
    """Return ``result`` with the files of ``gate``, and none that it names itself: a hash that somebody
    typed would open a file of another study."""
    if not takes_files(gate):
        return result
    kept = {name: value for name, value in result.items() if name != "attachments"}
    files = [
        {"name": row.name, "content_hash": row.content_hash, "media_type": row.media_type, "size": row.size}
        for row in files_of(gate)
    ]
    return {**kept, "attachments": files} if files else kept


def file_of(study: Study, content_hash: str) -> BenchFile:
    """Return a file that belongs to a result of ``study``, or raise ``NotFound``."""
    row = BenchFile.objects.filter(gate__run__study=study, content_hash=content_hash).first()
    if row is None:
        raise NotFound("There is no such file in this study.")
    return row


def thumbnail(file: BenchFile) -> bytes:
    """Return a small PNG drawn anew from an image, so that nothing of the file but its picture is shown.

    Raises ``NotFound`` when it is no image that can be drawn.
    """
    from PIL import Image, ImageOps

    if not file.media_type.startswith("image/"):
        raise NotFound("This file is no image.")
    try:
        with Image.open(
            artifact_path(file.content_hash), formats=("PNG", "JPEG", "GIF", "TIFF", "WEBP")
        ) as image:
            if image.width * image.height > LARGEST_IMAGE:
                raise NotFound("The image is too large to be drawn.")
            image.draft("RGB", THUMBNAIL)
            small = ImageOps.exif_transpose(image).convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as fault:
        raise NotFound(f"The image cannot be drawn: {fault}") from fault
    small.thumbnail(THUMBNAIL)
    out = io.BytesIO()
    small.save(out, format="PNG")
    return out.getvalue()
