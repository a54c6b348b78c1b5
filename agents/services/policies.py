"""A study's policy: stored by version, carried by runs, changed in a run from its next gate on."""

import difflib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from pydantic import ValidationError

from agents.core.errors import BadInput, DaybookError, IllegalTransition, NotFound
from agents.core.policy import (
    CUSTOM,
    POLICIES,
    SHORTEST_MINUTES,
    Clause,
    PolicyTable,
    is_too_short,
    parse_clauses,
    preset,
)
from agents.core.text import clean_text, clean_value
from agents.models import PolicyVersion, RememberedApproval, Run, Study
from agents.signals import approval_changed
from agents.store.log import append, lock_run
from agents.store.policy import table_of


def current_policy(study: Study) -> PolicyTable:
    """Return the study's table: the newest version of the one it names, or that preset as it is (version 0)."""
    newest = PolicyVersion.objects.filter(study=study, name=study.policy).order_by("-number").first()
    return preset(study.policy) if newest is None else table_of(newest.name, newest.table)


def preset_of(study: Study, name: str) -> PolicyTable:
    """Return the preset ``name`` as the study takes it: who is asked changes, whether decisions are signed does not."""
    return preset(name).model_copy(update={"is_signed": current_policy(study).is_signed})


def set_policy(study: Study, table: PolicyTable, *, by: str) -> PolicyTable:
    """Store ``table`` as the study's next version and return it; the same rules again are no new version.

    Runs that are under way keep theirs. Raises ``BadInput`` that names the rule.
    """
    check_table(table, tools=set(tool_titles(study)))
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        now = current_policy(locked)
        same = now.model_copy(update={"version": 0}) == table.model_copy(update={"version": 0})
        if same and now.version:
            return now
        last = PolicyVersion.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0
        stored = table.model_copy(update={"version": last + 1})
        PolicyVersion.objects.create(
            study=study, number=stored.version, name=stored.name, table=stored.model_dump(mode="json"), by=by
        )
        study.policy = stored.name
        study.save(update_fields=["policy", "updated_at"])
    return stored


def table_from(given: Any, *, name: str = CUSTOM) -> PolicyTable:
    """Return ``given``, JSON as people write it, as a table; raises ``BadInput`` with one problem a field.

    ``given`` is a list of rules, or an object with ``rules``; a rule's ``arguments`` may be text such as
    ``temperature > 80; base in KOAc, CsOPiv``.
    """
    given = clean_value(given)
    body: dict[str, Any] = {"rules": given} if isinstance(given, list) else given
    if not isinstance(body, dict):
        raise BadInput("A policy is a list of rules, or an object with `rules`.")
    rules = body.get("rules", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise BadInput("`rules` is a list of objects, one a rule.")
    read = [_with_clauses(rule, number) for number, rule in enumerate(rules, start=1)]
    try:
        return PolicyTable.model_validate({**body, "name": name, "version": 0, "rules": read})
    except ValidationError as fault:
        problems = [_problem(error["loc"], error["msg"], error.get("input")) for error in fault.errors()]
        told = "; ".join(problem["message"] for problem in problems)
        raise BadInput(f"The policy was not changed: {told}", problems) from None


def _with_clauses(rule: dict[str, Any], number: int) -> dict[str, Any]:
    if not isinstance(rule.get("arguments"), str):
        return rule
    try:
        return {**rule, "arguments": [clause.model_dump() for clause in parse_clauses(rule["arguments"])]}
    except BadInput as fault:
        problem = _problem(("rules", number - 1, "arguments"), str(fault), rule["arguments"])
        raise BadInput(f"The policy was not changed: {problem['message']}", [problem]) from None


def _problem(loc: tuple[Any, ...], message: str, received: Any) -> dict[str, Any]:
    """Name the rule as people count, from 1."""
    is_rule = len(loc) > 1 and loc[0] == "rules" and isinstance(loc[1], int)
    field = str(loc[2]) if is_rule and len(loc) > 2 else ".".join(str(part) for part in loc)
    where = f"rule {loc[1] + 1}, {field}" if is_rule else field
    return {
        "field": field,
        "message": f"{where}: {message}",
        "expected": message,
        "received": repr(received)[:200],
    }


def check_table(table: PolicyTable, *, tools: set[str]) -> None:
    """Raise ``BadInput`` for what cannot be meant: a rule that could never be judged, since its tool is unknown or
    its arguments are of no tool, or a deadline that nobody can meet."""
    problems = []
    short = f"A deadline is at least {SHORTEST_MINUTES} minutes ({SHORTEST_MINUTES / 60:.3f} hours)."
    if is_too_short(table.deadline_hours):
        problems.append(_problem(("deadline_hours",), short, table.deadline_hours))
    for number, rule in enumerate(table.rules):
        if is_too_short(rule.deadline_hours):
            problems.append(_problem(("rules", number, "deadline_hours"), short, rule.deadline_hours))
        if rule.arguments and not rule.tool:
            told = "Conditions on arguments need a tool: other tools have no such arguments, so it could not be told."
            problems.append(_problem(("rules", number, "arguments"), told, ""))
        if rule.tool and rule.tool not in tools:
            near = difflib.get_close_matches(rule.tool, sorted(tools), n=1)
            hint = f" Did you mean {near[0]}?" if near else f" Tools: {', '.join(sorted(tools))}."
            told = f"There is no tool {rule.tool!r} in this study.{hint}"
            problems.append(_problem(("rules", number, "tool"), told, rule.tool))
        if rule.gate == "finish" and rule.then not in ("allow", "review", "second"):
            told = "A proposal to finish is allowed, or reviewed by one or two people."
            problems.append(_problem(("rules", number, "then"), told, rule.then))
    if problems:
        raise BadInput("The policy was not changed: " + " ".join(p["message"] for p in problems), problems)


def tool_titles(study: Study) -> dict[str, str]:
    """Return the tools that the study may use, by name, with their titles.

    A study whose data cannot be read at the moment has those of the site and its experiment tools.
    """
    from agents.services.protocols import protocol_of
    from agents.wiring import registry, toolbox_for  # the tools are loaded only when somebody writes a rule

    try:
        specs = toolbox_for(protocol_of(study)).specs()
    except (DaybookError, OSError):
        titles = {name: tool.spec.title or name for name, tool in sorted(registry().tools.items())}
        return {"ask_researcher": "ask_researcher", "measure": "measure", **titles}
    return {spec.name: spec.title or spec.name for spec in specs}


@transaction.atomic
def change_run_policy(run_id: UUID, *, by: str, policy: str = "") -> Run:
    """Give a run that has not ended the preset ``policy``, or its study's current table, from its next gate on.

    What is open stays open: a looser policy answers nothing that people were asked.
    """
    run = lock_run(run_id)
    if run.has_ended:
        raise IllegalTransition(f"The run has ended ({run.status}); a policy would apply to nothing.")
    if policy and policy not in POLICIES:
        raise BadInput(f"There is no policy {policy!r}; choose one of {', '.join(POLICIES)}.")
    study = Study.objects.get(pk=run.study_id)
    table = preset_of(study, policy) if policy else current_policy(study)
    was = table_of(run.policy, Run.objects.values_list("policy_table", flat=True).get(pk=run_id))
    if table == was:
        return run
    run.policy, run.policy_table = table.name, table.model_dump(mode="json")
    run.save(update_fields=["policy", "policy_table"])
    payload = {"policy": table.name, "version": table.version, "was": was.label, "by": by}
    append(run, "policy.changed", payload, round=run.round or None)
    return run


@transaction.atomic
def remember_approval(
    run_id: UUID,
    *,
    tool: str,
    by: str,
    user: User | None = None,
    predicate: str | list[Clause] = "",
    until: datetime | None = None,
    until_round: int | None = None,
    note: str = "",
) -> RememberedApproval:
    """Approve what comes later in this run: calls of ``tool`` whose arguments fit ``predicate``, until it is over.

    It ends at ``until``, after ``until_round``, when it is revoked, or with the run. Forks do not inherit it.
    Raises ``BadInput`` for a predicate that is not understood or an end that is over.
    """
    run = lock_run(run_id)
    if run.has_ended:
        raise IllegalTransition(f"The run has ended ({run.status}); there is nothing left to approve.")
    if until is not None and until <= timezone.now():
        raise BadInput("The end lies in the past; choose a later one.")
    if until_round is not None and until_round < max(run.round, 1):
        raise BadInput(f"The run is in round {run.round}; choose a later one.")
    clauses = parse_clauses(predicate) if isinstance(predicate, str) else predicate
    row = RememberedApproval.objects.create(
        run_id=run_id,
        tool=tool,
        clauses=[clause.model_dump(mode="json") for clause in clauses],
        until=until,
        until_round=until_round,
        by=by,
        user=user,
        note=clean_text(note)[:500],
    )
    payload = {
        "approval": str(row.pk),
        "tool": tool,
        "clauses": row.clauses,
        "until": until.isoformat() if until else "",
        "until_round": until_round,
        "by": by,
    }
    append(run, "approval.remembered", payload, round=run.round or None)
    approval_changed.send(sender=RememberedApproval, approval=row)
    return row


@transaction.atomic
def revoke_approval(approval_id: UUID, *, by: str) -> RememberedApproval:
    """End a remembered approval; a second time is the first. What it let through stays done."""
    row = RememberedApproval.objects.filter(pk=approval_id).first()
    if row is None:
        raise NotFound(f"There is no remembered approval {approval_id}.")
    run = lock_run(row.run_id)
    row = RememberedApproval.objects.select_for_update().get(pk=approval_id)
    if row.revoked_at is None:
        row.revoked_at, row.revoked_by = timezone.now(), by
        row.save(update_fields=["revoked_at", "revoked_by"])
        payload = {"approval": str(row.pk), "tool": row.tool, "by": by, "uses": row.uses}
        append(run, "approval.revoked", payload, round=run.round or None)
        approval_changed.send(sender=RememberedApproval, approval=row)
    return row
