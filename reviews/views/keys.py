"""The keys of the desk, as a person wants them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from agents.core.errors import BadInput
from reviews.forms.decide import take_problems
from reviews.forms.keys import KeysForm
from reviews.keys import keys_of, reset_keys, set_keys
from reviews.views.common import answers_faults, person, said


@require_http_methods(["GET", "POST"])
@answers_faults
def keys(request: HttpRequest) -> HttpResponse:
    """Show and change which key does what."""
    user = person(request)
    if request.method == "POST" and "reset" in request.POST:
        reset_keys(user=user)
        said(request, _("The usual keys are back."))
        return redirect("keys")
    form = KeysForm(request.POST or None, keys=keys_of(user))
    status = 200
    if request.method == "POST":
        status = 422
        try:
            if form.is_valid():
                set_keys(user=user, keys=form.cleaned_data)
                said(request, _("Saved. The keys are the same wherever you sign in."))
                return redirect("keys")
        except BadInput as fault:
            take_problems(form, fault, prefix="")
    return render(request, "settings/keys.html", {"form": form}, status=status)
