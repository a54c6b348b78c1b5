"""One task at the bench: who does it, its files, its sheet."""

from uuid import UUID

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import BadInput
from agents.models import Gate
from agents.store.artifacts import artifact_path
from reviews.bench.files import attach, detach, file_of, thumbnail
from reviews.bench.prefill import prefill
from reviews.bench.tasks import set_task, task_of
from reviews.forms.bench import BenchTaskForm
from reviews.permissions import gate_or_404, study_or_404
from reviews.views.bench_draft import keep
from reviews.views.common import answers_faults, person, said, wants_fragment
from reviews.views.review import answer_with_card


@require_POST
@answers_faults
def bench_task(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Assign the task, or hand it over; say how and by when."""
    gate = gate_or_404(request.user, pk)
    form = BenchTaskForm(request.POST, gate=gate, task=task_of(gate))
    if not form.is_valid():
        problems = [f"{form[name].label}: {error}" for name in form.errors for error in form.errors[name]]
        raise BadInput(" ".join(problems))
    set_task(gate=gate, user=person(request), **form.task())
    if not wants_fragment(request):
        said(request, _("Saved."))
        return redirect("review", pk=pk)
    return answer_with_card(request, gate_or_404(request.user, pk))


@require_POST
@answers_faults
def bench_attach(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Keep files with the result that is being entered, with all that is typed; tables fill empty fields."""
    gate = gate_or_404(request.user, pk)
    keep(request, gate)
    by, problems = person(request).get_username(), []
    for file in request.FILES.getlist("file"):
        try:
            prefill(gate, attach(gate=gate, by=by, file=file, name=file.name or ""), by=by)
        except BadInput as fault:
            problems.append(str(fault))
    if not request.FILES:
        problems.append(_("Choose a file first."))
    return _after(request, gate, problems)


@require_POST
@answers_faults
def bench_detach(request: HttpRequest, pk: UUID, file: int) -> HttpResponse:
    """Take a file off a result that is not filed yet."""
    gate = gate_or_404(request.user, pk)
    keep(request, gate)
    detach(gate=gate, file_id=file)
    return _after(request, gate, [])


def _after(request: HttpRequest, gate: Gate, problems: list[str]) -> HttpResponse:
    if not wants_fragment(request) and not problems:
        return redirect(f"{reverse('review', args=[gate.pk])}?do=measure#files")
    notice = {"tone": "failed", "icon": "circle-alert", "text": " ".join(problems)} if problems else None
    again = gate_or_404(request.user, gate.pk)
    return answer_with_card(request, again, status=422 if problems else 200, doing="measure", notice=notice)


@require_GET
@answers_faults
def study_file(request: HttpRequest, slug: str, content_hash: str) -> FileResponse:
    """Hand out a file of a result: always as a download, never shown by this site."""
    file = file_of(study_or_404(request.user, slug), content_hash)
    content = artifact_path(file.content_hash).open("rb")
    response = FileResponse(content, as_attachment=True, filename=file.name, content_type=file.media_type)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


@require_GET
@cache_control(private=True, max_age=3600)
@answers_faults
def study_file_image(request: HttpRequest, slug: str, content_hash: str) -> HttpResponse:
    """A small picture of an image, drawn anew; 404 for what cannot be drawn."""
    file = file_of(study_or_404(request.user, slug), content_hash)
    response = HttpResponse(thumbnail(file), content_type="image/png")
    response["X-Content-Type-Options"] = "nosniff"
    return response
