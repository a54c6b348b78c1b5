"""The server is killed ten times in the middle of a run, while a browser watches it."""

import json
import random
import re
import sqlite3
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PASSWORD, end, serve

pytestmark = pytest.mark.e2e

KILLS = 10
EXPERIMENTS = 40
PATIENCE_S = 180


def test_ten_kills_lose_nothing_and_the_browser_shows_what_a_reload_shows(browser, tmp_path):
    chance = random.Random(20261130)
    site = serve(tmp_path)
    port = urlsplit(site.url).port
    page: Page = browser.new_page()
    _sign_in(page, site.url)
    queued = site.manage(
        "run", "direct-arylation-of-an-imidazole", "--policy", "auto", "--experiments", str(EXPERIMENTS),
        "--detach", "--json",
    )  # fmt: skip
    run = json.loads(queued.splitlines()[-1])["result"]["run"]
    page.goto(f"{site.url}/runs/{run}/")

    killed_at = []
    for _ in range(KILLS):
        _wait_for_progress(tmp_path, run, killed_at[-1] if killed_at else 0)
        time.sleep(chance.uniform(0.0, 0.8))
        site.process.kill()
        site.process.wait()
        killed_at.append(_seq(tmp_path, run))
        site = serve(tmp_path, port=port)
    _wait_for_end(tmp_path, run)
    try:
        expect(page.locator("[data-seq]").first).to_be_visible()
        last = _seq(tmp_path, run)
        page.wait_for_selector(f"#e{last}", state="attached", timeout=30_000)
        live = _rows(page)
        page.reload()
        reloaded = _rows(page)
        doctor = site.manage("doctor")
    finally:
        end(site)

    # A fresh page shows the newest rounds and folds the older ones, which the page that stayed open has seen.
    oldest = min(int(seq) for seq, _ in reloaded)
    assert [row for row in live if int(row[0]) >= oldest] == reloaded
    assert len(killed_at) == KILLS
    assert (_status(tmp_path, run), _error(tmp_path, run)) == ("succeeded", "")
    assert "fail" not in re.sub(r"(?m)^(ok|warn).*$", "", doctor)
    assert _repeats(tmp_path, run) == []
    assert _seqs(tmp_path, run) == list(range(1, last + 1))


def _sign_in(page: Page, url: str) -> None:
    page.goto(url)
    page.fill("input[name=username]", "researcher")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(re.compile("inbox"))


def _rows(page: Page) -> list[tuple[str, str]]:
    """Return the number and the text of each event that the page shows, times of day left out."""
    rows = page.locator("li.event").all()
    return sorted((row.get_attribute("data-seq") or "", row.inner_text()) for row in rows)


def _read(home: Path, query: str, *values: str) -> list[tuple]:
    connection = sqlite3.connect(f"file:{home / 'daybook.sqlite3'}?mode=ro", uri=True, timeout=20)
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.close()


def _plain(run: str) -> str:
    return run.replace("-", "")


def _seq(home: Path, run: str) -> int:
    return int(_read(home, "select seq from agents_run where id = ?", _plain(run))[0][0])


def _status(home: Path, run: str) -> str:
    return str(_read(home, "select status from agents_run where id = ?", _plain(run))[0][0])


def _error(home: Path, run: str) -> str:
    return str(_read(home, "select error from agents_run where id = ?", _plain(run))[0][0])


def _seqs(home: Path, run: str) -> list[int]:
    rows = _read(home, "select seq from agents_event where run_id = ? order by seq", _plain(run))
    return [row[0] for row in rows]


def _repeats(home: Path, run: str) -> list[tuple]:
    """Return conditions measured twice in the run, and effects with more than one finished attempt."""
    rows = _read(home, "select conditions_digest from agents_experiment where run_id = ?", _plain(run))
    effects = _read(home, "select key from agents_effect where run_id = ? and status = 'done'", _plain(run))
    found = [*Counter(rows).items(), *Counter(effects).items()]
    return [item for item in found if item[1] > 1]


def _wait_for_progress(home: Path, run: str, after: int) -> None:
    end_at = time.monotonic() + PATIENCE_S
    while _seq(home, run) <= after and _status(home, run) not in ("succeeded", "failed"):
        assert time.monotonic() < end_at, "the run made no progress"
        time.sleep(0.05)


def _wait_for_end(home: Path, run: str) -> None:
    end_at = time.monotonic() + PATIENCE_S
    while _status(home, run) not in ("succeeded", "failed", "cancelled"):
        assert time.monotonic() < end_at, f"the run did not end: {_status(home, run)}"
        time.sleep(0.2)
