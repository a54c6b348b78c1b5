"""What of a stored row the record binds: every column, as a digest of its value."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection, models

from agents.core.canonical import digest_of

SHORT = 32
AT_ONCE = 500
OF_GATE = "gate."
ASKED = ("id", "run_id", "key", "kind", "round", "digest", "request", "judgement", "opened_at")
"""Of a gate, what was asked: it never changes."""
ANSWERED = (*ASKED, "status", "answer", "answered_at")
"""… and what was answered."""
REVOKED = ("revoked_at", "revoked_by")
COUNTED = "uses"
USER = "user_id"
"""Is emptied when the account is deleted, so the entry keeps it beside the columns."""

_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def columns_bound(kind: str, model: type[models.Model]) -> list[str]:
    """Return the columns of the row itself that an entry of this kind binds."""
    names = [field.attname for field in model._meta.concrete_fields]
    if kind == "revocation":
        return list(REVOKED)
    left_out = {USER, COUNTED, *REVOKED} if kind == "approval" else {USER}
    return [name for name in names if name not in left_out]


def digests(row: models.Model, names: list[str] | tuple[str, ...], *, prefix: str = "") -> dict[str, str]:
    """Return the digest of each column of ``row`` by name."""
    return {f"{prefix}{name}": digest_of(plain(getattr(row, name)))[:SHORT] for name in names}


def plain(value: Any) -> Any:
    """Return a column's value as JSON has it, alike on every database."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return str(value) if isinstance(value, UUID) else value


def misspelt(rows: Iterable[models.Model]) -> dict[Any, list[str]]:
    """Return, by key, the columns of ``rows`` (of one table) whose bytes are not what Daybook writes for their value.

    A database with types of its own keeps values; SQLite keeps text, where a changed byte may leave the value.
    """
    listed = list(rows)
    if connection.vendor != "sqlite" or not listed:
        return {}
    found: dict[Any, list[str]] = {}
    for start in range(0, len(listed), AT_ONCE):
        part = listed[start : start + AT_ONCE]
        raw = _raw(type(part[0]), [row.pk for row in part])
        for row in part:
            stored = raw.get(_stored_key(row), {})
            wrong = [
                field.attname
                for field in row._meta.concrete_fields
                if not _is_spelt(field, row, stored.get(field.attname))
            ]
            if wrong:
                found[row.pk] = wrong
    return found


def _stored_key(row: models.Model) -> Any:
    assert row._meta.pk is not None
    return row._meta.pk.get_db_prep_value(row.pk, connection)


def _raw(model: type[models.Model], keys: list[Any]) -> dict[Any, dict[str, bytes | None]]:
    """Return the bytes of every column of the rows with ``keys``, by stored key and column."""
    fields, primary = model._meta.concrete_fields, model._meta.pk
    assert primary is not None
    wanted = ", ".join(f'CAST("{field.column}" AS BLOB)' for field in fields)
    stored = [primary.get_db_prep_value(key, connection) for key in keys]
    marks = ", ".join(["%s"] * len(stored))
    sql = f'SELECT "{primary.column}", {wanted} FROM "{model._meta.db_table}" WHERE "{primary.column}" IN ({marks})'  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, stored)
        rows = cursor.fetchall()
    names = [field.attname for field in fields]
    return {key: dict(zip(names, values, strict=True)) for key, *values in rows}


def _is_spelt(field: Any, row: models.Model, found: bytes | None) -> bool:
    value = getattr(row, field.attname)
    if value is None or found is None:
        return value is None and found is None
    if isinstance(field, models.JSONField):
        return found.decode(errors="replace") in (json.dumps(value), _COMPACT.encode(value))
    try:
        stored = field.get_db_prep_value(value, connection)
    except (ValueError, TypeError):
        return False
    return found.decode(errors="replace") == str(int(stored) if isinstance(stored, bool) else stored)
