"""A language model that fails or hangs, as a person meets it on the page of a run."""

import json
import time

import pytest

from agents.testing import Fail, Hang, ModelServer
from tests.e2e.conftest import end, serve, sign_in

pytestmark = pytest.mark.e2e
STUDY = "direct-arylation-of-an-imidazole"


@pytest.fixture
def with_model(tmp_path, browser):
    """Serve a site whose model answers by a script; give its page and the server."""
    opened = []

    def make(script):
        server = ModelServer(script)
        server.__enter__()
        site = serve(tmp_path, OPENAI_BASE_URL=server.base_url, DAYBOOK_MODEL="scripted")
        opened.extend([lambda: end(site), lambda: server.__exit__(None, None, None)])
        page = sign_in(browser, site)
        words = ("run", STUDY, "--reasoner", "language_model", "--detach", "--json")
        last = json.loads(site.manage(*words).strip().splitlines()[-1])
        page.goto(f"/runs/{last['result']['run']}/")
        return page

    yield make
    for close in opened:
        close()


def test_a_model_that_fails_costs_no_round_and_its_reason_is_seen(with_model):
    page = with_model([Fail(401, "no such key")])
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=60_000)
    assert page.is_visible("#stream >> text=Nothing could be proposed")
    assert page.is_visible("#stream .event:has-text('asked to reason') .event-more")
    meter = page.inner_text("#pane-state .budget")
    assert "0 / " in meter.split("Rounds")[1][:12].replace("\n", " ")
    assert page.faults == []


def test_a_model_that_hangs_is_told_of_and_stopped_at_once(with_model):
    page = with_model([Hang(300)] * 9)
    page.wait_for_selector("text=Waiting for the model", timeout=60_000)
    first = page.inner_text("[data-since]")
    page.wait_for_function("was => document.querySelector('[data-since]').textContent !== was", arg=first)
    page.on("dialog", lambda dialog: dialog.accept())
    began = time.monotonic()
    page.click("button:has-text('Stop the run')")
    page.wait_for_selector("text=The run was stopped.", timeout=30_000)
    assert time.monotonic() - began < 20
    assert page.faults == []
