"""One factor that a document names twice: ``temperatures`` in the abstract, ``soaking temperatures`` in the methods."""

from agents.core.digest import DigestItem
from agents.core.science import Parameter


def once_each(items: list[DigestItem]) -> list[DigestItem]:
    """Return parameter ``items`` in order, without those that another one names more fully with the same range."""
    known = [Parameter.model_validate(item.data) for item in items]
    return [
        item
        for item, parameter in zip(items, known, strict=True)
        if not any(_is_fuller(other, parameter) for other in known)
    ]


def _is_fuller(other: Parameter, parameter: Parameter) -> bool:
    """Return True when ``other`` is the same factor under a longer name: ``soaking temperature`` of ``temperature``."""
    ends = _ends(parameter)
    return (
        other.name.casefold().endswith(f" {parameter.name.casefold()}")
        and other.unit == parameter.unit
        and ends is not None
        and ends == _ends(other)
        and (len(parameter.levels) <= 2 or parameter.levels == other.levels)
    )


def _ends(parameter: Parameter) -> tuple[float, float] | None:
    """Return the lowest and the highest value; None for levels in words."""
    if parameter.low is not None and parameter.high is not None:
        return parameter.low, parameter.high
    numbers = [level for level in parameter.levels if isinstance(level, int | float)]
    return (min(numbers), max(numbers)) if numbers and len(numbers) == len(parameter.levels) else None
