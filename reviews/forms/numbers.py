"""Fields of a result: several readings in one box, a moment with its time zone."""

import json
import math
import re
import statistics
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from agents.tools.units import split_quantity
from reviews.bench.notation import measured
from reviews.forms.commas import pointed
from reviews.present.figures import number

_BETWEEN = re.compile(r"[;\s]+")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class NumberListField(forms.CharField):
    """Numbers with semicolons, spaces or lines between them: ``70.1; 69.8; 70.4``. Gives a list, None when empty."""

    def __init__(self, *, most: int = 200, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most = most

    def prepare_value(self, value: Any) -> Any:
        """Show a list as it is typed."""
        return "; ".join(str(each) for each in value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        """Return the numbers; say which one is none."""
        text = str(super().clean(value) or "").strip()
        if not text:
            return None
        numbers = [_number(part) for part in _parts(text)]
        if len(numbers) > self.most:
            raise ValidationError(
                _("%(count)s values; at most %(most)s are kept. Attach the file instead.")
                % {"count": len(numbers), "most": self.most}
            )
        return numbers


def summary_of(field: NumberListField, value: Any) -> str:
    """Return mean and spread of the readings that a box holds, or "" for fewer than two or a text that is none."""
    try:
        numbers = field.clean(value) or []
        if len(numbers) < 2:
            return ""
        told = {"mean": number(statistics.fmean(numbers)), "spread": number(statistics.stdev(numbers), 2)}
    except (ValidationError, OverflowError):
        return ""
    return _("Mean %(mean)s, spread %(spread)s, of %(count)s readings.") % {**told, "count": len(numbers)}


class QuantityField(forms.CharField):
    """A measured value as people write it: ``71.2``, ``71.2 ± 0.8``, ``712 permille``, ``<0.5``. Gives its text.

    What it means, and whether it can be, is for the check of the whole result: the unit stands in another box.
    """

    widget = forms.TextInput(attrs={"class": "form-control", "inputmode": "decimal", "autocomplete": "off"})
    takes_commas = True

    def clean(self, value: Any) -> Any:
        """Return the text with points for decimal commas; say when a comma may mean two things."""
        text = super().clean(value)
        return pointed(text) if isinstance(text, str) else text


def entered(measurement: dict[str, Any]) -> dict[str, Any]:
    """Return one measurement of a form with what its value says taken apart; a box that was filled wins."""
    found = measured(str(measurement.get("value", "")).replace("−", "-"))
    if isinstance(found, dict):
        measurement = {
            **found,
            **{k: v for k, v in measurement.items() if k != "value"},
            "value": found["value"],
        }
        if "status" in found and measurement["status"] == "ok":
            measurement["status"] = found["status"]
        if "unit" in found:
            measurement["unit"] = found["unit"]
    value = measurement.get("value")
    split = split_quantity(value) if isinstance(value, str) else None
    if split is not None and split[1]:
        measurement = {**measurement, "unit": split[1]}
    return measurement


def _parts(text: str) -> list[str]:
    if text.startswith("["):
        try:
            return [str(each) for each in json.loads(text)]
        except (ValueError, TypeError):
            raise ValidationError(
                _("This list cannot be read. Separate the values with semicolons.")
            ) from None
    return [part.strip(",") for part in _BETWEEN.split(text) if part.strip(",")]


def _number(part: str) -> float:
    if _DECIMAL_COMMA.fullmatch(part):
        raise ValidationError(
            _("“%(part)s” may be one number or two: write a point for decimals, a semicolon between values.")
            % {"part": part}
        )
    try:
        number = float(part.replace("−", "-"))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValidationError(_("“%(part)s” is not a number.") % {"part": part[:40]})
    return number


class MomentField(forms.CharField):
    """Date and time as a browser's own control gives them, in the site's time zone. Gives ISO 8601 with the zone."""

    widget = forms.DateTimeInput(
        attrs={"class": "form-control", "type": "datetime-local"}, format="%Y-%m-%dT%H:%M"
    )

    def prepare_value(self, value: Any) -> Any:
        """Show a moment in the site's time zone, without its zone: a browser's control knows none."""
        moment = as_moment(str(value)) if value else None
        return timezone.localtime(moment).strftime("%Y-%m-%dT%H:%M") if moment else value

    def clean(self, value: Any) -> Any:
        """Return the text of the moment, or "" when none is given."""
        text = str(super().clean(value) or "").strip()
        if not text:
            return ""
        moment = as_moment(text)
        if moment is None:
            raise ValidationError(_("Enter date and time like 2026-11-30 14:05."))
        return moment.isoformat(timespec="minutes")


def as_moment(text: str) -> datetime | None:
    """Return the moment that ``text`` names, taken in the site's time zone when it names none; None for no moment."""
    try:
        found = parse_datetime(text.strip())
    except ValueError:
        return None
    if found is None:
        return None
    return found if timezone.is_aware(found) else timezone.make_aware(found)
