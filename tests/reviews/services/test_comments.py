"""Comments on passages: kept with their place, told to the reasoner, and unseen by a blind second."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.errors import BadInput, Conflict, Refused
from agents.models import Event
from reviews.models import Comment
from reviews.present.comments import stretches
from reviews.services import comment, decide, send_comments
from reviews.services.comments import comments_for


def say(gate, user, **changes):
    fields = {"part": "hypothesis", "quote": "better", "text": "Better than what?"}
    return comment(gate=gate, user=user, **{**fields, **changes})


def told(gate):
    return [
        (row.payload["by"], row.payload["text"])
        for row in Event.objects.filter(run=gate.run, kind="guidance.given").order_by("seq")
    ]


def test_it_is_kept_with_author_time_quote_and_place(desk):
    gate = desk.gate()
    say(gate, desk.ana)
    row = Comment.objects.get()
    assert (row.by, row.user, row.quote, row.start, row.end) == ("ana", desk.ana, "better", 8, 14)
    assert row.at is not None and row.sent_at is None
    assert told(gate) == []


@pytest.mark.parametrize(
    ("verdict", "more"), [("approve", {}), ("veto", {"reason_code": "unsafe"}), ("edit", {})]
)
def test_it_goes_to_the_reasoner_with_the_decision_in_its_authors_name(desk, verdict, more):
    gate = desk.gate()
    say(gate, desk.ben)
    decide(gate=gate, user=desk.ana, verdict=verdict, shown_digest=gate.digest, **more)
    assert told(gate) == [("ben", "On “better” (hypothesis): Better than what?")]
    assert Comment.objects.get().sent_at is not None


def test_a_stop_tells_nobody(desk):
    gate = desk.gate()
    say(gate, desk.ben)
    decide(gate=gate, user=desk.ana, verdict="stop", shown_digest=gate.digest)
    assert told(gate) == []


def test_it_may_go_at_once_and_goes_once(desk):
    gate = desk.gate()
    say(gate, desk.ana, send=True)
    say(gate, desk.ana, text="And how much?")
    say(gate, desk.ben, text="Mine waits.")
    assert send_comments(gate=gate, user=desk.ana) == 1
    assert send_comments(gate=gate, user=desk.ana) == 0
    assert [by for by, _text in told(gate)] == ["ana", "ana"]
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    assert [by for by, _text in told(gate)] == ["ana", "ana", "ben"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"quote": "worse"}, "quote"),
        ({"quote": ""}, "quote"),
        ({"quote": "x" * 1001}, "quote"),
        ({"text": " \n "}, "text"),
        ({"text": "t" * 1501}, "text"),
        ({"part": "nowhere"}, "part"),
        ({"part": "reason"}, "part"),
    ],
)
def test_what_is_not_there_is_refused_beside_its_field(desk, changes, field):
    gate = desk.gate()
    with pytest.raises(BadInput) as fault:
        say(gate, desk.ana, **changes)
    assert [problem["field"] for problem in fault.value.problems] == [field]
    assert not Comment.objects.exists()


def test_of_two_places_the_selected_one_is_meant_and_a_wrong_number_finds_the_nearest(desk):
    gate = desk.gate()
    assert say(gate, desk.ana, quote="e", start=3).start == 3
    assert say(gate, desk.ana, quote="more is", start=99).start == 0


def test_an_argument_may_be_meant(desk):
    assert say(desk.gate(), desk.ana, part="arg.dose", quote="5", text="Too much").quote == "5"


def test_a_closed_review_takes_none_and_a_viewer_gives_none(desk):
    gate = desk.gate()
    with pytest.raises(Refused):
        say(gate, desk.vic)
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    with pytest.raises(Conflict, match="Already decided"):
        say(gate, desk.ben)
    assert not Comment.objects.exists()


def test_a_blind_second_does_not_see_them_until_both_have_answered(desk):
    gate = desk.gate(then="second")
    say(gate, desk.ana)
    review = Comment.objects.get().review
    assert ([row.by for row in comments_for(review, desk.ana)], comments_for(review, desk.ben)) == (
        ["ana"],
        [],
    )
    with pytest.raises(Conflict, match="without seeing"):
        say(gate, desk.ana, send=True)
    with pytest.raises(Conflict, match="without seeing"):
        send_comments(gate=gate, user=desk.ana)
    assert (told(gate), Comment.objects.count()) == ([], 1)
    for user in (desk.ana, desk.ben):
        decide(gate=gate, user=user, verdict="approve", shown_digest=gate.digest)
    review.refresh_from_db()
    assert [row.by for row in comments_for(review, desk.ben)] == ["ana"]
    assert len(told(gate)) == 1


@given(st.text(max_size=40), st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6))
def test_the_marks_never_change_the_text(text, spans):
    rows = [
        Comment(part="reason", start=min(span), end=max(span), quote=text[min(span) : max(span)])
        for span in spans
    ]
    found = stretches(text, "reason", rows)
    assert "".join(one.text for one in found) == text
    for number, row in enumerate(rows, start=1):
        if row.start < row.end <= len(text):
            assert "".join(one.text for one in found if number in one.numbers) == row.quote
