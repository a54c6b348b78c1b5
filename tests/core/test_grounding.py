"""Is every number of a claim printed where the claim says it is from, with the same unit?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.grounding import conflicting_unit, ungrounded


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("the yield was 3.29457 %", "measure(303) → yield 3.29457 %"),
        ("between 60 and 80 °C", "60 and 80 °C"),
        ("1,058 mg", "1058 mg"),
        ("−0.61 V", "-0.61 V"),
        ("the better of 3 runs", "nothing printed"),
        ("C2 and R7 agree with F13", "nothing printed"),
        ("1.2e-3 mol/L", "0.0012 mol/L"),
        ("the yield was 18.4 %", "run 1 | 18.4 | 20.0"),
        ("产率为 61 %", "yield 61 %"),
    ],
)
def test_what_a_source_prints_is_grounded(text, source):
    assert ungrounded(text, [source]) == []


@pytest.mark.parametrize(
    ("text", "source", "missing"),
    [
        ("yield 3.3 %", "yield 3.29457 %", ["3.3 %"]),
        ("at most 80 °C", "at most 80 K", ["80 °C"]),
        ("105 and 95 gave the same", "temperature=105", ["95"]),
        ("温度为 80 ℃", "80 K", ["80 ℃"]),
        ("it gave 45.2 % at 90 °C", "it gave 45.2 % at 105 °C", ["90 °C"]),
        ("it gave 77.7", "", ["77.7"]),
    ],
)
def test_what_no_source_prints_is_named(text, source, missing):
    assert ungrounded(text, [source]) == missing


def test_any_of_several_sources_will_do():
    assert ungrounded("5.25 % and 6.25 %", ["yield 5.25 %", "yield 6.25 %"]) == []


def test_the_unit_of_a_quote_is_named_only_when_it_is_another_one():
    assert conflicting_unit(80, "°C", "at most 80 K") == "80 K"
    assert conflicting_unit(80, "℃", "at most 80 °C") == ""
    assert conflicting_unit(80, "°C", "run 1 | 80 | 3") == ""
    assert conflicting_unit(80, "", "at most 80 K") == ""


@given(
    st.floats(min_value=100, max_value=1e6).map(lambda value: f"{value:.3f}"),
    st.sampled_from(["%", "K", "mg"]),
)
def test_a_copied_value_is_grounded_and_a_changed_one_is_not(value, unit):
    assert ungrounded(f"it was {value} {unit}", [f"x → {value} {unit} (for)"]) == []
    assert ungrounded(f"it was {value}9 {unit}", [f"x → {value} {unit} (for)"]) == [f"{value}9 {unit}"]
