"""What the records and labels come in, the columns on one scale, and what importing the package costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest

from ordermade.errors import InputError
from ordermade.methods.microaggregation.algorithm.arrays import (
    column,
    finite_table,
    labels_of,
    report_of,
    require_k,
    table,
)
from ordermade.methods.microaggregation.algorithm.loss import standardised


def test_the_package_and_its_names_come_without_numpy_and_numba():
    program = (
        "import sys, ordermade.microaggregation as m; assert dir(m) == sorted(m.__all__); "
        "sys.exit(sum(each in sys.modules for each in ('numpy', 'numba', 'pandas')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_name_that_the_package_does_not_have_is_no_attribute():
    import ordermade.microaggregation as package

    assert package.standardised is standardised
    with pytest.raises(AttributeError, match="no attribute 'kmeans'"):
        _ = package.kmeans


def test_lists_whole_numbers_and_one_dimension_are_tables_of_floats():
    assert table([3, 1, 2]).tolist() == [[3.0], [1.0], [2.0]]
    assert table([[Decimal("0.5"), True]]).tolist() == [[0.5, 1.0]]
    taken = np.asfortranarray(np.eye(3))
    assert table(taken).flags.c_contiguous
    assert column([[1], [2]]).tolist() == [1.0, 2.0]
    mine = np.ones(3)
    column(mine)[0] = table(mine)[0, 0] = 5
    assert mine.tolist() == [1, 1, 1], "what is given stays as it is"


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([1.0, np.nan], "NaN"),
        ([1.0, -np.inf], "infinity"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "missing value"),
        ([1, None], "missing value"),
        (["12", "13"], "no number"),
        (np.array([1, "12"], dtype=object), "no number"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "no number"),
        (np.array([np.datetime64("2020-01-01"), 1], dtype=object), "no number"),
        (np.array([np.timedelta64(1, "s"), 1], dtype=object), "no number"),
        (np.array([bytearray(b"12"), 1], dtype=object), "no number"),
        ([1 + 2j], "no number"),
        ([[1, 2], [3]], "no number"),
        ([10**400], "beyond 1.8e308"),
        ([1e151], "beyond 1e150"),
        ([], "no records"),
        ([[], []], "no records"),
        (np.zeros((1, 1, 1)), "3 dimensions"),
        (1.0, "0 dimensions"),
    ],
)
def test_what_is_no_table_of_finite_numbers_is_refused(records, told):
    with pytest.raises(InputError, match=told):
        table(records)


def test_a_column_is_one_attribute():
    for several in ([[1, 2]], []):
        with pytest.raises(InputError):
            column(several)
    assert column([1e308]).tolist() == finite_table([1e308])[:, 0].tolist() == [1e308]


def test_k_is_a_whole_number_up_to_the_records():
    assert require_k(np.int64(3), 3) == 3
    for wrong in (0, -1, True, 2.0, "3", None):
        with pytest.raises(InputError, match="whole number"):
            require_k(wrong, 5)
    with pytest.raises(InputError, match="greater than the 5 record"):
        require_k(6, 5)


def test_labels_number_groups_of_k_from_0():
    found = labels_of(np.array([1, 0, 1, 0], dtype=np.uint8), 4, 2)
    assert found.dtype == np.int32
    report = report_of(found, sse=1.5)
    assert (report.groups, report.smallest, report.largest, report.figures["sse"]) == (2, 2, 2, 1.5)
    for wrong, told in [
        ([0, 0, 1], "one whole number a record"),
        ([0.0, 0.0, 1.0, 1.0], "one whole number a record"),
        ([[0, 0], [1]], "one whole number a record"),
        (np.ma.masked_array([0, 0, 1, 1], [0, 0, 0, 1]), "one whole number a record"),
        ([0, 0, -1, 0], "from 0"),
        ([0, 0, 2, 2], "left out"),
        ([0, 0, 0, 1], "fewer than 2"),
    ]:
        with pytest.raises(InputError, match=told):
            labels_of(wrong, 4, 2)


def test_standardised_columns_have_mean_0_and_deviation_1_whatever_their_scale():
    plain = np.random.default_rng(0).normal(size=50)
    expected = (plain - plain.mean()) / plain.std()
    scales = np.stack([plain, plain * 5e307, plain * 1e-305, 1e9 + np.ldexp(np.rint(plain * 1024), -10)], axis=1)
    found = standardised(scales)
    assert found[:, :3] == pytest.approx(np.stack([expected] * 3, axis=1), abs=1e-9)
    assert found[:, 3] == pytest.approx(expected, abs=1e-2)
    assert np.abs(found.mean(axis=0)).max() < 1e-15
    assert found.std(axis=0) == pytest.approx(1)
    assert standardised([1.0, 3.0]).tolist() == [[-1.0], [1.0]]


def test_a_constant_column_becomes_zeros_and_denormals_spread():
    assert standardised([[0.1, 5e-324], [0.1, 1e-323], [0.1, 1.5e-323]]).tolist() == [
        [0.0, pytest.approx(-(1.5**0.5))],
        [0.0, 0.0],
        [0.0, pytest.approx(1.5**0.5)],
    ]
    assert standardised([-1.7e308, 1.7e308]).tolist() == [[-1.0], [1.0]]
    assert standardised([7]).tolist() == [[0.0]]


def test_a_public_name_is_its_function_whatever_was_imported_before():
    package = importlib.import_module("ordermade.microaggregation")
    for module in package._WHERE.values():
        importlib.import_module(f"ordermade.methods.microaggregation.algorithm.{module}")
    for name in package.__all__:
        assert callable(getattr(package, name)), name
