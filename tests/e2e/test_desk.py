"""The desk with two people at it: rules by form, a blind second, an edit beside a veto, a laptop that slept."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import PASSWORD, ROOT, Site, sign_in, start_run

pytestmark = pytest.mark.e2e

MAKE_PEOPLE = f"""
from django.contrib.auth import get_user_model
from agents.models import Study
from reviews.services import add_member
for name, role in (("ana", "reviewer"), ("ben", "reviewer"), ("olga", "owner")):
    user, is_new = get_user_model().objects.get_or_create(username=name)
    if is_new:
        user.set_password("{PASSWORD}")
        user.save()
    for study in Study.objects.all():
        add_member(study=study, user=user, role=role)
"""
STUDY = "direct-arylation-of-an-imidazole"


@pytest.fixture(scope="module")
def people(site: Site, browser: Any) -> dict[str, Any]:
    """Three people, each in a browser of their own, and the sample's researcher. One person is asked about all."""
    site.manage("shell", "-c", MAKE_PEOPLE)
    pages = {name: sign_in(browser, site, name=name) for name in ("ana", "ben", "olga")}
    ask_one(pages["olga"])
    return {**pages, "researcher": sign_in(browser, site)}


@pytest.fixture(autouse=True)
def without_faults(people: dict[str, Any]) -> Iterator[None]:
    """No script of the page fails, and none is stopped by the policy for them."""
    yield
    assert [page.faults for page in people.values()] == [[]] * len(people)


@pytest.fixture
def under(people: dict[str, Any]) -> Iterator[Callable[[str], None]]:
    """Put a rule with an outcome first; afterwards one person is asked about all again."""
    yield lambda then: add_rule(people["olga"], then)
    ask_one(people["olga"])


def ask_one(owner: Any) -> None:
    owner.goto(f"/studies/{STUDY}/policy/")
    owner.select_option("#preset", "every_step")
    owner.click("button:has-text('Use this preset')")


def add_rule(owner: Any, then: str) -> None:
    owner.goto(f"/studies/{STUDY}/policy/rules/0/")
    owner.select_option("[name=then]", then)
    owner.click("button:has-text('Save the rule')")
    owner.wait_for_selector("[aria-label='Change rule 1']")


def review_of(page: Any) -> str:
    return f"/reviews/{page.get_attribute('[data-review]', 'id').removeprefix('review-')}/"


def test_an_owner_writes_rules_orders_them_and_tries_them(under, people):
    olga = people["olga"]
    start_run(people["researcher"])
    olga.goto(f"/studies/{STUDY}/policy/")
    olga.click("text=Add a rule")
    olga.select_option("[name=tool]", "measure")
    olga.fill("[name=arguments]", "temperature > hot")
    olga.click("button:has-text('Save the rule')")
    olga.wait_for_selector("text=which is no number")
    olga.fill("[name=arguments]", "temperature >= 0")
    olga.select_option("[name=then]", "allow")
    olga.click("button:has-text('Save the rule')")
    olga.wait_for_selector("text=temperature >= 0")
    olga.click("text=Add a rule")
    olga.click("label[for=risk-high]")
    olga.select_option("[name=then]", "second")
    olga.click("button:has-text('Save the rule')")
    olga.click("[aria-label='Move rule 2 up']")
    assert "high risk" in olga.inner_text(".rules li:first-child")
    olga.click("text=Try it on past runs")
    assert "Goes through" in olga.inner_text(".content")
    olga.goto(f"/studies/{STUDY}/policy/")
    olga.click("[aria-label='Remove rule 1']")
    assert "temperature >= 0" in olga.inner_text(".rules li:first-child")


def test_a_blind_second_sees_nothing_and_a_dispute_goes_to_an_owner(under, people):
    under("second")
    start_run(people["researcher"])
    review = review_of(people["researcher"])
    ana, ben, olga = people["ana"], people["ben"], people["olga"]
    ben.goto(review)
    ana.goto(review)
    ana.keyboard.press("v")
    ana.wait_for_selector(".review-form")
    ana.click("label[for=reason-unsafe]")
    ana.fill(".review-form [name=note]", "The vessel is not rated for it")
    ana.click("button[value=veto]")
    ana.wait_for_selector("text=It waits for somebody else")
    ben.reload()
    assert "not rated" not in ben.content()
    ben.click("button[value=approve]")
    ben.wait_for_selector("text=Two people disagree")
    olga.goto(review)
    assert "not rated" in olga.inner_text("[data-review]")
    olga.click("button[value=approve]")
    olga.wait_for_selector(".is-closed")


def test_two_who_agree_let_it_run(under, people):
    under("second")
    run = start_run(people["researcher"])
    review = review_of(people["researcher"])
    for name in ("ana", "ben"):
        people[name].goto(review)
        people[name].click("button[value=approve]")
        people[name].wait_for_selector("text=It waits for somebody else" if name == "ana" else ".is-closed")
    people["ana"].goto(f"{run}decisions/")
    people["ana"].wait_for_selector("text=ana, ben")


def test_one_edits_while_the_other_vetoes_and_nothing_typed_is_lost(people):
    start_run(people["researcher"])
    review = review_of(people["researcher"])
    ana, ben = people["ana"], people["ben"]
    for page in (ana, ben):
        page.goto(review)
    ana.keyboard.press("e")
    ana.wait_for_selector(".review-form")
    ana.fill("[name=hypothesis]", "Half of it is in my head")
    ben.keyboard.press("v")
    ben.wait_for_selector(".review-form")
    ben.click("label[for=reason-too_costly]")
    ben.click("button[value=veto]")
    ben.wait_for_selector(".is-closed")
    ana.click("button[value=edit]")
    kept = ana.wait_for_selector("#lasting [data-lasting]")
    assert "Already decided by ben" in kept.inner_text()
    assert "Half of it is in my head" in ana.input_value("#lasting textarea")
    ana.click("#lasting [data-dismiss]")


def test_an_edit_under_four_eyes_is_approved_by_the_other_as_edited(under, people):
    under("four_eyes")
    start_run(people["researcher"])
    review = review_of(people["researcher"])
    ana, ben = people["ana"], people["ben"]
    ana.goto(review)
    ana.keyboard.press("e")
    ana.wait_for_selector(".review-form")
    field = ana.locator("[name='arg.temperature']")
    if field.evaluate("element => element.tagName") == "SELECT":
        other = field.evaluate("e => [...e.options].map(o => o.value).find(v => v && v !== e.value)")
        field.select_option(other)
    else:
        other = "105" if field.input_value() != "105" else "90"
        field.fill(other)
    ana.click("button[value=edit]")
    ana.wait_for_selector("text=It waits for somebody else")
    ben.goto(review)
    assert "ana changed it" in ben.inner_text("[data-review]")
    ben.click("button[value=approve]")
    ben.wait_for_selector(".is-closed")
    assert "ana, ben" in ben.inner_text("[data-review]")


def test_a_laptop_that_slept_while_somebody_typed_tells_what_changed(people):
    ana, ben = people["ana"], people["ben"]
    run = start_run(people["researcher"])
    review = review_of(people["researcher"])
    ana.goto(run)
    ana.wait_for_selector("#connection[data-state=live]")
    ana.keyboard.press("e")
    ana.wait_for_selector(".review-form")
    ana.fill("[name=hypothesis]", "Typed before the lid was closed")
    ana.wait_for_selector("text=draft kept at")
    ana.context.set_offline(True)
    ben.goto(review)
    ben.click("button[value=approve]")
    ben.wait_for_selector(".is-closed")
    ana.context.set_offline(False)
    ana.wait_for_selector("text=This review has changed since you began typing", timeout=60_000)
    assert ana.input_value("[name=hypothesis]") == "Typed before the lid was closed"


@pytest.fixture
def fresh_study(site: Site, tmp_path: Path) -> str:
    """The title of a study where nobody has vetoed anything: a proposal like a vetoed one is always asked about."""
    folder = shutil.copytree(ROOT / "examples" / "direct_arylation", tmp_path / "fresh")
    described = json.loads((folder / "study.json").read_text())
    title = "A fresh arylation"
    (folder / "study.json").write_text(json.dumps({**described, "title": title}))
    site.manage("study", "create", "--from", str(folder), "--owner", "researcher")
    site.manage("shell", "-c", MAKE_PEOPLE)
    return title


def test_an_approval_is_remembered_counted_and_revoked(people, fresh_study):
    ana = people["ana"]
    run = start_run(people["researcher"], study=fresh_study)
    ana.goto(review_of(people["researcher"]))
    ana.click("text=Approve and don’t ask again")
    ana.select_option("[name=scope]", "tool")
    ana.fill("[name=rounds]", "2")
    ana.click("button:has-text('Approve and remember')")
    ana.wait_for_url("**/runs/**")
    ana.wait_for_selector("text=Round 4", timeout=60_000)
    ana.goto(f"{run}policy/")
    assert "used 2 times" in ana.inner_text(".content")
    ana.goto(f"{run}timeline/")
    assert "an approval that ana gave for this run" in ana.inner_text(".content")


def test_the_bell_leads_to_the_review_and_the_count_goes_down(people):
    ben = people["ben"]
    ben.goto("/notices/")
    if ben.is_enabled("button:has-text('Mark all as read')"):
        ben.click("button:has-text('Mark all as read')")
    start_run(people["researcher"])
    ben.wait_for_function("() => document.getElementById('notice-count').textContent.trim() === '1'")
    ben.goto("/notices/?show=unread")
    ben.click(".notice-row")
    ben.wait_for_url("**/reviews/**")
    assert ben.inner_text("#notice-count").strip() == ""


def test_a_review_is_given_on_by_keyboard_alone(people):
    ana = people["ana"]
    start_run(people["researcher"])
    ana.goto(review_of(people["researcher"]))
    ana.focus(".review-assign summary")
    ana.keyboard.press("Enter")
    ana.keyboard.press("Tab")
    ana.keyboard.type("ben")
    ana.keyboard.press("Tab")
    ana.keyboard.type("you know this dryer")
    ana.keyboard.press("Enter")
    ana.wait_for_selector("text=Given to ben")
    assert "you know this dryer" in ana.inner_text("[data-review]")
