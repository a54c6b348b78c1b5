"""The study's ledger of experiments on the ORM."""

import functools
import json
import time
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from agents.core.measurement import Experiment, conditions_digest
from agents.core.study import StudyProtocol
from agents.models import Experiment as Row
from agents.models import Run
from agents.store.bridge import in_database
from agents.store.lease import Lease
from agents.store.log import append
from agents.store.rows import insert, read, save

LOOK_SECONDS = 1.0
NOBODY = UUID(int=0)
"""Is no run's id: seen from it, every row is another run's."""
IN_ORDER = ("created_at", "position", "round", "id")
"""Oldest first; by round where a clock that was set back gave equal times."""
_ALL = tuple(field.attname for field in Row._meta.concrete_fields)


def as_value(row: Row) -> Experiment:
    """Return a row as the value that crosses ports."""
    return Experiment(
        id=str(row.pk),
        planned=row.planned,
        actual=row.actual,
        measurements=row.measurements,
        replicate=row.replicate,
        status=row.status,
        origin=row.origin,
        operator=row.operator,
        instrument=row.instrument,
        round=row.round,
        note=row.note,
        measured_at=row.measured_at,
        attachments=row.attachments,
    )


_FIELDS = tuple(name for name in Experiment.model_fields if name not in ("id", "run"))
_AS_JSON = frozenset({"planned", "actual", "measurements", "attachments"})
REMEMBERED = 10_000
"""Rows that a process keeps as values: a drive begins at every answer of a person, and reads the ledger anew."""


def _values(rows: QuerySet[Row], run_id: UUID | None = None) -> list[Experiment]:
    """Return ``rows`` in the ledger's order, those of other runs than ``run_id`` with the number of theirs.

    What a row says is taken from its JSON once a process, as long as it says the same.
    """
    said = [Cast(name, TextField()) if name in _AS_JSON else name for name in _FIELDS]
    found = rows.order_by(*IN_ORDER).values_list("run_id", "run__number", "id", *said)
    return [_read(None if run_id in (None, owner) else number, *row) for owner, number, *row in found]


@functools.lru_cache(maxsize=REMEMBERED)
def _read(run_number: int | None, key: UUID, *fields: Any) -> Experiment:
    named = zip(_FIELDS, fields, strict=True)
    said = {name: json.loads(value) if name in _AS_JSON else value for name, value in named}
    return Experiment(id=str(key), run=run_number, **said)


def forget_rows() -> None:
    """Let go of the rows that were kept; they are read again when they are asked for."""
    _read.cache_clear()


def rows_of(study_id: UUID | str) -> list[Experiment]:
    """Return every experiment of the study, oldest first."""
    return _values(Row.objects.filter(study_id=study_id))


def rows_with_runs(study_id: UUID | str) -> list[Experiment]:
    """Return every experiment of the study, oldest first, each with the number of the run that did it."""
    return _values(Row.objects.filter(study_id=study_id), NOBODY)


def rows_for(run: Run) -> list[Experiment]:
    """Return the experiments that ``run`` knows of, oldest first.

    Those of the study; of the runs that it was forked from only what was there before the fork, and of other
    branches of the same origin nothing, so that branches can be compared.
    """
    rows = Row.objects.filter(study_id=run.study_id)
    family = _family(run)
    if family:
        seen = Q(run=run)
        child = run
        while child.parent is not None:
            seen |= Q(run=child.parent, round__lt=child.start.get("current_step", 0))
            child = child.parent
        rows = rows.filter(~Q(run__in=family) | Q(run=None) | seen)
    # A round's number alone would name another experiment where the row is another run's.
    return _values(rows, run.pk)


def _family(run: Run) -> set[UUID]:
    """Return all runs with the same origin as ``run``; empty when nothing was forked."""
    root = run
    while root.parent is not None:
        root = root.parent
    found, fresh = {root.pk}, {root.pk}
    while fresh:
        fresh = set(Run.objects.filter(parent__in=fresh).values_list("pk", flat=True)) - found
        found |= fresh
    return found if len(found) > 1 else set()


class OrmLedger:
    """Implements the ``Ledger`` port for the run that ``lease`` covers."""

    def __init__(self, lease: Lease, protocol: StudyProtocol) -> None:
        self._lease = lease
        self._protocol = protocol
        self._known: list[Experiment] = []
        self._looked_at = -LOOK_SECONDS

    async def rows(self) -> list[Experiment]:
        """Return every row that the run knows of, oldest first. What sibling runs file is seen within a second."""
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._known = await in_database(self._rows)
            self._looked_at = time.monotonic()
        return list(self._known)

    def _rows(self) -> list[Experiment]:
        # The protocol is the largest part of a run's row, and no part of this.
        return rows_for(Run.objects.defer("protocol", "state", "policy_table").get(pk=self._lease.run_id))

    async def file(
        self, experiment: Experiment, *, key: str, prediction: dict[str, Any] | None = None
    ) -> Experiment:
        """Add a row once for ``key``; see the port."""
        filed = await in_database(self._file, experiment, key, prediction)
        if all(row.id != filed.id for row in self._known):
            self._known.append(filed)
        return filed

    def _file(self, experiment: Experiment, key: str, prediction: dict[str, Any] | None) -> Experiment:
        with self._lease.writing() as run:
            known = read(Row, _ALL, run_id=run.pk, key=key)
            if known is not None:
                return as_value(known)
            digest = conditions_digest(experiment.conditions)
            same = Row.objects.filter(study_id=run.study_id, conditions_digest=digest).count()
            row = Row(
                study_id=run.study_id,
                run_id=run.pk,
                key=key,
                conditions_digest=digest,
                prediction=prediction,
                **{**experiment.model_dump(mode="json", exclude={"id", "run"}), "replicate": same + 1},
            )
            insert(row)
            if run.last_event_at is not None and row.created_at < run.last_event_at:
                # The clock was set back; the ledger's order is by time, so this row may not come before older ones.
                row.created_at = run.last_event_at
                save(row, ("created_at",))
            filed = as_value(row)
            payload = {
                "experiment": filed.model_dump(mode="json"),
                "prediction": prediction,
                "best": self._best(run.state.get("best"), filed),
            }
            append(run, "experiment.filed", payload, round=experiment.round, key=f"{key}/filed", saves=False)
            return filed

    def _best(self, best: dict[str, Any] | None, filed: Experiment) -> dict[str, Any] | None:
        """Return the raw best of the run by the first objective, so far."""
        if not self._protocol.objectives:
            return None
        objective = self._protocol.objectives[0]
        value = filed.value_of(objective.name)
        if value is None or (best and objective.utility(best["value"]) >= objective.utility(value)):
            return best
        return {
            "objective": objective.name,
            "value": value,
            "unit": objective.unit,
            "conditions": filed.conditions,
            "round": filed.round,
            "experiment": filed.id,
        }
