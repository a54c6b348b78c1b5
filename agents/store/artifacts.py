"""Files by content hash: the same content is kept once, written whole or not at all."""

import hashlib
from pathlib import Path
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from agents.core.errors import BadInput, NotFound
from agents.core.pictures import PNG_BEGINNING
from agents.models import Artifact

CHUNK = 1 << 20


def store_bytes(content: bytes, *, media_type: str = "") -> Artifact:
    """Keep ``content`` and return its row; storing it twice returns the first."""
    name = hashlib.sha256(content).hexdigest()
    path = f"artifacts/{name[:2]}/{name}"
    if not default_storage.exists(path):
        default_storage.save(path, ContentFile(content))
    row, _ = Artifact.objects.get_or_create(
        content_hash=name, defaults={"size": len(content), "media_type": media_type, "path": path}
    )
    return row


def read_upload(file: IO[bytes], *, limit: int, name: str) -> bytes:
    """Return the whole of ``file``; raise ``BadInput`` when it is empty or larger than ``limit`` bytes."""
    parts, size = [], 0
    while part := file.read(CHUNK):
        size += len(part)
        if size > limit:
            raise BadInput(
                f"{name!r} is larger than {limit // (1 << 20)} MB, the limit of this site. "
                "Upload a smaller part, or ask the administrator to raise UPLOAD_MAX_BYTES."
            )
        parts.append(part)
    if not size:
        raise BadInput(f"{name!r} is empty. Choose the file again; nothing was stored.")
    return b"".join(parts)


def read_pictures(hashes: list[str]) -> dict[str, bytes]:
    """Return the content of those that are in the store and are PNGs, by hash, with one query."""
    found = {}
    for row in Artifact.objects.filter(pk__in=hashes):
        if default_storage.exists(row.path):
            with default_storage.open(row.path) as file:
                content = file.read()
            if content.startswith(PNG_BEGINNING):
                found[row.pk] = content
    return found


def artifact_path(content_hash: str) -> Path:
    """Return the file of an artifact; ``NotFound`` when the row or the file is missing."""
    row = Artifact.objects.filter(pk=content_hash).first()
    if row is None or not default_storage.exists(row.path):
        raise NotFound(f"the file {content_hash[:12]}… is not in the store; run `manage.py doctor`")
    return Path(default_storage.path(row.path))
