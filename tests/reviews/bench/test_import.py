"""A filled table for a batch: each row its own decision, each problem with row and column."""

import csv
import io

import pytest

from agents.core.errors import BadInput
from agents.models import Event
from reviews.bench.importing import import_filled
from reviews.bench.table import write_template
from reviews.bench.tasks import waiting_tasks
from reviews.models import Decision
from tests.reviews.bench.conftest import bench_gate
from tests.reviews.views.conftest import new_study


def template(bench) -> list[dict[str, str]]:
    text = write_template(waiting_tasks(bench.ana)).removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def packed(rows, *, delimiter=",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def filled(bench, *changes: dict[str, str]) -> list[dict[str, str]]:
    return [{**row, **change} for row, change in zip(template(bench), changes, strict=False)]


def file(bench, rows, *, user=None, **options):
    return import_filled(packed(rows), name="bench.csv", user=user or bench.ana, **options)


def problem(bench, **cells: str) -> tuple[int, str, str]:
    first, *_ = file(bench, filled(bench, cells, {}))
    assert first.state == "refused"
    assert Decision.objects.count() == 0
    column, text = first.problems[0]
    return first.row, column, text


def test_the_template_has_a_row_for_each_task_as_planned_and_empty(bench):
    cold, hot = template(bench)
    assert (cold["task"], cold["planned_temperature"], cold["planned_base"]) == (
        str(bench.cold.pk),
        "80",
        "KOAc",
    )
    assert hot["planned_temperature"] == "110.5"
    assert (cold["yield_value"], cold["yield_unit"], cold["actual_base"]) == ("", "%", "")


def test_rows_answer_their_tasks_each_by_a_decision_of_its_own(bench):
    rows = filled(
        bench,
        {"yield_value": "71.5", "yield_uncertainty": "0.8", "actual_temperature": "82", "operator": "Wei"},
        {"yield_replicates": "60; 62", "measured_at": "2026-11-30 14:05", "note": "=cloudy"},
    )
    assert [outcome.state for outcome in file(bench, rows)] == ["filed", "filed"]
    cold, hot = (Decision.objects.get(review_id=gate.pk) for gate in (bench.cold, bench.hot))
    assert cold.answer["result"]["measurements"]["yield"] == {
        "value": 71.5, "unit": "%", "uncertainty": 0.8, "status": "ok",
    }  # fmt: skip
    assert (cold.answer["result"]["actual"], cold.by, cold.channel) == ({"temperature": 82}, "ana", "table")
    assert hot.answer["result"]["measurements"]["yield"]["replicates"] == [60, 62]
    assert hot.answer["result"]["measured_at"].startswith("2026-11-30T14:05")
    assert hot.answer["result"]["note"] == "=cloudy"


def test_the_same_table_twice_changes_nothing(bench):
    rows = filled(bench, {"yield_value": "71.5"}, {"yield_value": "60"})
    file(bench, rows)
    before = Event.objects.count()
    assert [outcome.state for outcome in file(bench, rows)] == ["already", "already"]
    assert (Decision.objects.count(), Event.objects.count()) == (2, before)


def test_another_value_for_a_filed_task_is_a_conflict_and_changes_nothing(bench):
    file(bench, filled(bench, {"yield_value": "71.5"}))
    rows = filled(bench, {}) or []
    again = [{**row, "task": str(bench.cold.pk), "digest": f"plan {bench.cold.digest[:12]}"} for row in rows]
    (outcome,) = file(
        bench, [{**again[0], "planned_temperature": "", "planned_base": "", "yield_value": "9"}]
    )
    assert (outcome.state, outcome.problems[0][0]) == ("refused", "task")
    assert "Already decided by ana" in outcome.problems[0][1]
    assert Decision.objects.get().answer["result"]["measurements"]["yield"]["value"] == 71.5


def test_empty_rows_wait_on(bench):
    outcomes = file(bench, filled(bench, {}, {"yield_value": "60"}))
    assert [outcome.state for outcome in outcomes] == ["empty", "filed"]
    assert [row.pk for row in waiting_tasks(bench.ana)] == [bench.cold.pk]


def test_a_bad_row_leaves_the_good_ones_their_way(bench):
    outcomes = file(bench, filled(bench, {"yield_value": "lots"}, {"yield_value": "60"}))
    assert [(outcome.row, outcome.state) for outcome in outcomes] == [(2, "refused"), (3, "filed")]


def test_a_check_files_nothing(bench):
    outcomes = file(bench, filled(bench, {"yield_value": "71"}, {"yield_value": "161"}), dry=True)
    assert [outcome.state for outcome in outcomes] == ["ready", "refused"]
    assert Decision.objects.count() == 0


@pytest.mark.parametrize(
    ("cells", "column", "message"),
    [
        ({"yield_value": "hot"}, "yield_value", 'expected a number, received "hot"'),
        ({"yield_value": "nan"}, "yield_value", "number"),
        ({"yield_value": "161"}, "yield_value", "from 0 to 100 %"),
        ({"yield_value": "5", "yield_unit": "mg"}, "yield_unit", "mg cannot be converted to %"),
        ({"yield_value": "5", "yield_uncertainty": "0"}, "yield_uncertainty", "leave it empty"),
        ({"yield_replicates": "5; x"}, "yield_replicates", 'received "x"'),
        ({"yield_value": "5", "yield_status": "great"}, "yield_status", "one of ok, failed"),
        ({"yield_value": "5", "outcome": "great"}, "outcome", "one of ok, failed"),
        ({"yield_value": "5", "actual_temperature": "warm"}, "actual_temperature", "expected a number"),
        ({"yield_value": "5", "actual_base": "NaOH"}, "actual_base", "one of KOAc, CsOPiv"),
        ({"yield_value": "5", "planned_temperature": "90"}, "planned_temperature", "actual_temperature"),
        ({"yield_value": "5", "measured_at": "yesterday"}, "measured_at", "2026-11-30 14:05"),
        ({"yield_value": "5", "digest": "plan 0"}, "digest", "download the table again"),
        ({"yield_value": "5", "task": "7"}, "task", "no task with this id"),
        ({"yield_value": "5", "colour": "blue"}, "colour", "no such column"),
        ({"note": "only a note"}, "yield_value", "or a status other than ok"),
    ],
)
def test_each_problem_names_row_and_column(bench, cells, column, message):
    if "colour" in cells:
        rows = [{**row, "colour": ""} for row in template(bench)]
        rows[0] |= cells
        (outcome, _) = file(bench, rows)
        found = (outcome.row, *outcome.problems[0])
    else:
        found = problem(bench, **cells)
    assert found[:2] == (2, column)
    assert message in found[2]


@pytest.mark.parametrize(
    ("cells", "entered"),
    [
        ({"yield_value": "<0.5"}, {"value": 0.5, "status": "below_detection"}),
        ({"yield_value": "0.5", "yield_status": "below"}, {"value": 0.5, "status": "below_detection"}),
        ({"yield_value": "71.2 ± 0.8"}, {"value": 71.2, "uncertainty": 0.8, "status": "ok"}),
        ({"yield_value": "712", "yield_unit": "permille"}, {"value": 71.2, "status": "ok"}),
        ({"yield_value": "712 permille"}, {"value": 71.2, "status": "ok"}),
        ({"yield_status": "failed"}, {"status": "failed"}),
        ({"outcome": "Failed"}, {"status": "failed"}),
    ],
)
def test_cells_are_read_as_people_write_them(bench, cells, entered):
    assert file(bench, filled(bench, cells))[0].state == "filed"
    measured = Decision.objects.get().answer["result"]["measurements"]["yield"]
    assert {name: value for name, value in measured.items() if name != "unit"} == entered


def test_semicolons_and_decimal_commas_are_understood(bench):
    rows = filled(bench, {"yield_value": "71,5"})
    content = packed(rows, delimiter=";")
    (outcome,) = import_filled(content, name="bench.csv", user=bench.ana)
    assert outcome.state == "filed"
    assert Decision.objects.get().answer["result"]["measurements"]["yield"]["value"] == 71.5


def test_a_task_that_is_named_twice_is_filed_once(bench):
    row = filled(bench, {"yield_value": "71"})[0]
    outcomes = file(bench, [row, {**row, "yield_value": "72"}])
    assert [outcome.state for outcome in outcomes] == ["filed", "refused"]
    assert "row 2 enters the same task" in outcomes[1].problems[0][1]


def test_tasks_of_others_do_not_exist_and_viewers_file_nothing(bench):
    rows = filled(bench, {"yield_value": "71"})
    assert "no task with this id" in file(bench, rows, user=bench.stranger)[0].problems[0][1]
    assert "needs the role researcher" in file(bench, rows, user=bench.vi)[0].problems[0][1]
    assert "needs the role researcher" in file(bench, rows, user=bench.vi, dry=True)[0].problems[0][1]
    assert Decision.objects.count() == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no columns"),
        (b"base,yield\nKOAc,3\n", "no columns “task” and “digest”"),
        (b"task,digest\n", "has 0 rows"),
        (b"task,digest,note,note\nx,y,a,b\n", "has the column “note” twice"),
    ],
)
def test_what_is_no_such_table_is_refused_as_a_whole(bench, content, message):
    with pytest.raises(BadInput, match=message):
        import_filled(content, name="bench.csv", user=bench.ana)


def test_a_title_that_begins_like_a_formula_is_quoted(bench):
    gate = bench_gate(bench.study, {"base": "KOAc", "temperature": 21})
    gate.review.title = "=HYPERLINK(0)"
    gate.review.save()
    assert "'=HYPERLINK(0)" in [row["title"] for row in template(bench)]


def test_studies_that_measure_different_things_are_not_mixed(bench):
    other = new_study(title="Other", objectives=[{"name": "mass", "unit": "g"}])
    gate = bench_gate(other, {"base": "KOAc", "temperature": 21})
    with pytest.raises(BadInput, match="choose one study"):
        write_template([*waiting_tasks(bench.ana), gate.review])
    with pytest.raises(BadInput, match="nothing to fill in"):
        write_template([])


def test_what_lies_outside_the_study_needs_a_yes_in_its_row(bench):
    slip = {"yield_value": "71", "actual_temperature": "500"}
    (first, _) = file(bench, filled(bench, slip, {}))
    assert (first.state, [column for column, _ in first.problems]) == (
        "refused",
        ["actual_temperature", "really_so"],
    )
    assert Decision.objects.count() == 0
    (strange, _) = file(bench, filled(bench, {**slip, "really_so": "perhaps"}, {}))
    assert strange.problems == [("really_so", "expected yes or nothing, received “perhaps”")]
    (dry, _) = file(bench, filled(bench, {**slip, "really_so": "Yes"}, {}), dry=True)
    assert dry.state == "ready"
    rows = filled(bench, {**slip, "really_so": "yes"}, {})
    assert [file(bench, rows)[0].state for _ in range(2)] == ["filed", "already"]
    assert Decision.objects.get().answer["result"]["actual"] == {"temperature": 500}


def test_a_yes_alone_enters_nothing(bench):
    (first, _) = file(bench, filled(bench, {"really_so": "yes"}, {}))
    assert first.state == "empty"


def test_a_table_that_was_downloaded_before_there_was_such_a_column_is_filed(bench):
    rows = filled(bench, {"yield_value": "71"}, {"yield_value": "60"})
    for row in rows:
        del row["really_so"]
    assert [outcome.state for outcome in file(bench, rows)] == ["filed", "filed"]
