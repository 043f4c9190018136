"""Recipients who ask for what would tell them most: no group below k follows from all that a pool received."""

from __future__ import annotations

import pytest

from bench.adversary import POOLS, K, attack
from tests.long import rounds

SEED = 4_403
REQUESTS = rounds(10, 300)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["one pool of all", "apart"])
def test_an_adversary_isolates_nobody(policy: str) -> None:
    found = attack(POOLS[policy], REQUESTS, float("inf"), SEED, shows=False, manifests=False)
    print(f"\nseed {SEED}, {policy}: {found.answered} of {found.sent} answered, {found.refused} refused")
    assert found.answered > 0
    told = [f"[{each.least}, {each.most}] below {K}: {each.group}, from {each.derived}" for each in found.isolated]
    assert not told, f"seed {SEED}, {policy}: {told}"


@pytest.mark.slow
def test_where_nothing_is_judged_beside_the_rest_the_adversary_isolates_some() -> None:
    """What the adversary is worth: the same requests beside nothing, each recipient apart and all joined by it."""
    found = attack(POOLS["apart"], REQUESTS, float("inf"), SEED, shows=False, joined=True)
    assert found.isolated
