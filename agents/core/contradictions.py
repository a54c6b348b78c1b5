"""Two claims contradict when they state the same quantity under the same condition, beyond tolerance: by rule.

The rule is strict on purpose. It speaks only where a number was stated twice; whatever else two sentences may
disagree about is for the reasoner and for people.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from agents.core.findings import Finding
from agents.core.memory import confidence
from agents.core.quantities import Quantity, find_quantities

TOLERANCE = 0.05
"""Values closer than this share of the larger one agree, where neither states its own uncertainty."""
SHARED = 8
"""Words by which the store is searched for claims to compare."""
OPEN, SETTLED = "conflict", "settled"
"""Stances of evidence that names another finding: it contradicts this one; it did, and does no more."""

_STATES = re.compile(
    r"(?:\b(?:was|is|are|were|be|gave|gives|give|giving|reached|reaches|reaching|equals|yielded|averaged|averages|measured"
    r"|of)|[=:→]|为|是|达到|达|得到|等于|测得)\s*(?:(?:to|at|about|approximately|roughly|nearly|only|ca\.|around|大约|约|近|了)\s*)*[~≈]?\s*$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:at|with|under|using|for|in|from|after)\s(?:[A-Za-z]+\s){1,4}of\s*$", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_PLAIN = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]+")
_IDLE = frozenset(
    [
        "a",
        "an",
        "the",
        "was",
        "is",
        "are",
        "were",
        "be",
        "been",
        "to",
        "at",
        "about",
        "approximately",
        "roughly",
        "nearly",
        "only",
        "ca",
        "around",
        "of",
        "in",
        "under",
        "with",
        "gave",
        "gives",
        "give",
        "giving",
        "reached",
        "reaches",
        "reaching",
        "equals",
        "yielded",
        "averaged",
        "averages",
        "measured",
        "it",
        "we",
        "and",
        "for",
        "by",
    ]
)
_IDLE_CHINESE = re.compile(r"达到|得到|等于|测得|大约|[的了为是达约近在时下于]")


@dataclass(frozen=True)
class Statement:
    """What a claim states: one quantity, and the condition as the sorted words and numbers around it."""

    quantity: Quantity
    condition: tuple[str, ...]


def statement_of(text: str) -> Statement | None:
    """Return the one quantity that ``text`` states with what it is said of; None when it states none or several."""
    found = find_quantities(text)
    stated = [quantity for quantity in found if _is_stated(text, quantity)]
    if len(stated) != 1:
        return None
    rest, words = list(text), []
    for quantity in found:
        rest[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
        if quantity is not stated[0]:
            words.append(_named(quantity))
    words += _words("".join(rest))
    return Statement(stated[0], tuple(sorted(words)))


def shared_words(statement: Statement) -> list[str]:
    """Return words that every claim under the same condition holds too, as printed but for case, longest first.

    For a search of the store: what lacks one of them need not be compared.
    """
    return _longest(word for word in statement.condition if word.isascii() or _CHINESE.fullmatch(word))


def words_of_claim(text: str) -> list[str]:
    """Return words that every text holds that says the same as ``text`` but for case and spaces, longest first."""
    return _longest(_PLAIN.findall(text))


def contradicts(left: str, right: str) -> bool:
    """Return True when both texts state the same quantity under the same condition with values that differ by more
    than their stated uncertainties, their last printed digits and ``TOLERANCE`` allow."""
    one, other = statement_of(left), statement_of(right)
    if one is None or other is None or one.condition != other.condition:
        return False
    if one.quantity.unit != other.quantity.unit:
        return False
    return _apart(one.quantity, other.quantity) > _allowed(one.quantity, other.quantity)


def linked(finding: Finding, other: Finding, *, round: int) -> Finding:
    """Return the next version of ``finding`` with ``other`` as open evidence against it."""
    entry = {"round": round, "stance": OPEN, "finding": other.id}
    return _counted(finding, finding.against + 1, [*finding.evidence, entry])


def settled(finding: Finding, other_id: str) -> Finding:
    """Return the next version of ``finding`` once ``other_id`` speaks against it no more: it counts no longer."""
    evidence = [
        {**item, "stance": SETTLED} if _is_open(item) and item["finding"] == other_id else item
        for item in finding.evidence
    ]
    return _counted(finding, finding.against - 1, evidence)


def open_conflicts(finding: Finding) -> list[str]:
    """Return the ids of the findings that contradict ``finding`` and were not settled, in order of their noting."""
    return [str(item["finding"]) for item in finding.evidence if _is_open(item)]


def _is_open(item: dict[str, object]) -> bool:
    return item.get("stance") == OPEN and bool(item.get("finding")) and not item.get("run")


def _counted(finding: Finding, against: int, evidence: list[dict[str, object]]) -> Finding:
    return finding.model_copy(
        update={
            "against": against,
            "confidence": confidence(finding.support, against),
            "evidence": evidence,
            "version": finding.version + 1,
        }
    )


def _longest(words: Iterable[str]) -> list[str]:
    plain = {word for word in words if " " not in word}
    return sorted(plain, key=lambda word: (-len(word), word))[:SHARED]


def _is_stated(text: str, quantity: Quantity) -> bool:
    before = text[: quantity.start]
    return bool(_STATES.search(before)) and not _CONDITION.search(before)


def _named(quantity: Quantity) -> str:
    high = f"..{quantity.high:g}" if quantity.high is not None else ""
    return f"{quantity.value:.12g}{high} {quantity.unit}"


def _words(text: str) -> list[str]:
    found = [part for run in _CHINESE.findall(text) for part in _IDLE_CHINESE.split(run) if part]
    plain = (word.casefold() for word in _TOKEN.findall(_CHINESE.sub(" ", text)))
    return found + [word for word in plain if word not in _IDLE]


def _apart(one: Quantity, other: Quantity) -> float:
    """Return the gap between two values or ranges; 0 where they overlap."""
    low = max(min(_ends(one)), min(_ends(other)))
    high = min(max(_ends(one)), max(_ends(other)))
    return max(0.0, low - high)


def _ends(quantity: Quantity) -> tuple[float, float]:
    return quantity.value, quantity.value if quantity.high is None else quantity.high


def _allowed(one: Quantity, other: Quantity) -> float:
    stated = [quantity.uncertainty for quantity in (one, other) if quantity.uncertainty is not None]
    digits = _last_digit(one) / 2 + _last_digit(other) / 2
    if stated:
        return 2 * math.hypot(*stated) + 1e-9
    largest = max(map(abs, (*_ends(one), *_ends(other))))
    return max(digits, TOLERANCE * largest) * (1 + 1e-9)


def _last_digit(quantity: Quantity) -> float:
    """Return the size of one step of the last printed digit; 0 for a power of ten, where tolerance is all there is."""
    match = re.match(r"[-−–+]?\d+(?:[.,](\d+))?(?![\d.,eE])(?!\s?[×x·])", quantity.text)
    return 10.0 ** -len(match[1] or "") if match else 0.0


__all__ = [
    "OPEN",
    "SETTLED",
    "TOLERANCE",
    "Statement",
    "contradicts",
    "linked",
    "open_conflicts",
    "settled",
    "shared_words",
    "statement_of",
    "words_of_claim",
]
