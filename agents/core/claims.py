"""What an answer to the goal claims: its numbers must be found among the results that it stands on."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from agents.core.quantities import Quantity, find_quantities
from agents.core.science import Objective

_PLAIN_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def unsupported(answer: str, *, objectives: Iterable[Objective], known: Iterable[Any]) -> list[str]:
    """Return the values of objectives that ``answer`` states and no result gives, as they are printed.

    Only numbers in the unit of an objective are looked at. ``known`` holds whatever was seen: numbers, text,
    and lists or objects of both. A number agrees with one that rounds to it at the digits printed.
    """
    units = {objective.unit for objective in objectives if objective.unit}
    stated = [quantity for quantity in find_quantities(answer) if quantity.unit in units]
    if not stated:
        return []
    numbers = list(_numbers(list(known)))
    return list(
        dict.fromkeys(q.text for q in stated if not all(_is_among(v, q, numbers) for v in _values(q)))
    )


def _values(quantity: Quantity) -> list[float]:
    return [quantity.value] if quantity.high is None else [quantity.value, quantity.high]


def _is_among(value: float, printed: Quantity, numbers: list[float]) -> bool:
    decimals = max((len(part) for part in re.findall(r"\.(\d+)", printed.text)), default=0)
    slack = 0.5 * 10.0**-decimals + 1e-9 * abs(value)
    return any(abs(value - number) <= slack for number in numbers)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, str):
        yield from (float(found.replace("−", "-")) for found in _PLAIN_NUMBER.findall(value))
    elif isinstance(value, dict):
        yield from (number for inner in value.values() for number in _numbers(inner))
    elif isinstance(value, list | tuple):
        yield from (number for inner in value for number in _numbers(inner))
