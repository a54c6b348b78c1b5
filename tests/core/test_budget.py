"""Limits and what is used of them."""

import pytest
from pydantic import ValidationError

from agents.core.budget import Budget, Spent, exhausted, forbids_calls, shares, warned

NONE = {"rounds": None, "experiments": None, "tokens": None}


def test_shares_are_of_the_limits_that_are_set():
    assert shares(Budget(**{**NONE, "rounds": 10, "money": 4.0}), Spent(rounds=5, money=1.0)) == {
        "rounds": 0.5,
        "money": 0.25,
    }


def test_a_limit_is_reached_when_all_of_it_is_used():
    budget = Budget(**{**NONE, "experiments": 3})
    assert [exhausted(budget, Spent(experiments=n)) for n in (2, 3, 4)] == [
        [],
        ["experiments"],
        ["experiments"],
    ]


def test_a_limit_of_nothing_is_reached_from_the_start():
    assert exhausted(Budget(**{**NONE, "tokens": 0}), Spent()) == ["tokens"]


def test_without_limits_nothing_is_reached():
    assert exhausted(Budget(**NONE), Spent(rounds=10**6, experiments=10**6, tokens=10**9)) == []


@pytest.mark.parametrize(("rounds", "is_warned"), [(7, False), (8, True), (9, True), (10, False)])
def test_people_are_warned_from_four_fifths_until_the_limit(rounds, is_warned):
    assert (warned(Budget(**{**NONE, "rounds": 10}), Spent(rounds=rounds)) == ["rounds"]) is is_warned


def test_the_last_round_and_experiment_may_still_call_a_model():
    budget = Budget(rounds=1, experiments=1, tokens=100)
    assert forbids_calls(budget, Spent(rounds=1, experiments=1, tokens=99)) == []
    assert forbids_calls(budget, Spent(rounds=1, experiments=1, tokens=100)) == ["tokens"]


@pytest.mark.parametrize("limit", [{"rounds": 0}, {"experiments": -1}, {"money": -0.1}, {"seconds": "soon"}])
def test_a_limit_that_makes_no_sense_is_refused(limit):
    with pytest.raises(ValidationError):
        Budget(**limit)
