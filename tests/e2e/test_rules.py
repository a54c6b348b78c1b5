"""Rules, the milestone review and the second person in a real browser: distilled, read, opened, changed by two."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.conftest import Site, sign_in, start_run
from tests.e2e.test_people import MAKE_COLLEAGUE

pytestmark = pytest.mark.e2e
CAMPAIGNS = """
import random
from django.db import transaction
from agents.core.policy import PolicyTable
from agents.models import Experiment, Study
from agents.core.measurement import conditions_digest
from agents.services import set_policy, start_run
study = Study.objects.get(title__startswith="Direct arylation")
study.milestones = 1
study.domain = "Cross-coupling"
study.save()
levels = {p["name"]: p["levels"] for p in study.space["parameters"]}
objective = study.objectives[0]
for number in (1, 2):
    chance = random.Random(number)
    run = start_run(study, by="seed")
    run.status = "stopped"
    run.save()
    for place in range(60):
        planned = {name: chance.choice(values[:3]) for name, values in levels.items()}
        value = 30 + 10 * sum(values.index(planned[name]) for name, values in levels.items()) + chance.gauss(0, 1)
        Experiment.objects.create(study=study, run=run, key=f"seed/{place}", planned=planned, round=place + 1,
            conditions_digest=conditions_digest(planned),
            measurements=[dict(objective=objective["name"], value=min(99, value), unit=objective["unit"])])
set_policy(study, PolicyTable(second_for_findings=True), by="seed")
print(study.slug)
"""
TWICE = """
from django.db import transaction
from agents.core.findings import Finding
from agents.models import Run
from agents.store.findings import add_row
from agents.store.log import lock_run
with transaction.atomic():
    run = lock_run({run!r})
    for text in ("Stirring hardly matters.", "stirring hardly  matters."):
        add_row(run, Finding(id="", study_id=str(run.study_id), text=text, round=1, evidence=[dict(round=1, stance="for")]))
"""


@pytest.fixture(scope="module")
def slug(site: Site) -> str:
    site.manage("shell", "-c", MAKE_COLLEAGUE)
    return site.manage("shell", "-c", CAMPAIGNS).split()[-1]


@pytest.fixture(scope="module")
def pages(site: Site, browser: Any, slug: str) -> tuple[Any, Any]:
    return sign_in(browser, site), sign_in(browser, site, name="colleague")


def open_rule(page: Any, state: str) -> str:
    """Open the first rule with ``state`` and return what it says."""
    page.goto(f"/findings/?kind=rule&status={state}")
    text = page.inner_text(".row-link .row-text >> nth=0")
    page.click(".row-link >> nth=0 >> text=evidence")
    return str(text)


def test_rules_are_distilled_from_the_runs_and_wait(pages, slug):
    ana, _ = pages
    ana.goto(f"/findings/?kind=rule&study={slug}")
    ana.click("button:has-text('Distil rules from the experiments')")
    assert "They wait for a review" in ana.inner_text("body")
    assert ana.locator(".row-link").count() >= 2
    open_rule(ana, "unreviewed")
    told = ana.inner_text("main")
    assert "A rule that nobody has read yet" in told
    assert "run #2" in told
    assert "Speaks for it" in told
    assert "95 % interval" in told
    ana.goto(f"/findings/?kind=rule&study={slug}")
    assert ana.locator(".row-link").count() == 0


def test_a_rule_holds_when_a_second_person_has_approved(pages):
    ana, ben = pages
    text = open_rule(ana, "unreviewed")
    ana.click("button:has-text('Accept as a rule')")
    assert "it holds once a second person has approved it" in ana.inner_text("body")
    assert "another reviewer has to approve it" in ana.inner_text("#waiting")
    assert ana.locator("button:has-text('Approve the change')").count() == 0

    ben.goto("/findings/?status=waiting")
    ben.click(f".row-link:has-text('{text[:40]}') >> text=evidence")
    ben.click("button:has-text('Approve the change')")
    assert "was approved and holds" in ben.inner_text("body")
    assert "approved by colleague" in ben.inner_text("main")
    ben.goto("/findings/?kind=rule")
    assert text in ben.inner_text("main")


def test_new_words_wait_and_may_be_refused(pages):
    ana, ben = pages
    text = open_rule(ben, "active")
    ben.click("summary:has-text('Correct')")
    ben.fill("[name=text]", f"{text} Only in dry solvent.")
    ben.fill("#why-edit", "The wet runs say nothing.")
    ben.click("button:has-text('Save the correction')")
    ana.goto("/findings/?status=waiting")
    assert "Only in dry solvent" not in ana.inner_text("main")
    ana.click(".row-link >> text=evidence")
    assert "Only in dry solvent." in ana.inner_text("#waiting ins")
    ana.click("#waiting summary")
    ana.fill("#why-refuse", "None of them was wet.")
    ana.click("button:has-text('Refuse the change')")
    assert ana.inner_text("h1") == text
    assert ana.locator("#waiting").count() == 0


def test_a_milestone_review_is_a_card_and_its_merge_is_done(pages, site):
    ana, _ = pages
    address = start_run(ana)
    run = address.rstrip("/").rpartition("/")[2]
    site.manage("shell", "-c", TWICE.format(run=run))
    ana.click("button[value=approve]")
    ana.wait_for_selector("text=Milestone review of the whole memory", timeout=60_000)
    ana.wait_for_selector("[data-review]:not(.is-closed) >> text=Merge findings", timeout=60_000)
    told = ana.inner_text("[data-review]:not(.is-closed)")
    assert "says the very same as" in told
    ana.click("[data-review]:not(.is-closed) button[value=approve]")
    # Its round is completed when the next review is asked for.
    ana.wait_for_selector("[data-review]:not(.is-closed) >> text=Measure measure", timeout=60_000)
    ana.goto("/findings/?status=superseded")
    assert "stirring hardly  matters." in (ana.text_content("main") or "")


def test_the_set_up_page_asks_how_often_the_memory_is_reviewed(pages, slug):
    ana, _ = pages
    ana.goto(f"/studies/{slug}/setup/")
    assert ana.input_value("[name=milestones]") == "1"


def test_nothing_is_wider_than_a_phone_and_axe_has_no_serious_remark(site, browser, slug):
    page = sign_in(browser, site, viewport={"width": 390, "height": 844})
    open_rule(page, "active")
    for address in (page.url, f"/findings/?kind=rule&study={slug}", f"/studies/{slug}/policy/"):
        page.goto(address)
        page.evaluate("document.querySelectorAll('main details').forEach(one => { one.open = true })")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
        remarks = Axe().run(page).response["violations"]
        assert [each["id"] for each in remarks if each["impact"] in ("serious", "critical")] == [], address
