"""Cutting: at line ends, never inside a number, and always said."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agents.core.tokens import estimate_tokens as count
from agents.reasoners.language_model.cutting import cut_text, keep_lines


def note(left_out):
    return f"[{left_out} more]"


def test_what_fits_is_kept_whole():
    assert keep_lines(["a", "b"], 10, count, note=note) == (["a", "b"], 0)


def test_lines_that_do_not_fit_are_counted():
    lines = [f"line {i}" for i in range(50)]
    kept, left_out = keep_lines(lines, 30, count, note=note)
    assert kept == [*lines[: 50 - left_out], f"[{left_out} more]"]
    assert count("\n".join(kept)) <= 30


def test_one_long_line_is_cut_between_words():
    assert cut_text("alpha beta gamma delta epsilon", 4, count) == "alpha beta gamma…"


def test_a_number_keeps_its_unit():
    assert cut_text("heated slowly to 391.42 K and held", 6, count) == "heated slowly to…"
    assert cut_text("温度应为120℃左右", 6, count) == "温度应为…"


@given(
    st.lists(st.floats(0, 999, allow_nan=False).map(lambda x: f"{x:.2f}"), min_size=5, max_size=40),
    st.integers(3, 60),
)
def test_every_number_that_is_shown_is_whole(numbers, limit):
    text = "values " + ", ".join(numbers)
    shown = cut_text(text, limit, count).rstrip("…")
    assert text.startswith(shown)
    assert re.findall(r"[\d.]+", shown) == numbers[: len(re.findall(r"[\d.]+", shown))]
