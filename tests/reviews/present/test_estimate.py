"""What a budget would come to, told before anything is spent."""

import pytest
from django.test import override_settings

from agents.models import Run, Study
from reviews.present.estimate import estimate
from tests.support import make_run, make_study

PRICES = {"DAYBOOK_PRICES": {"m": [1.0, 0.1, 4.0]}, "DAYBOOK_MODELS": {"reason": "m"}}


def study(reasoner: str = "language_model", **budget) -> Study:
    return Study(reasoner=reasoner, budget={"rounds": None, "experiments": None, "tokens": None, **budget})


@pytest.mark.parametrize(
    ("study", "text"),
    [
        (
            study("optimiser", experiments=30),
            "At most 30 experiments. The optimiser uses no tokens and costs nothing.",
        ),
        (
            study("optimiser"),
            "No limit on rounds: the run ends when nothing is left to try. The optimiser uses no tokens.",
        ),
        (study(), "About 1\u202f850 tokens a round, with no limit on rounds."),
        (study(rounds=10, experiments=40), "About 18\u202f500 tokens for 10 rounds."),
        (
            study(rounds=10, tokens=3700),
            "About 18\u202f500 tokens for 10 rounds. The limit of tokens would end it after about 2.",
        ),
    ],
)
def test_an_estimate_counts_rounds_and_tokens(study, text):
    assert estimate(study) == text


def past_run(study: Study, **spent) -> None:
    run = make_run(study, reasoner="language_model")
    Run.objects.filter(pk=run.pk).update(round=spent["rounds"], spent=spent)


@pytest.mark.django_db
def test_an_estimate_goes_by_the_studys_own_past_runs():
    mine = make_study(
        reasoner="language_model", budget={"rounds": 20, "experiments": None, "tokens": 100_000}
    )
    past_run(mine, rounds=4, tokens=12_000, calls=5, money=0.4)
    past_run(mine, rounds=6, tokens=48_000, calls=9, money=8.6, tool_money=8.0)
    past_run(make_study(reasoner="language_model"), rounds=1, tokens=10**9, calls=1, money=1e6)
    assert estimate(mine) == (
        "About 120\u202f000 tokens for 20 rounds. (by the study's last 2 runs) At this site's prices about 2. "
        "The limit of tokens would end it after about 16."
    )


@pytest.mark.django_db
@pytest.mark.parametrize("reasoner", ["optimiser", "language_model"])
def test_an_estimate_holds_what_experiments_cost(reasoner, monkeypatch):
    monkeypatch.setattr("reviews.present.estimate.experiment_cost", lambda study: 2.5)
    mine = make_study(reasoner=reasoner, budget={"rounds": 20, "experiments": 10, "money": 12.0})
    text = estimate(mine)
    assert "Experiments at 2.5 each come to 25." in text
    assert "The limit of money would end it after about 4." in text


@override_settings(**PRICES)
def test_an_estimate_names_the_money_when_the_prices_are_known():
    assert estimate(study(rounds=100)).endswith("At this site's prices about 0.29.")
