"""The rules of the library: what may be changed, what a merge counts, what may be the same."""

import pytest

from agents.core.errors import BadInput
from agents.core.findings import Finding
from agents.core.library import accepted, corrected, may_be_same, merged, replaced, withdrawn


def finding(**changes) -> Finding:
    return Finding(**{"id": "a", "study_id": "s", "run_id": "r1", "text": "KOAc is slow", **changes})


def seen(round: int, stance: str = "for", **more) -> dict:
    return {"round": round, "stance": stance, **more}


def test_a_merge_adds_the_evidence_and_says_whose_it_is():
    kept = finding(evidence=[seen(1)], support=1)
    other = finding(id="b", run_id="r2", evidence=[seen(1), seen(2, "against")], support=1, against=1)
    result = merged(kept, other)
    assert (result.support, result.against, result.confidence, result.version) == (2, 1, 0.6, 2)
    assert result.evidence == [
        seen(1),
        seen(1, run="r2", finding="b"),
        seen(2, "against", run="r2", finding="b"),
    ]


def test_what_both_rest_on_counts_once():
    kept = finding(evidence=[seen(1), seen(2)], support=2)
    other = finding(id="b", evidence=[seen(2), seen(3)], support=2)
    result = merged(kept, other)
    assert result.support == 3
    assert [item["round"] for item in result.evidence] == [1, 2, 3]
    assert "run" not in result.evidence[-1]


def test_the_numbers_of_a_merged_one_that_nobody_printed_do_not_unsettle_the_other():
    other = finding(id="b", run_id="r2", evidence=[seen(1, missing=["42 %"])])
    assert merged(finding(evidence=[seen(1, missing=[])]), other).unverified == []


@pytest.mark.parametrize("status", ["superseded", "retracted", "vetoed", "unreviewed"])
def test_only_what_holds_is_merged_or_takes_a_place(status):
    with pytest.raises(BadInput):
        merged(finding(), finding(id="b", status=status))
    with pytest.raises(BadInput):
        replaced(finding(), finding(id="b", status=status))


def test_nothing_takes_its_own_place_or_one_in_another_study():
    with pytest.raises(BadInput, match="its own place"):
        replaced(finding(), finding())
    with pytest.raises(BadInput, match="different studies"):
        merged(finding(), finding(id="b", study_id="t"))


def test_a_veto_and_what_is_replaced_are_not_withdrawn():
    for status in ("vetoed", "superseded", "retracted"):
        with pytest.raises(BadInput, match=status):
            withdrawn(finding(status=status))
    assert withdrawn(finding(status="unreviewed")).status == "retracted"


def test_a_correction_says_something_else_and_keeps_what_is_still_unverified():
    row = finding(text="42 % at 80 °C", evidence=[seen(1, missing=["42 %", "80 °C"])])
    assert corrected(row, text="most at 80 °C", scope="").unverified == ["80 °C"]
    for text, told in (("", "say nothing"), (row.text, "Nothing was changed"), ("x" * 2001, "2001")):
        with pytest.raises(BadInput, match=told):
            corrected(row, text=text, scope="")


def test_what_was_a_veto_elsewhere_is_accepted_as_one():
    assert accepted(finding(status="unreviewed"), "vetoed").status == "vetoed"
    assert accepted(finding(status="unreviewed"), "nonsense").status == "active"
    with pytest.raises(BadInput):
        accepted(finding(), "active")


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("KOAc gives the best yield in DMAc", "KOAc gives the highest yield in DMAc", True),
        ("KOAc gives 42.5 % yield", "KOAc gives 84.5 % yield", False),
        ("koac  is slow", "KOAc is slow", True),
        ("KOAc is slow", "The ligand decides", False),
        ("温度越高产率越高", "温度越高则产率越高", True),
        ("温度越高产率越高", "溶剂没有影响", False),
    ],
)
def test_what_may_be_the_same(left, right, same):
    assert may_be_same(left, right) is same
