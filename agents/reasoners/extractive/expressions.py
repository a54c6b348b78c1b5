"""Printed formulas: read in each way that makes sense, and evaluated with units."""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

MAX_LENGTH = 80

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<symbol>[A-Za-zα-ωΑ-Ω][₀-₉]?)|(?P<mark>[()+\-−*/·×⋅^√²³]))"
)
_CHINESE = re.compile(r"[\u3400-\u9fff]|[A-Za-z]{5,}")


class Unreadable(ValueError):
    """The text is no formula of known symbols."""


def readings_of(printed: str) -> list[str]:
    """Return the formulas that ``printed`` may be, likeliest first; nothing when it is no formula.

    A fraction comes out of a PDF as lines: numerator, then denominator; a raised digit starts a line of its
    own. So a line that begins with a digit behind a letter is first read as a power, then as a factor.
    """
    lines = [line.strip() for line in printed.replace("¯", "").split("\n") if line.strip()]
    if not lines or len(printed) > MAX_LENGTH or _CHINESE.search(printed):
        return []
    raised = _raised(lines)
    return list(dict.fromkeys(text for way in (raised, lines) if (text := _fraction(way))))


def _raised(lines: list[str]) -> list[str]:
    merged = lines[:1]
    for line in lines[1:]:
        match = re.match(r"([23])(?=\D|$)(.*)", line)
        if match and merged[-1][-1:].isalpha():
            merged[-1] = f"{merged[-1]}^{match[1]} {match[2]}"
        else:
            merged.append(line)
    return merged


def _fraction(lines: list[str]) -> str:
    if len(lines) == 1:
        return lines[0]
    return f"({lines[0]})/({lines[1]})" if len(lines) == 2 else ""


def evaluate(formula: str, values: Mapping[str, Any], *, number: Callable[[float], Any]) -> Any:
    """Return the value of ``formula``; products need no sign. ``number`` makes a plain number a quantity.

    Raises ``Unreadable`` for anything that is no formula over the symbols of ``values`` (and π).
    """
    return _Parser(_tokens(formula, values), values, number).whole()


def symbols_in(formula: str, known: Mapping[str, Any]) -> list[str]:
    """Return the symbols of ``formula``, longest known spelling first. Raises ``Unreadable``."""
    return [text for kind, text in _tokens(formula, known) if kind == "symbol" and text != "π"]


def _tokens(formula: str, known: Mapping[str, Any]) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    at = 0
    longest = sorted((name for name in known if len(name) > 1), key=len, reverse=True)
    while at < len(formula.rstrip()):
        start = at + len(formula[at:]) - len(formula[at:].lstrip())
        name = next((name for name in longest if formula.startswith(name, start)), "")
        match = _TOKEN.match(formula, at)
        if name:
            tokens.append(("symbol", name))
            at = start + len(name)
        elif match:
            tokens.append((str(match.lastgroup), match.group().strip()))
            at = match.end()
        else:
            raise Unreadable(f"{formula[at:]!r} is no part of a formula")
    return tokens


class _Parser:
    """Recursive descent over sums, products (with or without a sign) and whole powers."""

    def __init__(
        self, tokens: list[tuple[str, str]], values: Mapping[str, Any], number: Callable[[float], Any]
    ) -> None:
        self.tokens, self.values, self.number, self.at = tokens, values, number, 0

    def whole(self) -> Any:
        value = self.sum()
        if self.at != len(self.tokens):
            raise Unreadable("the formula does not end where it should")
        return value

    def sum(self) -> Any:
        value = self.product()
        while self.mark() in ("+", "-", "−"):
            sign = 1 if self.take() == "+" else -1
            value = value + sign * self.product()
        return value

    def product(self) -> Any:
        value = self.power()
        while self.at < len(self.tokens) and self.mark() not in ("+", "-", "−", ")"):
            if self.mark() == "/":
                self.take()
                value = value / self.power()
            else:
                if self.mark() in ("*", "·", "×", "⋅"):
                    self.take()
                value = value * self.power()
        return value

    def power(self) -> Any:
        value = self.atom()
        if self.mark() in ("²", "³"):
            return value ** (2 if self.take() == "²" else 3)
        if self.mark() == "^":
            self.take()
            kind, text = self.next()
            if kind != "number" or not text.isdigit() or int(text) > 6:
                raise Unreadable("only small whole powers are read")
            return value ** int(text)
        return value

    def atom(self) -> Any:
        kind, text = self.next()
        if kind == "number":
            return self.number(float(text))
        if text == "π":
            return self.number(math.pi)
        if kind == "symbol" and text in self.values:
            return self.values[text]
        if text == "√":
            return self.power() ** 0.5
        if text == "(":
            value = self.sum()
            if self.next()[1] != ")":
                raise Unreadable("a bracket is not closed")
            return value
        raise Unreadable(f"{text!r} has no value")

    def mark(self) -> str:
        return (
            self.tokens[self.at][1]
            if self.at < len(self.tokens) and self.tokens[self.at][0] == "mark"
            else ""
        )

    def take(self) -> str:
        return self.next()[1]

    def next(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise Unreadable("the formula ends early")
        self.at += 1
        return self.tokens[self.at - 1]
