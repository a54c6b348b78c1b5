"""The inbox by keyboard alone, with keys of one's own, beside an input method, and as one list without scripts."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.conftest import Site, sign_in

pytestmark = pytest.mark.e2e

QUEUED = 30
START = f"""
from django.contrib.auth import get_user_model
from agents.models import Study
from agents.services import start_run
study = Study.objects.get(slug="direct-arylation-of-an-imidazole")
user = get_user_model().objects.get(username="researcher")
for _ in range({QUEUED}):
    start_run(study, by="researcher", user=user)
"""
DECIDED = """
from reviews.models import Decision
for row in Decision.objects.order_by("at"):
    print("decided", row.review_id, row.verdict, row.channel)
"""


@pytest.fixture(scope="module")
def page(site: Site, browser: Any) -> Iterator[Any]:
    """Somebody at an inbox with thirty queued reviews, whose runs a worker brought to their first gate."""
    site.manage("shell", "-c", START)
    page = sign_in(browser, site)
    page.wait_for_function(
        f"async () => {{ const page = await (await fetch('/inbox/count/')).text(); "
        f"return Number(/data-count=.(\\d+)/.exec(page)[1]) > {QUEUED - 1}; }}",
        timeout=180_000,
        polling=1000,
    )
    yield page
    assert page.faults == []


def decided(site: Site) -> list[list[str]]:
    lines = site.manage("shell", "-c", DECIDED).splitlines()
    return [line.split(maxsplit=3)[1:] for line in lines if line.startswith("decided")]


def serious(page: Any) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [row["id"] for row in found if row["impact"] in ("serious", "critical")]


def key_of(page: Any) -> str:
    return str(page.get_attribute("[data-review]", "data-key"))


def next_card(page: Any, before: str) -> None:
    page.wait_for_function("key => document.querySelector('[data-review]')?.dataset.key !== key", arg=before)


def press(page: Any, **event: Any) -> None:
    page.evaluate(
        "event => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {bubbles: true, ...event}))",
        event,
    )


@pytest.mark.long
def test_thirty_queued_reviews_need_one_key_each_and_no_page_load(page, site):
    page.goto("/inbox/?order=oldest")
    page.wait_for_selector("[data-review]")
    page.evaluate("window.isTheSamePage = true")
    before, seen = len(decided(site)), []
    for _ in range(QUEUED):
        seen.append(key_of(page))
        page.keyboard.press("a")
        next_card(page, seen[-1])
        assert page.evaluate("document.activeElement.matches('[data-review]')"), "the next card has the focus"
        assert "Approved." in page.inner_text("#said")
    assert page.evaluate("window.isTheSamePage")
    rows = decided(site)[before:]
    assert [f"{review}:open" for review, _verdict, _channel in rows] == seen
    assert {verdict for _review, verdict, _channel in rows} == {"approve"}


def test_keys_of_an_input_method_and_half_letters_decide_nothing(page):
    page.goto("/inbox/")
    page.wait_for_selector("[data-review]")
    before = key_of(page)
    press(page, key="a", isComposing=True)
    press(page, key="a", keyCode=229)
    press(page, key="Process", keyCode=229)
    press(page, key="Dead")
    press(page, key="a", ctrlKey=True)
    press(page, key="a", repeat=True)
    page.focus("#inbox-q")
    page.keyboard.type("aev")
    page.wait_for_timeout(500)
    assert key_of(page) == before
    assert page.input_value("#inbox-q") == "aev"
    assert page.locator(".review-form").count() == 0


def test_a_changed_key_is_shown_and_works_and_the_old_one_does_nothing(page):
    page.goto("/settings/keys/")
    page.fill("[name=approve]", "v")
    page.click("main .btn-primary")
    page.wait_for_selector("text=is also the key for: veto")
    page.fill("[name=approve]", "y")
    page.click("main .btn-primary")
    page.wait_for_selector("text=Saved.")
    page.goto("/inbox/")
    page.wait_for_selector("[data-review]")
    assert page.inner_text("button[value=approve] kbd") == "y"
    page.keyboard.press("?")
    assert page.inner_text("#keys [data-key-for=approve]") == "y"
    page.keyboard.press("Escape")
    before = key_of(page)
    page.keyboard.press("a")
    page.wait_for_timeout(400)
    assert key_of(page) == before
    page.keyboard.press("y")
    next_card(page, before)
    page.goto("/settings/keys/")
    page.click("[name=reset]")


def test_a_list_is_decided_without_scripts_but_what_was_unticked(page, site, browser):
    plain = sign_in(browser, site, java_script_enabled=False)
    plain.goto("/inbox/")
    plain.click(".alike a")
    ticks = plain.locator("[name=pick]")
    count = ticks.count()
    assert count > 2
    for number in range(count):
        ticks.nth(number).set_checked(number in (1, 2))
    picked = {ticks.nth(number).get_attribute("value") for number in (1, 2)}
    plain.fill("[name=note]", "Both are alike")
    before = len(decided(site))
    plain.click("button[value=approve]")
    assert "2 reviews decided." in plain.inner_text("main")
    rows = decided(site)[before:]
    assert ({review for review, *_ in rows}, {channel for *_, channel in rows}) == (picked, {"web batch"})


@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_fit_and_axe_has_no_serious_remark(page, site, browser, width):
    looked = sign_in(browser, site, viewport={"width": width, "height": 900})
    together = looked.get_attribute(".alike a", "href")
    for address in ("/inbox/", together, "/settings/keys/"):
        looked.goto(address)
        assert looked.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
        assert serious(looked) == [], address


def test_a_selected_passage_is_commented_on_and_the_reasoner_reads_it_with_the_decision(page, site):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/inbox/")
    page.wait_for_selector("[data-review]")
    page.evaluate(
        """() => {
            const text = document.querySelector("[data-part=hypothesis]").firstChild;
            document.getSelection().setBaseAndExtent(text, 4, text, 10);
        }"""
    )
    page.click("[data-comment-here]")
    quote = page.input_value("[name=quote]")
    page.fill("[name=text]", "Of all of them?")
    page.click("button:has-text('Keep the comment')")
    page.wait_for_selector("mark.on")
    assert page.inner_text("mark.on") == quote
    assert page.evaluate("document.activeElement.closest('[data-review]') !== null")
    review = page.get_attribute("[data-review]", "id").removeprefix("review-")
    page.goto(f"/reviews/{review}/")
    page.keyboard.press("a")
    page.wait_for_selector(".is-closed")
    told = site.manage(
        "shell",
        "-c",
        "from agents.models import Event; "
        f"print([row.payload['text'] for row in Event.objects.filter(run__gates__pk='{review}', kind='guidance.given')])",
    )
    assert f"On “{quote.strip()}” (hypothesis): Of all of them?" in told
