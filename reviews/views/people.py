"""Giving reviews to people, and being away."""

from uuid import UUID

from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from agents.core.errors import BadInput
from reviews import services
from reviews.forms.people import AbsenceForm
from reviews.models import Absence
from reviews.permissions import colleagues_of, gate_or_404
from reviews.views.common import answers_faults, page_of, person, said


@require_POST
@answers_faults
def review_assign(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Give a review to a member, or back to everybody."""
    gate = gate_or_404(request.user, pk)
    name = request.POST.get("to", "")
    to = None
    if name:
        to = get_user_model().objects.filter(username=name, memberships__study=gate.run.study_id).first()
        if to is None:
            raise BadInput(_("There is no member called “%(name)s” in this study.") % {"name": name})
    services.assign(gate=gate, user=person(request), to=to, note=request.POST.get("note", ""))
    said(request, _("Given to %(name)s.") % {"name": name} if name else _("Given back to everybody."))
    return redirect("review", pk=pk)


@require_http_methods(["GET", "POST"])
@answers_faults
def away(request: HttpRequest) -> HttpResponse:
    """Say when one is away and who stands in; the list of one's absences."""
    user = person(request)
    form = AbsenceForm(request.POST or None, colleagues=colleagues_of(user))
    status = 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                services.set_absence(user=user, **form.cleaned_data)
                said(
                    request,
                    _("Saved. Reviews that are yours go to your deputy, or to everybody, in that time."),
                )
                return redirect("away")
        except BadInput as fault:
            form.add_error(None, str(fault))
    rows = Absence.objects.filter(user=user).select_related("deputy")
    return render(
        request, "settings/away.html", {"form": form, "page": page_of(request, rows)}, status=status
    )


@require_POST
@answers_faults
def away_end(request: HttpRequest, pk: int) -> HttpResponse:
    """Be back earlier, or take a planned absence away."""
    services.end_absence(user=person(request), absence_id=pk)
    said(request, _("Saved."))
    return redirect("away")
