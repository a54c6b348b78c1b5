"""What a person refused warns of what is much like it."""

import pytest

from agents.core.brief import Veto
from agents.core.tools import Action
from agents.core.vetoes import likeness, warnings_of

ACTION = Action(tool="measure", arguments={"base": "KOAc", "temperature": 100, "solvent": "DMAc"})


def act(**changes) -> Action:
    return Action(tool="measure", arguments={**ACTION.arguments, **changes})


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (act(), []),
        (act(base="CsOPiv"), ["base"]),
        (act(temperature=103), ["temperature"]),
        (act(temperature=103, base="CsOPiv"), ["base", "temperature"]),
        (act(temperature=140, base="CsOPiv"), None),
        (Action(tool="look", arguments=ACTION.arguments), None),
        (Action(tool="measure", arguments={"base": "KOAc"}), None),
    ],
)
def test_much_alike_is_one_argument_in_three(other, differs):
    assert likeness(ACTION, other) == differs


def test_of_two_arguments_neither_may_be_far():
    left = Action(tool="t", arguments={"a": 1, "b": "x"})
    assert likeness(left, Action(tool="t", arguments={"a": 1, "b": "y"})) is None


def test_the_nearest_veto_is_told_with_its_reason_and_place():
    vetoes = [
        Veto(round=2, action=act(base="CsOPiv", temperature=101), reason_code="unsafe"),
        Veto(round=3, action=act(solvent="BuCN"), text="it boils over", where="in run #1, round 3"),
    ]
    (warning,) = warnings_of(ACTION, vetoes)
    assert warning == (
        "Something like this was vetoed in run #1, round 3: it boils over. This differs only in solvent."
    )


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("ana", "vetoed by ana on 2026-11-28 in round 2"),
        ("ana, ben", "vetoed by ana, ben on 2026-11-28 in round 2"),
        ("policy", "vetoed by the policy on 2026-11-28 in round 2"),
        ("deadline", "vetoed by a deadline on 2026-11-28 in round 2"),
    ],
)
def test_it_says_who_refused_it_and_when(by, told):
    veto = Veto(round=2, action=act(base="CsOPiv"), text="no", by=by, at="2026-11-28T23:10:00+00:00")
    (warning,) = warnings_of(ACTION, [veto])
    assert told in warning


def test_a_long_reason_of_many_lines_is_one_short_line():
    (warning,) = warnings_of(ACTION, [Veto(round=2, action=act(base="CsOPiv"), text="too\nhot. " * 500)])
    assert "\n" not in warning
    assert len(warning) < 400


def test_without_a_like_one_nothing_is_said():
    assert warnings_of(ACTION, [Veto(round=1, action=act(base="K2CO3", temperature=20))]) == []
