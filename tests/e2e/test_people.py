"""Two people at once, interruptions while typing, a phone, a keyboard, no JavaScript."""

from typing import Any

import pytest

from tests.e2e.conftest import PASSWORD, Site, sign_in, start_run

pytestmark = pytest.mark.e2e

MAKE_COLLEAGUE = f"""
from django.contrib.auth import get_user_model
from agents.models import Study
from reviews.services import add_member
user, is_new = get_user_model().objects.get_or_create(username="colleague")
user.set_password("{PASSWORD}")
user.save()
for study in Study.objects.all():
    add_member(study=study, user=user, role="reviewer")
"""


@pytest.fixture(scope="module")
def pages(site: Site, browser: Any) -> tuple[Any, Any]:
    """Two people, each in a browser of their own."""
    site.manage("shell", "-c", MAKE_COLLEAGUE)
    return sign_in(browser, site), sign_in(browser, site, name="colleague")


def card(page: Any) -> str:
    return str(page.inner_text("[data-review]"))


def test_both_approve_and_one_is_told_who_was_first(pages):
    ana, ben = pages
    start_run(ana)
    review = ana.get_attribute("[data-review]", "id").removeprefix("review-")
    for page in pages:
        page.goto(f"/reviews/{review}/")
    ana.click("button[value=approve]")
    ana.wait_for_selector(".is-closed")
    ben.click("button[value=approve]")
    ben.wait_for_selector("text=Already decided by researcher")
    assert "Approved" in card(ana)


def test_what_is_typed_stays_when_the_other_decides(pages):
    ana, ben = pages
    run = start_run(ana)
    ben.goto(run)
    ben.wait_for_selector("#connection[data-state=live]")
    ben.keyboard.press("v")
    ben.wait_for_selector(".review-form")
    ben.fill(".review-form [name=note]", "I was in the middle of a thought")
    ana.keyboard.press("a")
    ben.wait_for_selector("text=This review has changed since you began typing")
    assert ben.input_value(".review-form [name=note]") == "I was in the middle of a thought"


def test_who_comes_too_late_keeps_the_answer_and_the_text_until_they_dismiss_it(pages):
    ana, ben = pages
    run = start_run(ana)
    ben.goto(run)
    ben.wait_for_selector("#connection[data-state=live]")
    ben.keyboard.press("v")
    ben.wait_for_selector(".review-form")
    ben.fill(".review-form [name=note]", "I was in the middle of a thought")
    ana.keyboard.press("a")
    ben.wait_for_selector("text=This review has changed since you began typing")
    ben.click(".review-form button[value=veto]")
    kept = ben.wait_for_selector("#lasting [data-lasting]")
    assert "Already decided by researcher" in kept.inner_text()
    assert ben.input_value("#lasting textarea") == "I was in the middle of a thought"
    ben.click("#lasting [data-dismiss]")
    assert ben.query_selector("#lasting [data-lasting]") is None
    ben.wait_for_selector("[data-review]:not(.is-closed)")


def test_a_draft_survives_a_reload(pages):
    ana, _ = pages
    start_run(ana)
    ana.keyboard.press("e")
    ana.wait_for_selector(".review-form")
    ana.fill("[name=hypothesis]", "Half a hypothesis")
    ana.wait_for_selector("text=draft kept at")
    ana.reload()
    ana.wait_for_selector("#connection[data-state=live]")
    ana.keyboard.press("e")
    ana.wait_for_selector(".review-form")
    assert ana.input_value("[name=hypothesis]") == "Half a hypothesis"


def test_keys_do_nothing_while_somebody_types(pages):
    ana, _ = pages
    start_run(ana)
    ana.keyboard.press("g")
    ana.keyboard.type("avoid every very hot mix")
    assert ana.input_value("[data-guidance] textarea") == "avoid every very hot mix"
    assert not ana.query_selector(".review-form")


def test_a_stop_of_one_ends_the_approval_of_the_other(pages):
    ana, ben = pages
    start_run(ana)
    review = ana.get_attribute("[data-review]", "id").removeprefix("review-")
    ben.goto(f"/reviews/{review}/")
    ana.on("dialog", lambda dialog: dialog.accept())
    ana.click("button:has-text('Stop the run')")
    ana.wait_for_selector("text=The run was stopped.")
    ben.click("button[value=approve]")
    ben.wait_for_selector("text=This review was cancelled")


def test_three_reviews_are_worked_off_by_keyboard_without_a_page_load(pages):
    ana, ben = pages
    for _ in range(3):
        start_run(ana)
    ben.goto("/inbox/")
    ben.wait_for_selector("[data-review]")
    ben.evaluate("window.isTheSamePage = true")
    for _ in range(3):
        before = ben.get_attribute("[data-review]", "data-key")
        ben.keyboard.press("a")
        ben.wait_for_function(
            "key => document.querySelector('[data-review]')?.dataset.key !== key", arg=before
        )
    assert ben.evaluate("window.isTheSamePage")


def test_on_a_phone_the_buttons_are_in_reach_and_nothing_is_cut_off(site: Site, browser: Any):
    page = sign_in(browser, site, viewport={"width": 390, "height": 844}, has_touch=True)
    start_run(page)
    button = page.locator("button[value=approve]")
    box = button.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 844
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_without_javascript_a_person_reads_and_decides(site: Site, browser: Any):
    with_scripts = sign_in(browser, site)
    run = start_run(with_scripts)
    page = sign_in(browser, site, java_script_enabled=False)
    page.goto(run)
    page.click("a:has-text('Veto…')")
    page.click("label[for=reason-other]")
    page.fill(".review-form [name=note]", "Without any script")
    page.click("button[value=veto]")
    assert "/runs/" in page.url
    assert "Without any script" in page.content()


def test_where_sockets_are_blocked_the_page_asks_every_few_seconds(site: Site, browser: Any):
    page = sign_in(browser, site)
    page.add_init_script("""window.WebSocket = class {
        constructor() { setTimeout(() => this.onclose?.({ code: 1006 }), 0); }
        close() {}
    }""")
    page.goto("/studies/")
    page.click(".row-link:has-text('Direct arylation')")
    page.click("button:has-text('Start a run')")
    page.wait_for_selector("#connection[data-state=polling]", timeout=60_000)
    page.wait_for_selector("[data-review]:not(.is-closed)", timeout=60_000)
    assert page.faults == []


def test_a_session_that_ends_while_typing_costs_nothing_typed(site: Site, browser: Any):
    page = sign_in(browser, site)
    start_run(page)
    page.keyboard.press("v")
    page.wait_for_selector(".review-form")
    page.context.clear_cookies(name="sessionid")
    page.click("label[for=reason-other]")
    page.fill(".review-form [name=note]", "Typed after the session had ended")
    page.click("button[value=veto]")
    page.wait_for_selector("text=You have been signed out.")
    again = page.context.new_page()
    again.goto("/sign-in/")
    again.fill("[name=username]", "researcher")
    again.fill("[name=password]", PASSWORD)
    again.click("main .btn-primary")
    again.wait_for_url("**/inbox/**")
    page.click("button[value=veto]")
    page.wait_for_selector(".is-closed, [data-review]:not(:has(.review-form))")
    again.goto("/inbox/?show=decided")
    assert "Typed after the session had ended" in again.content()
