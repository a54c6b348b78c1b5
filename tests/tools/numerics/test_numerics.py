"""Fits recover what made the data, with honest uncertainties."""

import math

import pytest

from agents.core.errors import BadInput
from agents.tools.numerics.conversion import convert_units
from agents.tools.numerics.fits import Fit, fit_curve, fit_line, fit_polynomial


def values(fit: Fit) -> dict[str, float]:
    return {parameter.name: parameter.value for parameter in fit.parameters}


def test_a_line_has_the_textbook_errors() -> None:
    # Anscombe's first set: slope 0.500 ± 0.118, intercept 3.00 ± 1.12, R² 0.667.
    x = [10.0, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    fit = fit_line(x, y)
    intercept, slope = fit.parameters
    assert (round(slope.value, 3), round(slope.standard_error or 0, 3)) == (0.5, 0.118)
    assert (round(intercept.value, 2), round(intercept.standard_error or 0, 2)) == (3.0, 1.12)
    assert (round(fit.r_squared or 0, 3), fit.n) == (0.667, 11)
    assert slope.low == pytest.approx(0.2333, abs=1e-3)


def test_two_points_make_a_line_without_uncertainty() -> None:
    fit = fit_line([0.0, 1.0], [1.0, 3.0])
    assert values(fit) == pytest.approx({"intercept": 1.0, "slope": 2.0})
    assert fit.parameters[0].standard_error is None
    assert fit.warning == "the data do not determine the uncertainty of every parameter"


def test_a_polynomial_is_recovered() -> None:
    x = [float(i) for i in range(8)]
    fit = fit_polynomial(x, [2 - 3 * v + 0.5 * v**2 for v in x], 2)
    assert values(fit) == pytest.approx({"c0": 2.0, "c1": -3.0, "c2": 0.5}, abs=1e-9)


@pytest.mark.parametrize(
    ("model", "made", "x"),
    [
        ("exponential_decay", {"amplitude": 5.0, "rate": 0.3, "offset": 1.0}, range(12)),
        ("first_order_rise", {"plateau": 90.0, "rate": 0.2}, range(1, 20)),
        ("michaelis_menten", {"vmax": 12.0, "km": 3.0}, range(1, 20)),
        ("langmuir", {"capacity": 40.0, "affinity": 0.5}, range(1, 20)),
        ("gaussian", {"height": 4.0, "centre": 9.0, "width": 2.0}, range(20)),
        ("logistic", {"bottom": 1.0, "top": 9.0, "slope": 0.8, "midpoint": 10.0}, range(20)),
    ],
)
def test_a_curve_is_recovered(model: str, made: dict[str, float], x: range) -> None:
    from agents.tools.numerics.curves import CURVES

    curve = CURVES[model]
    xs = [float(v) for v in x]
    ys = [float(curve.function(v, *(made[name] for name in curve.names))) for v in xs]
    fit = fit_curve(xs, ys, model)  # type: ignore[arg-type]
    assert values(fit) == pytest.approx(made, rel=1e-4)


def test_an_activation_energy_is_found_from_rate_constants() -> None:
    temperatures = [300.0, 310.0, 320.0, 330.0]
    rates = [1e9 * math.exp(-60_000 / (8.314462618 * t)) for t in temperatures]
    assert values(fit_curve(temperatures, rates, "arrhenius"))["activation_energy"] == pytest.approx(
        60_000, rel=1e-3
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_line([1.0, 2.0], [1.0]), "x has 2 values and y has 1"),
        (lambda: fit_line([1.0, 1.0], [1.0, 2.0]), "needs at least 2 different x values"),
        (lambda: fit_polynomial([1.0, 2.0], [1.0, 2.0], 3), "needs at least 4 points"),
        (lambda: fit_curve([1.0, 2.0, 3.0], [-1.0, 1.0, 2.0], "arrhenius"), "rate constants above 0"),
    ],
)
def test_data_that_cannot_be_fitted_are_named(call: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()  # type: ignore[operator]


def test_units_are_converted_and_dimensions_checked() -> None:
    assert convert_units(25.0, "°C", "K").value == 298.15
    assert convert_units(5.0, "K", "°C", True).value == 5.0
    with pytest.raises(BadInput, match="mL cannot be converted to g"):
        convert_units(1.0, "mL", "g")
