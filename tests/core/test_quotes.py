import pytest

from agents.core.digest import Page
from agents.core.quotes import Span, find_quote, locate_quote, verified_source
from agents.core.science import Source


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("the plant material", "the plant mate-\nrial was dried"),
        ("the plant material", "the plant mate\ufffe\nrial was dried"),
        ("the plant material", "the plant mate\u00adrial was dried"),
        ("efficient flow", "eﬃcient ﬂow"),
        ("at 60 °C", "heated at 60°C for"),
        ("at 60 °C", "heated at 60\n◦C for"),
        ("at 60 ℃", "heated at 60 °C for"),
        ("温度为 60 ℃，保持", "温度为60℃,保持"),
        ("k = 348.43 W/(m·°C)", "k = 348.43W/(m ·\n◦C)"),
        ("10^-3 m²", "10−3 m2"),
        ('the "C-curve"', "the so-called “C-curve” or the “C-\ncurve”"),
        ("200–300 °C", "from 200-300 °C"),
        ("热导率的测量", "热导\n率的测量"),
        ("two-step", "a two-\nstep process"),
        ("µm", "0.18 μm"),
    ],
)
def test_typesetting_does_not_matter(quote, page):
    assert find_quote(quote, page) is not None


@pytest.mark.parametrize(
    ("quote", "page"),
    [
        ("5 °C", "at 25 °C"),
        ("2 h", "for 12 h"),
        ("2 h", "after 2 hours"),
        ("1.5", "Table 1 5 runs"),
        ("1.5", "in Table 1. 5 runs"),
        ("10 20", "1020"),
        ("3.5", "3.55"),
        ("3", "3.5 g"),
        ("510 °C", "5-10 °C"),
        ("−5 °C", "5 °C"),
        ("not exceed", "must never exceed"),
        ("at 80 °C", "at 60 °C and 80 °C"),
        ("MM", "5 mM"),
        ("", "anything"),
        ("  ", "anything"),
    ],
)
def test_what_the_page_does_not_say_is_not_found(quote, page):
    assert find_quote(quote, page) is None


def test_the_span_points_into_the_text_as_printed():
    page = "We dried the mate-\nrial at 60◦C twice."
    span = find_quote("material at 60 °C", page)
    assert page[span.start : span.end] == "mate-\nrial at 60◦C"


def test_a_later_whole_match_is_found_after_a_partial_one():
    assert find_quote("5 °C", "25 °C, then 5 °C") == Span(start=12, end=16)


PAGES = [Page(number=1, text="Yield was 5 %."), Page(number=2, text="We used 3 g. Yield was 5 %.")]


def test_the_named_page_is_tried_first():
    assert locate_quote("Yield was 5 %", PAGES, page=2) == (2, Span(start=13, end=26))
    assert locate_quote("Yield was 5 %", PAGES) == (1, Span(start=0, end=13))


def test_a_wrong_page_is_put_right_and_an_invented_quote_is_not_verified():
    right = verified_source(Source(origin="document", page=1, quote="We used 3 g"), PAGES)
    assert (right.verified, right.page) == (True, 2)
    invented = verified_source(Source(origin="document", page=1, quote="We used 4 g", verified=True), PAGES)
    assert (invented.verified, invented.page) == (False, 1)
