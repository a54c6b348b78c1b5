"""Where the sentences of a printed page begin and end, in English and Chinese."""

import re
from statistics import median

from agents.core.quotes import Span

_ABBREVIATED = (
    "al fig figs eq eqs ref refs tab no nos vs ca approx resp e.g i.e eg ie cf dr prof inc ltd co st sec ch pp temp conc "
    "est dept univ jr sr mr mrs ms"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_END = re.compile(r"[。！？]+[”’」』）]*|[.!?]+[\"”’)\]]*(?=\s|$)")
_HEADING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s*\|?\s+(?=[A-Z\u4e00-\u9fff])[^.。]{2,90}"
    r"|(?:TABLE|Table|FIGURE|Figure|Fig\.|表|图)\s*\d+\b.{0,160}"
    r"|(?:Abstract|ABSTRACT|Key ?[Ww]ords?|Introduction|Experimental|Methods?|Results?|Discussion|Conclusions?|References"
    r"|Acknowledge?ments?|摘要|关键词|引言|结论|参考文献|致谢)\s*[:：.]?"
    r"|第[一二三四五六七八九十]+[部章节].{0,40}"
    r"|[A-Z][A-Z &/-]{4,60}|#{1,6}\s.*|[-*•·]\s+.*|\d{1,2}(?:[)、．]|\.(?!\d))\s*\S.*|[（(]\d{1,2}[)）].*|\|.*\|?)"
)
_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s.*|\d{1,2}\s*\|\s.*")
_NOT_LAST = re.compile(r"(?:^|[\s.(,\-–])(?<!\d\s)[A-Z]$")
_ALONE = re.compile(r"[A-Z][A-Za-z]+|摘要|关键词|引言|结论|参考文献|致谢")
_CELL = re.compile(r"[<>≤≥~±+\-−–]?\d[\d.,]*|[–—]")
_LABEL = re.compile(r"\d+|(?:Table|TABLE|Figure|FIGURE|Fig)\.?\s*\w+")
_STARTS = re.compile(r"[A-Z0-9\u4e00-\u9fff“\"(（①-⑳]")


def sentences(text: str) -> list[Span]:
    """Return the sentences of ``text`` in order; headings, captions, list items and table rows stand alone.

    Spans carry no white space at their ends and never overlap.
    """
    spans: list[Span] = []
    for start, end in _blocks(text):
        spans += _split_block(text, start, end)
    return spans


def _blocks(text: str) -> list[tuple[int, int]]:
    """Cut the page where a line surely ends a sentence: around blank lines, headings, list items and rows."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text)]
    lengths = [end - start for start, end in lines]
    usual = median([length for length in lengths if length > 20] or lengths or [0])
    blocks: list[tuple[int, int]] = []
    last_end = 0
    for start, end in lines:
        line = text[start:end].strip()
        if not line:
            continue
        follows_blank = text[last_end:start].count("\n") > 1
        if not blocks or follows_blank or _begins_anew(text[blocks[-1][0] : blocks[-1][1]], line, usual):
            blocks.append((start, end))
        else:
            blocks[-1] = (blocks[-1][0], end)
        last_end = end
    return blocks


def _begins_anew(before: str, line: str, usual: float) -> bool:
    previous = before.rsplit("\n", 1)[-1].strip()
    if _is_row(line) or _is_row(previous):
        return True
    if _HEADING.fullmatch(line) and not previous.endswith(("-", ",", "，", "、", " and", " of", " the")):
        return True
    if previous.endswith((".", "。", "!", "?", "！", "？", ":", "：", ";", "；", ",", "-")):
        return False
    if before.strip() != previous or not _STARTS.match(line):
        return False
    return (
        len(previous) < 0.6 * usual
        or bool(_ALONE.fullmatch(previous))
        or (bool(_SECTION.fullmatch(previous)) and line[0].isascii())
    )


def _is_row(line: str) -> bool:
    """A row of a table: from its first number on mostly numbers, four or more, without a sentence's punctuation."""
    words = line.split()
    first = next(
        (index for index, word in enumerate(words) if _CELL.fullmatch(word) and not word.endswith(".")), 0
    )
    numbers = sum(bool(_CELL.fullmatch(word)) for word in words[first:])
    return (
        numbers >= 4 and numbers >= 0.5 * len(words[first:]) and not re.search(r"[,;，；、]\s|[.。]$", line)
    )


def _split_block(text: str, start: int, end: int) -> list[Span]:
    spans: list[Span] = []
    at = start
    for match in _END.finditer(text, start, end):
        if _ends_sentence(text, match, start, end):
            _add(spans, text, at, match.end())
            at = match.end()
    _add(spans, text, at, end)
    return spans


def _add(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start=start, end=end))


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    if match.group()[0] in "。！？":
        return True
    following = text[match.end() : end].lstrip()
    if not following:
        return True
    before = text[max(0, match.start() - 16) : match.start()]
    word = re.search(r"[\w.]+$", before)
    last = word.group().lower() if word else ""
    if match.group()[0] == "." and (last in _ABBREVIATIONS or _NOT_LAST.search(before)):
        return False
    if _LABEL.fullmatch(text[start : match.start()].strip()):
        return False
    return bool(_STARTS.match(following))
