"""A comment on a passage."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from reviews.services.comments import QUOTE_LIMIT, TEXT_LIMIT

LABELS = {
    "hypothesis": _("Hypothesis"),
    "refuted_by": _("Refuted by"),
    "reason": _("Why"),
    "text": _("Text"),
}


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"class": "form-control", "rows": rows})


class CommentForm(forms.Form):
    """Which part, which passage of it, and what is said. ``start`` is filled by a selection, else empty."""

    part = forms.ChoiceField(label=_("In"), widget=forms.Select(attrs={"class": "form-select"}))
    quote = forms.CharField(label=_("Passage"), max_length=QUOTE_LIMIT, strip=False, widget=_area(2))
    text = forms.CharField(label=_("Comment"), max_length=TEXT_LIMIT, widget=_area(2))
    start = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput())

    def __init__(self, data: Any = None, *, parts: dict[str, str], key: str) -> None:
        super().__init__(data, auto_id=f"comment-{key}-%s")
        choices = [(part, LABELS.get(part, part.removeprefix("arg."))) for part in parts]
        self.fields["part"].choices = choices  # type: ignore[attr-defined]
