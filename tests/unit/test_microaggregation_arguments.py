"""Numbers and generators beside the records: what is none is an InputError, wherever it is given."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.microaggregation import fdh_path, improve, mhm, vmdav

X = np.arange(24.0).reshape(12, 2) ** 2 % 17
LABELS = np.arange(12) // 3
NO_NUMBERS = ["1", None, [1], 1j, np.array([0.5]), 10**400, np.nan, np.inf, -0.5, True, np.bool_(True), Decimal(1)]


@pytest.mark.parametrize("gamma", NO_NUMBERS)
def test_a_gamma_that_is_none(gamma):
    with pytest.raises(InputError, match="gamma is no number of at least 0"):
        vmdav(X, 3, gamma)


@pytest.mark.parametrize("divisor", [*NO_NUMBERS, 0.5])
def test_a_divisor_that_is_none(divisor):
    with pytest.raises(InputError, match="the radius divisor is no number of at least 1"):
        fdh_path(X, 2, divisor)


@pytest.mark.parametrize("seconds", [each for each in NO_NUMBERS if each is not None])
def test_seconds_that_are_none(seconds):
    with pytest.raises(InputError, match="the number of seconds"):
        improve(X, LABELS, 3, seconds=seconds)


@pytest.mark.parametrize("rounds", [2.5, np.inf, np.nan, True, "3", -1, [2]])
def test_rounds_that_are_none(rounds):
    with pytest.raises(InputError, match="the number of rounds"):
        improve(X, LABELS, 3, rounds=rounds)


@pytest.mark.parametrize("rng", [0, 1, "seed", np.random])
def test_a_generator_that_is_none(rng):
    with pytest.raises(InputError, match="rng is no random generator"):
        improve(X, LABELS, 3, rng=rng)
    with pytest.raises(InputError, match="rng is no random generator"):
        fdh_path(X, 2, rng=rng)


def test_what_no_path_and_no_anchors_are():
    with pytest.raises(InputError, match="one row a record"):
        mhm(X, [[0], [1, 2]], 3)
    with pytest.raises(InputError, match="anchors are neither"):
        fdh_path(X, [[0], [1, 2]])
    with pytest.raises(InputError, match="neither kind"):
        fdh_path(X, 2, radius=np.array(["mean", "median"]))


@pytest.mark.slow
@pytest.mark.parametrize("package", ["numba", "scipy"])
def test_a_package_that_is_not_installed_is_named_with_what_installs_it(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from ordermade.errors import InputError\n"
        "try: import ordermade.microaggregation as m; m.mdav\n"
        "except InputError as error: sys.exit(str(error))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert f"the package {package}, which is not installed" in done.stderr
    assert "'ordermade[microaggregation]'" in done.stderr
