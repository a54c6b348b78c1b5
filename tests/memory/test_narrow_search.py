"""A narrow filter among very many findings, and words among very many rows: what there is, is found."""

import pytest
from django.db.models import Q

from agents import memory
from agents.memory import search_findings, use_store
from agents.models import Finding
from tests.support import make_run

pytestmark = pytest.mark.django_db
MANY = 6000


class Everything:
    """An index whose nearest are the findings that nobody asked for; it compares those that it is told to."""

    def __init__(self) -> None:
        self.among: list[list[str] | None] = []

    async def search(self, query, *, study_ids, limit=5, status="active", among=None):
        from agents.core.findings import FoundFinding

        self.among.append(among)
        rows = (
            Finding.objects.filter(kind="finding") if among is None else Finding.objects.filter(pk__in=among)
        )
        return [
            FoundFinding(finding_id=str(pk), score=0.9)
            async for pk in rows.values_list("pk", flat=True)[:limit]
        ]


@pytest.fixture
def run(db):
    made = make_run()
    rows = [
        Finding(study=made.study, run=made, number=n, text=f"With base {n} the yield was low.")
        for n in range(2, MANY)
    ]
    old = Finding(study=made.study, run=made, number=1, text="Toluidine poisons the catalyst.", kind="rule")
    Finding.objects.bulk_create([old, *rows], batch_size=1000)
    return made


def test_a_rule_is_found_among_thousands_of_nearer_findings(run):
    use_store(Everything())
    try:
        found = search_findings("poison", study_ids=[run.study_id], limit=5, only=Q(kind="rule"))
        assert [hit.row.number for hit in found] == [1]
        search_findings("poison", study_ids=[run.study_id], limit=5, only=Q(confidence__gte=0))
        assert [None if each is None else len(each) for each in memory.current_store().among] == [1, None]
    finally:
        use_store(None)


@pytest.mark.parametrize("words", ["toluidine", "what poisoned the catalysts?", "催化剂"])
def test_by_words_the_oldest_of_thousands_is_found_in_either_language(run, words):
    found = search_findings(words, study_ids=[run.study_id], limit=5)
    assert [hit.row.number for hit in found][:1] == [1]


def test_an_english_question_finds_a_chinese_row_by_its_terms(run):
    Finding.objects.filter(number=1).update(text="对甲苯胺使催化剂失活。")
    found = search_findings("catalyst", study_ids=[run.study_id], limit=5)
    assert [hit.row.number for hit in found] == [1]
