"""What people do in the findings library, from the browser and from a terminal: the same roles, the same services."""

from typing import Any, Literal
from uuid import UUID

from django.contrib.auth.models import User

from agents import services
from agents.core.errors import BadInput, NotFound
from agents.models import Finding, Study
from agents.services import finding_changes
from agents.services.findings_files import Imported
from reviews.models import Role
from reviews.permissions import require, studies_of

_SECOND = {"supersede": "successor", "merge": "other"}
"""Verbs of two findings, with the name that their service has for the other one."""
VERBS = ("edit", "retract", "supersede", "merge", "accept")


def change(
    finding: Finding,
    verb: str,
    *,
    user: User,
    reason: str = "",
    seen: int | None = None,
    other: UUID | None = None,
    text: str | None = None,
    scope: str | None = None,
    reach: str | None = None,
) -> Finding:
    """Do ``verb`` to ``finding`` as ``user`` and return it. ``other`` is who takes its place, or is merged into it.

    Where the study's policy asks for a second person, the change waits and the finding is returned as it was.
    Raises ``NotFound`` for a verb or another finding that does not exist for them, ``Refused`` below a reviewer,
    ``Conflict`` when ``seen`` is not the latest version, ``BadInput`` for what cannot be done.
    """
    if verb not in VERBS:
        raise NotFound(
            f"There is nothing called {verb!r} to do to a finding; choose one of {', '.join(VERBS)}."
        )
    require(user, finding.study, Role.REVIEWER)
    given: dict[str, Any] = {"by": user.get_username(), "reason": reason, "seen": seen}
    if verb == "retract":
        return services.retract_finding(finding.pk, **given)
    if verb == "edit":
        given |= {"text": text, "scope": scope, "reach": _reach(finding, reach, user)}
    elif verb in _SECOND:
        given[_SECOND[verb]] = _other(other, user)
    if services.current_policy(finding.study).second_for_findings:
        return services.propose_change(finding.pk, verb, **given).finding
    return finding_changes.VERBS[verb](finding.pk, **given)


def decide_change(finding: Finding, *, user: User, approve: bool, reason: str = "") -> Finding:
    """Approve or refuse the change of ``finding`` that waits for a second person.

    Raises ``NotFound`` when none waits, ``Refused`` to who proposed it and below a reviewer. What opens a rule to
    other studies is approved by an owner only.
    """
    waiting = services.waiting_change(finding)
    if waiting is None:
        raise NotFound("No change of this finding waits for a second person.")
    is_opening = approve and waiting.given.get("reach") == Finding.Reach.DOMAIN
    require(user, finding.study, Role.OWNER if is_opening else Role.REVIEWER)
    if approve:
        return services.approve_change(waiting.pk, by=user.get_username())
    return services.refuse_change(waiting.pk, by=user.get_username(), reason=reason)


def _reach(finding: Finding, reach: str | None, user: User) -> Literal["study", "domain"] | None:
    """What a study has learned is told beyond its members by an owner only."""
    if not reach or reach == finding.reach:
        return None
    if reach not in Finding.Reach.values:
        raise BadInput(f"A rule is told in its {' or '.join(Finding.Reach.values)}, not in {reach!r}.")
    require(user, finding.study, Role.OWNER)
    return "domain" if reach == Finding.Reach.DOMAIN else "study"


def distil(study: Study, *, user: User) -> list[Finding]:
    """File what the experiments of several runs of ``study`` show as rules that wait for a reviewer."""
    require(user, study, Role.RESEARCHER)
    return services.distil_rules(study)


def _other(pk: UUID | None, user: User) -> UUID:
    if pk is None:
        raise BadInput("Choose the other finding.")
    if not Finding.objects.filter(pk=pk, study__in=studies_of(user)).exists():
        raise NotFound(f"There is no finding {pk}.")
    return pk


def take_in(study: Study, content: bytes, *, user: User, name: str = "") -> Imported:
    """Import the findings of a file into ``study`` as ``user``; they wait for a reviewer."""
    require(user, study, Role.RESEARCHER)
    return services.import_findings(study, content, by=user.get_username(), name=name)
