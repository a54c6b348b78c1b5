"""A study with people of every role, a run that waits at a review, and browsers signed in as them."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client

from agents.core.science import Objective, Parameter, Space
from agents.models import Gate
from reviews.models import Role
from reviews.services import add_member
from tests.support import make_run, make_study, make_user, open_gate

SPACE = Space(
    parameters=[
        Parameter(name="base", kind="categorical", label="Base", levels=["KOAc", "CsOPiv"]),
        Parameter(name="temperature", kind="continuous", label="Temperature", unit="°C", low=20, high=120),
    ]
)
YIELD = Objective(name="yield", label="Yield", unit="%", low=0, high=100)
ACTION = {"tool": "ask_researcher", "arguments": {"base": "KOAc", "temperature": 80}}
PREDICTION = {"objective": "yield", "mean": 42.123456, "low": 30.5, "high": 55.0, "level": 0.9, "unit": "%"}
PROPOSAL = {
    "hypothesis": {"text": "KOAc is enough", "refuted_by": "a yield below 20 %", "confidence": None},
    "action": ACTION,
    "prediction": PREDICTION,
    "reason": "cheapest first",
    "is_replicate": False,
    "details": {},
}


def proposal_content(**changes: Any) -> dict[str, Any]:
    """Return what a proposal gate of the study asks."""
    warnings = ["The temperature is within 5 °C of a limit."]
    return {"proposal": {**PROPOSAL, **changes}, "warnings": warnings, "is_experiment": True}


def result_content() -> dict[str, Any]:
    """Return what a gate asks that waits for a measurement."""
    return {"action": ACTION, "tool": "ask_researcher"}


def new_study(**changes: Any) -> Any:
    """Return a study whose experiments people measure."""
    fields = {
        "space": SPACE.model_dump(mode="json"),
        "objectives": [YIELD.model_dump(mode="json")],
        "experiment_tool": "ask_researcher",
    }
    return make_study(**{**fields, **changes})


def waiting_gate(study: Any = None, **changes: Any) -> Gate:
    """Return an open gate of a new run of ``study``."""
    return open_gate(
        make_run(study or new_study()),
        **{"content": proposal_content(), "title": "Measure KOAc at 80 °C", **changes},
    )


def browser_of(user: Any) -> Client:
    """Return a browser in which ``user`` is signed in."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def lab(db: None) -> SimpleNamespace:
    """Return the study, its open gate and run, and a signed-in browser for each role and for a stranger."""
    study = new_study(title="Bases")
    gate = waiting_gate(study)
    lab = SimpleNamespace(study=study, gate=gate, run=gate.run, users={}, clients={})
    for role in Role.values:
        user = make_user(role)
        add_member(study=study, user=user, role=role)
        lab.users[role], lab.clients[role] = user, browser_of(user)
    lab.users["stranger"] = make_user("stranger")
    lab.clients["stranger"] = browser_of(lab.users["stranger"])
    lab.anybody = Client()
    lab.reviewer, lab.viewer, lab.owner = (lab.clients[role] for role in ("reviewer", "viewer", "owner"))
    return lab
