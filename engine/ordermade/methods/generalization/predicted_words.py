"""A prediction as it is shown: the verdict, the expected node, its certainty, and the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ordermade.display.cells import cell, counted
from ordermade.methods.generalization.predicted import AT_LEAST, AT_MOST, expected_k, interval_of, number, percent

if TYPE_CHECKING:
    from ordermade.methods.generalization.predicted import Basis, Cost, Predicted, PredictedBy, PredictedNode
    from ordermade.prediction.calibration import Calibration
    from ordermade.requests.generalization import GeneralizationRequest

MOST_ROWS = 30
"""Rows of the table without --all."""
_FIRST_PASSING = 10
_MOST_COLUMNS = 5

_VERDICTS = {
    "passes": "yes, proved",
    "fails": "no, proved: `request run` will refuse it, with the reason",
    "likely": "likely",
    "unlikely": "unlikely",
    "open": "cannot be predicted yet",
}


def predicted_facts(predicted: Predicted) -> Iterator[tuple[str, Any]]:
    """The prediction for the request as a whole, its evidence, and the open questions."""
    verdict = _VERDICTS[predicted.verdict]
    if predicted.verdict in ("likely", "unlikely"):
        verdict += f" ({percent(predicted.chance)})"
    yield "will it pass", verdict
    if predicted.verdict != "fails" and predicted.finest is not None and predicted.finest.chance is not None:
        yield "at the finest", passing(predicted.finest)
    yield from _best(predicted)
    yield "nodes accepted", _nodes(predicted)
    yield "predictor", None if predicted.predictor is None else _predictor(predicted.predictor)
    yield "no prediction", predicted.too_little
    yield "forecasts so far", _so_far(predicted.calibration)
    if predicted.basis is not None:
        yield from _basis(predicted.basis)
    yield "not checked", "; ".join(predicted.unchecked) or None
    yield "to know for sure", _cost(predicted.cost)
    yield "a run takes", _run(predicted)


def _so_far(found: Calibration) -> str | None:
    parts = []
    if found.brier is not None:
        parts.append(f"{counted(found.forecasts, 'forecast')} on this dataset, Brier score {found.brier:.2f}")
    if found.proved:
        parts.append(
            f"proved{' besides' if parts else ''}: {found.proved:,}, {found.proved_wrong:,} came out otherwise"
        )
    return "; ".join(parts) or None


def _run(predicted: Predicted) -> str | None:
    expected = round(predicted.questions)
    if predicted.verdict == "fails" or not (expected or predicted.seconds):
        return None
    nodes = f"about {counted(expected, 'node')} to measure" if expected else "no node to measure"
    return nodes if predicted.seconds is None else f"{nodes}, {predicted.seconds:.2g} s"


def node_table(predicted: Predicted, *, everything: bool) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Headings and rows: levels, expected k, its interval and the chance of nodes; ranks where rows are left out.

    Columns whose level is the same in every node are left out; many columns share one cell. Without a prediction
    the interval is the proved one.
    """
    nodes = predicted.nodes if everything else informative_nodes(predicted.nodes)
    ranks = {id(node): rank for rank, node in enumerate(predicted.nodes, start=1)}
    ranked = len(nodes) < predicted.nodes_in_lattice
    columns = [
        column for column in (nodes[0].levels if nodes else ()) if len({n.levels[column] for n in predicted.nodes}) > 1
    ]
    apart = len(columns) <= _MOST_COLUMNS
    headings = [
        *(["rank"] if ranked else []),
        *(columns if apart else ["levels"]),
        "k",
        "90 %" if predicted.predictor else "proved",
        "passes",
    ]
    rows = [
        (
            *((ranks[id(node)],) if ranked else ()),
            *(_levels(node, columns) if apart else [", ".join(_named(node, columns))]),
            number(node.k),
            interval_of(node),
            percent(node.chance) if node.proved is None else "yes" if node.proved else "no",
        )
        for node in nodes
    ]
    return headings, rows


def informative_nodes(nodes: Sequence[PredictedNode], most: int = MOST_ROWS) -> list[PredictedNode]:
    """At most so many of the ranked nodes, in their order: the best expected to pass, then those nearest the border.

    Those are the least certain first; of nodes as certain (proved), the ones that are nearest the best in rank.
    """
    if len(nodes) <= most:
        return list(nodes)
    best = [place for place, node in enumerate(nodes) if node.expected_to_pass][:_FIRST_PASSING]
    border = best[0] if best else len(nodes)
    doubt = sorted(range(len(nodes)), key=lambda place: (_certainty(nodes[place]), abs(place - border)))
    chosen = list(dict.fromkeys([*best, *doubt]))[:most]
    return [nodes[place] for place in sorted(chosen)]


def under_the_table(predicted: Predicted, shown: int, request: GeneralizationRequest | None = None) -> str:
    """The legend of the table, and the nodes that it leaves out."""
    proved = "yes and no are proved" + ("." if predicted.covered else ", if each hierarchy covers its column.")
    passes = f"passes: a chance; {proved}" if predicted.predictor else f"passes: {proved}"
    parts = (passes, *_meaning_of_k(request), _bounds(predicted.nodes), _left_out(predicted, shown))
    return " ".join(part for part in parts if part)


def _meaning_of_k(request: GeneralizationRequest | None) -> Iterator[str]:
    """The meaning of the column of k beyond its name."""
    if request is not None and request.suppression_limit:
        yield "k: the least class after as much suppression as allowed, the smallest classes first."
    if request is not None and (request.sensitive or request.risk is not None):
        yield "A node of enough k may fail the other requirements."


def _bounds(nodes: Iterable[PredictedNode]) -> str | None:
    """The meaning of the marks of ends that are cut to what is proved; None where no node has one."""
    marks = {"low": AT_LEAST, "high": AT_MOST}
    found = [mark for end, mark in marks.items() if any(end in each.bounded for each in nodes)]
    return f"{' and '.join(found)}: proved, and the interval is cut there." if found else None


def _left_out(predicted: Predicted, shown: int) -> str | None:
    if shown < len(predicted.nodes):
        all_of_them = f"{len(predicted.nodes):,}" if predicted.nodes_left_out else "all"
        return (
            f"{shown:,} of {predicted.nodes_in_lattice:,} nodes, by {predicted.ranked_by}: the best that are expected "
            f"to pass, and those nearest the border. --all lists {all_of_them}."
        )
    if predicted.nodes_left_out:
        return f"{predicted.nodes_left_out:,} more accepted nodes were not predicted one by one."
    return None


def passing(node: PredictedNode) -> str:
    """Whether a node passes: proved, or its chance."""
    if node.proved is None:
        return percent(node.chance)
    return "yes, proved" if node.proved else "no, proved"


def _best(predicted: Predicted) -> Iterator[tuple[str, Any]]:
    expected, certain = predicted.expected, predicted.certain
    if expected is not None:
        yield "expected", ", ".join(_named(expected, list(expected.levels)))
        yield "its k", _outlook(expected)
    if certain is not None and (expected is None or certain.levels != expected.levels):
        yield "proved to pass", ", ".join(_named(certain, list(certain.levels)))


def _outlook(node: PredictedNode) -> str:
    if node.k_proved and node.proved is not None:
        return expected_k(node)
    sure = "proved to pass" if node.proved else f"passes: {percent(node.chance)}"
    return f"{expected_k(node)}; {sure}"


def _nodes(predicted: Predicted) -> str:
    passing_, failing = predicted.nodes_proved_to_pass, predicted.nodes_proved_to_fail
    rest = predicted.nodes_in_lattice - passing_ - failing
    return f"{predicted.nodes_in_lattice:,}: {passing_:,} proved to pass, {failing:,} proved to fail, {rest:,} open"


def _predictor(predictor: PredictedBy) -> str:
    scores = predictor.scores
    if scores is None:
        return f"{predictor.name} ({predictor.meaning}); not judged yet"
    r = "" if scores.r is None else f", R {scores.r:.3f}"
    nodes = counted(scores.nodes, "measured node")
    met = f"mean ratio error {scores.mean_ratio_error:.2f}{r} on {nodes}, each held out"
    return f"{predictor.name} ({predictor.meaning}); {met}"


def _basis(basis: Basis) -> Iterator[tuple[str, Any]]:
    persons = "" if basis.persons is None else f" of {basis.persons:,} persons"
    yield "dataset", f"{basis.rows:,} rows{persons}, as last seen {cell(basis.last_seen_at)}"
    yield "table C", f"{counted(basis.observations, 'node')} of this dataset version, {basis.nodes:,} of these columns"
    yield "earlier version", f"{counted(basis.earlier_nodes, 'node')} (a hint only)" if basis.earlier_nodes else None
    yield "marginals", ", ".join(basis.marginals) or "of no column at every requested level"


def _cost(cost: Cost) -> str:
    parts = [
        _counted(cost.version_queries, "statement for the dataset version", "statements for the dataset version"),
        _counted(cost.coverage_queries, "for the marginal of a column", "for the marginals of the columns"),
        _counted(cost.source_queries, "frequency set", "frequency sets"),
    ]
    *first, last = [part for part in parts if part]
    statements = f"{', '.join(first)} and {last}" if first else last
    return f"`request run` sends the source at most {statements}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}" if count else ""


def _levels(node: PredictedNode, columns: Sequence[str]) -> list[str]:
    return [node.level_names[column] for column in columns]


def _named(node: PredictedNode, columns: Sequence[str]) -> list[str]:
    return [f"{column}: {node.level_names[column]}" for column in columns]


def _certainty(node: PredictedNode) -> float:
    """0 where a node is as likely to pass as not, 0.5 where that is proved."""
    return 0.5 if node.chance is None else abs(node.chance - 0.5)
