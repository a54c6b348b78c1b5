"""HTML to sections and tables. Nothing is loaded and nothing is run; scripts, styles and drawings are dropped."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from agents.adapters.documents.parts import Parts
from agents.adapters.documents.sections import Sections

_DROPPED = "script, style, svg, math > annotation, noscript, template, iframe, object, embed, canvas, nav, form, head"
_BLOCKS = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "aside",
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "blockquote",
        "pre",
        "figure",
        "figcaption",
        "address",
        "hr",
        "br",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "table",
    ]
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_MAX_SPAN = 50


def read_html(text: str, *, media_type: str = "text/html") -> Parts:
    """Return the readable text by section. Hidden elements are left out and a warning says so."""
    tree = LexborHTMLParser(text)
    parts = Parts(media_type)
    for node in tree.css(_DROPPED):
        node.decompose()
    hidden = [node for node in tree.css("[hidden], [style]") if _is_hidden(node)]
    for node in hidden:
        node.decompose()
    if hidden:
        parts.warnings.append(f"{len(hidden)} hidden parts of the page were left out.")
    if tree.body is not None:
        _walk(tree.body, Sections(parts))
    return parts


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


def _walk(body: LexborNode, sections: Sections) -> None:
    """Visit the tree in order without recursion, so that deep nesting cannot exhaust the stack."""
    line: list[str] = []
    node: LexborNode | None = body.child
    while node is not None:
        if node.is_text_node:
            line.append(node.text_content or "")
        tag = node.tag or ""
        if tag in _BLOCKS:
            _flush(line, sections, joined=tag == "br")
        if tag == "table":
            _add_table(node, sections)
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            sections.heading(_text(node), is_chapter=tag in ("h1", "h2"))
        elif node.child is not None:
            node = node.child
            continue
        node = _after(node, body, line, sections)
    _flush(line, sections)
    sections.close()


def _after(node: LexborNode, body: LexborNode, line: list[str], sections: Sections) -> LexborNode | None:
    """Return what follows ``node``; closing a block ends its line."""
    current: LexborNode | None = node
    while current is not None and current.mem_id != body.mem_id:
        if (current.tag or "") in _BLOCKS and current.tag != "br":
            _flush(line, sections)
        if current.next is not None:
            return current.next
        current = current.parent
    return None


def _flush(line: list[str], sections: Sections, *, joined: bool = False) -> None:
    if joined:
        line.append("\n")
        return
    text = "".join(line)
    line.clear()
    sections.paragraph(text)


def _text(node: LexborNode) -> str:
    return " ".join((node.text(separator="") or "").split())


def _add_table(table: LexborNode, sections: Sections) -> None:
    caption = table.css_first("caption")
    text = _text(caption) if caption is not None else ""
    if text:
        sections.paragraph(text)
    sections.table(_rows(table), caption=text)


def _rows(table: LexborNode) -> list[list[str]]:
    """Return the cells with row and column spans filled in."""
    grid: list[list[str]] = []
    waiting: dict[tuple[int, int], str] = {}
    for number, row in enumerate(table.css("tr")):
        cells: list[str] = []
        for node in row.iter():
            if node.tag not in ("td", "th"):
                continue
            while (number, len(cells)) in waiting:
                cells.append(waiting.pop((number, len(cells))))
            text = _text(node)
            wide, high = _span(node, "colspan"), _span(node, "rowspan")
            for down in range(1, high):
                waiting.update({(number + down, len(cells) + side): text for side in range(wide)})
            cells += [text] * wide
        while (number, len(cells)) in waiting:
            cells.append(waiting.pop((number, len(cells))))
        grid.append(cells)
    return grid


def _span(node: LexborNode, name: str) -> int:
    value = node.attributes.get(name) or "1"
    return min(max(int(value), 1), _MAX_SPAN) if value.isdigit() and len(value) < 6 else 1
