"""While the storage is in trouble every page says so, and a request that meets it gets an answer in words."""

import pytest
from django.db import OperationalError
from django.test import Client

from agents.store import trouble

pytestmark = pytest.mark.django_db

PAGES = ("/inbox/", "/runs/", "/studies/", "/findings/", "/tools/", "/settings/")
FULL = OperationalError("database or disk is full")


@pytest.mark.parametrize("path", PAGES)
def test_every_page_says_what_is_wrong_what_works_and_what_to_do(lab, path):
    assert 'class="notice storage' not in lab.reviewer.get(path).content.decode()
    trouble.note(FULL)
    page = lab.reviewer.get(path).content.decode()
    assert "The disk is full." in page
    assert "Reading, exports and downloads work." in page
    assert "Runs then go on by themselves." in page
    trouble.look()
    assert 'class="notice storage' not in lab.reviewer.get(path).content.decode()


@pytest.mark.parametrize(
    ("said", "kind", "told"),
    [
        ("attempt to write a readonly database", "read_only", "the right to write"),
        ("database is locked", "locked", "Another program holds the database."),
        ("no such table: agents_run", "not_set_up", "manage.py migrate"),
        ("database disk image is malformed", "damaged", "restore the last backup"),
        ("could not extend file: No space left on device", "full", "The disk is full."),
        ("connection refused", "away", "does not answer"),
    ],
)
def test_each_trouble_has_its_own_words(lab, said, kind, told):
    trouble.note(OperationalError(said))
    assert trouble.current().kind == kind
    assert told in lab.reviewer.get("/inbox/").content.decode()


def test_a_page_that_stays_open_hears_of_it_once_and_of_its_end(lab):
    def poll(knows: str) -> str:
        return lab.reviewer.get("/inbox/count/", {"storage": knows}).content.decode()

    assert 'id="storage"' not in poll("")
    trouble.note(FULL)
    assert "The disk is full." in poll("")
    assert 'id="storage"' not in poll("full")
    trouble.look()
    assert '<div id="storage" hx-swap-oob="true"></div>' in poll("full")


def test_a_trouble_that_nobody_met_again_is_over(lab, monkeypatch):
    trouble.note(FULL)
    monkeypatch.setattr(trouble, "FORGOTTEN_AFTER", -1.0)
    assert trouble.current() is None


def test_a_disk_that_is_nearly_full_is_told_before_anything_fails(lab, monkeypatch):
    monkeypatch.setattr(trouble, "_free", lambda folder: trouble.LOW_BELOW - 1)
    page = lab.reviewer.get("/inbox/").content.decode()
    assert "The disk is nearly full." in page
    assert "Everything still works." in page


def test_strangers_hear_nothing_of_folders(client):
    trouble.note(FULL)
    assert trouble.current().folder not in client.get("/sign-in/").content.decode()


@pytest.fixture
def broken(lab, monkeypatch):
    """Let the decision meet a full disk, with the errors answered as a server does."""

    def fail(**given):
        raise FULL

    monkeypatch.setattr("reviews.services.decide", fail)
    client = Client(raise_request_exception=False)
    client.force_login(lab.users["reviewer"])
    return client


def send(client, lab, **headers):
    fields = {"verdict": "approve", "digest": lab.gate.digest, "note": "fine"}
    return client.post(f"/reviews/{lab.gate.pk}/decide/", fields, headers=headers)


def test_a_decision_that_could_not_be_stored_says_so_and_what_to_do(lab, broken):
    answer = send(broken, lab)
    text = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "What you sent was not stored." in text
    assert "Free some space in Daybook&#x27;s folder." in text
    lab.gate.refresh_from_db()
    assert lab.gate.status == "open"
    assert "The disk is full." in lab.reviewer.get("/inbox/").content.decode()


def test_in_place_the_sentence_comes_without_a_page_around_it(lab, broken):
    answer = send(broken, lab, hx_request="true")
    assert answer.status_code == 503
    assert answer.content.decode().startswith("The disk is full. What you sent was not stored")
    assert "<" not in answer.content.decode()


def test_a_mistake_of_ours_is_still_a_500(lab, monkeypatch):
    def fail(**given):
        raise LookupError("oh")

    monkeypatch.setattr("reviews.services.decide", fail)
    client = Client(raise_request_exception=False)
    client.force_login(lab.users["reviewer"])
    answer = send(client, lab)
    assert answer.status_code == 500
    assert "Something broke on our side" in answer.content.decode()
    assert trouble.current() is None
