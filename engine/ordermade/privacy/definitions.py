"""The properties of each privacy model whatever its parameters. One registry: `MODELS`.

Conclusions about coarser nodes differ. While nothing is suppressed and rows are counted, every model here is
monotone: merging classes that pass gives a class that passes. Under a suppression limit a class that fails is
suppressed, and merging it may drag a passing class down with it: only with distinct l it never does. Where persons are
counted, those of merged classes do not add up, as one may be in both: again only distinct l stays monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Definition:
    """A model before it has parameters.

    `meaning` for people; `figure`: what its templates give for each class, and whether the `least` or the `greatest` is
    the `worst`; `monotone_under_limit`: whether a coarser node never suppresses more than a finer one;
    `monotone_of_persons`: whether merged classes pass where their parts do, persons being counted; `templates`: its
    files in `sql/`.
    """

    name: str
    meaning: str
    figure: str
    worst: Literal["least", "greatest"]
    monotone_under_limit: bool
    monotone_of_persons: bool
    templates: tuple[str, ...]


MODELS: dict[str, Definition] = {
    each.name: each
    for each in (
        Definition(
            "distinct_l",
            "every class has at least l different values",
            figure="different values",
            worst="least",
            monotone_under_limit=True,
            monotone_of_persons=True,
            templates=("privacy/distinct_l",),
        ),
        Definition(
            "entropy_l",
            "the entropy of every class is at least ln l",
            figure="entropy in nats",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/entropy_l",),
        ),
        Definition(
            "recursive_cl",
            "in every class the commonest value is rarer than c times the l-th commonest and all rarer ones together",
            figure="the l-th commonest value and all rarer ones / the commonest: greater than 1 / c",
            worst="least",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/recursive_cl",),
        ),
        Definition(
            "t_closeness",
            "the distribution in every class is at most t away from that of the whole dataset",
            figure="distance from the whole dataset, 0 to 1",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=(
                "privacy/t_closeness_equal",
                "privacy/t_closeness_ordered",
                "privacy/t_closeness_hierarchical",
            ),
        ),
        Definition(
            "alpha_k",
            "no value has more than the share alpha of a class",
            figure="share of the commonest value",
            worst="greatest",
            monotone_under_limit=False,
            monotone_of_persons=False,
            templates=("privacy/alpha_k", "privacy/alpha_k_of_persons"),
        ),
    )
}
"""Every model a request may name."""
