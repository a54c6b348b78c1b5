"""What several views share: pages of a list, faults as answers, where to go on."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme

from agents.core.errors import BadInput, Conflict, DaybookError, NotFound, Refused

PER_PAGE = 25

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def page_of(
    request: HttpRequest, rows: QuerySet[Any] | list[Any], *, per: int = PER_PAGE, name: str = "page"
) -> Page[Any]:
    """Return the asked page of ``rows``; a number out of range gives the nearest page."""
    return Paginator(rows, per).get_page(request.GET.get(name))


def wants_fragment(request: HttpRequest) -> bool:
    """Return True when htmx asks for a part of the page, and not to restore one from its history."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def back_to(request: HttpRequest, fallback: str) -> HttpResponse:
    """Redirect to the form's ``next`` when it is an address of this site, else to ``fallback``."""
    target = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return redirect(target)
    return redirect(fallback)


STATUS: dict[type[DaybookError], int] = {Refused: 403, Conflict: 409, BadInput: 422}


def status_of(fault: DaybookError) -> int:
    """Return the HTTP status that tells what kind of fault it is."""
    return next((status for kind, status in STATUS.items() if isinstance(fault, kind)), 400)


def person(request: HttpRequest) -> User:
    """Return who is signed in; the sign-in middleware lets nobody else through."""
    return cast(User, request.user)


def answers_faults(view: View[P]) -> View[P]:
    """Turn the faults that services raise on purpose into pages that say what to do."""

    @wraps(view)
    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except NotFound as fault:
            raise Http404(str(fault)) from fault
        except DaybookError as fault:
            return fault_answer(request, fault)

    return answering


def fault_answer(request: HttpRequest, fault: DaybookError) -> HttpResponse:
    """Say what went wrong: as a fragment for htmx, as a page with the same words otherwise."""
    status = status_of(fault)
    if wants_fragment(request):
        return render(request, "components/fault.html", {"fault": str(fault)}, status=status)
    return render(request, "fault.html", {"fault": str(fault), "status": status}, status=status)


def said(request: HttpRequest, text: str) -> None:
    """Leave a sentence for the next page."""
    messages.success(request, text)
