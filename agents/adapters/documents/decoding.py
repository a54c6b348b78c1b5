"""Bytes to text: which encoding a file is in, decided once and said aloud."""

import codecs
import re
from dataclasses import dataclass

from agents.core.text import clean_text

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 4096


@dataclass(frozen=True)
class Decoded:
    """Text, the encoding it was read as, and what was changed on the way."""

    text: str
    encoding: str
    warnings: list[str]


def decode(data: bytes) -> Decoded:
    """Return ``data`` as clean text with LF line ends.

    A byte-order mark decides; else UTF-8, UTF-16 without a mark, GB18030 when it reads as Chinese, and
    Windows Latin-1 last, which accepts every byte. Anything but UTF-8 is named in ``warnings``.
    """
    encoding = _encoding_of(data)
    text = data.decode(encoding, errors="replace")
    warnings = []
    if not encoding.startswith("utf-8"):
        warnings.append(f"The text is not UTF-8; it was read as {encoding}.")
    if "\x00" in text:
        warnings.append("NUL characters were removed from the text.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "\f".join(
        clean_text(page) for page in text.split("\f")
    )  # form feeds end pages; cleaning drops them
    return Decoded(text=text, encoding=encoding, warnings=warnings)


def _encoding_of(data: bytes) -> str:
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    wide = _unmarked_utf16(data)
    if wide:
        return wide
    if _reads_as(data, "utf-8"):
        return "utf-8"
    if _is_chinese(data):
        return "gb18030"
    return "cp1252" if _reads_as(data, "cp1252") else "latin-1"


def _reads_as(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(data: bytes) -> str:
    """Return the UTF-16 flavour of text that has a NUL in nearly every other byte, else an empty string."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or len(data) % 2:
        return ""
    half = len(sample) // 2
    if sample[1::2].count(0) > 0.7 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return ""


def _is_chinese(data: bytes) -> bool:
    """GB18030 decodes much Western text too, but there accented letters stand alone between ASCII letters."""
    if not _reads_as(data, "gb18030"):
        return False
    paired = sum(len(run) for run in re.findall(rb"(?:[\xa1-\xfe][\xa1-\xfe])+", data))
    high = sum(byte > 127 for byte in data)
    return paired > 0.8 * high


def holds_binary(data: bytes) -> bool:
    """Return True when ``data`` is no text in any encoding.

    Text has few control characters; UTF-16 has many NULs and is told apart by its mark or its pattern.
    """
    sample = data[:65536]
    if sample.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    nuls = sample.count(0)
    controls = sum(sample.count(bytes([code])) for code in range(1, 32) if code not in (9, 10, 12, 13, 27))
    wide = max(sample[::2].count(0), sample[1::2].count(0)) > 0.6 * (len(sample) // 2)
    return controls > 0.02 * len(sample) or (nuls > max(8, 0.05 * len(sample)) and not wide)
