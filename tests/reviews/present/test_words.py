"""Every code that a person meets has a word, and every event kind a row."""

from pathlib import Path

import pytest
from django.template.loader import get_template

from agents.core.budget import Budget
from agents.core.events import KINDS
from agents.core.gates import REASON_CODES, GateKind, Verdict
from agents.core.lifecycle import RunStatus
from agents.core.policy import CUSTOM, POLICIES
from reviews.present import words
from reviews.present.buttons import BUTTONS, forms_of
from reviews.present.graph import EDGES, NODES, current_node, visits

VERDICT_OF_FORM = {"edit": "edit", "measure": "answer", "veto": "veto", "note": "approve"}


@pytest.mark.parametrize(
    ("codes", "table"),
    [
        (RunStatus, words.RUN_STATES),
        (Verdict, words.VERDICTS),
        (GateKind, words.GATES),
        (REASON_CODES, words.REASONS),
        ((*POLICIES, CUSTOM), words.POLICIES),
        (Budget.model_fields, words.BUDGET),
    ],
)
def test_every_code_has_a_word(codes, table):
    assert [code for code in codes if code not in table] == []


def test_an_unknown_code_is_shown_as_it_is():
    assert words.word("run", "half_done").label == "half done"


def test_every_tone_has_its_colour():
    sheet = Path("static/css/tokens.css").read_text()
    tones = {word.tone for table in words._TABLES.values() for word in table.values()}
    assert [tone for tone in tones if f"--{tone}:" not in sheet] == []


def test_every_icon_is_in_the_sprite():
    sprite = Path("static/vendor/lucide/icons.svg").read_text()
    icons = {word.icon for table in words._TABLES.values() for word in table.values()}
    icons |= {button.icon for buttons in BUTTONS.values() for button in buttons}
    assert [icon for icon in icons if f'id="{icon}"' not in sprite] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_event_has_a_row_of_its_own(kind):
    assert get_template(f"events/{kind}.html")


@pytest.mark.parametrize("kind", GateKind)
def test_the_buttons_give_every_verdict_that_a_gate_takes(kind):
    from agents.core.gates import VERDICTS

    given = {button.verdict for button in BUTTONS[kind] if button.verdict}
    given |= {VERDICT_OF_FORM[form] for form in forms_of(kind)}
    # A proposal is stopped from its veto form, where the reason is asked for.
    assert given | {"stop"} == set(VERDICTS[kind])


def test_the_drawn_graph_is_the_one_that_runs():
    from agents.engine.graph import build_graph

    drawn = {(edge.source, edge.target) for edge in EDGES}
    real = {(e.source, e.target) for e in build_graph(None).get_graph().edges}
    assert {edge for edge in real if edge[0] in NODES and edge[1] in NODES} == drawn


def test_visits_are_counted_from_events():
    assert visits({"round.started": 3, "review.opened": 1, "gate.passed": 2})["review"] == 3
    assert (
        current_node("review.opened", has_ended=False),
        current_node("review.opened", has_ended=True),
    ) == ("review", "")
