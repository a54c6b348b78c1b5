"""A person adds an MCP server in the browser, switches a tool on, and approves a call that a model proposes."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from agents.testing.replies import Answer, Reply, Request, Say, asked_format
from agents.testing.serving import ModelServer
from tests.e2e.conftest import ROOT, Site, end, serve, sign_in

pytestmark = pytest.mark.e2e

PROGRAM = f"{sys.executable} -m tests.tools.outside.servers good"
TURN = {
    "memory": [],
    "hypothesis": {"text": "Two and three make five.", "refuted_by": "They make another number."},
    "action": {"tool": "calc_add", "arguments": {"a": 2, "b": 3}},
    "reason": "To see whether the calculator is well.",
}
WITH_MODEL = """
from agents.models import Study
Study.objects.filter(title__startswith="Direct arylation").update(reasoner="language_model")
"""


def scientist(request: Request, number: int) -> Reply:
    """Propose the outside tool whenever a turn is asked for."""
    kind = asked_format(request)
    if kind == "digest":
        return Answer({"items": []})
    return Answer(TURN) if kind == "turn" else Say("Done.")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site whose model is scripted."""
    with ModelServer(scientist) as model:
        served = serve(
            tmp_path_factory.mktemp("outside"),
            OPENAI_BASE_URL=model.base_url,
            OPENAI_API_KEY="x",
            DAYBOOK_MODEL="scripted",
        )
        yield served
        end(served)


def to_tools(page: Any) -> None:
    page.goto("/studies/")
    page.click(".row-link:has-text('Direct arylation')")
    page.click("nav.tabs a:has-text('Tools')")


def test_from_a_server_to_an_approved_call(site: Site, browser: Any):
    page = sign_in(browser, site)
    to_tools(page)
    page.wait_for_selector("text=No outside tools yet")
    page.click("summary:has-text('MCP server, started here')")
    page.fill("#mcp_stdio-name", "calc")
    page.fill("#mcp_stdio-command", PROGRAM)
    page.fill("#mcp_stdio-environment", f"PYTHONPATH={ROOT}")
    page.click("form[action$='mcp_stdio/'] button")
    page.wait_for_selector("text=All its tools are off", timeout=60_000)
    page.click(".panel:has-text('calc_add') >> button:has-text('Switch on')")
    page.wait_for_selector(".panel:has-text('calc_add') .pill.tone-done")
    site.manage("shell", "-c", WITH_MODEL)
    page.goto("/studies/")
    page.click(".row-link:has-text('Direct arylation')")
    page.click("button:has-text('Start a run')")
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=120_000)
    card = page.inner_text("[data-review]")
    assert "MCP server calc" in card
    assert "calc_add" in card
    page.click("button[value=approve]")
    page.wait_for_selector("text=total 5", timeout=60_000)
    page.goto("/tools/")
    assert "calc_add" in page.inner_text("#outside")
    assert page.faults == []


def test_a_tool_that_changes_nothing_is_tried_on_its_page_and_the_history_says_who(site: Site, browser: Any):
    page = sign_in(browser, site)
    to_tools(page)
    page.click("a.row-link:has-text('calc')")
    page.click("a:has-text('add')")
    page.wait_for_selector("text=so it runs only in a run")
    page.go_back()
    form = page.locator(".panel:has-text('calc_add')")
    form.locator("summary:has-text('Declare')").click()
    form.locator("select[name=effect]").select_option("local")
    form.locator("select[name=risk]").select_option("low")
    form.locator("button:has-text('Save')").click()
    page.click("a:has-text('add')")
    page.fill("[name='arg.a']", "much")
    page.fill("[name='arg.b']", "3")
    page.click("#try button:has-text('Run it')")
    page.wait_for_selector("text=Enter a number")
    page.fill("[name='arg.a']", "39")
    page.click("#try button:has-text('Run it')")
    page.wait_for_selector("#result:has-text('total 42')", timeout=60_000)
    assert "Direct arylation" in page.inner_text(".panel:has-text('Recent calls')")
    told = page.inner_text("#history")
    for words in ("Tried", "Declared otherwise", "effect blind → local", "Switched on", "researcher"):
        assert words in told
    page.click("nav.tabs a:has-text('Tools')")
    assert "Added" in page.inner_text("#history")
    assert page.faults == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_pages_of_outside_tools_are_open_to_everybody(site: Site, browser: Any, scheme: str, width: int):
    page = sign_in(browser, site, color_scheme=scheme, viewport={"width": width, "height": 900})
    to_tools(page)
    places = [page.url]
    page.click("a.row-link:has-text('calc')")
    places.append(page.url)
    page.click("a:has-text('add')")
    places += [page.url, f"{site.url}/tools/"]
    for place in places:
        page.goto(place)
        page.evaluate("document.querySelectorAll('main details').forEach(fold => { fold.open = true })")
        found = Axe().run(page).response["violations"]
        grave = [
            (place, violation["id"], node["target"])
            for violation in found
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
        assert grave == []
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), place
        if shots := os.environ.get("DAYBOOK_SHOTS"):
            page.screenshot(path=f"{shots}/{places.index(place)}-{width}.png", full_page=True)


def test_on_a_phone_and_without_javascript_the_page_can_be_read_and_used(site: Site, browser: Any):
    page = sign_in(browser, site, viewport={"width": 390, "height": 844}, java_script_enabled=False)
    to_tools(page)
    page.click("a:has-text('calc')")
    page.click(".panel:has-text('calc_shout') >> button:has-text('Switch on')")
    assert page.locator(".panel:has-text('calc_shout') .pill.tone-done").count() == 1
    with_scripts = sign_in(browser, site, viewport={"width": 390, "height": 844})
    with_scripts.goto(page.url)
    assert with_scripts.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
