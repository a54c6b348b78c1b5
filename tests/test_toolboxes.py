"""A run that people review is driven anew at every answer: its tools are put together once, while nothing changed."""

import threading

import pytest

from agents import wiring
from agents.core.study import StudyProtocol
from agents.services.protocols import protocol_of
from tests.support import make_study

pytestmark = pytest.mark.django_db


def protocol(**changes) -> StudyProtocol:
    # A tool of the study's own: nobody can measure with the toy one here.
    study = make_study(experiment_tool="ask_researcher")
    return protocol_of(study).model_copy(update=changes)


def test_the_same_study_has_the_same_toolbox():
    one = protocol()
    assert wiring.toolbox_for(one) is wiring.toolbox_for(one.model_copy())


def test_a_study_that_changed_has_another():
    one = protocol()
    other = one.model_copy(update={"tools": ["ask_researcher"]})
    assert [spec.name for spec in wiring.toolbox_for(other).specs()] == ["ask_researcher"]
    assert len(wiring.toolbox_for(one).specs()) > 1


def test_a_registry_that_was_read_anew_makes_another():
    one = protocol()
    before = wiring.toolbox_for(one)
    wiring.registry.cache_clear()
    assert wiring.toolbox_for(one) is not before


def test_another_thread_has_its_own():
    one, found = protocol(), []
    thread = threading.Thread(target=lambda: found.append(wiring.toolbox_for(one)))
    thread.start()
    thread.join()
    assert found[0] is not wiring.toolbox_for(one)


def test_toolboxes_are_let_go_with_the_tables_and_beyond_their_number():
    one = protocol()
    before = wiring.toolbox_for(one)
    wiring.forget_tables()
    again = wiring.toolbox_for(one)
    assert again is not before
    for number in range(wiring.TOOLBOXES):
        wiring.toolbox_for(one.model_copy(update={"title": f"Other {number}"}))
    assert len(wiring._toolboxes) == wiring.TOOLBOXES
    assert wiring.toolbox_for(one) is not again
