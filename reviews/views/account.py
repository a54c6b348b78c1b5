"""Signing in and out, and how pages look to this person."""

from typing import Any

from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from reviews.views.common import back_to, said

THEMES = {"auto": "light", "light": "dark", "dark": "auto"}
"""Each look and the one after it."""

A_YEAR = 365 * 24 * 3600


class SignInForm(AuthenticationForm):
    """Name and password in the look of the other forms."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "form-control"


@method_decorator(login_not_required, name="dispatch")
class SignIn(LoginView):
    """The way in; who is in already goes on."""

    template_name = "sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True


class NewPasswordForm(PasswordChangeForm):
    """The old password and the new one twice, in the look of the other forms."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["class"] = "form-control"


class ChangePassword(PasswordChangeView):
    """A new password; every other session of this person ends with the old one."""

    template_name = "settings/password.html"
    form_class = NewPasswordForm
    success_url = reverse_lazy("settings")

    def form_valid(self, form: Any) -> HttpResponse:
        """Change it and say so."""
        said(self.request, _("The password was changed."))
        return super().form_valid(form)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session; open sockets of it close within seconds."""
    logout(request)
    return redirect("sign-in")


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """The inbox is the first page."""
    return redirect("inbox")


@require_POST
@login_not_required
def appearance(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the system says; kept in a cookie of the browser."""
    asked = request.POST.get("theme", "")
    theme = asked if asked in THEMES else THEMES[theme_of(request)]
    response = back_to(request, "inbox")
    if theme == "auto":
        response.delete_cookie("theme")
    else:
        response.set_cookie("theme", theme, max_age=A_YEAR, samesite="Lax")
    return response


def theme_of(request: HttpRequest) -> str:
    """Return the look that this browser chose."""
    theme = request.COOKIES.get("theme", "auto")
    return theme if theme in THEMES else "auto"
