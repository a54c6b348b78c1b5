"""Every document that the project ships: numbers with units are captured, quotes stand on their pages, traps are told.

``papers/`` holds two reports written for this test, in Chinese and in English, each with two planted faults: a thermal
conductivity in m/s, and a mean that its own table does not give.
"""

from pathlib import Path

import pytest

from agents.adapters.documents import read_document
from agents.core.quotes import find_quote
from agents.reasoners.extractive import extract_digest

HERE = Path(__file__).parent / "papers"
EXAMPLES = Path(__file__).parents[2] / "examples"
TRAPPED = (HERE / "heat_zh.md", HERE / "heat_en.md")
SHIPPED = (
    EXAMPLES / "direct_arylation" / "protocol.md",
    EXAMPLES / "oil_extraction" / "paper.pdf",
    *TRAPPED,
)
COVERAGE = 0.95
UNIT = "The unit m/s does not measure thermal conductivity; expected a unit such as W/(m·K)."
MEAN = "is 0.0412 mV/"


def named(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.name)


def digest_of(path: Path):
    document = read_document(path, name=path.name)
    return document, extract_digest(document, document_id="d")


@named(SHIPPED)
def test_numbers_with_units_are_captured_and_the_rest_is_listed(path):
    _, digest = digest_of(path)
    assert digest.seen >= 5
    assert digest.captured / digest.seen >= COVERAGE
    assert len(digest.uncovered) == digest.seen - digest.captured


@named(SHIPPED)
def test_every_quote_stands_on_its_page(path):
    document, digest = digest_of(path)
    pages = {page.number: page.text for page in document.pages}
    assert digest.items
    for item in digest.items:
        assert item.source.verified, item.text
        assert find_quote(item.source.quote, pages[item.source.page]), item.source.quote


@named(TRAPPED)
def test_the_planted_traps_are_flagged_and_nothing_else_is(path):
    _, digest = digest_of(path)
    assert len(digest.warnings) == 2
    assert digest.warnings[0].endswith(UNIT)
    assert MEAN in digest.warnings[1]
    assert "printed is 0.0452 mV/" in digest.warnings[1]
    noted = [item.note for item in digest.items if "239 m/s" in item.source.quote]
    assert noted
    assert all(UNIT in note for note in noted)


@named(TRAPPED)
def test_the_same_report_without_traps_is_not_flagged(path, tmp_path):
    right = path.read_text(encoding="utf-8").replace("239 m/s", "239 W/(m·K)").replace("0.0452", "0.0412")
    copy = tmp_path / path.name
    copy.write_text(right, encoding="utf-8")
    _, digest = digest_of(copy)
    assert digest.warnings == []


@named(SHIPPED[:2])
def test_the_samples_hold_nothing_that_is_flagged(path):
    _, digest = digest_of(path)
    assert digest.warnings == []
