"""Notices: the list, reading them, and how one wants to be told outside."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.core.errors import BadInput
from reviews import services
from reviews.forms.notices import PreferenceForm
from reviews.models import Delivery, Notice, Preference
from reviews.notify.channels import has_mail
from reviews.notify.wording import path_of
from reviews.permissions import studies_of
from reviews.services.notices import preference_of
from reviews.views.common import answers_faults, page_of, person, said


@require_GET
def notice_list(request: HttpRequest) -> HttpResponse:
    """List one's notices, newest first; those of studies that one has left do not exist any more."""
    rows = Notice.objects.filter(user=person(request), run__study__in=studies_of(request.user))
    if request.GET.get("show") == "unread":
        rows = rows.filter(read_at=None)
    page = page_of(request, rows.select_related("run__study"))
    context = {"page": page, "unread_only": request.GET.get("show") == "unread"}
    return render(request, "notices/index.html", context)


@require_POST
def notice_open(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a notice as read and go to what it is about."""
    notice = get_object_or_404(Notice, pk=pk, user=person(request), run__study__in=studies_of(request.user))
    services.read_notices(user=person(request), notice_id=pk)
    return redirect(path_of(notice))


@require_POST
def notices_read(request: HttpRequest) -> HttpResponse:
    """Mark all as read."""
    services.read_notices(user=person(request))
    return redirect("notices")


@require_http_methods(["GET", "POST"])
@answers_faults
def notify_settings(request: HttpRequest) -> HttpResponse:
    """How one wants to be told, and what was sent."""
    user = person(request)
    stored = preference_of(user)
    form = PreferenceForm(request.POST or None, initial=_initial(stored))
    status = 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                services.set_preference(user=user, **form.values())
                said(request, _("Saved."))
                return redirect("notify-settings")
        except BadInput as fault:
            for problem in fault.problems:
                form.add_error(problem["field"], problem["message"])
    context = {
        "form": form,
        "stored": stored,
        "has_mail": has_mail(),
        "page": page_of(request, Delivery.objects.filter(user=user).order_by("-created_at"), per=10),
    }
    return render(request, "settings/notify.html", context, status=status)


def _initial(stored: Preference) -> dict[str, object]:
    names = ("kinds", "email", "digest_hour", "webhook_url", "quiet_from", "quiet_to", "time_zone")
    return {**{name: getattr(stored, name) for name in names}, "email_address": stored.user.email}


@require_POST
@answers_faults
def notify_test(request: HttpRequest) -> HttpResponse:
    """Send a test by every way that is set up; what comes of it is listed."""
    services.send_test(user=person(request))
    said(request, _("A test is on its way; what comes of it is listed below within seconds."))
    return redirect("notify-settings")
