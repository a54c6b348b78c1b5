"""The whole history of a run from its rows: what a loop that remembers nothing has to read again at every step."""

from itertools import groupby

from agents.core.history import History, Source
from agents.core.study import StudyProtocol
from agents.models import Passage, Run
from agents.records import all_records
from agents.store.bridge import in_database
from agents.store.lease import Lease


def documents_of(protocol: StudyProtocol) -> list[Source]:
    """Return the study's documents in full, in the order of the study, each page under its number."""
    known = {document.id: document.name for document in protocol.documents}
    rows = Passage.objects.filter(document_id__in=list(known)).order_by("document_id", "index")
    texts: dict[str, str] = {}
    for document_id, passages in groupby(rows, key=lambda row: str(row.document_id)):
        pages = groupby(passages, key=lambda row: row.page)
        texts[document_id] = "\n".join(
            f"[page {page}]\n" + "\n".join(row.text for row in rows_of_page) for page, rows_of_page in pages
        )
    return [Source(name=known[key], text=texts[key]) for key in known if key in texts]


class RunHistory:
    """Implements the ``HistoryStore`` port for the run that ``lease`` covers."""

    def __init__(self, lease: Lease, protocol: StudyProtocol) -> None:
        self._lease = lease
        self._protocol = protocol
        self._documents: list[Source] | None = None

    async def read(self) -> History:
        """Return everything that the run has seen by now."""
        return await in_database(self._read)

    def _read(self) -> History:
        if self._documents is None:
            self._documents = documents_of(self._protocol)
        # What the last step noted is stored first, or it would be missing from the history.
        with self._lease.writing():
            pass
        records = all_records(Run.objects.get(pk=self._lease.run_id))
        return History(
            documents=self._documents, rounds=[f"{record.reference} {record.text}" for record in records]
        )
