"""Secrets of the ways out: readable in Python, never in the database, a dump or an older site's copy."""

import json
from importlib import import_module

import pytest
from django.core import serializers
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from reviews.models import Delivery, Notice, Preference
from reviews.models.sealed import UNREADABLE, seal, unseal
from reviews.notify.posting import post_due

SECRET, ADDRESS = "s3cret-of-the-hook", "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js"
OLDER, NEWER = "an-older-key-of-the-site", "a-newer-key-of-the-site"


@pytest.fixture
def preference(desk) -> Preference:
    kinds = [str(kind) for kind in Notice.Kind]
    return Preference.objects.create(
        user=desk.ana,
        kinds=kinds,
        webhook_url="http://hooks.lan/x",
        webhook_secret=SECRET,
        apprise_url=ADDRESS,
    )


def stored() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT webhook_secret, apprise_url FROM reviews_preference")
        return cursor.fetchone()


def test_the_database_holds_neither_and_python_reads_both(preference):
    assert not any(secret in text for secret in (SECRET, ADDRESS) for text in stored())
    again = Preference.objects.get()
    assert (again.webhook_secret, again.apprise_url) == (SECRET, ADDRESS)
    assert all(text.startswith("sealed1:") for text in stored())


def test_the_same_text_is_sealed_differently_each_time_and_nothing_stays_nothing():
    assert seal(SECRET) != seal(SECRET)
    assert (seal(""), unseal("")) == ("", "")


def test_a_dump_holds_neither_and_can_be_loaded(preference):
    dump = serializers.serialize("json", Preference.objects.all())
    assert SECRET not in dump
    assert ADDRESS not in dump
    assert json.loads(dump)[0]["fields"]["webhook_url"] == "http://hooks.lan/x"
    Preference.objects.all().delete()
    for row in serializers.deserialize("json", dump):
        row.save()
    assert Preference.objects.get().webhook_secret == SECRET


def test_an_older_key_still_opens_and_the_newer_one_seals(settings):
    settings.SECRET_KEY = OLDER
    sealed = seal(SECRET)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEWER, [OLDER]
    assert unseal(sealed) == SECRET
    sealed = seal(SECRET)
    settings.SECRET_KEY_FALLBACKS = []
    assert unseal(sealed) == SECRET


@pytest.mark.parametrize("text", ["sealed1:nonsense", "sealed1:", "never sealed"])
def test_what_no_key_opens_is_unreadable_and_not_empty(text):
    assert unseal(text) == UNREADABLE
    assert UNREADABLE


def test_with_a_lost_key_nothing_is_sent_unsigned_and_the_ledger_says_why(desk, preference, settings):
    settings.DAYBOOK_NOTIFY_HOSTS = ["hooks.lan"]
    settings.SECRET_KEY = NEWER
    desk.gate()
    assert post_due() == 2
    assert set(Delivery.objects.values_list("status", flat=True)) == {"failed"}
    assert all("SECRET_KEY" in error for error in Delivery.objects.values_list("error", flat=True))


def test_what_stood_there_in_plain_is_sealed_by_the_migration_and_comes_back(preference):
    migration = import_module("reviews.migrations.0006_sealed_secrets")
    before = MigrationExecutor(connection).loader.project_state([("reviews", "0005_first_reader")]).apps
    before.get_model("reviews", "Preference").objects.update(webhook_secret=SECRET, apprise_url="")
    assert stored() == (SECRET, "")
    migration.seal_all(before, None)
    assert SECRET not in stored()[0]
    assert (Preference.objects.get().webhook_secret, Preference.objects.get().apprise_url) == (SECRET, "")
    migration.unseal_all(before, None)
    assert stored() == (SECRET, "")
