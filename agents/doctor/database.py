"""The database: reachable, migrated, set up as measured to be safe, and not on a network file system."""

from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from agents.doctor.registry import Level, Look, Remark, check

REMOTE = ("nfs", "nfs4", "cifs", "smb", "smb3", "smbfs", "afs", "ceph", "lustre", "glusterfs", "davfs", "9p")
PRAGMAS = {
    "journal_mode": ("wal", "PRAGMA journal_mode=WAL"),
    "synchronous": (2, "PRAGMA synchronous=FULL"),
    "foreign_keys": (1, "PRAGMA foreign_keys=ON"),
}
SHORTEST_TIMEOUT = 5000


@check("database", order=20, needs_database=False)
def database(look: Look) -> Iterator[Remark]:
    """Connect, compare migrations, and look at what SQLite needs to be safe."""
    found = list(_migrations())
    if connection.vendor == "sqlite" and connection.connection is not None:
        found += [*_pragmas(), *_integrity(), *_place(str(settings.DATABASES["default"]["NAME"]))]
    yield from found
    if not found:
        yield Remark(Level.OK, f"{connection.vendor} answers, is migrated and set up", _name())


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _migrations() -> Iterator[Remark]:
    try:
        connection.ensure_connection()
        executor = MigrationExecutor(connection)
    except DatabaseError as fault:
        todo = "Start the database, or correct DATABASE_URL."
        yield Remark(
            Level.FAIL,
            f"The database does not answer: {' '.join(str(fault).split())}",
            _name(),
            todo,
            stops=True,
        )
        return
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        first = plan[0][0]
        what = f"{len(plan)} migrations are not applied, the first is {first.app_label}.{first.name}."
        yield Remark(Level.FAIL, what, _name(), "manage.py migrate", stops=True)


def _pragmas() -> Iterator[Remark]:
    for name, (wanted, how) in PRAGMAS.items():
        value = _pragma(name)
        if value != wanted and not (name == "journal_mode" and value == "memory"):
            todo = f"Start every connection with {how}; the settings that ship do."
            yield Remark(Level.FAIL, f"SQLite's {name} is {value}, not {wanted}.", _name(), todo)
    timeout = _pragma("busy_timeout")
    if int(str(timeout)) < SHORTEST_TIMEOUT:
        what = f"SQLite gives up on a lock after {timeout} ms."
        yield Remark(
            Level.WARN, what, _name(), 'Set OPTIONS["timeout"] to 20 seconds, as the settings that ship do.'
        )


def _pragma(name: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        row = cursor.fetchone()
    return row[0] if row else None


def _integrity() -> Iterator[Remark]:
    todo = "Stop Daybook, keep this file, and restore the latest backup."
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(3)")
        said = [str(row[0]) for row in cursor.fetchall()]
        if said != ["ok"]:
            yield Remark(Level.FAIL, f"The database file is damaged: {'; '.join(said)}", _name(), todo)
        cursor.execute("PRAGMA foreign_key_check")
        orphans = cursor.fetchmany(3)
    for table, row, parent, _ in orphans:
        yield Remark(
            Level.FAIL, f"Row {row} of {table} points to a row of {parent} that is gone.", _name(), todo
        )


def _place(path: str) -> Iterator[Remark]:
    kind = file_system_of(Path(path))
    if kind.removeprefix("fuse.") in REMOTE or kind.startswith("fuse.ssh"):
        yield Remark(
            Level.FAIL,
            f"The database is on a network file system ({kind}), where SQLite's locks do not hold.",
            path,
            "Put DAYBOOK_HOME on a local disk, or use PostgreSQL (DATABASE_URL).",
        )


def file_system_of(path: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return the kind of file system that holds ``path``, or '' where the system does not tell."""
    try:
        lines = mounts.read_text().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        left, _, right = line.partition(" - ")
        point = left.split()[4].replace("\\040", " ")
        if path.resolve().is_relative_to(point) and len(point) >= len(best):
            best, kind = point, right.split()[0]
    return kind
