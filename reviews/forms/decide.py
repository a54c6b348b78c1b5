"""The forms of a review: edit, answer for the tool, veto. One POST carries a verdict and its fields."""

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agents.core.errors import BadInput, Unconfirmed
from agents.core.proposal import Prediction
from reviews.forms.commas import NumberField
from reviews.forms.numbers import NumberListField, QuantityField, entered, summary_of
from reviews.forms.schema import Schema, flattened, nested, schema_fields
from reviews.present.figures import quantity
from reviews.present.words import REASONS

ARGUMENT = "arg."
RESULT = "res."
ACTUAL = f"{RESULT}actual."
NUMBERS = ("mean", "low", "high")


def _area(rows: int = 2) -> forms.Textarea:
    return forms.Textarea(attrs={"class": "form-control", "rows": rows})


def _decimal() -> forms.TextInput:
    return forms.TextInput(attrs={"class": "form-control", "inputmode": "decimal", "autocomplete": "off"})


def refuted_by_field() -> forms.CharField:
    """Return the field for what would refute the hypothesis; one that is left as it was is said anew."""
    return forms.CharField(
        label=_("Refuted by"),
        required=False,
        max_length=2000,
        widget=_area(),
        help_text=_(
            "Left as it is, it is said anew from the prediction when hypothesis or prediction change."
        ),
    )


class NoteForm(forms.Form):
    """A note that goes with any decision and that the reasoner reads."""

    note = forms.CharField(label=_("Note"), required=False, max_length=4000, widget=_area())


class VetoForm(NoteForm):
    """Why not: a code for the record, a sentence for the reasoner."""

    reason_code = forms.ChoiceField(
        label=_("Reason"),
        choices=list(REASONS.items()),
        error_messages={"required": _("Choose a reason: the reasoner reads it.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["note"].label = _("What should it do instead?")


class EditForm(NoteForm):
    """The proposal, changed: arguments by the tool's schema, hypothesis and prediction as they were or new."""

    hypothesis = forms.CharField(label=_("Hypothesis"), max_length=2000, widget=_area())
    refuted_by = refuted_by_field()
    mean = NumberField(label=_("Expected"), required=False, widget=_decimal())
    low = NumberField(label=_("at least"), required=False, widget=_decimal())
    high = NumberField(label=_("at most"), required=False, widget=_decimal())
    is_replicate = forms.BooleanField(
        label=_("This repeats conditions on purpose (a replicate)"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )
    field_order = ("hypothesis", "refuted_by", "mean", "low", "high")

    def __init__(
        self,
        *args: Any,
        schema: Schema,
        prediction: dict[str, Any] | None,
        is_experiment: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.given = prediction
        if not is_experiment:
            del self.fields["is_replicate"]
        for name, field in schema_fields(schema).items():
            self.fields[f"{ARGUMENT}{name}"] = field
        if prediction is None:
            for name in NUMBERS:
                del self.fields[name]
        else:
            for name in NUMBERS:
                self.fields[name].unit = prediction.get("unit", "")  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Check that the expected value lies within its interval."""
        cleaned: dict[str, Any] = super().clean() or {}
        numbers = [cleaned.get(name) for name in ("low", "mean", "high")]
        if self.given and None not in numbers and numbers != sorted(n for n in numbers if n is not None):
            self.add_error("mean", _("The expected value must lie between its lowest and highest."))
        return cleaned

    def argument_fields(self) -> list[forms.BoundField]:
        """The fields that the tool's schema asked for."""
        return [self[name] for name in self.fields if name.startswith(ARGUMENT)]

    def arguments(self) -> dict[str, Any]:
        """The arguments as typed values."""
        return _values(self.cleaned_data, ARGUMENT)

    def prediction(self) -> Prediction | None:
        """The prediction with the numbers of the form, or None when there was none or it stayed as it was."""
        if not self.given:
            return None
        shown = shown_prediction(self.given)
        typed = {name: self.cleaned_data[name] for name in NUMBERS}
        if None in typed.values() or typed == shown:
            return None
        # A number that was not touched keeps the digits that the form did not show.
        kept = {name: self.given[name] if typed[name] == shown[name] else typed[name] for name in NUMBERS}
        return Prediction.model_validate({**self.given, **kept})


class ResultForm(NoteForm):
    """What a person measured or found, by the tool's output schema. Files are attached beside the form.

    ``planned`` are the conditions that were asked for: they stand in the form as what was done until somebody
    says otherwise. ``asks_confirmation`` is set when what was done is so unlikely that it must be ticked.
    """

    is_confirmed = forms.BooleanField(
        label=_("Yes, it was really so"),
        required=False,
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )

    def __init__(
        self, *args: Any, schema: Schema, planned: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        self.planned = planned or {}
        self.asks_confirmation = False
        done = {f"{ACTUAL}{name}": plainly(value) for name, value in self.planned.items()}
        super().__init__(*args, **{**kwargs, "initial": {**done, **(kwargs.get("initial") or {})}})
        for name, field in schema_fields(schema).items():
            if name != "attachments":
                self.fields[f"{RESULT}{name}"] = quantity_field(name, field)
        if f"{RESULT}note" in self.fields:
            del self.fields["note"]
        for name, field in self.fields.items():
            if isinstance(field, NumberListField):
                box = self[name]
                box.help_text = summary_of(field, box.value()) or box.help_text

    def groups(self) -> list["Group"]:
        """The fields that the tool's schema asked for, by the part of the result they belong to."""
        names = [name for name in self.fields if name.startswith(RESULT) and not name.startswith(ACTUAL)]
        fields = [self[name] for name in names]
        rows = groupby(fields, key=lambda bound: getattr(bound.field, "group", ""))
        groups = [Group(str(title), list(bound)) for title, bound in rows]
        return sorted(groups, key=lambda group: group.is_extra)

    def conditions(self) -> list[tuple[Any, forms.BoundField, bool]]:
        """What was planned, the field for what was done, and whether they differ as typed."""
        rows = []
        for name in self.fields:
            if name.startswith(ACTUAL):
                planned, bound = self.planned.get(name.removeprefix(ACTUAL)), self[name]
                differs = str(bound.value() or "") not in ("", str(plainly(planned)))
                rows.append((planned, bound, differs))
        return rows

    def clean(self) -> dict[str, Any]:
        """Keep asking for a tick that was given, while something else is corrected."""
        cleaned: dict[str, Any] = super().clean() or {}
        self.asks_confirmation = bool(cleaned.get("is_confirmed"))
        return cleaned

    def base(self) -> str:
        """What the form shows before anybody types on it, as JSON: see ``reviews.bench.drafts``."""
        return json.dumps({name: self._shown(self[name]) for name in self.fields}, ensure_ascii=False)

    def _shown(self, bound: forms.BoundField) -> str:
        value = bound.field.widget.format_value(bound.value())
        value = value[0] if isinstance(value, list) and value else value
        return "" if value is None or value == [] else str(value)

    def result(self) -> dict[str, Any]:
        """The result as typed values."""
        values = _values(self.cleaned_data, RESULT)
        measurements = values.get("measurements", {})
        for name, measurement in measurements.items():
            measurements[name] = entered(measurement)
        return values


@dataclass(frozen=True)
class Group:
    """Fields under one heading. ``is_extra``: none must be filled and none was, so they may be folded."""

    title: str
    fields: list[forms.BoundField]

    @property
    def is_extra(self) -> bool:
        """True when the fields may be folded away."""
        is_value = any(bound.name.startswith(f"{RESULT}measurements.") for bound in self.fields)
        return not is_value and not any(
            bound.field.required or bound.errors or bound.value() not in (None, "", bound.field.initial)
            for bound in self.fields
        )


class GuidanceForm(forms.Form):
    """A sentence for the next reasoning step."""

    text = forms.CharField(label=_("Guidance"), max_length=2000, widget=_area(1))


def _values(cleaned: dict[str, Any], prefix: str) -> dict[str, Any]:
    return nested(
        {name.removeprefix(prefix): value for name, value in cleaned.items() if name.startswith(prefix)}
    )


def quantity_field(name: str, field: Any) -> Any:
    """Return the field of a measured value so that it takes any unit: limits hold after the conversion."""
    if not name.startswith("measurements.") or not isinstance(field, forms.FloatField):
        return field
    number: Any = field
    if name.endswith(".value"):
        made: Any = QuantityField(label=field.label, required=False, help_text=_possible(field))
        made.group, made.unit = getattr(field, "group", ""), ""
        return made
    number.unit = ""
    return number


def _possible(field: forms.FloatField) -> str:
    unit = getattr(field, "unit", "")
    if field.min_value is None or field.max_value is None:
        return ""
    told = {"low": quantity(field.min_value), "high": quantity(field.max_value, unit)}
    return gettext("From %(low)s to %(high)s; 71.2 ± 0.8 or <0.5 may be written too.") % told


def plainly(value: Any) -> Any:
    """Show 80.0 as 80, as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def shown_prediction(prediction: dict[str, Any]) -> dict[str, float]:
    """Return a prediction's numbers with the digits that a person wants to see."""
    return {name: float(f"{prediction[name]:.4g}") for name in NUMBERS}


def initial_of(values: dict[str, Any], schema: Schema, prefix: str) -> dict[str, Any]:
    """Return ``values`` as the initial data of the fields that stand under ``prefix``."""
    return {f"{prefix}{name}": value for name, value in flattened(values, schema).items()}


def take_problems(form: forms.Form, fault: BadInput, *, prefix: str) -> None:
    """Put what a service found wrong beside the fields it names, and the rest above the form."""
    if isinstance(fault, Unconfirmed) and isinstance(form, ResultForm):
        form.asks_confirmation = True
    for problem in fault.problems:
        name = f"{prefix}{problem.get('field', '')}"
        message = str(problem.get("message") or problem)
        form.add_error(name if name in form.fields else None, message)
    if not fault.problems:
        form.add_error(None, str(fault))
