"""A study with two tasks that wait at the bench, and the people around it."""

from types import SimpleNamespace
from typing import Any

import pytest

from agents.core.canonical import digest_of
from agents.core.gates import GateKind
from agents.core.tools import Action
from reviews.models import Role
from reviews.services import add_member
from tests.reviews.views.conftest import new_study, waiting_gate
from tests.support import make_user

COLD = {"base": "KOAc", "temperature": 80}
HOT = {"base": "CsOPiv", "temperature": 110.5}


def bench_gate(study: Any, arguments: dict[str, Any]) -> Any:
    """Return a gate of a new run that waits for a measurement at ``arguments``."""
    action = Action(tool="ask_researcher", arguments=arguments)
    return waiting_gate(
        study,
        kind=GateKind.RESULT,
        key="1/result",
        content={"action": action.model_dump(mode="json"), "tool": "ask_researcher"},
        digest=digest_of(action.model_dump(mode="json")),
        title="Measure " + ", ".join(str(value) for value in arguments.values()),
    )


@pytest.fixture
def bench(db: None) -> SimpleNamespace:
    """Return the study, its waiting gates ``cold`` and ``hot``, and ``ana`` (researcher) among its people."""
    study = new_study(title="Bases")
    found = SimpleNamespace(study=study, cold=bench_gate(study, COLD), hot=bench_gate(study, HOT))
    for name, role in (("ana", Role.RESEARCHER), ("vi", Role.VIEWER), ("olga", Role.OWNER)):
        setattr(found, name, make_user(name))
        add_member(study=study, user=getattr(found, name), role=role)
    found.stranger = make_user("stranger")
    return found
