"""Reviews of one tool and policy, decided as one visible list."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from agents.core.errors import BadInput
from agents.core.tools import Action
from agents.services.gates import action_of
from reviews.forms.decide import NoteForm
from reviews.models import Review
from reviews.permissions import gate_or_404
from reviews.present.words import REASONS
from reviews.services import alike, decide_batch, left_out
from reviews.services.batches import MOST, Outcome
from reviews.views.common import answers_faults, page_of, person

PER_LIST = 50
ONE_LEFT_OUT = 20


@dataclass(frozen=True)
class Line:
    """One review of the list, and whether it is ticked."""

    review: Review
    action: Action | None
    prediction: dict[str, Any] | None
    warnings: list[str]
    is_ticked: bool


@require_http_methods(["GET", "POST"])
@answers_faults
def batch(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show what is like a review, and decide what is ticked. Every one keeps a decision of its own."""
    review = gate_or_404(request.user, pk).review
    if request.method == "GET":
        return _listed(request, review)
    picks = _picks(request)
    try:
        outcomes = decide_batch(
            user=person(request),
            picks=picks,
            verdict=request.POST.get("verdict", ""),
            note=request.POST.get("note", ""),
            reason_code=request.POST.get("reason_code", ""),
        )
    except BadInput as fault:
        return _listed(request, review, fault=str(fault), status=422)
    return render(request, "inbox/batched.html", {**_told(outcomes), "like": review})


def _picks(request: HttpRequest) -> list[tuple[UUID, str]]:
    try:
        ticked = [UUID(text) for text in request.POST.getlist("pick")]
    except ValueError:
        raise BadInput(_("A ticked review has no readable name. Load the list again.")) from None
    return [(pk, request.POST.get(f"digest-{pk}", "")) for pk in ticked]


def _listed(request: HttpRequest, review: Review, *, fault: str = "", status: int = 200) -> HttpResponse:
    user = person(request)
    page = page_of(request, alike(review, user).select_related("advice"), per=PER_LIST)
    ticked = set(request.POST.getlist("pick")) if request.method == "POST" else None
    alone = left_out(review, user)
    return render(
        request,
        "inbox/batch.html",
        {
            "like": review,
            "page": page,
            "lines": [_line(row, ticked) for row in page.object_list],
            "left_out": alone[:ONE_LEFT_OUT],
            "left_out_count": f"{len(alone)}+" if len(alone) == MOST else len(alone),
            "form": NoteForm(request.POST or None),
            "reasons": REASONS.items(),
            "reason_code": request.POST.get("reason_code", ""),
            "fault": fault,
        },
        status=status,
    )


def _line(review: Review, ticked: set[str] | None) -> Line:
    """What carries a warning is to be ticked by hand: a list must not hide it."""
    content = review.gate.request["content"]
    warnings = [
        str(row.get("text") or row.get("message")) if isinstance(row, dict) else str(row)
        for row in content.get("warnings", [])
    ]
    advice = getattr(review, "advice", None)
    if advice is not None and advice.leans == "veto":
        warnings.append(_("The first reader leans to veto."))
    is_clear = not warnings and review.risk != "high"
    return Line(
        review=review,
        action=action_of(review.gate),
        prediction=(content.get("proposal") or {}).get("prediction"),
        warnings=warnings,
        is_ticked=is_clear if ticked is None else str(review.pk) in ticked,
    )


def _told(outcomes: list[Outcome]) -> dict[str, Any]:
    done = [one for one in outcomes if one.decision is not None]
    count = len(done)
    return {
        "done": done,
        "told": [one for one in outcomes if one.decision is None],
        "sentence": ngettext("%(n)s review decided.", "%(n)s reviews decided.", count) % {"n": count},
        "inbox": reverse("inbox"),
    }
