"""Keys that a person gives: checked, kept on the server, shown where they are pressed."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from reviews.keys import ACTS, keys_of, set_keys
from reviews.models import Shortcuts

URL = reverse("keys")
USUAL = {act: key for act, (_text, key) in ACTS.items()}


def kept(name: str) -> dict[str, str]:
    return keys_of(User.objects.get(username=name))


def test_the_usual_keys_are_in_the_sheet_and_on_the_buttons(lab):
    page = lab.reviewer.get("/inbox/").content.decode()
    assert '<kbd data-key-for="approve">a</kbd>' in page
    assert 'data-act="approve"' in page and "<kbd>a</kbd>" in page


def test_a_changed_key_is_kept_and_shown_for_this_person_only(lab):
    assert lab.reviewer.post(URL, {**USUAL, "approve": "y"}).status_code == 302
    page = lab.reviewer.get("/inbox/").content.decode()
    assert '<kbd data-key-for="approve">y</kbd>' in page and "<kbd>y</kbd>" in page
    assert '<kbd data-key-for="approve">a</kbd>' in lab.owner.get("/inbox/").content.decode()
    assert Shortcuts.objects.get().keys == {"approve": "y"}


def test_an_empty_field_takes_the_key_away(lab):
    lab.reviewer.post(URL, {**USUAL, "approve": ""})
    page = lab.reviewer.get("/inbox/").content.decode()
    assert 'data-key-for="approve"' not in page and "<kbd>a</kbd>" not in page


def test_two_acts_may_change_places(lab):
    lab.reviewer.post(URL, {**USUAL, "approve": "v", "veto": "a"})
    assert (kept("reviewer")["approve"], kept("reviewer")["veto"]) == ("v", "a")


@pytest.mark.parametrize(
    ("key", "told"),
    [("v", "“v” is also the key for: veto."), ("ab", "is not one key"), ("\u200b", "is not one key")],
)
def test_a_key_that_gets_in_the_way_is_refused_beside_its_field_and_nothing_typed_is_lost(lab, key, told):
    answer = lab.reviewer.post(URL, {**USUAL, "approve": key, "next": "n"})
    page = answer.content.decode()
    assert (answer.status_code, told in page, 'value="n"' in page) == (422, True, True)
    assert not Shortcuts.objects.exists()


def test_a_conflict_is_told_at_both_fields(lab):
    errors = lab.reviewer.post(URL, {**USUAL, "approve": "v"}).context["form"].errors
    assert set(errors) == {"approve", "veto"}


def test_capitals_and_other_scripts_are_keys(lab):
    lab.reviewer.post(URL, {**USUAL, "approve": "A", "edit": "ф", "note": "é"})
    assert [kept("reviewer")[act] for act in ("approve", "edit", "note")] == ["A", "ф", "é"]


def test_the_usual_keys_come_back(lab):
    lab.reviewer.post(URL, {**USUAL, "approve": "y"})
    lab.reviewer.post(URL, {"reset": "1"})
    assert kept("reviewer") == USUAL


def test_what_is_not_named_keeps_its_key(lab):
    user = lab.users["owner"]
    set_keys(user=user, keys={"next": "n"})
    set_keys(user=user, keys={"previous": "p"})
    assert (kept("owner")["next"], kept("owner")["previous"]) == ("n", "p")


def test_what_was_decided_is_said_and_the_next_one_is_there(lab):
    answer = lab.reviewer.post(
        f"{reverse('review-decide', args=[lab.gate.pk])}?from=inbox&at=0",
        {"verdict": "approve", "digest": lab.gate.digest},
        headers={"HX-Request": "true"},
    )
    page = answer.content.decode()
    assert '<p id="said" hx-swap-oob="innerHTML">Measure KOAc at 80 °C: Approved. 0 reviews are left.' in page
