"""Which recipients may join what they have, and which entries a release is judged beside."""

from __future__ import annotations

from ordermade.ledger.pools import ANYONE, pools_of


def test_without_pools_all_recipients_are_together() -> None:
    assert pools_of(["a"], None) == (None,)


def test_a_release_comes_into_every_pool_of_its_recipient() -> None:
    pools = [["a", "b"], ["b", "c"]]
    assert pools_of(["b"], pools) == (frozenset("ab"), frozenset("bc"))
    assert pools_of(["a"], pools) == (frozenset("ab"),)


def test_who_is_in_no_pool_stands_alone() -> None:
    assert pools_of(["d"], [["a", "b"]]) == (frozenset("d"),)


def test_what_is_for_anyone_comes_to_everybody() -> None:
    found = pools_of([ANYONE], [["a", "b"]], known=["d", "a", ANYONE])
    assert found == (frozenset("ab"), frozenset(), frozenset("d"))
