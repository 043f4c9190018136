"""The table of metrics: the treatment of suppressed rows, the lower bound, and whether coarsening never lowers each.

N is the number of units (rows; persons where there is an entity column) and s of them are suppressed; c are the sizes
of the released classes, m is the number of attributes, d the leaves of an attribute's hierarchy. Entropy and Loss weigh
rows where units are persons, too: a cell is a row's. Searches use the bounds; tests hold every line of the table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of information loss.

    `meaning`: its definition. `withheld`: its treatment of suppressed rows. `bound`: its lower bound at a node and at
    every coarser one. While nothing may be suppressed and rows are counted, coarsening a passing node never lowers any
    of them; `monotone_under_limit`: whether that holds if rows may be suppressed, `monotone_of_persons`: if persons
    are counted. `weighted`: whether attributes may weigh differently.
    """

    name: str
    meaning: str
    withheld: str
    bound: str
    monotone_under_limit: bool
    monotone_of_persons: bool = True
    weighted: bool = False


LEVELS_SUM = "its own levels' value, which is known before anything is counted"
MOST_CLASSES = "computed with the classes of at least k rows, and those that the rows of smaller ones fill"

METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        Metric(
            "prec",
            "mean of level / top level over the attributes (Sweeney 2002)",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "prec_suppressed_as_1",
            "Prec, a suppressed row counting as if every attribute were at `*`",
            "(1 - s/N) x prec + s/N",
            "prec",
            monotone_under_limit=False,
            weighted=True,
        ),
        Metric(
            "height",
            "sum of the levels",
            "nothing: the levels alone decide",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "divisions",
            "number of released classes, the only metric that is maximised",
            "suppressed classes do not count",
            "not more than the classes of at least k rows and those that the rows of smaller ones fill",
            monotone_under_limit=False,
        ),
        Metric(
            "dm",
            "discernibility: sum of c^2 + N x s (Bayardo and Agrawal 2005)",
            "each suppressed row costs N",
            "the sum of the squares of all classes, a row of a class below k costing k; of persons N^2 / classes",
            monotone_under_limit=False,
            monotone_of_persons=False,
        ),
        Metric(
            "dm_star",
            "sum of the squares of all classes, released or not",
            "a suppressed row costs the size of its class",
            "itself; of persons N^2 / classes",
            monotone_under_limit=True,
            monotone_of_persons=False,
        ),
        Metric(
            "c_avg",
            "(N - s) / released classes / k (LeFevre et al. 2006)",
            "neither suppressed rows nor suppressed classes count",
            MOST_CLASSES,
            monotone_under_limit=False,
        ),
        Metric(
            "aecs",
            "N / (released classes + 1 if s > 0): the average class size",
            "all suppressed rows are one class",
            MOST_CLASSES + ", never below N / classes",
            monotone_under_limit=False,
        ),
        Metric(
            "entropy",
            "non-uniform entropy in bits, summed over the attributes (Gionis and Tassa 2009)",
            "its value at the node's level costs too: s log2 s - sum of n log2 n over the values n of suppressed rows",
            "its value without suppression",
            monotone_under_limit=False,
            weighted=True,
        ),
        Metric(
            "entropy_ignoring_suppression",
            "non-uniform entropy in bits as if every row were released",
            "they count as the released ones do",
            LEVELS_SUM,
            monotone_under_limit=True,
            weighted=True,
        ),
        Metric(
            "loss",
            "Loss (NCP): mean share of the hierarchy's leaves that a value is blurred to (Iyengar 2002)",
            "each counts as `*`, that is 1",
            "its value without suppression",
            monotone_under_limit=False,
            weighted=True,
        ),
    )
}
"""Every metric, in the order in which losses are reported."""
