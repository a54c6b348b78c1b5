"""Fits with uncertainties: straight lines, polynomials and the usual curves."""

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool

if TYPE_CHECKING:
    from agents.tools.numerics.curves import Curve

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
    parallel_safe=True,
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
    parallel_safe=True,
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
    parallel_safe=True,
    examples=[{"x": [0.5, 1.0, 2.0, 4.0], "y": [0.33, 0.5, 0.66, 0.8], "model": "michaelis_menten"}],
)
def fit_curve(x: Numbers, y: Numbers, model: CurveName) -> Fit:
    """Fit a named curve by least squares, with standard errors and 95 % intervals. Arrhenius: x in K."""
    import numpy as np

    from agents.tools.numerics.curves import CURVES

    curve = CURVES[model]
    xs, ys = _paired(x, y, at_least=len(curve.names))
    with np.errstate(all="ignore"):
        try:
            best, covariance = _least_squares(curve, xs, ys)
        except (RuntimeError, ValueError, FloatingPointError) as error:
            raise BadInput(f"{model} does not fit these data: {error}") from error
        predicted = curve.function(xs, *best)
    return _fit(curve.equation, list(curve.names), best, covariance, ys, predicted)


def _least_squares(curve: "Curve", xs: Any, ys: Any) -> tuple[Any, Any]:
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
