"""What counts as a change of the program, and what may then be done with a run."""

import pytest

from agents.core import versions
from agents.core.tools import EffectClass
from agents.core.versions import (
    Configuration,
    Difference,
    choices,
    configuration_of,
    differences,
    fingerprint,
)
from agents.testing.toolbox import toy_spec

SPEC = toy_spec("weigh", "dose")
FIELD = SPEC.input_schema["properties"]["dose"]


def with_field(**changes):
    schema = {**SPEC.input_schema, "properties": {"dose": {**FIELD, **changes}}}
    return SPEC.model_copy(update={"input_schema": schema})


@pytest.mark.parametrize(
    "other",
    [
        SPEC.model_copy(update={"title": "Weigh it", "description": "better words", "timeout_s": 99.0}),
        with_field(description="how much", title="Dose"),
    ],
)
def test_wording_and_patience_are_no_change(other):
    assert fingerprint(other) == fingerprint(SPEC)


@pytest.mark.parametrize(
    "other",
    [
        SPEC.model_copy(update={"version": "2"}),
        SPEC.model_copy(update={"effect": EffectClass.LOCAL}),
        SPEC.model_copy(update={"executor": "person"}),
        SPEC.model_copy(update={"is_experiment": True}),
        with_field(type="string"),
        with_field(maximum=5),
        toy_spec("weigh", "dose", "title"),
        toy_spec("weigh", "dose", output_schema={"type": "object"}),
    ],
)
def test_what_callers_rely_on_is_a_change(other):
    assert fingerprint(other) != fingerprint(SPEC)


def test_changed_and_missing_tools_are_differences_and_new_ones_are_not():
    stored = configuration_of([toy_spec("a"), toy_spec("b")], graph="1")
    now = configuration_of([toy_spec("a", version="2"), toy_spec("c")], graph="1")
    found = differences(stored, now)
    assert [(d.what, d.name, bool(d.now)) for d in found] == [("tool", "a", True), ("tool", "b", False)]
    assert "version 1 then, 2 now" in found[0].sentence
    assert "not installed any more" in found[1].sentence


def test_a_run_that_was_never_driven_has_nothing_that_could_differ():
    assert differences(None, configuration_of([SPEC], graph="1")) == []


def test_another_graph_is_a_difference_until_a_person_took_it_under_this_program(monkeypatch):
    monkeypatch.setattr(versions, "GRAPH_VERSION", "2")
    now = configuration_of([SPEC], graph="1")
    assert [d.what for d in differences(None, now)] == ["graph"]
    assert differences(now, now) == []
    monkeypatch.setattr(versions, "GRAPH_VERSION", "3")
    assert [d.what for d in differences(now, configuration_of([SPEC], graph="1"))] == ["graph"]


@pytest.mark.parametrize(
    ("graph", "what", "offered"),
    [
        ("1", "graph", ["finish", "fork", "close"]),
        ("1", "tool", ["finish", "fork", "close"]),
        ("0", "graph", ["fork", "close"]),
        ("1", "setup", ["finish", "close"]),
        ("0", "setup", ["close"]),
    ],
)
def test_what_is_offered_depends_on_what_still_loads(graph, what, offered):
    assert choices([Difference(what=what)], graph=graph) == offered


def test_a_configuration_survives_storage():
    made = configuration_of([SPEC], graph="1")
    assert Configuration.model_validate(made.model_dump()) == made
