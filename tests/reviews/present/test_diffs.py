"""What changed between two texts, in words, and in characters inside Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.present.diffs import Piece, difference, tokens


def shown(old: str, new: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in difference(old, new)]


def test_a_changed_word_is_struck_and_marked():
    assert shown("use KOAc at 90 °C", "use CsOPiv at 90 °C") == [
        ("same", "use "),
        ("removed", "KOAc"),
        ("added", "CsOPiv"),
        ("same", " at 90 °C"),
    ]


def test_chinese_changes_by_character():
    assert shown("温度越高产率越高", "温度越低产率越高") == [
        ("same", "温度越"),
        ("removed", "高"),
        ("added", "低"),
        ("same", "产率越高"),
    ]


def test_a_rewritten_text_is_shown_whole():
    assert difference("bases matter", "the solvent decides the yield") == [
        Piece("removed", "bases matter"),
        Piece("added", "the solvent decides the yield"),
    ]


@pytest.mark.parametrize("text", ["", "a", "0.153 mol/L", "温度 90 °C", "x\ny"])
def test_nothing_changed_is_nothing_marked(text):
    assert {piece.kind for piece in difference(text, text)} <= {"same"}


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_stayed_and_came_spells_the_new_text(old, new):
    pieces = difference(old, new)
    assert "".join(p.text for p in pieces if p.kind != "removed") == new


@given(st.text(max_size=80))
def test_tokens_lose_nothing(text):
    assert "".join(tokens(text)) == text
