"""A run that an older program began is held at the next start, in front of a browser, until a person chooses."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.conftest import Site, end, serve, sign_in, start_run

pytestmark = [pytest.mark.e2e, pytest.mark.long]

BEGUN_BEFORE = """
from agents.models import Run
for run in Run.objects.filter(status="waiting"):
    run.graph_version = "0"
    run.state["configuration"] |= {"graph": "0", "program": "0"}
    run.save()
"""


@pytest.fixture
def upgraded(tmp_path, browser: Any) -> Iterator[tuple[Site, list[str]]]:
    """A site that was started anew with two runs that a graph of another version began."""
    site = serve(tmp_path)
    page = sign_in(browser, site)
    runs = [start_run(page).removeprefix(site.url) for _ in range(2)]
    page.context.close()
    end(site)
    site.manage("shell", "-c", BEGUN_BEFORE)
    site = serve(tmp_path)
    yield site, runs
    end(site)


def test_nothing_runs_until_a_person_forks_or_closes_what_an_older_program_began(upgraded, browser: Any):
    site, (first, second) = upgraded
    page = sign_in(browser, site)
    page.goto(first)
    page.wait_for_selector("text=The program has changed since this run began")
    page.click("button:has-text('Fork it')")
    page.wait_for_url(lambda url: "/runs/" in url and first not in url)
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=60_000)
    page.click("button[value=approve]")
    page.wait_for_function("() => /round 2/i.test(document.body.innerText)", timeout=60_000)

    page.goto(second)
    page.on("dialog", lambda dialog: dialog.accept())
    page.click("button:has-text('Close it')")
    page.wait_for_selector("text=The run was stopped.")
    page.goto(first)
    assert "The program has changed" not in page.inner_text("main")
    assert page.faults == []
