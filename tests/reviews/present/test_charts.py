"""Charts as coordinates: the right points in the right places."""

import pytest

from agents.core.science import Objective
from reviews.present.charts import (
    LETTER,
    Box,
    Measured,
    against_parameter,
    best_so_far,
    nice_ticks,
    predicted_against_measured,
)

BOX = Box(width=100, height=100, left=0, right=0, top=0, bottom=0)
UP = Objective(name="y").utility
DOWN = Objective(name="y", goal="minimise").utility


def rows(*values: float) -> list[Measured]:
    return [Measured(order=n, value=value, label=str(n)) for n, value in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (3, 7, [3, 4, 5, 6, 7]),
        (5, 5, [5]),
    ],
)
def test_ticks_are_round_numbers_within(low, high, ticks):
    assert nice_ticks(low, high) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("utility", "best"), [(UP, [True, False, True, False]), (DOWN, [True, True, False, False])]
)
def test_a_new_best_is_marked_in_the_wanted_direction(utility, best):
    chart = best_so_far(rows(10, 5, 20, 15), unit="%", utility=utility, box=BOX)
    assert ["is-best" in dot.style for dot in chart.dots] == best


def test_the_line_steps_and_never_falls():
    chart = best_so_far(rows(10, 5, 20), unit="%", utility=UP, box=BOX)
    points = [tuple(map(float, part.split())) for part in chart.line[1:].split("L")]
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert chart.summary == "20\u00a0%"


def test_past_experiments_are_drawn_apart():
    past = Measured(order=1, value=1, origin="past")
    assert [dot.style for dot in best_so_far([past], unit="", utility=UP).dots] == ["is-best is-past"]


def test_a_result_within_its_interval_is_told_from_one_outside():
    inside = Measured(order=1, value=42, expected=(40, 35, 45))
    outside = Measured(order=2, value=60, expected=(40, 35, 45))
    chart = predicted_against_measured([inside, outside], unit="%")
    assert [dot.style for dot in chart.dots] == ["is-best", "is-outside"]
    assert chart.summary == "1 / 2"


def test_nothing_measured_is_no_chart():
    assert best_so_far([], unit="", utility=UP) is None
    assert predicted_against_measured(rows(1), unit="") is None
    assert against_parameter([], unit="") is None


def test_text_levels_stand_side_by_side_and_numbers_along_a_scale():
    by_text = against_parameter([("b", 1, "b"), ("a", 2, "a")], unit="", box=BOX)
    by_number = against_parameter([(90.0, 1, ""), (120.0, 2, ""), (105.0, 3, "")], unit="", box=BOX)
    assert [tick.text for tick in by_text.x_ticks] == ["a", "b"]
    assert [tick.text for tick in by_number.x_ticks] == ["90", "105", "120"]
    assert by_number.dots[0].x < by_number.dots[2].x < by_number.dots[1].x


def test_names_of_levels_do_not_run_into_one_another():
    names = ["BrettPhos-long", "CgMe-PPh", "JackiePhos", "P(fur)3", "XPhos"]
    chart = against_parameter([(name, 1.0 * place, name) for place, name in enumerate(names)], unit="%")
    spacing = (chart.box.x1 - chart.box.left) / len(names)
    assert [tick.text for tick in chart.x_ticks][-1] == "XPhos"
    assert all(len(tick.text) * LETTER <= spacing for tick in chart.x_ticks)
