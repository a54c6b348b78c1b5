"""A document laid out for reading by program: sentences with their page, their section and their readable form."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from agents.core.digest import DigestItem, ItemKind, ParsedDocument
from agents.core.quotes import Span, find_quote
from agents.core.science import Source
from agents.core.sentences import sentences

Role = Literal["", "goal", "method", "result", "limit", "hypothesis", "back"]

_ROLES: tuple[tuple[Role, str], ...] = (
    ("back", r"references|bibliography|literature cited|acknowledge?ments?|conflicts? of interest|funding|author contributions|data availability|参考文献|致谢"),
    ("hypothesis", r"hypothes[ie]s|假设|猜想"),
    ("goal", r"aims?|goals?|objectives?|purpose|目的|目标"),
    ("limit", r"limits?|limitations?|constraints?|safety|限制|约束|注意事项|适用范围"),
    ("method", r"methods?|methodology|experimental|procedures?|materials?|protocol|preparation|measurements?|fabrication|characterization|^实验(?:部分)?$|实验内容|实验步骤|方法|仪器|材料"),
    ("result", r"results?|discussion|conclusions?|summary|findings|data|结果|数据处理|讨论|结论|总结"),
)  # fmt: skip
_HEADING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s*\|?\s*|[#•]+\s*|第[一二三四五六]部分\s*)?(?P<title>[^.。!?！？:：;；]{2,80})"
)
_CJK = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"


@dataclass(frozen=True)
class Sentence:
    """One sentence: where it stands, what it says in one line, and under which kind of heading."""

    page: int
    span: Span
    text: str
    role: Role
    index: int


@dataclass(frozen=True)
class Reading:
    """A document ready for extraction."""

    document: ParsedDocument
    document_id: str
    sentences: list[Sentence]
    words: frozenset[str]

    def page_text(self, page: int) -> str:
        """Return the text of the page called ``page``, empty when there is none."""
        return next((known.text for known in self.document.pages if known.number == page), "")

    def item(
        self,
        kind: ItemKind,
        text: str,
        *,
        page: int,
        quote: str,
        data: dict[str, Any] | None = None,
        note: str = "",
    ) -> DigestItem:
        """Return a digest item whose quote is looked up on its page: only a match is ``verified``."""
        source = Source(
            origin="document",
            document_id=self.document_id,
            document=self.document.name,
            page=page,
            quote=quote,
            verified=find_quote(quote, self.page_text(page)) is not None,
        )
        return DigestItem(kind=kind, text=text, data=data or {}, source=source, note=note)


def read_sentences(document: ParsedDocument, *, document_id: str) -> Reading:
    """Return ``document`` cut into sentences, each with the role of the heading above it."""
    whole = " ".join(page.text for page in document.pages)
    words = frozenset(re.findall(r"[a-z]+(?:-[a-z]+)*", whole.casefold().replace("-\n", "\n")))
    found: list[Sentence] = []
    role: Role = ""
    repeated = _running_lines(document)
    for page in document.pages:
        start, end = _body(page.text, repeated)
        for inner in sentences(page.text[start:end]):
            span = Span(start=inner.start + start, end=inner.end + start)
            raw = page.text[span.start : span.end]
            is_block = page.text[span.end : span.end + 2] == "\n\n"
            role = _role_after(raw, role, is_block=is_block)
            found.append(Sentence(page.number, span, tidy(raw, words), role, len(found)))
    return Reading(document, document_id, found, words)


def _running_lines(document: ParsedDocument) -> frozenset[str]:
    """Return the lines, numbers aside, that stand at the top or bottom of three or more pages."""
    counts: Counter[str] = Counter()
    for page in document.pages:
        lines = [_without_numbers(line) for line in page.text.split("\n") if line.strip()]
        counts.update({line for line in (*lines[:2], *lines[-2:]) if line})
    return frozenset(line for line, times in counts.items() if times >= 3)


def _without_numbers(line: str) -> str:
    return re.sub(r"[\d\s|]+", " ", line).strip()


def _body(text: str, repeated: frozenset[str]) -> tuple[int, int]:
    """Return where the page's own text starts and ends, running heads and page numbers left out."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text)]

    def is_running(line: tuple[int, int]) -> bool:
        plain = _without_numbers(text[line[0] : line[1]])
        return plain in repeated or not plain

    while lines and is_running(lines[0]):
        lines = lines[1:]
    while lines and is_running(lines[-1]):
        lines = lines[:-1]
    return (lines[0][0], lines[-1][1]) if lines else (0, 0)


def _role_after(raw: str, role: Role, *, is_block: bool) -> Role:
    """Return the role that holds from a sentence on: a heading changes it, anything else does not."""
    match = _HEADING.fullmatch(raw.strip().split("\n")[0])
    if match is None or len(match["title"].split()) > 8:
        return role
    title = match["title"].strip()
    if title == title.lower() and title.isascii():
        return role
    for found, words in _ROLES:
        pattern = words if re.search("[\u4e00-\u9fff]", title) else rf"\b(?:{words})\b"
        if re.search(pattern, title, re.IGNORECASE):
            return found
    if role in ("method", "result") and re.match(r"\d{1,2}\.\d", raw.strip()):
        return role  # a subsection that says nothing of its kind belongs to the section
    is_numbered = bool(re.match(r"\d{1,2}\s*\|?\s+\S", raw.strip()))
    return "" if is_numbered or is_block or title.isupper() else role


def tidy(text: str, words: frozenset[str] = frozenset()) -> str:
    """Return ``text`` in one line: broken words joined, Chinese lines joined without a space."""

    def join(match: re.Match[str]) -> str:
        left, right = match[1], match[2]
        keeps = f"{left}-{right}".casefold() in words and f"{left}{right}".casefold() not in words
        return f"{left}-{right}" if keeps else f"{left}{right}"

    text = re.sub(r"\b([A-Za-z]{1,40})-[ \t]*\n\s*([a-z]+)", join, text)
    text = re.sub(r"(?<=[A-Za-z])-\s*\n\s*(?=\d)", "-", text)
    text = re.sub(rf"(?<=[{_CJK}])\s*\n\s*(?=[{_CJK}])", "", text)
    return " ".join(text.split())
