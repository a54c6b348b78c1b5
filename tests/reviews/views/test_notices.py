"""The bell, the list, and how one is told."""

import pytest
from django.urls import reverse

from reviews.models import Delivery, Notice, Preference
from reviews.services import decide
from tests.reviews.views.conftest import waiting_gate

FIELDS = {
    "kinds": ["opened"],
    "email": "off",
    "digest_hour": "8",
    "time_zone": "Europe/Berlin",
    "email_address": "",
}


def test_a_notice_is_counted_listed_opened_and_read(lab):
    waiting_gate(lab.study, title="Measure CsOPiv")
    page = lab.reviewer.get(reverse("notices")).content.decode()
    assert "Measure CsOPiv" in page
    assert 'id="notice-count">1<' in page
    notice = Notice.objects.get(user=lab.users["reviewer"])
    answer = lab.reviewer.post(reverse("notice-open", args=[notice.pk]))
    assert answer["Location"] == reverse("review", args=[notice.review_id])
    assert "Measure CsOPiv" not in lab.reviewer.get(reverse("notices"), {"show": "unread"}).content.decode()


def test_the_count_is_brought_up_to_date_with_the_inbox(lab):
    waiting_gate(lab.study)
    page = lab.reviewer.get(reverse("inbox-count")).content.decode()
    assert 'id="notice-count" hx-swap-oob="true">1<' in page


def test_somebody_elses_notice_does_not_exist(lab):
    waiting_gate(lab.study)
    notice = Notice.objects.get(user=lab.users["reviewer"])
    assert lab.owner.post(reverse("notice-open", args=[notice.pk])).status_code == 404
    notice.refresh_from_db()
    assert notice.read_at is None


def test_a_link_of_a_message_asks_for_a_sign_in_and_decides_nothing(lab):
    gate = waiting_gate(lab.study)
    url = reverse("review", args=[gate.pk])
    answer = lab.anybody.get(url)
    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, reverse("sign-in"))
    for extra in ("?verdict=approve", f"?verdict=approve&digest={gate.digest}", "?do=approve"):
        assert lab.reviewer.get(url + extra).status_code == 200
    assert lab.reviewer.get(reverse("review-decide", args=[gate.pk])).status_code == 405
    gate.refresh_from_db()
    assert gate.status == "open"


def test_a_secret_is_never_shown_again(lab, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["hooks.lan"]
    url = reverse("notify-settings")
    typed = {
        **FIELDS,
        "webhook_url": "http://hooks.lan/x",
        "webhook_secret": "s3cret",
        "apprise_url": "discord://12345/abcdefgh",
    }
    assert lab.reviewer.post(url, typed).status_code == 302
    page = lab.reviewer.get(url).content.decode()
    assert "s3cret" not in page
    assert "abcdefgh" not in page
    assert "A secret is stored and not shown" in page
    assert Preference.objects.get().time_zone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"webhook_url": "http://127.0.0.1/x"}, "A webhook is an https address"),
        ({"apprise_url": "json://localhost"}, "is not allowed here"),
        ({"time_zone": "Mars/Base"}, "no time zone"),
        ({"email": "each"}, "needs an address"),
        ({"email_address": "nobody"}, "no e-mail address"),
        ({"quiet_from": "22:00"}, "both ends"),
    ],
)
def test_what_cannot_be_used_is_said_beside_its_field(lab, fields, told):
    answer = lab.reviewer.post(reverse("notify-settings"), {**FIELDS, **fields})
    assert (answer.status_code, told in answer.content.decode()) == (422, True)
    assert not Preference.objects.exists()


def test_without_a_mail_server_the_page_says_so(lab):
    assert "no mail server" in lab.reviewer.get(reverse("notify-settings")).content.decode()


def test_a_test_goes_by_every_way_that_is_set_up(lab, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["hooks.lan"]
    lab.reviewer.post(reverse("notify-settings"), {**FIELDS, "webhook_url": "http://hooks.lan/x"})
    assert lab.reviewer.post(reverse("notify-test")).status_code == 302
    assert Delivery.objects.get().channel == "webhook"
    assert lab.reviewer.post(reverse("notify-test")).status_code == 409


def test_a_decided_review_is_no_news(lab):
    gate = waiting_gate(lab.study)
    decide(gate=gate, user=lab.users["owner"], verdict="veto", reason_code="other", shown_digest=gate.digest)
    assert not Notice.objects.filter(review_id=gate.pk, read_at=None).exists()
