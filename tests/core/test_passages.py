import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.digest import Page, ParsedDocument
from agents.core.passages import PassageIndex, split_passages
from agents.core.words import words


def document(*pages):
    numbered = [Page(number=number, text=text) for number, text in enumerate(pages, start=1)]
    return ParsedDocument(name="paper.pdf", media_type="application/pdf", pages=numbered)


PAPER = document(
    "The heating temperature was fixed at 100°C. Each time 300 g of plant material was used with 500 ml of water.",
    "The oven temperature was programmed to 50°C for 3.2 min. Yields of the roots were 0.74%.",
    "铜的比热为 0.385 J/(g·K)，密度为 8.92 g/cm3。测量约 40 分钟后，系统进入动态平衡。",
)
INDEX = PassageIndex(split_passages(PAPER, document_id="d1", size=90))


@pytest.mark.parametrize(
    ("query", "page", "expected"),
    [
        ("how much water was used?", 1, "500 ml of water"),
        ("oven temperatures programmed", 2, "oven temperature"),
        ("yield of roots", 2, "0.74%"),
        ("铜的密度是多少", 3, "8.92"),
        ("系统何时达到平衡", 3, "40 分钟"),
        ("3.2", 2, "3.2 min"),
    ],
)
def test_the_best_passage_answers(query, page, expected):
    best = INDEX.search(query, 1)[0]
    assert best.page == page
    assert expected in best.text


def test_nothing_shared_finds_nothing():
    assert INDEX.search("photosynthesis") == []
    assert INDEX.search("") == []
    assert PassageIndex([]).search("water") == []


def test_limit_is_kept():
    assert len(INDEX.search("temperature water yield", 2)) == 2


def test_words_are_stems_numbers_and_pairs():
    assert words("Temperatures of the mate-\nrials: 1.25 ml") == ["temperatur", "material", "1.25", "ml"]
    assert words("热导率 k") == ["热导", "导率", "k"]


@given(st.lists(st.text(alphabet="ab 温度.。\n1", max_size=400), min_size=1, max_size=3), st.integers(10, 80))
def test_passages_hold_every_character_that_is_no_space(pages, size):
    made = document(*pages)
    passages = split_passages(made, document_id="d", size=size)
    for page in made.pages:
        mine = [p for p in passages if p.page == page.number]
        assert all(page.text[p.start : p.end] == p.text and len(p.text) <= size for p in mine)
        assert "".join("".join(p.text.split()) for p in mine) == "".join(page.text.split())
