"""Offers against brute force over their space: each is right and best, none is missing, and few nodes are counted."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.offers.offer import Offer, Offers
from tests.long import rounds
from tests.made import Row, new_engine, write_hierarchy, write_table
from tests.properties.by_hand import Asked
from tests.properties.offers_by_hand import SHOWN, Column, Refused, expected_offers, fewest_nodes

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "place": "INTEGER", "ill": "VARCHAR", "person": "INTEGER"}
SENSITIVE = 3
HIERARCHIES: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]] = {
    "sex": (("value", "top"), [("f", "*"), ("m", "*")]),
    "age": (
        ("value", "pair", "half", "top"),
        [(age, f"p{age // 2}", f"h{age // 4}", "*") for age in range(8)],
    ),
    # Parity and halves do not nest.
    "place": (
        ("value", "parity", "half", "top"),
        [(place, f"o{place % 2}", f"h{place // 3}", "*") for place in range(6)],
    ),
}
NESTED: dict[str, tuple[tuple[str, ...], list[tuple[Any, ...]]]] = {
    **HIERARCHIES,
    "place": (("value", "pair", "top"), [(place, f"p{place // 2}", "*") for place in range(6)]),
}
MODEL: dict[str, Any] = {"model": "distinct_l", "l": 2}
OBJECTIVES = ("prec", "prec", "prec", "height", "prec_suppressed_as_1", "dm", "classes")
FEW, MANY, PARTS = 3, rounds(20, 200), 10


@dataclass(frozen=True)
class Provider:
    """A state with the hierarchies, and one DuckDB source whose table is written anew for each case."""

    folder: Path
    engine: Engine


@pytest.fixture
def provider() -> Iterator[Provider]:
    with tempfile.TemporaryDirectory() as folder:
        engine = new_engine(Path(folder), use_cache=False)
        for name, (header, paths) in {**HIERARCHIES, "nested": NESTED["place"]}.items():
            engine.hierarchies.add(name, write_hierarchy(Path(folder) / f"{name}.csv", header, paths), "header")
        yield Provider(Path(folder), engine)


def a_case(chance: random.Random) -> Refused:
    """A random table with rare values, and a request on it that may be refused."""
    rows: list[Row] = []
    number = chance.choice([40, 110, 230])
    rare = chance.choice([None, None, 1, 3, 8])
    for place in range(number):
        age, town = min(7, int(chance.expovariate(0.5))), min(5, int(chance.expovariate(0.9)))
        if rare is not None and place >= rare:  # but for a few, everybody is of a few large classes
            age, town = chance.randrange(2), 0
        rows.append((chance.choice("fffm"), age, town, chance.choice("aaabc"), chance.randrange(number)))
    nested = chance.random() < 0.6
    columns = []
    for name, (header, paths) in (NESTED if nested else HIERARCHIES).items():
        top = len(header) - 1
        first = chance.choice([0, 0, 0, min(1, top - 1)])
        accepted = tuple(range(first, chance.randint(first, max(first, top - 1)) + 1))
        columns.append(Column(name, {path[0]: path for path in paths}, accepted))
    if chance.random() < 0.3:
        columns = columns[:2]
    models: tuple[dict[str, Any], ...] = (MODEL,) if chance.random() < 0.25 else ()
    limit = chance.choice([Fraction(0), Fraction(0), Fraction(1, 100), Fraction(3, 100)])
    asked = Asked(chance.choice([3, 5, 8, 12]), limit, models, persons=chance.random() < 0.15)
    sensitive = SENSITIVE if models else None
    return Refused(tuple(rows), tuple(columns), asked, chance.choice(OBJECTIVES), chance.choice([2, 3]), sensitive)


def request_of(case: Refused, folder: Path, dataset: str) -> dict[str, Any]:
    """The case as a request."""
    nested = {column.name: "nested" for column in case.columns if column.name == "place" and column.top == 2}
    request: dict[str, Any] = {
        "dataset": dataset,
        "k": case.asked.k,
        "suppression_limit": float(case.asked.limit),
        "quasi_identifiers": {
            column.name: {
                "hierarchy": nested.get(column.name, column.name),
                "from": column.accepted[0],
                "to": column.accepted[-1],
            }
            for column in case.columns
        },
        "search": {"objective": case.objective},
        "release": {"to": str(folder / "out.csv"), "replace": True},
    }
    if case.asked.models:
        request["sensitive"] = {"ill": [dict(model) for model in case.asked.models]}
    return request


def too_few(case: Refused) -> bool:
    """Whether fewer units than k are there, of which nothing is said."""
    return case.counted(tuple(column.top for column in case.columns)).units < case.asked.k


def refused_cases(count: int, seed: int) -> Iterator[Refused]:
    """So many cases that are refused."""
    chance = random.Random(seed)
    while count:
        case = a_case(chance)
        if not any(case.passes(node) for node in case.accepted()) and not too_few(case):
            count -= 1
            yield case


def _checked(provider: Provider, case: Refused, number: int) -> tuple[int, int] | None:
    """Holds the offers of a case against brute force; the nodes measured and the fewest, where these are defined."""
    engine, folder = provider.engine, provider.folder
    source = f"s{number}"
    write_table(folder / f"{source}.duckdb", COLUMNS, case.rows)
    engine.sources.add(source, str(folder / f"{source}.duckdb"))
    entity = "person" if case.asked.persons else None
    engine.datasets.add(source, source, table="persons", entity=entity, least_k=case.least_k)
    request = request_of(case, folder, source)
    offers = engine.offers(request)
    assert offers.status == "refused"
    assert offers.complete
    assert engine.offers(request) == replace(offers, nodes_measured=0)  # the list was kept
    by_nodes = [each for each in offers.offers if each.kind not in ("local", "mondrian")]
    others = [each for each in offers.offers if each.kind == "local"]
    expected = expected_offers(case, SHOWN - 1 - len(others))
    assert [_as_expected(each, case) for each in by_nodes] == [
        (each.kind, each.concession, each.node) for each in expected
    ]
    _none_missing(engine, request, offers)
    for each in offers.offers:
        result = engine.run(each.read)
        assert result.released
        assert each.difference(result) is None
        if each.figures.levels:
            assert dict(each.figures.levels) == dict(getattr(result, "levels"))  # noqa: B009
    _none_dominates(offers.offers)
    if case.objective not in ("prec", "height") or case.asked.models or case.asked.persons:
        return None
    return offers.nodes_measured, fewest_nodes(case, expected, complete=len(expected) < SHOWN - 1)


def _as_expected(offer: Offer, case: Refused) -> tuple[str, tuple[Any, ...], tuple[int, ...]]:
    """The kind of an offer, what it gives up, and its node, as `Expected` has them."""
    concession: tuple[Any, ...] = offer.concession.beyond
    if offer.kind == "suppression":
        concession = (case.asked.limit + offer.concession.more_suppressed,)
    if offer.kind == "k":
        concession = (case.asked.k - offer.concession.less_k,)
    levels = offer.figures.levels
    return offer.kind, concession, tuple(levels.get(column.name, column.top) for column in case.columns)


def _none_missing(engine: Engine, request: dict[str, Any], offers: Offers) -> None:
    """Local recoding and Mondrian along the hierarchies are offered where a run of them is released."""
    kinds = {each.kind for each in offers.offers}
    assert engine.run({**request, "recoding": "local"}).released == ("local" in kinds)
    columns = {name: {"hierarchy": each["hierarchy"]} for name, each in request["quasi_identifiers"].items()}
    if all(each["hierarchy"] != "place" for each in columns.values()):
        kept: dict[str, Any] = {key: request[key] for key in ("dataset", "k", "release", "sensitive") if key in request}
        mondrian = {**kept, "method": "mondrian", "quasi_identifiers": columns, "mondrian": {"variant": "hierarchy"}}
        assert engine.run(mondrian).released == ("mondrian" in kinds)


def _none_dominates(offers: Sequence[Offer]) -> None:
    for one in offers:
        assert not any(other.concession.dominates(one.concession) for other in offers)


def _all_checked(provider: Provider, count: int, seed: int) -> None:
    counts = [_checked(provider, case, seed + place) for place, case in enumerate(refused_cases(count, seed))]
    pairs = [each for each in counts if each is not None]
    measured, fewest = sum(each[0] for each in pairs), sum(each[1] for each in pairs)
    worst = max((each[0] / max(each[1], 1) for each in pairs), default=0)
    print(
        f"\n{count} refused requests, 0 differences; for {len(pairs)} {measured} nodes measured, {fewest} decide: "
        f"{measured / max(fewest, 1):.2f} x, at worst {worst:.2f} x"
    )
    assert measured <= 2 * fewest
    assert all(each[0] <= 2 * each[1] + 1 for each in pairs)


@pytest.mark.slow
def test_offers_are_those_of_brute_force(provider: Provider) -> None:
    _all_checked(provider, FEW, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"recoding": "local"}, marks=pytest.mark.thorough),
        {"recoding": "local", "sensitive": {"ill": [MODEL]}},
        {"risk": {"highest": 0.1}},
        pytest.param({"risk": {"average": 0.06}}, marks=pytest.mark.thorough),
        pytest.param({"search": {"objective": "entropy"}}, marks=pytest.mark.thorough),
        {"suppressed": "star", "search": {"objective": "loss", "weights": {"age": 3}}},
        {"release_shape": "table"},
    ],
    ids=str,
)
def test_other_requests_get_what_was_promised(provider: Provider, fields: dict[str, Any]) -> None:
    engine, folder = provider.engine, provider.folder
    source = "other"
    (case,) = (each for each in refused_cases(1, 31) if not each.asked.persons)
    write_table(folder / f"{source}.duckdb", COLUMNS, case.rows)
    engine.sources.add(source, str(folder / f"{source}.duckdb"))
    engine.datasets.add(source, source, table="persons", least_k=2)
    request = {**request_of(case, folder, source), "suppression_limit": 0.01, "k": 12, **fields}
    if request.pop("release_shape", None):
        request["release"] = {**request["release"], "shape": "table"}

    offers = engine.offers(request)

    assert offers.status == "refused"
    assert offers.offers
    assert engine.offers(request) == replace(offers, nodes_measured=0)
    for each in offers.offers:
        assert each.difference(engine.run(each.read)) is None
    _none_dominates(offers.offers)


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_offers_of_many_refused_requests(provider: Provider, part: int) -> None:
    _all_checked(provider, MANY // PARTS, 20_000 + 1_000 * part)
