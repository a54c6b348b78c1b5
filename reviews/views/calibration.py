"""How far a study's predictions and proposals have held."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from agents.calibration import MOST, track_of
from reviews.permissions import study_or_404
from reviews.views.studies import study_page


@require_GET
def study_calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """Show calibration by reasoner and tool, what people made of proposals, and how long they took."""
    study = study_or_404(request.user, slug)
    context = study_page(request, study) | {"track": track_of(study), "most": MOST}
    return render(request, "studies/calibration.html", context)
