"""``manage.py study``"""

import json

import pytest

from agents.models import Study
from reviews.models import Membership
from tests.commands.console import data, fault, say
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "past.csv"
    path.write_text("base,yield\nKOAc,12\n")
    return path


def test_a_study_is_created_from_options_and_owned_by_the_administrator(table):
    root = stories.user("root", is_superuser=True)
    made = data(
        "study", "create", "--title", "最佳碱", "--goal", "Find it.", "--dataset", f"{table}:reference"
    )
    study = Study.objects.get(pk=made["id"])
    assert (study.title, study.goal, made["datasets"][0]["name"]) == ("最佳碱", "Find it.", "past.csv")
    assert Membership.objects.get(study=study).user == root


def test_a_document_is_read_at_once_and_its_digest_shown(tmp_path):
    paper = tmp_path / "protocol.md"
    paper.write_text(
        "# Protocol\n\nThe goal is to maximise the yield. The temperature must be at most 110 °C.\n"
    )
    made = data("study", "create", "--title", "T", "--document", str(paper))
    assert made["documents"][0]["status"] == "ready"
    quotes = {item["quote"]: item["page"] for item in made["digest"] if item["is_verified"]}
    assert quotes["The temperature must be at most 110 °C."] == 1


def test_what_does_not_fit_together_in_a_document_is_said(tmp_path):
    paper = tmp_path / "report.md"
    paper.write_text("# 结果\n\n镀层的导热系数为 1.8 m/s。\n")
    said = say("study", "create", "--title", "T", "--document", str(paper))
    assert "Warning  Page 1: The unit m/s does not measure thermal conductivity" in said


def test_a_study_comes_from_a_folder(tmp_path):
    (tmp_path / "study.json").write_text(json.dumps({"title": "From a folder", "goal": "g"}))
    assert data("study", "create", "--from", str(tmp_path))["slug"] == "from-a-folder"


def test_what_a_run_lacks_is_said():
    assert "Add at least one parameter" in say("study", "create", "--title", "T", "--goal", "g")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--document", "nowhere.pdf"], "There is no file 'nowhere.pdf'; nothing was created."),
        (["--dataset", "nowhere.csv:past"], "There is no file 'nowhere.csv'; nothing was created."),
        (["--owner", "nobody"], "There is no active account 'nobody'. Accounts: nobody yet."),
    ],
)
def test_bad_input_is_named_and_creates_nothing(words, message):
    assert str(fault("study", "create", "--title", "T", *words)) == message
    assert Study.objects.count() == 0


def test_a_role_that_no_dataset_has_is_refused(table):
    said = str(fault("study", "create", "--title", "T", "--dataset", f"{table}:magic"))
    assert "a dataset is one of instrument, past, reference, not 'magic'" in said


def test_a_file_that_is_no_table_leaves_no_half_study(tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    assert "is empty" in str(fault("study", "create", "--title", "T", "--dataset", str(empty)))
    assert Study.objects.count() == 0


def test_the_list_counts_runs_and_waiting_reviews():
    run = stories.a_run()
    stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    assert data("study", "list") == [
        {"slug": "best-base", "title": "Best base", "runs": 1, "open_reviews": 1, "id": str(run.study_id)}
    ]
    assert say("study", "list") == "best-base  Best base  (1 runs, 1 waiting)\n"


def test_an_empty_list_says_what_to_do():
    assert "study create --from examples/direct_arylation" in say("study", "list")


def test_a_study_shows_its_limits_and_its_runs_with_the_best():
    stories.whole_run()
    said = say("study", "show", "best-base")
    assert "At most 110 °C.  [temperature is at most 110 °C, paper.pdf page 4]" in said
    assert "temperature (°C): 60 to 120" in said
    assert "best-base#1  succeeded, round 3" in said


def test_a_study_that_is_not_there_names_those_that_are():
    stories.a_study()
    assert str(fault("study", "show", "nope")) == "There is no study 'nope'. Studies: best-base."
