"""Offers: which concession gives up more, the nearest first, and what each is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, InputError, Offers, Refused
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder
from ordermade.lattice.observation import Observation, Requirement
from ordermade.offers.offer import OffersChanged, RequestChanges, offer_of
from ordermade.offers.space import (
    Beyond,
    Concession,
    NearestNode,
    beyond_of,
    column_left_out,
    furthest,
    greatest_k,
    nearest_first,
    widened_by,
)
from ordermade.records.printed import json_of
from ordermade.requests.resolve_generalization import Resolved
from ordermade.state.authority import SHELL
from ordermade.state.inspection import verify
from tests.conformance.prepared import WHERE, copied
from tests.made import new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

AGE = [(str(age), f"{age // 5 * 5} to {age // 5 * 5 + 4}", f"{age // 10 * 10}s", "*") for age in range(20, 40)]
SEX = [("f", "*"), ("m", "*")]


def not_dominated(concessions: Iterable[Concession]) -> list[Concession]:
    """The concessions that no other one of them dominates, in their order."""
    every = list(concessions)
    return [each for each in every if not any(other.dominates(each) for other in every)]


def lattice(*accepted: tuple[int, ...], levels: int = 4) -> Lattice:
    """Columns of nested levels, with those accepted."""
    order = LevelOrder.chain(levels)
    return Lattice(tuple(Axis(f"c{place}", order, each) for place, each in enumerate(accepted)))


def test_less_of_something_and_no_more_of_anything_dominates() -> None:
    near, far = Concession((1, 0)), Concession((1, 1))

    assert near.dominates(far)
    assert not far.dominates(near)
    assert not near.dominates(near)


@pytest.mark.parametrize(
    "other",
    [
        Concession((0, 0), less_k=1),
        Concession((0, 0), more_suppressed=Fraction(1, 100)),
        Concession((0, 0), local=True),
        Concession((0, 0), mondrian=True),
        Concession((0, 1)),
    ],
)
def test_concessions_of_other_kinds_do_not_dominate(other: Concession) -> None:
    levels = Concession((1, 0))

    assert not levels.dominates(other)
    assert not other.dominates(levels)
    assert not_dominated([levels, other, Concession((3, 0))]) == [levels, other]


def test_a_column_at_the_top_is_left_out_where_it_alone_is_raised() -> None:
    accepted = lattice((0, 1), (0,))

    assert furthest(accepted) == (2, 3)
    assert column_left_out(accepted, (2, 0)) == 0
    assert column_left_out(accepted, (1, 0)) is None
    assert column_left_out(accepted, (2, 1)) is None
    assert column_left_out(lattice((0, 1)), (2,)) is None


def test_levels_beyond_are_counted_from_the_coarsest_accepted_one() -> None:
    accepted = lattice((0, 1), (2,))

    assert beyond_of(accepted, (0, 3)) == (0, 1)
    assert [axis.accepted for axis in widened_by(accepted, (1, 0)).axes] == [(0, 1, 2), (2,)]


@pytest.mark.parametrize(
    "passing",
    [
        {(1, 0, 2), (0, 2, 0), (2, 0, 0), (1, 1, 0), (0, 0, 3)},
        {(3, 3, 3)},
        {(0, 0, 1)},
        set(),
        set(product((1, 2, 3), (0, 2), (0, 3))),
    ],
)
def test_the_nearest_come_first_and_none_is_missing(passing: set[Beyond]) -> None:
    most = (3, 3, 3)
    looked: list[Beyond] = []

    def nearest(box: Beyond) -> NearestNode | None:
        looked.append(box)
        inside = [each for each in passing if all(i <= j for i, j in zip(each, box, strict=True))]
        return min((NearestNode(each, (sum(each), each)) for each in inside), key=lambda each: each.key, default=None)

    found = [each.beyond for each in nearest_first(most, nearest)]

    left = not_dominated(map(Concession, passing))
    assert found == sorted((each.beyond for each in left), key=lambda each: (sum(each), each))
    assert len(looked) == len(set(looked))


def test_the_nearest_is_looked_for_when_it_is_wanted() -> None:
    looked: list[Beyond] = []

    def nearest(box: Beyond) -> NearestNode | None:
        looked.append(box)
        return NearestNode((1, 0), (1, (1, 0))) if box[0] else None

    assert next(nearest_first((3, 3), nearest)).beyond == (1, 0)
    assert looked == [(3, 3)]


@pytest.mark.parametrize(
    ("most_suppressed", "least", "most", "expected"),
    [(0, 2, 9, 3), (0, 4, 9, None), (3, 2, 9, 7), (3, 2, 6, 6), (10, 2, 30, 20), (2, 3, 9, 3), (2, 4, 9, None)],
)
def test_greatest_k(most_suppressed: int, least: int, most: int, expected: int | None) -> None:
    observation = Observation.from_histogram([(3, 1), (7, 1), (20, 1)])

    assert greatest_k(Requirement(2, most_suppressed), observation, least, most) == expected


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state with persons of whom thirty are older than the others (`d`), or two (`rare`)."""
    folder = tmp_path_factory.mktemp("prepared")
    engine = new_engine(folder)
    for name, header, paths in (("age", ["age", "5 years", "10 years", "all"], AGE), ("sex", ["sex", "all"], SEX)):
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", header, paths), "header")
    young = [(str(20 + number % 10), "fm"[number // 10 % 2]) for number in range(2400)]
    old = [("30" if number < 16 else "35", "fm"[number % 2]) for number in range(30)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, str(folder))
        for name, rows in (("d", young + old), ("rare", [*young[:240], ("37", "f"), ("38", "m")])):
            write_table(folder / f"{name}.duckdb", {"age": "VARCHAR", "sex": "VARCHAR"}, rows)
            engine.sources.add(name, f"${{{WHERE}}}/{name}.duckdb")
            engine.datasets.add(name, name, table="persons")
    return folder


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def asked_once(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Offers]:
    """The state after the offers of the request by age and sex were made, and these."""
    folder = tmp_path_factory.mktemp("asked_once")
    with pytest.MonkeyPatch.context() as patch:
        engine = copied(prepared, folder, patch)
        return folder, engine.offers(by_age_and_sex())


@pytest.fixture
def first(asked_once: tuple[Path, Offers]) -> Offers:
    """The offers of the request by age and sex, made once for all tests."""
    return asked_once[1]


@pytest.fixture
def asked(asked_once: tuple[Path, Offers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine that made the offers of the request by age and sex."""
    return copied(asked_once[0], tmp_path, monkeypatch)


def by_age_and_sex(**fields: Any) -> dict[str, Any]:
    """A request by age and sex that releases into the working directory, with other fields."""
    columns = {"age": {"hierarchy": "age", "to": "5 years"}, "sex": {"hierarchy": "sex", "to": 0}}
    release = {"to": "out.csv", "replace": True}
    return {"dataset": "d", "k": 20, "quasi_identifiers": columns, "release": release, **fields}


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """A request by age and sex, with other fields."""
    monkeypatch.chdir(tmp_path)
    return by_age_and_sex


def gives_up(offers: Offers) -> list[tuple[str, ...]]:
    """What each offer gives up, in words."""
    return [each.gives_up for each in offers.offers]


def test_what_is_given_up_is_said_in_words(first: Offers) -> None:
    assert gives_up(first) == [
        ("up to 2 % of the rows suppressed instead of none",),
        ("a k of 7 instead of 20",),
        ("age left out",),
        ("age in 10 years instead of 5 years", "sex as `*` instead of its own values"),
        ("one level a column for all rows (Mondrian: each class has its own, up to `*`)",),
    ]
    assert [each.kind for each in first.offers] == ["suppression", "k", "column", "levels", "mondrian"]
    assert first.offers[0].changes == {"suppression_limit": "0.02"}
    assert first.offers[1].changes == {"k": 7}
    assert first.offers[2].changes == {"quasi_identifiers.age": None}
    assert first.offers[3].changes == {"quasi_identifiers.age.to": 2, "quasi_identifiers.sex.to": 1}


def test_columns_that_are_raised_alike_are_named_together(engine: Engine, ask: Ask) -> None:
    columns = {"age": {"hierarchy": "age", "to": 0}, "sex": {"hierarchy": "sex", "to": 0}}
    resolved = engine.check(ask(quasi_identifiers=columns))
    assert isinstance(resolved, Resolved)

    assert RequestChanges(resolved).levels((3, 1)).gives_up == ("age and sex as `*` instead of their own values",)
    assert RequestChanges(resolved).levels((1, 1)).gives_up == (
        "age in 5 years instead of its own values",
        "sex as `*` instead of its own values",
    )


@pytest.mark.parametrize(("least_k", "offered"), [(5, None), (2, None), (8, None), (7, 7)])
def test_no_offer_has_a_k_below_the_least_k(engine: Engine, ask: Ask, least_k: int, offered: int | None) -> None:
    engine.datasets.add("terms", "rare" if least_k < 7 else "d", table="persons", least_k=least_k)

    smaller = [each.figures.k for each in engine.offers(ask(dataset="terms")).offers if each.kind == "k"]

    assert smaller == ([] if offered is None else [offered])


def test_a_count_below_the_least_k_is_not_shown(engine: Engine, ask: Ask) -> None:
    offer = engine.offers(ask(dataset="rare")).offers[0]

    assert offer.kind == "suppression"
    assert offer.figures.suppressed_rows is None
    result = engine.run(offer.read)
    assert result.suppressed_rows == 2
    assert offer.difference(result) is None


def test_a_figure_that_differs_is_named(asked: Engine, ask: Ask) -> None:
    offer = asked.offers(ask()).offers[2]
    result = asked.run(offer.read)

    assert offer.difference(result) is None
    assert offer.difference(replace(result, k=1)) == "k"
    assert offer.difference(replace(result, suppressed_rows=1)) == "suppressed rows"
    assert offer.difference(replace(result, loss={"prec": 0.5})) == "loss"
    of_persons = replace(offer, figures=replace(offer.figures, suppressed_persons=0))
    assert of_persons.difference(replace(result, suppressed_persons=1)) == "suppressed persons"


def refuse_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a list that is searched for fail."""

    def refuse(*_: object) -> None:
        raise AssertionError("the list is made again")

    monkeypatch.setattr("ordermade.offers.finding.Finder.all", refuse)
    monkeypatch.setattr("ordermade.methods.mondrian.method.MondrianMethod.sweep", refuse)


def test_a_list_is_made_once_on_a_dataset_version(
    asked: Engine, first: Offers, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_search(monkeypatch)

    again = asked.offers(ask())

    assert {"mondrian", "k", "suppression"} <= {each.kind for each in first.offers}
    assert again == replace(first, nodes_measured=0)
    assert asked.offered(ask(), len(first.offers)) == first.offers[-1]
    assert asked.offers(ask(), under_refusal=True).offers == first.offers
    assert [each.status for each in asked.requests.list()] == ["refused", "refused"]
    with pytest.raises(AssertionError, match="made again"):
        asked.offers(ask(k=21))  # another request
    monkeypatch.setattr("ordermade.state.offer_lists.VERSION", "another")
    with pytest.raises(AssertionError, match="made again"):
        asked.offers(ask())


def test_an_offer_of_a_list_that_was_kept_is_released_as_promised(asked: Engine, ask: Ask) -> None:
    for number, _ in enumerate(asked.offers(ask()).offers, start=1):
        offer = asked.offered(ask(), number)
        assert offer.difference(asked.run(offer.read)) is None


@pytest.mark.parametrize("changed", ["data", "terms", "hierarchy"])
def test_a_list_is_made_again_where_its_data_or_terms_changed(
    asked: Engine, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    match changed:
        case "data":
            with duckdb.connect(str(tmp_path / "d.duckdb")) as connection:
                connection.execute("INSERT INTO persons SELECT * FROM persons LIMIT 1")
        case "terms":
            asked.policies.set("dataset: d\nk: 4\n")
        case _:
            again = [(value, f"{five}.", *others) for value, five, *others in AGE]
            path = write_hierarchy(tmp_path / "again.csv", ["age", "5 years", "10 years", "all"], again)
            asked.hierarchies.remove("age")
            asked.hierarchies.add("age", path, "header")
    refuse_to_search(monkeypatch)

    with pytest.raises(AssertionError, match="made again"):
        asked.offers(ask())


CANNOT_BE = (
    ("'suppression'", "'anything'"),
    ("'column'", "'mondrian'"),
    ("'\"beyond\": [2, 0]'", "'\"beyond\": [2]'"),
    ("'more_suppressed'", "'more'"),
    ("'divisions'", "'classes'"),
    ("'[{'", "'[['"),
    ("'{'", "''"),
)
"""What is replaced in a list of offers, so that no request has it, and by what."""


def test_a_list_that_the_request_cannot_have_is_not_taken(
    asked: Engine, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_search(monkeypatch)
    with asked.state_file.reading() as connection:
        ((offers,),) = connection.execute("SELECT offers FROM offer_lists").fetchall()
    for was, now in CANNOT_BE:
        with asked.state_file.writing() as connection:
            connection.execute(f"UPDATE offer_lists SET offers = REPLACE($1, {was}, {now})", [offers])
            assert connection.execute("SELECT COUNT(*) FROM offer_lists WHERE offers = $1", [offers]).fetchall() == [
                (0,)
            ]
        with pytest.raises(AssertionError, match="made again"):
            asked.offers(ask())


def test_a_list_that_the_request_cannot_have_is_made_again(asked: Engine, first: Offers, ask: Ask) -> None:
    """Another build of this version may have written it; `state verify` names one that was edited."""
    with asked.state_file.writing() as connection:
        connection.execute("UPDATE offer_lists SET offers = REPLACE(offers, 'more_suppressed', 'more')")
        assert connection.execute("SELECT COUNT(*) FROM offer_lists").fetchall() == [(1,)]

    assert asked.offers(ask()).offers == first.offers
    assert [each.where for each in verify(asked.state_file.path, SHELL)] == ["offer_lists 1"]
    with asked.state_file.reading() as connection:
        assert connection.execute("SELECT COUNT(*) FROM offer_lists").fetchall() == [(2,)]


def add_groups(engine: Engine, folder: Path, far: str) -> None:
    """Registers the hierarchy `groups` of the sexes, which are of one group where `far` is `one`."""
    paths = [("f", "one", "*"), ("m", far, "*")]
    path = write_hierarchy(folder / f"{far}.csv", ["sex", "group", "all"], paths)
    engine.hierarchies.add("groups", path, "header")


def request_of_groups() -> dict[str, Any]:
    """A request by age, with a model of the sexes by their groups."""
    model = {"model": "t_closeness", "t": 0.6, "distance": "hierarchical", "hierarchy": "groups"}
    columns = {"age": {"hierarchy": "age", "to": "5 years"}}
    return by_age_and_sex(quasi_identifiers=columns, sensitive={"sex": [model]})


@pytest.fixture(scope="module")
def by_groups(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The states after the offers of a request with a model were made once, and after they were made and recalled."""
    folder = tmp_path_factory.mktemp("by_groups")
    states = {1: folder / "once", 2: folder / "twice"}
    with pytest.MonkeyPatch.context() as patch:
        engine = copied(prepared, states[1], patch)
        add_groups(engine, states[1], "one")
        assert engine.offers(request_of_groups()).status == "refused"
        engine.offered(request_of_groups(), 1)
        copied(states[1], states[2], patch).offers(request_of_groups())
    return states


def test_a_list_is_made_again_where_the_hierarchy_of_a_model_changed(
    by_groups: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = copied(by_groups[1], tmp_path, monkeypatch)
    engine.hierarchies.remove("groups")
    add_groups(engine, tmp_path, "two")
    refuse_to_search(monkeypatch)

    with pytest.raises(AssertionError, match="made again"):
        engine.offers(request_of_groups())


@pytest.mark.parametrize(("asked_before", "changed"), [(1, "model"), (2, "terms"), (1, "release")])
def test_an_offer_of_a_list_that_was_another_is_not_taken(
    by_groups: dict[int, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_before: int, changed: str
) -> None:
    """Its number may be another offer's by now; the list of now is shown, and its offers are taken."""
    engine, request = copied(by_groups[asked_before], tmp_path, monkeypatch), request_of_groups()
    match changed:
        case "model":
            engine.hierarchies.remove("groups")
            add_groups(engine, tmp_path, "two")
        case "terms":
            engine.policies.set("dataset: d\nk: 4\nscales: {t: [0.6]}\n")
        case _:
            monkeypatch.setattr("ordermade.methods.shared.open_request.require_written_by_source", lambda *_: None)
            request["release"] = {"to": {"path": str(tmp_path / "released.parquet")}}

    with pytest.raises(OffersChanged, match="a model, the terms of the dataset or the kind of release changed") as now:
        engine.offered(request, 1)

    assert engine.offered(request, 1) == now.value.offers.offers[0]


def test_pruned_observations_take_the_lists_of_their_versions_along(
    asked: Engine, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.observations.prune(everything=True)
    refuse_to_search(monkeypatch)

    with pytest.raises(AssertionError, match="made again"):
        asked.offers(ask())


def test_the_log_says_that_a_request_for_offers_ended(
    engine: Engine, ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="ordermade.requests"):
        engine.offers(ask())

    assert [getattr(each, "event", "") for each in caplog.records] == ["request started", "request ended"]


def test_the_changed_request_is_searched_to_a_proof(engine: Engine, ask: Ask) -> None:
    request = ask(search={"algorithm": "pak", "objective": "classes", "then_certify": False})

    for offer in engine.offers(request).offers:
        assert offer.kind == "mondrian" or offer.read.request.search.algorithm is None  # type: ignore[attr-defined]
        if offer.kind in ("k", "levels"):
            assert offer.difference(engine.run(offer.read)) is None


def test_nothing_is_said_of_too_few_rows(engine: Engine, ask: Ask) -> None:
    offers = engine.offers(ask(where="age = '38'"))

    assert (offers.status, offers.offers, offers.nodes_measured) == ("unknown", (), 0)
    assert "fewer than 20 rows" in (offers.reason or "")
    assert engine.requests.list() == ()
    with pytest.raises(Refused, match="fewer than 20 rows"):
        engine.offered(ask(where="age = '38'"), 1)


def test_a_list_that_its_budget_ends_is_the_beginning_of_the_longer_one(
    engine: Engine, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as fewer:
        fewer.setattr("ordermade.offers.answer.MAX_MEASURED", 2)
        short = engine.offers(ask())
    assert not short.complete
    assert "goes on from there" in short.left_out[-1]

    longer = engine.offers(ask())

    assert longer.complete
    assert 0 < len(short.offers) < len(longer.offers)
    assert json_of(short.offers) == json_of(longer.offers[: len(short.offers)])


def test_no_more_are_offered_than_the_most_and_mondrian_is_one(
    engine: Engine, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordermade.offers.finding.MAX_OFFERS", 3)

    assert [each.kind for each in engine.offers(ask()).offers] == ["suppression", "k", "mondrian"]


def test_a_weight_goes_with_its_column_however_it_is_written(engine: Engine, ask: Ask) -> None:
    resolved = engine.check(ask(search={"weights": {"AGE": 1, "sex": 2}}))
    assert isinstance(resolved, Resolved)

    request = RequestChanges(resolved).column(0, (2, 0)).request

    assert request.search.weights == {"sex": 2}  # type: ignore[attr-defined]


@pytest.mark.parametrize(("base", "variants"), [(0, ["hierarchy", "median"]), (1, ["hierarchy"])])
def test_mondrian_at_medians_is_of_original_values_alone(
    engine: Engine, ask: Ask, base: int, variants: list[str]
) -> None:
    columns = {"age": {"hierarchy": "age", "from": base, "to": 1}, "sex": {"hierarchy": "sex", "to": 0}}
    resolved = engine.check(ask(quasi_identifiers=columns))
    assert isinstance(resolved, Resolved)

    assert [each.changes["mondrian.variant"] for each in RequestChanges(resolved).mondrian()] == variants


SICK: dict[str, Any] = {"sensitive": {"ill": [{"model": "alpha_k", "alpha": 0.6}]}}
ONE_AGE = {"quasi_identifiers": {"age": {"hierarchy": "age", "to": 0}}}
# Fields of a request for k = 20; for each age its rows, and how many of them have the commonest illness.
LEFT: dict[str, tuple[dict[str, Any], dict[str, tuple[int, int]], tuple[str, int]]] = {
    # Nothing is between the least k of the dataset and 20 but 19 itself.
    "the last smaller k": ({**SICK, **ONE_AGE, "suppression_limit": 0.01}, {"20": (100, 50), "25": (19, 9)}, ("k", 19)),
    # With k = 2 there are 3 classes of 200 rows, which are more than allowed; with k = 6, 2 of 198.
    "a smaller k that fails where a greater one passes": (
        {**ONE_AGE, "suppression_limit": 0.01, "risk": {"average": 0.012}},
        {"20": (192, 0), "25": (6, 0), "30": (2, 0)},
        ("k", 6),
    ),
    # Age 21 alone fails in its five years, which it takes with it; ages from 25 on are too few each.
    "local recoding at one coarsest node": (
        {**SICK, "quasi_identifiers": {"age": {"hierarchy": "age", "to": 1}}, "suppression_limit": 0.03},
        {"20": (20, 12), "21": (1, 1), **{str(age): (4, 2) for age in range(25, 30)}},
        ("local", 20),
    ),
}


def add_left(engine: Engine, folder: Path, ages: dict[str, tuple[int, int]], *, least_k: int) -> None:
    """Registers the dataset `left` with so many rows of each age, and so many of them ill of `a`."""
    rows = [(age, "m", "ab"[i >= sick]) for age, (number, sick) in ages.items() for i in range(number)]
    write_table(folder / "left.duckdb", {"age": "VARCHAR", "sex": "VARCHAR", "ill": "VARCHAR"}, rows)
    engine.sources.add("left", str(folder / "left.duckdb"))
    engine.datasets.add("left", "left", table="persons", least_k=least_k)


@pytest.mark.parametrize("name", LEFT)
def test_an_alternative_that_models_or_risks_leave_is_found(
    engine: Engine, ask: Ask, tmp_path: Path, name: str
) -> None:
    fields, ages, offered = LEFT[name]
    add_left(engine, tmp_path, ages, least_k=19 if offered == ("k", 19) else 2)

    offers = engine.offers(ask(dataset="left", **fields)).offers

    (found,) = (each for each in offers if each.kind == offered[0])
    assert found.figures.k == offered[1]
    assert found.difference(engine.run(found.read)) is None


@pytest.mark.parametrize("model", [{"model": "alpha_k", "alpha": 0.6}, {"model": "distinct_l", "l": 2}])
def test_local_recoding_is_tried_over_few_nodes_alone(
    engine: Engine, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: dict[str, object]
) -> None:
    fields, ages, _ = LEFT["local recoding at one coarsest node"]
    fields = {**fields, "sensitive": {"ill": [model]}}
    add_left(engine, tmp_path, {**ages, "30": (20, 20)}, least_k=2)
    with_it = engine.offers(ask(dataset="left", **fields))
    monkeypatch.setattr("ordermade.offers.finding.MAX_GONE_THROUGH", 1)
    monkeypatch.setattr("ordermade.state.offer_lists.VERSION", "another")

    without, beneath = (engine.offers(ask(dataset="left", **fields), under_refusal=each) for each in (False, True))

    others = [each.changes for each in with_it.offers if each.kind != "local"]
    assert [each.changes for each in without.offers] == [each.changes for each in beneath.offers] == others
    assert "local recoding was not tried over 2 nodes, more than 1 (`recoding: local`)" in without.left_out
    assert with_it.complete
    assert not without.complete


def test_a_release_that_its_source_writes_is_offered_nodes_alone(
    engine: Engine, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark writes no rounds and no parts of Mondrian, so that such an offer would be refused when it is run."""
    fields, ages, _ = LEFT["local recoding at one coarsest node"]
    add_left(engine, tmp_path, ages, least_k=2)
    monkeypatch.setattr("ordermade.methods.shared.open_request.require_written_by_source", lambda *_: None)
    folder = {"to": {"path": str(tmp_path / "released.parquet")}}

    by_engine, by_source = (engine.offers(ask(dataset="left", **fields, **each)) for each in ({}, {"release": folder}))

    others = [each.changes for each in by_engine.offers if each.kind not in ("local", "mondrian")]
    assert {"local", "mondrian"} <= {each.kind for each in by_engine.offers}
    assert [each.changes for each in by_source.offers] == others


def test_a_column_that_alone_has_weight_is_not_left_out(engine: Engine, ask: Ask) -> None:
    offers = engine.offers(ask(search={"weights": {"age": 1, "sex": 0}}))

    assert all(each.kind != "column" for each in offers.offers)
    assert ("age as `*` instead of 5 years",) in gives_up(offers)
    for offer in offers.offers:
        if offer.kind in ("levels", "mondrian"):
            assert offer.difference(engine.run(offer.read)) is None


def test_offers_know_their_own_numbers(first: Offers) -> None:
    assert offer_of(first, 2).number == 2
    for none in (0, 6, 9):
        with pytest.raises(InputError, match=f"no offer {none} of this request: there are 5"):
            offer_of(first, none)


def test_a_change_keeps_the_other_fields(engine: Engine, ask: Ask) -> None:
    resolved = engine.check(ask(keep=[], title="Persons"))
    assert isinstance(resolved, Resolved)

    change = RequestChanges(resolved).limit(Fraction(5, 100))

    assert change.request.title == "Persons"
    assert change.request.k == 20
    assert change.concession.more_suppressed == Fraction(5, 100)
