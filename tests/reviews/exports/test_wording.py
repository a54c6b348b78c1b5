"""What a person entered, in words."""

from django.template.loader import render_to_string

from agents.models import Event
from reviews.exports.parts.wording import entered_text


def test_a_measurement_is_told_without_codes():
    entry = {
        "measurements": {
            "yield": {"value": 71.2, "unit": "%", "status": "ok", "note": "", "uncertainty": None}
        },
        "status": "ok",
        "attachments": [],
    }
    assert entered_text(entry) == "yield 71.2\u00a0%"


def test_a_detection_limit_and_a_failure_are_told():
    below = {
        "measurements": {"yield": {"value": 0.5, "unit": "%", "status": "below_detection"}},
        "status": "ok",
    }
    assert entered_text(below) == "yield Below detection (0.5\u00a0%)"
    assert entered_text({"measurements": {}, "status": "failed", "note": "it boiled over"}) == (
        "Failed, note it boiled over"
    )


def test_the_answer_for_another_tool_keeps_its_own_names():
    assert entered_text({"answer": "use acetone", "sure": True}) == "answer use acetone, sure yes"


def test_a_row_that_is_no_measurement_is_told_as_it_stands():
    assert entered_text({"measurements": {"yield": 71.2}}) == "yield 71.2"


def test_the_live_row_says_what_was_entered():
    payload = {
        "verdict": "answer",
        "by": "ann",
        "result": {"measurements": {"yield": {"value": 0.5, "unit": "%", "status": "below_detection"}}},
    }
    row = render_to_string(
        "events/review.decided.html", {"payload": payload, "event": Event(kind="review.decided")}
    )
    assert "Entered: yield Below detection (0.5\u00a0%)" in row
