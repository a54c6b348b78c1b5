"""``manage.py account``: add, list, activate and deactivate accounts, renew a password."""

import argparse
import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from agents.management.lookup import plain_errors
from reviews.accounts import accounts, add_account, renew_password, set_active

VERBS = {
    "add": "make an account; prints its random password, once",
    "password": "give an account a new random password; prints it, once",
    "deactivate": "let an account no longer sign in; what it decided stays",
    "activate": "let a deactivated account sign in again",
}


class Command(BaseCommand):
    """Manages who can sign in."""

    help = "Accounts: add, list, password, deactivate, activate."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the verbs and their options."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        for name, text in VERBS.items():
            verb = verbs.add_parser(name, help=text)
            verb.add_argument("name", help="what the person signs in as")
            if name == "add":
                verb.add_argument(
                    "--admin", action="store_true", help="sees every study and the site's admin"
                )
            verb.add_argument("--json", action="store_true", help="print JSON")
        verbs.add_parser("list", help="show all accounts").add_argument(
            "--json", action="store_true", help="print JSON"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the command."""
        as_json = options["json"]
        if options["verb"] == "list":
            return self._list(as_json=as_json)
        with plain_errors():
            user, password = _changed(options)
        if as_json:
            self.stdout.write(json.dumps({**_data(user), **({"password": password} if password else {})}))
        elif password:
            self.stdout.write(
                f"{user.username} signs in with the password {password}\n"
                "It is shown only now; it can be changed under Settings. Members of a study are added on its page."
            )
        else:
            state = "can sign in" if user.is_active else "can no longer sign in"
            self.stdout.write(f"{user.username} {state}.")
        return None

    def _list(self, *, as_json: bool) -> None:
        rows = [_data(user) for user in accounts()]
        if as_json:
            self.stdout.write(json.dumps(rows))
            return
        for row in rows:
            marks = [*(["administrator"] * row["is_admin"]), *([] if row["is_active"] else ["deactivated"])]
            self.stdout.write(f"{row['name']:<24} {', '.join(marks)}".rstrip())


def _changed(options: dict[str, Any]) -> tuple[User, str]:
    name, verb = options["name"], options["verb"]
    if verb == "add":
        return add_account(name, is_admin=options["admin"])
    if verb == "password":
        return renew_password(name)
    return set_active(name, is_active=verb == "activate"), ""


def _data(user: User) -> dict[str, Any]:
    return {"name": user.username, "is_admin": user.is_superuser, "is_active": user.is_active}
