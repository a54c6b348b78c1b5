"""The state of a run is a fold of its log: pure, bounded, plain JSON, the same however it is built."""

import copy
import functools
import json

from hypothesis import given

from agents.core.events import KINDS, check_payload
from agents.core.projection import (
    KEPT_FINDINGS,
    KEPT_HYPOTHESES,
    KEPT_STEPS,
    apply_event,
    empty_state,
)
from tests.core.event_strategies import EVENT, LOG, PAYLOADS


def fold(events, state=None):
    def step(state, event):
        return apply_event(state, kind=event[0], payload=event[1], round=event[2])

    return functools.reduce(step, events, state or {})


@given(LOG, LOG)
def test_a_fold_may_be_interrupted_and_taken_up(first, second):
    assert fold(second, fold(first)) == fold([*first, *second])


@given(LOG)
def test_the_state_is_plain_json_and_survives_a_restart_after_every_event(events):
    state = {}
    for event in events:
        state = json.loads(json.dumps(fold([event], state)))
    assert state == fold(events)


@given(LOG, EVENT)
def test_applying_an_event_changes_nothing_that_was_there(events, event):
    state = fold(events)
    before = copy.deepcopy(state)
    fold([event], state)
    assert state == before


@given(LOG)
def test_the_state_does_not_grow_with_the_run(events):
    state = {**empty_state(), **fold(events * 3)}
    assert len(state["steps"]) <= KEPT_STEPS
    assert len(state["findings"]) <= KEPT_FINDINGS
    assert len(state["hypotheses"]) <= KEPT_HYPOTHESES


@given(EVENT)
def test_the_strategies_make_real_events(event):
    assert check_payload(event[0], event[1]).keys() == event[1].keys()


def test_a_kind_of_another_release_changes_nothing():
    state = fold([("round.started", {}, 1)])
    assert fold([("mood.changed", {"to": "sunny"}, 1)], state) == state


def test_every_kind_that_moves_the_state_is_tried_here():
    from agents.core.projection import _APPLY

    assert set(_APPLY) <= set(PAYLOADS) <= set(KINDS)


def test_spending_is_added_up():
    calls = [("model.called", {"prompt_tokens": 100, "completion_tokens": 20, "money": 0.1}, 1)] * 3
    spent = fold([("round.started", {}, 1), *calls])["spent"]
    assert (spent["rounds"], spent["calls"], spent["tokens"], spent["money"]) == (1, 3, 360, 0.3)


def test_evidence_counts_for_the_run_and_for_the_hypothesis_that_stands():
    state = fold(
        [
            ("proposal.made", {"proposal": {"hypothesis": {"text": "more"}}}, 1),
            ("evidence.filed", {"stance": "for", "inside": True}, 1),
            ("proposal.made", {"proposal": {"hypothesis": {"text": "less"}}}, 2),
            ("evidence.filed", {"stance": "against", "inside": False}, 2),
        ]
    )
    assert state["evidence"] == {"for": 1, "against": 1, "inconclusive": 0}
    assert (state["hypothesis"]["version"], state["hypothesis"]["for"], state["hypothesis"]["against"]) == (
        2,
        0,
        1,
    )
    assert state["predictions"] == {"scored": 2, "inside": 1}
    assert [old["text"] for old in state["hypotheses"]] == ["more", "less"]


def test_an_edit_of_what_refutes_the_hypothesis_is_what_stands():
    claim = {"text": "Hotter is better.", "refuted_by": "a yield below 20 %"}
    edited = {**claim, "refuted_by": "a yield below 50 %"}
    made = ("proposal.made", {"proposal": {"hypothesis": claim}}, 1)
    state = fold([made, ("review.decided", {"hypothesis": edited}, 1)])
    assert (state["hypothesis"]["version"], state["hypothesis"]["refuted_by"]) == (1, "a yield below 50 %")
