"""What this site is set up with. Values come from its environment; the page shows and tests them."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import DaybookError, Refused
from agents.memory import cancel_embedding, current_store, embed_all_again, index_state
from agents.wiring import is_model_configured
from reviews.views.account import theme_of
from reviews.views.common import answers_faults, person, said, wants_fragment


def _context(request: HttpRequest) -> dict[str, Any]:
    return {
        "is_configured": is_model_configured(),
        "base_url": settings.OPENAI_BASE_URL or "https://api.openai.com/v1",
        "has_key": bool(settings.OPENAI_API_KEY),
        "models": settings.DAYBOOK_MODELS,
        "prices": settings.DAYBOOK_PRICES,
        "embeddings": settings.EMBEDDINGS_MODEL,
        "has_index": current_store() is not None,
        "index": index_state(),
        "may_embed": person(request).is_superuser,
        "theme": theme_of(request),
        "looks": [
            ("auto", _("as the system"), "sun-moon"),
            ("light", _("light"), "sun"),
            ("dark", _("dark"), "moon"),
        ],
        "upload_mb": settings.UPLOAD_MAX_BYTES // (1 << 20),
        "upload_pages": settings.UPLOAD_MAX_PAGES,
        "workers": settings.DAYBOOK_WORKERS,
        "is_distributed": bool(settings.REDIS_URL),
    }


@require_GET
def site_settings(request: HttpRequest) -> HttpResponse:
    """Models per role, memory, limits, language and look."""
    return render(request, "settings/index.html", _context(request))


@require_POST
@answers_faults
def embeddings(request: HttpRequest, verb: str) -> HttpResponse:
    """Embed every finding once more, or leave the rest as it is. For an administrator: it may cost money."""
    if not person(request).is_superuser:
        raise Refused(_("Only an administrator embeds the findings again: it may take long and cost money."))
    if verb == "again":
        said(request, _("%(n)s findings are being embedded again.") % {"n": embed_all_again()})
    elif verb == "cancel":
        said(request, _("%(n)s findings keep the vectors that they have.") % {"n": cancel_embedding()})
    else:
        raise Http404
    return redirect("settings")


@require_POST
def test_connection(request: HttpRequest) -> HttpResponse:
    """Ask the language model for a word, and say what came back."""
    result = _probe()
    if wants_fragment(request):
        return render(request, "settings/probe.html", {"probe": result})
    return render(request, "settings/index.html", _context(request) | {"probe": result})


def _probe() -> Any:
    from asgiref.sync import async_to_sync

    from agents.wiring import model_settings

    try:
        configured = model_settings()
    except DaybookError as fault:
        return {"is_ready": False, "problem": str(fault)}
    from agents.adapters.openai.probe import probe  # loads the model client

    return async_to_sync(probe)(configured)
