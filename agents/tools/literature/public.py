"""``search_literature``: public indexes of papers, where the installation allows the network."""

from typing import Annotated, Any, Literal
from xml.etree import ElementTree

from pydantic import BaseModel, Field

from agents.core.errors import Transient
from agents.core.text import shorten
from agents.core.tools import EffectClass
from agents.tools import network
from agents.tools.registry import tool

Index = Literal["crossref", "pubmed", "arxiv"]
_ATOM = "{http://www.w3.org/2005/Atom}"


class Paper(BaseModel):
    """A paper as the index lists it."""

    title: str
    authors: list[str]
    year: int | None = None
    identifier: Annotated[str, Field(description="DOI, PubMed or arXiv number.")]


class Papers(BaseModel):
    """Papers, in the order of the index."""

    papers: list[Paper]


@tool(category="literature", effect=EffectClass.LOCAL, in_process=True, timeout_s=25)
async def search_literature(
    query: Annotated[str, Field(min_length=2, max_length=300)],
    index: Index = "crossref",
    limit: Annotated[int, Field(ge=1, le=10)] = 5,
) -> Papers:
    """Search a public index of papers (Crossref, PubMed, arXiv) by words."""
    search = {"crossref": crossref, "pubmed": pubmed, "arxiv": arxiv}[index]
    try:
        return Papers(papers=await search(query, limit))
    except (KeyError, TypeError, IndexError, ElementTree.ParseError) as error:
        raise Transient(f"{index} answered in an unknown form") from error


async def crossref(query: str, limit: int, *, transport: Any = None) -> list[Paper]:
    """Return papers that Crossref finds."""
    fields = "title,author,issued,DOI"
    found = await network.get_json(
        "https://api.crossref.org/works",
        parameters={"query.bibliographic": query, "rows": str(limit), "select": fields},
        transport=transport,
    )
    return [
        Paper(
            title=_title(item["title"][0] if item.get("title") else ""),
            authors=[
                " ".join(filter(None, (a.get("given"), a.get("family")))) for a in item.get("author", [])[:5]
            ],
            year=item["issued"]["date-parts"][0][0],
            identifier=item["DOI"],
        )
        for item in found["message"]["items"]
    ]


async def pubmed(query: str, limit: int, *, transport: Any = None) -> list[Paper]:
    """Return papers that PubMed finds."""
    base = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    about = {"db": "pubmed", "retmode": "json"}
    parameters = {**about, "term": query, "retmax": str(limit)}
    hits = await network.get_json(f"{base}/esearch.fcgi", parameters=parameters, transport=transport)
    numbers = hits["esearchresult"]["idlist"]
    if not numbers:
        return []
    parameters = {**about, "id": ",".join(numbers)}
    found = await network.get_json(f"{base}/esummary.fcgi", parameters=parameters, transport=transport)
    items = [found["result"][number] for number in numbers]
    return [
        Paper(
            title=_title(item["title"]),
            authors=[author["name"] for author in item["authors"][:5]],
            year=int(item["pubdate"][:4]) if item["pubdate"][:4].isdigit() else None,
            identifier=f"PMID {item['uid']}",
        )
        for item in items
    ]


async def arxiv(query: str, limit: int, *, transport: Any = None) -> list[Paper]:
    """Return papers that arXiv finds."""
    text = await network.get_text(
        "https://export.arxiv.org/api/query",
        parameters={"search_query": f"all:{query}", "max_results": str(limit)},
        transport=transport,
    )
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Transient("arxiv answered in an unknown form")
    feed = ElementTree.fromstring(text)  # noqa: S314 (no document type, so nothing to expand)
    return [
        Paper(
            title=_title(_text(entry, "title")),
            authors=[_text(author, "name") for author in entry.findall(f"{_ATOM}author")[:5]],
            year=int(_text(entry, "published")[:4]),
            identifier=_text(entry, "id").rsplit("/abs/", 1)[-1],
        )
        for entry in feed.findall(f"{_ATOM}entry")
    ]


def _text(node: Any, name: str) -> str:
    return str(node.findtext(f"{_ATOM}{name}") or "")


def _title(text: str) -> str:
    return shorten(text, 300)
