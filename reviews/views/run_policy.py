"""The policy of a run: the version it goes by, what it remembers, and changes from the next gate on."""

from datetime import timedelta
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.core.errors import BadInput, Conflict
from agents.core.policy import POLICIES, Clause, spell_clauses
from agents.models import Event, Gate, RememberedApproval
from agents.services import current_policy
from agents.store.policy import active_approvals, table_of
from reviews import services
from reviews.forms.policy import RememberForm
from reviews.models import Role
from reviews.permissions import RANK, approval_or_404, gate_or_404, role_in, run_or_404
from reviews.present.policy import changes_between, deadline, rule_rows
from reviews.present.words import POLICIES as POLICY_WORDS
from reviews.views.cards import card_context
from reviews.views.common import answers_faults, page_of, person, said
from reviews.views.runs import run_page


@require_GET
def run_policy(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the rules that this run goes by, its remembered approvals and the changes so far."""
    run = run_or_404(request.user, pk)
    table = table_of(run.policy, run.policy_table)
    role = role_in(request.user, run.study)
    study_table = current_policy(run.study)
    approvals = page_of(request, RememberedApproval.objects.filter(run=run), per=20, name="approvals")
    held = set(active_approvals(run.pk).values_list("pk", flat=True))
    changes = Event.objects.filter(run=run, kind="policy.changed").order_by("-seq")
    context = run_page(request, run) | {
        "table": table,
        "rows": rule_rows(table),
        "deadline": deadline(table.deadline_hours, table.on_deadline) if table.deadline_hours else "",
        "approvals": approvals,
        "remembered": [
            {"row": row, "clauses": _spelt(row), "holds": row.pk in held and not run.has_ended}
            for row in approvals.object_list
        ],
        "may_revoke": role is not None and RANK[role] >= RANK[Role.REVIEWER],
        "is_owner": role == Role.OWNER,
        "differs": study_table != table,
        "study_table": study_table,
        "since": changes_between(table, study_table) if study_table != table else [],
        "presets": [(code, POLICY_WORDS[code][0]) for code in POLICIES],
        "changes": page_of(request, changes, per=20, name="changes"),
    }
    return render(request, "runs/policy.html", context)


def _spelt(row: RememberedApproval) -> str:
    return spell_clauses([Clause.model_validate(clause) for clause in row.clauses])


@require_POST
@answers_faults
def run_policy_change(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give the run a preset, or its study's policy as it is now."""
    run = run_or_404(request.user, pk)
    services.give_run_policy(run, user=person(request), policy=request.POST.get("policy", ""))
    said(request, _("From the next gate on, the run goes by this policy."))
    return redirect("run-policy", pk=pk)


@require_http_methods(["GET", "POST"])
@answers_faults
def review_remember(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Approve, and do not ask again for what is like it: a form that says what and until when."""
    gate = gate_or_404(request.user, pk)
    form = RememberForm(request.POST or None)
    notice, status = None, 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                _remember(request, gate, form)
                said(
                    request,
                    _(
                        "Approved and remembered. It is listed with the run's policy, where it can be revoked."
                    ),
                )
                return redirect("run", pk=gate.run_id)
        except BadInput as fault:
            form.add_error("predicate" if request.POST.get("scope") == "predicate" else None, str(fault))
        except Conflict as fault:
            notice, status = {"tone": "needs", "icon": "users", "text": str(fault)}, 409
            gate = gate_or_404(request.user, pk)
    context = card_context(
        gate=gate, user=request.user, role=role_in(request.user, gate.run.study), notice=notice
    )
    return render(request, "reviews/remember.html", context | {"form": form}, status=status)


def _remember(request: HttpRequest, gate: Gate, form: RememberForm) -> None:
    data = form.cleaned_data
    hours = data["hours"]
    services.approve_and_remember(
        gate=gate,
        user=person(request),
        shown_digest=request.POST.get("digest", ""),
        scope=data["scope"],
        predicate=data["predicate"],
        until=None if hours is None else timezone.now() + timedelta(hours=hours),
        rounds=data["rounds"],
        note=data["note"],
    )


@require_POST
@answers_faults
def approval_revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    """End a remembered approval."""
    row = approval_or_404(request.user, pk)
    services.revoke(row, user=person(request))
    said(request, _("Revoked. The next such proposal is asked about."))
    return redirect("run-policy", pk=row.run_id)
