"""The files themselves: names, columns, lines, size and cost."""

import csv
import io
import json

import pytest

from agents.core.errors import BadInput
from agents.models import Event, Experiment
from agents.store.log import chain_value
from reviews.exports import FORMATS, export_run
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db


def sheet(run) -> list[dict[str, str]]:
    text = export_run(stories.reload(run), "csv").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("format", "name", "media_type"),
    [
        ("html", "best-base-run-1-report.html", "text/html; charset=utf-8"),
        ("md", "best-base-run-1-report.md", "text/markdown; charset=utf-8"),
        ("csv", "best-base-run-1-experiments.csv", "text/csv; charset=utf-8"),
        ("jsonl", "best-base-run-1-log.jsonl", "application/x-ndjson; charset=utf-8"),
    ],
)
def test_a_file_is_named_after_study_run_and_content(format, name, media_type):
    export = export_run(stories.a_run(), format)
    assert (export.name, export.media_type) == (name, media_type)


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(BadInput, match="no format 'pdf'; choose one of html, md, csv, jsonl, methods"):
        export_run(stories.a_run(), "pdf")


def test_the_same_log_gives_the_same_bytes():
    run = stories.reload(stories.whole_run())
    assert all(export_run(run, name).content == export_run(run, name).content for name in FORMATS)


def test_the_sheet_holds_plan_and_deed_value_and_prediction():
    row = sheet(stories.whole_run())[1]
    assert (row["planned_temperature"], row["actual_temperature"], row["temperature_unit"]) == (
        "100",
        "98.5",
        "°C",
    )
    assert [row[f"yield_{part}"] for part in ("value", "unit", "uncertainty", "status")] == [
        "61.5",
        "%",
        "",
        "ok",
    ]
    assert [row[f"predicted_{part}"] for part in ("mean", "low", "high")] == ["50", "30", "70"]
    assert (row["round"], row["replicate"], row["origin"], row["operator"]) == ("2", "1", "person", "ada")


def test_an_experiment_that_failed_has_a_status_and_no_value():
    run = stories.a_run(policy="auto")
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    stories.measure(run, 1, gate, None, measured_as="failed", status="failed", note="=flask broke")
    row = sheet(run)[0]
    assert (row["status"], row["yield_status"], row["yield_value"]) == ("failed", "failed", "")
    assert row["note"] == "'=flask broke"


def test_past_experiments_of_the_study_come_first_and_belong_to_no_run():
    run = stories.whole_run()
    measurement = {"objective": "yield", "value": 7.5, "unit": "%"}
    Experiment.objects.create(
        study=run.study, key="past/1", planned={"base": "KOAc", "temperature": 80}, origin="past",
        conditions_digest="x", measurements=[measurement],
    )  # fmt: skip
    assert [(row["origin"], row["run"], row["yield_value"]) for row in sheet(run)] == [
        ("past", "", "7.5"),
        ("person", "1", "20.0"),
        ("person", "1", "61.5"),
    ]


def test_two_columns_never_share_a_name():
    study = stories.a_study(objectives=[{"name": "planned_base", "unit": ""}, {"name": "base", "unit": ""}])
    header = export_run(stories.a_run(study), "csv").content.decode("utf-8-sig").splitlines()[0].split(",")
    assert len(header) == len(set(header))


def test_a_line_of_the_log_is_the_event_and_its_chain_can_be_recomputed():
    run = stories.whole_run()
    lines = export_run(stories.reload(run), "jsonl").content.decode().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["seq"] for record in records] == list(range(1, run.seq + 1))
    head = ""
    for record, event in zip(records, Event.objects.filter(run=run).order_by("seq"), strict=True):
        head = chain_value(
            head,
            seq=record["seq"],
            kind=record["kind"],
            round=record["round"],
            key=record["key"],
            payload=record["payload"],
            at=event.at,
        )
        assert (record["chain"], record["at"]) == (head, event.at.isoformat())


def test_a_text_with_odd_line_ends_stays_on_its_line():
    run = stories.a_run()
    stories.log(run, "guidance.given", {"text": "a\u2028b\nc\x85d", "by": "ada"})
    lines = export_run(stories.reload(run), "jsonl").content.decode().splitlines()
    assert json.loads(lines[-1])["payload"]["text"] == "a\u2028b\nc\x85d"


@pytest.mark.parametrize("format", list(FORMATS))
def test_the_number_of_queries_does_not_grow_with_the_rounds(format, django_assert_num_queries):
    few, many = stories.reload(stories.many_rounds(1)), stories.reload(stories.many_rounds(12))
    counts = {"html": 15, "md": 15, "methods": 15, "csv": 2, "jsonl": 1}
    for run in (few, many):
        with django_assert_num_queries(counts[format]):
            export_run(run, format)


@pytest.mark.parametrize("format", list(FORMATS))
def test_every_state_and_an_empty_run_can_be_exported(format):
    from agents.core.lifecycle import RunStatus
    from agents.models import Run
    from agents.services import start_run

    run = start_run(stories.a_study(), by="ada")
    for status in RunStatus:
        Run.objects.filter(pk=run.pk).update(status=status)
        assert export_run(stories.reload(run), format).content


def bench_run():
    """Return a run with one experiment that a person measured three times, with a file."""
    run = stories.a_run(policy="auto")
    gate = stories.propose(run, 1, {"base": "KOAc", "temperature": 90})
    file = {"name": "=scan.csv", "content_hash": "ab" * 32, "media_type": "text/csv", "size": 12}
    experiment = stories.measure(
        run, 1, gate, 72.0, actual={"temperature": 94}, instrument="GC 2", attachments=[file],
        measured_at="2026-11-30T14:05:00+01:00",
    )  # fmt: skip
    event = Event.objects.get(run=run, kind="experiment.filed")
    event.payload["experiment"]["measurements"][0]["replicates"] = [70.0, 72.0, 74.0]
    Event.objects.filter(pk=event.pk).update(payload=event.payload)
    return run, experiment


def test_the_sheet_holds_readings_time_and_files():
    run, _ = bench_run()
    (row,) = sheet(run)
    assert (row["yield_replicates"], row["yield_spread"]) == ("70.0; 72.0; 74.0", "2.0")
    assert (row["measured_at"], row["instrument"]) == ("2026-11-30T14:05:00+01:00", "GC 2")
    assert row["attachments"] == f"'=scan.csv sha256:{'ab' * 32}"


def test_the_report_shows_readings_deeds_and_files_by_name_and_hash():
    run, _ = bench_run()
    text = export_run(stories.reload(run), "md").content.decode()
    assert "spread 2, 3 readings" in text
    assert "70; 72; 74" in text
    assert "ab" * 32 in text
    assert "2026-11-30 13:05:00 UTC" in text
