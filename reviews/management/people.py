"""Whom a command acts as."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models import QuerySet

from agents.core.errors import BadInput, NotFound


def acting_user(name: str = "") -> User:
    """Return the person called ``name``; without one the first administrator, or the only person there is.

    Raises ``NotFound`` for a name that nobody has, ``BadInput`` when it cannot be told who acts.
    """
    people: QuerySet[Any] = get_user_model().objects.filter(is_active=True)
    if name:
        found = people.filter(username=name).first()
        if found is None:
            known = ", ".join(people.order_by("pk").values_list("username", flat=True)[:20]) or "nobody yet"
            raise NotFound(f"There is no active account {name!r}. Accounts: {known}.")
        return found  # type: ignore[no-any-return]
    admin = people.filter(is_superuser=True).order_by("pk").first()
    if admin is not None:
        return admin  # type: ignore[no-any-return]
    first = list(people.order_by("pk")[:2])
    if len(first) != 1:
        known = (
            "several people and no administrator"
            if first
            else "no account; `manage.py account add NAME --admin` makes one"
        )
        raise BadInput(f"It is not clear who acts: there is {known}. Say --user NAME.")
    return first[0]  # type: ignore[no-any-return]
