"""Comments on passages of a proposal."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from agents.core.errors import BadInput
from reviews import services
from reviews.forms.comments import CommentForm
from reviews.forms.decide import take_problems
from reviews.permissions import gate_or_404
from reviews.services.comments import parts_of
from reviews.views.common import answers_faults, person, said, wants_fragment
from reviews.views.review import answer_with_card


@require_POST
@answers_faults
def review_comment(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Keep a comment on a passage; it goes to the reasoner with the decision, or now when asked."""
    gate = gate_or_404(request.user, pk)
    form = CommentForm(request.POST, parts=parts_of(gate), key=str(pk))
    if not form.is_valid():
        return answer_with_card(request, gate, status=422, comment_form=form)
    given: dict[str, Any] = {**form.cleaned_data, "send": "send" in request.POST}
    try:
        services.comment(gate=gate, user=person(request), **given)
    except BadInput as fault:
        take_problems(form, fault, prefix="")
        return answer_with_card(request, gate, status=422, comment_form=form)
    return _after(request, pk, _("The comment is kept.") if not given["send"] else _("The reasoner is told."))


@require_POST
@answers_faults
def comments_send(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Tell the reasoner now what waits."""
    count = services.send_comments(gate=gate_or_404(request.user, pk), user=person(request))
    told = ngettext("%(n)s comment was told.", "%(n)s comments were told.", count) % {"n": count}
    return _after(request, pk, told)


def _after(request: HttpRequest, pk: UUID, told: str) -> HttpResponse:
    if wants_fragment(request):
        notice = {"tone": "done", "icon": "circle-check", "text": told}
        return answer_with_card(request, gate_or_404(request.user, pk), notice=notice)
    said(request, told)
    return redirect("review", pk=pk)
