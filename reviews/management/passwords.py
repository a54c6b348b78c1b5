"""Asking for a password in a terminal: never among the words of a command, where others could read it."""

import getpass
import os
import sys

from django.contrib.auth.models import User

from agents.core.errors import BadInput
from reviews.services.signing import Signing

VARIABLE = "DAYBOOK_SIGN_PASSWORD"


def signing_of(meaning: str, user: User) -> Signing | None:
    """Return what ``user`` signs with, or None when nothing is to be signed (``meaning`` is empty)."""
    if not meaning:
        return None
    given = os.environ.get(VARIABLE) or _ask(user)
    if not given:
        raise BadInput(f"No password was given. Type it when asked, send it as a line, or set {VARIABLE}.")
    return Signing(meaning, given)


def _ask(user: User) -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass.getpass(f"Password of {user.get_username()}: ")
    return sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
