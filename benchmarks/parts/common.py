"""What every benchmark script shares: its options, its report, one seed a process."""

import argparse
import json
import operator
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class Target:
    """A line to reach: the figure called ``figure`` stands in relation ``op`` to ``value``."""

    figure: str
    op: str
    value: float

    @property
    def text(self) -> str:
        """The line as people read it, also its name in the report."""
        return f"{self.figure} {self.op} {self.value:g}"


def parser_for(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark takes: ``--quick`` and ``--json FILE``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="a smaller run, under a minute")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write figures, targets and met as JSON"
    )
    return parser


def report(figures: dict[str, Any], targets: Iterable[Target], *, path: Path | None = None) -> dict[str, Any]:
    """Print figures and targets, write them to ``path`` when given, and return the whole report.

    The report is ``{"figures": {name: value}, "targets": {name: [op, value]}, "met": {name: bool}}``, where
    the name of a target is its text. A target whose figure is missing or None is not met.
    """
    lines = list(targets)
    met = {target.text: _is_met(target, figures.get(target.figure)) for target in lines}
    whole = {"figures": figures, "targets": {t.text: [t.op, t.value] for t in lines}, "met": met}
    width = max((len(name) for name in figures), default=0)
    for name, value in figures.items():
        if not isinstance(value, list | dict):
            print(f"{name:<{width}}  {value:g}" if isinstance(value, float) else f"{name:<{width}}  {value}")
    for name, is_met in met.items():
        print(f"{'met' if is_met else 'MISSED':<7} {name}")
    if path is not None:
        path.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return whole


def for_each(work: Callable[[Item], Result], items: Iterable[Item], *, processes: int = 2) -> list[Result]:
    """Return ``work`` of every item in order, on a few processes; ``work`` must be picklable."""
    with ProcessPoolExecutor(max_workers=processes) as pool:
        return list(pool.map(work, items))


def _is_met(target: Target, figure: Any) -> bool:
    return isinstance(figure, int | float) and _OPERATORS[target.op](figure, target.value)
