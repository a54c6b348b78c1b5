"""The sample study is what the paper prints, and the digest finds it there."""

import json
from pathlib import Path

import pytest

from agents.adapters.documents import read_document
from agents.adapters.tables import experiments_from, read_table
from agents.core.quotes import find_quote
from agents.core.science import Constraint, Objective, Space
from agents.core.study import DatasetRef
from agents.reasoners.extractive import extract_digest

FOLDER = Path(__file__).parents[2] / "examples" / "oil_extraction"
STUDY = json.loads((FOLDER / "study.json").read_text())
SPACE = Space.model_validate(STUDY["space"])


@pytest.fixture(scope="module")
def paper():
    return read_document(FOLDER / "paper.pdf", name="paper.pdf")


@pytest.fixture(scope="module")
def digest(paper):
    return extract_digest(paper, document_id="paper", goal=STUDY["goal"])


@pytest.fixture(scope="module")
def past():
    described = STUDY["datasets"][0]
    ref = DatasetRef(id="", name="past.csv", content_hash="", columns=described["columns"])
    objectives = [Objective.model_validate(row) for row in STUDY["objectives"]]
    return experiments_from(read_table(FOLDER / "past.csv"), mapping=ref, space=SPACE, objectives=objectives)


def test_every_quote_of_the_digest_is_on_its_page(paper, digest):
    pages = {page.number: page.text for page in paper.pages}
    assert all(item.source.verified for item in digest.items)
    assert all(find_quote(item.source.quote, pages[item.source.page]) for item in digest.items)


def test_the_three_factors_of_table_1(digest):
    found = {
        i.data["name"]: (i.data["levels"], i.data["unit"], i.source.page)
        for i in digest.items
        if i.kind == "parameter"
    }
    assert found == {
        "extraction duration": ([1.5, 3.0], "h", 3),
        "residual water content": (["Low", "High"], "", 3),
        "state of division": (["<5", "10"], "cm", 3),
    }


def test_the_eight_runs_of_table_4_with_five_responses_each(digest):
    runs = [item for item in digest.items if item.kind == "result" and item.data["table"] == "Table 4"]
    assert [len(run.data["responses"]) for run in runs] == [5] * 8
    assert runs[4].data["conditions"] == {
        "extraction duration": 1.5,
        "residual water content": "Low",
        "state of division": "10",
    }
    assert [(r["name"], r["value"], r["unit"]) for r in runs[4].data["responses"]][::3] == [
        ("Essential oil yield, aerial part", 2.10, "%"),
        ("Essential oil yield, roots", 1.02, "%"),
    ]


def test_past_experiments_are_the_runs_that_the_digest_reads(past, digest):
    experiments, problems = past
    runs = [item for item in digest.items if item.kind == "result" and item.data["table"] == "Table 4"]
    assert problems == []
    assert [(e.planned, e.value_of("oil yield")) for e in experiments] == [
        (run.data["conditions"], run.data["responses"][0]["value"]) for run in runs
    ]


def test_limits_quote_the_paper(paper):
    pages = {page.number: page.text for page in paper.pages}
    for row in STUDY["constraints"]:
        source = Constraint.model_validate(row).source
        assert source.verified
        assert find_quote(source.quote, pages[source.page])


def test_goal_hypothesis_and_coverage(digest):
    first = {item.kind: item.text for item in reversed(digest.items)}
    assert first["goal"].startswith(
        "The aim of this study was to optimize the extraction of p-menthadienol isomers"
    )
    assert first["hypothesis"].startswith("The residual water content is the most important factor")
    assert digest.captured >= 0.95 * digest.seen > 70


def test_printed_means_are_recomputed_from_table_4(digest):
    notes = [item.note for item in digest.items if "Recomputed: the mean" in item.note]
    assert any("is 1.334 %" in note for note in notes)
    assert digest.warnings == []
