"""What may be logged: known kinds, complete payloads, plain and clean values."""

import pytest

from agents.core.events import KINDS, check_payload


def test_a_kind_is_named_in_the_past_tense_with_its_subject():
    assert all(name.count(".") == 1 and name == kind.name for name, kind in KINDS.items())


def test_a_payload_may_say_more_than_it_must():
    assert check_payload("run.paused", {"by": "ana", "why": "lunch"}) == {"by": "ana", "why": "lunch"}


@pytest.mark.parametrize(
    ("kind", "payload", "message"),
    [
        ("run.vanished", {}, "unknown event kind 'run.vanished'"),
        ("effect.started", {"key": "k"}, "lacks attempt, effect"),
        ("run.failed", {"error": float("inf")}, "JSON compliant"),
    ],
)
def test_what_is_no_event_is_refused(kind, payload, message):
    with pytest.raises(ValueError, match=message):
        check_payload(kind, payload)


def test_text_is_cleaned_at_every_depth():
    payload = {"error": ["a\x00", {"b\ud800": "e\u0301"}]}
    assert check_payload("run.failed", payload) == {"error": ["a", {"b�": "é"}]}


def test_what_is_no_json_is_refused():
    with pytest.raises(TypeError):
        check_payload("run.failed", {"error": {1, 2}})
