"""The findings of all studies in Chroma, by meaning and by words. An index: the rows are the truth."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from agents.adapters.chroma.collections import STATUSES, Collections
from agents.adapters.chroma.probe import PROBE, TOLERANCE
from agents.adapters.embeddings.base import Embedder
from agents.core.errors import DaybookError, Transient
from agents.core.findings import Finding, FoundFinding
from agents.core.terms import question_in_english

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with how many are done, of how many."""
BATCH = 100
PAGE = 5000
NARROW = 16
"""Up to so many studies are searched one by one, which is faster than a filter over all."""
WIDE = 200
"""Nearest findings of all studies among which those of several are looked for first."""
KEPT_QUESTIONS = 256
"""Questions whose vectors are kept: the next page or filter of a search asks the same again."""


def ignore_fault() -> None:
    """Do nothing about a fault."""


class ChromaFindingStore:
    """``FindingStore`` over the Chroma server that ``connect`` returns a client of.

    ``connect`` is called anew after each fault; ``on_fault`` hears of each fault, so that the owner of the
    server can look at it. Every method raises ``Transient`` while the server is away. Text is not stored:
    ids, vectors and the study's id are.
    """

    def __init__(
        self,
        connect: "Callable[[], ClientAPI]",
        embedder: Embedder,
        *,
        on_fault: Callable[[], None] = ignore_fault,
    ) -> None:
        self._connect = connect
        self._embedder = embedder
        self._on_fault = on_fault
        self._lock = threading.Lock()
        self._opened: Collections | None = None
        self._questions: dict[str, Any] = {}

    async def add(self, finding: Finding) -> None:
        """Index an active or vetoed finding, removing what its id stood for; other statuses are removed."""
        await asyncio.to_thread(self._retried, lambda found: self._add(found, finding))

    async def remove(self, finding_id: str) -> None:
        """Stop retrieving it; unknown ids are no error."""
        await asyncio.to_thread(self._retried, lambda found: self._remove(found, finding_id))

    async def search(
        self,
        query: str,
        *,
        study_ids: list[str] | None,
        limit: int = 5,
        status: str = "active",
        among: list[str] | None = None,
    ) -> list[FoundFinding]:
        """Return the nearest findings within the given studies (None: all), best first; ``score`` is the
        cosine. With ``among`` only these ids are compared, each of them, whatever study they are of. Only findings of ``status`` (``active`` or ``vetoed``) are looked at. Nothing is found for a blank
        query, and when even the nearest has nothing to do with the query by the embedding's own measure."""
        if not query.strip() or limit < 1 or [] in (study_ids, among) or status not in STATUSES:
            return []
        return await asyncio.to_thread(
            self._retried, lambda found: self._search(found, query, study_ids, limit, status, among)
        )

    def forget_questions(self) -> None:
        """Let go of the vectors of questions asked before."""
        with self._lock:
            self._questions.clear()

    async def ids(self) -> set[str]:
        """Return the ids of all indexed findings."""
        return await asyncio.to_thread(self._retried, self._ids)

    async def count(self) -> int:
        """Return how many findings are indexed."""
        return await asyncio.to_thread(
            self._retried, lambda found: sum(found.everything(status).count() for status in STATUSES)
        )

    async def model(self) -> tuple[str, int]:
        """Return the name of the embedding model in use and the length of its vectors."""
        return self._embedder.name, await asyncio.to_thread(lambda: self._embedder.dimension)

    async def rebuild(self, findings: Iterable[Finding], progress: Progress | None = None) -> int:
        """Empty the index, of any earlier model too, and add ``findings`` anew; return how many are in it."""
        latest = {item.id: item for item in findings if item.status in STATUSES}
        kept = sorted(latest.values(), key=_place)
        return await asyncio.to_thread(self._retried, lambda found: self._rebuild(found, kept, progress))

    async def healthy(self) -> str:
        """Return '' when the index answers and holds its vectors, else what is wrong, for people."""
        try:
            return await asyncio.to_thread(self._retried, self._problem)
        except DaybookError as error:
            return f"Long-term memory is away: {error}."

    # Below: blocking, in a thread

    def _retried(self, work: Callable[[Collections], T]) -> T:
        """Do ``work``, once more when the server was restarted or emptied since we opened it."""
        with self._translated():
            import httpx
            from chromadb.errors import NotFoundError

            try:
                return work(self._collections())
            except (NotFoundError, httpx.ConnectError):
                self._forget()
                return work(self._collections())

    def _collections(self) -> Collections:
        with self._lock:
            if self._opened is None:
                self._opened = Collections(self._connect(), self._embedder)
            return self._opened

    def _forget(self) -> None:
        with self._lock:
            self._opened = None

    @contextmanager
    def _translated(self) -> Iterator[None]:
        import httpx
        from chromadb.errors import ChromaError

        try:
            yield
        except (ChromaError, httpx.HTTPError) as error:
            self._forget()
            self._on_fault()
            said = str(error) or type(error).__name__
            raise Transient(f"the index of findings does not answer ({said})") from error

    def _add(self, found: Collections, finding: Finding) -> None:
        self._remove(found, finding.id, unless=_place(finding))
        if finding.status in STATUSES:
            self._upsert(found, [finding])

    def _upsert(self, found: Collections, findings: list[Finding]) -> None:
        """Add findings of one study and one status."""
        status, study_id = _place(findings[0])
        named: dict[str, Any] = {
            "ids": [finding.id for finding in findings],
            "embeddings": found.embed([finding.text for finding in findings]),
            "metadatas": [{"study": study_id} for _ in findings],
        }
        # The collection of all is first: it is where a removal learns the study.
        found.everything(status).upsert(**named)
        found.of_study(study_id, status).upsert(**named)

    def _remove(self, found: Collections, finding_id: str, unless: tuple[str, str] | None = None) -> None:
        for status in STATUSES:
            everything = found.everything(status)
            metadatas = everything.get(ids=[finding_id], include=["metadatas"])["metadatas"]
            if not metadatas or (status, metadatas[0]["study"]) == unless:
                continue
            study = found.existing(str(metadatas[0]["study"]), status)
            if study is not None:
                study.delete(ids=[finding_id])
            everything.delete(ids=[finding_id])

    def _search(
        self,
        found: Collections,
        query: str,
        study_ids: list[str] | None,
        limit: int,
        status: str,
        among: list[str] | None,
    ) -> list[FoundFinding]:
        vector = self._vector(found, query)
        if among is not None:
            place = found.everything(status)
            # The server refuses a search that names an id it does not have yet.
            held = place.get(ids=among, include=[])["ids"]
            hits = _nearest(place, vector, limit, ids=held) if held else []
        elif study_ids is None:
            hits = _nearest(found.everything(status), vector, limit)
        else:
            hits = self._within(found, vector, list(dict.fromkeys(study_ids)), limit, status)
        best = max((hit.score for hit in hits), default=0.0)
        if best < self._embedder.unrelated_below:
            # A short question in the other language is far from everything; its terms need not be.
            reading = question_in_english(query)
            return self._search(found, reading, study_ids, limit, status, among) if reading != query else []
        return sorted(hits, key=lambda hit: (-hit.score, hit.finding_id))[:limit]

    def _vector(self, found: Collections, query: str) -> Any:
        with self._lock:
            known = self._questions.get(query)
        if known is None:
            known = found.embed([query])
            with self._lock:
                self._questions[query] = known
                while len(self._questions) > KEPT_QUESTIONS:
                    self._questions.pop(next(iter(self._questions)))
        return known

    def _within(
        self, found: Collections, vector: Any, study_ids: list[str], limit: int, status: str
    ) -> list[FoundFinding]:
        """Return the nearest of several studies: from one search of all when enough of them are near, else from
        each, so that what other studies hold can crowd nothing out."""
        if len(study_ids) > 1 and limit <= WIDE:
            near = _nearest(found.everything(status), vector, WIDE, studies=frozenset(study_ids))
            if len(near) >= limit:
                return near
        if len(study_ids) > NARROW:
            return _nearest(found.everything(status), vector, limit, {"study": {"$in": study_ids}})
        places = [found.existing(study_id, status) for study_id in study_ids]
        return [hit for place in places if place is not None for hit in _nearest(place, vector, limit)]

    def _ids(self, found: Collections) -> set[str]:
        ids: set[str] = set()
        for status in STATUSES:
            everything = found.everything(status)
            for offset in range(0, everything.count(), PAGE):
                ids.update(everything.get(include=[], limit=PAGE, offset=offset)["ids"])
        return ids

    def _rebuild(self, found: Collections, findings: list[Finding], progress: Progress | None) -> int:
        found.drop_all()
        done = 0
        for _, group in groupby(findings, key=_place):
            members = list(group)
            for start in range(0, len(members), BATCH):
                batch = members[start : start + BATCH]
                self._upsert(found, batch)
                done += len(batch)
                if progress is not None:
                    progress(done, len(findings))
        return done

    def _problem(self, found: Collections) -> str:
        for status in STATUSES:
            everything = found.everything(status)
            asked = min(everything.count(), PROBE)
            if asked and len(_nearest(everything, found.embed(["health"]), asked)) < TOLERANCE * asked:
                self._on_fault()
                return "Long-term memory has lost a part of its vectors and must be rebuilt."
        return ""


def _place(finding: Finding) -> tuple[str, str]:
    return finding.status, finding.study_id


def _nearest(
    place: "Collection",
    vector: Any,
    limit: int,
    where: dict[str, Any] | None = None,
    *,
    studies: frozenset[str] | None = None,
    ids: list[str] | None = None,
) -> list[FoundFinding]:
    """Return the nearest in ``place``, of them only those of ``studies`` when given. ``where`` filters while
    searching, ``studies`` afterwards, which is faster and may leave fewer. ``ids`` are all that is compared."""
    include: Any = ["distances"] if studies is None else ["distances", "metadatas"]
    answer = place.query(query_embeddings=vector, n_results=limit, where=where, include=include, ids=ids)
    distances = (answer["distances"] or [[]])[0]
    owners = [data["study"] for data in (answer["metadatas"] or [[]])[0]] if studies is not None else []
    return [
        FoundFinding(finding_id=finding_id, score=round(min(1.0, max(0.0, 1.0 - distance)), 6))
        for place_of, (finding_id, distance) in enumerate(zip(answer["ids"][0], distances, strict=True))
        if studies is None or owners[place_of] in studies
    ]
