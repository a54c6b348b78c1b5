"""A person as the instrument, on a phone at the bench: half a result survives three restarts; a batch by table."""

import csv
import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.conftest import Site, end, serve, sign_in

pytestmark = pytest.mark.e2e

PATIENCE_S = 120
RUNS = 3
MAKE_STUDY = f"""
from django.contrib.auth import get_user_model
from agents.services import create_study, start_run
from reviews.services import add_member
user = get_user_model().objects.get(username="researcher")
study = create_study(
    title="Bases by hand",
    goal="Find the base with the highest yield.",
    space={{"parameters": [
        {{"name": "base", "label": "Base", "kind": "categorical", "levels": ["KOAc", "CsOPiv", "K3PO4"]}},
        {{"name": "temperature", "label": "Temperature", "kind": "continuous", "unit": "°C", "low": 60, "high": 120}},
    ]}},
    objectives=[{{"name": "yield", "label": "Yield", "unit": "%", "low": 0, "high": 100}}],
    experiment_tool="ask_researcher",
)
add_member(study=study, user=user, role="owner")
for _ in range({RUNS}):
    start_run(study, by="researcher", user=user, policy="auto")
"""
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
VALUE, REPLICATES = "[name='res.measurements.yield.value']", "[name='res.measurements.yield.replicates']"
DONE = "[name='res.actual.temperature']"


def tasks_of(site: Site) -> list[dict[str, Any]]:
    return list(json.loads(site.manage("bench", "list", "--json").splitlines()[-1]))


def wait_for_tasks(site: Site, count: int) -> list[dict[str, Any]]:
    until = time.monotonic() + PATIENCE_S
    while len(found := tasks_of(site)) < count:
        assert time.monotonic() < until, f"{len(found)} tasks wait; expected {count}"
        time.sleep(1)
    return found


def experiments(site: Site) -> list[dict[str, str]]:
    run = f"{tasks_of(site)[0]['study']}#1"
    text = site.manage("export", run, "--format", "csv").removeprefix("\ufeff")
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    """A site whose study waits at the bench, as often as it has runs."""
    made = {"site": serve(tmp_path)}
    made["site"].manage("shell", "-c", MAKE_STUDY)
    wait_for_tasks(made["site"], RUNS)
    yield made
    end(made["site"])


def test_half_a_result_survives_three_restarts_and_is_finished_on_a_phone(bench, browser, tmp_path):
    site = bench["site"]
    page = sign_in(browser, site, **PHONE)
    first = next(task for task in tasks_of(site) if task["run"] == 1)
    page.goto(f"/reviews/{first['review']}/sheet/")
    link = re.search(r"https?://[^\s]+/reviews/[0-9a-f-]+/", page.inner_text("footer"))
    assert link is not None
    page.goto(link.group())
    page.fill(VALUE, "71.2 ± 0.8")
    page.wait_for_selector("text=draft kept at")
    page.reload()
    assert page.input_value(VALUE) == "71.2 ± 0.8"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    port = urlsplit(site.url).port
    for _ in range(3):
        site.process.kill()
        site.process.wait()
        site = bench["site"] = serve(tmp_path, port=port)
    page.goto(link.group())
    assert page.input_value(VALUE) == "71.2 ± 0.8"
    planned = float(page.input_value(DONE))
    done = planned - 1 if planned > 90 else planned + 1
    page.fill(DONE, str(done))
    file = tmp_path / "trace.csv"
    file.write_text("time,signal\n0,1\n")
    page.set_input_files("[name=file]", str(file))
    page.click("button:has-text('Attach')")
    page.wait_for_selector(".files >> text=trace.csv")
    page.click("button:has-text('File the result')")
    page.wait_for_selector(".is-closed")
    wait_for_tasks(site, RUNS)
    (row,) = experiments(site)
    assert (row["yield_value"], row["yield_uncertainty"], row["origin"]) == ("71.2", "0.8", "person")
    assert float(row["actual_temperature"]) == done
    assert row["attachments"].startswith("trace.csv sha256:")
    assert page.faults == []


def test_a_slip_in_what_was_really_done_is_asked_about_and_marked_once_confirmed(bench, browser):
    site = bench["site"]
    page = sign_in(browser, site, **PHONE)
    first = next(task for task in tasks_of(site) if task["run"] == 1)
    page.goto(f"/reviews/{first['review']}/")
    page.fill(VALUE, "41.5")
    page.fill(DONE, "500")
    page.click("button:has-text('File the result')")
    tick = page.get_by_label("Yes, it was really so")
    tick.wait_for()
    assert (page.input_value(VALUE), page.input_value(DONE)) == ("41.5", "500")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tick.check()
    page.click("button:has-text('File the result')")
    page.wait_for_selector(".is-closed")
    wait_for_tasks(site, RUNS)
    page.goto(f"/studies/{first['study']}/data/")
    assert "not as planned" in page.inner_text("main")
    assert "temperature is 500, which is not a number from 60 to 120 °C" in page.inner_text("main")
    assert page.faults == []


def test_a_batch_is_filled_in_as_a_table_and_filed_row_by_row(bench, browser, tmp_path):
    site = bench["site"]
    page = sign_in(browser, site)
    page.goto("/bench/")
    with page.expect_download() as started:
        page.click("a:has-text('Table to fill in')")
    table = tmp_path / "bench.csv"
    started.value.save_as(table)
    rows = list(csv.DictReader(table.open(encoding="utf-8-sig")))
    assert len(rows) == RUNS
    rows[0]["yield_replicates"], rows[1]["yield_value"] = "70; 72", "lots"
    write(table, rows)
    check(page, table)
    assert "expected a number" in page.inner_text("main")
    page.click("button:has-text('File 1 result')")
    page.wait_for_selector("text=1 result filed")
    rows[1]["yield_value"] = "61"
    write(table, rows)
    check(page, table)
    page.click("button:has-text('File 1 result')")
    page.wait_for_selector("text=1 was filed before")
    check(page, table)
    assert not page.query_selector("button:has-text('File 1 result')")
    left = [task["review"] for task in wait_for_tasks(site, RUNS)]
    assert rows[2]["task"] in left
    assert not {rows[0]["task"], rows[1]["task"]} & set(left)
    assert page.faults == []


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def check(page: Any, table: Path) -> None:
    page.goto("/bench/import/")
    page.set_input_files("#table-file", str(table))
    page.click("button:has-text('Check the table')")
    page.wait_for_selector("text=What would be filed")
