import numpy as np
import pytest
from scipy.optimize import approx_fprime

from agents.reasoners.optimiser import gp
from agents.reasoners.optimiser.encoding import Block

BLOCKS = (Block("number", 0, 1), Block("level", 1, 3))
RNG = np.random.default_rng(1)
FEATURES = np.column_stack([RNG.random(20), np.eye(2)[RNG.integers(2, size=20)] / np.sqrt(2)])
VALUES = 10 * np.sin(3 * FEATURES[:, 0]) + 5 * FEATURES[:, 1]


def test_the_gradient_is_that_of_the_loss():
    rows, columns = np.tril_indices(20, -1)
    gaps = np.stack([gp._between(FEATURES[:, b.start : b.stop], rows, columns) for b in BLOCKS])
    pairs = gp._Pairs(rows, columns, gaps, (VALUES - VALUES.mean()) / VALUES.std(), None)
    prior = gp.Priors().moments(BLOCKS)
    theta = np.array([0.3, -0.5, 0.2, -3.0])
    numeric = approx_fprime(theta, lambda t: gp._loss(t, pairs, prior)[0], 1e-6)
    assert gp._loss(theta, pairs, prior)[1] == pytest.approx(numeric, rel=1e-4, abs=1e-4)


def test_known_values_are_met_and_the_unknown_is_uncertain():
    surrogate = gp.fit(FEATURES, VALUES, BLOCKS, noise=np.zeros(20))
    mean, sd = gp.predict(surrogate, FEATURES)
    assert mean == pytest.approx(VALUES, abs=0.05)
    _, far = gp.predict(surrogate, np.array([[3.0, 0.7, 0.0]]))
    assert far[0] > 10 * sd.max()


def test_a_smooth_response_is_predicted_between_measurements():
    surrogate = gp.fit(FEATURES, VALUES, BLOCKS)
    there = np.array([[0.5, 1 / np.sqrt(2), 0.0]])
    assert gp.predict(surrogate, there)[0][0] == pytest.approx(10 * np.sin(1.5) + 5 / np.sqrt(2), abs=0.5)


def test_known_noise_is_not_chased():
    noisy = VALUES + RNG.normal(0, 3, 20)
    loose = gp.fit(FEATURES, noisy, BLOCKS, noise=np.full(20, 9.0))
    tight = gp.fit(FEATURES, noisy, BLOCKS, noise=np.full(20, 1e-6))
    errors = [np.abs(gp.predict(s, FEATURES)[0] - noisy).mean() for s in (loose, tight)]
    assert errors[0] > 1.0 > 0.01 > errors[1]


def test_experiments_under_way_lower_uncertainty_and_leave_the_mean():
    surrogate = gp.fit(FEATURES, VALUES, BLOCKS)
    there = np.array([[1.5, 0.0, 1 / np.sqrt(2)]])
    before, after = gp.predict(surrogate, there), gp.predict(gp.expecting(surrogate, there), there)
    assert after[0] == pytest.approx(before[0], rel=1e-3)
    assert after[1][0] < 0.5 * before[1][0]


def test_leaving_one_out_is_what_a_fit_without_it_predicts():
    surrogate = gp.fit(FEATURES, VALUES, BLOCKS)
    mean, _ = gp.leave_one_out(surrogate)
    kept = gp.replace(surrogate, features=FEATURES[1:], values=VALUES[1:], noise=surrogate.noise[1:])
    assert mean[0] == pytest.approx(gp.predict(gp._conditioned(kept), FEATURES[:1])[0][0], rel=1e-6)


def test_equal_values_everywhere_are_no_fault():
    surrogate = gp.fit(FEATURES, np.full(20, 7.0), BLOCKS)
    assert gp.predict(surrogate, FEATURES)[0] == pytest.approx(np.full(20, 7.0))
