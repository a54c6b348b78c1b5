"""What keeps stored decisions from being changed by the application itself, or by a careless statement."""

from django.db import connection

GUARDED: dict[str, tuple[str, ...]] = {
    "reviews_decision": ("user_id",),
    "reviews_opinion": ("user_id",),
    "reviews_signature": ("user_id",),
    "reviews_recordentry": (),
}
"""Tables whose rows are never changed, with the columns that may be emptied: an account that is deleted."""
SAID = "is append-only: decide anew, or fork the run, instead of changing what was decided"


def put_up(**_: object) -> None:
    """Make the triggers that refuse to change a guarded row. Rows are deleted with their study only; a missing one is
    found by the record, so deleting has no trigger."""
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
        for table, emptied in GUARDED.items():
            if table in tables:
                for statement in _statements(table, emptied):
                    cursor.execute(statement)


def take_down() -> None:
    """Remove the triggers: for a migration that must rewrite what is stored. They are back after ``migrate``."""
    with connection.cursor() as cursor:
        for table in GUARDED:
            on = f' ON "{table}"' if connection.vendor == "postgresql" else ""
            cursor.execute(f'DROP TRIGGER IF EXISTS "{table}_append_only"{on}')


def missing() -> list[str]:
    """Return the tables whose trigger is not there."""
    sql = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    }.get(connection.vendor)
    if sql is None:
        return []
    with connection.cursor() as cursor:
        cursor.execute(sql)
        there = {name for (name,) in cursor.fetchall()}
    return [table for table in GUARDED if f"{table}_append_only" not in there]


def _statements(table: str, emptied: tuple[str, ...]) -> list[str]:
    with connection.cursor() as cursor:
        names = [column.name for column in connection.introspection.get_table_description(cursor, table)]
    if connection.vendor == "sqlite":
        differ = " OR ".join(
            f'(NEW."{name}" IS NOT OLD."{name}"'
            + (f' AND NEW."{name}" IS NOT NULL)' if name in emptied else ")")
            for name in names
        )
        return [
            f'DROP TRIGGER IF EXISTS "{table}_append_only"',
            f'CREATE TRIGGER "{table}_append_only" BEFORE UPDATE ON "{table}" WHEN {differ} '
            f"BEGIN SELECT RAISE(ABORT, '{table} {SAID}'); END",
        ]
    if connection.vendor == "postgresql":
        differ = " OR ".join(
            f'(NEW."{name}" IS DISTINCT FROM OLD."{name}"'
            + (f' AND NEW."{name}" IS NOT NULL)' if name in emptied else ")")
            for name in names
        )
        return [
            "CREATE OR REPLACE FUNCTION daybook_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '% {SAID}', TG_TABLE_NAME USING ERRCODE = 'restrict_violation'; END $$",
            f'DROP TRIGGER IF EXISTS "{table}_append_only" ON "{table}"',
            f'CREATE TRIGGER "{table}_append_only" BEFORE UPDATE ON "{table}" FOR EACH ROW WHEN ({differ}) '
            "EXECUTE FUNCTION daybook_append_only()",
        ]
    return []
