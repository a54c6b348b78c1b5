"""References to what a run keeps, and the lines of a record that a question is about."""

import pytest

from agents.core.records import Record, about, reference_in


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ("R7", "R7", ""),
        ("r 7", "R7", ""),
        ("round 7", "R7", ""),
        ("the record of round 7", "R7", ""),
        ("第7轮", "R7", ""),
        ("第 7 轮的压力", "R7", "的压力"),
        ("7", "R7", ""),
        ("R3: pressure at 120 s", "R3", "pressure at 120 s"),
        ("F12", "F12", ""),
        ("D4 yield", "D4", "yield"),
        ("C2?", "C2", ""),
    ],
)
def test_what_a_reference_names(what, name, words):
    reference = reference_in(what)

    assert reference is not None
    assert (reference.name, reference.about) == (name, words)


@pytest.mark.parametrize(
    "what", ["pressure", "90 °C in DMAc", "3.5", "yield of round flasks", "", "CsOPiv 2", "2.5 bar"]
)
def test_what_is_no_reference(what):
    assert reference_in(what) is None


def record(text: str) -> Record:
    return Record(reference="R3", text=text, place="event 9")


LOG = "\n".join(
    ["measure(300) → yield 5 %", *(f"t={n}s T={300 + n}K" for n in range(20)), "valve 2 leaked 冷却水"]
)


@pytest.mark.parametrize("words", ["which valve leaked", "冷却水"])
def test_a_question_brings_the_lines_that_answer_it_and_says_what_is_left_out(words):
    lines = about(record(LOG), words).text.splitlines()

    assert lines[0] == "measure(300) → yield 5 %"
    assert "valve 2 leaked 冷却水" in lines
    assert lines[-1] == "[20 more lines in R3]"


def test_a_question_that_no_line_answers_brings_the_whole_record():
    assert about(record(LOG), "zeolite").text == LOG
    assert about(record(LOG), "").text == LOG
