"""Comments on the card: marked, escaped, without scripts too."""

import pytest
from django.urls import reverse

from agents.models import Event
from reviews.models import Comment
from tests.reviews.views.conftest import PROPOSAL, proposal_content, waiting_gate

HOSTILE = "<script>alert(1)</script> & \"'"


@pytest.fixture
def url(lab):
    return reverse("review-comment", args=[lab.gate.pk])


def given(**changes):
    return {"part": "hypothesis", "quote": "KOAc", "text": "Why not CsOPiv?", **changes}


def test_it_is_kept_and_marked_where_it_belongs(lab, url):
    assert lab.reviewer.post(url, given()).status_code == 302
    page = lab.owner.get(reverse("review", args=[lab.gate.pk])).content.decode()
    assert (
        '<span class="pre-line" data-part="hypothesis"><mark class="on" data-n="1">KOAc</mark> is enough'
        in page
    )
    assert "Why not CsOPiv?" in page and "goes with the decision" in page


def test_what_is_hostile_stays_text(lab):
    gate = waiting_gate(
        lab.study, content=proposal_content(hypothesis={**PROPOSAL["hypothesis"], "text": HOSTILE})
    )
    lab.reviewer.post(
        reverse("review-comment", args=[gate.pk]), given(quote="<script>alert(1)</script>", text=HOSTILE)
    )
    assert Comment.objects.get().text == HOSTILE
    page = lab.reviewer.get(reverse("review", args=[gate.pk])).content.decode()
    assert "<script>alert" not in page
    assert '<mark class="on" data-n="1">&lt;script&gt;alert(1)&lt;/script&gt;</mark>' in page


def test_what_is_refused_comes_back_with_what_was_typed(lab, url):
    answer = lab.reviewer.post(url, given(quote="nowhere"))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "This passage is not in that part" in page and "Why not CsOPiv?" in page


def test_by_itself_it_is_guidance(lab, url):
    lab.reviewer.post(url, given(send="1"))
    (row,) = Event.objects.filter(run=lab.run, kind="guidance.given")
    assert row.payload == {"text": "On “KOAc” (hypothesis): Why not CsOPiv?", "by": "reviewer"}


def test_what_waits_can_be_told_later(lab, url):
    lab.reviewer.post(url, given())
    lab.reviewer.post(reverse("comments-send", args=[lab.gate.pk]))
    assert Comment.objects.get().sent_at is not None


def test_the_card_answers_in_place(lab, url):
    page = lab.reviewer.post(url, given(), headers={"HX-Request": "true"}).content.decode()
    assert page.startswith("<article") and "The comment is kept." in page


def test_a_viewer_sees_them_and_has_no_form(lab, url):
    lab.reviewer.post(url, given())
    page = lab.viewer.get(reverse("review", args=[lab.gate.pk])).content.decode()
    assert "Why not CsOPiv?" in page and "Comment on a passage" not in page
