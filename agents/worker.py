"""Claim → drive → park: what a worker does, the same in a thread of ``serve``, in ``work`` and in Celery."""

import logging
import random
import threading
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connection

from agents.core.errors import BadInput, DaybookError, Fenced, PolicyChanged, Stopped, Transient, Yielded
from agents.core.faults import fault_point
from agents.core.study import StudyProtocol
from agents.core.versions import GRAPH_VERSION, Changed, Difference, configuration_of, differences
from agents.memory_limit import relieve
from agents.models import Run
from agents.services.digests import digest_next
from agents.services.holds import configuration_in, hold, hold_others
from agents.signals import clock_ticked
from agents.store import trouble
from agents.store.bridge import run_here
from agents.store.lease import Lease, claim, free_dead_leases, process_name
from agents.store.runs import fail, finish, give_back, obey_wish, park, put_off, run_of
from agents.trace import driving

if TYPE_CHECKING:
    from agents.engine.deps import Deps
    from agents.engine.driver import Driven

log = logging.getLogger("daybook.worker")

IDLE_SECONDS = 1.0
SWEEP_SECONDS = 5.0
MEMORY_TRIES = 3
"""A step that runs out of memory so often at the same place is not tried again by itself."""

_bell = threading.Event()
_draining = threading.Event()


def wake() -> None:
    """Tell the workers of this process that there may be work."""
    _bell.set()


def drain() -> None:
    """Tell the workers of this process to put down what they hold before the next effect."""
    _draining.set()
    _bell.set()


def wait_for(threads: Iterable[threading.Thread], *, seconds: float) -> None:
    """Wait for all ``threads`` together at most ``seconds``; what still runs then is left to its lease."""
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def work_once(*, worker: str, run_id: UUID | None = None) -> bool:
    """Do one piece of work: drive a run until it waits or ends, or read a document. False when idle."""
    lease = claim(worker=worker, run_id=run_id)
    if lease is not None:
        advance(lease)
        return True
    return run_id is None and digest_next()


def work_forever(*, stop: threading.Event, worker: str = "") -> None:
    """Work until ``stop`` is set; the run under way is parked at its next step first."""
    name = worker or f"{process_name()}:{threading.current_thread().name}"
    swept = 0.0
    while not stop.is_set():
        try:
            close_old_connections()
            if time.monotonic() - swept > SWEEP_SECONDS:
                swept = time.monotonic()
                free_dead_leases()
                hold_others()
                clock_ticked.send_robust(sender=None)
            trouble.look()
            if work_once(worker=name):
                continue
        except (DatabaseError, InterfaceError) as fault:
            trouble.note(fault)
        except Exception:
            log.exception("a piece of work failed")
        _bell.wait(IDLE_SECONDS * random.uniform(0.8, 1.2))  # noqa: S311  (spreads workers, no secret)
        _bell.clear()
    connection.close()


def advance(lease: Lease) -> str:
    """Drive the run of ``lease`` until it waits, ends or fails, and give it back. Returns its new status."""
    lease.yields = _draining.is_set
    lease.keep()
    try:
        fault_point("on_resume")
        return _drive_or_put_down(lease)
    except Fenced as fault:
        log.info("%s", fault)
        return "fenced"
    finally:
        lease.release()


def _drive_or_put_down(lease: Lease) -> str:
    try:
        return _drive_or_obey(lease)
    except PolicyChanged as change:
        log.info("%s", change)
        return give_back(lease)


def _drive_or_obey(lease: Lease) -> str:
    try:
        return _advance(lease)
    except Stopped:
        return obey_wish(lease)
    except Yielded:
        return give_back(lease)


def _advance(lease: Lease) -> str:
    run = run_of(lease.run_id)
    with driving(run, epoch=lease.epoch) as told:
        told["status"] = status = _driven(lease, run)
        return status


def _driven(lease: Lease, run: Run) -> str:
    protocol = StudyProtocol.model_validate(run.protocol)
    try:
        driven = run_here(_drive(lease, protocol, run))
    except Fenced:
        raise
    except (OperationalError, InterfaceError) as fault:
        told = trouble.note(fault)
        if not connection.in_atomic_block:  # else it is the caller's to close
            close_old_connections()
        return _put_off(lease, told)
    except Transient as fault:
        return _put_off(lease, str(fault), at_least=fault.retry_after or 0.0)
    except Changed as change:
        log.warning("run %s is held: %s", lease.run_id, change)
        return hold(lease, change)
    except MemoryError:
        relieve()
        if run.crashes >= MEMORY_TRIES - 1 and run.crash_seq == run.seq:
            return fail(
                lease,
                error="A step needs more memory than this machine gives. Give it more, then retry the run.",
            )
        return _put_off(lease, "A step needed more memory than there was.")
    except DaybookError as fault:
        return fail(lease, error=str(fault))
    except Exception as fault:
        log.exception("run %s failed", lease.run_id)
        return fail(lease, error=f"Unexpected {type(fault).__name__}: {fault}"[:2000])
    fault_point("before_park")
    if driven.status == "waiting":
        return park(lease, gate_key=driven.gate)
    return finish(lease, outcome=driven.outcome, is_stopped=driven.verdict == "stop")


def _put_off(lease: Lease, told: str, *, at_least: float = 0.0) -> str:
    seconds = put_off(lease, at_least=at_least)
    log.warning("run %s: %s Trying again in %.0f s.", lease.run_id, told, seconds)
    return "queued"


async def _drive(lease: Lease, protocol: StudyProtocol, run: Run) -> "Driven":
    # The engine is loaded here and not before: LangGraph costs seconds at import.
    from agents.assembly import saver_for
    from agents.engine.driver import drive

    deps = await _deps(lease, protocol, run)
    try:
        await _check_configuration(deps, run)
        return await drive(
            str(lease.run_id),
            deps=deps,
            saver=saver_for(lease),
            start=run.start,
            version=run.graph_version,
        )
    finally:
        await deps.reasoner.aclose()


async def _deps(lease: Lease, protocol: StudyProtocol, run: Run) -> "Deps":
    """Return the run's ports. Raises ``Changed`` when what it was driven with before is missing now."""
    from agents.assembly import deps_for

    try:
        return await deps_for(lease, protocol)
    except BadInput as fault:
        stored = configuration_in(run)
        if stored is None:
            raise
        missing = Difference(what="setup", now=str(fault))
        raise Changed([missing], stored.model_copy(update={"program": GRAPH_VERSION})) from fault


async def _check_configuration(deps: "Deps", run: Run) -> None:
    """File what the run is driven with at its first drive; raise ``Changed`` when it is not the same later."""
    stored = configuration_in(run)
    now = configuration_of(deps.toolbox.specs(), graph=run.graph_version)
    changed = differences(stored, now)
    if changed:
        raise Changed(changed, now)
    if stored is None:
        await deps.journal.emit("run.configured", now.model_dump(), key="configured")
