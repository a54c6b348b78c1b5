"""Single rows without the query compiler, which costs ten times what a small statement does.

Only for what every step of a run does; everything else uses the ORM. Values pass through the fields of the
models, so that both databases are spoken to as the ORM would.
"""

import functools
import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Fields = tuple[str, ...]


def read(model: type[M], fields: Fields, *, lock: bool = False, **where: Any) -> M | None:
    """Return the row whose columns equal ``where``, with ``fields`` loaded; None when there is none.

    ``fields`` and ``where`` name columns as attributes (``run_id``). With ``lock`` the row is locked until the
    transaction ends.
    """
    sql, converters = _select(model, fields, tuple(where), lock and connection.features.has_select_for_update)
    with connection.cursor() as cursor:
        cursor.execute(sql, [_stored(_field(model, name), value) for name, value in where.items()])
        found = cursor.fetchone()
    if found is None:
        return None
    values = list(found)
    for position, expression, converts in converters:
        for convert in converts:
            values[position] = convert(values[position], expression, connection)
    return model.from_db(connection.alias, fields, values)


def insert(row: models.Model, *, unless: Fields = ()) -> bool:
    """Insert ``row`` and return True; with ``unless``, a unique rule, return False when its row exists already.

    An automatic primary key is not read back.
    """
    return insert_all([row], unless=unless) == 1


def insert_all(rows: Sequence[models.Model], *, unless: Fields = ()) -> int:
    """Insert ``rows`` of one model as ``insert`` does; return how many are new."""
    if not rows:
        return 0
    sql, fields = _insert(type(rows[0]), unless)
    values = [[_stored(field, field.pre_save(row, True)) for field in fields] for row in rows]
    with connection.cursor() as cursor:
        if len(values) == 1:
            cursor.execute(sql, values[0])
        else:
            cursor.executemany(sql, values)
        return int(cursor.rowcount)


def update(row: models.Model, fields: Iterable[str]) -> None:
    """Store ``fields`` of ``row``, which exists."""
    names = tuple(fields)
    model = type(row)
    values = [_stored(_field(model, name), getattr(row, name)) for name in names]
    with connection.cursor() as cursor:
        cursor.execute(_update(model, names), [*values, _stored(_field(model, "pk"), row.pk)])


def _stored(field: Any, value: Any) -> Any:
    if isinstance(field, models.JSONField) and connection.vendor == "sqlite" and value is not None:
        # Kept as text there: without spaces and escapes it is a tenth shorter, in Chinese a half.
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return field.get_db_prep_save(value, connection)


@functools.cache
def _field(model: type[models.Model], name: str) -> Any:
    if name == "pk":
        return model._meta.pk
    return next(field for field in model._meta.concrete_fields if name in (field.attname, field.name))


def _column(model: type[models.Model], name: str) -> str:
    return connection.ops.quote_name(_field(model, name).column)


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


@functools.cache
def _select(model: type[models.Model], fields: Fields, where: Fields, lock: bool) -> tuple[str, list[Any]]:
    columns = ", ".join(_column(model, name) for name in fields)
    rule = " AND ".join(f"{_column(model, name)} = %s" for name in where)
    sql = f"SELECT {columns} FROM {_table(model)} WHERE {rule}{' FOR UPDATE' if lock else ''}"  # noqa: S608
    converters = []
    for position, name in enumerate(fields):
        expression = _field(model, name).cached_col
        converts = [*connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)]
        if converts:
            converters.append((position, expression, converts))
    return sql, converters


@functools.cache
def _insert(model: type[models.Model], unless: Fields) -> tuple[str, list[Any]]:
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, models.AutoField)]
    columns = ", ".join(_column(model, field.attname) for field in fields)
    sql = f"INSERT INTO {_table(model)} ({columns}) VALUES ({', '.join(['%s'] * len(fields))})"  # noqa: S608
    if unless:
        sql += f" ON CONFLICT ({', '.join(_column(model, name) for name in unless)}) DO NOTHING"
    return sql, fields


@functools.cache
def _update(model: type[models.Model], fields: Fields) -> str:
    changes = ", ".join(f"{_column(model, name)} = %s" for name in fields)
    return f"UPDATE {_table(model)} SET {changes} WHERE {_column(model, 'pk')} = %s"  # noqa: S608
