"""The whole way from the command line, with the real engine: study, run, reviews, export, doctor."""

import json

import pytest
from django.contrib.auth import get_user_model

from agents.models import Run, Study
from reviews.services import add_member
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(tmp_path):
    stories.user("root", is_superuser=True)
    levels = ["a", "b", "c"]
    rows = [f"{base},{t},{number * 10 + t / 10}" for number, base in enumerate(levels) for t in (60, 80, 100)]
    (tmp_path / "data.csv").write_text("base,temperature,yield\n" + "\n".join(rows))
    described = {
        "title": "Whole way",
        "goal": "Find the best base.",
        "space": {
            "parameters": [
                {"name": "base", "kind": "categorical", "levels": levels},
                {"name": "temperature", "kind": "ordered", "unit": "°C", "levels": [60, 80, 100]},
            ]
        },
        "objectives": [{"name": "yield", "unit": "%"}],
        "datasets": [{"file": "data.csv", "role": "instrument"}],
    }
    (tmp_path / "study.json").write_text(json.dumps(described))
    return data("study", "create", "--from", str(tmp_path))["slug"]


def test_an_unattended_run_is_exported_and_found_sound(study):
    say("run", study, "--policy", "auto", "--experiments", "4", "--json")
    sheet = say("export", f"{study}#1", "--format", "csv").splitlines()
    assert len(sheet) == 1 + 4
    report = say("export", f"{study}#1", "--format", "md")
    assert "- Evidence ignored: 0 of 4 results" in report
    assert "- Let through by policy: 4 gates (rounds 1–4)" in report
    checks = ("log", "projection", "runs", "effects", "decisions", "artifacts")
    remarks = data("doctor", *(word for name in checks for word in ("--only", name)))["remarks"]
    assert [(remark["check"], remark["level"]) for remark in remarks] == [
        (name, "ok") for name in sorted(checks, key=checks.index)
    ]


def test_a_run_is_started_by_an_account_that_may(study):
    root = get_user_model().objects.get()
    ada = get_user_model().objects.create_user("ada")
    say("run", study, "--detach")
    assert Run.objects.get().created_by == root
    assert "ada is no researcher of" in str(fault("run", study, "--detach", "--user", "ada"))
    add_member(study=Study.objects.get(), user=ada, role="researcher")
    say("run", study, "--detach", "--user", "ada")
    assert Run.objects.get(number=2).created_by == ada


def test_a_run_waits_is_answered_by_hand_and_goes_on(study):
    result = json.loads(say("run", study, "--experiments", "2", "--json").splitlines()[-1])["result"]
    assert result["status"] == "waiting"
    (row,) = data("review", "list")
    say("review", "answer", row["review"][:8], "--value", "yield=33±2", "--status", "ok")
    say("run", "--resume", result["run"], "--json")
    (row,) = data("review", "list")
    assert row["round"] == 2
    say("review", "stop", row["review"])
    assert Run.objects.get().status == "cancelled"
    assert "33.0\u00a0±\u00a02\u00a0%" in say("export", f"{study}#1", "--format", "md")
    assert data("doctor", "--only", "decisions", "--only", "projection")["is_sound"]
