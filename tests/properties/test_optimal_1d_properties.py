"""The optimum for one attribute against every division of the sorted values, in exact arithmetic.

The tolerance: a group's sum of squares is known to a few roundings for each of its values (none of its terms is below
0), the sum along the path to one more for each group. With 14 values that is below 100 roundings of 1.1e-16. Squares
below 2 ** -1022 of the unit (the largest number) squared lose digits: such sums count as equal.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ordermade.methods.microaggregation.algorithm.one_dimension import optimal_1d
from tests.plain_scans.one_dimension import exact_sse, least_sse

TOLERANCE = 1 + Fraction(1, 10**13)
near_an_offset = st.builds(
    lambda offset, parts: [offset + part for part in parts],
    st.sampled_from([1e9, -1e9, 1e6, 1e300]),
    st.lists(st.floats(-10, 10), min_size=1, max_size=14),
)
few_values = st.lists(st.sampled_from([0.0, -0.0, 0.1, 0.2, 0.3, 1.0, 5e-324, 1e-310, 1e9]), min_size=1, max_size=14)
denormals = st.lists(st.integers(-50, 50).map(lambda number: number * 5e-324), min_size=1, max_size=14)
any_numbers = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=14)


@given(st.one_of(near_an_offset, few_values, denormals, any_numbers), st.data())
def test_no_division_of_the_sorted_values_is_better(x, data):
    k = data.draw(st.integers(1, len(x)))
    labels, report = optimal_1d(x, k)
    assert report.smallest >= k
    assert (np.diff(labels[np.argsort(x, kind="stable")]) >= 0).all()
    nothing = (Fraction(max(map(abs, x))) ** 2) / 2**1000
    assert exact_sse(x, labels.tolist()) <= least_sse(x, k) * TOLERANCE + nothing
