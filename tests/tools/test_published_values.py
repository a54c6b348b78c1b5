"""The built-in tools against published numbers and certified data sets."""

import math

import pytest

from agents.tools.chemistry.bench_sums import DilutionInput, buffer_ph, dilution
from agents.tools.chemistry.descriptors import calculate_descriptors
from agents.tools.data.statistics import anova
from agents.tools.numerics.fits import Fit, fit_curve, fit_line
from agents.tools.numerics.kinetics import Reaction, Start, simulate_kinetics

CAFFEINE = "Cn1c(=O)c2c(ncn2C)n(C)c1=O"
IBUPROFEN = "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
PARACETAMOL = "CC(=O)Nc1ccc(O)cc1"

NORRIS = """0.1 0.2 338.8 337.4 118.1 118.2 888.0 884.6 9.2 10.1 228.1 226.5 668.5 666.3 998.5 996.3 449.1 448.6
778.9 777.0 559.2 558.2 0.3 0.4 0.1 0.6 778.1 775.5 668.8 666.9 339.3 338.0 448.9 447.5 10.8 11.6 557.7 556.0
228.3 228.1 998.0 995.8 888.8 887.6 119.6 120.2 0.3 0.3 0.6 0.3 557.6 556.8 339.3 339.1 888.0 887.2 998.5 999.0
778.9 779.0 10.2 11.1 117.6 118.3 228.9 229.2 668.4 669.1 449.2 448.9 0.2 0.5"""
"""Calibration of ozone monitors, NIST StRD "Norris": y and x by turns."""

PUROMYCIN = {
    0.02: (76, 47),
    0.06: (97, 107),
    0.11: (123, 139),
    0.22: (159, 152),
    0.56: (191, 201),
    1.10: (207, 200),
}
"""Reaction rates of the treated cells by concentration in ppm (Treloar 1974; R data set ``Puromycin``)."""

MUSSELS = [
    [0.0571, 0.0813, 0.0831, 0.0976, 0.0817, 0.0859, 0.0735, 0.0659, 0.0923, 0.0836],
    [0.0873, 0.0662, 0.0672, 0.0819, 0.0749, 0.0649, 0.0835, 0.0725],
    [0.0974, 0.1352, 0.0817, 0.1016, 0.0968, 0.1064, 0.105],
    [0.1033, 0.0915, 0.0781, 0.0685, 0.0677, 0.0697, 0.0764, 0.0689],
    [0.0703, 0.1026, 0.0956, 0.0973, 0.1039, 0.1045],
]
"""Shells of mussels from five places (McDonald et al. 1991; the example of SciPy's ``f_oneway``)."""


def parameters(fit: Fit) -> dict[str, tuple[float, float | None]]:
    return {each.name: (each.value, each.standard_error) for each in fit.parameters}


@pytest.mark.parametrize(
    ("smiles", "mass", "log_p", "tpsa", "formula"),
    [
        (CAFFEINE, 194.19, -1.03, 61.82, "C8H10N4O2"),
        (IBUPROFEN, 206.28, 3.07, 37.3, "C13H18O2"),
        (PARACETAMOL, 151.16, 1.35, 49.33, "C8H9NO2"),
    ],
)
def test_known_molecules(smiles: str, mass: float, log_p: float, tpsa: float, formula: str) -> None:
    found = calculate_descriptors(smiles)
    assert (round(found.MolWt, 2), round(found.LogP, 2), round(found.TPSA, 2)) == (mass, log_p, tpsa)
    assert found.Formula == formula


@pytest.mark.parametrize(
    ("pka", "acid", "base", "ph"),
    [(4.76, 0.1, 0.1, 4.76), (4.76, 0.1, 0.2, 5.06), (7.21, 0.2, 0.1, 6.91), (9.25, 0.1, 0.1, 9.25)],
)
def test_acetate_phosphate_and_ammonia_buffers(pka: float, acid: float, base: float, ph: float) -> None:
    assert buffer_ph(pka, acid, base).ph == pytest.approx(ph, abs=0.01)


def test_a_litre_of_a_tenth_molar_acid_from_the_concentrated_one() -> None:
    found = dilution(DilutionInput(stock_concentration=12.1, final_concentration=0.1, final_volume=1000.0))
    assert found.stock_volume == pytest.approx(8.264, abs=0.001)


def test_dinitrogen_pentoxide_is_half_gone_after_its_half_life() -> None:
    rate = 4.87e-3  # 1/s at 338 K: a half-life of 142 s
    steps = [Reaction(equation="N2O5 -> products", rate_constant=rate)]
    start = [Start(species="N2O5", concentration=0.08)]
    courses = simulate_kinetics(steps, start, 3 * math.log(2) / rate, 4).courses
    left = next(course for course in courses if course.species == "N2O5").concentrations
    assert left == pytest.approx([0.08, 0.04, 0.02, 0.01], rel=1e-5)


def test_the_rate_of_a_first_order_decay_is_found_from_its_course() -> None:
    times = [0.0, 100.0, 200.0, 300.0, 400.0, 600.0]
    fit = fit_curve(times, [0.08 * math.exp(-4.87e-3 * t) for t in times], "exponential_decay")
    assert parameters(fit)["rate"][0] == pytest.approx(4.87e-3, rel=1e-4)


def test_michaelis_menten_as_r_fits_it() -> None:
    points = [(x, float(y)) for x, ys in PUROMYCIN.items() for y in ys]
    fit = fit_curve([x for x, _ in points], [y for _, y in points], "michaelis_menten")
    found = parameters(fit)
    assert found["vmax"] == pytest.approx((212.7, 6.947), rel=1e-3)
    assert found["km"] == pytest.approx((0.06412, 0.008281), rel=1e-3)
    assert fit.residual_sd == pytest.approx(10.93, abs=0.01)


def test_a_line_as_nist_certifies_it() -> None:
    numbers = [float(each) for each in NORRIS.split()]
    fit = fit_line(numbers[1::2], numbers[::2])
    intercept, slope = (parameters(fit)[name] for name in ("intercept", "slope"))
    assert len(numbers) == 72
    assert slope == pytest.approx((1.00211681802045, 0.000429796848199937), rel=1e-8)
    assert intercept == pytest.approx((-0.262323073774029, 0.232818234301152), rel=1e-7)
    assert fit.residual_sd == pytest.approx(0.884796396144373, rel=1e-8)
    assert fit.r_squared == pytest.approx(0.999993745883712, rel=1e-10)


def test_analysis_of_variance_as_scipy_documents_it() -> None:
    found = anova(MUSSELS)
    assert (found.f, found.p_value) == pytest.approx((7.121019471642447, 0.0002812242314534544), rel=1e-9)
