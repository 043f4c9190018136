"""The optimum for one attribute on seeded values: the figures of the readings, to every digit they give."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d


@pytest.mark.parametrize(
    ("draw", "k", "shown", "expected"),
    [
        (lambda: np.random.default_rng(0).normal(size=1000), 3, ".12f", "0.549288322591"),
        (lambda: np.random.default_rng(1).lognormal(0, 1, 1000), 5, ".9f", "581.531986004"),
        (lambda: np.random.default_rng(2).random(100_000), 10, ".8e", "8.24297516e-05"),
        (lambda: np.random.default_rng(0).random(1_000_000), 5, ".8e", "1.94932176e-06"),
        (lambda: np.random.default_rng(0).random(1_000_000), 100, ".8e", "8.34653741e-04"),
        (lambda: np.random.default_rng(4).normal(size=20_000) + 1e6, 5, ".10f", "0.2376992519"),
    ],
    ids=["normal", "lognormal", "uniform", "million-5", "million-100", "offset"],
)
def test_the_least_sum_is_that_of_the_readings_to_every_digit(draw, k, shown, expected):
    assert format(optimal_1d(draw(), k)[1].figures["sse"], shown) == expected
