"""What `request predict` tells, of predictions made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ordermade.methods.generalization.predicted import (
    Basis,
    Cost,
    Predicted,
    PredictedBy,
    PredictedNode,
    expected_k,
    informative_nodes,
    node_table,
    number,
    predicted_facts,
    under_the_table,
)
from ordermade.methods.generalization.result import StartReport
from ordermade.methods.shared.verdict import chance_in_words
from ordermade.prediction.calibration import calibration
from ordermade.prediction.prediction import Scores
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import of_generalization, read_request
from ordermade.views.request import beyond_k, started


def node(level: int, chance: float | None, *, k: float | None = 20.0, proved: bool | None = None) -> PredictedNode:
    names = {"sex": "value", "age": f"level {level}"}
    return PredictedNode({"sex": 0, "age": level}, names, k, 10.0, 40.0, chance, proved, 5.0)


NODES = (node(0, 0.0, proved=False), node(1, 0.3), node(2, 0.8), node(3, 1.0, proved=True))
PREDICTED = Predicted(
    title="Members by age",
    dataset="members",
    k=15,
    objective="prec",
    ranked_by="prec",
    verdict="passes",
    chance=1.0,
    finest=NODES[0],
    certain=NODES[3],
    expected=NODES[2],
    nodes=NODES,
    nodes_in_lattice=4,
    nodes_proved_to_pass=1,
    nodes_proved_to_fail=1,
    predictor=PredictedBy("pairs", "what it does", Scores(0.99, 0.98, 0.97, 1.5, 1.234, 7)),
    too_little=None,
    basis=Basis(1_000, datetime(2026, 1, 2, tzinfo=UTC), 31, 7, ("age",), 3),
    cost=Cost(1, 2, 1, 2),
)


@pytest.mark.parametrize(
    ("chance", "words"),
    [(None, "-"), (0.0, "< 1 %"), (0.004, "< 1 %"), (0.01, "1 %"), (0.5, "50 %"), (0.99, "99 %"), (0.9901, "> 99 %")],
)
def test_a_chance_is_never_told_as_certain(chance: float | None, words: str) -> None:
    assert chance_in_words(chance) == words


@pytest.mark.parametrize(("k", "words"), [(None, "-"), (1.0, "1"), (1.44, "1.4"), (62.4, "62"), (12_345.6, "12,346")])
def test_numbers(k: float | None, words: str) -> None:
    assert number(k) == words


def test_an_expected_k_has_its_interval_and_a_known_one_has_none() -> None:
    assert expected_k(NODES[1]) == "20 (10 to 40)"
    assert expected_k(replace(NODES[1], k=None)) == "10 to 40"
    assert expected_k(replace(NODES[1], low=20.0, high=20.0)) == "20, proved"


def test_an_end_that_is_cut_to_a_proved_bound_is_marked_and_the_mark_explained() -> None:
    cut = replace(NODES[1], bounded=("high",))
    assert expected_k(cut) == "20 (10 to ≤40)"
    assert expected_k(replace(NODES[1], bounded=("low", "high"))) == "20 (≥10 to ≤40)"
    below, above = replace(cut, k=40.0, low=40.0), replace(NODES[1], k=10.0, high=10.0, bounded=("low",))
    assert (expected_k(below), expected_k(above)) == ("40 (≤40)", "10 (≥10)")

    told = replace(PREDICTED, nodes=(NODES[0], cut), nodes_in_lattice=2, expected=cut)
    assert node_table(told, everything=False)[1][1] == ("level 1", "20", "10 to ≤40", "30 %")
    assert dict(predicted_facts(told))["its k"] == "20 (10 to ≤40); passes: 30 %"
    assert under_the_table(told, 2) == (
        "passes: a chance; yes and no are proved. ≤: proved, and the interval is cut there."
    )
    assert "≥ and ≤: proved" in under_the_table(replace(told, nodes=(cut, above)), 2)


def test_a_cut_end_below_the_least_k_is_not_told() -> None:
    cut = replace(NODES[1], k=3.0, low=2.0, high=40.0, bounded=("low", "high"))
    assert cut.without_counts_below(2).bounded == ("low", "high")
    assert cut.without_counts_below(5).bounded == ("high",)
    hidden = replace(cut, high=4.0).without_counts_below(5)
    assert (hidden.k, hidden.low, hidden.high, hidden.bounded) == (None, 0.0, 5.0, ())
    assert hidden == replace(cut, high=3.0, bounded=()).without_counts_below(5)


def test_the_run_and_earlier_forecasts_are_told_where_they_are_known() -> None:
    so_far = calibration([(0.8, True), (0.6, False)], [(1.0, True)])
    facts = dict(predicted_facts(replace(PREDICTED, questions=4.4, seconds=1.26, calibration=so_far)))
    assert facts["a run takes"] == "about 4 nodes to measure, 1.3 s"
    judged = "2 forecasts on this dataset, Brier score 0.20"
    assert facts["forecasts so far"] == f"{judged}; proved besides: 1, 0 came out otherwise"
    alone = dict(predicted_facts(replace(PREDICTED, calibration=calibration([(0.8, True), (0.6, False)]))))
    assert alone["forecasts so far"] == judged
    proved = dict(predicted_facts(replace(PREDICTED, calibration=calibration([], [(1.0, True), (1.0, False)]))))
    assert proved["forecasts so far"] == "proved: 2, 1 came out otherwise"
    answered = dict(predicted_facts(replace(PREDICTED, seconds=0.5)))
    assert answered["a run takes"] == "no node to measure, 0.5 s"


def test_facts_of_a_prediction() -> None:
    facts = {name: value for name, value in predicted_facts(PREDICTED) if value is not None}

    assert facts == {
        "will it pass": "yes, proved",
        "at the finest": "no, proved",
        "expected": "sex: value, age: level 2",
        "its k": "20 (10 to 40); passes: 80 %",
        "proved to pass": "sex: value, age: level 3",
        "nodes accepted": "4: 1 proved to pass, 1 proved to fail, 2 open",
        "predictor": "pairs (what it does); mean ratio error 1.23, R 0.990 on 7 measured nodes, each held out",
        "dataset": f"1,000 rows, as last seen {PREDICTED.basis.last_seen_at.astimezone():%Y-%m-%d %H:%M}",  # type: ignore[union-attr]
        "table C": "31 nodes of this dataset version, 7 of these columns",
        "earlier version": "3 nodes (a hint only)",
        "marginals": "age",
        "to know for sure": "`request run` sends the source at most 1 statement for the dataset version, "
        "2 for the values of columns and 1 frequency set",
    }


@pytest.mark.parametrize(
    ("verdict", "chance", "words"),
    [
        ("likely", 0.8, "likely (80 %)"),
        ("unlikely", 0.001, "unlikely (< 1 %)"),
        ("open", None, "cannot be predicted yet"),
        ("fails", 0.0, "no, proved: `request run` will refuse it, with the reason"),
    ],
)
def test_verdicts(verdict: str, chance: float | None, words: str) -> None:
    told = dict(predicted_facts(replace(PREDICTED, verdict=verdict, chance=chance)))  # type: ignore[arg-type]

    assert told["will it pass"] == words
    assert ("at the finest" in told) is (verdict != "fails")


def test_a_table_leaves_out_what_is_the_same_everywhere_and_marks_what_is_proved() -> None:
    headings, rows = node_table(PREDICTED, everything=False)

    assert headings == ["age", "k", "90 %", "passes"]
    assert rows == [
        ("level 0", "20", "10 to 40", "no"),
        ("level 1", "20", "10 to 40", "30 %"),
        ("level 2", "20", "10 to 40", "80 %"),
        ("level 3", "20", "10 to 40", "yes"),
    ]
    assert under_the_table(PREDICTED, 4) == "passes: a chance; yes and no are proved."
    beyond = asking("suppression_limit: 0.05\nrisk: {average: 0.01}")
    assert under_the_table(PREDICTED, 4, beyond) == (
        "passes: a chance; yes and no are proved. k: the least class after as much suppression "
        "as allowed, the smallest classes first. A node of enough k may fail the other requirements."
    )


def test_a_long_table_has_ranks_and_says_what_it_leaves_out() -> None:
    many = replace(PREDICTED, nodes=tuple(node(i, i / 100) for i in range(100)), nodes_in_lattice=100)

    headings, rows = node_table(many, everything=False)
    _, all_rows = node_table(many, everything=True)

    assert headings[0] == "rank"
    assert (len(rows), len(all_rows)) == (30, 100)
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert 51 in {row[0] for row in rows}
    assert "30 of 100 nodes, by prec" in under_the_table(many, 30)
    assert "--all lists all" in under_the_table(many, 30)
    larger = replace(many, nodes_in_lattice=5_000)
    assert "--all lists 100" in under_the_table(larger, 30)
    assert "4,900 more accepted nodes were not predicted one by one" in under_the_table(larger, 100)


def test_many_columns_are_told_in_one_cell() -> None:
    columns = [f"c{place}" for place in range(8)]
    nodes = tuple(
        replace(NODES[1], levels=dict.fromkeys(columns, level), level_names=dict.fromkeys(columns, f"l{level}"))
        for level in range(2)
    )

    headings, rows = node_table(replace(PREDICTED, nodes=nodes, nodes_in_lattice=2), everything=False)

    assert headings == ["levels", "k", "90 %", "passes"]
    assert rows[1][0] == ", ".join(f"{column}: l1" for column in columns)


def test_the_informative_nodes_are_the_best_that_pass_and_the_least_certain() -> None:
    failing = [node(i, 0.0, proved=False) for i in range(50)]
    open_nodes = [node(50 + i, 0.45 + i / 100) for i in range(10)]
    passing = [node(60 + i, 1.0, proved=True) for i in range(40)]

    told = [each.levels["age"] for each in informative_nodes([*failing, *open_nodes, *passing])]

    assert len(told) == 30
    assert told == sorted(told)
    assert set(range(50, 60)) <= set(told)
    assert {60, 61, 49, 48} <= set(told)  # beside the border on either side
    assert 0 not in told


def test_without_a_prediction_the_interval_is_what_is_proved() -> None:
    told = replace(
        PREDICTED, predictor=None, too_little="pairs: why", nodes=(node(0, None, k=None), node(1, None, k=None))
    )

    headings, rows = node_table(told, everything=False)

    assert "proved" in headings
    assert rows[0][-3:] == ("-", "10 to 40", "-")
    assert dict(predicted_facts(told))["no prediction"] == "pairs: why"


def test_where_a_search_started() -> None:
    start = StartReport({"age": 1}, {"age": "decade"}, 123.4, 114_000.0, -1.425, 0.9968, 9, 55)

    assert started(start) == (
        "age: decade: nearest to 123.4 classes (divisions x), where 114,000 x^-1.425 + 1 (R 0.997) meets k; "
        "9 nodes measured for the fit"
    )
    assert "no power law could be fitted" in started(replace(start, predicted=None))


def asking(beyond: str) -> GeneralizationRequest:
    """A request for ages with what it asks beyond k."""
    asks = "dataset: members\nk: 15\nquasi_identifiers: {age: {hierarchy: age}}\nrelease: {to: out.csv}\n"
    return of_generalization(read_request(asks + beyond), "").request


@pytest.mark.parametrize(
    ("beyond", "told"),
    [
        ("", ""),
        ("suppression_limit: 0.005", ", 0.5 % suppressed at most"),
        ("sensitive: {plan: [{model: distinct_l, l: 2}]}\nrisk: {highest: 0.1}", ", models of plan, risks bounded"),
    ],
)
def test_what_is_asked_beyond_k_in_words(beyond: str, told: str) -> None:
    assert beyond_k(asking(beyond)) == told


COSTS = [
    (Cost(0, 0, 0, 0, unchanged=True), ["no statement"], ": nothing was written to it since"),
    (
        Cost(2, 1, 0, 0, identifying_queries=1, release_queries=1, if_changed=9),
        [
            "2 statements for the dataset version",
            "1 for the values of a column",
            "1 for columns that may identify persons",
            "1 for the release",
        ],
        "; 9 in all if the data changed since",
    ),
    (
        Cost(1, 0, 1, 4, by_part=True, if_changed=3),
        ["1 statement for the dataset version", "1 frequency set a part"],
        "; 3 in all if the data changed since",
    ),
    (
        Cost(1, 0, 2, 4, by_part=True),
        ["1 statement for the dataset version", "2 frequency sets, one a part"],
        "",
    ),
]


@pytest.mark.parametrize(("cost", "statements", "more"), COSTS)
def test_the_cost_is_foretold_in_words(cost: Cost, statements: list[str], more: str) -> None:
    facts = dict(predicted_facts(replace(PREDICTED, cost=cost)))
    *first, last = statements
    listed = f"{', '.join(first)} and {last}" if first else last
    assert facts["to know for sure"] == f"`request run` sends the source at most {listed}{more}"
    assert cost.statements == sum(foretold(cost))


def foretold(cost: Cost) -> list[int]:
    return [*(getattr(cost, f"{each}_queries") for each in ("version", "coverage", "identifying", "source", "release"))]
