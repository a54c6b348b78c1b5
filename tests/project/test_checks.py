"""System checks: a plug-in that does not load is an error, wherever it comes from; the others go on."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from agents.wiring import registry
from project.checks import tools


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    registry.cache_clear()
    yield
    registry.cache_clear()


def test_a_module_of_the_settings_that_does_not_load_is_an_error(settings):
    settings.DAYBOOK_TOOLS = ["tests.tools.broken_plugin", "no.such.module"]
    found = tools(None)
    assert {error.id for error in found} == {"daybook.E002"}
    assert any("no.such.module" in error.msg for error in found)
    assert "convert_units" in registry().tools


def test_a_package_whose_entry_point_does_not_load_is_an_error(settings, monkeypatch):
    settings.DAYBOOK_TOOLS = []
    points = [EntryPoint(name="lab", value="no.such.package:tool", group="daybook.tools")]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: points)
    monkeypatch.setattr("agents.tools.registry.entry_points", lambda **_: points)
    (error,) = tools(None)
    assert "entry point lab" in error.msg


def test_without_plug_ins_nothing_is_loaded(settings, monkeypatch):
    settings.DAYBOOK_TOOLS = []
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [])
    assert tools(None) == []
    assert registry.cache_info().currsize == 0
