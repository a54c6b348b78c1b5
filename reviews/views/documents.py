"""A document as people read it: page by page, with the quote marked."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET

from agents.models import Document
from reviews.permissions import document_or_404
from reviews.views.common import answers_faults


@require_GET
def document_page(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """A page of a document with a quote marked: image where there is one, and always the text."""
    document = document_or_404(request.user, pk)
    if not 1 <= number <= max(document.pages, 1):
        raise Http404
    context = {
        "document": document,
        "study": document.study,
        "number": number,
        "quote": request.GET.get("quote", "")[:1000],
        "passages": document.passages.filter(page=number).order_by("index"),
        "has_image": document.media_type == "application/pdf",
        "numbers": range(1, document.pages + 1),
    }
    return render(request, "studies/page.html", context)


@require_GET
@cache_control(private=True, max_age=3600)
@answers_faults
def document_image(request: HttpRequest, pk: UUID, number: int) -> HttpResponse:
    """The image of a page with the quote marked."""
    from agents.adapters.documents import render_page  # a child process draws it
    from agents.store.artifacts import artifact_path

    document: Document = document_or_404(request.user, pk)
    if document.media_type != "application/pdf" or not 1 <= number <= document.pages:
        raise Http404
    image = render_page(
        artifact_path(document.content_hash), number, highlight=request.GET.get("quote", "")[:1000]
    )
    response = HttpResponse(image, content_type="image/png")
    response["Content-Disposition"] = "inline"
    return response
