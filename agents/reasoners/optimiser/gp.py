"""A lean Gaussian process: Matérn 5/2 over blocks of features, fitted to its maximum a posteriori."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from agents.reasoners.optimiser.descriptors import Array
from agents.reasoners.optimiser.encoding import Block

_JITTER = 1e-6
_SQRT5 = math.sqrt(5.0)


@dataclass(frozen=True)
class Priors:
    """Normal priors on the logarithms, as mean and standard deviation, for responses with mean 0 and spread 1.

    The first six are the inverse squared length scale of each kind of block; then the variance of the
    response and of the noise.
    """

    level: tuple[float, float] = (-2.0, 1.0)
    structure: tuple[float, float] = (-2.5, 1.0)
    ordered: tuple[float, float] = (-2.0, 1.0)
    number: tuple[float, float] = (-1.0, 1.2)
    fraction: tuple[float, float] = (-2.0, 1.0)
    present: tuple[float, float] = (-2.0, 1.0)
    amplitude: tuple[float, float] = (0.0, 0.7)
    noise: tuple[float, float] = (-5.0, 1.5)

    def moments(self, blocks: tuple[Block, ...]) -> tuple[Array, Array]:
        """Return means and standard deviations of the logarithms: one a block, then amplitude and noise."""
        pairs = np.array([*(getattr(self, block.kind) for block in blocks), self.amplitude, self.noise])
        return pairs[:, 0], pairs[:, 1]


@dataclass(frozen=True)
class Surrogate:
    """A fitted Gaussian process, for responses less ``centre`` and over ``spread``.

    ``scales`` multiply the features; ``noise`` is the variance of each value, ``single_noise`` of one
    measurement.
    """

    features: Array
    values: Array
    scales: Array
    amplitude: float
    noise: Array
    single_noise: float
    centre: float
    spread: float
    factor: Array = field(default_factory=lambda: np.zeros((0, 0)))
    alpha: Array = field(default_factory=lambda: np.zeros(0))

    def with_single_noise(self, variance: float) -> "Surrogate":
        """Return the same surrogate with the variance of one measurement, in squared units of the response."""
        return replace(self, single_noise=variance / self.spread**2)


@dataclass(frozen=True)
class _Pairs:
    """The problem of fitting by pairs of points: ``gaps`` is blocks x pairs, ``rows`` over ``columns``."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    gaps: Array
    targets: Array
    known: Array | None


def fit(
    features: Array,
    values: Array,
    blocks: tuple[Block, ...],
    *,
    noise: Array | None = None,
    priors: Priors = Priors(),
) -> Surrogate:
    """Return the Gaussian process for ``values`` at ``features``.

    ``noise`` holds the known variance of each value in squared units of ``values``; None estimates one
    variance for all.
    """
    centre = float(values.mean())
    deviation = float(values.std())
    spread = deviation if deviation > 1e-12 * max(1.0, abs(centre)) else 1.0
    known = None if noise is None else noise / spread**2
    rows, columns = np.tril_indices(len(values), -1)
    gaps = np.stack([_between(features[:, b.start : b.stop], rows, columns) for b in blocks])
    pairs = _Pairs(rows, columns, gaps, (values - centre) / spread, known)
    weights, amplitude, variance = _most_probable(pairs, priors.moments(blocks))
    levels = np.full(len(values), variance) if known is None else known
    return _conditioned(
        Surrogate(
            features=features,
            values=values,
            scales=_scales(weights, blocks),
            amplitude=amplitude,
            noise=levels,
            single_noise=float(levels.max()),
            centre=centre,
            spread=spread,
        )
    )


def expecting(surrogate: Surrogate, features: Array) -> Surrogate:
    """Return the surrogate as if its own means had been measured at ``features``: experiments under way."""
    if not len(features):
        return surrogate
    mean, _ = predict(surrogate, features)
    extended = replace(
        surrogate,
        features=np.vstack([surrogate.features, features]),
        values=np.concatenate([surrogate.values, mean]),
        noise=np.concatenate([surrogate.noise, np.full(len(features), surrogate.single_noise)]),
    )
    return _conditioned(extended)


def predict(surrogate: Surrogate, features: Array) -> tuple[Array, Array]:
    """Return mean and standard deviation of the response itself, without measuring noise, at ``features``."""
    gaps = squared_distances(features * surrogate.scales, surrogate.features * surrogate.scales)
    cross = surrogate.amplitude * _matern(gaps)
    mean = cross @ surrogate.alpha
    half = solve_triangular(surrogate.factor, cross.T, lower=True, check_finite=False)
    variance = np.maximum(surrogate.amplitude - np.einsum("ij,ij->j", half, half), 1e-12)
    return mean * surrogate.spread + surrogate.centre, np.sqrt(variance) * surrogate.spread


def leave_one_out(surrogate: Surrogate) -> tuple[Array, Array]:
    """Return mean and standard deviation that the others predict for each measured value, noise included."""
    inverse = cho_solve((surrogate.factor, True), np.eye(len(surrogate.values)))
    variance = 1.0 / np.diag(inverse)
    mean = surrogate.values - surrogate.alpha * variance * surrogate.spread
    return mean, np.sqrt(variance) * surrogate.spread


def _most_probable(pairs: _Pairs, prior: tuple[Array, Array]) -> tuple[Array, float, float]:
    """Return weights, amplitude and noise variance at the maximum of the posterior."""
    result = minimize(
        _loss,
        prior[0],
        args=(pairs, prior),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-8.0, 5.0)] * len(pairs.gaps) + [(-4.0, 4.0), (-12.0, 1.0)],
        options={"maxiter": 20, "ftol": 1e-4},
    )
    return np.exp(result.x[:-2]), math.exp(result.x[-2]), math.exp(result.x[-1])


def _between(features: Array, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Array:
    return np.asarray(((features[rows] - features[columns]) ** 2).sum(axis=1))


def _conditioned(surrogate: Surrogate) -> Surrogate:
    """Return ``surrogate`` with the factors that prediction needs."""
    scaled = surrogate.features * surrogate.scales
    kernel = surrogate.amplitude * _matern(squared_distances(scaled, scaled))
    kernel.flat[:: len(kernel) + 1] += surrogate.noise + _JITTER
    factor = cholesky(kernel, lower=True)
    targets = (surrogate.values - surrogate.centre) / surrogate.spread
    return replace(surrogate, factor=factor, alpha=cho_solve((factor, True), targets))


def _scales(weights: Array, blocks: tuple[Block, ...]) -> Array:
    return np.concatenate(
        [np.full(b.stop - b.start, math.sqrt(w)) for w, b in zip(weights, blocks, strict=True)]
    )


def squared_distances(a: Array, b: Array) -> Array:
    """Return the squared distance of each row of ``a`` to each row of ``b``."""
    gaps = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None] - 2.0 * (a @ b.T)
    return np.asarray(np.maximum(gaps, 0.0, out=gaps))


def _matern(gaps: Array) -> Array:
    """Return the correlation at squared distances ``gaps``, which are overwritten."""
    distance = np.sqrt(np.multiply(gaps, 5.0, out=gaps), out=gaps)
    shape = distance * (1.0 / 3.0)
    shape += 1.0
    shape *= distance
    shape += 1.0
    np.exp(np.negative(distance, out=distance), out=distance)
    return np.asarray(np.multiply(shape, distance, out=shape))


def _loss(theta: Array, pairs: _Pairs, prior: tuple[Array, Array]) -> tuple[float, Array]:
    """Return the negative log posterior and its gradient."""
    weights, amplitude, variance = np.exp(theta[:-2]), math.exp(theta[-2]), math.exp(theta[-1])
    rows, columns, n = pairs.rows, pairs.columns, len(pairs.targets)
    distance = np.sqrt(5.0 * (weights @ pairs.gaps))
    decay = amplitude * np.exp(-distance)
    shape = decay * (1.0 + distance + distance**2 / 3.0)
    kernel = np.empty((n, n))
    kernel[rows, columns] = shape
    kernel.flat[:: n + 1] = amplitude + (variance if pairs.known is None else pairs.known) + _JITTER
    try:
        factor = cholesky(kernel, lower=True, check_finite=False)
    except LinAlgError:
        return 1e10, np.zeros_like(theta)
    alpha = cho_solve((factor, True), pairs.targets, check_finite=False)
    inverse, _ = dpotri(factor, lower=1)
    residual = inverse[rows, columns] - alpha[rows] * alpha[columns]
    trace = float(np.trace(inverse)) - float(alpha @ alpha)
    slope = -(5.0 / 6.0) * decay * (1.0 + distance)  # of the kernel, by the weighted squared distance
    gradient = np.empty_like(theta)
    gradient[:-2] = weights * (pairs.gaps @ (residual * slope))
    gradient[-2] = float(residual @ shape) + 0.5 * amplitude * trace
    gradient[-1] = 0.5 * variance * trace if pairs.known is None else 0.0
    pull = (theta - prior[0]) / prior[1]
    value = (
        0.5 * float(pairs.targets @ alpha) + float(np.log(np.diag(factor)).sum()) + 0.5 * float(pull @ pull)
    )
    return value, gradient + pull / prior[1]
