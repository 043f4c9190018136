"""Recipients of releases, and the pools of those who may join what they have. Pure."""

from __future__ import annotations

from collections.abc import Collection

ANYONE = "anyone"
"""The recipient of what is published, or of what nobody is named for: every pool has it."""


def pools_of(
    recipients: Collection[str], pools: Collection[Collection[str]] | None, known: Collection[str] = ()
) -> tuple[frozenset[str] | None, ...]:
    """The pools that a release for these recipients comes into: those in each, who may join what they have; None: all.

    Without `pools` all recipients may. Who is in no pool stands alone. What is for anyone comes into every pool, and to
    each of the `known` recipients who is in none.
    """
    if pools is None:
        return (None,)
    named = [frozenset(each) for each in pools]
    together = frozenset[str]().union(*named)
    if ANYONE in recipients:
        return (*named, frozenset(), *(frozenset([each]) for each in sorted({*known} - together - {ANYONE})))
    alone = [frozenset([each]) for each in sorted({*recipients} - together)]
    return (*(each for each in named if each & {*recipients}), *alone)
