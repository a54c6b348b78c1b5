"""Statistics against published and hand-made values."""

import pytest

from agents.core.errors import BadInput
from agents.tools.data.statistics import anova, correlation, describe_values, outliers, regression, t_test

DRUG_A = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
DRUG_B = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
"""Student's sleep data (1908)."""


def test_welch_and_paired_tests_agree_with_the_published_sleep_data() -> None:
    welch = t_test(DRUG_A, DRUG_B)
    assert (round(welch.t, 4), round(welch.degrees_of_freedom, 3)) == (-1.8608, 17.776)
    assert round(welch.p_value, 5) == 0.07939
    paired = t_test(DRUG_A, DRUG_B, True)
    assert (round(paired.t, 4), round(paired.p_value, 6)) == (-4.0621, 0.002833)
    assert (round(paired.mean_difference, 2), round(paired.low, 2), round(paired.high, 2)) == (
        -1.58,
        -2.46,
        -0.7,
    )


def test_analysis_of_variance() -> None:
    found = anova([[6.0, 8, 4, 5, 3, 4], [8.0, 12, 9, 11, 6, 8], [13.0, 9, 11, 8, 7, 12]])
    assert (round(found.f, 2), round(found.p_value, 4)) == (9.26, 0.0024)
    assert found.means == [5.0, 9.0, 10.0]


def test_correlation_of_lines_and_of_ranks() -> None:
    x = [1.0, 2.0, 3.0, 4.0]
    assert correlation(x, [v**3 for v in x], "spearman").coefficient == pytest.approx(1.0)
    assert correlation(x, [-2 * v for v in x]).coefficient == pytest.approx(-1.0)


def test_regression_recovers_its_terms() -> None:
    rows = [[float(a), float(b)] for a in range(4) for b in range(3)]
    found = regression(["a", "b"], rows, [1 + 2 * a - 3 * b for a, b in rows])
    assert [round(term.coefficient, 9) for term in found.terms] == [1.0, 2.0, -3.0]
    assert found.r_squared == pytest.approx(1.0)


def test_an_outlier_is_found_by_both_rules() -> None:
    values = [10.1, 9.8, 10.0, 10.2, 9.9, 14.0]
    assert outliers(values).positions == [5]
    assert outliers(values, "mad").values == [14.0]


def test_one_value_has_no_spread() -> None:
    found = describe_values([5.0])
    assert (found.n, found.mean, found.sd) == (1, 5.0, None)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: t_test([1.0, 1.0], [1.0, 1.0]), "do not vary"),
        (lambda: t_test([1.0, 2.0], [1.0, 2.0, 3.0], True), "received 2 and 3"),
        (lambda: anova([[1.0, 1.0], [2.0, 2.0]]), "within each group are all equal"),
        (lambda: correlation([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]), "no correlation"),
        (lambda: regression(["a"], [[1.0], [1.0], [1.0]], [1.0, 2.0, 3.0]), "too few different rows"),
    ],
)
def test_samples_that_say_nothing_are_refused(call: object, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()  # type: ignore[operator]
