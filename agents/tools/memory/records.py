"""``recall_record``: what a run once saw, in full, by its reference or by words."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.records import Record
from agents.core.tools import EffectClass
from agents.tools.context import run_id
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool

RecordLookup = Callable[[str, str, int], Awaitable[list[Record]]]
"""``lookup(run_id, what, limit)``: the records that ``what`` asks for, best first."""
MOST = 3
"""Records that words bring."""
LONGEST = 4000
"""Characters of one record that are handed out; the rest is asked for with words."""


class RecalledRecord(BaseModel):
    """A record with its place."""

    reference: str
    text: str
    place: str


class RecalledRecords(BaseModel):
    """Records, best first. ``note`` says what to do when there is none."""

    records: list[RecalledRecord]
    note: str = ""


def record_tool(lookup: RecordLookup) -> Tool:
    """Return the tool that asks ``lookup`` for the run in which it is called."""

    @tool(category="memory", effect=EffectClass.LOCAL, in_process=True)
    async def recall_record(
        what: Annotated[str, Field(min_length=1, max_length=500)],
    ) -> RecalledRecords:
        """Return what is kept in full, with its place: R7 (round), F3, D12, C2, or by words.

        A reference may be followed by words: then the lines that fit them come.
        """
        found = await lookup(run_id(), what, MOST)
        if not found:
            return RecalledRecords(
                records=[],
                note=f"No record fits {what[:80]!r}. Name a round (R7), finding (F3), item (D12) or limit (C2).",
            )
        return RecalledRecords(records=[_told(record) for record in found[:MOST]])

    return tool_of(recall_record)


def _told(record: Record) -> RecalledRecord:
    text = record.text
    if len(text) > LONGEST:
        at = text.rfind("\n", 0, LONGEST)
        text = f"{text[: at if at > 0 else LONGEST]}\n[more: ask for {record.reference} with words]"
    return RecalledRecord(reference=record.reference, text=text, place=record.place)
