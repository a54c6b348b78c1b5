"""Predictions held against what was measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.calibration import Scored, calibrations


def scored(value: float, **changes) -> Scored:
    fields = {"reasoner": "optimiser", "tool": "measure", "objective": "yield", "unit": "%"}
    return Scored(**{**fields, "mean": 50, "low": 40, "high": 60, "level": 0.9, "value": value, **changes})


def test_coverage_bias_and_miss_are_what_they_are_by_hand():
    (found,) = calibrations([scored(50), scored(60), scored(70), scored(40)])
    assert (found.count, found.inside, found.coverage) == (4, 3, 0.75)
    assert (found.bias, found.miss, found.level) == (5.0, 10.0, 0.9)


def test_reasoners_tools_and_objectives_are_apart_most_first():
    rows = [scored(50), scored(50), scored(50, tool="weigh"), scored(50, reasoner="language_model")]
    rows.append(scored(1, objective="mass"))
    found = [(each.reasoner, each.tool, each.objective, each.count) for each in calibrations(rows)]
    assert found[0] == ("optimiser", "measure", "yield", 2)
    assert len(found) == 4


@pytest.mark.parametrize(
    ("inside", "count", "is_told"), [(9, 10, False), (1, 2, False), (10, 20, True), (18, 20, False)]
)
def test_too_sure_is_said_only_when_chance_would_rarely_explain_it(inside, count, is_told):
    rows = [scored(50)] * inside + [scored(99)] * (count - inside)
    assert calibrations(rows)[0].is_overconfident is is_told


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40))
def test_bias_is_never_larger_than_the_miss_and_coverage_is_a_share(values):
    (found,) = calibrations(scored(value) for value in values)
    assert abs(found.bias) <= found.miss + 1e-6
    assert 0 <= found.coverage <= 1
