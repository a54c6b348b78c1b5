"""What keeps the database from being written, in a sentence: for the log, and for every page while it lasts."""

import logging
import os
import shutil
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from django.conf import settings
from django.db import DataError, IntegrityError, OperationalError, ProgrammingError, connection
from django.db.models import F

from agents.models import Run

log = logging.getLogger("daybook.storage")

FULL_BELOW = 5_000_000
"""Bytes that a disk must have free: SQLite needs room for its log before it can write anything."""

LOW_BELOW = 100_000_000
"""Bytes below which people are told to make room while everything still works."""

FORGOTTEN_AFTER = 60.0
"""Seconds after which a fault that nobody met again is over. Workers look every second or two while there is one."""


class Kind(StrEnum):
    """What is wrong with the place where rows are kept."""

    LOW = "low"
    FULL = "full"
    READ_ONLY = "read_only"
    LOCKED = "locked"
    NOT_SET_UP = "not_set_up"
    DAMAGED = "damaged"
    AWAY = "away"


@dataclass(frozen=True)
class Trouble:
    """One thing that is wrong: in which folder, and what the database said of it."""

    kind: Kind
    folder: str
    said: str = ""

    def __str__(self) -> str:
        """Return what it means and what to do about it."""
        return _SENTENCES[self.kind].format(folder=self.folder, said=self.said)


_SENTENCES = {
    Kind.LOW: "The disk of {folder} is nearly full. Free some space before nothing can be stored.",
    Kind.FULL: (
        "The disk of {folder} is full. Free some space: nothing is started meanwhile, and runs then go on."
    ),
    Kind.READ_ONLY: (
        "The database in {folder} cannot be written ({said}). Give this account the right to write there."
    ),
    Kind.LOCKED: "Another program holds the database in {folder}. Runs wait for it; close it if this lasts.",
    Kind.NOT_SET_UP: (
        "The database in {folder} is not set up for this release ({said}): run `manage.py migrate`."
    ),
    Kind.DAMAGED: (
        "The database in {folder} is damaged ({said}). Stop Daybook and restore the last backup of the folder."
    ),
    Kind.AWAY: "The database in {folder} does not answer ({said}). Runs wait and go on when it does.",
}

_SAYINGS = (
    (Kind.FULL, ("disk is full", "No space left on device")),
    (Kind.READ_ONLY, ("readonly", "unable to open", "read-only")),
    (Kind.LOCKED, ("locked",)),
    (Kind.NOT_SET_UP, ("no such table", "no such column")),
    (Kind.DAMAGED, ("malformed", "not a database")),
)
"""Words of a database's message and what they mean, in the order in which they are looked for."""

_met: Trouble | None = None
_met_at = 0.0


def current() -> Trouble | None:
    """Return what is wrong at present, as this process met it last or as the folder shows; None when nothing is."""
    if _met is not None and time.monotonic() - _met_at < FORGOTTEN_AFTER:
        return _met
    return _seen()


def note(fault: Exception) -> str:
    """Remember that a write failed and return why in a sentence; it is logged when it is news."""
    global _met, _met_at
    told = trouble_of(fault)
    if told != _met:
        # A statement that the database refuses is a mistake of ours, and looked for in the code.
        log.error("%s", told, exc_info=isinstance(fault, ProgrammingError | IntegrityError | DataError))
    _met, _met_at = told, time.monotonic()
    return str(told)


def look() -> None:
    """When a write failed, write something that changes nothing and forget the trouble; raises what it meets.

    On a full disk a small write may still find room in what SQLite has already: that is no end of the trouble.
    """
    global _met
    if _met is None:
        return
    if _met.kind is Kind.FULL and _free(_where()) < FULL_BELOW:
        raise OperationalError("database or disk is full")
    Run.objects.filter(pk__in=Run.objects.values("pk")[:1]).update(crashes=F("crashes"))
    log.warning("The database can be written again; runs go on.")
    _met = None


def trouble_of(fault: Exception) -> Trouble:
    """Return what ``fault`` of the database means."""
    text, where = str(fault), _where()
    kind = next((kind for kind, words in _SAYINGS if any(word in text for word in words)), Kind.AWAY)
    if "I/O error" in text and _free(where) < FULL_BELOW:
        kind = Kind.FULL
    return Trouble(kind, str(where), text)


def sentence_of(fault: Exception) -> str:
    """Return what ``fault`` of the database means and what to do about it."""
    return str(trouble_of(fault))


def _seen() -> Trouble | None:
    """Return what the folder itself shows, before any write has failed."""
    where = _where()
    if not os.access(where, os.W_OK):
        return Trouble(Kind.READ_ONLY, str(where), "the folder may not be written")
    free = _free(where)
    if free < FULL_BELOW:
        return Trouble(Kind.FULL, str(where))
    return Trouble(Kind.LOW, str(where)) if free < LOW_BELOW else None


def _where() -> Path:
    """Return the folder of the database, or the site's own one when the database is a server."""
    name = str(connection.settings_dict["NAME"])
    return Path(name).parent if connection.vendor == "sqlite" else Path(settings.DAYBOOK_HOME)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
