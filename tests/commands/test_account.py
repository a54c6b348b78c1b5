"""Accounts from the command line: a password is shown once, and nobody is locked out of the site."""

import json
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

pytestmark = pytest.mark.django_db


def account(*arguments: str) -> str:
    out = StringIO()
    call_command("account", *arguments, stdout=out)
    return out.getvalue()


def signs_in(name: str, password: str) -> bool:
    return Client().post("/sign-in/", {"username": name, "password": password}).status_code == 302


def test_an_added_account_signs_in_with_the_password_that_was_printed():
    made = json.loads(account("add", "bo", "--json"))
    assert signs_in("bo", made["password"])
    assert not User.objects.get().is_superuser
    assert made["password"] not in account("list")


def test_a_renewed_password_replaces_the_old_one():
    old = json.loads(account("add", "bo", "--json"))["password"]
    new = json.loads(account("password", "bo", "--json"))["password"]
    assert not signs_in("bo", old)
    assert signs_in("bo", new)


def test_a_deactivated_account_cannot_sign_in_until_it_is_activated():
    account("add", "ada", "--admin")
    password = json.loads(account("add", "bo", "--json"))["password"]
    assert account("deactivate", "bo") == "bo can no longer sign in.\n"
    assert not signs_in("bo", password)
    assert "bo                       deactivated" in account("list")
    account("activate", "bo")
    assert signs_in("bo", password)


def test_the_only_administrator_stays():
    account("add", "ada", "--admin")
    with pytest.raises(CommandError, match="the only administrator"):
        account("deactivate", "ada")
    account("add", "bo", "--admin")
    account("deactivate", "ada")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "BO"), "There is an account 'BO' already"),
        (("add", "two words"), "cannot be the name of an account"),
        (("password", "eve"), "There is no account 'eve'. Accounts: bo."),
    ],
)
def test_what_does_not_fit_is_said(arguments, said):
    account("add", "bo")
    with pytest.raises(CommandError, match=said):
        account(*arguments)
