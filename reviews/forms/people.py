"""Being away."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from reviews.forms.study import select


def _moment(label: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(
        attrs={"class": "form-control", "type": "datetime-local"}, format="%Y-%m-%dT%H:%M"
    )
    return forms.DateTimeField(label=label, widget=widget)


class AbsenceForm(forms.Form):
    """From when to when, and who stands in."""

    starts = _moment(_("From"))
    ends = _moment(_("To"))
    deputy = forms.ModelChoiceField(
        label=_("Deputy"),
        queryset=User.objects.none(),
        required=False,
        empty_label=_("nobody: they go to everybody, and the owners are told"),
        widget=select(),
    )

    def __init__(self, *args: Any, colleagues: QuerySet[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["deputy"].queryset = colleagues  # type: ignore[attr-defined]
