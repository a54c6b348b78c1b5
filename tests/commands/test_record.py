"""``manage.py record``"""

import json

import pytest

from reviews.models import Decision
from reviews.record import guards
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


def test_the_record_is_told_with_who_role_when_where_what_and_why(db):
    stories.whole_run()
    first, second, third = data("record", "show", "best-base#1")
    assert (first["by"], first["role"], first["from"], first["verdict"]) == ("ada", "owner", "web", "approve")
    assert second["changes"] == ["temperature: 90 → 100"]
    assert (third["verdict"], third["reason"]) == ("veto", Decision.objects.get(verdict="veto").reason_code)
    assert first["policy"].startswith("every_step")
    assert first["event"] < second["event"] < third["event"]
    assert "temperature: 90 → 100" in say("record", "show", "best-base#1")


def test_verify_says_how_many_and_ends_with_an_error_when_broken(db):
    stories.whole_run()
    assert say("record", "verify") == "Verified: 3 entries, unaltered.\n"
    guards.take_down()
    Decision.objects.filter(verdict="veto").update(note="as you like")
    assert str(fault("record", "verify", "best-base#1")) == "The record is broken in 1 places."


def test_an_anchor_of_before_finds_what_was_taken_back(db, tmp_path):
    run = stories.whole_run()
    file = tmp_path / "anchor.json"
    assert "Keep it where" in say("record", "anchor", "-o", str(file))
    assert data("record", "verify", "--anchor", str(file))["is_sound"]
    run.study.delete()
    assert say("record", "verify") == "Verified: 0 entries, unaltered.\n"
    assert "broken in 1 places" in str(fault("record", "verify", "--anchor", str(file)))


@pytest.mark.parametrize(
    ("content", "told"),
    [("{}", "no anchor of a record"), ("no", "holds no JSON"), (None, "cannot be read")],
)
def test_what_is_no_anchor_is_refused(db, tmp_path, content, told):
    file = tmp_path / "anchor.json"
    if content is not None:
        file.write_text(content)
    assert told in str(fault("record", "verify", "--anchor", str(file)))


def test_an_anchor_that_was_changed_is_refused(db, tmp_path):
    stories.whole_run()
    anchor = json.loads(say("record", "anchor"))
    anchor["runs"][0]["entries"] = 2
    file = tmp_path / "anchor.json"
    file.write_text(json.dumps(anchor))
    assert "its seal does not fit" in str(fault("record", "verify", "--anchor", str(file)))
