"""Who sees and does what. Deny by default: without a membership, a study does not exist."""

from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.models import User as Account
from django.db.models import Model, QuerySet
from django.http import Http404

from agents.core.errors import Refused
from agents.models import Document, Finding, Gate, RememberedApproval, Run, Study
from reviews.models import Membership, Role

User = Account | AnonymousUser
Row = TypeVar("Row", bound=Model)

RANK = {Role.VIEWER: 0, Role.RESEARCHER: 1, Role.REVIEWER: 2, Role.OWNER: 3}
"""A researcher edits the study, starts runs and enters measurements; a reviewer decides too; an owner
also manages members."""


def is_admin(user: Any) -> bool:
    """Return True when ``user`` is an administrator, who is an owner everywhere."""
    return bool(user.is_active and user.is_superuser)


def studies_of(user: User) -> QuerySet[Study]:
    """Return the studies that exist for ``user``."""
    if not user.is_authenticated or not user.is_active:
        return Study.objects.none()
    if is_admin(user):
        return Study.objects.all()
    return Study.objects.filter(memberships__user_id=user.pk)


def runs_of(user: User) -> QuerySet[Run]:
    """Return the runs that exist for ``user``."""
    return Run.objects.filter(study__in=studies_of(user)).select_related("study")


def role_in(user: User, study: Study) -> Role | None:
    """Return the role of ``user`` in ``study``; an administrator is an owner everywhere."""
    if is_admin(user):
        return Role.OWNER
    if user.pk is None:
        return None
    role = Membership.objects.filter(user_id=user.pk, study=study).values_list("role", flat=True).first()
    return Role(role) if role else None


def can(user: User, study: Study, least: Role) -> bool:
    """Return True when ``user`` has at least the role ``least`` in ``study``."""
    role = role_in(user, study)
    return role is not None and RANK[role] >= RANK[least]


def require(user: User, study: Study, least: Role) -> Role:
    """Return the role of ``user``; raise ``Http404`` without one and ``Refused`` when it is too low."""
    role = role_in(user, study)
    if role is None:
        raise Http404
    if RANK[role] < RANK[least]:
        raise Refused(
            f"This needs the role {least.label.lower()}; you are {role.label.lower()} of this study."
        )
    return role


def colleagues_of(user: Account) -> QuerySet[Account]:
    """Return the people who share a study with ``user``, by name."""
    rows = Account.objects.filter(is_active=True, memberships__study__in=studies_of(user))
    return rows.exclude(pk=user.pk).distinct().order_by("username")


def study_or_404(user: User, slug: str) -> Study:
    """Return the study with ``slug`` that exists for ``user``."""
    return _or_404(studies_of(user).filter(slug=slug))


def run_or_404(user: User, run_id: Any) -> Run:
    """Return the run that exists for ``user``."""
    return _or_404(runs_of(user).filter(pk=run_id))


def gate_or_404(user: User, gate_id: Any) -> Gate:
    """Return the gate that exists for ``user``, with its run, study and review."""
    rows = Gate.objects.filter(run__study__in=studies_of(user))
    return _or_404(rows.select_related("run__study", "review").filter(pk=gate_id))


def approval_or_404(user: User, approval_id: Any) -> RememberedApproval:
    """Return the remembered approval that exists for ``user``, with its run and study."""
    rows = RememberedApproval.objects.filter(run__study__in=studies_of(user), pk=approval_id)
    return _or_404(rows.select_related("run__study"))


def document_or_404(user: User, document_id: Any) -> Document:
    """Return the document that exists for ``user``."""
    return _or_404(
        Document.objects.filter(study__in=studies_of(user), pk=document_id).select_related("study")
    )


def finding_or_404(user: User, finding_id: Any) -> Finding:
    """Return the finding that exists for ``user``."""
    rows = Finding.objects.filter(study__in=studies_of(user), pk=finding_id)
    return _or_404(rows.select_related("study", "run"))


def _or_404(rows: QuerySet[Row]) -> Row:
    found = rows.first()
    if found is None:
        raise Http404
    return found
