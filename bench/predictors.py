"""Predictions of k: the PAK paper's Tables 5 and 6 on service-like sets, and predictors on nodes never measured.

Pure: what every node measures is known beforehand, and no database is queried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pstdev

from bench.census import census
from bench.figure import Figure, print_rows
from bench.service_like import LATTICE, Service, services
from ordermade.lattice.lattice import Node
from ordermade.prediction.power import fit, mean_k
from ordermade.prediction.prediction import Scores, scores
from ordermade.prediction.predictors import PREDICTORS

SIZE_CLASSES = ((100_000, 10**9), (50_000, 100_000), (10_000, 50_000), (5_000, 10_000), (1_000, 5_000))
FEW_DIVISIONS = 9
PUBLISHED_TABLE_5 = {"census": (0.99705, 1.86), ">100k": (0.99104, 14.06), ">50k": (0.99143, 8.88)} | {
    ">10k": (0.99000, 5.69),
    ">5k": (0.99047, 4.22),
}
PUBLISHED_TABLE_6 = {1: (0.98995, 6.83), 2: (0.98807, 8.03), 3: (0.99058, 6.52)}
ROOT = LATTICE.top


def show() -> Sequence[Figure]:
    """Prints the tables; the figures that row 6 of the issue holds to a target."""
    made = services()
    real = census()
    table_5(made, real)
    table_6(made)
    return [*census_figures(real), *service_figures(made)]


def table_5(made: Sequence[Service], real: Service | None) -> None:
    """The law fitted on the nodes of few divisions, by size of the service."""
    rows = [_row_of_table_5("census", [real])] if real else []
    for least, most in SIZE_CLASSES:
        rows.append(_row_of_table_5(f">{least // 1000}k", [each for each in made if least < each.members <= most]))
    rows.append(_row_of_table_5("all services", made))
    headings = (
        "members",
        "sets",
        "R",
        "sd of R",
        "R2",
        "adjusted",
        "std error",
        "ratio error",
        "paper: R",
        "ratio error",
    )
    print_rows(f"power law fitted on x <= {FEW_DIVISIONS} (Table 5)", headings, rows)


def _row_of_table_5(name: str, sets: Sequence[Service]) -> tuple[object, ...]:
    every = [score_of_law(each, few_divisions(each)) for each in sets]
    r = [each.r or 0.0 for each, _ in every]
    paper = PUBLISHED_TABLE_5.get(name, (None, None))
    return (
        name,
        len(sets),
        fmean(r),
        pstdev(r) if len(r) > 1 else None,
        fmean(each.r2 or 0.0 for each, _ in every),
        fmean(each.adjusted_r2 or 0.0 for each, _ in every),
        fmean(each.standard_error or 0.0 for each, _ in every),
        fmean(ratio for _, ratio in every),
        *paper,
    )


def table_6(made: Sequence[Service]) -> None:
    """The law fitted on the nodes of one attribute, of at most two, and of at most three."""
    rows = []
    for attributes in (1, 2, 3):
        every = [
            score_of_law(each, [node for node in LATTICE.nodes() if 1 <= grouped(node) <= attributes]) for each in made
        ]
        figures = (fmean(each.r or 0.0 for each, _ in every), fmean(each.r2 or 0.0 for each, _ in every))
        errors = (fmean(each.standard_error or 0.0 for each, _ in every), fmean(ratio for _, ratio in every))
        rows.append((f"up to {attributes}", *figures, *errors, *PUBLISHED_TABLE_6[attributes]))
    headings = ("attributes", "R", "R2", "std error", "ratio error", "paper: R", "ratio error")
    print_rows("power law fitted on the nodes of at most one, two, three attributes (Table 6)", headings, rows)


def census_figures(real: Service | None) -> list[Figure]:
    """Row 6 on the census; none where its file is not there."""
    if real is None:
        print("\nshared/data/census does not lie beside the repository: no figures of the census")
        return []
    law = fit(points(real, few_divisions(real)), plus_one=False)
    nodes = [node for node in LATTICE.nodes() if node != ROOT]
    power = scores((real.observations[node].k, law.k(real.observations[node].divisions)) for node in nodes)
    found = {"power": (power.mean_ratio_error, 1.96)}
    for name, published in (("independence", 1.11), ("pairs", 1.015)):
        found[name] = (error_of(name, real, nodes, known=known_to(name)), published)
    return [
        Figure(
            f"census, {name}: mean ratio error {error:.3f}, off {published} by",
            abs(error - published),
            target=0.02,
            unit="",
            digits=3,
        )
        for name, (error, published) in found.items()
    ]


def service_figures(made: Sequence[Service]) -> list[Figure]:
    """Row 6 on the service-like sets: over all nodes as the readings count, and over nodes never measured."""
    figures = []
    three = [node for node in LATTICE.nodes() if grouped(node) == 3]
    for name in PREDICTORS:
        errors = [error_of(name, each, three, known=known_to(name, each)) for each in made]
        figures.append(
            Figure(
                f"services, {name}: mean ratio error of nodes of 3 attributes",
                fmean(errors),
                target=1.10 if name == "pairs" else None,
                unit="",
                digits=3,
                note=f"worst service {max(errors):.3f}; known: {KNOWN[name]}",
            )
        )
    return figures


KNOWN: Mapping[str, str] = {
    "pairs": "class sizes of every column, the measured nodes of two attributes",
    "independence": "class sizes of every column",
    "power": f"the measured nodes of at most {FEW_DIVISIONS} divisions",
}


def known_to(name: str, of: Service | None = None) -> list[Node]:
    """The nodes that a predictor is given: none of them has three attributes where it matters."""
    if name == "pairs":
        return [node for node in LATTICE.nodes() if grouped(node) in (1, 2)]
    if name == "power" and of is not None:
        return [node for node in few_divisions(of) if grouped(node) < 3]
    return []


def error_of(name: str, of: Service, nodes: Sequence[Node], known: Iterable[Node]) -> float:
    """The mean ratio error of a predictor over nodes, given measured ones."""
    predictions = PREDICTORS[name].build(of.evidence(known)).predict(nodes)
    pairs = ((of.observations[node].k, each.k) for node, each in zip(nodes, predictions, strict=True))
    return scores(pairs).mean_ratio_error


def score_of_law(of: Service, fitted: Iterable[Node]) -> tuple[Scores, float]:
    """The fit of the law of some nodes to the mean k of every number of divisions, and its mean ratio error.

    R and what follows from it count the root, the ratio error does not: so the paper's figures come out.
    """
    law = fit(points(of, fitted))
    means = mean_k(points(of, LATTICE.nodes()))
    both = [(k, law.k(x)) for x, k in means.items()]
    return scores(both), scores(both[1:]).mean_ratio_error


def points(of: Service, nodes: Iterable[Node]) -> list[tuple[int, float]]:
    return [(of.observations[node].divisions, of.observations[node].k) for node in nodes]


def few_divisions(of: Service) -> list[Node]:
    """The nodes that the paper samples: those of at most `FEW_DIVISIONS` divisions."""
    return [node for node in LATTICE.nodes() if node != ROOT and of.observations[node].divisions <= FEW_DIVISIONS]


def grouped(node: Node) -> int:
    """By how many attributes a node groups."""
    return sum(level != top for level, top in zip(node, ROOT, strict=True))
