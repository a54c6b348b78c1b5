"""``manage.py bench``"""

import csv
import json

import pytest

from reviews.models import Decision
from tests.commands.console import data, fault, say
from tests.reviews.bench.conftest import bench, bench_gate  # noqa: F401  (the fixture)

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks(bench):  # noqa: F811
    return bench


def result(gate) -> dict:
    return Decision.objects.get(review_id=gate.pk).answer["result"]


def test_the_list_tells_what_waits(tasks):
    rows = data("bench", "list", "--user", "ana")
    assert [row["conditions"]["temperature"] for row in rows] == [80, 110.5]
    assert data("bench", "list", "--user", "stranger") == []
    assert say("bench", "list", "--user", "stranger").strip() == "Nothing waits."


def test_a_task_is_assigned(tasks):
    words = ("--to", "olga", "--due", "2021-11-30 14:05", "--instructions", "Stir.", "--user", "ana")
    told = data("bench", "assign", str(tasks.cold.pk)[:8], *words)
    assert (told["assignee"], told["is_overdue"], told["instructions"]) == ("olga", True, "Stir.")
    assert "OVERDUE since 2021-11-30" in say("bench", "list", "--mine", "--user", "olga")
    assert "--due 'soon'" in str(
        fault("bench", "assign", str(tasks.cold.pk), "--due", "soon", "--user", "ana")
    )


def test_a_task_is_answered_from_json_with_a_file(tasks, tmp_path):
    entered = tmp_path / "result.json"
    entered.write_text(json.dumps({"yield": [70, 72], "operator": "Wei"}))
    scan = tmp_path / "scan.csv"
    scan.write_text("t,signal\n1,2\n")
    say("bench", "answer", str(tasks.cold.pk), str(entered), "--attach", str(scan), "--user", "ana")
    found = result(tasks.cold)
    assert (found["measurements"]["yield"]["value"], found["attachments"][0]["name"]) == (71, "scan.csv")


def test_a_task_is_answered_from_an_instruments_table_which_is_kept(tasks, tmp_path):
    scan = tmp_path / "run 7.csv"
    scan.write_text("sample;yield\n1;70,5\n2;71,5\n")
    say("bench", "answer", str(tasks.hot.pk), str(scan), "--user", "ana")
    found = result(tasks.hot)
    assert found["measurements"]["yield"]["replicates"] == [70.5, 71.5]
    assert found["attachments"][0]["name"] == "run 7.csv"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "{", "a.json is not JSON"),
        ("a.json", "[1]", "a.json holds a list"),
        ("a.json", '{"yield": 161}', "from 0 to 100 %"),
        ("a.csv", "x,y\n1,2\n", "no column called 'yield'; it has x, y"),
        ("a.csv", "x,yield\n1,170\n", "from 0 to 100 %"),
        ("a.json", None, "cannot be read"),
        ("a.csv", None, "cannot be read"),
    ],
)
def test_a_bad_file_says_what_is_wrong_and_leaves_nothing(tasks, tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    assert message in str(fault("bench", "answer", str(tasks.cold.pk), str(path), "--user", "ana"))
    assert Decision.objects.count() == 0
    assert not tasks.cold.bench_files.exists()


def test_sheets_are_one_file_with_codes_to_the_site(tasks, tmp_path):
    path = tmp_path / "sheets.html"
    say("bench", "sheet", "-o", str(path), "--url", "https://lab.example/", "--user", "ana")
    page = path.read_text()
    assert page.count("<section") == 2
    assert f"https://lab.example/reviews/{tasks.cold.pk}/" in page
    run = f"{tasks.study.slug}#{tasks.cold.run.number}"
    say("bench", "sheet", "-o", str(path), "--run", run, "--layout", "table", "--user", "ana")
    assert path.read_text().count('<td class="qr">') == 1


def test_a_table_goes_out_and_comes_back(tasks, tmp_path):
    path = tmp_path / "bench.csv"
    say("bench", "table", "-o", str(path), "--user", "ana")
    rows = list(csv.DictReader(path.open(encoding="utf-8-sig")))
    rows[0]["yield_value"], rows[1]["yield_value"] = "71.5", "lots"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert [row["state"] for row in data("bench", "import", str(path), "--dry-run", "--user", "ana")] == [
        "ready",
        "refused",
    ]
    assert Decision.objects.count() == 0
    said = say("bench", "import", str(path), "--user", "ana")
    assert "row 3: refused" in said
    assert "yield_value" in said
    assert said.strip().endswith("1 filed, 1 refused")
    assert [row["state"] for row in data("bench", "import", str(path), "--user", "ana")] == [
        "already",
        "refused",
    ]


def test_a_place_that_cannot_be_written_is_named(tasks):
    assert "cannot be written" in str(fault("bench", "table", "-o", "/nowhere/x.csv", "--user", "ana"))


def test_what_lies_outside_the_study_must_be_confirmed(tasks, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"yield": 70, "actual": {"temperature": 500}}))
    words = ("bench", "answer", str(tasks.cold.pk), str(path), "--user", "ana")
    assert "give --really-so" in str(fault(*words))
    assert Decision.objects.count() == 0
    say(*words, "--really-so")
    assert result(tasks.cold)["actual"] == {"temperature": 500}
