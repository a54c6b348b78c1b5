"""``suggest_next``, ``replicate`` and ``supersede_finding`` as a study's run has them, on the database."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import transaction

from agents.core.findings import Finding
from agents.core.study import StudyProtocol
from agents.core.tools import Action
from agents.models import Experiment
from agents.store.findings import add_row
from agents.store.log import lock_run
from agents.wiring import toolbox_for
from tests.reviews.exports import stories

pytestmark = pytest.mark.django_db(transaction=True)


def a_run_with_results() -> Any:
    run = stories.a_run()
    for number, (base, heat, value) in enumerate(
        [("KOAc", 60, 10.0), ("KOAc", 110, 22.0), ("CsOPiv", 60, 30.0), ("CsOPiv", 105, 61.0), ("CsOPiv", 80, 44.0)],
        start=1,
    ):  # fmt: skip
        Experiment.objects.create(
            study=run.study,
            run=run,
            key=f"{number}/experiment",
            planned={"base": base, "temperature": heat},
            measurements=[{"objective": "yield", "value": value, "unit": "%"}],
            origin="person",
            status="measured",
            round=number,
        )
    return run


def call(run: Any, tool: str, **arguments: Any) -> Any:
    toolbox = toolbox_for(StudyProtocol.model_validate(run.protocol))
    action = toolbox.check(Action(tool=tool, arguments=arguments)).action
    return async_to_sync(toolbox.call)(action, idempotency_key=f"{run.pk}:6/act/{tool}")


def test_the_next_experiments_come_from_the_ledger_and_keep_the_limits():
    result = call(a_run_with_results(), "suggest_next", count=2)
    assert result.success, result.error_message
    first, second = result.data["suggestions"]
    assert first["conditions"] != second["conditions"]
    assert all(60 <= each["conditions"]["temperature"] <= 110 for each in (first, second))
    assert first["expected"][0]["objective"] == "yield"
    assert first["reason"]


def test_the_best_is_worth_a_replicate_while_a_person_measures_and_nobody_knows_the_noise():
    (found,) = call(a_run_with_results(), "replicate").data["repeats"]
    assert found["conditions"] == {"base": "CsOPiv", "temperature": 105}


def test_a_finding_of_the_run_is_superseded_by_its_number_only():
    run = stories.a_run()
    finding = Finding(id="", study_id=str(run.study_id), run_id=str(run.pk), text="Caesium is best.")
    with transaction.atomic():
        add_row(lock_run(run.pk), finding)
    given = {"reason": "it was one reading", "text": "Caesium is better than potassium."}
    result = call(run, "supersede_finding", finding="F1", **given)
    assert result.data["before"] == "Caesium is best."
    assert call(run, "supersede_finding", finding="F2", **given).fault == "bad_input"
    assert call(stories.a_run(), "supersede_finding", finding="F1", **given).fault == "bad_input"
