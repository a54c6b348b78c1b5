"""What pages show of a run, held against its log and made anew from it: the row, experiments and findings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from agents.core.canonical import canonical_json
from agents.core.errors import Damaged
from agents.core.measurement import Experiment, conditions_digest
from agents.core.projection import empty_state
from agents.models import Event, Finding, FindingVersion, Run
from agents.models import Experiment as ExperimentRow
from agents.store.audit import BATCH, LOOKS, folded_state, log_problems
from agents.store.findings import UNSAID
from agents.store.log import lock_run

FINDING_FIELDS = (
    *("number", "text", "confidence", "support", "against", "status"),
    *("kind", "reach", "scope", "domain", "evidence", "round", "version", "replaced_by"),
)


@dataclass(frozen=True)
class Difference:
    """Where a row says other than the log. ``what`` is a sentence; ``mend`` puts the row right, None for rows
    that the log does not know: they are left alone."""

    what: str
    mend: Callable[[], object] | None


def differences(run_id: UUID | str) -> list[Difference]:
    """Return where the rows of a run say other than its log; nothing is changed.

    Raises ``Damaged`` when the log itself is not what was written: a row made from it would hide that.
    A run that writes meanwhile is looked at again.
    """
    found: list[Difference] = []
    for _ in range(LOOKS):
        run = Run.objects.get(pk=run_id)
        problems = log_problems(run_id, with_state=False)
        if problems:
            raise Damaged(" ".join(problems))
        found = [*_row(run), *_experiments(run), *_findings(run)]
        if not found or Run.objects.filter(pk=run_id, seq=run.seq).exists():
            break
    return found


@transaction.atomic
def rebuild(run_id: UUID | str) -> list[Difference]:
    """Put right what ``differences`` returns, and return it. The log is never changed."""
    lock_run(run_id)
    found = differences(run_id)
    for each in found:
        if each.mend is not None:
            each.mend()
    return found


def _row(run: Run) -> Iterator[Difference]:
    """``seq`` and ``head`` stay: they are what the log is held against."""
    if not run.seq:
        return
    state = {**empty_state(), **folded_state(run.pk)}
    rounds = Event.objects.filter(run=run).aggregate(last=Max("round"))["last"] or 0
    wanted = {**state, "spent (column)": state["spent"], "round": rounds}
    shown = {**empty_state(), **run.state, "spent (column)": run.spent, "round": run.round}
    wrong = _wrong(shown, wanted)
    if wrong:
        fields = {"state": state, "spent": state["spent"], "round": rounds}
        yield Difference(
            f"The run shows another {', '.join(wrong)} than its log gives.",
            lambda: Run.objects.filter(pk=run.pk).update(**fields),
        )


def _experiments(run: Run) -> Iterator[Difference]:
    rows = {str(row.pk): row for row in ExperimentRow.objects.filter(run=run)}
    events = Event.objects.filter(run=run, kind="experiment.filed").order_by("seq")
    for event in events.iterator(chunk_size=BATCH):
        pk = event.payload["experiment"]["id"]
        wanted = _experiment_fields(event)
        yield from _row_of(ExperimentRow, rows.pop(pk, None), pk, wanted, f"Experiment {pk}", event)
    yield from _unknown("Experiment", list(rows))


def _experiment_fields(event: Event) -> dict[str, Any]:
    experiment = Experiment.model_validate(event.payload["experiment"])
    return {
        **experiment.model_dump(mode="json", exclude={"id"}),
        "key": (event.key or f"event/{event.seq}").removesuffix("/filed"),
        "conditions_digest": conditions_digest(experiment.conditions),
        "prediction": event.payload.get("prediction"),
    }


def _findings(run: Run) -> Iterator[Difference]:
    """A finding is what its last event says; a row that changes is to be indexed again."""
    stories: dict[str, list[Event]] = {}
    events = Event.objects.filter(run=run, kind__in=("finding.added", "finding.changed")).order_by("seq")
    for event in events.iterator(chunk_size=BATCH):
        stories.setdefault(event.payload["finding"]["id"], []).append(event)
    rows = {str(row.pk): row for row in Finding.objects.filter(run=run)}
    kept = set(FindingVersion.objects.filter(finding__run=run).values_list("finding_id", "version"))
    for pk, story in stories.items():
        last = story[-1].payload["finding"]
        wanted = {
            name: last.get(name, UNSAID[name]) if name in UNSAID else last[name] for name in FINDING_FIELDS
        }
        label = f"Finding F{wanted['number']} ({pk})"
        yield from _row_of(Finding, rows.pop(pk, None), pk, wanted, label, story[0], is_indexed=False)
        yield from _versions(pk, story, kept)
    yield from _unknown("Finding", list(rows))


def _versions(pk: str, story: list[Event], kept: set[tuple[UUID, int]]) -> Iterator[Difference]:
    for before, after in pairwise(story):
        old = before.payload["finding"]
        if (UUID(pk), old["version"]) in kept:
            continue
        fields = {name: old[name] for name in ("version", "text", "confidence", "status", "scope")}
        change = {"reason": after.payload["reason"], "by": after.payload.get("by", "")}
        change["approved_by"] = after.payload.get("approved_by", "")
        row = FindingVersion(finding_id=UUID(pk), **change, **fields)
        yield Difference(f"Version {old['version']} of finding F{old['number']} is missing.", row.save)


def _row_of(
    model: Any, row: Any, pk: str, wanted: dict[str, Any], label: str, event: Event, **extra: Any
) -> Iterator[Difference]:
    """Return how ``row`` differs from the fields that the log gives it; ``event`` is the one that made it."""
    if row is None:

        def create() -> None:
            study = Run.objects.values_list("study_id", flat=True).get(pk=event.run_id)
            model(pk=UUID(pk), study_id=study, run_id=event.run_id, **wanted, **extra).save(force_insert=True)
            model.objects.filter(pk=pk).update(created_at=event.at)

        yield Difference(f"{label}, filed by event {event.seq}, has no row.", create)
        return
    wrong = _wrong({name: getattr(row, name) for name in wanted}, wanted)
    if wrong:
        yield Difference(
            f"{label}, filed by event {event.seq}: the row shows another {', '.join(wrong)}.",
            lambda: model.objects.filter(pk=pk).update(**wanted, **extra),
        )


def _unknown(what: str, ids: list[str]) -> Iterator[Difference]:
    yield from (Difference(f"{what} {pk} is in no event of the log; it was left alone.", None) for pk in ids)


def _wrong(shown: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Return the names whose values differ. Equal numbers are the same, however a database spells them."""
    return [name for name in wanted if canonical_json(shown.get(name)) != canonical_json(wanted[name])]
