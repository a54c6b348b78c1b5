"""What a run keeps beside its prompt, by reference: rounds, findings, items of the digest, constraints."""

import re
from typing import Literal

from agents.core.digest import Passage
from agents.core.passages import PassageIndex
from agents.core.science import Value

RecordKind = Literal["round", "finding", "document", "constraint"]
KINDS: dict[str, RecordKind] = {"R": "round", "F": "finding", "D": "document", "C": "constraint"}
LINES = 8
"""Lines of a record that a question brings; without a question it comes whole."""
_REFERENCE = re.compile(
    r"^\s*(?:([RFDC])|(?:record of |the )*round|第)?\s*(\d{1,6})\s*(?:轮|回合)?(?![\d.,]*\d)", re.I
)


class Reference(Value):
    """``R7``: the record of round 7. ``about`` are the words that were asked with it."""

    kind: RecordKind
    number: int
    about: str = ""

    @property
    def name(self) -> str:
        """The reference as prompts and pages write it."""
        return f"{next(letter for letter, kind in KINDS.items() if kind == self.kind)}{self.number}"


class Record(Value):
    """A record in full. ``place`` says where it stands: event of the log, or document and page."""

    reference: str
    text: str
    place: str
    round: int | None = None
    event: int | None = None


def reference_in(what: str) -> Reference | None:
    """Return the reference that ``what`` begins with: ``R7``, ``round 7``, ``第7轮``, ``F3``, ``D12 yield``; else None."""
    found = _REFERENCE.match(what)
    if found is None:
        return None
    rest = what[found.end() :].strip(" :,.?;：，。？；")
    is_named = found[0].strip()[0].isalpha() or found[0].strip()[0] == "第"
    if not is_named and rest:
        # "90 °C" asks about a number, not for round 90.
        return None
    return Reference(kind=KINDS[(found[1] or "R").upper()], number=int(found[2]), about=rest)


def about(record: Record, words: str) -> Record:
    """Return ``record`` with the lines that fit ``words`` best, in their order; whole when none does.

    Its first line always stays: it says what was done.
    """
    lines = record.text.splitlines()
    chosen = {0, *best_places(lines, words, LINES)} if words else set()
    if len(chosen) < 2:
        return record
    left = len(lines) - len(chosen)
    kept = [lines[place] for place in sorted(chosen)]
    note = [f"[{left} more lines in {record.reference}]"] if left else []
    return record.model_copy(update={"text": "\n".join([*kept, *note])})


def best_places(texts: list[str], words: str, limit: int) -> list[int]:
    """Return the places of the texts that share a word with ``words``, best first."""
    passages = [
        Passage(document_id="", document="", index=place, page=1, start=0, end=len(text), text=text)
        for place, text in enumerate(texts)
    ]
    return [hit.index for hit in PassageIndex(passages).search(words, limit)]
