"""Forms from JSON Schemas: typed values out, errors beside their fields, nothing invented."""

from typing import Any

import pytest
from django import forms

from reviews.forms.schema import flattened, nested, schema_fields


def form(schema: dict[str, Any], data: dict[str, str] | None = None) -> forms.Form:
    return type("Form", (forms.Form,), dict(schema_fields(schema)))(data)


def obj(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required or []}


NUMBER = {"type": "number", "title": "Temperature", "unit": "°C", "minimum": 20, "maximum": 120}


def test_a_field_carries_title_unit_help_and_default():
    field = schema_fields(obj(t={**NUMBER, "description": "of the bath", "default": 80}))["t"]
    assert (field.label, field.unit, field.help_text, field.initial) == (
        "Temperature",
        "°C",
        "of the bath",
        80,
    )


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (NUMBER, "80.5", 80.5),
        ({"type": "integer"}, "3", 3),
        ({"type": "string"}, "text", "text"),
        ({"type": "boolean"}, "on", True),
        ({"enum": ["a", "b"]}, "b", "b"),
        ({"enum": [90, 105]}, "105", 105),
        ({"const": "x"}, "x", "x"),
        ({"type": "array", "items": {"type": "number"}}, "[1, 2]", [1, 2]),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "2", 2.0),
    ],
)
def test_what_is_typed_becomes_a_typed_value(schema, typed, value):
    bound = form(obj(["x"], x=schema), {"x": typed})
    assert bound.is_valid(), bound.errors
    assert bound.cleaned_data == {"x": value}


@pytest.mark.parametrize(("typed", "changed"), [("90", []), ("105", ["x"]), ("nonsense", ["x"])])
def test_a_choice_of_numbers_is_compared_with_the_number_that_it_opened_with(typed, changed):
    fields = dict(schema_fields(obj(["x"], x={"enum": [90, 105]})))
    bound = type("Form", (forms.Form,), fields)({"x": typed}, initial={"x": 90})
    assert bound.changed_data == changed


@pytest.mark.parametrize(
    ("schema", "typed"),
    [
        (NUMBER, "hot"),
        (NUMBER, "nan"),
        (NUMBER, "inf"),
        (NUMBER, "121"),
        (NUMBER, "19.9"),
        ({"type": "number", "exclusiveMinimum": 0}, "0"),
        ({"type": "number", "exclusiveMaximum": 1}, "1"),
        ({"type": "integer"}, "2.5"),
        ({"type": "string", "maxLength": 3}, "four"),
        ({"enum": ["a"]}, "b"),
        ({"type": "array"}, "[1,"),
    ],
)
def test_what_does_not_fit_is_an_error_beside_its_field(schema, typed):
    bound = form(obj(["x"], x=schema), {"x": typed})
    assert not bound.is_valid()
    assert list(bound.errors) == ["x"]


def test_only_required_fields_must_be_filled():
    bound = form(obj(["a"], a={"type": "string"}, b=NUMBER, c={"enum": ["x"]}), {})
    assert not bound.is_valid()
    assert list(bound.errors) == ["a"]


def test_an_empty_optional_field_is_left_out():
    bound = form(obj(b=NUMBER, c={"enum": ["x"]}, d={"type": "string"}), {"c": "", "b": ""})
    assert bound.is_valid()
    assert nested(bound.cleaned_data) == {}


def test_inner_objects_are_flat_fields_and_come_back_nested():
    schema = obj(
        ["m"], m={**obj(["yield"], **{"yield": NUMBER}), "title": "Measured"}, note={"type": "string"}
    )
    fields = schema_fields(schema)
    assert [(name, field.group) for name, field in fields.items()] == [("m.yield", "Measured"), ("note", "")]
    bound = form(schema, {"m.yield": "61", "note": "clear"})
    assert bound.is_valid()
    assert nested(bound.cleaned_data) == {"m": {"yield": 61.0}, "note": "clear"}
    assert flattened({"m": {"yield": 61.0}, "note": "clear"}, schema) == {"m.yield": 61.0, "note": "clear"}


def test_a_reference_is_followed_and_what_stands_beside_it_wins():
    schema = {**obj(t={"$ref": "#/$defs/T", "title": "Bath"}), "$defs": {"T": NUMBER}}
    field = schema_fields(schema)["t"]
    assert (field.label, field.unit, field.max_value) == ("Bath", "°C", 120)


def test_long_texts_get_several_lines():
    fields = schema_fields(
        obj(a={"type": "string", "maxLength": 40}, b={"type": "string", "maxLength": 4000})
    )
    assert [type(field.widget) for field in fields.values()] == [forms.TextInput, forms.Textarea]


@pytest.mark.parametrize(
    ("bound", "typed", "told"),
    [
        ("exclusiveMinimum", "-1", "This value must be greater than 0."),
        ("exclusiveMinimum", "0", "This value must be greater than 0."),
        ("exclusiveMaximum", "0", "This value must be less than 0."),
    ],
)
def test_an_open_bound_is_told_in_plain_words(bound, typed, told):
    assert form(obj(n={"type": "number", bound: 0}), {"n": typed}).errors["n"] == [told]


def test_the_state_of_a_measurement_is_shown_in_words_and_sent_as_its_code():
    status = {"enum": ["ok", "failed", "below_detection"]}
    shown = form(obj(["status"], status=status), {"status": "below_detection"})
    assert [str(text) for _, text in shown.fields["status"].choices] == [
        "Measured",
        "Failed",
        "Below detection",
    ]
    assert shown.is_valid()
    assert shown.cleaned_data["status"] == "below_detection"
    other = schema_fields(obj(kind={"enum": ["ok", "not_that"]}))["kind"]
    assert ("not_that", "not_that") in other.choices


@pytest.mark.parametrize(
    ("name", "title", "label"),
    [
        ("pka", "Pka", "pKa"),
        ("target_ph", "Target Ph", "Target pH"),
        ("target_ph", "Target ph", "Target pH"),
        ("acid_concentration", "Acid Concentration", "Acid Concentration"),
        ("pka", "Acidity", "Acidity"),
    ],
)
def test_a_label_that_was_made_of_a_name_has_the_capitals_of_its_symbols(name, title, label):
    assert schema_fields(obj(**{name: {"type": "number", "title": title}}))[name].label == label
