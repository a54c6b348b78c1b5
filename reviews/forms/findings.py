"""Forms of the findings library: the filters, what is done to a finding, a file that comes in."""

from datetime import datetime, time
from typing import Any

from django import forms
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.core.library import SCOPE_LIMIT, TEXT_LIMIT
from agents.services.findings import REASON_LIMIT
from reviews.forms.study import area, line, select


def _day() -> forms.DateInput:
    return forms.DateInput(format="%Y-%m-%d", attrs={"class": "form-control", "type": "date"})


class FilterForm(forms.Form):
    """Which findings are looked at. A filter that is not understood is left out, and says so."""

    study = forms.ChoiceField(label=_("Study"), required=False, widget=select())
    kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        widget=select(),
        choices=[("", _("Findings and rules")), ("finding", _("Findings")), ("rule", _("Rules"))],
    )
    domain = forms.ChoiceField(label=_("Domain"), required=False, widget=select())
    sure = forms.FloatField(
        label=_("Confidence from"),
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"class": "form-control", "step": "0.05", "inputmode": "decimal"}),
    )
    since = forms.DateField(label=_("From day"), required=False, widget=_day())
    until = forms.DateField(label=_("To day"), required=False, widget=_day())

    def __init__(self, *args: Any, studies: list[Any], domains: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        every: list[tuple[str, Any]] = [("", _("All studies"))]
        self.fields["study"].choices = every + [(study.slug, study.title) for study in studies]  # type: ignore[attr-defined]
        self.fields["domain"].choices = [("", _("All domains")), *((name, name) for name in domains)]  # type: ignore[attr-defined]

    def condition(self) -> Q | None:
        """Return what a finding must fit beside study and status; None when anything does."""
        self.is_valid()
        given = self.cleaned_data
        found = Q()
        if given.get("kind"):
            found &= Q(kind=given["kind"])
        if given.get("domain"):
            found &= Q(domain=given["domain"])
        if given.get("sure") is not None:
            found &= Q(confidence__gte=given["sure"])
        if given.get("since"):
            found &= Q(created_at__gte=_start(given["since"]))
        if given.get("until"):
            found &= Q(created_at__lte=timezone.make_aware(datetime.combine(given["until"], time.max)))
        return found or None


def _start(day: Any) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


class ReasonForm(forms.Form):
    """Why; and the version that the person saw."""

    reason = forms.CharField(label=_("Why"), max_length=REASON_LIMIT, widget=area(2))
    seen = forms.IntegerField(widget=forms.HiddenInput())


class CorrectionForm(ReasonForm):
    """What a finding should say."""

    text = forms.CharField(label=_("Finding"), max_length=TEXT_LIMIT, widget=area(3))
    scope = forms.CharField(
        label=_("Scope"),
        required=False,
        max_length=SCOPE_LIMIT,
        widget=line(),
        help_text=_("Under which conditions it holds, as far as anybody knows."),
    )
    reach = forms.ChoiceField(
        label=_("Told in"),
        required=False,
        widget=select(),
        choices=[
            ("study", _("Runs of this study")),
            ("domain", _("Runs of every study of its domain on this site")),
        ],
        help_text=_(
            "Of a rule. An owner of the study may open it to other studies, whoever their members are."
        ),
    )
    field_order = ("text", "scope", "reach", "reason", "seen")


class PairForm(ReasonForm):
    """Another finding, and why."""

    other = forms.UUIDField(error_messages={"required": _("Choose the other finding.")})


class AcceptForm(ReasonForm):
    """An imported finding is taken as reviewed; a word on it is welcome."""

    reason = forms.CharField(label=_("Why"), required=False, max_length=REASON_LIMIT, widget=area(2))


class ImportForm(forms.Form):
    """A file of findings for a study."""

    study = forms.ChoiceField(label=_("Into the study"), widget=select())
    file = forms.FileField(
        label=_("File"),
        widget=forms.ClearableFileInput(attrs={"class": "form-control", "accept": ".json,application/json"}),
        help_text=_("JSON, as the findings page or “manage.py findings export” writes it."),
    )

    def __init__(self, *args: Any, studies: list[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["study"].choices = [(study.slug, study.title) for study in studies]  # type: ignore[attr-defined]
