"""The same quantity under the same condition, stated twice and beyond tolerance: linked, doubted, told until settled."""

import pytest
from asgiref.sync import async_to_sync
from hypothesis import given
from hypothesis import strategies as st

from agents.core.contradictions import contradicts, statement_of, words_of_claim
from agents.core.proposal import MemoryOperation
from agents.models import Event, Finding
from agents.store.book import OrmFindingBook
from agents.store.contradictions import contradictions_of
from reviews.present.memory import next_brief, next_prompt
from tests.support import make_run, make_study, take

DISAGREE = [
    ("At 350 K the yield was 82.1 %", "The yield at 350 K was 65 %"),
    ("350 K 时产率为 82 %", "产率在 350 K 时为 65 %"),
    ("在 80 °C 下，产率达到 82 %。", "80 °C 时产率约为 62 %"),
    ("catalyst C5 gave a yield of 82 %", "Catalyst C5 gave a yield of 40 %"),
    ("The yield was 82 ± 2 % at 350 K", "The yield was 65 ± 2 % at 350 K"),
    ("The yield was 70–80 % at 350 K", "The yield was 55 % at 350 K"),
    (
        "The conductivity reached 2.0 × 10−3 S/cm at 300 K",
        "The conductivity reached 3.0 × 10−3 S/cm at 300 K",
    ),
]
AGREE = {
    "another condition": ("At 350 K the yield was 82.1 %", "The yield at 360 K was 65 %"),
    "another condition, Chinese": ("在 80 °C 下，产率达到 82 %。", "在 90 °C 下，产率达到 62 %。"),
    "within tolerance": ("At 350 K the yield was 82.1 %", "The yield at 350 K was 80 %"),
    "another round": ("step 3 yield was 3.12 %", "step 4 yield was 9.12 %"),
    "another catalyst": ("catalyst C5 gave a yield of 82 %", "Catalyst C6 gave a yield of 40 %"),
    "a condition, not a result": (
        "With a loading of 5 % the yield falls",
        "With a loading of 10 % the yield falls",
    ),
    "within their uncertainties": ("The yield was 82 ± 10 % at 350 K", "The yield was 65 ± 10 % at 350 K"),
    "within the range": ("The yield was 70–80 % at 350 K", "The yield was 75 % at 350 K"),
    "a bound": ("The yield at 350 K was below 80 %", "The yield at 350 K was 85 %"),
    "a denial": ("The yield was not 80 % at 350 K", "The yield was 60 % at 350 K"),
    "another unit": ("yield = 80 %", "yield = 0.8 g"),
}


@pytest.mark.parametrize(("left", "right"), DISAGREE)
def test_two_values_for_one_thing_contradict_either_way_round(left, right):
    assert contradicts(left, right)
    assert contradicts(right, left)


@pytest.mark.parametrize("name", AGREE)
def test_what_differs_in_more_or_in_less_does_not(name):
    left, right = AGREE[name]
    assert not contradicts(left, right)
    assert not contradicts(right, left)


@given(st.text(alphabet="ab 的3.5%K=了 ", max_size=30))
def test_no_claim_contradicts_itself(text):
    assert not contradicts(text, text.upper())
    assert all(word in text for word in words_of_claim(text))


def test_a_sentence_that_states_two_values_is_not_judged():
    assert statement_of("The yield was 80 % and the purity was 99 %") is None


def book_of(run):
    return OrmFindingBook(take(run), next_brief(run).protocol)


def apply(book, *operations, round):
    given = [MemoryOperation(**operation) for operation in operations]
    return async_to_sync(book.apply)(given, round=round, key=f"{round}/memory/1")


@pytest.fixture
def run(db):
    study = make_study(
        goal="The yield at 350 K was 82 % once, 65 % once and 81 % once.", reasoner="language_model"
    )
    return make_run(study)


def row(run, number):
    return Finding.objects.get(run=run, number=number)


def test_both_are_linked_doubted_and_told_until_one_gives_way(run):
    book = book_of(run)
    apply(book, {"op": "add", "text": "The yield at 350 K was 82 %"}, round=1)
    before = row(run, 1).confidence
    apply(book, {"op": "add", "text": "At 350 K the yield was 65 %"}, round=2)

    assert [(row(run, n).against, row(run, n).confidence < before) for n in (1, 2)] == [(1, True), (1, True)]
    assert [row(run, n).evidence[-1]["finding"] for n in (1, 2)] == ["F2", "F1"]
    told = Event.objects.filter(run=run, kind="finding.changed").values_list("payload__reason", flat=True)
    assert sorted(reason.split(":")[0] for reason in told) == ["contradicts F1", "contradicts F2"]
    pairs = async_to_sync(book.contradictions)()
    assert [(pair.first.id, pair.second.id) for pair in pairs] == [("F1", "F2")]
    section = next(part for part in next_prompt(run) if part.name == "contradictions")
    assert "F1 The yield at 350 K was 82 % / F2 At 350 K the yield was 65 %" in section.text

    # Many stronger findings later it is told still.
    for number in range(3, 10):
        apply(book, {"op": "add", "text": f"Claim {number}", "evidence": [1, 2]}, round=number)
    assert "contradictions" in {part.name for part in next_prompt(run)}
    assert len(contradictions_of(run.pk)) == 1

    apply(book, {"op": "retire", "finding": "F2", "reason": "The stirrer stood still."}, round=10)
    assert contradictions_of(run.pk) == []
    assert (row(run, 1).against, row(run, 1).confidence) == (0, before)
    assert row(run, 1).evidence[-1]["stance"] == "settled"
    assert "contradictions" not in {part.name for part in next_prompt(run)}


def test_a_revision_may_bring_a_contradiction_and_end_one(run):
    book = book_of(run)
    apply(book, {"op": "add", "text": "The yield at 350 K was 82 %"}, round=1)
    apply(book, {"op": "add", "text": "The yield at 350 K was 81 %"}, round=2)
    assert contradictions_of(run.pk) == []
    apply(book, {"op": "revise", "finding": "F2", "text": "The yield at 350 K was 65 %"}, round=3)
    assert len(contradictions_of(run.pk)) == 1
    apply(book, {"op": "revise", "finding": "F2", "text": "The yield at 350 K was 81 %"}, round=4)
    assert contradictions_of(run.pk) == []
    assert [row(run, number).against for number in (1, 2)] == [0, 0]


def test_what_a_person_withdrew_contradicts_nothing(run):
    book = book_of(run)
    apply(book, {"op": "add", "text": "The yield at 350 K was 82 %"}, round=1)
    apply(book, {"op": "add", "text": "The yield at 350 K was 65 %"}, round=2)
    Finding.objects.filter(run=run, number=2).update(status="retracted")
    assert contradictions_of(run.pk) == []
    apply(book, {"op": "add", "text": "Another claim"}, round=3)
    assert row(run, 1).against == 0


def test_the_same_claim_is_found_again_among_many(run, django_assert_max_num_queries):
    book = book_of(run)
    for number in range(30):
        apply(
            book, {"op": "add", "text": f"catalyst C{number} gave a yield of {number}.25 %"}, round=number + 1
        )
    with django_assert_max_num_queries(60):
        apply(book, {"op": "add", "text": "Catalyst  C7 gave a yield of 7.25 %"}, round=40)
    assert Finding.objects.filter(run=run).count() == 30
    assert row(run, 8).support >= 1
    assert len(row(run, 8).evidence) == 2
