"""The checks, in order, and what they say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.core.errors import DaybookError


class Level(StrEnum):
    """How bad it is: nothing to do, look at it, or not sound."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Remark:
    """One thing that a check found. ``mended`` says what ``--repair`` did about it; empty when nothing.
    After one that ``stops``, the checks that need the database are left out: they could only break."""

    level: Level
    what: str
    where: str = ""
    todo: str = ""
    mended: str = ""
    check: str = ""
    stops: bool = False

    @property
    def is_sound(self) -> bool:
        """True when nothing stays wrong."""
        return self.level is not Level.FAIL or bool(self.mended)


@dataclass(frozen=True)
class Look:
    """How to look: whether to mend what is safe to mend, to try the model for real, and whom to tell how far."""

    repair: bool = False
    model: bool = False
    progress: Callable[[str], None] = lambda text: None


Check = Callable[[Look], Iterator[Remark]]


@dataclass(frozen=True)
class _Registered:
    order: int
    name: str
    run: Check
    needs_database: bool


_checks: list[_Registered] = []


def check(name: str, *, order: int, needs_database: bool = True) -> Callable[[Check], Check]:
    """Register a check. Lower ``order`` runs first. One that needs the database is left out when it is away."""

    def register(run: Check) -> Check:
        _checks.append(_Registered(order, name, run, needs_database))
        return run

    return register


def examine(look: Look, *, only: list[str] | None = None) -> Iterator[Remark]:
    """Run the checks (those named ``only``) and return their remarks as they come.

    A check that finds nothing says so itself. One that breaks is a remark too: the others still run. Raises
    ``ValueError`` for a name that no check has.
    """
    unknown = set(only or []) - {each.name for each in _checks}
    if unknown:
        raise ValueError(f"there is no check {sorted(unknown)[0]!r}; the checks are {', '.join(names())}")
    is_up = True
    for each in sorted(_checks, key=lambda each: (each.order, each.name)):
        if only and each.name not in only:
            continue
        if each.needs_database and not is_up:
            continue
        for remark in _run(each, look):
            yield remark
            is_up = is_up and not remark.stops


def names() -> list[str]:
    """Return the names of the checks, in order."""
    return [each.name for each in sorted(_checks, key=lambda each: (each.order, each.name))]


def _run(each: _Registered, look: Look) -> Iterator[Remark]:
    look.progress(each.name)
    try:
        for remark in each.run(look):
            yield replace(remark, check=each.name)
    except DaybookError as fault:
        yield Remark(Level.FAIL, str(fault), check=each.name)
    except Exception as fault:
        yield Remark(
            Level.FAIL,
            f"This check broke off: {type(fault).__name__}: {fault}",
            todo="Mend what the other checks name and look again; if it stays, it is a fault of Daybook's.",
            check=each.name,
        )
