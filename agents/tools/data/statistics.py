"""Tests of samples: differences of means, correlation, regression, outliers. scipy does the work."""

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from agents.core.errors import BadInput
from agents.core.tools import EffectClass
from agents.tools.registry import tool

Sample = Annotated[list[float], Field(min_length=2, max_length=10_000)]
Probability = Annotated[float, Field(ge=0, le=1, description="Chance of such data without an effect.")]


class TTest(BaseModel):
    """Welch's or a paired t-test, two-sided."""

    mean_difference: Annotated[float, Field(description="First minus second.")]
    low: Annotated[float, Field(description="Lower end of the 95 % interval.")]
    high: Annotated[float, Field(description="Upper end of the 95 % interval.")]
    t: float
    degrees_of_freedom: float
    p_value: Probability


class Anova(BaseModel):
    """One-way analysis of variance."""

    f: float
    p_value: Probability
    eta_squared: Annotated[float, Field(ge=0, le=1, description="Share of the variance between the groups.")]
    means: list[float]


class Correlation(BaseModel):
    """A correlation coefficient."""

    coefficient: Annotated[float, Field(ge=-1, le=1)]
    p_value: Probability
    n: int


class Term(BaseModel):
    """One term of a regression."""

    name: str
    coefficient: float
    standard_error: float
    p_value: Probability


class Regression(BaseModel):
    """A linear regression."""

    terms: list[Term]
    r_squared: float
    residual_sd: float
    n: int


class Outliers(BaseModel):
    """Values far from the rest, by position (from 0)."""

    positions: list[int]
    values: list[float]
    low: Annotated[float, Field(description="Values below are outliers.")]
    high: Annotated[float, Field(description="Values above are outliers.")]


class Summary(BaseModel):
    """A sample in numbers."""

    n: int
    mean: float
    sd: float | None = None
    standard_error: float | None = None
    minimum: float
    lower_quartile: float
    median: float
    upper_quartile: float
    maximum: float


@tool(
    category="data",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"values": [71.2, 69.8, 74.1]}],
)
def describe_values(
    values: Annotated[list[float], Field(min_length=1, max_length=10_000)],
) -> Summary:
    """Describe a sample: mean, standard deviation, quartiles, range."""
    import numpy as np

    sample = np.asarray(values, dtype=float)
    low, middle, high = np.quantile(sample, [0.25, 0.5, 0.75])
    sd = float(sample.std(ddof=1)) if len(sample) > 1 else None
    return Summary(
        n=len(sample),
        mean=float(sample.mean()),
        sd=sd,
        standard_error=None if sd is None else sd / math.sqrt(len(sample)),
        minimum=float(sample.min()),
        lower_quartile=float(low),
        median=float(middle),
        upper_quartile=float(high),
        maximum=float(sample.max()),
    )


@tool(
    category="data",
    title="t-test",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"first": [5.1, 4.9, 5.3], "second": [6.0, 6.2, 5.9]}],
)
def t_test(first: Sample, second: Sample, paired: bool = False) -> TTest:
    """Test whether two samples have different means (Welch; or paired)."""
    from scipy import stats

    if paired and len(first) != len(second):
        raise BadInput(f"paired samples have equal length; received {len(first)} and {len(second)}")
    _refuse_constant(first, second, paired=paired)
    found = stats.ttest_rel(first, second) if paired else stats.ttest_ind(first, second, equal_var=False)
    interval = found.confidence_interval(0.95)
    difference = sum(first) / len(first) - sum(second) / len(second)
    return TTest(
        mean_difference=difference,
        low=float(interval.low),
        high=float(interval.high),
        t=float(found.statistic),
        degrees_of_freedom=float(found.df),
        p_value=float(found.pvalue),
    )


@tool(
    category="data",
    title="Analysis of variance",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"groups": [[1.0, 1.2], [2.0, 2.1], [1.4, 1.6]]}],
)
def anova(groups: Annotated[list[Sample], Field(min_length=2, max_length=100)]) -> Anova:
    """Test whether several samples have different means (one-way ANOVA)."""
    import numpy as np
    from scipy import stats

    samples = [np.asarray(group, dtype=float) for group in groups]
    within = float(sum(((sample - sample.mean()) ** 2).sum() for sample in samples))
    if within == 0:
        raise BadInput("the values within each group are all equal, so their spread cannot be judged")
    found = stats.f_oneway(*samples)
    pooled = np.concatenate(samples)
    total = float(((pooled - pooled.mean()) ** 2).sum())
    return Anova(
        f=float(found.statistic),
        p_value=float(found.pvalue),
        eta_squared=max(0.0, 1 - within / total),
        means=[float(sample.mean()) for sample in samples],
    )


@tool(
    category="data",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"x": [1.0, 2.0, 3.0], "y": [2.1, 3.9, 6.2]}],
)
def correlation(x: Sample, y: Sample, method: Literal["pearson", "spearman"] = "pearson") -> Correlation:
    """Correlate two columns: Pearson for lines, Spearman for ranks."""
    from scipy import stats

    if len(x) != len(y) or len(x) < 3:
        raise BadInput(f"give two lists of equal length, at least 3; received {len(x)} and {len(y)}")
    if len(set(x)) == 1 or len(set(y)) == 1:
        raise BadInput("a list of equal values has no correlation with anything")
    found = stats.pearsonr(x, y) if method == "pearson" else stats.spearmanr(x, y)
    bounded = min(1.0, max(-1.0, float(found.statistic)))
    return Correlation(coefficient=bounded, p_value=float(found.pvalue), n=len(x))


@tool(
    category="data",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[
        {"names": ["temperature"], "rows": [[60.0], [70.0], [80.0], [90.0]], "y": [1.0, 2.1, 2.9, 4.2]}
    ],
)
def regression(
    names: Annotated[list[str], Field(min_length=1, max_length=30)],
    rows: Annotated[list[list[float]], Field(min_length=3, max_length=10_000)],
    y: Annotated[list[float], Field(min_length=3, max_length=10_000)],
) -> Regression:
    """Regress y linearly on several columns, with standard errors and p-values."""
    import numpy as np
    from scipy.special import stdtr

    if len(rows) != len(y) or any(len(row) != len(names) for row in rows):
        raise BadInput(
            f"give one row of {len(names)} values ({', '.join(names)}) for each of the {len(y)} y values"
        )
    design = np.column_stack([np.ones(len(rows)), np.asarray(rows, dtype=float)])
    target = np.asarray(y, dtype=float)
    free = len(target) - design.shape[1]
    if free < 1 or np.linalg.matrix_rank(design) < design.shape[1]:
        raise BadInput("there are too few different rows to tell these terms apart: add rows or drop a term")
    best = np.linalg.lstsq(design, target, rcond=None)[0]
    residuals = target - design @ best
    left, total = float(residuals @ residuals), float(((target - target.mean()) ** 2).sum())
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * left / free)
    terms = [
        Term(name=name, coefficient=float(b), standard_error=float(e), p_value=_two_sided(b, e, free, stdtr))
        for name, b, e in zip(["intercept", *names], best, errors, strict=True)
    ]
    return Regression(
        terms=terms,
        r_squared=1 - left / total if total else 1.0,
        residual_sd=math.sqrt(left / free),
        n=len(y),
    )


@tool(
    category="data",
    effect=EffectClass.LOCAL,
    in_process=True,
    cacheable=True,
    parallel_safe=True,
    examples=[{"values": [1.0, 1.1, 0.9, 1.0, 9.0]}],
)
def outliers(
    values: Annotated[list[float], Field(min_length=4, max_length=10_000)],
    method: Literal["quartiles", "mad"] = "quartiles",
) -> Outliers:
    """Find values far from the rest: beyond 1.5 quartile ranges, or 3.5 robust deviations (mad)."""
    import numpy as np

    sample = np.asarray(values, dtype=float)
    if method == "quartiles":
        first, third = np.quantile(sample, [0.25, 0.75])
        reach = 1.5 * (third - first)
        low, high = float(first - reach), float(third + reach)
    else:
        centre = float(np.median(sample))
        reach = 3.5 * 1.4826 * float(np.median(np.abs(sample - centre)))
        low, high = centre - reach, centre + reach
    positions = [i for i, value in enumerate(values) if value < low or value > high]
    return Outliers(positions=positions, values=[values[i] for i in positions], low=low, high=high)


def _refuse_constant(first: list[float], second: list[float], *, paired: bool) -> None:
    if paired:
        is_constant = len({a - b for a, b in zip(first, second, strict=True)}) == 1
    else:
        is_constant = len(set(first)) == 1 and len(set(second)) == 1
    if is_constant:
        raise BadInput("the values do not vary, so the spread of the difference cannot be judged")


def _two_sided(best: Any, error: Any, free: int, stdtr: Any) -> float:
    if error == 0:
        return 0.0 if best else 1.0
    return float(2 * stdtr(free, -abs(best / error)))
