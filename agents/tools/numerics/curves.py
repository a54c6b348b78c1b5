"""The curves that data are fitted to. Imported when one is asked for, since it needs numpy."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.core.errors import BadInput

GAS_CONSTANT = 8.314462618
"""J/(mol·K), CODATA 2018."""


@dataclass(frozen=True)
class Curve:
    """A curve: its equation, its parameters' names, the function, and a start from the data."""

    equation: str
    names: tuple[str, ...]
    function: Callable[..., Any]
    start: Callable[[Any, Any], list[float]]


def _middle(xs: Any) -> float:
    return float(np.median(np.abs(xs))) or 1.0


def _arrhenius_start(xs: Any, ys: Any) -> list[float]:
    """Start from the straight line of ln(y) against 1/x."""
    if (ys <= 0).any() or (xs <= 0).any():
        raise BadInput("an Arrhenius fit needs temperatures in K and rate constants above 0")
    slope, intercept = np.polyfit(1 / xs, np.log(ys), 1)
    return [float(intercept), float(-slope * GAS_CONSTANT)]


CURVES: dict[str, Curve] = {
    "exponential_decay": Curve(
        "y = offset + amplitude·exp(−rate·x)",
        ("amplitude", "rate", "offset"),
        lambda x, a, k, c: c + a * np.exp(-k * x),
        lambda xs, ys: [float(ys[0] - ys[-1]) or 1.0, 1 / _middle(xs), float(ys[-1])],
    ),
    "first_order_rise": Curve(
        "y = plateau·(1 − exp(−rate·x))",
        ("plateau", "rate"),
        lambda x, a, k: a * (1 - np.exp(-k * x)),
        lambda xs, ys: [float(ys.max()), 1 / _middle(xs)],
    ),
    "michaelis_menten": Curve(
        "y = vmax·x / (km + x)",
        ("vmax", "km"),
        lambda x, v, k: v * x / (k + x),
        lambda xs, ys: [float(ys.max()) * 1.2, _middle(xs)],
    ),
    "langmuir": Curve(
        "y = capacity·affinity·x / (1 + affinity·x)",
        ("capacity", "affinity"),
        lambda x, q, k: q * k * x / (1 + k * x),
        lambda xs, ys: [float(ys.max()) * 1.2, 1 / _middle(xs)],
    ),
    "hill": Curve(
        "y = top·x^n / (ec50^n + x^n)",
        ("top", "ec50", "n"),
        lambda x, t, e, n: t * np.abs(x) ** n / (np.abs(e) ** n + np.abs(x) ** n),
        lambda xs, ys: [float(ys.max()), _middle(xs), 1.0],
    ),
    "arrhenius": Curve(
        "ln(y) = ln_a − activation_energy / (R·x), activation_energy in J/mol, x in K",
        ("ln_a", "activation_energy"),
        lambda x, ln_a, energy: np.exp(ln_a - energy / (GAS_CONSTANT * x)),
        _arrhenius_start,
    ),
    "power_law": Curve(
        "y = factor·x^exponent",
        ("factor", "exponent"),
        lambda x, a, b: a * np.abs(x) ** b,
        lambda xs, ys: [float(ys.mean()) / _middle(xs), 1.0],
    ),
    "gaussian": Curve(
        "y = height·exp(−(x − centre)² / (2·width²))",
        ("height", "centre", "width"),
        lambda x, h, m, s: h * np.exp(-((x - m) ** 2) / (2 * s**2)),
        lambda xs, ys: [float(ys.max()), float(xs[ys.argmax()]), float(np.ptp(xs)) / 6 or 1.0],
    ),
    "logistic": Curve(
        "y = bottom + (top − bottom) / (1 + exp(−slope·(x − midpoint)))",
        ("bottom", "top", "slope", "midpoint"),
        lambda x, b, t, k, m: b + (t - b) / (1 + np.exp(-k * (x - m))),
        lambda xs, ys: [
            float(ys.min()),
            float(ys.max()),
            4 / (float(np.ptp(xs)) or 1.0),
            float(np.median(xs)),
        ],
    ),
}
"""By name, as ``fits.CurveName`` lists them."""
