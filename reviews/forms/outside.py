"""Forms for outside sources of tools: an MCP server, an OpenAPI document, an instrument; and what is declared of a tool."""

import shlex
from typing import Any

from django import forms
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from reviews.forms.commas import NumberField
from reviews.forms.study import area, decimal, line, select


class SourceForm(forms.Form):
    """What every source has: a short name, which stands in front of the names of its tools."""

    name = forms.CharField(
        label=_("Short name"),
        max_length=24,
        widget=line(pattern="[a-z][a-z0-9]*"),
        help_text=_("Lower-case letters and digits; it stands in front of the tools' names."),
    )

    def config(self) -> dict[str, Any]:
        """Return the fields as the service takes them."""
        return {key: value for key, value in self.cleaned_data.items() if value not in ("", None, [], {})}


def pairs(text: str, mark: str) -> dict[str, str]:
    """Return lines of ``name mark value`` as a mapping; raises ``ValidationError`` for a line that is none."""
    found = {}
    for row in filter(None, (row.strip() for row in text.splitlines())):
        name, sign, value = row.partition(mark)
        if not sign or not name.strip():
            raise forms.ValidationError(
                _now("“%(row)s” is not of the form name%(mark)s value.") % {"row": row, "mark": mark}
            )
        found[name.strip()] = value.strip()
    return found


class WithHeaders(SourceForm):
    """A source at an address that may want headers."""

    headers = forms.CharField(
        label=_("Headers"),
        required=False,
        widget=area(2),
        help_text=_("One a line, a secret by reference: Authorization: Bearer $TOOL_SECRET_LAB"),
    )
    field_order = ("name", "url", "file", "base_url", "headers")

    def clean_headers(self) -> dict[str, str]:
        """Read the lines."""
        return pairs(self.cleaned_data["headers"], ":")


class ProgramForm(SourceForm):
    """An MCP server that runs here, as a child process for the time of a call."""

    command = forms.CharField(
        label=_("Program"),
        max_length=1000,
        widget=line(),
        help_text=_("With its arguments, as in a terminal."),
    )
    environment = forms.CharField(
        label=_("Environment"),
        required=False,
        widget=area(2),
        help_text=_("NAME=value, one a line. The program sees nothing else of the server's environment."),
    )

    def clean_command(self) -> list[str]:
        """Split it as a shell does."""
        try:
            return shlex.split(self.cleaned_data["command"])
        except ValueError as fault:
            raise forms.ValidationError(str(fault)) from None

    def clean_environment(self) -> dict[str, str]:
        """Read the lines."""
        return pairs(self.cleaned_data["environment"], "=")


class AddressForm(WithHeaders):
    """An MCP server at an address."""

    url = forms.CharField(label=_("Address"), max_length=500, widget=line(inputmode="url"))


class DocumentForm(WithHeaders):
    """An OpenAPI document, by its address or as a file."""

    url = forms.CharField(
        label=_("Address of the document"), required=False, max_length=500, widget=line(inputmode="url")
    )
    file = forms.FileField(
        label=_("Or the file"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"class": "form-control"}),
    )
    base_url = forms.CharField(
        label=_("Address of the service"),
        required=False,
        max_length=500,
        widget=line(inputmode="url"),
        help_text=_("Only when the document does not say it."),
    )

    def config(self) -> dict[str, Any]:
        """Return the fields; the file as the text of the document."""
        given = super().config()
        file = given.pop("file", None)
        return (
            {**given, "document": file.read(2_000_001).decode("utf-8", errors="replace")} if file else given
        )


class InstrumentForm(WithHeaders):
    """An instrument that takes a job by POST and calls back."""

    url = forms.CharField(label=_("Address that takes jobs"), max_length=500, widget=line(inputmode="url"))
    secret = forms.CharField(
        label=_("Variable with the signing secret"),
        max_length=80,
        widget=line(placeholder="TOOL_SECRET_HPLC"),
        help_text=_("Its name, not its value. It signs jobs and reports."),
    )


FORMS: dict[str, type[SourceForm]] = {
    "mcp_stdio": ProgramForm,
    "mcp_http": AddressForm,
    "openapi": DocumentForm,
    "webhook": InstrumentForm,
}


class ToolForm(forms.Form):
    """What an owner declares of a tool."""

    effect = forms.ChoiceField(
        label=_("Effect"),
        choices=[
            ("blind", _("may change something; never repeated by itself")),
            ("keyed", _("may change something; the service honours an idempotency key")),
            ("local", _("changes nothing; may be repeated")),
        ],
        widget=select(),
    )
    risk = forms.ChoiceField(
        label=_("Risk"),
        choices=[("low", _("low risk")), ("medium", _("medium risk")), ("high", _("high risk"))],
        widget=select(),
    )
    timeout_s = NumberField(label=_("Time limit in s"), min_value=1, max_value=600, widget=decimal())
    cost = NumberField(label=_("Cost of a call"), min_value=0, widget=decimal())
    words = forms.CharField(
        label=_("In your own words"),
        required=False,
        max_length=1000,
        widget=area(2),
        help_text=_("What the reasoner reads in place of the source's description."),
    )
    needs_review = forms.BooleanField(label=_("always ask a person"), required=False)
    is_reversible = forms.BooleanField(label=_("can be undone"), required=False)
