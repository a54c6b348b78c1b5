"""What is wrong with the storage, in the words of every page: what it is, what still works, what to do."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from agents.store.trouble import Kind, Trouble


@dataclass(frozen=True)
class StorageNotice:
    """``kind`` tells one trouble from another; the rest are sentences."""

    kind: str
    tone: str
    wrong: str
    works: str
    todo: str


def storage_notice(trouble: Trouble, *, folder: str = "") -> StorageNotice:
    """Return the notice about ``trouble`` in the language of the page; ``folder`` is said instead of its path."""
    wrong, works, todo = _words(trouble.kind)
    tone = "needs" if trouble.kind in (Kind.LOW, Kind.LOCKED) else "failed"
    return StorageNotice(trouble.kind, tone, wrong, works, todo.format(folder=folder or trouble.folder))


def _words(kind: Kind) -> tuple[str, str, str]:
    reading = _(
        "Reading, exports and downloads work. What cannot be stored is not begun: no tool is started."
    )
    match kind:
        case Kind.LOW:
            return (
                _("The disk is nearly full."),
                _("Everything still works."),
                _("Free some space in {folder}: on a full disk nothing can be stored and runs wait."),
            )
        case Kind.FULL:
            return (
                _("The disk is full."),
                reading,
                _("Free some space in {folder}. Runs then go on by themselves."),
            )
        case Kind.READ_ONLY:
            return (
                _("The database cannot be written."),
                reading,
                _("Give the account that runs Daybook the right to write in {folder}."),
            )
        case Kind.LOCKED:
            return (
                _("Another program holds the database."),
                _("Reading works. Runs wait and lose nothing."),
                _("If this lasts, close what else has the database in {folder} open."),
            )
        case Kind.NOT_SET_UP:
            return (
                _("The database is not set up for this release."),
                _("Nothing is lost; runs wait."),
                _("Run “manage.py migrate” and start Daybook again."),
            )
        case Kind.DAMAGED:
            return (
                _("The database is damaged."),
                _("Runs wait; do not trust what pages show."),
                _("Stop Daybook and restore the last backup of {folder}."),
            )
        case Kind.AWAY:
            return (
                _("The database does not answer."),
                _("Nothing that was confirmed is lost; runs wait and go on when it answers."),
                _("If this lasts, see whether the database runs and read the log of Daybook's server."),
            )
