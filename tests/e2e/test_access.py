"""Every page for everybody: no serious or critical finding of axe, in light and dark, wide and narrow."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.conftest import Site, sign_in, start_run

pytestmark = pytest.mark.e2e

PAGES = (
    "/inbox/",
    "/inbox/?show=decided",
    "/inbox/?show=waiting",
    "/notices/",
    "/studies/",
    "/studies/new/",
    "/studies/{study}/",
    "/studies/{study}/setup/",
    "/studies/{study}/policy/",
    "/studies/{study}/policy/rules/0/",
    "/studies/{study}/policy/rules/1/",
    "/studies/{study}/policy/would-ask/?policy=auto",
    "/runs/",
    "{run}",
    "{run}timeline/",
    "{run}graph/",
    "{run}memory/",
    "{run}data/",
    "{run}decisions/",
    "{run}policy/",
    "{run}report/",
    "{review}",
    "{review}remember/",
    "{review}together/",
    "{review}?do=edit",
    "{review}?do=veto",
    "{review}?do=measure",
    "/bench/",
    "/bench/import/",
    "/findings/",
    "/findings/import/",
    "/tools/",
    "/tools/convert_units/",
    "/settings/",
    "/settings/password/",
    "/settings/notices/",
    "/settings/away/",
    "/settings/keys/",
    "/nowhere/",
)

RULES = [
    {
        "tool": "measure",
        "arguments": "temperature > 300",
        "then": "second",
        "deadline_hours": 4,
        "note": "hot",
    },
    {"risk": ["high"], "role": "owner"},
]
"""A policy that asks people about everything, so that the runs of other tests wait as before."""

TOO_WIDE = """() => document.documentElement.scrollWidth <= window.innerWidth ? [] :
    [...document.querySelectorAll("main *")]
        .filter(element => element.getBoundingClientRect().right > window.innerWidth)
        .map(element => element.outerHTML.slice(0, 120))"""
"""What sticks out at the right, if the page scrolls sideways."""


@pytest.fixture(scope="module")
def places(site: Site, browser: Any) -> dict[str, str]:
    """Addresses of a run with a past, its study and its open review."""
    page = sign_in(browser, site)
    run = start_run(page)
    key = page.get_attribute("[data-review]", "data-key")
    page.keyboard.press("a")
    page.wait_for_function("key => document.querySelector('[data-review]')?.dataset.key !== key", arg=key)
    review = page.get_attribute("[data-review]", "id").removeprefix("review-")
    study = page.get_attribute(".crumb a:nth-of-type(2)", "href").strip("/").split("/")[-1]
    rules = site.home / "rules.json"
    rules.write_text(json.dumps(RULES), encoding="utf-8")
    site.manage("policy", "set", study, "--file", str(rules))
    return {"run": run.removeprefix(site.url), "review": f"/reviews/{review}/", "study": study}


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_a_page_is_open_to_everybody(
    site: Site, browser: Any, places: dict[str, str], path: str, scheme: str, width: int
):
    page = _signed_in(site, browser, scheme, width).context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if "Content Security" in line.text else None)
    page.goto(path.format(**places))
    assert faults == []
    assert page.evaluate(TOO_WIDE) == []
    found = Axe().run(page).response["violations"]
    grave = [
        (violation["id"], node["target"], node["failureSummary"][:200])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]
    assert grave == []
    page.close()


_pages: dict[tuple[str, int], Any] = {}


def _signed_in(site: Site, browser: Any, scheme: str, width: int) -> Any:
    """Return a page signed in once for each look: signing in for each test would take most of the time."""
    if (scheme, width) not in _pages:
        view = {"width": width, "height": 900}
        _pages[scheme, width] = sign_in(browser, site, color_scheme=scheme, viewport=view)
    return _pages[scheme, width]
