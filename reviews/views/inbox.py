"""What needs a person, across all runs. The card opens in place; after a decision the next one is there."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from agents.models import Gate
from agents.store.trouble import current
from reviews.inbox import ORDERS, SHOWS, inbox_for, reviews_of, stamp_of, waiting_in
from reviews.models import Decision, Opinion, Review
from reviews.permissions import role_in, studies_of
from reviews.services import alike
from reviews.views.cards import card_context
from reviews.views.common import page_of, person, wants_fragment

KEPT = ("show", "study", "order", "q", "page")


def _shown(request: HttpRequest) -> str:
    asked = request.GET.get("show", "")
    return asked if asked in SHOWS else "needs"


def _order(request: HttpRequest) -> str:
    asked = request.GET.get("order", "")
    return asked if asked in ORDERS else "risk"


def _queue(request: HttpRequest) -> QuerySet[Review]:
    return inbox_for(
        request.user,
        show=_shown(request),
        study_slug=request.GET.get("study", ""),
        text=request.GET.get("q", "").strip(),
        order=_order(request),
    )


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
        current = reviews_of(request.user).filter(pk=UUID(wanted)).first()
    if current is None and listed:
        current = listed[min(position, len(listed) - 1)]
    show = _shown(request)
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
        context["alike_count"] = alike(current, person(request)).count() if show != "decided" else 0
    return context


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
    if show == "waiting":
        return {
            "empty_title": _("Nothing waits for others"),
            "empty_text": _(
                "What you have answered, what somebody else holds and what needs another role is here."
            ),
        }
    if show == "mine":
        return {
            "empty_title": _("You hold nothing"),
            "empty_text": _(
                "Claim a review to show others that you are at it. What you are given is here too."
            ),
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
    waiting = waiting_in(request.user)
    context |= {
        "shows": [
            {"name": "needs", "label": _("Needs me"), "count": waiting[0]},
            {"name": "mine", "label": _("Claimed by me"), "count": None},
            {"name": "waiting", "label": _("Waiting for others"), "count": None},
            {"name": "decided", "label": _("Decided"), "count": None},
        ],
        "studies": studies_of(request.user).order_by("title"),
        "study_slug": request.GET.get("study", ""),
        "q": request.GET.get("q", ""),
        "order": _order(request),
        "inbox_count": waiting[0],
        "stamp": stamp_of(waiting),
    }
    return render(request, "inbox/index.html", context)


@require_GET
def inbox_count(request: HttpRequest) -> HttpResponse:
    """The badge of the rail; tells the page when what waits is not what it was."""
    waiting = waiting_in(request.user)
    count, stamp = waiting[0], stamp_of(waiting)
    response = render(
        request, "inbox/polled.html", {"count": count, "stamp": stamp, "is_news": _is_storage_news(request)}
    )
    if request.GET.get("seen", stamp) != stamp:
        response["HX-Trigger"] = "inbox-changed"
    return response


def _is_storage_news(request: HttpRequest) -> bool:
    """True when the page that asks shows another state of the storage than the present one."""
    now = current()
    return "storage" in request.GET and request.GET["storage"] != (now.kind if now else "")


def board_after(request: HttpRequest, taken: Decision | Opinion, read: str) -> HttpResponse:
    """Answer a decision with the list as it is now, the next review open, and a word on what was decided."""
    place = request.GET.get("at", "")
    context = _board(request, position=int(place) if place.isdigit() else 0)
    said = {
        "taken": taken,
        "taken_review": taken.review,
        "is_final": isinstance(taken, Decision),
        "read": read,
    }
    response = render(request, "inbox/after.html", context | said)
    response["HX-Retarget"], response["HX-Reswap"] = "#inbox", "innerHTML"
    response["HX-Push-Url"] = reverse("inbox")
    return response
