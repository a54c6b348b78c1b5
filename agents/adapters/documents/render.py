"""A PDF page as a picture, with a quote marked. Used in the child process only."""

import ctypes
import io
from typing import Any

import pypdfium2.raw as pdfium_c
from PIL import Image, ImageDraw

from agents.adapters.documents.pdf import open_pdf
from agents.core.errors import BadInput
from agents.core.quotes import find_quote

SCALE = 1.6
MAX_PIXELS = 6_000_000
_MARK = (255, 214, 10, 90)
_EDGE = (214, 140, 0, 255)


def page_image(data: bytes, *, name: str, page: int, highlight: str = "") -> bytes:
    """Return page ``page`` (from 1) as PNG, the lines of ``highlight`` marked when the page prints it."""
    if b"%PDF-" not in data[:1024]:
        raise BadInput(f"{name} is no PDF, so it has no page pictures. Read its text instead.")
    document = open_pdf(data, name=name)
    if not 1 <= page <= len(document):
        raise BadInput(f"{name} has {len(document)} pages; there is no page {page}.")
    opened = document[page - 1]
    width, height = opened.get_size()
    scale = min(SCALE, (MAX_PIXELS / max(width * height, 1)) ** 0.5)
    image = opened.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    if highlight:
        image = _marked(image, _boxes(opened, highlight), opened)
    out = io.BytesIO()
    image.save(out, format="PNG")
    return out.getvalue()


def _boxes(page: Any, quote: str) -> list[tuple[float, float, float, float]]:
    """Return left, bottom, right, top of each line of the quote in points."""
    textpage = page.get_textpage()
    text = "".join(
        _shown(chr(pdfium_c.FPDFText_GetUnicode(textpage.raw, i))) for i in range(textpage.count_chars())
    )
    span = find_quote(quote, text)
    if span is None:
        return []
    count = textpage.count_rects(span.start, span.end - span.start)
    return [textpage.get_rect(index) for index in range(count)]


def _shown(char: str) -> str:
    """One character for one, so that places in the text are places in pdfium's list."""
    return "\n" if char in "\r\x00" else char


def _marked(image: Image.Image, boxes: list[tuple[float, float, float, float]], page: Any) -> Image.Image:
    layer = Image.new("RGBA", image.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    for left, bottom, right, top in boxes:
        first = _pixel(page, image.size, left, top)
        second = _pixel(page, image.size, right, bottom)
        x0, x1 = sorted((first[0], second[0]))
        y0, y1 = sorted((first[1], second[1]))
        draw.rectangle((x0 - 2, y0 - 2, x1 + 2, y1 + 2), fill=_MARK, outline=_EDGE)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def _pixel(page: Any, size: tuple[int, int], x: float, y: float) -> tuple[int, int]:
    """Return the pixel of a point of the page, its rotation and crop box respected."""
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDF_PageToDevice(page.raw, 0, 0, size[0], size[1], 0, x, y, across, down)
    return across.value, down.value
