"""The answer to a request that met a fault: of the storage with what to do, of our own code with an apology."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.csrf import requires_csrf_token
from django.views.defaults import server_error

from agents.store import trouble
from reviews.present.storage import storage_notice

RETRY_SECONDS = 5


@requires_csrf_token
def answer_fault(request: HttpRequest) -> HttpResponse:
    """Answer 503 with what is wrong with the storage when that is what failed, else Django's own 500.

    Nothing here uses the database: neither session nor account of the request can be read.
    """
    fault = sys.exception()
    if not isinstance(fault, OperationalError | InterfaceError):
        return server_error(request)
    trouble.note(fault)
    # Nobody knows here who asks, so the folder is not named.
    notice = storage_notice(trouble.trouble_of(fault), folder=_("Daybook's folder"))
    context = {"storage": notice, "is_post": request.method == "POST"}
    template = "components/storage_told.html" if request.headers.get("HX-Request") else "storage_fault.html"
    response = HttpResponse(render_to_string(template, context), status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response
