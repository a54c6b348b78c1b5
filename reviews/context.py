"""What every page of a signed-in person shows: the rail's counts, and what is wrong with the storage."""

from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from agents.store.trouble import current
from reviews.inbox import stamp_of, waiting_in
from reviews.present.storage import StorageNotice, storage_notice
from reviews.queries import unread_count


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return the rail's counts and the storage's trouble, read only when a template shows them."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    waiting = cache(lambda: waiting_in(user))
    return {
        "inbox_count": SimpleLazyObject(lambda: waiting()[0]),
        "stamp": SimpleLazyObject(lambda: stamp_of(waiting())),
        "notice_count": SimpleLazyObject(lambda: unread_count(user)),
        "storage": SimpleLazyObject(_storage),
    }


def _storage() -> StorageNotice | None:
    trouble = current()
    return storage_notice(trouble) if trouble else None
