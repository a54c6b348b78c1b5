"""Single rows without the query compiler, which costs ten times what a small statement does.

Only for what every step of a run does; everything else uses the ORM. Values pass through the fields of the
models where a database keeps them otherwise than Python does, so that both databases are spoken to as the ORM
would.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar
from uuid import UUID

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import get_connection

M = TypeVar("M", bound=models.Model)
Fields = tuple[str, ...]

_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_AS_THEY_ARE = (models.CharField, models.TextField, models.IntegerField, models.ForeignKey)
"""Fields whose values both databases take as Python has them; a foreign key is looked up by its target."""


def read(model: type[M], fields: Fields, *, lock: bool = False, **where: Any) -> M | None:
    """Return the row whose columns equal ``where``, with ``fields`` loaded; None when there is none.

    ``fields`` and ``where`` name columns as attributes (``run_id``). With ``lock`` the row is locked until the
    transaction ends.
    """
    db = get_connection()
    loaded = _in_own_order(model, fields)
    values = _fetch(model, loaded, where, db, lock=lock and db.features.has_select_for_update)
    return model.from_db(db.alias, loaded, values[0]) if values else None


def read_values(model: type[models.Model], fields: Fields, **where: Any) -> Sequence[Any] | None:
    """Return ``fields`` of the row whose columns equal ``where``, in that order; None when there is none."""
    found = _fetch(model, fields, where, get_connection())
    return found[0] if found else None


def read_all(model: type[models.Model], fields: Fields, **where: Any) -> Sequence[Sequence[Any]]:
    """Return ``fields`` of every row whose columns equal ``where``, in that order, the oldest key first."""
    return _fetch(model, fields, where, get_connection(), order="pk")


def _fetch(
    model: type[models.Model],
    fields: Fields,
    where: dict[str, Any],
    db: BaseDatabaseWrapper,
    *,
    lock: bool = False,
    order: str = "",
) -> Sequence[Sequence[Any]]:
    sql, stores, converters = _select(model, fields, tuple(where), lock, order)
    with db.cursor() as cursor:
        cursor.execute(sql, _values(where.values(), stores, db))
        found: Sequence[Sequence[Any]] = cursor.fetchall()
    return [_converted(values, converters, db) for values in found] if converters else found


def _converted(given: Sequence[Any], converters: Sequence[Any], db: BaseDatabaseWrapper) -> list[Any]:
    values = list(given)
    for position, expression, converts in converters:
        for convert in converts:
            values[position] = convert(values[position], expression, db)
    return values


def insert(row: models.Model, *, unless: Fields = ()) -> bool:
    """Insert ``row`` and return True; with ``unless``, a unique rule, return False when its row exists already.

    An automatic primary key is not read back.
    """
    model = type(row)
    fields = _fields(model)
    values = [getattr(row, name) if pre is None else pre(row, True) for name, pre in fields]
    return insert_all(model, tuple(name for name, _ in fields), [values], unless=unless) == 1


def insert_all(
    model: type[models.Model], fields: Fields, rows: Sequence[Iterable[Any]], *, unless: Fields = ()
) -> int:
    """Insert ``rows``, each the values of ``fields`` in order, as ``insert`` does; return how many are new.

    ``fields`` are all that have no default in the database.
    """
    if not rows:
        return 0
    db = get_connection()
    sql, stores = _insert(model, fields, unless)
    stored = [_values(row, stores, db) for row in rows]
    with db.cursor() as cursor:
        if len(stored) == 1:
            cursor.execute(sql, stored[0])
        else:
            cursor.executemany(sql, stored)
        return int(cursor.rowcount)


def update(model: type[models.Model], changes: dict[str, Any], **where: Any) -> int:
    """Store ``changes`` in the rows whose columns equal ``where``; return how many there are."""
    db = get_connection()
    sql, stores = _update(model, tuple(changes), tuple(where))
    with db.cursor() as cursor:
        cursor.execute(sql, _values((*changes.values(), *where.values()), stores, db))
        return int(cursor.rowcount)


def delete_all(model: type[models.Model], keys: Iterable[Any], *, by: str = "pk", **where: Any) -> None:
    """Delete the rows whose column ``by`` is one of ``keys`` and whose other columns equal ``where``."""
    given = [(key, *where.values()) for key in keys]
    if not given:
        return
    db = get_connection()
    sql, stores = _delete(model, (by, *where))
    with db.cursor() as cursor:
        cursor.executemany(sql, [_values(values, stores, db) for values in given])


def save(row: models.Model, fields: Iterable[str]) -> None:
    """Store ``fields`` of ``row``, which exists."""
    update(type(row), {name: getattr(row, name) for name in fields}, pk=row.pk)


def _values(values: Iterable[Any], stores: Sequence[Any], db: BaseDatabaseWrapper) -> list[Any]:
    return [value if store is None else store(value, db) for value, store in zip(values, stores, strict=True)]


@functools.cache
def _field(model: type[models.Model], name: str) -> Any:
    if name == "pk":
        return model._meta.pk
    return next(field for field in model._meta.concrete_fields if name in (field.attname, field.name))


@functools.cache
def _fields(model: type[models.Model]) -> list[tuple[str, Any]]:
    """Return the attributes that an insert sets, each with what makes its value, when something does."""
    own = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    return [(field.attname, field.pre_save if hasattr(field, "auto_now") else None) for field in own]


def _store_of(field: Any) -> Any:
    """Return what turns a value of ``field`` into what the database takes, or None when nothing has to."""
    target = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(field, models.JSONField):
        return _json
    if isinstance(target, models.UUIDField):
        return _uuid
    if isinstance(target, models.DateTimeField):
        return _moment
    return None if isinstance(target, _AS_THEY_ARE) else target.get_db_prep_save


def _uuid(value: Any, db: BaseDatabaseWrapper) -> Any:
    value = UUID(value) if isinstance(value, str) else value
    return value if value is None or db.features.has_native_uuid_field else value.hex


def _moment(value: Any, db: BaseDatabaseWrapper) -> Any:
    return None if value is None else db.ops.adapt_datetimefield_value(value)


def _json(value: Any, db: BaseDatabaseWrapper) -> Any:
    if value is None:
        return None
    if db.vendor == "sqlite":
        # Kept as text there: without spaces and escapes it is a tenth shorter, in Chinese a half.
        return _COMPACT.encode(value)
    return db.ops.adapt_json_value(value, None)


def _stores(model: type[models.Model], names: Fields) -> list[Any]:
    return [_store_of(_field(model, name)) for name in names]


def _column(model: type[models.Model], name: str) -> str:
    return str(get_connection().ops.quote_name(_field(model, name).column))


def _table(model: type[models.Model]) -> str:
    return str(get_connection().ops.quote_name(model._meta.db_table))


def _rule(model: type[models.Model], where: Fields) -> str:
    return " AND ".join(f"{_column(model, name)} = %s" for name in where)


@functools.cache
def _in_own_order(model: type[models.Model], fields: Fields) -> Fields:
    """Return ``fields`` as the model itself has them, which is how it takes their values."""
    return tuple(field.attname for field in model._meta.concrete_fields if field.attname in fields)


@functools.cache
def _select(
    model: type[models.Model], fields: Fields, where: Fields, lock: bool, order: str
) -> tuple[str, list[Any], list[Any]]:
    columns = ", ".join(_column(model, name) for name in fields)
    sql = f"SELECT {columns} FROM {_table(model)} WHERE {_rule(model, where)}"  # noqa: S608
    sql += f" ORDER BY {_column(model, order)}" if order else ""
    sql += " FOR UPDATE" if lock else ""
    db = get_connection()
    converters = []
    for position, name in enumerate(fields):
        # A foreign key is read as what it points to: an id, not its digits.
        expression = _field(model, name).get_col(model._meta.db_table)
        converts = [*db.ops.get_db_converters(expression), *expression.get_db_converters(db)]
        if converts:
            converters.append((position, expression, converts))
    return sql, _stores(model, where), converters


@functools.cache
def _insert(model: type[models.Model], fields: Fields, unless: Fields) -> tuple[str, list[Any]]:
    columns = ", ".join(_column(model, name) for name in fields)
    sql = f"INSERT INTO {_table(model)} ({columns}) VALUES ({', '.join(['%s'] * len(fields))})"  # noqa: S608
    if unless:
        sql += f" ON CONFLICT ({', '.join(_column(model, name) for name in unless)}) DO NOTHING"
    return sql, _stores(model, fields)


@functools.cache
def _update(model: type[models.Model], fields: Fields, where: Fields) -> tuple[str, list[Any]]:
    changes = ", ".join(f"{_column(model, name)} = %s" for name in fields)
    sql = f"UPDATE {_table(model)} SET {changes} WHERE {_rule(model, where)}"  # noqa: S608
    return sql, _stores(model, (*fields, *where))


@functools.cache
def _delete(model: type[models.Model], where: Fields) -> tuple[str, list[Any]]:
    return f"DELETE FROM {_table(model)} WHERE {_rule(model, where)}", _stores(model, where)  # noqa: S608
