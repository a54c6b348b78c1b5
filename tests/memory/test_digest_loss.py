"""A careless model at the digest: whatever it drops, swaps, rounds or invents is reported."""

import random
import re

import pytest

from agents.core.digest import Page, ParsedDocument
from agents.core.tokens import estimate_tokens
from agents.reasoners.language_model.digesting import digest_document
from benchmarks.parts.tokens_work import Fact, Work
from tests.memory.doubles import Ears, Says

WORK = Work()
PAGES = [
    Page(number=number + 1, text=block)
    for number, block in enumerate(re.split(r"(?<=\.)\n", WORK.paper))
    if block
]
PAPER = ParsedDocument(name="paper.txt", media_type="text/plain", pages=PAGES)
UNITS = {
    "K": "°C",
    "m2/g": "m2/kg",
    "mm3/g": "cm3/g",
    "kJ/mol": "kcal/mol",
    "%": "ppm",
    "1/h": "1/min",
    "s": "min",
}
UNITS |= {"mg": "g", "ppm": "%", "rpm": "1/h"}


def unit_of(fact: Fact) -> str:
    return re.search(rf"{re.escape(fact.value)} (\S+)", fact.text)[1]


def said(fact: Fact, **changes) -> dict:
    page = next(page.number for page in PAGES if fact.text in page.text)
    told = {"kind": "result", "text": fact.text, "page": page, "quote": fact.text, "name": fact.id}
    return {**told, "value": float(fact.value), "unit": unit_of(fact), **changes}


async def digest_of(items: list[dict]):
    return await digest_document(
        PAPER,
        document_id="d",
        goal=WORK.goal,
        model=Says({"items": items}),
        listener=Ears(),
        count=estimate_tokens,
    )


async def test_an_oracle_loses_nothing():
    digest = await digest_of([said(fact) for fact in WORK.facts])

    assert digest.uncovered == []
    assert all(item.source.verified and item.note == "" for item in digest.items)
    assert len(digest.items) == 40


@pytest.mark.parametrize("seed", range(5))
async def test_what_the_model_drops_is_listed_with_its_page(seed):
    dice = random.Random(seed)
    dropped = dice.sample(WORK.facts, 12)

    digest = await digest_of([said(fact) for fact in WORK.facts if fact not in dropped])

    listed = {(entry["text"], entry["page"]) for entry in digest.uncovered}
    pages = {fact.id: next(page.number for page in PAGES if fact.text in page.text) for fact in dropped}
    assert listed == {(f"{fact.value} {unit_of(fact)}", pages[fact.id]) for fact in dropped}
    assert (digest.captured, digest.seen) == (28, 40)


@pytest.mark.parametrize("fact", WORK.facts, ids=lambda fact: fact.id)
async def test_a_swapped_unit_is_marked_in_data_and_never_stands_in_words(fact):
    wrong = UNITS[unit_of(fact)]
    text = fact.text.replace(f"{fact.value} {unit_of(fact)}", f"{fact.value} {wrong}")
    (item,) = (await digest_of([said(fact, unit=wrong, text=text)])).items

    assert not item.source.verified
    assert f"the quote prints {fact.value} {unit_of(fact)}" in item.note
    assert f"{fact.value} {wrong}" not in item.text


@pytest.mark.parametrize("fact", WORK.facts, ids=lambda fact: fact.id)
async def test_a_rounded_number_is_marked_and_never_stands_in_words(fact):
    rounded = f"{float(fact.value):.0f}.5"
    (item,) = (
        await digest_of([said(fact, value=float(rounded), text=fact.text.replace(fact.value, rounded))])
    ).items

    assert not item.source.verified
    assert rounded not in item.text


async def test_an_invented_item_is_marked():
    (item,) = (
        await digest_of([said(WORK.facts[0], quote="The batch glowed at 777.77 K", text="777.77 K")])
    ).items

    assert not item.source.verified
    assert item.note.startswith("the quote is not in the document")


async def test_a_swapped_unit_of_a_limit_limits_nothing():
    limit = WORK.facts[0]
    (item,) = (await digest_of([said(limit, kind="constraint", op="<=", unit="°C")])).items

    assert (item.source.verified, item.data) == (False, {"predicate": None})


PLACES = {
    "at the start": "The onset was 412.37 K. Then nothing happened for long.",
    "in the middle": "Nothing happened. The onset was 412.37 K. Nothing happened again.",
    "at the end": "Nothing happened for long. The onset was 412.37 K",
    "in a table": "Table 1 onset (K)\nA1 412.37 K\nA2 413.00 K",
    "negated": "The onset was not 412.37 K but unknown.",
    "in a range": "The onset lay between 410.10 and 412.37 K.",
    "with an exponent": "The rate was 4.1237 × 10−2 s.",
    "across lines": "The onset was 412.37\nK in all runs.",
    "contradicting": "The onset was 412.37 K. In batch B the onset was 498.21 K.",
    "in Chinese": "起始温度为 412.37 K，之后不变。",
}


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
async def test_a_fact_that_nobody_took_is_listed_wherever_it_stands(text):
    paper = ParsedDocument(name="p", media_type="text/plain", pages=[Page(number=3, text=text)])
    digest = await digest_document(
        paper, document_id="d", goal="", model=Says({"items": []}), listener=Ears(), count=estimate_tokens
    )

    listed = " | ".join(entry["text"] for entry in digest.uncovered)
    assert "412.37" in listed or "4.1237" in listed
    assert {entry["page"] for entry in digest.uncovered} == {3}
    assert digest.captured == 0


async def test_a_fact_across_two_parts_is_read_whole():
    text = "x. " * 500 + "The onset was 412.37 K. " + "y. " * 500
    paper = ParsedDocument(name="p", media_type="text/plain", pages=[Page(number=1, text=text)])
    model = Says(None)
    await digest_document(
        paper, document_id="d", goal="", model=model, listener=Ears(), count=lambda t: len(t) * 4
    )

    assert len(model.asked) > 1
    assert sum("The onset was 412.37 K" in prompt for prompt in model.asked) == 1
