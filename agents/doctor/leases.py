"""Runs: who drives them, and whether any of them is stuck."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.core.lifecycle import ENDED, RunStatus
from agents.core.versions import GRAPH_VERSION, choices
from agents.doctor.logs import place_of
from agents.doctor.registry import Level, Look, Remark, check
from agents.models import Gate, Run
from agents.store.lease import free_dead_leases, is_dead
from agents.store.log import lock_run
from agents.store.runs import cancel_gates, move

WORKER = "Any worker takes it up by itself: `manage.py serve` or `manage.py work`."


@check("runs", order=40)
def runs(look: Look) -> Iterator[Remark]:
    """Look for runs whose worker is gone, that wait for nothing, or that this release cannot drive."""
    found = [*_leases(look), *_leftover_leases(look), *_waiting(look), *_open_gates(look), *_old_graphs()]
    yield from found
    if not found:
        open_runs = Run.objects.exclude(status__in=ENDED).count()
        yield Remark(Level.OK, f"{open_runs:,} open runs: no lease is orphaned, nothing is stuck")


def _leases(look: Look) -> Iterator[Remark]:
    rows = list(Run.objects.filter(status=RunStatus.RUNNING).select_related("study"))
    dead = [run for run in rows if run.lease_owner and is_dead(run.lease_owner)]
    mended = "freed the lease" if look.repair and dead and free_dead_leases() else ""
    for run in dead:
        what = f"Its worker {run.lease_owner} is gone and left the lease."
        yield Remark(
            Level.WARN, what, place_of(run), "manage.py doctor --repair frees it; else it runs out.", mended
        )
    for run in rows:
        if run not in dead and (run.lease_until is None or run.lease_until < timezone.now()):
            yield Remark(
                Level.WARN, "Its lease is over and no worker has taken it up yet.", place_of(run), WORKER
            )


def _leftover_leases(look: Look) -> Iterator[Remark]:
    rows = Run.objects.exclude(status=RunStatus.RUNNING).exclude(lease_owner="").select_related("study")
    for run in rows:
        done = look.repair and Run.objects.filter(pk=run.pk, epoch=run.epoch, status=run.status).update(
            lease_owner="", lease_until=None
        )
        what = f"It is {run.status} and still has a lease of {run.lease_owner}."
        yield Remark(
            Level.WARN, what, place_of(run), "manage.py doctor --repair", "freed the lease" if done else ""
        )


def _waiting(look: Look) -> Iterator[Remark]:
    open_gates = Gate.objects.filter(status=Gate.Status.OPEN).values("run_id")
    stuck = Run.objects.filter(status=RunStatus.WAITING).exclude(pk__in=open_gates).select_related("study")
    for run in stuck:
        mended = "queued it: it goes on from its gate's answer" if look.repair and _queue(run) else ""
        what = "It waits, and no review of it is open: nobody would ever answer."
        yield Remark(Level.FAIL, what, place_of(run), "manage.py doctor --repair queues it.", mended)


@transaction.atomic
def _queue(run: Run) -> bool:
    locked = lock_run(run.pk)
    if locked.status != RunStatus.WAITING or Gate.objects.filter(run=run, status=Gate.Status.OPEN).exists():
        return False
    move(locked, RunStatus.QUEUED)
    return True


def _open_gates(look: Look) -> Iterator[Remark]:
    over = Q(status__in=ENDED) & Q(gates__status=Gate.Status.OPEN)
    for run in Run.objects.filter(over).select_related("study").distinct():
        mended = ""
        if look.repair:
            with transaction.atomic():
                cancel_gates(lock_run(run.pk), by="doctor")
            mended = "cancelled the review"
        what = f"It has ended ({run.status}) and still asks people."
        yield Remark(Level.FAIL, what, place_of(run), "manage.py doctor --repair cancels the review.", mended)


def _old_graphs() -> Iterator[Remark]:
    rows = Run.objects.exclude(status__in=ENDED).exclude(graph_version=GRAPH_VERSION).select_related("study")
    for run in rows:
        if (run.state.get("configuration") or {}).get("program") == GRAPH_VERSION:
            continue
        what = f"It was begun by graph version {run.graph_version}; this release drives {GRAPH_VERSION}."
        offered = "|".join(choices([], graph=run.graph_version))
        yield Remark(Level.WARN, what, place_of(run), f"manage.py steer {offered} {run.pk}")
