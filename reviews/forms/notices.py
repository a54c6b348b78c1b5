"""How a person wants to be told."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.forms.study import line, select
from reviews.present.words import NOTICES


def _time(label: Any) -> forms.TimeField:
    widget = forms.TimeInput(attrs={"class": "form-control", "type": "time"}, format="%H:%M")
    return forms.TimeField(label=label, required=False, widget=widget)


def _secret(label: Any, help_text: Any) -> forms.CharField:
    """A field that is written and never shown."""
    widget = forms.PasswordInput(attrs={"class": "form-control", "autocomplete": "new-password"})
    return forms.CharField(label=label, required=False, max_length=500, widget=widget, help_text=help_text)


class PreferenceForm(forms.Form):
    """Ways, kinds and quiet hours."""

    kinds = forms.MultipleChoiceField(label=_("About"), required=False, choices=list(NOTICES.items()))
    email = forms.ChoiceField(
        label=_("E-mail"),
        choices=[
            ("off", _("none")),
            ("digest", _("one a day, with everything that waits")),
            ("each", _("at once")),
        ],
        widget=select(),
    )
    email_address = forms.CharField(
        label=_("Address"), required=False, max_length=254, widget=line(type="email")
    )
    digest_hour = forms.TypedChoiceField(
        label=_("The daily e-mail comes at"),
        coerce=int,
        choices=[(hour, f"{hour:02}:00") for hour in range(24)],
        widget=select(),
    )
    quiet_from = _time(_("Quiet from"))
    quiet_to = _time(_("Quiet to"))
    time_zone = forms.CharField(
        label=_("Time zone"),
        max_length=60,
        widget=line(),
        help_text=_("for example Europe/Berlin, Asia/Shanghai"),
    )
    webhook_url = forms.CharField(
        label=_("Webhook"), required=False, max_length=500, widget=line(inputmode="url")
    )
    webhook_secret = _secret(
        _("Secret of the webhook"), _("Signs each message as the Standard Webhooks specification says.")
    )
    forget_webhook_secret = forms.BooleanField(label=_("Forget the stored secret"), required=False)
    apprise_url = _secret(
        _("Apprise address"), _("for example slack://…, tgram://…, discord://…; it holds a key.")
    )
    forget_apprise_url = forms.BooleanField(label=_("Forget the stored address"), required=False)

    def clean(self) -> dict[str, Any]:
        """Quiet hours have both ends or none."""
        cleaned: dict[str, Any] = super().clean() or {}
        if bool(cleaned.get("quiet_from")) != bool(cleaned.get("quiet_to")):
            self.add_error("quiet_to", _("Quiet hours need both ends, or none."))
        return cleaned

    def values(self) -> dict[str, Any]:
        """The fields for ``set_preference``."""
        data = dict(self.cleaned_data)
        forget = tuple(name for name in ("webhook_secret", "apprise_url") if data.pop(f"forget_{name}"))
        return {**data, "forget": forget}
