"""One review: read it, claim it, keep a draft, decide. GET never decides."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from agents.core.errors import BadInput, Conflict
from agents.models import Gate
from reviews import services
from reviews.forms.commas import read_as
from reviews.forms.decide import ARGUMENT, RESULT, EditForm, ResultForm, take_problems
from reviews.forms.lists import ListForm
from reviews.forms.signing import PASSWORD, SignForm
from reviews.models import Decision, Opinion, Review
from reviews.permissions import gate_or_404, role_in
from reviews.services.signing import NotSigned, is_signed
from reviews.views.bench_draft import ELSEWHERE, keep_result, typed_elsewhere
from reviews.views.cards import card_context, form_for
from reviews.views.common import answers_faults, person, said, wants_fragment
from reviews.views.inbox import board_after
from reviews.views.late import late_notice

NOT_DRAFTED = {"csrfmiddlewaretoken", "digest", "verdict", "doing", PASSWORD}
DRAFT_LIMIT = 50_000


def answer_with_card(request: HttpRequest, gate: Gate, *, status: int = 200, **more: Any) -> HttpResponse:
    """Answer with the card as it is now: alone for htmx, on its page otherwise."""
    origin = request.GET.copy()
    origin.pop("do", None)
    context = card_context(
        gate=gate,
        user=request.user,
        role=role_in(request.user, gate.run.study),
        back=f"?{origin.urlencode()}" if origin else "",
        **more,
    )
    template = "reviews/card.html" if wants_fragment(request) else "reviews/detail.html"
    return render(request, template, context, status=status)


@require_GET
def review_detail(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show the card, with the form that ``do`` asks for."""
    return answer_with_card(request, gate_or_404(request.user, pk), doing=request.GET.get("do", ""))


@require_POST
@answers_faults
def review_claim(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show others that this person is looking at it."""
    gate = gate_or_404(request.user, pk)
    services.claim(gate=gate, user=person(request))
    if not wants_fragment(request):
        return redirect("review", pk=pk)
    gate = gate_or_404(request.user, pk)
    context = card_context(gate=gate, user=request.user, role=role_in(request.user, gate.run.study))
    return render(request, "reviews/claim.html", context)


@sensitive_post_parameters(PASSWORD)
@require_POST
@answers_faults
def review_draft(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Keep what is typed; answers with when it was kept."""
    gate = gate_or_404(request.user, pk)
    if request.POST.get("doing") == "measure":
        return keep_result(request, gate)
    data = {name: value for name, value in request.POST.items() if name not in NOT_DRAFTED}
    if sum(len(value) for value in data.values()) > DRAFT_LIMIT:
        return HttpResponse(_("too long to keep as a draft"), status=422)
    if gate.review.status == Review.Status.OPEN:
        services.save_draft(
            gate=gate, user=person(request), fields={"doing": request.POST.get("doing", ""), "data": data}
        )
    return HttpResponse(kept_now())


def kept_now() -> str:
    """Say when a draft was kept."""
    return _("draft kept at %(time)s") % {"time": timezone.localtime().strftime("%H:%M:%S")}


FORM_OF = {"edit": "edit", "answer": "measure", "veto": "veto", "approve": "note"}
SIGNED_FORM_OF = FORM_OF | {"retry": "retry", "not_happened": "not_happened"}


@sensitive_post_parameters(PASSWORD)
@require_POST
@answers_faults
def review_decide(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Take the decision. Errors come back beside their fields with 422; the second of two gets 409 and who was first."""
    gate = gate_or_404(request.user, pk)
    verdict = request.POST.get("verdict", "")
    signed = is_signed(gate.run)
    has_form = signed or verdict != "approve" or "note" in request.POST
    doing = (SIGNED_FORM_OF if signed else FORM_OF).get(verdict, "") if has_form else ""
    if doing == "measure" and typed_elsewhere(request, gate):
        return answer_with_card(request, gate, status=409, doing=doing, notice=ELSEWHERE)
    form = form_for(gate, doing, data=request.POST) if doing else None
    sign_form = SignForm(request.POST) if signed and form is not None else None
    try:
        is_filled = form is None or form.is_valid()
        if not (is_filled & (sign_form is None or sign_form.is_valid())):
            services.require_open(gate)
            return answer_with_card(request, gate, status=422, doing=doing, form=form, sign_form=sign_form)
        taken = services.decide(
            gate=gate,
            user=person(request),
            verdict=verdict,
            shown_digest=request.POST.get("digest", ""),
            signing=sign_form.signing() if sign_form else None,
            **fields_of(form, gate, request.POST),
        )
    except NotSigned as fault:
        if sign_form is None:
            return _refused(request, gate, form, doing, fault)
        sign_form.take(fault)
        return answer_with_card(request, gate, status=422, doing=doing, form=form, sign_form=sign_form)
    except BadInput as fault:
        return _refused(request, gate, form, doing, fault)
    except Conflict as fault:
        notice = late_notice(str(fault), form)
        return answer_with_card(request, gate_or_404(request.user, pk), status=409, notice=notice)
    return _went_through(request, gate, taken, read_as(form))


def _refused(request: HttpRequest, gate: Gate, form: Any, doing: str, fault: BadInput) -> HttpResponse:
    if form is None:
        return answer_with_card(
            request, gate, status=422, notice={"tone": "failed", "icon": "circle-alert", "text": str(fault)}
        )
    take_problems(form, fault, prefix=ARGUMENT if doing == "edit" else RESULT if doing == "measure" else "")
    return answer_with_card(request, gate, status=422, doing=doing, form=form)


def fields_of(form: Any, gate: Gate, posted: QueryDict) -> dict[str, Any]:
    """Return what the form adds to the verdict; hypothesis and prediction only where they were changed."""
    if form is None:
        return {"note": posted.get("note", ""), "reason_code": posted.get("reason_code", "")}
    fields: dict[str, Any] = {"note": form.cleaned_data.get("note", "")}
    if isinstance(form, EditForm | ListForm):
        given = gate.request["content"]["proposal"]
        fields["arguments"] = form.arguments()
        fields["is_replicate"] = form.cleaned_data.get("is_replicate")
        stated = given["hypothesis"]
        typed = {"text": form.cleaned_data["hypothesis"]}
        if form.cleaned_data["refuted_by"].strip():
            typed["refuted_by"] = form.cleaned_data["refuted_by"]
        if any(_lines(text) != _lines(stated.get(name, "")) for name, text in typed.items()):
            fields["hypothesis"] = {**stated, **_changed(typed, stated)}
        prediction = form.prediction() if isinstance(form, EditForm) else None
        if prediction:
            fields["prediction"] = prediction.model_dump(mode="json")
    elif isinstance(form, ResultForm):
        fields["result"] = form.result()
        fields["is_confirmed"] = form.cleaned_data["is_confirmed"]
    else:
        fields["reason_code"] = form.cleaned_data.get("reason_code", "")
    return fields


def _changed(typed: dict[str, str], stated: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text in typed.items() if _lines(text) != _lines(stated.get(name, ""))}


def _lines(text: str) -> str:
    """Return ``text`` as every browser posts it back: it ends lines in its own way."""
    return text.replace("\r\n", "\n").strip()


def _went_through(request: HttpRequest, gate: Gate, taken: Decision | Opinion, read: str) -> HttpResponse:
    origin = request.GET.get("from", "")
    if not wants_fragment(request):
        is_final = isinstance(taken, Decision)
        told = _("Decided. The run goes on.") if is_final else _("Kept. Somebody else must agree.")
        said(request, f"{told} {read}".strip())
        return redirect("inbox") if origin == "inbox" else redirect("run", pk=gate.run_id)
    if origin == "inbox":
        return board_after(request, taken, read)
    notice = {"tone": "done", "icon": "circle-check", "text": read} if read else None
    return answer_with_card(request, gate_or_404(request.user, gate.pk), notice=notice)
