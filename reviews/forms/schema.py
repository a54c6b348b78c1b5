"""A form from a JSON Schema: what a tool takes or gives becomes fields with units, limits and errors of their own."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _

from reviews.forms.commas import NumberField
from reviews.forms.numbers import MomentField, NumberListField
from reviews.present.words import MEASUREMENTS

Schema = dict[str, Any]
SYMBOLS = {
    symbol.lower(): symbol
    for symbol in ("pH", "pKa", "pKb", "DOI", "URL", "SMILES", "InChI", "ID", "NMR", "HPLC", "UV", "IR")
}
"""What is not written with one capital."""
DOT = "."
LONG = 120
"""A text that may be longer than this gets several lines."""


def schema_fields(
    schema: Schema, *, defs: Schema | None = None, under: str = "", group: str = ""
) -> dict[str, forms.Field]:
    """Return a field for every property, in order. Properties of an inner object are named ``outer.inner``.

    A field's ``group`` is the title of the objects it lies in, its ``unit`` the property's.
    """
    defs = {**(defs or {}), **schema.get("$defs", {})}
    required = set(schema.get("required", []))
    fields: dict[str, forms.Field] = {}
    for name, given in schema.get("properties", {}).items():
        prop, is_nullable = _resolved(given, defs)
        path = f"{under}{name}"
        if prop.get("type") == "object" and prop.get("properties"):
            title = str(prop.get("title") or name)
            inner = f"{group} · {title}" if group else title
            fields |= schema_fields(prop, defs=defs, under=f"{path}{DOT}", group=inner)
            continue
        field = _field(prop, is_required=name in required and not is_nullable)
        field.label = _label(name, str(prop.get("title") or name))
        field.help_text = str(prop.get("description", ""))
        field.unit, field.group = str(prop.get("unit", "")), group  # type: ignore[attr-defined]
        if "default" in prop:
            field.initial = prop["default"]
        fields[path] = field
    return fields


def _label(name: str, title: str) -> str:
    """Return ``title``; one that was made of the name, with the capitals of its symbols put right (pKa, pH)."""
    plain = name.replace("_", " ")
    if title not in (name, plain.title(), plain.capitalize()):
        return title
    return " ".join(SYMBOLS.get(word.lower(), word) for word in title.split())


def _resolved(prop: Schema, defs: Schema) -> tuple[Schema, bool]:
    """Follow references and drop the null of an optional; what stands beside a reference wins over it."""
    outer = {key: value for key, value in prop.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
    choices = prop.get("anyOf") or prop.get("oneOf") or prop.get("allOf") or []
    inner = [choice for choice in choices if choice.get("type") != "null"]
    is_nullable = len(inner) < len(choices)
    if "$ref" in prop:
        inner = [defs.get(prop["$ref"].rsplit("/", 1)[-1], {})]
    if len(inner) == 1:
        found, inner_null = _resolved(inner[0], defs)
        return {**found, **outer}, is_nullable or inner_null
    return outer, is_nullable


def _field(prop: Schema, *, is_required: bool) -> forms.Field:
    if "const" in prop:
        prop = {**prop, "enum": [prop["const"]]}
    if "enum" in prop:
        return _choice(prop["enum"], is_required=is_required)
    make = _MAKERS.get(str(prop.get("type", "")), _json)
    return make(prop, is_required)


def _choice(values: list[Any], *, is_required: bool) -> forms.Field:
    by_text = {str(value): value for value in values}
    is_status = all(text in MEASUREMENTS for text in by_text)
    options: list[tuple[str, Any]] = [
        (text, MEASUREMENTS[text].label if is_status else text) for text in by_text
    ]

    def typed(given: Any) -> Any:
        """Take the text that a browser sends and the value that a form opens with alike."""
        if str(given) not in by_text:
            raise ValueError(given)
        return by_text[str(given)]

    return forms.TypedChoiceField(
        choices=options if is_required else [("", "–"), *options],
        coerce=typed,
        empty_value=None,
        required=is_required,
        widget=forms.Select(attrs={"class": "form-select"}),
    )


def _number(prop: Schema, is_required: bool) -> forms.Field:
    # A text box, not a number box: a browser drops what it cannot read, and nothing typed may be lost.
    whole = prop.get("type") == "integer"
    kind = forms.IntegerField if whole else NumberField
    field = kind(
        required=is_required,
        min_value=prop.get("minimum"),
        max_value=prop.get("maximum"),
        widget=forms.TextInput(
            attrs={
                "class": "form-control",
                "inputmode": "numeric" if whole else "decimal",
                "autocomplete": "off",
            }
        ),
    )
    above, below = (
        _("This value must be greater than %(limit_value)s."),
        _("This value must be less than %(limit_value)s."),
    )
    for bound, check, beyond, told in (
        ("exclusiveMinimum", MinValueValidator, lambda value, limit: value <= limit, above),
        ("exclusiveMaximum", MaxValueValidator, lambda value, limit: value >= limit, below),
    ):
        if bound in prop:
            field.validators.append(_open_bound(check(prop[bound]), beyond, told))
    return field


def _open_bound(check: Any, beyond: Callable[[Any, Any], bool], told: str) -> Any:
    check.compare, check.message = beyond, told
    return check


def _text(prop: Schema, is_required: bool) -> forms.Field:
    if prop.get("format") == "date-time":
        return MomentField(required=is_required)
    limit = prop.get("maxLength")
    widget = forms.Textarea if limit and limit > LONG else forms.TextInput
    return forms.CharField(
        required=is_required,
        max_length=limit,
        min_length=prop.get("minLength"),
        widget=widget(attrs={"class": "form-control", "autocomplete": "off"}),
    )


def _boolean(prop: Schema, is_required: bool) -> forms.Field:
    return forms.BooleanField(required=False, widget=forms.CheckboxInput(attrs={"class": "form-check-input"}))


def _list(prop: Schema, is_required: bool) -> forms.Field:
    if prop.get("items", {}).get("type") not in ("number", "integer"):
        return _json(prop, is_required)
    box = forms.TextInput(attrs={"class": "form-control", "autocomplete": "off"})
    return NumberListField(required=is_required, most=prop.get("maxItems", 1000), widget=box)


def _json(prop: Schema, is_required: bool) -> forms.Field:
    return forms.JSONField(required=is_required, widget=forms.Textarea(attrs={"class": "form-control mono"}))


_MAKERS: dict[str, Callable[[Schema, bool], forms.Field]] = {
    "number": _number,
    "integer": _number,
    "string": _text,
    "boolean": _boolean,
    "array": _list,
}


def flattened(
    value: dict[str, Any], schema: Schema, *, defs: Schema | None = None, under: str = ""
) -> dict[str, Any]:
    """Return ``value`` with the names that ``schema_fields`` gives, as a form's initial data."""
    defs = {**(defs or {}), **schema.get("$defs", {})}
    flat: dict[str, Any] = {}
    for name, given in schema.get("properties", {}).items():
        prop, _null = _resolved(given, defs)
        if prop.get("type") == "object" and prop.get("properties"):
            flat |= flattened(value.get(name) or {}, prop, defs=defs, under=f"{under}{name}{DOT}")
        elif name in value:
            flat[f"{under}{name}"] = value[name]
    return flat


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON value that cleaned fields stand for; empty optional fields are left out."""
    value: dict[str, Any] = {}
    for path, entry in flat.items():
        if entry is None or entry == "":
            continue
        *outer, name = path.split(DOT)
        place = value
        for key in outer:
            place = place.setdefault(key, {})
        place[name] = entry
    return value
