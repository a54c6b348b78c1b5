"""An estimate of how many tokens a text has, for when no tokenizer is at hand."""

import functools
import re

_PIECE = re.compile(
    r"(?P<cjk>[⺀-鿿가-힯豈-﫿＀-￯])"
    r"|(?P<word>[^\W\d_⺀-鿿가-힯豈-﫿＀-￯]+)"
    r"|(?P<number>\d+)"
    r"|(?P<other>[^\w\s]+|_+)"
    r"|(?P<lines>\n+)"
)


REMEMBERED, LONG = 512, 8_000
"""Texts whose estimate a process keeps, and their longest: most of a prompt is the same at every step."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has.

    A CJK character counts 1, three digits 1, a run of marks one for two, a word one for each eight letters
    (for each four outside ASCII). Against o200k this is within 20 % on prose, logs, JSON and Chinese.
    """
    return _known(text) if len(text) <= LONG else _counted(text)


def _counted(text: str) -> int:
    return sum(_weight(match) for match in _PIECE.finditer(text))


_known = functools.lru_cache(maxsize=REMEMBERED)(_counted)


def _weight(match: re.Match[str]) -> int:
    length = match.end() - match.start()
    kind = match.lastgroup
    if kind == "word":
        return -(-length // (8 if match.group().isascii() else 4))
    if kind == "number":
        return -(-length // 3)
    if kind == "other":
        return -(-length // 2)
    return 1
