"""The pictures that the tools of a run drew."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from agents.core.pictures import PNG, pictures_of
from agents.models import Event
from agents.store.artifacts import read_pictures
from reviews.permissions import run_or_404


@require_GET
@cache_control(private=True, max_age=3600)
def run_picture(request: HttpRequest, pk: UUID, seq: int, number: int) -> HttpResponse:
    """Show picture ``number``, from 1, of the result that event ``seq`` files."""
    run = run_or_404(request.user, pk)
    event = Event.objects.filter(run=run, seq=seq, kind="effect.finished").first()
    found = pictures_of(event.payload["result"]) if event else []
    if not 1 <= number <= len(found):
        raise Http404
    content = read_pictures([found[number - 1].content_hash]).get(found[number - 1].content_hash)
    if content is None:
        raise Http404
    response = HttpResponse(content, content_type=PNG)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
