"""Accounts of a site, as its administrator makes and ends them from the command line."""

import secrets

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from agents.core.errors import BadInput, Conflict, NotFound


def accounts() -> QuerySet[User]:
    """Return every account, oldest first."""
    return get_user_model().objects.order_by("pk")


def add_account(name: str, *, is_admin: bool = False) -> tuple[User, str]:
    """Make an account and return it with its password, which is kept nowhere else.

    An administrator sees every study; everybody else those that they are a member of. Raises ``BadInput`` for a
    name that cannot be one, ``Conflict`` when it is taken, in any case of letters.
    """
    name = name.strip()
    if accounts().filter(username__iexact=name).exists():
        raise Conflict(f"There is an account {name!r} already; `manage.py account list` shows all.")
    user = User(username=name, is_staff=is_admin, is_superuser=is_admin)
    password = _new_password(user)
    try:
        user.full_clean()
    except ValidationError as fault:
        raise BadInput(f"{name!r} cannot be the name of an account: {' '.join(fault.messages)}") from None
    user.save()
    return user, password


def renew_password(name: str) -> tuple[User, str]:
    """Give an account a new random password, which ends its sessions, and return both."""
    user = _named(name)
    password = _new_password(user)
    user.save(update_fields=["password"])
    return user, password


def set_active(name: str, *, is_active: bool) -> User:
    """Let an account sign in, or no longer: its decisions stay, its sessions end.

    Raises ``BadInput`` for the last administrator, without whom nobody could undo it in the browser.
    """
    user = _named(name)
    admins = accounts().filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    if not is_active and user.is_superuser and not admins.exists():
        raise BadInput(f"{user.username} is the only administrator; add another one first.")
    user.is_active = is_active
    user.save(update_fields=["is_active"])
    return user


def _new_password(user: User) -> str:
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    return password


def _named(name: str) -> User:
    user = accounts().filter(username=name.strip()).first()
    if user is None:
        known = ", ".join(accounts().values_list("username", flat=True)[:20]) or "none yet"
        raise NotFound(f"There is no account {name!r}. Accounts: {known}.")
    return user
