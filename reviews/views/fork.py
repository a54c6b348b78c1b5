"""Changing course: a fork beside the original, from any past proposal."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from reviews import services
from reviews.permissions import gate_or_404
from reviews.views.common import answers_faults, person


@require_POST
@answers_faults
def review_fork(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Start a run beside this one, with the same proposal before people again."""
    run = services.fork(gate=gate_or_404(request.user, pk), user=person(request))
    messages.success(
        request,
        _("Run %(number)s goes on from here. Nothing that was decided is inherited.")
        % {"number": run.number},
    )
    return redirect("run", pk=run.pk)
