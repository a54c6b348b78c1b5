"""``search_documents``: the passages of the study's documents that answer a question."""

from typing import Annotated

from pydantic import BaseModel, Field

from agents.core.ports import PassageStore
from agents.core.tools import EffectClass
from agents.tools.registry import tool, tool_of
from agents.tools.tool import Tool


class FoundPassage(BaseModel):
    """A quotation with its place."""

    document: str
    page: int
    text: str


class FoundPassages(BaseModel):
    """Quotations, best first."""

    passages: list[FoundPassage]


def document_tool(passages: PassageStore) -> Tool:
    """Return the tool that searches ``passages``."""

    @tool(category="literature", effect=EffectClass.LOCAL, in_process=True)
    async def search_documents(
        query: Annotated[str, Field(min_length=1, max_length=500)],
        limit: Annotated[int, Field(ge=1, le=5)] = 2,
    ) -> FoundPassages:
        """Find passages in the documents of this study; each comes with document and page."""
        found = await passages.search(query, limit=limit)
        return FoundPassages(
            passages=[FoundPassage(document=each.document, page=each.page, text=each.text) for each in found]
        )

    return tool_of(search_documents)
