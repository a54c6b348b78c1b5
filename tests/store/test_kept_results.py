"""Results that are used again: by key within a study, the newest of a key, and only so many."""

import pytest

from agents.core.tools import ToolResult
from agents.models import KeptResult, Study
from agents.store.kept_results import OrmKeptResults, kept_since
from tests.support import do, make_study

pytestmark = pytest.mark.django_db


def result(value: int) -> ToolResult:
    return ToolResult(success=True, data={"y": value}, tool="fit", version="2", duration_s=3.0, cost=1.0)


@pytest.fixture
def study() -> Study:
    return make_study()


def test_a_result_comes_back_in_another_store_and_in_no_other_study(study):
    do(OrmKeptResults(str(study.pk)).put, "k", result(1))
    assert do(OrmKeptResults(str(study.pk)).get, "k") == result(1)
    assert do(OrmKeptResults(str(make_study().pk)).get, "k") is None
    assert do(OrmKeptResults(str(study.pk)).get, "other") is None


def test_the_last_result_of_a_call_is_kept(study):
    kept = OrmKeptResults(str(study.pk))
    do(kept.put, "k", result(1))
    do(kept.put, "k", result(2))
    assert (do(kept.get, "k"), KeptResult.objects.count()) == (result(2), 1)


def test_what_was_not_used_for_longest_goes_first(study):
    kept = OrmKeptResults(str(study.pk), most=2)
    other = OrmKeptResults(str(make_study().pk), most=2)
    do(other.put, "a", result(0))
    for key in ("a", "b"):
        do(kept.put, key, result(1))
    do(kept.get, "a")
    do(kept.put, "c", result(1))
    assert set(kept_since(str(study.pk), ["a", "b", "c"])) == {"a", "c"}
    assert KeptResult.objects.count() == 3


def test_they_go_with_their_study(study):
    do(OrmKeptResults(str(study.pk)).put, "k", result(1))
    study.delete()
    assert not KeptResult.objects.exists()
