"""The paper's own clusters: customers next to one another in rank order.

After the PWSCUP paper (section 3), as `shared/papers/README.md` reads it. Their records are matched by SQL.
"""

from __future__ import annotations

import numpy as np

from ordermade.history.histories import NONE, Clusters


def clusters_by_rank(customers: int, k: int) -> Clusters:
    """Each k consecutive customers, in rank order, are a cluster; the last (customers mod k) are dropped."""
    found = (np.arange(customers) // k).astype(np.int32)
    found[customers - customers % k :] = NONE
    return found
