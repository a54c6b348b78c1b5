"""One word for one thing: terms of the laboratory that a question in the other language, or in another word, names.

The table is ``data/lab_terms.txt``. It is general on purpose: no name of a study, a paper or a sample stands in it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agents.core.words import words

TABLE = Path(__file__).with_name("data") / "lab_terms.txt"
_CHINESE = re.compile(r"[\u3400-\u9fff]+")

_ASKED_WITH = re.compile(
    "哪一种|哪一个|哪种|哪个|哪些|最好|最佳|最优|最合适|为什么|什么样|什么|如何|怎么样|怎样|怎么|请问|多少|[是的了吗呢]"
)
"""What a Chinese question is asked with, as ``words`` leaves out "which" and "how"."""


@dataclass(frozen=True)
class Terms:
    """What each term means, as words of its English name; those names; the longest term of either kind."""

    chinese: dict[str, tuple[str, ...]]
    english: dict[tuple[str, ...], tuple[str, ...]]
    names: dict[str, str]
    longest_chinese: int
    longest_english: int


@cache
def lab_terms() -> Terms:
    """Return the table. Raises ``ValueError`` naming the line that is no row of it."""
    return parse_terms(TABLE.read_text(encoding="utf-8"))


def parse_terms(text: str) -> Terms:
    """Return the rows ``English | Chinese, … | other English, …`` of ``text``; ``#`` begins a comment."""
    chinese: dict[str, tuple[str, ...]] = {}
    english: dict[tuple[str, ...], tuple[str, ...]] = {}
    names: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, *others = (part.strip() for part in line.split("|"))
        if not name or not 1 <= len(others) <= 2:
            raise ValueError(
                f"line {number} of the terms is no row 'English | Chinese | other English': {line!r}"
            )
        meaning = tuple(words(name))
        for term in _listed(others[0]):
            chinese[term] = chinese.get(term, ()) + meaning
            names.setdefault(term, name)
        for term in _listed(others[1]) if len(others) > 1 else []:
            english[tuple(words(term))] = meaning
    return Terms(
        chinese, english, names, max(map(len, chinese), default=0), max(map(len, english), default=0)
    )


def search_words(text: str) -> list[str]:
    """Return the words of ``text`` and, after them, those of the English names of the terms in it."""
    plain = words(text)
    return plain + _named_in_chinese(text) + _named_otherwise(plain)


def in_english(text: str) -> str:
    """Return ``text`` with each Chinese term of the table replaced by its English name."""
    names = lab_terms().names

    def told(run: re.Match[str]) -> str:
        return "".join(f" {names[piece]} " if piece in names else piece for piece in _pieces(run[0]))

    return _CHINESE.sub(told, text)


def question_in_english(question: str) -> str:
    """Return what a Chinese question asks about, its terms in English and without the words of asking; what no term
    of the table names stays. A question that names no term comes back as it was.
    """
    if in_english(question) == question:
        return question
    return " ".join(in_english(_ASKED_WITH.sub(" ", question)).split())


def _listed(text: str) -> list[str]:
    return [term.strip() for term in text.split(",") if term.strip()]


def _named_in_chinese(text: str) -> list[str]:
    terms = lab_terms()
    runs = _CHINESE.findall(unicodedata.normalize("NFKC", text))
    return [word for run in runs for piece in _pieces(run) for word in terms.chinese.get(piece, ())]


def _pieces(run: str) -> Iterator[str]:
    """Cut Chinese text into the longest terms of the table and single characters."""
    terms = lab_terms()
    at = 0
    while at < len(run):
        sizes = range(min(terms.longest_chinese, len(run) - at), 0, -1)
        size = next((size for size in sizes if run[at : at + size] in terms.chinese), 1)
        yield run[at : at + size]
        at += size


def _named_otherwise(plain: list[str]) -> list[str]:
    terms = lab_terms()
    found: list[str] = []
    for at in range(len(plain)):
        for size in range(min(terms.longest_english, len(plain) - at), 0, -1):
            meaning = terms.english.get(tuple(plain[at : at + size]))
            if meaning:
                found += meaning
                break
    return found
