"""A result in one sentence for memory and people."""

from agents.core.tools import ToolSpec
from agents.tools.summary import outline, sentence

SPEC = ToolSpec(
    name="measure",
    title="Measure",
    output_schema={"properties": {"yield": {"type": "number", "unit": "%"}, "mass": {"unit": "mg"}}},
)


def test_numbers_come_with_their_unit() -> None:
    assert sentence({"yield": 78.123456, "mass": 12.0}, SPEC) == "Measure: yield 78.123 %, mass 12 mg."


def test_lists_are_counted_and_empty_values_left_out() -> None:
    assert sentence({"rows": [{"a": 1}] * 7, "note": "", "found": True}, SPEC) == (
        "Measure: rows with 7 entries, found yes."
    )


def test_a_result_with_nothing_to_tell_is_done() -> None:
    assert sentence({}, SPEC) == "Measure: done."


def test_many_values_are_cut_and_counted() -> None:
    assert sentence({f"v{i}": i for i in range(11)}, SPEC).endswith("v7 7 and 3 more.")


def test_an_outline_keeps_short_values_and_counts_long_ones() -> None:
    found = outline({"k": 1, "values": [float(i) for i in range(20)], "text": "word " * 200})
    assert found["k"] == 1
    assert found["values"] == {"rows": 20, "statistics": {"count": 20, "min": 0.0, "mean": 9.5, "max": 19.0}}
    assert len(found["text"]) <= 400
