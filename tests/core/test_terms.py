"""One word for one thing: terms of the laboratory in English and Chinese."""

import pytest

from agents.core.digest import Passage
from agents.core.passages import PassageIndex
from agents.core.terms import lab_terms, parse_terms, question_in_english, search_words
from agents.core.words import words


def passage(number: int, text: str) -> Passage:
    return Passage(
        document_id="d", document="d", index=number, page=number, start=0, end=len(text), text=text
    )


def test_a_chinese_term_is_also_searched_by_its_english_name():
    assert set(words("electrolyte composition")) <= set(search_words("电解液的组成"))


def test_the_longest_term_wins_over_the_shorter_one_in_it():
    assert set(words("thermal conductivity")) <= set(search_words("热导率"))
    assert set(words("heat capacity")) <= set(search_words("比热容"))
    assert "volum" not in search_words("比热容")


def test_another_english_word_is_also_searched_by_the_usual_one():
    assert set(words("drought")) <= set(search_words("during water stress"))


def test_the_words_themselves_come_first_and_stay():
    assert search_words("热导率 of copper")[: len(words("热导率 of copper"))] == words("热导率 of copper")


def test_a_text_without_terms_has_its_words_and_no_more():
    assert search_words("GorlosPhos 87 %") == words("GorlosPhos 87 %")


def test_every_row_of_the_table_can_be_read_and_names_something():
    terms = lab_terms()

    assert len(terms.chinese) > 400
    assert all(meaning for meaning in terms.chinese.values())


@pytest.mark.parametrize("line", ["yield", "| 产率", "yield | 产率 | output | more"])
def test_a_line_that_is_no_row_is_named(line):
    with pytest.raises(ValueError, match="line 2"):
        parse_terms(f"# comment\n{line}\n")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("电解液是什么", "The electrolyte was 1 M LiPF6."),
        ("solvent of the electrolyte", "电解液的溶剂是碳酸二甲酯。"),
        ("drought", "During water stress the plant makes less oil."),
    ],
)
def test_passages_of_a_paper_are_found_from_the_other_language(question, answer):
    index = PassageIndex(
        [passage(1, "Copper was heated."), passage(2, answer), passage(3, "The rod is long.")]
    )

    assert [hit.index for hit in index.search(question, 1)] == [2]


@pytest.mark.parametrize(
    ("question", "reading"),
    [
        ("哪种碱最好", "base"),
        ("配体", "ligand"),
        ("哪个溶剂的收率最高？", "solvent yield maximum ？"),
        ("最好的催化剂是什么", "catalyst"),
        ("股票市场行情", "股票市场行情"),
        ("which base is best", "which base is best"),
    ],
)
def test_a_chinese_question_about_terms_is_read_in_english(question, reading):
    assert question_in_english(question) == reading


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        *(("碱", "base"), ("配体", "ligand"), ("溶剂", "solvent"), ("催化剂", "catalyst"), ("产率", "yield")),
        *(("收率", "yield"), ("温度", "temperature"), ("浓度", "concentration"), ("时间", "time")),
    ],
)
def test_the_words_that_every_chemist_asks_with_are_in_the_table(chinese, english):
    assert lab_terms().names[chinese] == english
