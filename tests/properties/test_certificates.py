"""Certificates of random requests: they verify, state a minimal cover, and nothing false verifies or is claimed."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from pydantic import ValidationError

from ordermade import Engine
from ordermade.certificates import certify
from ordermade.certificates.claims import (
    Box,
    ClaimedColumn,
    ClaimedFigures,
    ClaimedTerms,
    Node,
    left_over,
    passes,
    proved,
    score,
)
from ordermade.certificates.document import Certificate, CertifiedAnswer, read_certificate
from ordermade.certificates.verification import answer_of
from ordermade.errors import InputError, OrdermadeError, RequestError, Unproved
from ordermade.lattice.observation import Requirement
from ordermade.loss.metrics import METRICS
from ordermade.methods.generalization.method import GENERALIZATION
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.requests.read import of_generalization, read_mapping
from ordermade.search import SEARCHES
from tests.long import rounds
from tests.made import Value, new_engine, write_hierarchy, write_table
from tests.properties.required_tables import MODELS as FAILING
from tests.properties.required_tables import Case, cases
from tests.properties.test_search import Partition
from tests.properties.test_search import Table as Rows

SEED = 20_261_124
MODELS: tuple[dict[str, Any], ...] = (
    {"model": "distinct_l", "l": 2},
    {"model": "entropy_l", "l": 1.5},
    {"model": "recursive_cl", "c": 2, "l": 2},
    {"model": "t_closeness", "t": 0.3, "distance": "equal"},
    {"model": "alpha_k", "alpha": 0.8},
)
CERTIFYING = [each for each in SEARCHES.values() if each.certifies]


@dataclass
class Table:
    """A table of persons: an engine that has it twice, counting rows and persons, and the tops of its hierarchies."""

    engine: Engine
    tops: list[int]
    folder: Path


@dataclass
class Certified:
    """Certificates of random requests, each with its table; `tamperings` of them are tried."""

    every: list[tuple[Table, Path, dict[str, Any]]]
    released: int
    tamperings: int


@pytest.fixture(
    scope="module",
    params=[
        (6, 200),
        pytest.param((rounds(24, 100), rounds(480, 2_000)), marks=[pytest.mark.thorough, pytest.mark.long]),
    ],
    ids=["few", "many"],
)
def certified(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Certified:
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    number, tamperings = request.param
    tables = [_table(random.Random(SEED + i), tmp_path_factory.mktemp("certificates")) for i in range(1 + number // 20)]
    found = Certified([], 0, tamperings)
    while len(found.every) < number:
        table = rng.choice(tables)
        document = _request(rng, table, len(found.every))
        path = table.folder / f"{len(found.every)}.json"
        try:
            result = table.engine.run(document, again=True)
        except RequestError:  # a search that does not serve this objective or requirement
            continue
        table.engine.certify(document, result, path)
        assert isinstance(result, GeneralizationResult)
        assert table.engine.verify_certificate(path, document).nodes == result.search.nodes_in_lattice
        found.every.append((table, path, document))
        found.released += result.released
    return found


def _table(rng: random.Random, folder: Path) -> Table:
    engine, rows, columns = new_engine(folder), rng.choice([60, 200, 600]), 3
    values = [rng.choice([3, 6, 12]) for _ in range(columns)]
    table = [(rng.randrange(rows // 2), *(rng.randrange(n) for n in values), rng.choice("aabbc")) for _ in range(rows)]
    kinds = {"person": "INTEGER", **{f"q{i}": "INTEGER" for i in range(columns)}, "ill": "VARCHAR"}
    write_table(folder / "s.duckdb", kinds, table)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("rows", "s", table="persons", least_k=2)
    engine.datasets.add("people", "s", table="persons", least_k=2, entity="person")
    tops = []
    for i, n in enumerate(values):
        levels = rng.choice([1, 2, 3])
        paths: list[list[Value]] = [
            [value, *(f"{value // (2**level)}-{level}" for level in range(1, levels + 1))] for value in range(n)
        ]
        file = write_hierarchy(folder / f"q{i}.csv", ["value", *(f"l{level}" for level in range(levels))], paths)
        tops.append(engine.hierarchies.add(f"q{i}", file, "header").hierarchy.top)
    return Table(engine, tops, folder)


def _request(rng: random.Random, table: Table, number: int) -> dict[str, Any]:
    objective = rng.choice(list(METRICS))
    able = [each.name for each in CERTIFYING if METRICS[objective].weighted or not each.needs_costs]
    request: dict[str, Any] = {
        "dataset": rng.choice(["rows", "rows", "people"]),
        "k": rng.choice([2, 3, 5, 8, 20]),
        "quasi_identifiers": {
            f"q{i}": {"hierarchy": f"q{i}", "to": rng.choice([top, top, max(0, top - 1)])}
            for i, top in enumerate(table.tops)
        },
        "search": {"algorithm": rng.choice(able), "objective": objective},
        "release": {"to": str(table.folder / f"{number}.csv")},
    }
    if METRICS[objective].weighted and rng.random() < 0.3:
        request["search"]["weights"] = {"q0": rng.choice([0, 0.5, 3])}
    if rng.random() < 0.6:
        request["suppression_limit"] = rng.choice([0.01, 0.05, 0.2])
    if rng.random() < 0.4:
        request["sensitive"] = {"ill": rng.sample(MODELS, rng.choice([1, 1, 2]))}
    if rng.random() < 0.2:
        request["risk"] = {"average": rng.choice([0.05, 0.1, 0.3])}
    return request


@pytest.mark.slow
def test_the_certificates_of_random_requests_verify_and_no_evidence_is_superfluous(certified: Certified) -> None:
    """Every one was verified as it was made; without any one piece of its evidence it would not hold."""
    longest = max(path.stat().st_size for _, path, _ in certified.every)
    print(f"{len(certified.every)} certificates, {certified.released} of a release, the longest of {longest:,} bytes")
    for table, path, _ in certified.every:
        _require_minimal(table, path)
    assert certified.released > len(certified.every) // 3
    assert longest < 100_000


def _require_minimal(table: Table, path: Path) -> None:
    """Without any one piece of its evidence a certificate does not hold."""
    certificate = read_certificate(path)
    for left_out in range(len(certificate.evidence)):
        rest = certificate.evidence[:left_out] + certificate.evidence[left_out + 1 :]
        with pytest.raises(Unproved, match="nothing rules out"):
            _verify_as(table, path, certificate.model_copy(update={"evidence": rest}))


def _verify_as(table: Table, path: Path, certificate: Certificate) -> None:
    """Verifies a certificate that has the SHA-256 of its fields, whatever they state."""
    changed = path.with_suffix(".changed.json")
    changed.write_text(certificate.text(), encoding="utf-8")
    table.engine.verify_certificate(changed)


@pytest.mark.slow
def test_a_certificate_of_a_worse_answer_does_not_hold(certified: Certified) -> None:
    """Accepted nodes that pass and lose more, each claimed to be the optimum by its true figures."""
    rng = random.Random(SEED)
    claimed = 0
    for table, path, request in certified.every[:40]:
        certificate = read_certificate(path)
        for answer in _worse(table, certificate, request, rng):
            claimed += 1
            with pytest.raises(Unproved):
                _verify_as(table, path, certificate.model_copy(update={"answer": answer}))
    print(f"{claimed} worse answers claimed")
    assert claimed > 5


def _worse(
    table: Table, certificate: Certificate, request: dict[str, Any], rng: random.Random
) -> list[CertifiedAnswer]:
    if certificate.answer is None:
        return []
    read = of_generalization(read_mapping(request), "test")
    with (
        table.engine._setting() as context,
        GENERALIZATION.opened(read, context) as open_request,
    ):
        terms, recount = certify.recounted(open_request)
        lattice = open_request.resolved.lattice
        nodes = [certificate.answer.node, *rng.sample(list(lattice.nodes()), min(8, lattice.size))]
        figures = {node: recount.figures(terms, node) for node in nodes}
        passing = {node: score(terms, node, each) for node, each in figures.items() if passes(terms, each)}
        best = passing[certificate.answer.node]
        return [answer_of(node, terms, figures[node]) for node, at in passing.items() if terms.is_better(best, at)]


@pytest.mark.slow
def test_no_certificate_that_was_tampered_with_is_accepted(certified: Certified) -> None:
    rng = random.Random(SEED)
    for _ in range(certified.tamperings):
        table, path, _ = rng.choice(certified.every)
        text = _tampered(path.read_text(encoding="utf-8"), rng)
        changed = path.with_suffix(".tampered.json")
        changed.write_text(text, encoding="utf-8")
        with pytest.raises((Unproved, InputError)):
            table.engine.verify_certificate(changed)


def _tampered(text: str, rng: random.Random) -> str:
    """The text cut, with some characters changed, or with one value changed in its place."""
    while True:
        match rng.randrange(3):
            case 0:
                found = text[: rng.randrange(len(text) - 2)]
            case 1:
                place = rng.randrange(len(text))
                found = text[:place] + rng.choice('0123456789abcdef{}[]",: ') + text[place + 1 :]
            case _:
                content = json.loads(text)
                _change(content, rng)
                found = json.dumps(content)
        try:
            if json.loads(found) != json.loads(text):
                return found
        except ValueError:
            return found


def _change(content: Any, rng: random.Random) -> None:
    """Changes one value somewhere in a document."""
    at: Any = content
    while True:
        key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key]:
            break
        at = at[key]
    match at[key]:
        case bool() | None:
            at[key] = 1
        case int() as value:
            at[key] = value + rng.choice([-1, 1, 7])
        case str() as value if value:
            at[key] = value[:-1] + rng.choice("0123456789abcdef")
        case _:
            at[key] = "x"


@pytest.mark.slow
def test_whatever_a_forger_restates_the_certificate_of_another_answer_is_rejected(certified: Certified) -> None:
    """Values changed and the SHA-256 made anew: what still verifies states the same answer of the same request."""
    rng = random.Random(SEED)
    accepted, restated = 0, certified.tamperings // 7
    for _ in range(restated):
        table, path, _ = rng.choice(certified.every)
        content = json.loads(path.read_text(encoding="utf-8"))
        before = json.loads(json.dumps(content))
        _change(content, rng)
        content.pop("sha256", None)
        try:
            _verify_as(table, path, Certificate.model_validate(content))
        except (OrdermadeError, ValidationError):
            continue
        accepted += 1
        assert {name: content[name] for name in SETTLED} == {name: before[name] for name in SETTLED}
    print(f"{accepted} of {restated} restated certificates are still true")
    assert accepted < restated // 3


SETTLED = ("dataset", "version", "request_sha256", "objective", "columns", "answer")


MAX_NODES = 40
EXACT = sorted(set(METRICS) - {"entropy", "entropy_ignoring_suppression"})
"""The objectives whose scores are exact fractions."""


def _shares(case: Case, level: int, position: int) -> list[Fraction]:
    """The share of the other leaves that each value of a column has beside it in its class."""
    levels = case.table.levels[position]
    others = max(1, len(levels[0]) - 1)
    return [Fraction(levels[level].count(each) - 1, others) for each in levels[level]]


def _terms(case: Case, objective: str) -> ClaimedTerms:
    """The terms of a request for the case, whose costs are those of the metric's definition."""
    columns, rows = [], case.table.rows
    for position, axis in enumerate(case.table.lattice.axes):
        levels = range(axis.top + 1)
        shared = objective in ("prec", "prec_suppressed_as_1", "loss")
        weight = Fraction(1, len(case.table.levels) if shared else 1)
        costs: dict[str, list[Fraction]] = {
            "prec": [Fraction(level, axis.top or 1) for level in levels],
            "height": [Fraction(level) for level in levels],
            "loss": [
                sum((_shares(case, level, position)[row[position]] for row in rows), Fraction()) / max(1, len(rows))
                for level in levels
            ],
        }
        own = costs.get(objective.removesuffix("_suppressed_as_1"))
        paid = None if own is None else tuple(weight * cost for cost in own)
        columns.append(ClaimedColumn(axis.accepted, frozenset(levels), axis.order.finer, weight, paid))
    required = case.required
    inherited = case.model is None or bool(FAILING[case.model][1 if required.most_suppressed else 2])
    return ClaimedTerms(
        required.k, required.most_suppressed, case.units, required.persons, inherited, required.average_risk,
        objective, tuple(columns), Fraction(),
    )  # fmt: skip


def _figures(case: Case, terms: ClaimedTerms, node: Node) -> ClaimedFigures:
    """The figures of a node, counted row by row."""
    classes = case.members(node).values()
    sizes = Counter((case.size(rows), case.fails(rows)) for rows in classes)
    below = [row for rows in classes if case.size(rows) < case.required.k for row in rows]
    suppressed = case.suppressed(node)
    shares = [_shares(case, level, position) for position, level in enumerate(node)]
    paid = [
        sum(
            (1 - each[case.table.rows[row][i]] for row in rows for i, each in enumerate(shares) if len(each) > 1),
            Fraction(),
        )
        / max(1, len(shares) * len(case.table.rows))
        for rows in ((below, suppressed) if terms.objective == "loss" else ((), ()))
    ]
    ordered = tuple(sorted((size, fails, n) for (size, fails), n in sizes.items()))
    return ClaimedFigures(ordered, case.size(below), case.size(suppressed), *paid)


def _one_column(
    values: str, *levels: Partition, sensitive: str = "", model: str | None = None, **required: Any
) -> Case:
    """Rows of one column and what is required of them; the levels are from the values on to `*`."""
    chain = (tuple(range(len(levels[0]))), *levels)
    table = Rows(tuple((int(each),) for each in values), (chain,), (tuple(range(len(chain))),))
    return Case(table, None, tuple(map(int, sensitive or "0" * len(values))), Requirement(**required), model)


# A class that fails a model, of which a finer node keeps 4 rows of 5.
@pytest.mark.slow
@example(_one_column("00001", (0, 0), sensitive="00110", model="no value in more than half", k=1, most_suppressed=1,
                     models=True, monotone=False))  # fmt: skip
# Three classes of ten rows are more than one in four, but two of them are suppressed.
@example(_one_column("0000000012", (0, 0, 0), k=2, most_suppressed=2, monotone=False, average_risk=Fraction(1, 4)))
# Four single rows make two classes of two.
@example(_one_column("0123", (0, 0, 1, 1), (0, 0, 0, 0), k=2))
# Two classes and suppressed rows count as three; the next level has two classes and suppresses nothing.
@example(_one_column("00112", (0, 1, 1), (0, 0, 0), k=2, most_suppressed=1))
@given(cases() | cases(limit=True, model=True))
def test_claims_are_true_and_what_none_covers_is_left_over(case: Case) -> None:
    nodes = list(case.table.lattice.nodes())[:MAX_NODES]
    passing = [node for node in nodes if case.passes(node)]
    losses = {node: case.losses(node) for node in passing}
    for objective in EXACT:
        terms = _terms(case, objective)
        figures = {node: _figures(case, terms, node) for node in nodes}
        assert [node for node in nodes if passes(terms, figures[node])] == passing
        scores = {node: score(terms, node, figures[node]) for node in passing}
        assert [abs(each) for each in scores.values()] == pytest.approx([losses[node][objective] for node in passing])
        for best in (None, *sorted(set(scores.values()))[:3]):
            _require_true(case, terms, figures, {node for node in passing if terms.is_better(scores[node], best)}, best)


def _require_true(
    case: Case, terms: ClaimedTerms, figures: dict[Node, ClaimedFigures], better: set[Node], best: Fraction | None
) -> None:
    """No better node is covered by a box, and left over is what neither boxes nor the costs of levels cover."""
    boxes = []
    for node, of_node in figures.items():
        for why, box in proved(terms, best, node, of_node):
            boxes.append(box)
            assert not any(_covers(terms, box, each) for each in better), (terms.objective, best, node, why)
    no_better = Box(tuple(frozenset(each.accepted) for each in terms.columns), best)
    by_costs = [no_better] if best is not None and terms.columns[0].costs else []
    for some in (boxes, boxes[1:], boxes[::2], []):
        left = [
            each for each in case.table.lattice.nodes() if not any(_covers(terms, b, each) for b in some + by_costs)
        ]
        found = left_over(terms, best, some)
        assert found in left if left else found is None, (terms.objective, best, found)


def _covers(terms: ClaimedTerms, box: Box, node: Node) -> bool:
    """Whether a box rules out a node."""
    inside = all(level in levels for level, levels in zip(node, box.levels, strict=True))
    return inside and (box.least is None or terms.level_cost(node) >= box.least)


def test_a_class_that_is_small_or_fails_a_model_is_not_released() -> None:
    figures = ClaimedFigures(((1, False, 4), (3, True, 2), (3, False, 5), (7, False, 1)), below=4, suppressed=10)
    assert figures.released(3) == [(3, 5), (7, 1)]
    assert figures.released(4) == [(7, 1)]
    assert (figures.least(3), figures.least(8)) == (3, 0)


@pytest.mark.parametrize(("suppressed", "passing"), [(0, True), (3, True), (4, False)])
def test_as_many_suppressed_units_as_the_limit_pass_and_no_more(suppressed: int, passing: bool) -> None:
    terms = ClaimedTerms(2, 3, 10, False, False, None, "dm", (), Fraction())
    assert passes(terms, ClaimedFigures(((6, False, 1),), below=suppressed, suppressed=suppressed)) is passing
