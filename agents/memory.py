"""Long-term findings: rows are the truth, the index follows them and may be away at any time."""

import logging
from dataclasses import dataclass, replace
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db.models import Q, QuerySet

from agents.core.errors import DaybookError
from agents.core.findings import Finding as FindingValue
from agents.core.ports import FindingStore
from agents.models import Finding
from agents.store.findings import as_value

log = logging.getLogger("daybook.memory")

BATCH = 200
AGAIN = 50
"""Embedded once more at a time, so that a cancel is heard soon."""
WORD_SEARCH_LIMIT = 5000
NARROWED = 400
"""Hits that are asked of the index when rows are left out afterwards."""
AMONG = 2000
"""Up to so many rows that a filter leaves are compared each; of more, the nearest are asked for and then filtered."""
WORDS_ASKED = 40
"""Words of a question, and terms in the other language that mean them, by which rows are looked for."""
INDEXED = (Finding.Status.ACTIVE, Finding.Status.VETOED)

_store: FindingStore | None = None


def use_store(store: FindingStore | None) -> None:
    """Make ``store`` the index of this process."""
    global _store
    _store = store


def current_store() -> FindingStore | None:
    """Return the index of this process, or None while it is not open."""
    return _store


@dataclass(frozen=True)
class Hit:
    """A finding that fits a query. ``how``: by meaning (the index) or by words (rows alone)."""

    row: Finding
    score: float
    how: str

    @property
    def finding(self) -> FindingValue:
        """The finding as a value."""
        return as_value(self.row)


def index_findings(store: FindingStore) -> int:
    """Bring rows that changed into the index; returns how many. Raises what the store raises."""
    done = 0
    for row in Finding.objects.filter(is_indexed=False).order_by("updated_at")[:BATCH]:
        if row.status in INDEXED:
            async_to_sync(store.add)(as_value(row, for_index=True))
        else:
            async_to_sync(store.remove)(str(row.pk))
        # A row that changed meanwhile has another version and stays to be indexed again.
        done += Finding.objects.filter(pk=row.pk, version=row.version).update(is_indexed=True)
    return done or _embed_again(store)


def _embed_again(store: FindingStore) -> int:
    done = 0
    rows = Finding.objects.filter(is_to_embed=True, is_indexed=True)
    for row in rows.filter(status__in=INDEXED).order_by("updated_at")[:AGAIN]:
        async_to_sync(store.add)(as_value(row, for_index=True))
        done += Finding.objects.filter(pk=row.pk, version=row.version).update(is_to_embed=False)
    return done


def embed_all_again() -> int:
    """Queue every finding of the index to be embedded once more; search goes on meanwhile. Returns how many."""
    return Finding.objects.filter(is_indexed=True, status__in=INDEXED).update(is_to_embed=True)


def cancel_embedding() -> int:
    """Take back what ``embed_all_again`` queued and is not done; returns how many. What is done stays done, and
    the others keep the vectors that they have."""
    return Finding.objects.filter(is_to_embed=True).update(is_to_embed=False)


@dataclass(frozen=True)
class IndexState:
    """Of ``total`` findings ``waiting`` are not in the index as they should be, and ``again`` are to be embedded once
    more. ``model`` and ``dimension`` are those in use, empty and 0 while the index is not open here."""

    total: int
    waiting: int
    again: int
    model: str = ""
    dimension: int = 0
    held: int = 0

    @property
    def left(self) -> int:
        """How many are to be done."""
        return self.waiting + self.again

    @property
    def done(self) -> int:
        """How many need nothing."""
        return self.total - self.left


def index_state() -> IndexState:
    """Return how far the index is. Raises nothing: an index that does not answer counts as not open."""
    rows = Finding.objects.filter(status__in=INDEXED)
    state = IndexState(
        total=rows.count(),
        waiting=rows.filter(is_indexed=False).count(),
        again=rows.filter(is_indexed=True, is_to_embed=True).count(),
    )
    store = current_store()
    if store is None:
        return state
    try:
        model, dimension = async_to_sync(store.model)()
        return replace(state, model=model, dimension=dimension, held=async_to_sync(store.count)())
    except DaybookError as fault:
        log.warning("the findings index does not answer (%s)", fault)
        return state


def forget_index() -> int:
    """Mark every row to be indexed again, after the index was lost; returns how many."""
    return Finding.objects.update(is_indexed=False)


def count_indexed() -> int:
    """Return how many findings the index should hold by now."""
    return Finding.objects.filter(is_indexed=True, status__in=INDEXED).count()


def index_progress() -> tuple[int, int]:
    """Return how many findings the index has caught up with, and how many there are."""
    total = Finding.objects.count()
    return total - Finding.objects.filter(is_indexed=False).count(), total


def search_findings(
    query: str, *, study_ids: list[UUID], limit: int = 20, status: str = "active", only: Q | None = None
) -> list[Hit]:
    """Return the findings of ``study_ids`` that fit ``query`` best, best first.

    By meaning when the index answers; by words over the rows when it does not, and for statuses that no index
    holds. ``only`` leaves out rows that it does not fit; what few rows it leaves are all compared, so that a narrow
    filter among very many findings still finds what there is.
    """
    scope = Finding.objects.filter(study_id__in=study_ids, status=status).select_related("study", "run")
    scope = scope if only is None else scope.filter(only)
    store = current_store()
    if store is not None and status in INDEXED:
        wide = limit if only is None else max(limit, NARROWED)
        try:
            found = async_to_sync(store.search)(
                query,
                study_ids=[str(pk) for pk in study_ids],
                limit=wide,
                status=status,
                among=_left(scope, only),
            )
            rows = scope.in_bulk([UUID(hit.finding_id) for hit in found])
            hits = [(rows.get(UUID(hit.finding_id)), hit.score) for hit in found]
            # The row decides: what the index still holds of a retracted finding is not returned.
            return [Hit(row, score, "meaning") for row, score in hits if row is not None][:limit]
        except DaybookError as fault:
            log.warning("the findings index does not answer (%s); searching by words", fault)
    return _by_words(query, scope, limit)


def _left(scope: QuerySet[Finding], only: Q | None) -> list[str] | None:
    """Return the ids that a filter leaves, when they are few."""
    if only is None:
        return None
    ids = [str(pk) for pk in scope.values_list("pk", flat=True)[: AMONG + 1]]
    return ids if len(ids) <= AMONG else None


def search_known(query: str, *, study_id: UUID, domain: str, limit: int) -> list[Hit]:
    """Return what a run of the study may be told for ``query``: its study's findings and rules, and the rules of
    other studies that people opened to the domain; best first."""
    found = search_findings(query, study_ids=[study_id], limit=limit)
    opened = Q(kind=Finding.Kind.RULE, reach=Finding.Reach.DOMAIN)
    rules = Finding.objects.filter(opened, domain=domain, status=Finding.Status.ACTIVE)
    others = (
        list(rules.exclude(study_id=study_id).values_list("study_id", flat=True).distinct()) if domain else []
    )
    if others:
        found += search_findings(query, study_ids=others, limit=limit, only=opened & Q(domain=domain))
    return sorted(found, key=lambda hit: -hit.score)[:limit]


def _by_words(query: str, scope: QuerySet[Finding], limit: int) -> list[Hit]:
    from agents.core.digest import Passage
    from agents.core.passages import PassageIndex

    rows = dict(enumerate(_holding(query, scope)[:WORD_SEARCH_LIMIT]))
    passages = [
        Passage(document_id="", document="", index=number, page=1, start=0, end=len(row.text), text=row.text)
        for number, row in rows.items()
    ]
    found = PassageIndex(passages).search(query, limit)
    return [Hit(rows[hit.index], round(1 / (rank + 1), 3), "words") for rank, hit in enumerate(found)]


def _holding(query: str, scope: QuerySet[Finding]) -> QuerySet[Finding]:
    """Return the rows that hold a word of ``query``, or a term in the other language that means one.

    The database looks through all of them, so that what is old is found among very many; only these are read.
    """
    from agents.core.terms import lab_terms, search_words

    asked = dict.fromkeys(search_words(query))
    terms = [term for term, meaning in lab_terms().chinese.items() if not asked.keys().isdisjoint(meaning)]
    # A stem is how its word begins, but for what ends in -ies.
    begun = [word[:-1] if len(word) > 3 and word.endswith("y") else word for word in asked]
    held = Q()
    for word in [*begun, *terms][:WORDS_ASKED]:
        held |= Q(text__icontains=word)
    return scope.filter(held) if held else scope.none()
