"""Tasks at the bench: which wait, and how, by when and by whom each is to be done."""

from datetime import datetime
from typing import Any

from django.db.models import Count, F, Prefetch, QuerySet
from django.utils.translation import gettext as _

from agents.core.errors import BadInput, NotFound
from agents.core.gates import GateKind
from agents.core.text import clean_text
from agents.models import Gate
from agents.services.gates import check_open
from reviews.models import BenchFile, BenchTask, Membership, Review, Role
from reviews.permissions import RANK, User, require, studies_of

INSTRUCTIONS_LIMIT = 4000


def is_bench(gate: Gate) -> bool:
    """Return True when the gate waits for a person's measurement, and not for an instrument that took a job."""
    return gate.kind == GateKind.RESULT and "job" not in gate.request["content"]


def waiting_tasks(
    user: User, *, study_slug: str = "", run_id: Any = None, mine: bool = False
) -> QuerySet[Review]:
    """Return the reviews that wait for a measurement by a person, those that are due first at the top."""
    rows = Review.objects.filter(
        run__study__in=studies_of(user), status=Review.Status.OPEN, gate__kind=GateKind.RESULT
    ).exclude(gate__request__content__has_key="job")
    if study_slug:
        rows = rows.filter(run__study__slug=study_slug)
    if run_id:
        rows = rows.filter(run_id=run_id)
    if mine:
        rows = rows.filter(gate__bench_task__assignee_id=user.pk)
    rows = rows.select_related("gate__bench_task__assignee", "gate__bench_draft", "run__study")
    rows = rows.annotate(files=Count("gate__bench_files"))
    return rows.order_by(F("gate__bench_task__due_at").asc(nulls_last=True), "opened_at", "gate_id")


def with_files_read(rows: QuerySet[Review]) -> QuerySet[Review]:
    """Read the files of the tasks along."""
    return rows.prefetch_related(Prefetch("gate__bench_files", queryset=BenchFile.objects.all()))


def task_of(gate: Gate) -> BenchTask | None:
    """Return how the task is to be done, or None when nobody said."""
    return BenchTask.objects.select_related("assignee").filter(gate=gate).first()


def may_do(gate: Gate) -> QuerySet[Membership]:
    """Return the members who may enter the result of ``gate``."""
    roles = [role for role in Role if RANK[role] >= RANK[Role.RESEARCHER]]
    rows = Membership.objects.filter(study=gate.run.study, role__in=roles, user__is_active=True)
    return rows.select_related("user").order_by("user__username")


def set_task(
    *,
    gate: Gate,
    user: Any,
    instructions: str = "",
    due_at: datetime | None = None,
    assignee: str = "",
    is_standing: bool = False,
) -> BenchTask:
    """Say how, by when and by whom the measurement of ``gate`` is to be made; what is typed so far goes along.

    ``assignee`` is the name of a member who may enter results, or empty for nobody. Raises ``Refused``,
    ``Conflict`` when the task does not wait any more, ``BadInput``, ``NotFound`` for a name nobody has here.
    """
    require(user, gate.run.study, Role.RESEARCHER)
    gate.refresh_from_db(fields=["status", "answer", "answered_at"])
    check_open(gate)
    if not is_bench(gate):
        raise BadInput(_("This review asks for no measurement by a person, so there is nobody to assign."))
    instructions = clean_text(instructions).strip()
    if len(instructions) > INSTRUCTIONS_LIMIT:
        raise BadInput(
            _("The instructions have %(count)s characters; at most %(most)s are kept.")
            % {"count": len(instructions), "most": INSTRUCTIONS_LIMIT}
        )
    member = _member(gate, assignee.strip())
    task, _made = BenchTask.objects.update_or_create(
        gate=gate,
        defaults={
            "instructions": instructions,
            "due_at": due_at,
            "assignee": member.user if member else None,
            "is_standing": is_standing,
            "set_by": user.get_username(),
        },
    )
    return task


def _member(gate: Gate, name: str) -> Membership | None:
    if not name:
        return None
    found = may_do(gate).filter(user__username=name).first()
    if found is None:
        known = ", ".join(may_do(gate).values_list("user__username", flat=True)[:20]) or "–"
        raise NotFound(
            _("%(name)s is no member of this study who may enter results. Members who may: %(known)s.")
            % {"name": name, "known": known}
        )
    return found


def start_task(gate: Gate) -> None:
    """Give a new task what an earlier one of its run left standing. Called when its gate opens."""
    last = (
        BenchTask.objects.filter(gate__run_id=gate.run_id, is_standing=True).order_by("-updated_at").first()
    )
    if last is not None and is_bench(gate):
        BenchTask.objects.create(
            gate=gate,
            instructions=last.instructions,
            assignee_id=last.assignee_id,
            is_standing=True,
            set_by=last.set_by,
        )
