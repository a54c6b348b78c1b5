"""What a budget would come to, told before anything is spent."""

import pytest
from django.test import override_settings

from agents.models import Study
from reviews.present.estimate import estimate

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


@override_settings(**PRICES)
def test_an_estimate_names_the_money_when_the_prices_are_known():
    assert estimate(study(rounds=100)).endswith("At this site's prices about 0.29.")
