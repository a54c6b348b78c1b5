"""Public indexes: what is read from their answers, and what happens without a network."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from agents.core.errors import NotConfigured, NotFound, Refused, Transient
from agents.tools import network
from agents.tools.literature.public import Paper, arxiv, crossref, pubmed, search_literature
from agents.tools.outside.wire import GuardedTransport

HOSTS = frozenset({"api.crossref.org", "eutils.ncbi.nlm.nih.gov", "export.arxiv.org"})


@pytest.fixture(autouse=True)
def _hosts() -> Iterator[None]:
    network.allow(HOSTS)
    yield
    network.allow(frozenset())


def answering(*bodies: Any, status: int = 200) -> httpx2.MockTransport:
    left = list(bodies)

    def handle(request: httpx2.Request) -> httpx2.Response:
        body = left.pop(0)
        return (
            httpx2.Response(status, text=body)
            if isinstance(body, str)
            else httpx2.Response(status, json=body)
        )

    return httpx2.MockTransport(handle)


async def test_crossref() -> None:
    item = {
        "title": ["Bayesian  reaction optimization"],
        "author": [{"given": "B. J.", "family": "Shields"}],
        "issued": {"date-parts": [[2021, 2]]},
        "DOI": "10.1038/s41586-021-03213-y",
    }
    found = await crossref("optimisation", 1, transport=answering({"message": {"items": [item]}}))
    assert found == [
        Paper(
            title="Bayesian reaction optimization",
            authors=["B. J. Shields"],
            year=2021,
            identifier="10.1038/s41586-021-03213-y",
        )
    ]


async def test_pubmed() -> None:
    about = {"uid": "7", "title": "Aspirin.", "authors": [{"name": "Vane JR"}], "pubdate": "1971 Jun"}
    transport = answering({"esearchresult": {"idlist": ["7"]}}, {"result": {"7": about}})
    assert await pubmed("aspirin", 1, transport=transport) == [
        Paper(title="Aspirin.", authors=["Vane JR"], year=1971, identifier="PMID 7")
    ]


async def test_arxiv() -> None:
    feed = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2604.18805v1</id>
    <published>2026-04-20T00:00:00Z</published><title>Agents
    and evidence</title><author><name>A. Author</name></author></entry></feed>"""
    assert await arxiv("agents", 1, transport=answering(feed)) == [
        Paper(title="Agents and evidence", authors=["A. Author"], year=2026, identifier="2604.18805v1")
    ]


async def test_a_feed_with_entities_is_not_expanded() -> None:
    with pytest.raises(Transient, match="unknown form"):
        await arxiv("x", 1, transport=answering('<!DOCTYPE a [<!ENTITY b "c">]><feed>&b;</feed>'))


async def test_without_a_network_it_says_who_can_allow_it() -> None:
    network.allow(frozenset())
    with pytest.raises(NotConfigured, match=r"tools may not reach api\.crossref\.org .* DAYBOOK_TOOL_HOSTS"):
        await search_literature("aspirin")


@pytest.mark.parametrize(("status", "error"), [(404, NotFound), (500, Transient), (302, Transient)])
async def test_a_bad_status_is_named_and_redirects_are_not_followed(
    status: int, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await crossref("x", 1, transport=answering({}, status=status))


async def test_a_huge_answer_is_cut_off() -> None:
    with pytest.raises(Transient, match="more than 2 MB"):
        await network.get_text("https://api.crossref.org/", transport=answering("x" * 3_000_000))


async def test_an_answer_that_is_no_json_is_named() -> None:
    with pytest.raises(Transient, match="did not answer with JSON"):
        await crossref("x", 1, transport=answering("<html>"))


async def test_a_name_that_leads_to_credentials_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def elsewhere(host: str, port: int) -> list[str]:
        return ["169.254.169.254"]

    monkeypatch.setattr(
        "agents.tools.network._transport", lambda: GuardedTransport(HOSTS, resolver=elsewhere)
    )
    with pytest.raises(Refused, match="credentials"):
        await network.get_text("https://api.crossref.org/")
