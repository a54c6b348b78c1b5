"""DOCX to sections and tables. Macros, embedded objects and links to the outside are ignored."""

import io
from typing import Any

from docx import Document
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn

from agents.adapters.documents.parts import Parts
from agents.adapters.documents.sections import Sections
from agents.core.errors import BadInput

_TEXT, _TAB, _BREAKS = qn("w:t"), qn("w:tab"), (qn("w:br"), qn("w:cr"))
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_SKIPPED = (
    qn("w:del"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    qn("w:instrText"),
)


def read_docx(data: bytes, *, name: str) -> Parts:
    """Return the text by chapter, tables in their place, tracked deletions left out.

    Raises ``BadInput`` when the file is no Word document inside.
    """
    try:
        document = Document(io.BytesIO(data))
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError) as error:
        raise BadInput(
            f"{name} is damaged: it cannot be opened as a Word document. Save it again as DOCX."
        ) from error
    parts = Parts("application/vnd.openxmlformats-officedocument.wordprocessingml.document")
    sections = Sections(parts)
    for element in document.element.body:
        if element.tag == qn("w:p"):
            _paragraph(element, sections)
        elif element.tag == qn("w:tbl"):
            sections.table(_rows(element))
        elif element.tag == qn("w:sdt"):
            for paragraph in element.iter(qn("w:p")):
                _paragraph(paragraph, sections)
    return sections.close()


def _paragraph(element: Any, sections: Sections) -> None:
    text = _text(element)
    style = element.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    name = (style.get(qn("w:val")) or "").casefold() if style is not None else ""
    if name.startswith(("heading", "title", "标题")) or name in ("1", "2", "3"):
        sections.heading(" ".join(text.split()), is_chapter=name[-1:] in ("1", "e", "题"))
    else:
        sections.paragraph(text)


def _text(element: Any) -> str:
    """Return the visible text below ``element`` in order, without recursion."""
    out: list[str] = []
    stack = [element]
    while stack:
        node = stack.pop()
        if node.tag in _SKIPPED:
            continue
        if node.tag in (_TEXT, _MATH):
            out.append(node.text or "")
        elif node.tag == _TAB:
            out.append("\t")
        elif node.tag in _BREAKS:
            out.append("\n")
        stack.extend(reversed(node))
    return "".join(out)


def _rows(table: Any) -> list[list[str]]:
    rows = []
    for row in table.iterchildren(qn("w:tr")):
        cells: list[str] = []
        for cell in row.iterchildren(qn("w:tc")):
            span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
            wide = span.get(qn("w:val"), "1") if span is not None else "1"
            text = " ".join(_text(paragraph).strip() for paragraph in cell.iterchildren(qn("w:p")))
            cells += [text] * (min(int(wide), 50) if wide.isdigit() else 1)
        rows.append(cells)
    return rows
