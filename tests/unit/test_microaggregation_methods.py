"""The registry of methods: each name makes groups, and what is none is refused."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ordermade.errors import InputError, UnknownName
from ordermade.methods.microaggregation.algorithm.grouping import groups_by
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options

X = np.random.default_rng(3).normal(size=(40, 1))


@pytest.mark.parametrize("name", [name for name in METHODS if name != "auto"])
def test_every_method_of_the_registry_makes_groups(name):
    labels = groups_by(name, X, 3, Options())
    assert np.bincount(labels).min() >= 3


@pytest.mark.parametrize("name", ["auto", "mdva", ""])
def test_no_other_name_makes_groups(name):
    with pytest.raises(UnknownName):
        groups_by(name, X, 3, Options())


@pytest.mark.parametrize("name", [each.name for each in METHODS.values() if each.takes == "one numeric attribute"])
def test_a_method_of_one_attribute_refuses_several(name):
    with pytest.raises(InputError, match="takes one numeric attribute"):
        groups_by(name, np.hstack([X, X]), 3, Options())


def test_reading_the_registry_imports_no_array_library():
    registry = "ordermade.methods.microaggregation.algorithm.methods"
    tell = f"import sys, {registry}; print({{'numpy', 'numba'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
