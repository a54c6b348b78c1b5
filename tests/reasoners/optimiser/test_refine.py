"""Looking around good places: what is proposed stays a level of the space, whatever its length."""

import numpy as np

from agents.core.science import Parameter, Space
from agents.reasoners.optimiser.refine import _change_one_level


def test_a_level_longer_than_those_at_hand_is_not_cut_short():
    water = Parameter(name="water", kind="categorical", levels=["Low", "High", "Very high"])
    columns = {"water": np.array(["Low"] * 200)}

    _change_one_level(columns, Space(parameters=[water]).parameters, np.random.default_rng(1), share=1.0)

    assert set(columns["water"]) == {"Low", "High", "Very high"}
