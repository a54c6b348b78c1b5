"""A result that is being typed, kept as it is typed: over reloads, restarts, other tabs and other people."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.core.gates import GateKind
from agents.models import Gate
from reviews.bench import drafts
from reviews.models import Review, Role
from reviews.permissions import require
from reviews.views.common import person, said, wants_fragment

ELSEWHERE = {
    "tone": "needs",
    "icon": "users",
    "text": gettext_lazy(
        "Values were typed in another tab, or by somebody else, since you opened this form. "
        "It now holds both: read it again, then file it."
    ),
}


def keep(request: HttpRequest, gate: Gate) -> drafts.Fields:
    """Keep what is posted of a result, and return what was typed elsewhere since the page was opened.

    Nothing is kept of a review that is closed. Raises ``Refused`` for who may not enter results.
    """
    require(request.user, gate.run.study, Role.RESEARCHER if gate.kind == GateKind.RESULT else Role.REVIEWER)
    if gate.review.status != Review.Status.OPEN:
        return {}
    posted, base = drafts.posted_fields(request.POST), drafts.read_base(request.POST.get("base", ""))
    _draft, elsewhere = drafts.save(gate, by=person(request).get_username(), posted=posted, base=base)
    return elsewhere


def typed_elsewhere(request: HttpRequest, gate: Gate) -> bool:
    """Keep what is posted; return True when the result may not be filed before it was read again."""
    return bool(keep(request, gate))


def keep_result(request: HttpRequest, gate: Gate) -> HttpResponse:
    """Keep what is typed so far, and say when."""
    elsewhere = keep(request, gate)
    if not wants_fragment(request):
        said(request, _("Kept. You, or whoever takes over, can go on from here."))
        return redirect(f"{reverse('review', args=[gate.pk])}?do=measure")
    context: dict[str, Any] = {
        "gate": gate,
        "base": json.dumps(_shown_now(request), ensure_ascii=False),
        "time": timezone.localtime().strftime("%H:%M:%S"),
        "elsewhere": len(elsewhere),
    }
    return render(request, "bench/kept.html", context)


def _shown_now(request: HttpRequest) -> drafts.Fields:
    """What the page shows now is what it shows without further typing. A field that was typed elsewhere stays
    as the page first showed it, so that it is still seen to differ."""
    base = drafts.read_base(request.POST.get("base", ""))
    return {**base, **drafts.posted_fields(request.POST)}
