"""The signature under a decision: what it means, and the password once more."""

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.forms.study import select
from reviews.present.words import MEANINGS
from reviews.services.signing import NotSigned, Signing

PREFIX = "sign"
PASSWORD = f"{PREFIX}-password"
"""The name that the password is posted under: it is in no draft and in no report of an error."""


class SignForm(forms.Form):
    """Stands under the form of a decision; a password is never shown again."""

    meaning = forms.ChoiceField(
        label=_("What your signature means"), choices=list(MEANINGS.items()), widget=select()
    )
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"class": "form-control", "autocomplete": "current-password"}),
        error_messages={"required": _("Give your password: it signs the decision.")},
    )
    prefix = PREFIX

    def signing(self) -> Signing:
        """What was typed."""
        return Signing(self.cleaned_data["meaning"], self.cleaned_data["password"])

    def take(self, fault: NotSigned) -> None:
        """Put what was wrong with the signature beside its field."""
        for problem in fault.problems:
            self.add_error(problem["field"], problem["message"])
