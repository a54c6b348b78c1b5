"""What needs a person, across all runs. The card opens in place; after a decision the next one is there."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.models import Gate
from agents.store.trouble import current
from reviews.models import Review
from reviews.permissions import role_in, studies_of
from reviews.queries import inbox_for, open_count, waits_for
from reviews.views.cards import card_context
from reviews.views.common import page_of, wants_fragment

ORDERS = {"risk": None, "oldest": ("opened_at", "gate_id")}
KEPT = ("show", "study", "order", "q", "page")


def _shown(asked: str) -> str:
    return asked if asked in ("needs", "mine", "waiting", "decided") else "needs"


def _queue(request: HttpRequest) -> Any:
    show = _shown(request.GET.get("show", ""))
    rows = inbox_for(
        request.user,
        show=show,
        study_slug=request.GET.get("study", ""),
        text=request.GET.get("q", ""),
    )
    order = ORDERS.get(request.GET.get("order", ""))
    return rows.order_by(*order) if order and show != "decided" else rows


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def _board(request: HttpRequest, *, wanted: str = "", position: int = 0) -> dict[str, Any]:
    """Return the list with one review open: the wanted one, else the one at ``position``."""
    page = page_of(request, _queue(request))
    listed = list(page.object_list)
    current = next((row for row in listed if str(row.pk) == wanted), None)
    if current is None and wanted and _is_uuid(wanted):
        current = inbox_rows(request).filter(pk=wanted).first()
    if current is None and listed:
        current = listed[min(position, len(listed) - 1)]
    show = _shown(request.GET.get("show", ""))
    context = {"page": page, "show": show, **_empty(show)}
    if current is not None:
        place = next((n for n, row in enumerate(listed) if row.pk == current.pk), 0)
        kept = {"from": "inbox", "at": str(place)} | {
            name: request.GET[name] for name in KEPT if request.GET.get(name)
        }
        gate = gate_of(current)
        role = role_in(request.user, current.run.study)
        context |= card_context(gate=gate, user=request.user, role=role, back=f"?{urlencode(kept)}")
        context["current"] = current
    return context


def inbox_rows(request: HttpRequest) -> Any:
    """Return every review that exists for the person, open or not."""
    rows = Review.objects.filter(run__study__in=studies_of(request.user))
    return rows.select_related("gate", "run__study", "claimed_by", "assigned_to", "decision")


def gate_of(review: Review) -> Gate:
    """Return the review's gate with the rows that were read along."""
    gate = review.gate
    gate.run, gate.review = review.run, review
    return gate


def _empty(show: str) -> dict[str, Any]:
    if show == "decided":
        return {
            "empty_title": _("Nothing decided yet"),
            "empty_text": _("Decisions collect here with their reasons."),
        }
    return {
        "empty_title": _("Nothing needs you"),
        "empty_text": _("When a run reaches a gate, it waits here until somebody decides."),
        "empty_link": reverse("studies"),
        "empty_action": _("Open the studies"),
    }


@require_GET
def inbox(request: HttpRequest) -> HttpResponse:
    """List the reviews and open one of them in place."""
    context = _board(request, wanted=request.GET.get("review", ""))
    if wants_fragment(request):
        return render(request, "inbox/board.html", context)
    waiting = open_count(request.user)
    context |= {
        "shows": [
            {"name": "needs", "label": _("Needs a decision"), "count": waiting},
            {"name": "mine", "label": _("Mine"), "count": None},
            {"name": "waiting", "label": _("Waiting for others"), "count": None},
            {"name": "decided", "label": _("Decided"), "count": None},
        ],
        "studies": studies_of(request.user).order_by("title"),
        "study_slug": request.GET.get("study", ""),
        "q": request.GET.get("q", ""),
        "order": request.GET.get("order", "risk"),
    }
    return render(request, "inbox/index.html", context)


@require_GET
def inbox_count(request: HttpRequest) -> HttpResponse:
    """The badge of the rail; tells the page when what waits is not what it was."""
    count, newest = waiting_in(request.user)
    stamp = f"{count}.{newest}"
    response = render(
        request, "inbox/polled.html", {"count": count, "stamp": stamp, "is_news": _is_storage_news(request)}
    )
    seen, was = request.GET.get("seen", ""), request.GET.get("was", "")
    if seen != stamp if seen else was not in ("", str(count)):
        response["HX-Trigger"] = "inbox-changed"
    return response


def _is_storage_news(request: HttpRequest) -> bool:
    """True when the page that asks shows another state of the storage than the present one."""
    now = current()
    return "storage" in request.GET and request.GET["storage"] != (now.kind if now else "")


def waiting_in(user: Any) -> tuple[int, int]:
    """Return how many reviews wait, and when the newest of them was opened."""
    rows = Review.objects.filter(waits_for(user), run__study__in=studies_of(user))
    found = rows.aggregate(count=Count("pk"), newest=Max("opened_at"))
    return found["count"], int(found["newest"].timestamp()) if found["newest"] else 0


def board_after(request: HttpRequest) -> HttpResponse:
    """Answer a decision with the list as it is now and the next review open."""
    place = request.GET.get("at", "")
    response = render(
        request, "inbox/board.html", _board(request, position=int(place) if place.isdigit() else 0)
    )
    response["HX-Retarget"], response["HX-Reswap"] = "#inbox", "innerHTML"
    response["HX-Push-Url"] = reverse("inbox")
    return response
