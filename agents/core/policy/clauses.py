"""What a rule may ask of an action's arguments: ``temperature > 80; base in KOAc, CsOPiv``."""

import json
import re
from typing import Any, Literal

from pydantic import Field

from agents.core.constraints import is_number, same_level
from agents.core.errors import BadInput
from agents.core.science import Value

Operator = Literal["<=", "<", ">=", ">", "==", "!=", "in", "not in"]
Scalar = bool | int | float | str

MOST_CLAUSES = 12
_FORM = re.compile(r"^(?P<name>[^\s<>=!\"]+)\s*(?P<op><=|>=|==|!=|<|>|=|\bnot\s+in\b|\bin\b)\s*(?P<rest>.+)$")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[^;\n"]+')
_ITEM = re.compile(r'"(?:[^"\\]|\\.)*"|[^,"]+')
_PLAIN = re.compile(r"[^\s;,\"][^;,\"\n]*")
_WORDS: dict[str, bool] = {"true": True, "false": False}


class Clause(Value):
    """One comparison: ``name`` is an argument, a dotted path for one within another."""

    name: str = Field(min_length=1, max_length=200)
    op: Operator
    values: list[Scalar] = Field(min_length=1, max_length=50)
    """One value; any number of them for ``in`` and ``not in``."""

    def holds(self, arguments: dict[str, Any]) -> bool | None:
        """Return whether it is so; None when it cannot be told: the argument is missing or no such thing."""
        received: Any = arguments
        for part in self.name.split("."):
            if not isinstance(received, dict) or part not in received:
                return None
            received = received[part]
        if self.op in ("<=", "<", ">=", ">"):
            return _ordered(received, self.op, self.values[0])
        if not isinstance(received, bool | int | float | str):
            return None
        found = [_same(received, value) for value in self.values]
        if None in found:
            return None
        return any(found) if self.op in ("==", "in") else not any(found)


def all_hold(clauses: list[Clause], arguments: dict[str, Any]) -> bool | None:
    """Return whether every clause holds: False when one does not, else None when one cannot be told."""
    found = [clause.holds(arguments) for clause in clauses]
    if False in found:
        return False
    return None if None in found else True


def _ordered(received: Any, op: str, wanted: Scalar) -> bool | None:
    if not (is_number(received) and is_number(wanted)):
        return None
    a, b = float(received), float(wanted)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _same(received: Any, wanted: Scalar) -> bool | None:
    if is_number(received) and is_number(wanted):
        return same_level(received, wanted)
    # A text where a number was expected is no answer either way.
    return received == wanted if type(received) is type(wanted) else None


def parse_clauses(text: str) -> list[Clause]:
    """Return the clauses that ``text`` states, separated by ``;`` or new lines; all must hold.

    Raises ``BadInput`` that quotes what was not understood and shows how it is written.
    """
    clauses = [_clause(part) for part in _parts(text)]
    if len(clauses) > MOST_CLAUSES:
        raise BadInput(
            f"A rule has at most {MOST_CLAUSES} conditions on arguments; this one has {len(clauses)}."
        )
    return clauses


def _parts(text: str) -> list[str]:
    """Return ``text`` cut at ``;`` and new lines that stand in no quotation marks."""
    parts, current, end = [], "", 0
    for piece in _PIECE.finditer(text):
        if piece.start() > end and current.strip():
            parts.append(current.strip())
            current = ""
        current, end = current + piece.group(), piece.end()
    return [*parts, current.strip()] if current.strip() else parts


def _clause(part: str) -> Clause:
    found = _FORM.match(part)
    if found is None:
        raise BadInput(
            f"{part[:80]!r} is no condition. Write an argument, a comparison and a value, "
            "for example: temperature > 80; base in KOAc, CsOPiv"
        )
    op = " ".join(found["op"].split())
    op = "==" if op == "=" else op
    values = [_scalar(item.group()) for item in _ITEM.finditer(found["rest"]) if item.group().strip()]
    if op not in ("in", "not in") and len(values) > 1:
        raise BadInput(f"{part[:80]!r} has more than one value: use `in` for a list, or quote the text.")
    if not values:
        raise BadInput(f"{part[:80]!r} has no value.")
    if op in ("<=", "<", ">=", ">") and not is_number(values[0]):
        raise BadInput(f"{part[:80]!r} compares with {values[0]!r}, which is no number.")
    return Clause(name=found["name"], op=op, values=values)


def _scalar(text: str) -> Scalar:
    text = text.strip()
    if text.startswith('"'):
        try:
            return str(json.loads(text))
        except ValueError:
            raise BadInput(f"{text[:80]} is not closed or has an unknown escape.") from None
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        number = float(text)
    except ValueError:
        return text
    if not is_number(number):
        return text
    return int(number) if number.is_integer() and abs(number) < 2**53 and "e" not in text.lower() else number


def spell_clauses(clauses: list[Clause]) -> str:
    """Return ``clauses`` as a person writes them; ``parse_clauses`` reads it back."""
    return "; ".join(f"{c.name} {c.op} {', '.join(_spell(value) for value in c.values)}" for c in clauses)


def _spell(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    is_plain = _PLAIN.fullmatch(value) and value == value.strip() and _scalar(value) == value
    return value if is_plain else json.dumps(value, ensure_ascii=False)
