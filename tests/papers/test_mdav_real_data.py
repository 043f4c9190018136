"""MDAV and V-MDAV on the CASC reference data: the losses of the readings, to every digit they give."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav
from tests.papers.real_records import DATA, real_records
from tests.plain_scans.mdav import plain_mdav, plain_vmdav

LOSSES = {
    ("census", 3): (5.692186, 5.661948, 6.780075),
    ("census", 5): (9.088435, 9.006982, 10.112667),
    ("census", 10): (14.155930, 14.073021, 14.971762),
    ("tarragona", 3): (16.932588, 16.964885, 16.520064),
    ("tarragona", 5): (22.461860, 22.878653, 23.549251),
    ("tarragona", 10): (33.192885, 33.258200, 33.541891),
    ("eia", 3): (0.482939, 0.596634, 0.494757),
    ("eia", 5): (1.666675, 1.729588, 1.270115),
    ("eia", 10): (3.839670, 3.641542, 2.811777),
}
"""IL %, by data and k: MDAV, V-MDAV with gamma 0.2 and 1."""

pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"no data in {DATA}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), LOSSES)
def test_the_losses_are_those_of_the_readings_and_the_labels_those_of_plain_scans(name, k):
    X = real_records(name)
    found = [mdav(X, k)[0], vmdav(X, k, 0.2)[0], vmdav(X, k, 1.0)[0]]
    assert tuple(_loss(X, labels) for labels in found) == LOSSES[name, k]
    plain = [plain_mdav(X, k, False), plain_vmdav(X, k, 0.2), plain_vmdav(X, k, 1.0)]
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_array_equal(found[0], plain_mdav(X, k, True), "a mean computed afresh makes no difference")


@pytest.mark.parametrize(("k", "loss"), [(3, 0.5919), (5, 1.5877), (10, 3.2699)])
def test_the_losses_without_the_number_of_the_utility(k, loss):
    X = real_records("eia")[:, 1:]
    assert round(_loss(X, mdav(X, k)[0]), 4) == loss


def _loss(X, labels):
    return round(100 * information_loss(X, labels).loss, 6)
