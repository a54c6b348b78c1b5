"""What a fresh site starts with: a first account, two sample studies, and a run that waits."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from agents.core.errors import DaybookError
from agents.models import Study
from agents.services import load_bundle, start_run
from reviews.models import Role
from reviews.services import add_member

FIRST_USER = "researcher"
SAMPLES = ("direct_arylation", "oil_extraction")
RUNS = ("direct_arylation",)

Say = Callable[[str], None]


def sign_in_file() -> Path:
    """Return the file that holds the first password until it is changed; readable by its owner only."""
    return Path(settings.DAYBOOK_HOME) / "first_sign_in"


def prepare(say: Say, *, with_samples: bool = True) -> None:
    """Make a fresh site ready, once: a site that has any account is left as it is.

    A site that was killed while it was made ready is made ready again.
    """
    if get_user_model().objects.exists():
        return
    # What an interrupted first start left behind belongs to nobody.
    Study.objects.filter(created_by=None, memberships=None).delete()
    studies = _load_samples(say) if with_samples else {}
    with transaction.atomic():
        user = _first_account()
        for study in studies.values():
            Study.objects.filter(pk=study.pk).update(created_by_id=user.pk)
            add_member(study=study, user=user, role=Role.OWNER)
    for name in RUNS:
        if name in studies:
            start_run(studies[name], by=FIRST_USER, user=user)


def _load_samples(say: Say) -> dict[str, Study]:
    folder = Path(settings.BASE_DIR) / "examples"
    studies = {}
    for name in SAMPLES:
        say(f"Loading the sample study {name.replace('_', ' ')} …")
        try:
            studies[name] = load_bundle(folder / name)
        except DaybookError as fault:
            say(f"The sample study was not loaded: {fault}")
    return studies


def _first_account() -> User:
    password = os.environ.get("DAYBOOK_FIRST_PASSWORD") or secrets.token_urlsafe(9)
    path = sign_in_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(password, encoding="utf-8")
    return get_user_model().objects.create_superuser(FIRST_USER, "", password)


def sign_in_hint() -> str:
    """Return how to sign in: the first password until it is changed, else whom to ask."""
    user = get_user_model().objects.filter(username=FIRST_USER).first()
    path = sign_in_file()
    if user is not None and path.is_file():
        password = path.read_text(encoding="utf-8")
        if user.check_password(password):
            return f"Sign in as {FIRST_USER} with the password {password} (change it under Settings)."
        path.unlink()
    return "Sign in with your account. Lost the password? `manage.py changepassword NAME` sets a new one."
