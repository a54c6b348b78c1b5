"""Sending: signed, retried, recorded, with no secret in any log and no way into the network of the site."""

import base64
import hashlib
import hmac
import json
import logging
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from agents.core.errors import BadInput
from agents.models import Gate
from reviews.models import Delivery, Membership, Notice, Preference
from reviews.notify import targets
from reviews.notify.posting import WAITS, post_due
from reviews.services import decide, read_notices, set_preference

SECRET = "s3cret-of-the-hook"
KINDS = [str(kind) for kind in Notice.Kind]


@pytest.fixture
def hook(httpserver, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["127.0.0.1", "localhost"]
    httpserver.expect_request("/hook").respond_with_data("ok")
    return httpserver.url_for("/hook")


@pytest.fixture
def mailed(settings):
    settings.EMAIL_IS_CONFIGURED = True
    settings.DAYBOOK_URL = "https://daybook.example"


def want(user, **fields):
    return Preference.objects.create(user=user, **{"kinds": KINDS, **fields})


def the_delivery() -> Delivery:
    return Delivery.objects.get()


def test_a_webhook_is_signed_over_id_time_and_body(desk, hook, httpserver):
    want(desk.ana, webhook_url=hook, webhook_secret=SECRET)
    gate = desk.gate()
    assert post_due() == 1
    (request, _answer), *rest = httpserver.log
    assert rest == []
    body = request.get_data()
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    assert request.headers["webhook-id"] == str(the_delivery().pk)
    (notice,) = json.loads(body)["notices"]
    assert notice["link"].endswith(f"/reviews/{gate.pk}/")
    assert (the_delivery().status, the_delivery().tries) == ("sent", 1)


def test_what_is_not_taken_is_tried_again_later_under_the_same_id_and_then_given_up(
    desk, httpserver, settings
):
    settings.DAYBOOK_NOTIFY_HOSTS = ["localhost", "127.0.0.1"]
    httpserver.expect_request("/hook").respond_with_data("no", status=500)
    want(desk.ana, webhook_url=httpserver.url_for("/hook"))
    desk.gate()
    now = timezone.now()
    for wait in WAITS:
        assert post_due(now=now) == 1
        delivery = the_delivery()
        assert (delivery.status, delivery.next_at) == ("waiting", now + timedelta(seconds=wait))
        assert post_due(now=now) == 0
        now = delivery.next_at
    assert post_due(now=now) == 1
    assert (the_delivery().status, the_delivery().error) == (
        "failed",
        "The webhook answered with status 500.",
    )
    assert len({request.headers["webhook-id"] for request, _ in httpserver.log}) == 1


def test_a_redirect_is_not_followed(desk, httpserver, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["localhost", "127.0.0.1"]
    httpserver.expect_request("/hook").respond_with_data("", status=302, headers={"Location": "/inside"})
    want(desk.ana, webhook_url=httpserver.url_for("/hook"))
    desk.gate()
    post_due()
    assert [request.path for request, _ in httpserver.log] == ["/hook"]
    assert the_delivery().status == "waiting"


def test_a_mail_says_what_and_where_and_decides_nothing(desk, mailed):
    desk.ana.email = "ana@lab.example"
    desk.ana.save()
    want(desk.ana, email="each")
    gate = desk.gate()
    post_due()
    (message,) = mail.outbox
    assert message.to == ["ana@lab.example"]
    assert f"https://daybook.example/reviews/{gate.pk}/" in message.body
    assert "verdict" not in message.body
    assert gate.digest not in message.body


def test_a_title_makes_no_header_and_no_second_line(desk, mailed):
    desk.ana.email = "ana@lab.example"
    desk.ana.save()
    want(desk.ana, email="each")
    desk.gate()
    Notice.objects.update(title="Weigh\r\nBcc: all@example.org\n<b>5</b>")
    post_due()
    (message,) = mail.outbox
    assert "\n" not in message.subject
    assert message.bcc == []


def test_without_a_mail_server_it_says_so_and_is_not_tried_again(desk):
    want(desk.ana, email="each")
    desk.gate()
    post_due()
    assert the_delivery().status == "failed"
    assert "no mail server" in the_delivery().error


def test_what_is_no_news_any_more_is_dropped(desk, hook, httpserver):
    for name in ("ana", "ben", "olga", "otto"):
        want(getattr(desk, name), webhook_url=hook)
    gate = desk.gate()
    decide(gate=gate, user=desk.ana, verdict="approve", shown_digest=gate.digest)
    desk.gate()
    read_notices(user=desk.ben)
    Membership.objects.filter(user=desk.olga).delete()
    post_due()
    sent = Delivery.objects.filter(status="sent").values_list("user__username", flat=True)
    assert sorted(sent) == ["ana", "otto"]
    assert Delivery.objects.filter(status="dropped").count() == 6


def test_a_sender_that_was_lost_is_taken_over(desk, hook):
    want(desk.ana, webhook_url=hook)
    desk.gate()
    Delivery.objects.update(status="sending", tries=1, next_at=timezone.now() + timedelta(seconds=300))
    assert post_due() == 0
    assert post_due(now=timezone.now() + timedelta(seconds=301)) == 1
    assert the_delivery().status == "sent"


def test_no_log_and_no_error_holds_a_secret(desk, settings, caplog, monkeypatch):
    import apprise

    monkeypatch.setattr(apprise.Apprise, "notify", lambda self, **_: False)
    caplog.set_level(logging.DEBUG)
    settings.DAYBOOK_NOTIFY_HOSTS = ["127.0.0.1"]
    want(
        desk.ana,
        webhook_url="http://127.0.0.1:9/hook?token=abc123",
        webhook_secret=SECRET,
        apprise_url="discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    )
    desk.gate()
    assert post_due() == 2
    said = caplog.text + str(list(Delivery.objects.values_list("error", flat=True)))
    for secret in (SECRET, "abc123", "JHMHI8qBe7bk2ZwO5U711o3dV_js"):
        assert secret not in said
    assert all(Delivery.objects.values_list("error", flat=True))


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://10.0.0.8/x",
        "https://169.254.169.254/latest/meta-data",
        "https://localhost/x",
        "http://example.org/x",
        "ftp://example.org/x",
        "file:///etc/passwd",
        "https://user:password@example.org/",
        "javascript:alert(1)",
        "",
    ],
)
def test_a_webhook_leads_out_of_the_site(url):
    with pytest.raises(BadInput):
        targets.check_webhook(url)


def test_a_name_that_points_inside_is_refused_when_it_is_used_too(desk, monkeypatch):
    want(desk.ana, webhook_url="https://hooks.example/x")
    desk.gate()
    inside = [(2, 1, 6, "", ("192.168.1.4", 443))]
    monkeypatch.setattr(targets.socket, "getaddrinfo", lambda *_, **__: inside)
    post_due()
    assert the_delivery().status == "failed"
    assert "inside the network" in the_delivery().error


def test_a_public_host_is_reached_at_the_address_that_was_looked_at(monkeypatch):
    public = [(2, 1, 6, "", ("93.184.216.34", 443))]
    monkeypatch.setattr(targets.socket, "getaddrinfo", lambda *_, **__: public)
    url, headers, extensions = targets.pinned("https://hooks.example/x?y=1")
    assert (url, headers, extensions) == (
        "https://93.184.216.34/x?y=1",
        {"Host": "hooks.example"},
        {"sni_hostname": "hooks.example"},
    )


@pytest.mark.parametrize(
    "url", ["json://localhost/x", "syslog://", "dbus://", "windows://", "nonsense", "ntfy://inside.lan/topic"]
)
def test_only_services_with_a_public_address_of_their_own_are_allowed(url):
    with pytest.raises(BadInput):
        targets.check_apprise(url)


def test_secrets_are_kept_when_nothing_is_typed_and_forgotten_when_asked(desk, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["hooks.lan"]
    fields = {"kinds": KINDS, "email": "off", "webhook_url": "http://hooks.lan/x", "time_zone": "UTC"}
    set_preference(user=desk.ana, email_address="", webhook_secret=SECRET, **fields)
    set_preference(user=desk.ana, email_address="", webhook_secret="", **fields)
    assert Preference.objects.get().webhook_secret == SECRET
    set_preference(user=desk.ana, email_address="", webhook_secret="", forget=("webhook_secret",), **fields)
    assert Preference.objects.get().webhook_secret == ""
    assert Gate.objects.count() == 0
