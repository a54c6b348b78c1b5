"""What keeps the database from being written, in a sentence: for the log, and for every page while it lasts."""

import logging
import shutil
from pathlib import Path

from django.conf import settings
from django.db import DataError, IntegrityError, ProgrammingError, connection
from django.db.models import F

from agents.models import Run

log = logging.getLogger("daybook.storage")

FULL_BELOW = 5_000_000
"""Bytes that a disk must have free: SQLite needs room for its log before it can write anything."""

_now = ""


def current() -> str:
    """Return what is wrong with the database at present, as this process met it; empty when nothing is."""
    return _now


def note(fault: Exception) -> str:
    """Remember that a write failed and return why in a sentence; it is logged when it is news."""
    global _now
    told = sentence_of(fault)
    if told != _now:
        # A statement that the database refuses is a mistake of ours, and looked for in the code.
        log.error("%s", told, exc_info=isinstance(fault, ProgrammingError | IntegrityError | DataError))
    _now = told
    return told


def look() -> None:
    """Write something that changes nothing, and forget the trouble when that works; raises what it meets."""
    global _now
    Run.objects.filter(pk__in=Run.objects.values("pk")[:1]).update(crashes=F("crashes"))
    log.warning("The database can be written again; runs go on.")
    _now = ""


def sentence_of(fault: Exception) -> str:
    """Return what ``fault`` of the database means and what to do about it."""
    text, where = str(fault), _where()
    if "disk is full" in text or ("I/O error" in text and _free(where) < FULL_BELOW):
        return f"The disk of {where} is full. Free some space: nothing is started meanwhile, and runs then go on."
    if "readonly" in text or "unable to open" in text:
        return (
            f"The database in {where} cannot be written ({text}). Give this account the right to write there."
        )
    if "locked" in text:
        return f"Another program holds the database in {where}. Runs wait for it; close it if this lasts."
    if "no such table" in text or "no such column" in text:
        return f"The database in {where} is not set up for this release ({text}): run `manage.py migrate`."
    if "malformed" in text or "not a database" in text:
        return f"The database in {where} is damaged ({text}). Stop Daybook and restore the last backup of the folder."
    return f"The database in {where} does not answer ({text}). Runs wait and go on when it does."


def _where() -> Path:
    """Return the folder of the database, or the site's own one when the database is a server."""
    name = str(connection.settings_dict["NAME"])
    return Path(name).parent if connection.vendor == "sqlite" else Path(settings.DAYBOOK_HOME)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0
