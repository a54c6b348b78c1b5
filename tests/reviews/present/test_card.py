"""The card of a gate: typed arguments with units, what changed, what is near, what to beware of."""

from typing import Any

from agents.core.gates import GateKind, GateRequest
from agents.core.tools import ToolSpec
from reviews.present.card import make_card

SPEC = ToolSpec(
    name="measure",
    title="Measure",
    input_schema={
        "properties": {
            "base": {"title": "Base", "type": "string"},
            "t": {"title": "Temperature", "type": "number", "unit": "°C", "description": "of the bath"},
        }
    },
    duration_s=60,
)
PROPOSAL: dict[str, Any] = {
    "hypothesis": {"text": "CsOPiv wins", "refuted_by": "less than 50 %"},
    "action": {"tool": "measure", "arguments": {"t": 105, "base": "CsOPiv", "extra": 1}},
    "reason": "highest expected improvement",
}
STATE = {
    "hypotheses": [{"text": "KOAc wins"}, {"text": "CsOPiv wins"}],
    "steps": [{"action": {"tool": "measure", "arguments": {"t": 90, "base": "CsOPiv"}}}],
}


def request(kind: GateKind = GateKind.PROPOSAL, **content: Any) -> GateRequest:
    return GateRequest(key="7/review", kind=kind, round=7, digest="d", content=content)


def card(state: dict[str, Any] | None = None, spec: ToolSpec | None = SPEC, **content: Any):
    return make_card(
        request(**{"proposal": PROPOSAL, **content}), state=STATE if state is None else state, spec=spec
    )


def test_arguments_come_in_the_schemas_order_with_units_and_last_rounds_value():
    shown = [(a.label, a.value, a.unit, a.was) for a in card().arguments]
    assert shown == [("Base", "CsOPiv", "", None), ("Temperature", 105, "°C", 90), ("extra", 1, "", None)]


def test_the_hypothesis_shows_what_changed_since_the_last_one():
    assert [(p.kind, p.text) for p in card().change] == [
        ("removed", "KOAc"),
        ("added", "CsOPiv"),
        ("same", " wins"),
    ]


def test_the_first_hypothesis_has_no_difference():
    assert card(state={}).change == []


def test_a_tool_that_is_gone_still_shows_what_would_run():
    shown = card(spec=None)
    assert (shown.tool_title, [a.name for a in shown.arguments]) == ("measure", ["t", "base", "extra"])


def test_neighbours_say_what_differs():
    near = {"experiment_id": "e1", "value": 84.2, "unit": "%", "round": 5, "differs": {"t": [120, 105]}}
    assert card(neighbours=[near]).nearest[0].differs == [("t", 120, 105)]


def test_warnings_may_be_sentences_or_records():
    assert card(warnings=["near a limit", {"message": "repeat"}]).warnings == ["near a limit", "repeat"]


def test_hidden_characters_are_named_first():
    action = {"tool": "measure", "arguments": {"base": "Cs\u200bOPiv", "t": 1}}
    assert (
        card(proposal={**PROPOSAL, "action": action}, warnings=["w"])
        .warnings[0]
        .startswith("base holds hidden")
    )


def test_a_question_without_an_action_shows_its_text():
    problem = make_card(
        request(GateKind.ATTENTION, problem="no usable answer", tries=[]), state={}, spec=None
    )
    finish = make_card(request(GateKind.FINISH, answer="CsOPiv"), state={}, spec=None)
    assert (problem.text, problem.action, finish.text) == ("no usable answer", None, "CsOPiv")


def test_a_hypothesis_that_states_otherwise_than_a_finding_names_it():
    state = {
        "findings": [
            {"id": "F1", "text": "The yield at 80 °C was 42 %.", "status": "active"},
            {"id": "F2", "text": "The yield at 80 °C was 41 %.", "status": "retired"},
            {"id": "F3", "text": "KOAc dissolves slowly.", "status": "active"},
        ]
    }
    proposal = {
        "hypothesis": {"text": "The yield at 80 °C is 90 %."},
        "action": {"tool": "weigh", "arguments": {}},
    }
    request = GateRequest(
        key="1/review", kind="proposal", round=1, digest="d", content={"proposal": proposal}
    )
    assert [row["id"] for row in make_card(request, state=state, spec=None).contradicted] == ["F1"]
    assert make_card(request, state={}, spec=None).contradicted == []
