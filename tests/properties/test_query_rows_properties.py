"""Random dataset queries over random tables: an accepted one repeats no row, and shows nobody's row as another's.

The oracle is a second text of each query that carries the rows it is made of: a column `t`, a list of their tags.
"""

from __future__ import annotations

import random
from collections import defaultdict

import duckdb
import pytest
from sqlglot import exp

from ordermade.errors import FilterError
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.query_rows import RowLookup, rows_proved
from ordermade.requests.query_tables import KnownTable, KnownTables
from ordermade.sql import text as sql_text
from tests.long import rounds

COLUMNS = ("id", "city", "ref")
TABLES = ("p", "q", "v", "c")
QUERIES = rounds(200, 400)
KNOWN = KnownTables(tuple(KnownTable("memory", "main", each, dict.fromkeys(COLUMNS, "BIGINT")) for each in TABLES))


class Written:
    """A random query as a provider writes it, or with the tags of its rows: the same for one seed."""

    def __init__(self, seed: int, *, tagged: bool, by_entity: bool) -> None:
        self.random = random.Random(seed)
        self.tagged = tagged
        self.by_entity = by_entity
        self.aliases = 0
        self.named: list[str] = []

    def query(self) -> str:
        names = []
        for name in ("w", "x")[: self.random.choice([0, 0, 1, 2])]:
            names.append(f"{name} AS ({self.rows(1)})")
            self.named.append(name)
        return f"WITH {', '.join(names)} {self.rows(2)}" if names else self.rows(2)

    def rows(self, depth: int) -> str:
        """A SELECT, or a UNION."""
        if self.random.random() < 0.8:
            return self.select(depth)
        left, right = self.select(depth - 1), self.select(depth - 1)
        if self.random.random() < 0.7:
            return f"{left} UNION ALL {right}"
        return self.once(f"{left} UNION ALL {right}") if self.tagged else f"{left} UNION {right}"

    def once(self, rows: str) -> str:
        """Each row of a query once, with the tags of all that are alike."""
        listed = ", ".join(COLUMNS)
        return f"SELECT {listed}, list_distinct(flatten(list(t))) AS t FROM ({rows}) AS d GROUP BY {listed}"

    def relation(self, depth: int) -> tuple[str, str]:
        """A relation and its alias."""
        self.aliases += 1
        alias = f"a{self.aliases}"
        if depth > 0 and self.random.random() < 0.3:
            return f"({self.rows(depth - 1)}) AS {alias}", alias
        if self.named and self.random.random() < 0.3:
            return f"{self.random.choice(self.named)} AS {alias}", alias
        return f"memory.main.{self.random.choice(TABLES)} AS {alias}", alias

    def select(self, depth: int) -> str:
        first, own = self.relation(depth)
        aliases, joins = [own], ""
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            relation, alias = self.relation(depth)
            kind = self.random.choice(["JOIN", "LEFT JOIN"])
            joins += f" {kind} {relation} {self.condition(aliases, alias)}"
            aliases.append(alias)
        where = self.random.choice(
            ["", "", f" WHERE {own}.city < 3", f" WHERE {own}.id IN (SELECT id FROM memory.main.c)"]
        )
        tail = f" FROM {first}{joins}{where}"
        form = self.random.random()
        if form < 0.2 and not self.by_entity:
            columns = [f"{self.random.choice([own, own, own, *aliases])}.{each}" for each in ("id", "city")]
            t = f", list_distinct(flatten(list({own}.t))) AS t" if self.tagged else ""
            items = f"{columns[0]} AS id, {columns[1]} AS city, MAX({aliases[-1]}.ref) AS ref{t}"
            return f"SELECT {items}{tail} GROUP BY {', '.join(columns)}"
        items = ", ".join(f"{self.value(aliases, each)} AS {each}" for each in COLUMNS)
        if not self.tagged:
            return f"SELECT {'DISTINCT ' if form > 0.9 else ''}{items}{tail}"
        shown = " || ".join(f"COALESCE({each}.t, [])" for each in (aliases if self.by_entity else [own]))
        rows = f"SELECT {items}, {shown} AS t{tail}"
        return self.once(rows) if form > 0.9 and not self.by_entity else rows

    def value(self, aliases: list[str], name: str) -> str:
        """A column, most often that of the name, now and then calculated."""
        column = f"{self.random.choice([aliases[0], *aliases])}.{self.random.choice([name, name, name, 'ref'])}"
        return f"{column} + 1" if self.random.random() < 0.05 else column

    def condition(self, before: list[str], alias: str) -> str:
        """What a join requires; most often two columns to be equal."""
        one, other = (self.random.choice(["id", "id", "city", "ref"]) for _ in range(2))
        equal = f"{alias}.{one} = {self.random.choice(before)}.{other}"
        more = [f"{alias}.city < 2", f"{alias}.ref = {before[0]}.ref", f"{before[-1]}.id = {before[0]}.id"]
        form = self.random.random()
        if form < 0.1 and len(before) == 1:
            return f"USING ({one})"
        if form < 0.2:
            return f"ON {self.random.choice(more)}"
        return f"ON {equal} AND {self.random.choice(more)}" if form < 0.4 else f"ON {equal}"


def filled(connection: duckdb.DuckDBPyConnection, seed: int) -> None:
    """Tables of up to six rows; in half of them `id` is unique. A tag names the row and its `id`."""
    chosen = random.Random(seed)
    for table in TABLES:
        size = chosen.randint(1, 6)
        ids = chosen.sample(range(6), size) if chosen.random() < 0.6 else [chosen.randrange(3) for _ in range(size)]
        rows = [
            (each, chosen.randrange(3), chosen.randrange(6), [f"{table}/{at}/{each}"]) for at, each in enumerate(ids)
        ]
        connection.execute(f"CREATE OR REPLACE TABLE {table} (id BIGINT, city BIGINT, ref BIGINT, t VARCHAR[])")
        connection.executemany(f"INSERT INTO {table} VALUES ($1, $2, $3, $4)", rows)


def rows_of(connection: duckdb.DuckDBPyConnection, relation: exp.Expr) -> int:
    return int(connection.execute(f"SELECT COUNT(*) FROM ({sql_text(relation)})").fetchall()[0][0])


def accepted(connection: duckdb.DuckDBPyConnection, query: str, entity: str | None) -> tuple[RowLookup, ...] | None:
    """The lookups of a query that is accepted; None for one that is refused."""
    try:
        found = rows_proved(parse_dataset_query(query), KNOWN, entity)
    except FilterError:
        return None
    repeated = any(rows_of(connection, each.joined) > rows_of(connection, each.before) for each in found)
    return None if repeated else found


@pytest.mark.slow
@pytest.mark.long
def test_an_accepted_query_gives_no_row_of_its_tables_twice() -> None:
    tried, joined = 0, 0
    with duckdb.connect() as connection:
        for seed in range(QUERIES):
            if seed % 5 == 0:
                filled(connection, seed)
            found = accepted(connection, query := Written(seed, tagged=False, by_entity=False).query(), None)
            if found is None:
                continue
            tried, joined = tried + 1, joined + bool(found)
            tagged = Written(seed, tagged=True, by_entity=False).query()
            tags = [tag for (each,) in connection.execute(f"SELECT t FROM ({tagged})").fetchall() for tag in each or []]
            assert len(tags) == len(set(tags)), query
    assert (tried > QUERIES // 4, joined > QUERIES // 20) == (True, True), (tried, joined)


@pytest.mark.slow
@pytest.mark.long
def test_an_accepted_query_shows_rows_under_their_own_person() -> None:
    tried, joined = 0, 0
    with duckdb.connect() as connection:
        for seed in range(QUERIES):
            if seed % 5 == 0:
                filled(connection, seed)
            query = Written(seed, tagged=False, by_entity=True).query()
            found = accepted(connection, query, "id")
            if found is None:
                continue
            tried, joined = tried + 1, joined + (" JOIN " in query)
            tagged = Written(seed, tagged=True, by_entity=True).query()
            shown = connection.execute(f"SELECT id, t FROM ({tagged}) WHERE id IS NOT NULL").fetchall()
            assert shared(shown) == [], query
    assert (tried > QUERIES * 3 // 20, joined > QUERIES // 20) == (True, True), (tried, joined)


def shared(shown: list[tuple[int, list[str]]]) -> list[str]:
    """The rows that are shown with several persons, though they are not looked up for the rows beside them."""
    persons: dict[str, set[int]] = defaultdict(set)
    beside: dict[tuple[int, str, frozenset[str]], set[str]] = defaultdict(set)
    for person, tags in shown:
        for tag in tags:
            persons[tag].add(person)
            table = tag.split("/")[0]
            beside[person, table, frozenset(each for each in tags if each.split("/")[0] != table)].add(tag)
    several = {tag for tags in beside.values() if len(tags) > 1 for tag in tags}
    return sorted(tag for tag in several if len(persons[tag]) > 1)
