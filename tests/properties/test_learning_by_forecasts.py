"""Forecasts learn: on held-out requests of a made service, more observations make no larger errors."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench.coded_table import CodedTable
from bench.forecasts import Judged, by_name, chosen, errors, filled, held_out
from bench.wide_service import BroadService
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.prediction.predictors import least_erring

CHECKPOINTS = (0, 10, 100)
Known = Mapping[int, Mapping[Node, Observation]]


@pytest.fixture(scope="module")
def learnt() -> tuple[CodedTable, Known, list[Judged]]:
    """A service of 5,000 members, table C at each checkpoint, and held-out requests."""
    table = BroadService(36, 7)
    known = filled(table, 24, CHECKPOINTS)
    return table, known, held_out(table, known[CHECKPOINTS[-1]], 24, 30)


@pytest.mark.slow
def test_errors_on_nodes_never_proved_do_not_rise_with_observations(
    learnt: tuple[CodedTable, Known, list[Judged]],
) -> None:
    table, known, judged = learnt
    first, *later = (errors(table, known[number], judged, chosen) for number in CHECKPOINTS)
    for each in later:
        assert each.ratio - 1 <= 1.05 * (first.ratio - 1)
        assert each.brier <= 1.05 * first.brier
    assert later[-1].brier <= 0.10
    # Corrections that do not fade carry what searches measure at the border to nodes of another k.
    carried = errors(table, known[CHECKPOINTS[-1]], judged, by_name("pairs"))
    assert carried.ratio - 1 > 1.2 * (first.ratio - 1)


@pytest.mark.slow
def test_the_predictor_that_erred_least_is_first(learnt: tuple[CodedTable, Known, list[Judged]]) -> None:
    table, known, judged = learnt
    request = judged[0].request
    evidence = table.evidence(request.lattice, request.columns, known[100], request.required(table).most_suppressed)
    found = least_erring(evidence)
    assert [each.error for each in found] == sorted(each.error for each in found)
    assert {each.kind.name for each in found} == {"dependence", "pairs", "independence", "power"}
    assert found[0].judged.scores is not None
    nothing = table.evidence(request.lattice, request.columns, {}, request.required(table).most_suppressed)
    assert next(iter(least_erring(nothing))).kind.name == "dependence"  # before any has erred
