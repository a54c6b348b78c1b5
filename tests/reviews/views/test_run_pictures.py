"""A picture that a tool drew: shown with its result and in the report, to members only, from its own run only."""

import base64
from typing import Any

import pytest
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from agents.core.pictures import PNG_BEGINNING, stored_picture
from agents.store.artifacts import artifact_path, store_bytes
from reviews.exports import export_run
from tests.reviews.exports import stories

CAPTION = "bars of <b>yield</b> against base"
CONTENT = PNG_BEGINNING + b"drawn"


def file_picture(run: Any, *, content: bytes = CONTENT, own: bool = True) -> tuple[str, str]:
    """File a result with a picture; return the picture's hash and its address."""
    name = store_bytes(content).content_hash
    data = {"picture": stored_picture(name), "caption": CAPTION, "points": 3}
    result = {
        "success": True,
        "data": data,
        "artifacts": [name] if own else [],
        "summary": "Plot: points 3.",
        "tool": "plot",
    }
    stories.log(run, "effect.finished", {"key": "1/act/plot", "attempt": 1, "result": result}, round=1)
    run.refresh_from_db()
    return name, reverse("run-picture", args=[run.pk, run.seq, 1])


@pytest.fixture
def filed(lab: Any) -> tuple[str, str]:
    return file_picture(lab.run)


def test_it_stands_with_its_result_and_is_a_png_that_cannot_be_anything_else(lab, filed):
    page = LexborHTMLParser(lab.viewer.get(reverse("run", args=[lab.run.pk])).content.decode())
    image = page.css_first(".event-picture img")
    assert (image.attributes["src"], image.attributes["alt"]) == (filed[1], CAPTION)
    answer = lab.viewer.get(filed[1])
    assert (answer.status_code, answer.content, answer["Content-Type"]) == (200, CONTENT, "image/png")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def test_a_stranger_and_another_run_do_not_get_it(lab, filed):
    assert lab.clients["stranger"].get(filed[1]).status_code == 404
    other = stories.a_run()
    assert lab.viewer.get(reverse("run-picture", args=[other.pk, lab.run.seq, 1])).status_code == 404
    assert lab.viewer.get(filed[1].replace("/1.png", "/2.png")).status_code == 404


@pytest.mark.parametrize("given", [{"own": False}, {"content": b"<script>alert(1)</script>"}])
def test_a_file_that_was_not_drawn_for_this_call_or_is_no_picture_is_not_shown(lab, given):
    assert lab.viewer.get(file_picture(lab.run, **given)[1]).status_code == 404


@pytest.mark.django_db
def test_the_reports_hold_it_whole_with_its_words_and_its_hash():
    run = stories.a_run()
    name, _ = file_picture(run)
    page = LexborHTMLParser(export_run(run, "html").content.decode())
    image = page.css_first("figure img")
    assert image.attributes["src"] == f"data:image/png;base64,{base64.b64encode(CONTENT).decode()}"
    assert CAPTION in image.attributes["alt"]
    assert "img-src data:;" in page.css_first("meta[http-equiv]").attributes["content"]
    assert name in export_run(run, "md").content.decode()


@pytest.mark.django_db
def test_a_report_lives_without_a_picture_that_is_gone():
    run = stories.a_run()
    name, _ = file_picture(run)
    artifact_path(name).unlink()
    assert not LexborHTMLParser(export_run(run, "html").content.decode()).css("img")


@pytest.mark.django_db
def test_more_pictures_cost_a_report_no_more_queries(django_assert_max_num_queries):
    run = stories.a_run()
    file_picture(run)
    with django_assert_max_num_queries(30) as few:
        export_run(run, "html")
    for number in range(4):
        file_picture(run, content=CONTENT + bytes([number]))
    with django_assert_max_num_queries(len(few)):
        export_run(run, "html")
