"""The keys of the record: made of the site's secret, so that the database alone cannot write a chain that fits."""

import functools
import hashlib
import hmac

from django.conf import settings


def current_key() -> tuple[str, bytes]:
    """Return name and key that new entries are written with."""
    return _named(settings.SECRET_KEY)


def key_named(key_id: str) -> bytes | None:
    """Return the key of this name: of ``SECRET_KEY`` or one of ``SECRET_KEY_FALLBACKS``; None when it is gone."""
    known = dict(_named(secret) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
    return known.get(key_id)


def mac_of(key: bytes, text: str) -> str:
    """Return the HMAC-SHA-256 of ``text`` as 64 hex digits."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


@functools.lru_cache(maxsize=16)
def _named(secret: str) -> tuple[str, bytes]:
    key = hashlib.sha256(f"daybook.record:{secret}".encode()).digest()
    return hashlib.sha256(b"daybook.record.name:" + key).hexdigest()[:16], key
