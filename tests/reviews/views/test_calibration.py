"""What reviewers see of how predictions and proposals have held."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.calibration import calibration_for, track_of
from agents.models import Experiment, Gate, Run
from reviews.services import decide
from tests.commands.console import data, say
from tests.reviews.exports import stories
from tests.reviews.views.conftest import browser_of

pytestmark = pytest.mark.django_db


def measured(run, gate, value, round, prediction=True) -> None:
    made = gate.request["content"]["proposal"]
    Experiment.objects.create(
        study=run.study,
        run=run,
        key=f"{round}/experiment",
        round=round,
        planned=made["action"]["arguments"],
        conditions_digest=f"{round}",
        measurements=[{"objective": "yield", "value": value, "unit": "%", "status": "ok"}],
        prediction=made["prediction"] if prediction else None,
    )


@pytest.fixture
def run() -> Run:
    """Return a run of three decided rounds: two predictions of 30 to 70 that were measured at 50 and 80."""
    run = stories.whole_run()
    for gate, value in zip(Gate.objects.filter(run=run).order_by("round"), (50.0, 80.0), strict=False):
        measured(run, gate, value, gate.round)
        Gate.objects.filter(pk=gate.pk).update(opened_at=gate.answered_at - timedelta(minutes=gate.round))
    return Run.objects.select_related("study").get(pk=run.pk)


def test_predictions_are_scored_by_reasoner_and_tool(run):
    (found,) = track_of(run.study).calibrations
    assert (found.reasoner, found.tool, found.objective) == ("optimiser", "ask_researcher", "yield")
    assert (found.count, found.inside, found.bias, found.miss) == (2, 1, 15.0, 15.0)


def test_what_was_never_predicted_or_never_measured_is_not_scored(run):
    gate = Gate.objects.get(run=run, round=3)
    measured(run, gate, 5.0, 3, prediction=False)
    failed = Experiment.objects.get(run=run, round=1)
    Experiment.objects.filter(pk=failed.pk).update(
        measurements=[{**failed.measurements[0], "status": "failed"}]
    )
    assert [each.count for each in track_of(run.study).calibrations] == [1]


def test_what_was_done_otherwise_than_planned_scores_no_prediction(run):
    Experiment.objects.filter(run=run, round=2).update(actual={"temperature": 98.5})
    assert [each.count for each in track_of(run.study).calibrations] == [1]
    Experiment.objects.filter(run=run, round=2).update(actual={"temperature": 90})
    assert [each.count for each in track_of(run.study).calibrations] == [2]


def test_what_people_made_of_proposals_is_counted_without_what_rules_let_through(run):
    gate = Gate.objects.get(run=run, round=1)
    (found,) = track_of(run.study).agreements
    assert (found.approved, found.edited, found.vetoed, found.count) == (1, 1, 1, 3)
    Gate.objects.filter(pk=gate.pk).update(answer={**gate.answer, "source": "policy: auto, rule 1"})
    assert track_of(run.study).agreements[0].count == 2


def test_time_to_decision_counts_from_the_opening(run):
    (wait,) = track_of(run.study).waits
    assert (wait.kind, wait.count) == ("proposal", 3)
    assert 59 <= wait.median <= 61
    assert 100 <= wait.most <= 121


def test_the_page_shows_it_to_whoever_may_see_the_study(run):
    address = reverse("study-calibration", args=[run.study.slug])
    text = browser_of(stories.user()).get(address).content.decode()
    for told in ("1 of 2", "50 %", "15 %", "1 of 3", "half within"):
        assert told in text.replace("\u202f", " ").replace("\xa0", " "), told
    assert browser_of(stories.user("eve")).get(address).status_code == 404


def test_the_card_says_how_predictions_like_it_have_held(run):
    other = stories.a_run(run.study)
    gate = stories.propose(other, 1, {"base": "KOAc", "temperature": 70})
    client = browser_of(stories.user())
    text = client.get(reverse("review", args=[gate.pk])).content.decode()
    assert "1 of 2 earlier predictions held at 90" in text.replace("\u202f", " ").replace("\xa0", " ")
    assert calibration_for(other, tool="another", objective="yield") is None
    decide(gate=gate, user=stories.user(), verdict="approve", shown_digest=gate.digest)
    assert "earlier predictions" not in client.get(reverse("review", args=[gate.pk])).content.decode()


def test_the_queries_do_not_grow(run):
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            track_of(run.study)
        return len(queries)

    few = cost()
    for number in range(4, 14):
        gate = stories.propose(run, number, {"base": "KOAc", "temperature": 60 + number})
        decide(gate=gate, user=stories.user(), verdict="approve", shown_digest=gate.digest)
        measured(run, gate, 40.0, number)
    assert cost() == few == 3


def test_the_command_tells_the_same(run):
    text = say("calibration", "best-base")
    assert "1 of 2 within 90% intervals (50%), bias +15 %" in text
    assert "1 of 3 proposals approved as they were" in text
    told = data("calibration", "best-base")
    assert told["calibrations"][0]["coverage"] == 0.5
    assert told["agreements"][0]["count"] == 3
    stories.a_study(title="Nothing yet")
    assert say("calibration", "nothing-yet").startswith("Nothing was predicted")
