"""``manage.py outside``"""

import json
import sys
from pathlib import Path

import pytest

from agents.models import Study
from tests.commands.console import data, fault, say
from tests.support import make_study
from tests.tools.outside.test_openapi import DOCUMENT

pytestmark = pytest.mark.django_db

PROGRAM = f"{sys.executable} -m tests.tools.outside.servers good"
ENV = f"PYTHONPATH={Path(__file__).parents[2]}"


@pytest.fixture
def study() -> Study:
    return make_study(slug="lab", experiment_tool="ask_researcher")


def test_a_server_is_added_switched_on_tried_and_removed(study):
    added = say("outside", "add-mcp", "lab", "calc", "--program", PROGRAM, "--env", ENV)
    assert "calc_add  off" in added
    assert "not switched on" in str(fault("outside", "try", "lab", "calc_add", '{"a": 1}'))
    assert "calc_add  on" in say("outside", "on", "lab", "calc_add", "--effect", "local", "--no-review")
    assert json.loads(say("outside", "try", "lab", "calc_add", '{"a": "1", "b": 2}')) == {"total": 3.0}
    assert "expected a number" in str(fault("outside", "try", "lab", "calc_add", '{"a": "many"}'))
    (source,) = data("outside", "list", "lab")
    on = {tool["name"]: tool for tool in source["tools"] if tool["is_on"]}
    assert (set(on), on["calc_add"]["effect"], on["calc_add"]["needs_review"]) == (
        {"calc_add"},
        "local",
        False,
    )
    say("outside", "remove", "lab", "calc")
    assert data("outside", "list", "lab") == []


def test_a_document_is_added_from_a_file(study, tmp_path):
    path = tmp_path / "balance.json"
    path.write_text(json.dumps(DOCUMENT))
    added = say("outside", "add-openapi", "lab", "balance", str(path), "--base-url", "https://lab.example/v1")
    assert "balance_read_mass  off" in added
    assert "cannot be used" in added


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["add-mcp", "lab", "x"], "--url ADDRESS"),
        (["add-openapi", "lab", "x", "nowhere.yaml"], "no file"),
        (["add-instrument", "lab", "x", "https://x.example", "--secret", "whsec_1"], "TOOL_SECRET_"),
        (["on", "lab", "nothing"], "no outside tool"),
        (["remove", "lab", "nothing"], "no source"),
        (["add-mcp", "lab", "x", "--url", "https://x.example", "--header", "nonsense"], "NAME:VALUE"),
        (["list", "nowhere"], "no study"),
    ],
)
def test_what_cannot_be_done_says_so(study, arguments, told):
    assert told in str(fault("outside", *arguments))
