"""``manage.py policy``"""

import json

import pytest

from agents.services import current_policy
from reviews.services import add_member
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories
from tests.reviews.views.conftest import new_study, waiting_gate
from tests.support import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    stories.user("root", is_superuser=True)
    return new_study()


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.json"
    path.write_text(
        json.dumps(
            [
                {"tool": "ask_researcher", "arguments": "temperature > 90", "then": "second", "note": "hot"},
                {"then": "allow"},
            ]
        )
    )
    return path


def test_rules_are_set_from_a_file_shown_as_sentences_and_read_back(study, rules, tmp_path):
    say("policy", "set", study.slug, "--file", str(rules))
    shown = say("policy", "show", study.slug)
    assert "1. the tool is ask_researcher and temperature > 90: Two people decide, blind  # hot" in shown
    assert "Anything else, and whatever cannot be told: one person decides" in shown
    copy = tmp_path / "copy.json"
    copy.write_text(json.dumps(data("policy", "show", study.slug)))
    assert data("policy", "set", study.slug, "--file", str(copy))["version"] == 1


def test_a_preset_is_set_for_the_study_and_for_a_run(study):
    gate = waiting_gate(study)
    say("policy", "set", study.slug, "--preset", "risky_only")
    study.refresh_from_db()
    assert (study.policy, current_policy(study).version) == ("risky_only", 1)
    assert "goes by auto" in say("policy", "set", study.slug, "--preset", "auto", "--run", "1")
    gate.run.refresh_from_db()
    assert gate.run.policy == "auto"


def test_what_would_have_been_asked_is_shown_by_run_and_by_round(study, rules):
    waiting_gate(study)
    assert "Run 1: 1 gates, asked 1, would ask 1" in say(
        "policy", "would-ask", study.slug, "--file", str(rules)
    )
    assert "round 1: " in say("policy", "would-ask", study.slug, "--run", "1")
    (row,) = data("policy", "would-ask", study.slug, "--preset", "auto")
    assert row["rounds"][0]["then"] in ("allow", "review")


def test_what_cannot_be_used_is_named_and_changes_nothing(study, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text('[{"then": "approve"}]')
    assert "rule 1, then" in str(fault("policy", "set", study.slug, "--file", str(bad)))
    bad.write_text("{")
    assert "is no JSON" in str(fault("policy", "set", study.slug, "--file", str(bad)))
    assert "There is no file" in str(fault("policy", "set", study.slug, "--file", "nowhere.json"))
    assert current_policy(study).version == 0


def test_the_role_is_checked_here_too(study, rules):
    add_member(study=study, user=make_user("ren"), role="researcher")
    told = str(fault("policy", "set", study.slug, "--file", str(rules), "--user", "ren"))
    assert "needs the role owner" in told


def test_a_deadline_that_nobody_can_meet_is_refused_with_its_rule(study, tmp_path):
    path = tmp_path / "short.json"
    path.write_text(json.dumps([{"deadline_hours": 0.001, "on_deadline": "veto"}]))
    told = str(fault("policy", "set", study.slug, "--file", str(path)))
    assert "rule 1, deadline_hours: A deadline is at least 5 minutes" in told
    path.write_text(json.dumps({"rules": [], "deadline_hours": 0.001}))
    assert "at least 5 minutes" in str(fault("policy", "set", study.slug, "--file", str(path)))
    assert current_policy(study).version == 0


def test_a_run_takes_no_file_and_says_what_to_do_instead(study, rules):
    told = str(fault("policy", "set", study.slug, "--file", str(rules), "--run", "1"))
    assert "only --preset" in told
    assert "Policy tab" in told
