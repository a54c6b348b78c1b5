"""A signed decision, its record, and two runs side by side, in a real browser; on a phone, too."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.conftest import PASSWORD, Site, sign_in, start_run

pytestmark = pytest.mark.e2e
STUDY = "direct-arylation-of-an-imidazole"
SHOTS = os.environ.get("DAYBOOK_SHOTS", "")


def shoot(page: Any, name: str) -> None:
    """Keep a picture of the page, light and dark, when somebody wants to look at it."""
    if SHOTS:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=Path(SHOTS) / f"{name}-{scheme}.png", full_page=True)


def serious(page: Any) -> list[str]:
    """Return what axe finds serious on the page. It styles the page while it looks, which the page's policy tells of."""
    # A row that is just fading in has no colours of its own yet.
    page.evaluate("Promise.allSettled(document.getAnimations().map(one => one.finished))")
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Any:
    return sign_in(browser, site)


@pytest.fixture
def signed(site: Site) -> Iterator[None]:
    """Decisions of the sample study are signed, until the test is over."""
    site.manage("policy", "set", STUDY, "--signed", "yes")
    yield
    site.manage("policy", "set", STUDY, "--signed", "no")


@pytest.mark.usefixtures("signed")
def test_a_decision_is_signed_verified_and_compared(page: Any, site: Site, browser: Any) -> None:
    run = start_run(page)
    page.click("[data-review] a.btn:has-text('Approve and run')")
    page.wait_for_selector("[name=sign-password]")
    page.fill(".review-form [name=note]", "as we agreed")
    page.fill("[name=sign-password]", "no such password")
    shoot(page, "sign-1440")
    page.click("button:has-text('Sign and approve')")
    page.wait_for_selector("text=This is not your password")
    assert page.input_value(".review-form [name=note]") == "as we agreed"
    assert page.input_value("[name=sign-password]") == ""
    assert SHOTS or page.faults == []
    assert serious(page) == []
    page.select_option("[name=sign-meaning]", "responsible")
    page.fill("[name=sign-password]", PASSWORD)
    page.click("button:has-text('Sign and approve')")
    page.wait_for_selector("[data-review] >> text=Round 2")
    page.goto(f"{run}decisions/")
    assert "Record verified: 2 entries" in page.inner_text("main")
    assert "decided as responsible person" in page.inner_text("main")
    assert serious(page) == []
    shoot(page, "decisions-1440")

    page.click(".rows a[href*='/reviews/']")
    page.wait_for_selector("text=signed by researcher")
    page.click("button:has-text('Fork from here')")
    page.wait_for_selector("text=goes on from here")
    page.click("text=Compare with the run it comes from")
    page.wait_for_selector(".compare")
    assert page.locator(".compare > section").count() == 2
    assert serious(page) == []
    shoot(page, "compare-1440")
    address = page.url
    phone = sign_in(browser, site, viewport={"width": 390, "height": 844})
    phone.goto(address)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(phone, "compare-390")
    phone.goto(f"{run}decisions/")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(phone, "decisions-390")
    page.click("button:has-text('Continue from this one') >> nth=1")
    page.wait_for_selector("text=goes on from here")
    page.goto(f"/studies/{STUDY}/calibration/")
    # Other tests have decided in the same study: how many is theirs to say, that all are counted is not.
    assert re.search(r"[1-9]\d* of [1-9]\d*", page.inner_text("main"))
    assert serious(page) == []
    shoot(page, "calibration-1440")
    phone.goto(page.url)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    shoot(phone, "calibration-390")
    assert SHOTS or phone.faults == []
