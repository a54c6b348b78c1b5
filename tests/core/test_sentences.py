from agents.core.sentences import sentences


def split(text):
    return [text[span.start : span.end] for span in sentences(text)]


def test_line_ends_do_not_end_sentences():
    assert split("We heated it\nto 60 °C. Then we\nstirred.") == [
        "We heated it\nto 60 °C.",
        "Then we\nstirred.",
    ]


def test_numbers_and_abbreviations_do_not_end_sentences():
    text = "Silou et al. (2004) used ca. 1.25 ml, see Fig. 3 and e.g. Table 2. It worked."
    assert split(text) == [text[:-11], "It worked."]


def test_chinese_sentences():
    assert split("温度为 60 ℃。测量约 40\n分钟后，系统稳定。") == [
        "温度为 60 ℃。",
        "测量约 40\n分钟后，系统稳定。",
    ]


def test_headings_captions_and_rows_stand_alone():
    text = "It ended.\n2.2 | Extraction of the oil\nAfter drying it was\ndistilled.\nTable 1. Levels\n| a | b |\n| 1 | 2 |"
    assert split(text) == [
        "It ended.",
        "2.2 | Extraction of the oil",
        "After drying it was\ndistilled.",
        "Table 1. Levels",
        "| a | b |",
        "| 1 | 2 |",
    ]


def test_list_items_stand_alone():
    assert split("实验目的\n1. 学会测量；\n2. 了解特点。") == ["实验目的", "1. 学会测量；", "2. 了解特点。"]


def test_blank_lines_end_sentences_and_blank_text_has_none():
    assert split("no stop here\n\nnext part") == ["no stop here", "next part"]
    assert split(" \n ") == []


def test_a_unit_may_end_a_sentence_and_an_initial_does_not():
    assert split("It was 60 °C. We used 5 K. Then R. Adams came.") == [
        "It was 60 °C.",
        "We used 5 K.",
        "Then R. Adams came.",
    ]
