"""Fits with uncertainties: straight lines, polynomials and the usual curves."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool

Numbers = Annotated[list[float], Field(min_length=2, max_length=10_000)]


class FittedParameter(BaseModel):
    """A fitted parameter with its standard error and 95 % confidence interval (absent without degrees of
    freedom)."""

    name: str
    value: float
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None


class Fit(BaseModel):
    """A least-squares fit."""

    equation: str
    parameters: list[FittedParameter]
    n: int
    residual_sd: Annotated[float | None, Field(description="Standard deviation of the residuals.")] = None
    r_squared: float | None = None
    warning: str = ""


@dataclass(frozen=True)
class Curve:
    """A curve: its equation, its parameters' names, the function, and a start from the data."""

    equation: str
    names: tuple[str, ...]
    function: Callable[..., Any]
    start: Callable[[Any, Any], list[float]]


CurveName = Literal[
    "exponential_decay",
    "first_order_rise",
    "michaelis_menten",
    "langmuir",
    "hill",
    "arrhenius",
    "power_law",
    "gaussian",
    "logistic",
]


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    examples=[{"x": [0.0, 1.0, 2.0], "y": [1.1, 2.9, 5.2]}],
)
def fit_line(x: Numbers, y: Numbers) -> Fit:
    """Fit y = intercept + slope·x by least squares, with standard errors and 95 % intervals."""
    return _polynomial(x, y, degree=1, names=["intercept", "slope"], equation="y = intercept + slope·x")


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    examples=[{"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.2, 3.9, 9.1], "degree": 2}],
)
def fit_polynomial(x: Numbers, y: Numbers, degree: Annotated[int, Field(ge=1, le=6)] = 2) -> Fit:
    """Fit a polynomial by least squares, with standard errors and 95 % intervals."""
    terms = " + ".join(["c0", "c1·x", *(f"c{power}·x^{power}" for power in range(2, degree + 1))])
    names = [f"c{power}" for power in range(degree + 1)]
    return _polynomial(x, y, degree=degree, names=names, equation=f"y = {terms}")


@tool(
    category="numerics",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    examples=[{"x": [0.5, 1.0, 2.0, 4.0], "y": [0.33, 0.5, 0.66, 0.8], "model": "michaelis_menten"}],
)
def fit_curve(x: Numbers, y: Numbers, model: CurveName) -> Fit:
    """Fit a named curve by least squares, with standard errors and 95 % intervals. Arrhenius: x in K."""
    import numpy as np

    curve = _curves()[model]
    xs, ys = _paired(x, y, at_least=len(curve.names))
    with np.errstate(all="ignore"):
        try:
            best, covariance = _least_squares(curve, xs, ys)
        except (RuntimeError, ValueError, FloatingPointError) as error:
            raise BadInput(f"{model} does not fit these data: {error}") from error
        predicted = curve.function(xs, *best)
    return _fit(curve.equation, list(curve.names), best, covariance, ys, predicted)


def _least_squares(curve: Curve, xs: Any, ys: Any) -> tuple[Any, Any]:
    import warnings

    from scipy.optimize import curve_fit

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best, covariance = curve_fit(curve.function, xs, ys, p0=curve.start(xs, ys), maxfev=5000)
    return best, covariance


def _polynomial(x: list[float], y: list[float], *, degree: int, names: list[str], equation: str) -> Fit:
    import numpy as np

    xs, ys = _paired(x, y, at_least=degree + 1)
    # Columns of equal length keep high powers solvable; the covariance is carried back exactly.
    design = np.vander(xs, degree + 1, increasing=True)
    scale = np.where((norms := np.linalg.norm(design, axis=0)) == 0, 1.0, norms)
    best, _, rank, _ = np.linalg.lstsq(design / scale, ys, rcond=None)
    if rank <= degree:
        raise BadInput(f"a fit of degree {degree} needs at least {degree + 1} different x values")
    best = best / scale
    residuals = ys - design @ best
    free = len(ys) - degree - 1
    inverse = np.linalg.inv((design / scale).T @ (design / scale)) / np.outer(scale, scale)
    covariance = inverse * (residuals @ residuals / free) if free > 0 else np.full_like(inverse, np.nan)
    return _fit(equation, names, best, covariance, ys, design @ best)


def _fit(equation: str, names: list[str], best: Any, covariance: Any, ys: Any, predicted: Any) -> Fit:
    import numpy as np
    from scipy.special import stdtrit

    free = len(ys) - len(names)
    left = float(np.sum((ys - predicted) ** 2))
    total = float(np.sum((ys - ys.mean()) ** 2))
    errors = np.sqrt(np.diag(covariance))
    spread = float(stdtrit(free, 0.975)) if free > 0 else math.nan
    parameters = [
        _parameter(name, value, error, spread) for name, value, error in zip(names, best, errors, strict=True)
    ]
    unsure = any(parameter.standard_error is None for parameter in parameters)
    return Fit(
        equation=equation,
        parameters=parameters,
        n=len(ys),
        residual_sd=math.sqrt(left / free) if free > 0 else None,
        r_squared=1 - left / total if total > 0 else None,
        warning="the data do not determine the uncertainty of every parameter" if unsure else "",
    )


def _parameter(name: str, value: float, error: float, spread: float) -> FittedParameter:
    if not (math.isfinite(error) and math.isfinite(spread)):
        return FittedParameter(name=name, value=float(value))
    half = float(error) * spread
    return FittedParameter(
        name=name,
        value=float(value),
        standard_error=float(error),
        low=float(value) - half,
        high=float(value) + half,
    )


def _paired(x: list[float], y: list[float], *, at_least: int) -> tuple[Any, Any]:
    import numpy as np

    if len(x) != len(y):
        raise BadInput(f"x has {len(x)} values and y has {len(y)}; give as many of one as of the other")
    if len(x) < at_least:
        raise BadInput(f"this fit needs at least {at_least} points, received {len(x)}")
    return np.asarray(x, dtype=float), np.asarray(y, dtype=float)


def _curves() -> dict[str, Curve]:
    import numpy as np

    def span(ys: Any) -> float:
        return float(ys.max() - ys.min()) or 1.0

    def middle(xs: Any) -> float:
        return float(np.median(np.abs(xs))) or 1.0

    return {
        "exponential_decay": Curve(
            "y = offset + amplitude·exp(−rate·x)",
            ("amplitude", "rate", "offset"),
            lambda x, a, k, c: c + a * np.exp(-k * x),
            lambda xs, ys: [float(ys[0] - ys[-1]) or 1.0, 1 / middle(xs), float(ys[-1])],
        ),
        "first_order_rise": Curve(
            "y = plateau·(1 − exp(−rate·x))",
            ("plateau", "rate"),
            lambda x, a, k: a * (1 - np.exp(-k * x)),
            lambda xs, ys: [float(ys.max()), 1 / middle(xs)],
        ),
        "michaelis_menten": Curve(
            "y = vmax·x / (km + x)",
            ("vmax", "km"),
            lambda x, v, k: v * x / (k + x),
            lambda xs, ys: [float(ys.max()) * 1.2, middle(xs)],
        ),
        "langmuir": Curve(
            "y = capacity·affinity·x / (1 + affinity·x)",
            ("capacity", "affinity"),
            lambda x, q, k: q * k * x / (1 + k * x),
            lambda xs, ys: [float(ys.max()) * 1.2, 1 / middle(xs)],
        ),
        "hill": Curve(
            "y = top·x^n / (ec50^n + x^n)",
            ("top", "ec50", "n"),
            lambda x, t, e, n: t * np.abs(x) ** n / (np.abs(e) ** n + np.abs(x) ** n),
            lambda xs, ys: [float(ys.max()), middle(xs), 1.0],
        ),
        "arrhenius": Curve(
            "ln(y) = ln_a − activation_energy / (R·x), activation_energy in J/mol, x in K",
            ("ln_a", "activation_energy"),
            lambda x, ln_a, energy: np.exp(ln_a - energy / (8.314462618 * x)),
            _arrhenius_start,
        ),
        "power_law": Curve(
            "y = factor·x^exponent",
            ("factor", "exponent"),
            lambda x, a, b: a * np.abs(x) ** b,
            lambda xs, ys: [float(ys.mean()) / middle(xs), 1.0],
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


def _arrhenius_start(xs: Any, ys: Any) -> list[float]:
    """Start from the straight line of ln(y) against 1/x."""
    import numpy as np

    if (ys <= 0).any() or (xs <= 0).any():
        raise BadInput("an Arrhenius fit needs temperatures in K and rate constants above 0")
    slope, intercept = np.polyfit(1 / xs, np.log(ys), 1)
    return [float(intercept), float(-slope * 8.314462618)]
