"""A text that stands in the database encrypted, with a key made of the site's ``SECRET_KEY``."""

import base64
import functools
import hashlib
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.db import models

PREFIX = "sealed1:"
UNREADABLE = "\N{REPLACEMENT CHARACTER}"
"""What a text reads as whose key is gone: not empty, so that whoever uses it can say so instead of doing nothing."""


def seal(text: str) -> str:
    """Return ``text`` encrypted; nothing stays nothing."""
    return f"{PREFIX}{_box().encrypt(text.encode()).decode()}" if text else ""


def unseal(stored: str) -> str:
    """Return the text that was sealed, or ``UNREADABLE`` when no key of the site opens it."""
    if not stored:
        return ""
    if not stored.startswith(PREFIX):
        return UNREADABLE
    try:
        return _box().decrypt(stored.removeprefix(PREFIX).encode()).decode()
    except InvalidToken:
        return UNREADABLE


def _box() -> MultiFernet:
    return _box_of(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)


@functools.lru_cache(maxsize=8)
def _box_of(*keys: str) -> MultiFernet:
    """Seal with the first key, open with any: a key may be changed as Django's own signatures are."""
    digests = (hashlib.sha256(f"daybook.sealed:{key}".encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


class SealedField(models.TextField):  # type: ignore[type-arg]
    """Text in Python, sealed in the database and in whatever is dumped of it. Comparing it in a query finds nothing."""

    def from_db_value(self, value: str | None, *_: Any) -> str | None:
        """Open what is read."""
        return value if value is None else unseal(value)

    def get_prep_value(self, value: Any) -> Any:
        """Seal what is written."""
        return value if value is None else seal(str(value))

    def value_to_string(self, obj: models.Model) -> str:
        """Dump it sealed."""
        return seal(str(self.value_from_object(obj)))

    def to_python(self, value: Any) -> Any:
        """Open what was dumped."""
        return unseal(value) if isinstance(value, str) and value.startswith(PREFIX) else value
