"""Findings, tools, settings, sign-in, languages, looks and the pages for faults."""

import pytest
from django.http import HttpRequest
from django.test import Client, override_settings
from django.urls import reverse

from agents.models import Finding
from reviews.services import add_member
from tests.reviews.views.conftest import new_study
from tests.support import make_run


def finding(run, number: int, text: str, **fields) -> Finding:
    return Finding.objects.create(study=run.study, run=run, number=number, text=text, **fields)


def shown(answer) -> list[str]:
    return [row.text for row in answer.context["page"].object_list]


def test_findings_are_listed_by_state(lab):
    finding(lab.run, 1, "KOAc is slow")
    finding(lab.run, 2, "Too hot", status="vetoed")
    assert shown(lab.viewer.get(reverse("findings"))) == ["KOAc is slow"]
    assert shown(lab.viewer.get(reverse("findings"), {"status": "vetoed"})) == ["Too hot"]
    assert set(shown(lab.viewer.get(reverse("findings"), {"status": "all"}))) == {"KOAc is slow", "Too hot"}


def test_findings_are_searched_by_words_while_the_index_is_away(lab):
    finding(lab.run, 1, "KOAc is slow")
    finding(lab.run, 2, "The solvent hardly matters")
    answer = lab.viewer.get(reverse("findings"), {"q": "solvent"})
    assert shown(answer)[0] == "The solvent hardly matters"
    assert "found by their words" in answer.content.decode()


def test_a_search_never_leaves_the_persons_studies(lab):
    finding(make_run(new_study(title="Secret")), 1, "solvent secret")
    finding(lab.run, 1, "solvent open")
    assert shown(lab.viewer.get(reverse("findings"), {"q": "solvent", "status": "all"})) == ["solvent open"]


def test_a_search_can_be_kept_to_one_study(lab):
    other = new_study(title="Other")
    add_member(study=other, user=lab.users["viewer"])
    finding(make_run(other), 1, "solvent there")
    finding(lab.run, 1, "solvent here")
    assert shown(lab.viewer.get(reverse("findings"), {"q": "solvent", "study": other.slug})) == [
        "solvent there"
    ]


def test_a_finding_shows_its_evidence_and_what_it_said_before(lab):
    row = finding(lab.run, 1, "KOAc is slow", evidence=[{"round": 1, "stance": "for"}], version=2)
    row.versions.create(version=1, text="KOAc is fast", confidence=0.5, status="active", reason="a later run")
    html = lab.viewer.get(reverse("finding", args=[row.pk])).content.decode()
    assert "speaks for the hypothesis" in html
    assert "KOAc is <del>fast</del><ins>slow</ins>" in html


def test_a_tool_shows_what_it_takes_and_gives(lab):
    html = lab.viewer.get(reverse("tool", args=["convert_units"])).content.decode()
    assert "convert_units" in html
    assert "JSON Schema" in html


def test_an_unknown_tool_is_not_found(lab):
    assert lab.viewer.get(reverse("tool", args=["nothing"])).status_code == 404


def test_a_key_is_never_shown(lab):
    with override_settings(OPENAI_API_KEY="sk-canary-123", OPENAI_BASE_URL="http://127.0.0.1:9/v1"):
        html = lab.viewer.get(reverse("settings")).content.decode()
    assert "sk-canary-123" not in html
    assert "set, not shown" in html


def test_a_test_without_a_model_says_how_to_set_one_up(lab):
    with override_settings(OPENAI_API_KEY="", OPENAI_BASE_URL=""):
        answer = lab.viewer.post(reverse("test-connection"), headers={"HX-Request": "true"})
    assert "OPENAI_API_KEY" in answer.content.decode()


def test_signing_in_goes_on_to_where_one_wanted_to_be(lab):
    lab.users["viewer"].set_password("right-password-9")
    lab.users["viewer"].save()
    sent = {"username": "viewer", "password": "right-password-9", "next": "/runs/"}
    answer = Client().post(reverse("sign-in"), sent)
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")


@pytest.mark.django_db
def test_a_wrong_password_says_so():
    answer = Client().post(reverse("sign-in"), {"username": "nobody", "password": "wrong"})
    assert "correct username and password" in answer.content.decode()


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/"])
def test_no_form_sends_a_person_to_another_site(lab, target):
    assert lab.viewer.post(reverse("appearance"), {"theme": "dark", "next": target})["Location"] == reverse(
        "inbox"
    )


def test_the_look_is_remembered_by_the_browser(lab):
    lab.viewer.post(reverse("appearance"), {"theme": "dark"})
    assert 'data-theme="dark"' in lab.viewer.get(reverse("settings")).content.decode()
    lab.viewer.post(reverse("appearance"), {"theme": "next"})
    assert "data-theme=" not in lab.viewer.get(reverse("settings")).content.decode()


def test_the_language_is_remembered_by_the_browser(lab):
    lab.viewer.post(reverse("set_language"), {"language": "zh-hans", "next": "/inbox/"})
    html = lab.viewer.get(reverse("inbox")).content.decode()
    assert '<html lang="zh-hans"' in html
    assert "收件箱" in html


def test_the_language_can_be_chosen_before_signing_in(lab):
    lab.anybody.post(reverse("set_language"), {"language": "zh-hans", "next": "/sign-in/"})
    assert '<html lang="zh-hans"' in lab.anybody.get(reverse("sign-in")).content.decode()


def test_pages_load_nothing_from_elsewhere_and_run_nothing_inline(lab):
    for name, args in (("inbox", []), ("run", [lab.run.pk]), ("study-setup", [lab.study.slug])):
        answer = lab.owner.get(reverse(name, args=args))
        html = answer.content.decode()
        assert "default-src 'self'" in answer["Content-Security-Policy"]
        assert "unsafe" not in answer["Content-Security-Policy"]
        assert "<script>" not in html
        assert "style=" not in html
        assert " onclick=" not in html


def test_a_missing_page_is_told_kindly(lab):
    answer = lab.viewer.get("/nowhere/")
    assert (answer.status_code, "There is nothing at this address" in answer.content.decode()) == (404, True)


def test_a_post_without_its_token_is_refused_with_a_way_on(lab):
    client = Client(enforce_csrf_checks=True)
    client.force_login(lab.users["owner"])
    answer = client.post(reverse("study-start", args=[lab.study.slug]))
    assert (answer.status_code, "The form was too old" in answer.content.decode()) == (403, True)


def test_a_new_password_keeps_this_browser_signed_in_and_ends_the_others(lab):
    user = lab.users["viewer"]
    user.set_password("old-password-9")
    user.save()
    here, there = Client(), Client()
    for client in (here, there):
        client.login(request=HttpRequest(), username="viewer", password="old-password-9")
    new = {"old_password": "old-password-9", "new_password1": "lab-notes-77", "new_password2": "lab-notes-77"}
    assert here.post(reverse("password"), new).status_code == 302
    assert [client.get(reverse("inbox")).status_code for client in (here, there)] == [200, 302]
