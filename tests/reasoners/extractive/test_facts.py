import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.core.quotes import find_quote
from tests.reasoners.extractive.documents import digest_of, from_pages


def test_each_sentence_with_numbers_is_one_item_with_all_of_them():
    digest = digest_of(
        from_pages(
            "Peaks of the powder. One peak is at 120 °C after 12 h. It is grey. The mass was 5.1 ± 0.2 g."
        )
    )
    facts = [item.data["numbers"] for item in digest.items if item.kind == "result"]
    assert facts == [
        [
            {"name": "", "value": 120.0, "unit": "°C", "text": "120 °C"},
            {"name": "", "value": 12.0, "unit": "h", "text": "12 h"},
        ],
        [{"name": "mass", "value": 5.1, "unit": "g", "text": "5.1 ± 0.2 g", "uncertainty": 0.2}],
    ]


def test_a_broken_word_is_shown_whole_and_still_found():
    page = "Heat and its effects. We heated the mate-\nrial to 60\n◦C in a two-\nstep process. A two-step process is slow."
    (item,) = [item for item in digest_of(from_pages(page)).items if item.kind == "result"]
    assert item.text == "We heated the material to 60 ◦C in a two-step process."
    assert item.source.verified


def test_a_number_quoted_elsewhere_is_not_listed_again():
    digest = digest_of("# Limits\n\nThe temperature must be at most 120 °C.\n")
    assert [item.kind for item in digest.items if "120" in item.text and item.kind != "goal"] == [
        "constraint"
    ]
    assert (digest.captured, digest.seen, digest.uncovered) == (1, 1, [])


SENTENCES = st.lists(
    st.sampled_from(
        ["Heated to 60 °C.", "The mass was 5 g,", "at 0.1, 1 and 10 C", "k =\nV\n2C\n4π\n= 3 W/(m ·\n◦C)", "测量约 40 分钟后，", "密度为 8.92\ng/cm3；",
         "Table 1 Levels", "1 2 3 4 5", "word " * 40, "and (see Fig. 3 A)", "pH 7", "5–6 mL; 7 mL"]
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(SENTENCES, st.sampled_from([" ", "\n", "\n\n"]))
def test_whatever_the_page_every_quote_is_on_it_and_the_count_is_honest(parts, joint):
    page = joint.join(parts)
    digest = digest_of(from_pages(page))
    assert all(find_quote(item.source.quote, page) for item in digest.items if item.source.verified)
    assert digest.captured + len(digest.uncovered) == digest.seen
    assert digest.captured >= 0.95 * digest.seen


@pytest.mark.parametrize(
    "piece", ["1 m ", "5-", "温度为5℃，", "C, ρ, ", "5 ° ", "A: ", "a-\n", "must not exceed ", "(a, b, "]
)
def test_odd_text_costs_no_more_than_its_length(piece):
    started = time.process_time()
    digest_of(from_pages(piece * (8000 // len(piece))))
    assert time.process_time() - started < 5
