"""Who may change what is asked of people: owners write the rules, reviewers remember and revoke approvals."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from agents.core.errors import BadInput, Conflict, Refused
from agents.core.gates import GateKind
from agents.core.policy import CUSTOM, POLICIES, Clause, PolicyTable, Rule, parse_clauses
from agents.core.policy.clauses import Scalar, all_hold
from agents.core.workflow import is_workflow
from agents.models import Gate, RememberedApproval, Run, Study
from agents.services import (
    change_run_policy,
    current_policy,
    remember_approval,
    revoke_approval,
    set_policy,
)
from agents.services.gates import action_of
from agents.services.policies import preset_of
from reviews.models import Decision, Role
from reviews.permissions import require
from reviews.services.decisions import decide
from reviews.services.signing import is_signed


def change_rules(
    study: Study, *, user: User, base: int, change: Callable[[list[Rule]], list[Rule]], **table: Any
) -> PolicyTable:
    """Store the study's rules after ``change`` as the next version; ``table`` replaces fields of the table.

    ``base`` is the version that was shown: ``Conflict`` when somebody stored another one since. Owners only.
    """
    require(user, study, Role.OWNER)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        now = current_policy(locked)
        if now.version != base:
            raise Conflict(
                f"The policy was changed while you were reading it: it is version {now.version} now, you saw {base}. "
                "Look at it again, then change it."
            )
        changes = {**table, "name": CUSTOM, "rules": change(list(now.rules))}
        return set_policy(
            locked, PolicyTable.model_validate({**now.model_dump(), **changes}), by=user.get_username()
        )


def use_preset(study: Study, *, user: User, name: str) -> PolicyTable:
    """Make a preset the study's policy; its rules can then be changed. Owners only."""
    require(user, study, Role.OWNER)
    if name not in POLICIES:
        raise BadInput(f"There is no policy {name!r}; choose one of {', '.join(POLICIES)}.")
    return set_policy(study, preset_of(study, name), by=user.get_username())


def give_run_policy(run: Run, *, user: User, policy: str = "") -> Run:
    """Put a run under a preset, or under its study's policy as it is now, from its next gate on. Owners only."""
    require(user, run.study, Role.OWNER)
    return change_run_policy(run.pk, by=user.get_username(), policy=policy)


def approve_and_remember(
    *,
    gate: Gate,
    user: User,
    shown_digest: str,
    scope: str,
    predicate: str = "",
    until: datetime | None = None,
    rounds: int | None = None,
    channel: str = "web",
    note: str = "",
) -> tuple[Decision, RememberedApproval]:
    """Approve a proposal, and calls like it later in this run; both or neither.

    ``scope`` is ``same`` (exactly these arguments), ``tool`` (any arguments) or ``predicate`` (those that fit
    ``predicate``, which must fit the one that is approved). ``rounds`` counts from this one.
    """
    require(user, gate.run.study, Role.REVIEWER)
    if gate.kind != GateKind.PROPOSAL:
        raise BadInput("Only the approval of a proposal can be remembered.")
    if (gate.judgement or {}).get("then", "review") not in ("review", "reader") or gate.judgement.get(
        "role"
    ) == Role.OWNER:
        raise Refused("The policy asks for more than one reviewer's yes here; that is not remembered.")
    if is_signed(gate.run):
        raise Refused("Decisions of this study are signed, each by itself; an approval is not remembered.")
    action = action_of(gate)
    assert action is not None
    if is_workflow(action):
        raise BadInput("A list of actions is decided each time; it is not remembered.")
    clauses = _clauses(gate, scope, predicate)
    with transaction.atomic():
        decision = decide(
            gate=gate, user=user, verdict="approve", shown_digest=shown_digest, channel=channel, note=note
        )
        assert isinstance(decision, Decision), "one reviewer decides this"
        row = remember_approval(
            gate.run_id,
            tool=action.tool,
            by=user.get_username(),
            user=user,
            predicate=clauses,
            until=until,
            until_round=None if rounds is None else gate.round + rounds,
            note=note,
        )
    return decision, row


def _clauses(gate: Gate, scope: str, predicate: str) -> list[Clause]:
    action = action_of(gate)
    given = action.arguments if action else {}
    if scope == "tool":
        return []
    if scope == "same":
        return [Clause(name=name, op="==", values=[_scalar(name, value)]) for name, value in given.items()]
    if scope != "predicate":
        raise BadInput("Say what is covered: the same arguments, any call of this tool, or a condition.")
    clauses = parse_clauses(predicate)
    if not clauses:
        raise BadInput("Write the condition, for example: temperature <= 80")
    if all_hold(clauses, given) is not True:
        raise BadInput(
            "The condition does not hold for what you are approving; it would never have been used here."
        )
    return clauses


def _scalar(name: str, value: Any) -> Scalar:
    if isinstance(value, bool | int | float | str):
        return value
    raise BadInput(f"{name} holds a list or an object; state a condition on the other arguments instead.")


def revoke(row: RememberedApproval, *, user: User) -> RememberedApproval:
    """End a remembered approval: reviewers and owners, whoever gave it."""
    require(user, row.run.study, Role.REVIEWER)
    return revoke_approval(row.pk, by=user.get_username())
