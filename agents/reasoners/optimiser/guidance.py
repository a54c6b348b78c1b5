"""What a person's sentence asks of the next experiment, when it plainly names a factor or a level."""

from dataclasses import dataclass

from agents.core.constraints import describe, holds
from agents.core.science import Bound, Conditions, Level, Operator, Parameter, Space
from agents.reasoners.optimiser.guidance_words import Word, clauses_of, words_in
from agents.tools.units import UnitMismatch, convert

_OPPOSITE: dict[str, Operator] = {"<": ">=", ">": "<=", "==": "!="}
"""``avoid above 105`` asks for at most 105; a limit such as ``at most`` says what is wanted also behind ``avoid``."""


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
    """Return what ``text`` asks of the factors of ``space``; nothing is guessed.

    A clause with a condition, a question, a remark that asks for nothing, or a number that cannot be a value of the
    factor, is left out.
    """
    readers = [_Clause(space).read(words_in(clause, space)) for clause in clauses_of(text)]
    wanted: dict[str, list[Level]] = {}
    bounds: list[Bound] = []
    for reader in readers:
        for name, levels in reader.wanted.items():
            known = wanted.setdefault(name, [])
            known += [level for level in levels if level not in known]
        bounds += [bound for bound in reader.bounds if bound not in bounds]
    order = [parameter.name for parameter in space.parameters]
    wanted = dict(sorted(wanted.items(), key=lambda item: order.index(item[0])))
    return Wish(text, wanted, sorted(bounds, key=lambda bound: order.index(bound.parameter)))


class _Clause:
    """Reads the words of one clause from left to right."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.wanted: dict[str, list[Level]] = {}
        self.bounds: list[Bound] = []
        self._is_avoided = False
        self._is_sweeping = False
        self._factor: Parameter | None = None
        self._op: Operator = "=="

    def read(self, words: list[Word]) -> "_Clause":
        """Return the reader after all ``words``."""
        for word in words:
            getattr(self, f"_{word.kind}")(word)
        return self

    def _avoid(self, word: Word) -> None:
        self._is_avoided, self._op = True, "=="

    def _want(self, word: Word) -> None:
        self._is_avoided, self._is_sweeping = False, False

    def _all(self, word: Word) -> None:
        self._is_sweeping = True

    def _except(self, word: Word) -> None:
        # "exclude everything except X" wants X; "everything except X" avoids it.
        self._is_avoided, self._is_sweeping = not (self._is_avoided and self._is_sweeping), False

    def _but(self, word: Word) -> None:
        if self._is_sweeping:
            self._except(word)
        else:
            self._want(word)

    def _factor_named(self, word: Word) -> None:
        self._factor = word.parameter

    def _compare(self, word: Word) -> None:
        self._op = word.op or "=="

    def _level(self, word: Word) -> None:
        for parameter in word.parameters:
            level = next(known for known in parameter.levels if known == word.text)
            if self._is_avoided:
                self.bounds.append(Bound(parameter=parameter.name, op="!=", value=level))
            else:
                self.wanted.setdefault(parameter.name, []).append(level)

    def _range(self, word: Word) -> None:
        # What lies outside a range is no bound, so a range that is avoided stays unread.
        if not self._is_avoided:
            low, high = sorted(word.numbers)
            self._bound(">=", low, word.unit)
            self._bound("<=", high, word.unit)
        self._op = "=="

    def _number(self, word: Word) -> None:
        op = word.op or self._op
        self._bound(_OPPOSITE.get(op, op) if self._is_avoided else op, word.numbers[0], word.unit)
        self._op = "=="

    def _bound(self, op: Operator, number: float, unit: str) -> None:
        found = self._value_of(number, unit)
        if found is not None:
            parameter, value = found
            self.bounds.append(Bound(parameter=parameter.name, op=op, value=value))

    def _value_of(self, number: float, unit: str) -> tuple[Parameter, float] | None:
        """Return the factor that a number belongs to and the number in its unit; None when that is not plain."""
        if self._factor is not None:
            value = _in_unit(number, unit, self._factor)
            return None if value is None else (self._factor, value)
        fitting = [
            (parameter, value)
            for parameter in self.space.parameters
            if unit and parameter.kind != "categorical" and parameter.unit
            if (value := _in_unit(number, unit, parameter)) is not None
        ]
        return fitting[0] if len(fitting) == 1 else None


def _in_unit(number: float, unit: str, parameter: Parameter) -> float | None:
    if parameter.kind == "categorical":
        return None
    if not unit:
        return number
    try:
        return convert(number, given=unit, wanted=parameter.unit)
    except UnitMismatch:
        return None


def _plain(level: Level) -> str:
    return level if isinstance(level, str) else f"{level:g}"
