"""Runs: the list, the live page, what people may do to a run as a whole."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from agents import services
from agents.core.errors import BadInput, DaybookError
from agents.core.lifecycle import ENDED, RunStatus
from agents.models import Event, Run
from agents.queries import latest_events, thought_of
from reviews.forms.decide import GuidanceForm
from reviews.forms.study import BudgetForm
from reviews.live import Gone, Seen, news, panes
from reviews.models import Role
from reviews.permissions import require, role_in, run_or_404, runs_of
from reviews.present.rounds import by_round
from reviews.present.thought import said_so_far
from reviews.steering import VERBS, steer
from reviews.views.common import (
    answers_faults,
    fault_answer,
    page_of,
    person,
    said,
    status_of,
    wants_fragment,
)

SHOWN_EVENTS = 60
ROUND_DIGITS = 8

TABS = (
    ("run", gettext_lazy("Live")),
    ("run-timeline", gettext_lazy("Timeline")),
    ("run-graph", gettext_lazy("Graph")),
    ("run-memory", gettext_lazy("Memory")),
    ("run-data", gettext_lazy("Data and plots")),
    ("run-decisions", gettext_lazy("Decisions")),
    ("run-compare", gettext_lazy("Compare")),
    ("run-policy", gettext_lazy("Policy")),
    ("run-report", gettext_lazy("Report")),
)


def run_page(request: HttpRequest, run: Run) -> dict[str, Any]:
    """Return what every tab of a run shows: head, verbs, tabs, state."""
    here = request.resolver_match.url_name if request.resolver_match else ""
    tabs = [
        {"url": reverse(name, args=[run.pk]), "label": label, "is_here": name == here} for name, label in TABS
    ]
    return {"tabs": tabs, **panes(run, request.user, role=role_in(request.user, run.study))}


def round_before(run: Run, seq: int) -> int:
    """Return the round that was under way before event ``seq``."""
    rows = Event.objects.filter(run=run, seq__lt=seq, round__isnull=False)
    return rows.order_by("-seq").values_list("round", flat=True).first() or 0


@require_GET
def run_list(request: HttpRequest) -> HttpResponse:
    """List the runs, newest first."""
    groups: dict[str, tuple[str, set[RunStatus]]] = {
        "": (_("All"), set(RunStatus)),
        "going": (_("Under way"), set(RunStatus) - ENDED),
        "needs": (_("Needs you"), {RunStatus.WAITING}),
        "ended": (_("Ended"), set(ENDED)),
    }
    state = request.GET.get("state", "")
    state = state if state in groups else ""
    rows = Q(status__in=groups[state][1])
    if state == "needs":
        rows |= Q(status=RunStatus.PAUSED, wait__kind="held")
    page = page_of(request, runs_of(request.user).filter(rows).order_by("-created_at", "id"))
    states = [{"name": name, "label": label} for name, (label, _statuses) in groups.items()]
    return render(request, "runs/list.html", {"page": page, "states": states, "state": state})


@require_GET
def run_live(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The run as it goes: the open review, the state, the newest events."""
    run = run_or_404(request.user, pk)
    rows = latest_events(run.pk, limit=SHOWN_EVENTS)
    first = rows[0].seq if rows else 1
    context = run_page(request, run) | {
        "cursor": rows[-1].seq if rows else 0,
        "rounds": by_round(rows, before=round_before(run, first), newest_first=True),
        "has_older": first > 1,
        "thought": said_so_far(thought_of(run)),
        "guidance": GuidanceForm(auto_id="guidance-%s"),
        "budget_form": BudgetForm(initial=run.protocol.get("budget", {}), auto_id="budget-%s"),
    }
    return render(request, "runs/live.html", context)


@require_GET
def run_events(request: HttpRequest, pk: UUID) -> HttpResponse:
    """What happened after the cursor ``after``, as HTML: what the socket would send."""
    after = request.GET.get("after", "0")
    cursor = int(after) if after.isdigit() and len(after) < 18 else 0
    run_or_404(request.user, pk)
    try:
        found = news(pk, request.user, Seen(cursor=cursor), csrf_token=get_token(request))
    except Gone:
        return HttpResponse(status=404)
    return HttpResponse(found[0] if found else "")


@require_POST
@answers_faults
def run_verb(request: HttpRequest, pk: UUID, verb: str) -> HttpResponse:
    """Pause, resume, retry, stop or rewind a run, or choose how a held one goes on."""
    run = run_or_404(request.user, pk)
    if verb not in VERBS:
        raise Http404
    given = request.POST.get("round", "").strip()
    try:
        if given and not (given.isdecimal() and len(given) < ROUND_DIGITS):
            raise BadInput(_("Give the number of a round to go back to."))
        after = steer(run, verb, user=person(request), round=int(given) if given else None)
    except DaybookError as fault:
        if not wants_fragment(request):
            raise
        messages.error(request, str(fault))
        after = run
    if after.pk != run.pk:
        said(
            request,
            _("Run %(number)s goes on from here. Nothing that was decided is inherited.")
            % {"number": after.number},
        )
    if not wants_fragment(request):
        return redirect("run", pk=after.pk)
    response = HttpResponse(status=204)
    if after.pk == run.pk:
        response["HX-Refresh"] = "true"
    else:
        response["HX-Redirect"] = reverse("run", args=[after.pk])
    return response


@require_POST
@answers_faults
def run_guidance(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give the reasoner a sentence for its next step."""
    run = run_or_404(request.user, pk)
    require(request.user, run.study, Role.RESEARCHER)
    form = GuidanceForm(request.POST, auto_id="guidance-%s")
    status = 422
    if form.is_valid():
        try:
            services.give_guidance(run.pk, text=form.cleaned_data["text"], by=request.user.get_username())
            status = 200
        except DaybookError as fault:
            form.add_error("text", str(fault))
            status = status_of(fault)
    is_sent = status == 200
    if wants_fragment(request):
        shown = GuidanceForm(auto_id="guidance-%s") if is_sent else form
        context = {"run": run, "guidance": shown, "guidance_sent": is_sent, "is_open": True}
        return render(request, "runs/guidance.html", context, status=status)
    if not is_sent:
        return fault_answer(request, BadInput(" ".join(str(error) for error in form.errors["text"])))
    said(request, _("Sent. The next reasoning step reads it."))
    return redirect("run", pk=pk)


@require_POST
@answers_faults
def run_budget(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Change the limits of a run that has not ended."""
    run = run_or_404(request.user, pk)
    require(request.user, run.study, Role.RESEARCHER)
    form = BudgetForm(request.POST, auto_id="budget-%s")
    if not form.is_valid():
        context = run_page(request, run) | {"budget_form": form}
        return render(request, "runs/budget_page.html", context, status=422)
    services.change_budget(run.pk, by=request.user.get_username(), **form.limits())
    said(request, _("The budget was changed."))
    return redirect("run", pk=pk)
