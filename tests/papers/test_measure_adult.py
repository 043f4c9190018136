"""Adult measured as it is: k, l, t, alpha as SQL that was written by hand gives them, and as pycanon defines them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.counting.table_figures import MeasuredTable

QIS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
FEW = ("sex", "race", "salary-class")

CLASSES = """
WITH class AS (SELECT {qis}, COUNT(*) AS n FROM adult GROUP BY ALL)
SELECT MIN(n), COUNT(*), COUNT(*) FILTER (n = 1), MAX(n), SUM(n) FILTER (n < 5) FROM class
"""

MODELS = """
WITH part AS (SELECT {qis}, {value} AS value, COUNT(*) AS n FROM adult GROUP BY ALL),
  share AS (SELECT *, n / SUM(n) OVER (PARTITION BY {qis}) AS q FROM part),
  class AS (
    SELECT COUNT(*) AS l, EXP(-SUM(q * LN(q))) AS entropy_l, MAX(q) AS alpha,
      MAX(n) / (SUM(n) - MAX(n)) AS c
    FROM share GROUP BY {qis}
  )
SELECT MIN(l), MIN(entropy_l), MAX(alpha), MAX(c) FROM class
"""

EQUAL_T = """
WITH whole AS (SELECT {value} AS value, COUNT(*) / (SELECT COUNT(*) FROM adult) AS p FROM adult GROUP BY ALL),
  class AS (SELECT {qis}, COUNT(*) AS size FROM adult GROUP BY ALL),
  part AS (SELECT {qis}, {value} AS value, COUNT(*) AS n FROM adult GROUP BY ALL),
  every AS (
    SELECT {qis_of_class}, whole.value, whole.p, COALESCE(part.n, 0) / class.size AS q
    FROM class CROSS JOIN whole LEFT JOIN part ON {same} AND part.value = whole.value
  ),
  apart AS (SELECT SUM(ABS(q - p)) / 2 AS t FROM every GROUP BY {qis})
SELECT MAX(t) FROM apart
"""

ORDERED_T = """
WITH whole AS (SELECT {value} AS value, COUNT(*) / (SELECT COUNT(*) FROM adult) AS p FROM adult GROUP BY ALL),
  class AS (SELECT {qis}, COUNT(*) AS size FROM adult GROUP BY ALL),
  part AS (SELECT {qis}, {value} AS value, COUNT(*) AS n FROM adult GROUP BY ALL),
  every AS (
    SELECT {qis_of_class}, whole.value, COALESCE(part.n, 0) / class.size - whole.p AS r
    FROM class CROSS JOIN whole LEFT JOIN part ON {same} AND part.value = whole.value
  ),
  up_to AS (SELECT {qis}, SUM(r) OVER (PARTITION BY {qis} ORDER BY value) AS r FROM every),
  apart AS (SELECT SUM(ABS(r)) / ((SELECT COUNT(*) FROM whole) - 1) AS t FROM up_to GROUP BY {qis})
SELECT MAX(t) FROM apart
"""


@pytest.fixture(scope="module")
def adult(shared_data: Path) -> Path:
    return shared_data / "arx" / "adult" / "adult.csv"


@pytest.fixture(scope="module")
def by_hand(adult: Path) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE adult AS SELECT * FROM read_csv($1, delim = ';', header = true)", [str(adult)])
    return connection


def measured(adult: Path, qis: tuple[str, ...], sensitive: str) -> MeasuredTable:
    return Engine().measure(adult, qis, [sensitive])


def filled(statement: str, qis: tuple[str, ...], value: str = "") -> str:
    return statement.format(
        qis=", ".join(f'"{each}"' for each in qis),
        qis_of_class=", ".join(f'class."{each}"' for each in qis),
        same=" AND ".join(f'part."{each}" = class."{each}"' for each in qis),
        value=f'"{value}"',
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("qis", "sensitive"), [(QIS, "occupation"), (FEW, "occupation"), (FEW, "age"), (("age", "sex"), "education")]
)
def test_k_l_t_and_alpha_are_those_of_sql_by_hand(
    adult: Path, by_hand: duckdb.DuckDBPyConnection, qis: tuple[str, ...], sensitive: str
) -> None:
    found = measured(adult, qis, sensitive)
    (figures,) = found.sensitive
    (classes,) = by_hand.execute(filled(CLASSES, qis)).fetchall()
    below = found.below((5,))[0].units
    assert (found.k, found.classes.divisions, found.classes_of_one, found.largest_class, below) == (
        *classes[:4],
        classes[4] or 0,
    )
    ((distinct, entropy_l, alpha, c),) = by_hand.execute(filled(MODELS, qis, sensitive)).fetchall()
    assert figures.distinct_l == distinct
    assert figures.entropy_l == pytest.approx(entropy_l, rel=1e-12)
    assert figures.alpha == pytest.approx(alpha, rel=1e-12)
    if distinct > 1:
        assert figures.recursive_c[0] == (2, pytest.approx(c, rel=1e-12))
    ((equal,),) = by_hand.execute(filled(EQUAL_T, qis, sensitive)).fetchall()
    assert figures.t_equal == pytest.approx(equal, abs=1e-12)
    if sensitive == "age":
        ((ordered,),) = by_hand.execute(filled(ORDERED_T, qis, sensitive)).fetchall()
        assert figures.t_ordered == pytest.approx(ordered, abs=1e-12)
    else:
        assert figures.t_ordered is None


@pytest.mark.slow
def test_the_figures_of_adult(adult: Path) -> None:
    found = measured(adult, QIS, "occupation")
    (occupation,) = found.sensitive
    assert (found.rows, found.k, found.classes.divisions, found.classes_of_one) == (30_162, 1, 12_458, 8_841)
    # The rarest occupation (9 of 30,162 rows) is alone in a class.
    assert occupation.t_equal == pytest.approx(1 - 9 / 30_162, abs=1e-12)
    assert (occupation.distinct_l, occupation.entropy_l, occupation.alpha) == (1, 1.0, 1.0)
    assert occupation.beta_basic == pytest.approx(30_162 / 9 - 1)
