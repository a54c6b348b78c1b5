"""Numbers with a decimal comma: read where they can mean one thing only, refused with both meanings where not."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

_NUMBER = re.compile(r"(?<![\w.,])[+\-−]?\d[\d.,]*(?<![.,])(?![\w.,]*,)")
_GROUPS = re.compile(r"[+\-−]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
_EUROPEAN_GROUPS = re.compile(r"[+\-−]?[1-9]\d{0,2}(\.\d{3})+,\d+")
_COMMA = re.compile(r"[+\-−]?\d+,\d+")


def pointed(text: str) -> str:
    """Return ``text`` with every number that has a comma written with a point: ``71,5 ± 0,8`` as ``71.5 ± 0.8``.

    Raises ``ValidationError`` for a number that may be two: ``1,728`` is 1728 for some and 1.728 for others.
    """
    return _NUMBER.sub(lambda found: _pointed(found[0]), text) if "," in text else text


def _pointed(number: str) -> str:
    if "," not in number:
        return number
    if _GROUPS.fullmatch(number):
        whole = number.replace(",", "")
        if number.count(",") == 1 and "." not in number:
            told = _("“%(typed)s” may be %(whole)s or %(part)s: write it without the comma, or with a point.")
            raise ValidationError(told % {"typed": number, "whole": whole, "part": number.replace(",", ".")})
        return whole
    if _EUROPEAN_GROUPS.fullmatch(number):
        return number.replace(".", "").replace(",", ".")
    return number.replace(",", ".") if _COMMA.fullmatch(number) else number


class NumberField(forms.FloatField):
    """A number, with a decimal point or comma."""

    def to_python(self, value: Any) -> Any:
        """Return the number that was typed, or None for nothing."""
        return super().to_python(pointed(value) if isinstance(value, str) else value)


def read_as(form: forms.Form | None) -> str:
    """Return what of a valid ``form`` was typed with a comma and how it was read, as a sentence, or an empty text."""
    if form is None:
        return ""
    typed = [
        str(form[name].data or "").strip() for name, field in form.fields.items() if _takes_commas(field)
    ]
    pairs = [f"“{text}” → {pointed(text)}" for text in typed if pointed(text) != text]
    return _("Read as: %(pairs)s.") % {"pairs": "; ".join(pairs)} if pairs else ""


def _takes_commas(field: forms.Field) -> bool:
    return isinstance(field, NumberField) or getattr(field, "takes_commas", False)
