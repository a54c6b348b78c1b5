"""Does the page really say that? Quotes matched to text as printed, typesetting aside."""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agents.core.digest import Page
from agents.core.science import Source, Value

_SAME = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛`´′", "'"),
        **dict.fromkeys("“”„‟«»″「」『』", '"'),
        **dict.fromkeys("ºᵒ˚◦∘", "°"),
        **dict.fromkeys("∙•⋅・‧", "·"),
        **dict.fromkeys("⁄∕", "/"),
        **dict.fromkeys("～〜∼˜", "~"),
        **dict.fromkeys("≦⩽", "≤"),
        **dict.fromkeys("≧⩾", "≥"),
        "…": "...",
        "∆": "Δ",
        "µ": "μ",
        "\ufffe": "-",
    }
)
_DROPPED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff^")


class Span(Value):
    """Character offsets in a page's text: ``text[start:end]``."""

    start: int
    end: int


def find_quote(quote: str, page_text: str) -> Span | None:
    """Return where ``page_text`` prints ``quote``, or None.

    Equal are: broken and unbroken words, any white space, ligatures, full and half width, kinds of quotes,
    dashes and degree signs, raised and plain digits. Letters keep their case; a match never starts or ends
    inside a number or a Latin word, so ``5 °C`` is not found in ``25 °C``.
    """
    return next(find_quotes(quote, page_text), None)


def find_quotes(quote: str, page_text: str) -> Iterator[Span]:
    """Yield every place where ``page_text`` prints ``quote``, in order, by the rules of ``find_quote``."""
    wanted, _ = _folded(quote.strip())
    text, places = _folded_page(page_text)
    at = text.find(wanted) if len(wanted) >= 2 else -1
    while at >= 0:
        span = Span(start=places[at], end=places[at + len(wanted) - 1] + 1)
        if _stands_alone(page_text, span):
            yield span
        at = text.find(wanted, at + 1)


def locate_quote(quote: str, pages: Sequence[Page], *, page: int | None = None) -> tuple[int, Span] | None:
    """Return page number and place of ``quote``: on ``page`` if it is there, else on the first page that has it."""
    for candidate in sorted(pages, key=lambda known: known.number != page):
        span = find_quote(quote, candidate.text)
        if span is not None:
            return candidate.number, span
    return None


def verified_source(source: Source, pages: Sequence[Page]) -> Source:
    """Return ``source`` with ``verified`` decided by the text, and its page put right when the quote is elsewhere."""
    found = locate_quote(source.quote, pages, page=source.page)
    if found is None:
        return source.model_copy(update={"verified": False})
    return source.model_copy(update={"verified": True, "page": found[0]})


def same_text(text: str) -> str:
    """Return the spelling by which two printed texts are compared."""
    return _folded(text)[0]


@lru_cache(maxsize=64)
def _folded_page(text: str) -> tuple[str, tuple[int, ...]]:
    return _folded(text)


def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the compared spelling and, for each of its characters, the place it came from."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for plain in unicodedata.normalize("NFKC", char.translate(_SAME)).translate(_SAME):
            if plain not in _DROPPED and not unicodedata.combining(plain):
                chars.append(" " if plain.isspace() else plain)
                places.append(place)
    kept = [index for index in range(len(chars)) if _counts(chars, index)]
    return "".join(chars[index] for index in kept), tuple(places[index] for index in kept)


def _counts(chars: list[str], index: int) -> bool:
    """White space counts between digits only, a hyphen unless it stands between letters."""
    char = chars[index]
    if char not in " -":
        return True
    before, after = _neighbour(chars, index, -1), _neighbour(chars, index, 1)
    if char == "-":
        return not (before.isalpha() and after.isalpha())
    if chars[index - 1] == " ":
        return False
    return (before.isdigit() or before in ".,") and after.isdigit()


def _neighbour(chars: list[str], index: int, step: int) -> str:
    """Return the nearest character that is no white space, or an empty string at the end of the text."""
    index += step
    while 0 <= index < len(chars) and chars[index] == " ":
        index += step
    return chars[index] if 0 <= index < len(chars) else ""


def _stands_alone(text: str, span: Span) -> bool:
    return not _runs_on_before(text, span.start) and not _runs_on_after(text, span.end)


def _runs_on_before(text: str, start: int) -> bool:
    first, last = text[start], text[start - 1 : start] if start else ""
    if first.isdigit():
        return last.isdigit() or (last in (".", ",") and text[max(0, start - 2) : start - 1].isdigit())
    return _is_latin(first) and _is_latin(last)


def _runs_on_after(text: str, end: int) -> bool:
    last, following = text[end - 1], text[end : end + 1]
    if last.isdigit():
        return following.isdigit() or (following in (".", ",") and text[end + 1 : end + 2].isdigit())
    return _is_latin(last) and _is_latin(following)


def _is_latin(char: str) -> bool:
    return char.isalpha() and ord(char) < 0x250
