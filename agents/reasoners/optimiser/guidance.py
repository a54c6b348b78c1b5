"""What a person's sentence asks of the next experiment, when it plainly names a factor or a level."""

import re
from dataclasses import dataclass

from agents.core.constraints import describe, holds
from agents.core.science import Bound, Conditions, Level, Operator, Parameter, Space

_AVOID = re.compile(
    r"\b(avoid|not|no|never|without|exclude|except|stop using|skip|drop|don't|do not|instead of|rather than)\b"
    r"|避免|不要|不用|别用|排除|禁止",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[.](?=\s|$)|[;!?。；！？\n]|,(?=\s)|，|\bbut\b|(?<!\d)\s+and\b|但|而|(?=\binstead of\b|\brather than\b)",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(use|try|with|only|keep|fix|set|choose|prefer)\b|用|试", re.IGNORECASE)
_ORDINARY = frozenset({"no", "yes", "on", "off", "none", "low", "high", "medium", "other", "air", "water"})
_NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_COMPARISONS: tuple[tuple[str, Operator], ...] = (
    (r"(?:at most|no more than|not above|not over|up to|maximum of|max|<=|≤|不超过|最多)", "<="),
    (r"(?:at least|no less than|not below|minimum of|min|>=|≥|不低于|至少)", ">="),
    (r"(?:below|under|less than|lower than|<|低于|小于)", "<"),
    (r"(?:above|over|more than|higher than|greater than|>|高于|大于)", ">"),
    (r"(?:=|:|is|at|to|of|为|用)?", "=="),
)


@dataclass(frozen=True)
class Wish:
    """What one sentence asks. Conditions satisfy it when they satisfy all of ``bounds``.

    Several wanted levels of one factor are alternatives, in ``wanted``.
    """

    text: str
    wanted: dict[str, list[Level]]
    bounds: list[Bound]

    @property
    def is_understood(self) -> bool:
        """True when the sentence names at least one factor with a level or a number."""
        return bool(self.wanted or self.bounds)

    @property
    def reading(self) -> str:
        """How the sentence was understood, as a clause."""
        parts = [
            f"{name} is {' or '.join(_plain(level) for level in levels)}"
            for name, levels in self.wanted.items()
        ]
        return "; ".join([*parts, *(describe(bound) for bound in self.bounds)])

    def is_met(self, conditions: Conditions) -> bool:
        """Return True when ``conditions`` do what the sentence asks."""
        alternatives = all(
            any(holds(conditions, Bound(parameter=name, op="==", value=level)) for level in levels)
            for name, levels in self.wanted.items()
        )
        return alternatives and all(holds(conditions, bound) for bound in self.bounds)


def read_guidance(text: str, space: Space) -> Wish:
    """Return what ``text`` asks of the factors of ``space``; nothing is guessed."""
    wanted: dict[str, list[Level]] = {}
    bounds: list[Bound] = []
    is_avoided = False
    for clause in _CLAUSE.split(text):
        is_avoided = _is_negated(clause) or (is_avoided and not _VERB.search(clause))
        for parameter in space.parameters:
            if parameter.kind != "categorical":
                bounds += _numbers_in(clause, parameter, is_negated=is_avoided)
                continue
            hits = _levels_in(clause, parameter)
            if is_avoided:
                bounds += [Bound(parameter=parameter.name, op="!=", value=level) for level in hits]
            elif hits:
                wanted.setdefault(parameter.name, []).extend(hits)
    return Wish(text=text, wanted=wanted, bounds=bounds)


def _is_negated(clause: str) -> bool:
    """Return True when ``clause`` forbids; ``no more than`` and its like only compare."""
    for words, _ in _COMPARISONS[:-1]:
        clause = re.sub(words, " ", clause, flags=re.IGNORECASE)
    return _AVOID.search(clause) is not None


def _levels_in(clause: str, parameter: Parameter) -> list[Level]:
    """Return the levels that ``clause`` names, longest first so that PPh3 is not read out of PPh3-oxide."""
    rest = clause
    found: list[Level] = []
    is_named = re.search(_names(parameter), clause, re.IGNORECASE) is not None
    for level in sorted((str(level) for level in parameter.levels), key=len, reverse=True):
        pattern = re.compile(rf"(?<![A-Za-z0-9]){_loose(level)}(?![A-Za-z0-9])", re.IGNORECASE)
        is_plain = len(level) > 2 and level.lower() not in _ORDINARY
        if pattern.search(rest) and (is_plain or is_named):
            found.append(level)
            rest = pattern.sub(" ", rest)
    return sorted(found, key=parameter.levels.index)


def _loose(level: str) -> str:
    """Return a pattern that lets people leave out hyphens and spaces."""
    letters = [re.escape(letter) for letter in level if letter not in "- _"]
    return r"[-\s_]?".join(letters)


def _names(parameter: Parameter) -> str:
    """Return a pattern for the name or the label of a factor."""
    names = {parameter.name, parameter.label} - {""}
    return "|".join(_loose(text) for text in sorted(names, key=len, reverse=True))


def _numbers_in(clause: str, parameter: Parameter, *, is_negated: bool) -> list[Bound]:
    name = _names(parameter)
    between = re.search(
        rf"(?:{name})\s*(?:is|in|from|between|:|=)*\s*{_NUMBER}\s*(?:-|–|to|and|到)\s*{_NUMBER}", clause, re.I
    )
    if between and not is_negated:
        low, high = sorted(float(group) for group in between.groups())
        return [
            Bound(parameter=parameter.name, op=">=", value=low),
            Bound(parameter=parameter.name, op="<=", value=high),
        ]
    for words, op in _COMPARISONS:
        match = re.search(
            rf"(?:{name})\s*(?:should be|must be|is|be|the|a|of)*\s*{words}\s*{_NUMBER}", clause, re.I
        )
        if match:
            return [Bound(parameter=parameter.name, op=_turned(op, is_negated), value=float(match[1]))]
    return []


def _turned(op: Operator, is_negated: bool) -> Operator:
    """``avoid temperature above 105`` asks for at most 105."""
    opposite: dict[Operator, Operator] = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}
    return opposite[op] if is_negated else op


def _plain(level: Level) -> str:
    return level if isinstance(level, str) else f"{level:g}"
