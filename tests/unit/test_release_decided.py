"""Suppressed rows, rows that stay as `*`, pseudonyms: ten rows by hand, and random rows counted in Python."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import InputError, ReleaseMismatch
from ordermade.privacy.models import AlphaK, DistinctL, TCloseness
from ordermade.release.measure import ExpectedRelease, ReadingPlan, SensitiveColumn, check_measured, measure_file
from tests.decided import COLUMNS, LIMITS, Asked, by_hand, make
from tests.made import Row

pytestmark = pytest.mark.slow

ENDINGS = (".parquet", ".csv", ".csv.gz")

OF_ALL_PAIRS = frozenset([0, 2, 3, 4, 5, 9, 11, 15, 16, 19, 22, 23, 24, 27, 29, 37, 38, 40, 53, 55, 59])
"""Of sixty drawn releases, some that have among them each two of these that any of the sixty has together: a format,
levels, a model, persons, pseudonyms, a statistical table, a kept column; rows suppressed or not, star rows or not, no
class at all, a refusal."""

# Ten rows: class (1, x) has 4 rows of 3 persons, (2, x) 3 rows of 2 persons, (3, y) 2 rows of 2 persons, (4, y) 1 row.
# (a, b, s, keep, person)
TEN: list[Row] = [
    (1, "x", "flu", "p", 1),
    (1, "x", "flu", "q", 1),
    (1, "x", "ache", "p", 2),
    (1, "x", None, "p", 3),
    (2, "x", "flu", "p", 4),
    (2, "x", "flu", "p", 4),
    (2, "x", "flu", "q", 5),
    (3, "y", "ache", "p", 6),
    (3, "y", "flu", "p", 1),
    (4, "y", "ache", "p", 7),
]


def always(_: list[Row]) -> bool:
    return True


def test_ten_rows_dropped(tmp_path: Path) -> None:
    made = make(tmp_path, TEN, Asked(k=3))
    # (3, y) has 2 rows and (4, y) has 1: three rows are suppressed; 4 + 3 stay, as they were, an INTEGER too.
    assert made.rows == [(1, "x")] * 4 + [(2, "x")] * 3
    settled = made.settled
    assert (settled.classes.k, settled.classes.divisions, settled.rows) == (3, 2, 7)
    assert (settled.suppressed_rows, settled.suppressed_persons, settled.stars) == (3, None, 0)


def test_ten_rows_starred(tmp_path: Path) -> None:
    made = make(tmp_path, TEN, Asked(k=3, stars=True, keep=True))
    # The three suppressed rows stay, at the end, `*` in the kept column too; every column is text.
    assert made.rows == [
        ("1", "x", "p"), ("1", "x", "p"), ("1", "x", "p"), ("1", "x", "q"),
        ("2", "x", "p"), ("2", "x", "p"), ("2", "x", "q"),
        ("*", "*", "*"), ("*", "*", "*"), ("*", "*", "*"),
    ]  # fmt: skip
    assert (made.written.classes.k, made.written.classes.divisions, made.written.stars) == (3, 2, 3)


def test_fewer_star_rows_than_k_are_dropped(tmp_path: Path) -> None:
    made = make(tmp_path, TEN, Asked(k=2, stars=True))
    # Only (4, y) is suppressed: one row, fewer than 2, so that it may not stay. Columns are texts all the same.
    assert made.rows == [("1", "x")] * 4 + [("2", "x")] * 3 + [("3", "y")] * 2
    assert (made.settled.suppressed_rows, made.settled.stars) == (1, 0)


def test_ten_rows_as_a_statistical_table(tmp_path: Path) -> None:
    assert make(tmp_path, TEN, Asked(k=3, table=True)).rows == [(1, "x", 4), (2, "x", 3)]
    assert make(tmp_path, TEN, Asked(k=3, table=True, stars=True)).rows == [
        ("1", "x", 4),
        ("2", "x", 3),
        ("*", "*", 3),
    ]


def test_ten_rows_with_a_model(tmp_path: Path) -> None:
    # (1, x) has flu, ache and NULL; (2, x) has flu alone and fails distinct 2; (3, y) has both; (4, y) is too small.
    made = make(tmp_path, TEN, Asked(k=2, models=(DistinctL(2),)))
    assert made.rows == [
        (1, "x", None), (1, "x", "ache"), (1, "x", "flu"), (1, "x", "flu"),
        (3, "y", "ache"), (3, "y", "flu"),
    ]  # fmt: skip
    (model,) = made.written.models
    assert (model.failing, model.worst) == (0, 2.0)
    # alpha 0.5: flu is half of (1, x), exactly on the threshold, and half of (3, y).
    assert make(tmp_path, TEN, Asked(k=2, models=(AlphaK(Fraction(1, 2)),))).settled.classes.sizes == ((2, 1), (4, 1))
    assert make(tmp_path, TEN, Asked(k=2, models=(AlphaK(Fraction(49, 100)),))).settled.classes.divisions == 0


def test_closeness_is_to_the_whole_dataset_suppressed_rows_included(tmp_path: Path) -> None:
    # The dataset: flu 6, ache 3, NULL 1 of 10. (1, x): 2, 1, 1 of 4: (|5 - 6| + |2.5 - 3| + |2.5 - 1|) / 20 = 0.15.
    # (2, x): 3, 0, 0 of 3: (4 + 3 + 1) / 20 = 0.4. (3, y): 1, 1, 0 of 2: (1 + 2 + 1) / 20 = 0.2.
    made = make(tmp_path, TEN, Asked(k=2, models=(TCloseness(Fraction(1, 5)),)), ".csv")
    assert made.settled.classes.sizes == ((2, 1), (4, 1))
    assert made.written.models[0].worst == pytest.approx(0.2, abs=1e-12)
    assert make(tmp_path, TEN, Asked(k=2, models=(TCloseness(Fraction(19, 100)),))).settled.classes.sizes == ((4, 1),)


def test_ten_rows_of_seven_persons(tmp_path: Path) -> None:
    # Persons: (1, x) 3, (2, x) 2, (3, y) 2, (4, y) 1. k = 2 suppresses one row of one person, who has no other.
    made = make(tmp_path, TEN, Asked(k=2, entity=True))
    settled = made.settled
    assert made.rows == [(1, "x")] * 4 + [(2, "x")] * 3 + [(3, "y")] * 2
    assert (settled.classes.sizes, settled.visible.sizes) == (((2, 2), (3, 1)), ((2, 1), (3, 1), (4, 1)))
    assert (settled.persons, settled.suppressed_rows, settled.suppressed_persons) == (6, 1, 1)
    # k = 3 suppresses three classes: 6 rows of persons 4, 5, 6, 1 and 7: five persons, of whom person 1 keeps two rows.
    settled = make(tmp_path, TEN, Asked(k=3, entity=True)).settled
    assert (settled.rows, settled.persons, settled.suppressed_rows, settled.suppressed_persons) == (4, 3, 6, 5)
    assert make(tmp_path, TEN, Asked(k=2, entity=True, table=True)).rows == [(1, "x", 3), (2, "x", 2), (3, "y", 2)]


def test_star_rows_of_persons_are_persons_in_a_table_and_rows_elsewhere(tmp_path: Path) -> None:
    # k = 3 suppresses three classes: 6 rows of five persons.
    asked = Asked(k=3, entity=True, stars=True)
    made = make(tmp_path, TEN, replace(asked, table=True))
    assert made.rows == [("1", "x", 3), ("*", "*", 5)]
    assert (made.settled.stars, made.written.stars) == (5, 5)
    made = make(tmp_path, TEN, asked)
    assert made.rows == [("1", "x")] * 4 + [("*", "*")] * 6
    assert (made.settled.stars, made.written.stars) == (6, 6)
    # Without the last three rows (2, x) alone is suppressed: 3 rows, but two persons, fewer than k, who may not stay.
    for table in (False, True):
        settled = make(tmp_path, TEN[:7], replace(asked, table=table)).settled
        assert (settled.suppressed_rows, settled.suppressed_persons, settled.stars) == (3, 2, 0)


def test_a_pseudonym_is_one_random_number_a_person(tmp_path: Path) -> None:
    made = make(tmp_path, TEN, Asked(k=2, entity=True, pseudonym=True))
    # Six persons are left: 1 to 6 in any order, each on all the rows of one person.
    of_person: dict[Any, list[Any]] = {}
    for *labels, number in made.rows:
        of_person.setdefault(number, []).append(tuple(labels))
    assert len(of_person) == 6
    assert sorted(of_person.values()) == sorted(
        [[(1, "x"), (1, "x"), (3, "y")], [(1, "x")], [(1, "x")], [(2, "x"), (2, "x")], [(2, "x")], [(3, "y")]]
    )
    assert (made.written.classes.sizes, made.written.classes.rows) == (((2, 2), (3, 1)), 6)


@pytest.mark.parametrize("node", [(2, 0), (0, 0)])
def test_a_class_that_is_itself_called_star_is_not_mixed_up_with_star_rows(
    tmp_path: Path, node: tuple[int, int]
) -> None:
    # At the top of a, the value `*` of b makes a class that nobody could tell from suppressed rows; elsewhere not.
    rows: list[Row] = [(1, "*", "flu", "p", i) for i in range(3)] + [(1, b, "flu", "p", 9) for b in "xy"]
    asked = Asked(node=node, k=2, stars=True)
    if node == (0, 0):
        assert make(tmp_path, rows, asked).rows == [("1", "*")] * 3 + [("*", "*")] * 2
        return
    with pytest.raises(InputError, match="suppressed: drop"):
        make(tmp_path, rows, asked)
    assert make(tmp_path, rows, Asked(node=node, k=2)).rows == [("*", "*")] * 3
    # Where nothing is suppressed, or too little to stay, the class is as good as any other.
    assert make(tmp_path, rows[:3], asked).rows == [("*", "*")] * 3
    assert make(tmp_path, rows[:4], asked).rows == [("*", "*")] * 3
    # And where it is suppressed itself, it is among the star rows.
    assert make(tmp_path, [*rows[:1], *rows[3:], *rows[3:]], Asked(node=node, k=2, stars=True)).rows == [
        ("*", "x"), ("*", "x"), ("*", "y"), ("*", "y"),
    ]  # fmt: skip


def test_the_steps_after_deciding_do_not_ask_where_it_came_from(tmp_path: Path) -> None:
    # Rows at mixed levels, as local recoding decides: classes of one name are one class, whichever round released them.
    local = """
    SELECT CASE WHEN a < 3 THEN CAST(a AS VARCHAR) ELSE 'high' END AS v1, b AS v2, s AS v3, person, COUNT(*) AS n,
      a = 4 AS suppressed
    FROM persons GROUP BY ALL
    """
    asked = Asked(k=2, models=(DistinctL(2),), entity=True, pseudonym=True)
    made = make(tmp_path, [row for row in TEN if row[0] != 2], asked, local=local)
    assert [row[:3] for row in made.rows] == [
        ("1", "x", None), ("1", "x", "ache"), ("1", "x", "flu"), ("1", "x", "flu"),
        ("high", "y", "ache"), ("high", "y", "flu"),
    ]  # fmt: skip
    assert made.written.classes.sizes == ((2, 1), (3, 1))
    assert (made.settled.suppressed_rows, made.settled.suppressed_persons) == (1, 1)


def test_values_of_every_type_are_the_same_texts_in_parquet_as_in_csv(tmp_path: Path) -> None:
    values = {
        "BOOLEAN": [True, False],
        "DOUBLE": [0.1, 1e300],
        "DECIMAL(9,2)": ["1.50", "-2.25"],
        "DATE": ["2020-02-29", "0001-01-01"],
        "TIMESTAMP": ["2020-02-29 12:34:56.789", "1999-12-31 23:59:59"],
        "TIMESTAMP WITH TIME ZONE": ["2020-02-29 12:34:56+09", "1999-12-31 23:59:59+00"],
        "BLOB": [b"\x00a", b"b"],
        "INTEGER[]": [[1, 2], [3]],
        "UUID": ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"],
    }
    kept = {f"keep {kind}": kind for kind in values}
    asked = Asked(k=3, keep=True, stars=False, columns={**COLUMNS, **kept})
    firsts, seconds = zip(*values.values(), strict=True)
    rows: list[Any] = [(1, "x", "flu", "p", 1, *each) for each in (firsts, firsts, seconds)]
    rows += [(4, "y", "flu", "p", 2, *seconds)] * 2
    as_csv = make(tmp_path, rows, asked, ".csv").rows
    starred = make(tmp_path, [*rows, rows[0]], replace(asked, stars=True, k=3)).rows
    assert len(as_csv[0]) == 3 + len(values)
    assert {row for row in starred if row[0] != "*"} == set(as_csv)


def test_what_a_model_fails_on_in_the_file_is_found(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("a,s\n1,flu\n1,flu\n2,flu\n2,ache\n", encoding="utf-8")
    reading = ReadingPlan(
        ("a",), "rows", sensitive=(SensitiveColumn("s", "VARCHAR", (DistinctL(2), AlphaK(Fraction(1, 2)))),)
    )
    found = measure_file(file, reading, LIMITS)
    assert [(each.failing, each.worst) for each in found.models] == [(1, 1.0), (1, 1.0)]
    with pytest.raises(ReleaseMismatch, match=r"distinct_l {l: 2} of column 's' fails in 1 class"):
        check_measured(found, ExpectedRelease(found.classes, 2, 4), "here")


def drawn(seed: int) -> tuple[list[Row], Asked, Any]:
    rng = random.Random(seed)
    persons = rng.choice([4, 12, 40])
    rows: list[Row] = [
        (
            rng.choice([1, 1, 1, 2, 3, 4]),
            rng.choice(["x", "x", "y", "*" if seed % 5 == 0 else "y"]),
            rng.choice(["flu", "flu", "ache", "", None]),
            rng.choice(["p", "q"]),
            rng.randrange(persons),
        )
        for _ in range(rng.randrange(1, 40))
    ]
    entity = rng.random() < 0.5
    table = rng.random() < 0.25
    of_models = rng.choice(["none", "distinct", "alpha", "close"]) if not table else "none"
    models, passes = {
        "none": ((), always),
        "distinct": ((DistinctL(2),), lambda held: len({row[2] for row in held}) >= 2),
        "alpha": (
            (AlphaK(Fraction(1, 2)),),
            lambda held: 2 * max(of_values(held, entity).values()) <= units(held, entity),
        ),
        "close": ((TCloseness(Fraction(1, 4)),), lambda held: distance(held, rows, entity) <= Fraction(1, 4)),
    }[of_models]
    asked = Asked(
        node=(rng.randrange(3), rng.randrange(2)),
        k=rng.choice([2, 3, 5]),
        models=models,
        entity=entity,
        pseudonym=entity and not table and rng.random() < 0.5,
        stars=rng.random() < 0.5,
        table=table,
        keep=not table and rng.random() < 0.5,
    )
    return rows, asked, passes


def units(held: list[Row], entity: bool) -> int:
    return len({row[4] for row in held}) if entity else len(held)


def of_values(held: list[Row], entity: bool) -> Counter[Any]:
    return Counter(value for value, _ in ({(row[2], row[4]) for row in held} if entity else [(r[2], 0) for r in held]))


def distance(held: list[Row], rows: list[Row], entity: bool) -> Fraction:
    here, whole = of_values(held, entity), of_values(rows, entity)
    return sum(abs(Fraction(here[v], here.total()) - Fraction(whole[v], whole.total())) for v in whole) / Fraction(2)


@pytest.mark.parametrize(
    "seed", [each if each in OF_ALL_PAIRS else pytest.param(each, marks=pytest.mark.thorough) for each in range(60)]
)
def test_what_is_written_is_what_is_found_row_by_row(tmp_path: Path, seed: int) -> None:
    rows, asked, passes = drawn(seed)
    expected = by_hand(rows, asked, passes)
    ending = ENDINGS[seed % 3]
    if (
        expected.stars
        and asked.node[0] == 2
        and expected.rows.total()
        and any((asked.node[1] == 1 or row[1] == "*") for row in expected.released)
    ):
        with pytest.raises(InputError):
            make(tmp_path, rows, asked, ending)
        return
    made = make(tmp_path, rows, asked, ending)
    found = [row[:-1] for row in made.rows] if asked.pseudonym else made.rows
    as_text = asked.stars or ending != ".parquet"
    wanted = Counter()
    for row, n in expected.rows.items():
        shown = tuple(("" if v is None and ending != ".parquet" else v if v is None else str(v)) for v in row)
        if asked.table and ending == ".parquet":
            shown = (*shown[:-1], row[-1])
        wanted[shown if as_text else row] += n
    assert Counter(found) == wanted
    settled = made.settled
    assert (settled.suppressed_rows, settled.stars) == (expected.suppressed_rows, expected.stars)
    assert sorted(size for size, n in settled.classes.sizes for _ in range(n)) == expected.sizes
    if asked.entity:
        assert settled.suppressed_persons == expected.suppressed_persons
        assert settled.persons == len({row[4] for row in expected.released})
    if asked.pseudonym:
        stars = [row for row in made.rows if row[-1] == "*"]
        assert len(stars) == expected.stars
        assert len({int(row[-1]) for row in made.rows if row[-1] != "*"}) == (settled.persons or 0)
