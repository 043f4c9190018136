from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import InputError, UnknownName
from ordermade.hierarchies.stored import StoredHierarchy, StoredLabels, StoredLevel
from ordermade.state import audit, datasets, forecasts, hierarchies, releases, requests, sources, versions
from ordermade.state.authority import SHELL
from ordermade.state.connection import StateConnection
from ordermade.state.database import StateFile
from ordermade.state.forecasts import NewForecast
from ordermade.state.location import cache_path, locate_state
from ordermade.state.records.request_columns import (
    HistoryColumn,
    MicroaggregatedAttribute,
    RequestedAttribute,
    RequestedModels,
    SplitColumn,
)
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import PrivacyFigure, ReleaseColumn
from ordermade.state.sealing import in_stretches, seal_of, seal_of_all, sealed_rows
from ordermade.state.seals import unlike_their_seals
from ordermade.state.table import sealing
from tests import noted
from tests.made import new_state
from tests.noted import a_release

COLUMNS = {"age": "BIGINT", "sex": "VARCHAR"}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return new_state(tmp_path / "state.sqlite")


@pytest.fixture
def connection(state: Path) -> Iterator[StateConnection]:
    with StateFile(state, SHELL).writing() as connection:
        yield connection


def a_request(**changes: Any) -> RequestRecord:
    columns = {
        "quasi_identifiers": (
            RequestedAttribute("age", "age", "h1", 0, 3),
            RequestedAttribute("sex", "sex", "h2", 0, 1),
        ),
        "identifiers": ("member_id", "name"),
        "keep": ("plan",),
    }
    return noted.a_request(**(columns | changes))


def test_where_the_state_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ORDERMADE_STATE", raising=False)
    assert locate_state(None) == tmp_path / ".ordermade" / "state.sqlite"
    monkeypatch.setenv("ORDERMADE_STATE", "elsewhere/s.duckdb")
    assert locate_state(None) == tmp_path / "elsewhere" / "s.duckdb"
    assert locate_state("given.duckdb") == tmp_path / "given.duckdb"
    with pytest.raises(InputError, match="empty"):
        locate_state(" ")
    assert cache_path(locate_state(".ordermade/state.sqlite")).name == "cache.duckdb"
    assert cache_path(tmp_path / "a.duckdb") != cache_path(tmp_path / "b.duckdb")


@pytest.mark.slow
def test_sources_and_datasets_come_back(connection: StateConnection) -> None:
    added = sources.add(connection, "db'; --", "duckdb", "${HOME}/members.duckdb", writable=True)
    assert added.added_at.tzinfo is UTC
    assert sources.get(connection, "db'; --") == added
    table = datasets.add(connection, "members", "db'; --", table_name='"odd" table', entity_column="id")
    query = datasets.add(connection, "人口", "db'; --", query_text="SELECT 1")
    assert datasets.listed(connection) == (table, query)
    assert query.query_hash is not None
    assert datasets.get(connection, "人口").source_name == "db'; --"


@pytest.mark.slow
def test_unknown_names_name_the_nearest(connection: StateConnection) -> None:
    sources.add(connection, "members_db", "duckdb", "members.duckdb")
    with pytest.raises(UnknownName, match="Did you mean 'members_db'"):
        sources.get(connection, "member_db")
    with pytest.raises(UnknownName, match="ordermade dataset add"):
        datasets.get(connection, "members")
    with pytest.raises(UnknownName, match="ordermade hierarchy add"):
        hierarchies.load(connection, "age")
    with pytest.raises(UnknownName):
        requests.get(connection, 1)
    with pytest.raises(UnknownName):
        releases.get(connection, 1)


@pytest.mark.parametrize("name", ["", " padded", "line\nbreak", "x" * 201])
def test_names_that_could_not_be_read_back_are_refused(connection: StateConnection, name: str) -> None:
    with pytest.raises(InputError, match="cannot be the name"):
        sources.add(connection, name, "csv", "x.csv")


def test_a_name_is_taken_until_it_is_removed(connection: StateConnection) -> None:
    first = sources.add(connection, "db", "duckdb", "a.duckdb")
    with pytest.raises(InputError, match="already"):
        sources.add(connection, "db", "duckdb", "b.duckdb")
    sources.remove(connection, "db")
    second = sources.add(connection, "db", "duckdb", "b.duckdb")
    assert second.id != first.id
    assert sources.listed(connection) == (second,)
    assert sources.by_id(connection, first.id).removed_at is not None


def test_a_source_in_use_is_not_removed(connection: StateConnection) -> None:
    sources.add(connection, "db", "duckdb", "a.duckdb")
    datasets.add(connection, "members", "db", table_name="members")
    with pytest.raises(InputError, match="'members'"):
        sources.remove(connection, "db")
    datasets.remove(connection, "members")
    sources.remove(connection, "db")
    with pytest.raises(InputError, match="--table or --query"):
        datasets.add(connection, "both", "db", table_name="t", query_text="q")


SECRET = "hunter2"


@pytest.mark.parametrize(
    "location",
    [
        f"postgresql://user:{SECRET}@host/db",
        f"mysql://user:{SECRET}@x@host/db",
        f"postgresql://user:pre${{PW}}{SECRET}@host/db",
        f"postgresql://host/db?user=me&password={SECRET}",
        f"host=db.example user=me password={SECRET}",
        f"host=db.example password='{SECRET}'",
        f"s3://bucket/x.parquet?s3_secret_key={SECRET}",
    ],
)
def test_no_password_is_ever_stored(state: Path, location: str) -> None:
    with pytest.raises(InputError, match=r"\$\{") as raised, StateFile(state, SHELL).writing() as connection:
        sources.add(connection, "db", "postgres", location)
    assert SECRET not in str(raised.value)
    assert SECRET.encode() not in state.read_bytes()


@pytest.mark.parametrize(
    "location",
    [
        "postgresql://user:${PASSWORD}@host:5432/db",
        "postgresql://user@host:5432/db",
        "host=db.example password=${PASSWORD}",
        "data/password=x/*.parquet",
        "C:/members@home/x.csv",
    ],
)
def test_references_and_plain_paths_are_kept_as_written(connection: StateConnection, location: str) -> None:
    sources.add(connection, "db", "postgres", location)
    assert sources.get(connection, "db").location == location


def a_hierarchy(label: str = "30s") -> StoredHierarchy:
    def level(number: int, name: str) -> StoredLevel:
        return StoredLevel(number, name, f"hash {number} {label}", None, None, None, None, None, None)

    return StoredHierarchy(
        "explicit",
        (level(0, "value"), level(1, "decade"), level(2, "*")),
        (
            StoredLabels(1, (0, 1, 2), ("30", "31", None), (label, label, None)),
            StoredLabels(2, (0, 2), ("30", None), ("*", "*")),
        ),
    )


def test_hierarchies_that_are_read_together_are_those_read_one_by_one(connection: StateConnection) -> None:
    kinds = {"b": a_hierarchy(), "a": replace(a_hierarchy(), kind="date", labels=()), "c": a_hierarchy("thirties")}
    for name, each in kinds.items():
        hierarchies.save(connection, name, each, f"c{name}", [(0, 1)])
    assert hierarchies.of_records(connection, hierarchies.listed(connection)) == kinds
    assert hierarchies.of_records(connection, ()) == {}
    levels = {each.levels[1].content_hash for each in kinds.values()}
    assert list(kinds.values())[-1] in hierarchies.with_levels(connection, levels)


def test_hierarchies_come_back_and_old_ones_stay(connection: StateConnection) -> None:
    first, second = a_hierarchy(), a_hierarchy("thirties")
    pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    saved = hierarchies.save(connection, "age", first, "c1", pairs)
    assert saved.outcome == "added"
    assert hierarchies.load(connection, "age") == first
    assert list(hierarchies.refinements(connection, saved.id)) == pairs
    assert hierarchies.save(connection, "age", first, "c1", pairs).outcome == "unchanged"
    assert hierarchies.save(connection, "age", second, "c2", pairs).outcome == "replaced"
    assert hierarchies.load(connection, "age") == second
    (record,) = hierarchies.listed(connection)
    assert (record.content_hash, record.levels, record.leaves) == ("c2", 3, 3)
    assert connection.execute("SELECT COUNT(*) FROM hierarchies WHERE removed_at IS NOT NULL").fetchone() == (1,)
    hierarchies.remove(connection, "age")
    assert hierarchies.listed(connection) == ()


def test_rules_come_back(connection: StateConnection) -> None:
    rule = StoredHierarchy(
        "interval",
        (
            StoredLevel(0, "value", "a", None, None, None, None, None, None),
            StoredLevel(1, "five", "b", "0.5", "5", None, None, None, None),
            StoredLevel(2, "*", "c", None, None, None, None, None, None),
        ),
        (),
    )
    hierarchies.save(connection, "age", rule, "c1", [(0, 1)])
    assert hierarchies.load(connection, "age") == rule


def test_a_version_is_known_by_its_content(connection: StateConnection) -> None:
    large = 2**70
    first = versions.register(connection, "d1", None, "age > 3", 10, large, "c", COLUMNS)
    again = versions.register(connection, "d1", None, "age > 3", 10, large, "c", COLUMNS)
    assert again.id == first.id
    assert again.hash_sum == large
    assert again.first_seen_at == first.first_seen_at
    assert again.last_seen_at >= first.last_seen_at
    others = [
        versions.register(connection, "d2", None, None, 10, large, "c", COLUMNS),
        versions.register(connection, "d1", None, None, 11, large, "c", COLUMNS),
        versions.register(connection, "d1", None, None, 10, -large, "c", COLUMNS),
        versions.register(connection, "d1", None, None, 10, large, "e", COLUMNS),
    ]
    assert len({first.id, *(each.id for each in others)}) == 5
    assert versions.current(connection) == {others[0].id, others[3].id}
    assert len(versions.listed(connection)) == 5


def test_a_version_keeps_the_columns_of_its_dataset(connection: StateConnection) -> None:
    types = {"prefecture": "VARCHAR", "age": "BIGINT", 'a "b"': "DECIMAL(18,3)"}
    first = versions.register(connection, "d1", None, None, 10, 1, "c", types)
    assert list(versions.columns(connection, first.id).items()) == list(types.items())
    versions.register(connection, "d1", None, None, 10, 1, "c", types)
    assert list(versions.columns(connection, first.id).items()) == list(types.items())
    assert versions.columns(connection, 12345) == {}


def test_the_labels_of_an_enum_are_values_and_are_not_kept(connection: StateConnection) -> None:
    types = {
        "name": "ENUM('Jane', 'O''Hara, (b', '')",
        "names": "ENUM('Jane')[]",
        "nested": "STRUCT(a ENUM('Jane', 'Ann'), b DECIMAL(18,3))",
        "none": "ENUM()",
    }
    version = versions.register(connection, "d1", None, None, 10, 1, "c", types)
    assert versions.columns(connection, version.id) == {
        "name": "ENUM",
        "names": "ENUM[]",
        "nested": "STRUCT(a ENUM, b DECIMAL(18,3))",
        "none": "ENUM",
    }


def test_columns_never_noted_are_noted_when_the_version_is_seen_again(connection: StateConnection) -> None:
    first = versions.register(connection, "d1", None, None, 10, 1, "c", COLUMNS)
    connection.execute("DELETE FROM dataset_version_columns")
    assert versions.columns(connection, first.id) == {}
    versions.register(connection, "d1", None, None, 10, 1, "c", COLUMNS)
    assert versions.columns(connection, first.id) == COLUMNS


def test_the_versions_of_a_dataset_are_found_under_any_filter(connection: StateConnection) -> None:
    sources.add(connection, "shop", "duckdb", "shop.duckdb")
    members = datasets.add(connection, "members", "shop", table_name="members").id
    again = datasets.add(connection, "members again", "shop", table_name="members").id
    inline = versions.register(connection, "d", None, None, 10, 1, "c", COLUMNS)
    assert versions.under_any_filter(connection, members) == ()
    assert versions.any_columns(connection, versions.under_any_filter(connection, members)) == {}
    changed = versions.register(connection, "d", members, None, 11, 1, "c", COLUMNS)
    seniors = versions.register(connection, "d, age > 60", members, "age > 60", 4, 1, "c2", {"age": "BIGINT"})
    found = versions.under_any_filter(connection, members)
    assert [(each.id, each.filter) for each in found] == [
        (seniors.id, "age > 60"),
        (changed.id, None),
        (inline.id, None),
    ]
    assert versions.any_columns(connection, versions.under_any_filter(connection, members)) == {"age": "BIGINT"}
    versions.register(connection, "d", again, None, 10, 1, "c", COLUMNS)
    assert [each.id for each in versions.under_any_filter(connection, again)] == [inline.id, changed.id]
    found = versions.under_any_filter(connection, members)
    assert [each.id for each in found] == [inline.id, seniors.id, changed.id]


def test_a_request_from_start_to_release(connection: StateConnection) -> None:
    version = versions.register(connection, "d1", None, None, 1000, 5, "c", COLUMNS)
    started = requests.start(connection, a_request())
    number = started.id
    assert requests.get(connection, number).status == "running"
    requests.finish(
        connection,
        replace(
            started,
            status="released",
            dataset_version_id=version.id,
            nodes_in_lattice=8,
            nodes_measured=3,
            source_queries=1,
            seconds=0.25,
            chosen={"age": (1, "decade"), "sex": (0, "value")},
        ),
    )
    release = a_release(
        "out/members.parquet",
        columns=(ReleaseColumn("age", "quasi-identifier", 1, "decade"), ReleaseColumn("plan", "keep")),
        losses={"prec": 0.25, "dm": 123.0},
    )
    released = releases.record(connection, number, release)
    details = requests.get(connection, number)
    assert (details.status, details.dataset_version_id) == ("released", version.id)
    assert details.finished_at is not None
    assert details.seconds == 0.25
    assert [each.chosen_level_name for each in details.quasi_identifiers] == ["decade", "value"]
    assert (details.identifiers, details.keep) == (("member_id", "name"), ("plan",))
    assert requests.listed(connection) == (details,)
    stored = releases.get(connection, released)
    assert (stored.columns, stored.losses) == (release.columns, release.losses)
    assert releases.listed(connection) == (stored,)


def test_what_is_asked_and_released_beyond_k_is_kept(connection: StateConnection) -> None:
    sensitive = (RequestedModels("plan", "distinct_l {l: 3}"), RequestedModels("income", "t_closeness {t: 0.2}"))
    asked = {"suppression_limit": "0.05", "suppressed": "star", "recoding": "local", "risk": "average 0.01"}
    started = a_request(**asked, weights="age 2", entity_column="member_id", sensitive=sensitive)
    number = requests.start(connection, started).id
    details = requests.get(connection, number)
    assert {name: getattr(details, name) for name in asked} == asked
    assert (details.weights, details.entity_column) == ("age 2", "member_id")
    assert details.sensitive == sensitive
    privacy = (
        PrivacyFigure("plan", "distinct_l {l: 3}", 3.0, "distinct_l", {"l": "3"}),
        PrivacyFigure(None, "prosecutor", 0.02),
    )
    release = a_release("x.parquet", persons=300, suppressed_persons=40, star_rows=60, privacy=privacy)
    stored = releases.get(connection, releases.record(connection, number, release))
    assert stored.privacy == privacy
    assert (stored.persons, stored.suppressed_persons, stored.star_rows) == (300, 40, 60)


def test_a_request_for_microaggregation_is_kept(connection: StateConnection) -> None:
    attributes = (
        MicroaggregatedAttribute("income", "0.5", None, None, "mean"),
        MicroaggregatedAttribute("job", "1", "occupation", "h3", "ancestor"),
    )
    within = (RequestedAttribute("prefecture", "prefecture", "h4", 2, 2),)
    asked = {"method": "microaggregation", "options": "seed 1, improve true", "algorithm": "mdav"}
    without = {"suppression_limit": None, "recoding": None}
    request = a_request(**asked, **without, quasi_identifiers=within, attributes=attributes)
    started = requests.start(connection, request)
    requests.finish(connection, replace(started, status="released", chosen={"prefecture": (2, "region")}))
    details = requests.get(connection, started.id)
    assert {name: getattr(details, name) for name in asked | without} == asked | without
    assert (details.attributes, details.quasi_identifiers[0].chosen_level_name) == (attributes, "region")
    other = requests.get(connection, requests.start(connection, a_request()).id)
    assert (other.method, other.options, other.attributes) == ("generalization", None, ())


def test_a_request_for_mondrian_is_kept(connection: StateConnection) -> None:
    splits = (SplitColumn("birth", "nested", "birth", "h1", 1), SplitColumn("height", "ordered", None, None, None))
    asked = {"method": "mondrian", "algorithm": "hierarchy", "objective": "tf-idf", "options": "2 rules of sha256 e3b0"}
    models = (RequestedModels("plan", "distinct_l 2"),)
    started = requests.start(connection, a_request(**asked, quasi_identifiers=(), splits=splits, sensitive=models))
    requests.finish(connection, replace(started, status="released"))
    details = requests.get(connection, started.id)
    assert {name: getattr(details, name) for name in asked} == asked
    assert (details.splits, details.sensitive, details.quasi_identifiers) == (splits, models, ())


def test_a_request_for_histories_is_kept(connection: StateConnection) -> None:
    history = (
        HistoryColumn("CustomerID", "customer"),
        HistoryColumn("Day", "when"),
        HistoryColumn("GoodsID", "item", taxonomy="categories.csv", taxonomy_hash="h1", level=1),
        HistoryColumn("Price", "number", "0.01", 1),
        HistoryColumn("Quantity", "number", None, 0),
        HistoryColumn("Tax", "number", "1"),
    )
    asked = {"method": "history", "algorithm": "optimal", "objective": "similar", "entity_column": "CustomerID"}
    number = requests.start(connection, a_request(**asked, quasi_identifiers=(), keep=(), history=history)).id
    details = requests.get(connection, number)
    assert {name: getattr(details, name) for name in asked} == asked
    assert (details.history, details.splits, details.quasi_identifiers) == (history, (), ())


def test_a_request_that_is_refused(connection: StateConnection) -> None:
    started = requests.start(connection, a_request(quasi_identifiers=(), identifiers=(), keep=()))
    requests.finish(connection, replace(started, status="refused", reason="k is greater than the rows"))
    assert requests.get(connection, started.id).reason == "k is greater than the rows"
    with pytest.raises(ValueError, match="noted in two steps"):
        requests.start(connection, a_request(status="released"))
    with pytest.raises(ValueError, match="running"):
        requests.finish(connection, started)
    with pytest.raises(KeyError):
        requests.finish(connection, replace(started, id=started.id + 1, status="failed"))


def test_the_audit_names_who(connection: StateConnection) -> None:
    audit.add_audit_entry(connection, "source add", "db", "duckdb")
    audit.add_audit_entry(connection, "source remove", "db")
    entries = audit.audit_entries(connection)
    assert [(each.action, each.detail) for each in entries] == [
        ("source remove", None),
        ("source add", "duckdb"),
    ]
    assert all(each.actor for each in entries)
    assert audit.audit_entries(connection, 1) == entries[:1]


def test_documents_say_all_that_they_were_given(connection: StateConnection) -> None:
    """Infinite figures, empty lists and names of any characters come back as they were."""
    given = a_release(
        "a.csv",
        columns=(ReleaseColumn('状態 "x"', "keep"),),
        losses={"dm": float("inf"), "prec": 0.1, "worst": float("-inf")},
        privacy=(PrivacyFigure(None, "risk", None), PrivacyFigure("age", "l", float("inf"), "l", {"l": "2"})),
    )
    number = releases.record(connection, requests.start(connection, a_request()).id, given)
    release = releases.get(connection, number)
    assert (release.columns, release.losses, release.privacy) == (given.columns, given.losses, given.privacy)
    assert (release.persons, release.k) == (None, 5)


def test_texts_that_read_like_other_columns_are_sealed_otherwise() -> None:
    assert seal_of(("a", "b"), ("1;b=2", None)) != seal_of(("a", "b"), ("1", "2"))
    assert seal_of(("a", "b"), ("1", None)) != seal_of(("a", "b"), (1, None))


def test_the_seal_of_a_row_is_that_of_its_content_written_out() -> None:
    """The seals of states that there are follow from this text: it does not change."""
    row = ("é;", 7, -1, True, 0.5, 2**70, None)
    content = "text=2:é;;whole=7;negative=-1;truth=true;real=0.5;huge=1180591620717411303424;"
    seal = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big", signed=True)
    columns = ("text", "whole", "negative", "truth", "real", "huge", "nothing")
    assert seal_of(columns, row) == seal
    assert list(sealed_rows(("whole", "text", "truth"), columns, [row])) == [(7, "é;,true", seal)]
    assert list(sealed_rows(("text", "whole"), columns, [row])) == [(0, "é;,7", seal)]


def test_the_seal_of_rows_together_is_that_of_their_columns_in_stretches() -> None:
    """The seals of states that there are follow from this text: it does not change."""
    rows = [*((1, number, "é;") for number in range(1000)), (1, 1000, None), (1, b"x", '"')]
    numbers = ",".join(map(str, range(1000)))
    first = ",".join(["1"] * 1000), numbers, ",".join(['"é;"'] * 1000)
    content = "[[{}],[{}],[{}]]\n".format(*first) + '[[1,1],[1000,{"bytes":"b\'x\'"}],[null,"\\""]]\n'
    seal = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big", signed=True)
    assert seal_of_all(in_stretches(iter(rows))) == seal
    assert seal_of_all(in_stretches(reversed(rows))) != seal


def test_a_number_is_as_it_was_sealed_whatever_it_is_given_as(connection: StateConnection) -> None:
    """SQLite gives a whole number that it writes to a column of fractions as 4, and reads it as 4.0."""
    values = (4.0, -0.0, 0.1, 1e14, 1e16, 1e300, 5)
    with sealing(connection):
        numbers = [
            forecasts.note(connection, NewForecast("h", "d", None, None, None, False, None, None, value, {}))
            for value in values
        ]
    assert [*unlike_their_seals(connection)] == []
    connection.execute("UPDATE forecasts SET seconds = 4.5 WHERE id = ?", numbers[:1])
    assert [each.where for each in unlike_their_seals(connection)] == [f"forecasts {numbers[0]}"]
