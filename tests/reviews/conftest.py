"""A study with two reviewers and two owners, and gates that several people must answer."""

from types import SimpleNamespace

import pytest

from agents import wiring
from agents.core.canonical import digest_of
from agents.core.policy import PolicyTable, Rule
from agents.models import Gate
from agents.services import set_policy
from agents.testing.toolbox import ToyToolbox
from reviews.services import add_member
from tests.support import ACTION, make_run, make_study, make_user, open_gate

CONTENT = {
    "proposal": {"hypothesis": {"text": "more is better"}, "action": ACTION},
    "executor": "machine",
    "effect": "local",
    "is_reversible": True,
}


@pytest.fixture
def desk(db, monkeypatch) -> SimpleNamespace:
    """People by name: ana and ben review, olga and otto own, ren researches, vic views."""
    monkeypatch.setattr(wiring, "toolbox_for", lambda protocol: ToyToolbox())
    study = make_study()
    desk = SimpleNamespace(study=study)
    roles = {
        "ana": "reviewer",
        "ben": "reviewer",
        "olga": "owner",
        "otto": "owner",
        "ren": "researcher",
        "vic": "viewer",
    }
    for name, role in roles.items():
        user = make_user(name)
        add_member(study=study, user=user, role=role)
        setattr(desk, name, user)

    def gate(started_by=None, key: str = "1/review", table: dict | None = None, **rule) -> Gate:
        """Return an open gate of a new run whose policy has this one rule."""
        set_policy(study, PolicyTable(rules=[Rule(**rule)] if rule else [], **(table or {})), by="olga")
        run = make_run(study, user=started_by)
        return open_gate(run, key=key, content=CONTENT, digest=digest_of(ACTION))

    desk.gate = gate
    return desk
