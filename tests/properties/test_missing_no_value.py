"""`missing: no value` of distinct l-diversity: NULL is not counted, as in plain Python, in whatever way classes are."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine, anonymize
from ordermade.anonymization.short_models import short_model
from ordermade.errors import InputError, Refused, RequestError
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.policies.decision import is_at_least
from ordermade.privacy.models import DistinctL, DistinctLModel
from tests.long import rounds
from tests.made import Value, new_engine, write_hierarchy, write_table

SEED = 20_261_129
KINDS = {"person": "INTEGER", "a": "INTEGER", "b": "INTEGER", "ill": "VARCHAR"}
QIS = ("a", "b")
TOPS = (2, 2)
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Wanted:
    """A request: k, l, the share of suppressed units, whether they are persons, and whether alpha is bounded too."""

    k: int
    l: int  # noqa: E741
    limit: Fraction
    of_persons: bool
    alpha: Fraction | None

    def document(self, **more: Any) -> dict[str, Any]:
        models: list[dict[str, Any]] = [{"model": "distinct_l", "l": self.l, "missing": "no value"}]
        if self.alpha is not None:
            models.append({"model": "alpha_k", "alpha": float(self.alpha)})
        return {
            "dataset": "people" if self.of_persons else "rows",
            "k": self.k,
            "suppression_limit": float(self.limit),
            "quasi_identifiers": {name: {"hierarchy": name} for name in QIS},
            "sensitive": {"ill": models},
            "allow_identifying": ["ill"],
            "search": {"objective": "height", "algorithm": "exhaustive"},
            **more,
        }


def shown(row: Row, node: Sequence[int]) -> tuple[str, ...]:
    return tuple(
        "*" if level == 2 else str(value if level == 0 else value // 2)
        for value, level in zip(row[1:3], node, strict=True)
    )


def passes(rows: Sequence[Row], node: Sequence[int], wanted: Wanted) -> bool:
    """Whether a node passes, by hand."""
    classes: defaultdict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        classes[shown(row, node)].append(row)
    kept, lost = 0, set()
    for members in classes.values():
        units = {row[0] if wanted.of_persons else number for number, row in enumerate(members)}
        of_value = Counter(
            ill for _, ill in {(row[0] if wanted.of_persons else n, row[3]) for n, row in enumerate(members)}
        )
        fails = len(units) < wanted.k or len(set(of_value) - {None}) < wanted.l
        if wanted.alpha is not None and max(of_value.values()) > wanted.alpha * len(units):
            fails = True
        if fails:
            lost |= {row[0] if wanted.of_persons else id(row) for row in members}
        else:
            kept += 1
    every = len({row[0] for row in rows}) if wanted.of_persons else len(rows)
    return kept > 0 and len(lost) <= wanted.limit * every


def table(rng: random.Random) -> list[Row]:
    share, size = rng.choice([0.0, 0.2, 0.7]), rng.choice([20, 60])
    return [
        (
            rng.randrange(size // 2),
            rng.randrange(4),
            rng.randrange(4),
            None if rng.random() < share else rng.choice("uvwx"),
        )
        for _ in range(size)
    ]


def engine_of(folder: Path, rows: Sequence[Row]) -> Engine:
    engine = new_engine(folder)
    write_table(folder / "s.duckdb", KINDS, rows)
    engine.sources.add("s", str(folder / "s.duckdb"))
    engine.datasets.add("rows", "s", table="persons", least_k=2)
    engine.datasets.add("people", "s", table="persons", least_k=2, entity="person")
    for name in QIS:
        paths: list[tuple[Value, ...]] = [(each, f"h{each // 2}") for each in range(4)]
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", ("value", "half"), paths), "header")
    return engine


@pytest.mark.parametrize("number", range(rounds(4, 200)))
def test_null_is_not_counted(number: int, tmp_path: Path) -> None:
    rng = random.Random(SEED + number)
    rows = table(rng)
    wanted = Wanted(
        rng.choice([2, 3]),
        rng.choice([2, 3]),
        Fraction(rng.choice([0, 1, 3]), 10),
        rng.random() < 0.4,
        rng.choice([None, Fraction(4, 5)]),
    )
    engine = engine_of(tmp_path, rows)
    nodes = [node for node in itertools.product(range(3), range(3)) if passes(rows, node, wanted)]
    out = tmp_path / "out.parquet"
    document = wanted.document(release={"to": str(out), "replace": True})
    for counted in ({"roll_up": True}, {"roll_up": False}):
        result = engine.run(document, again=True, **counted)
        assert isinstance(result, GeneralizationResult)
        assert result.released == bool(nodes)
        if not nodes:
            continue
        assert sum(result.levels[name] for name in QIS) == min(map(sum, nodes))
        assert tuple(result.levels[name] for name in QIS) in nodes
        fewest = min(n for (n,) in duckdb.sql(f"SELECT COUNT(DISTINCT ill) FROM '{out}' GROUP BY a, b").fetchall())
        assert fewest >= wanted.l
    certified = document | {"search": {"objective": "height"}}
    result = engine.run(certified, again=True)
    engine.certify(certified, result, tmp_path / "c.json")
    assert engine.verify_certificate(tmp_path / "c.json", certified).nodes == 9


def test_a_class_of_one_value_and_null_passes_and_fails(tmp_path: Path) -> None:
    rows = [(i, i % 2, 0, "u" if i < 10 else None) for i in range(20)]
    engine = engine_of(tmp_path, rows)
    request = Wanted(2, 2, Fraction(0), of_persons=False, alpha=None).document(release={"to": str(tmp_path / "o.csv")})
    refused = engine.run(request)
    assert refused.status == "refused"
    request["sensitive"]["ill"][0]["missing"] = "value"
    assert engine.run(request).released


def test_it_is_refused_where_classes_are_decided_otherwise(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, table(random.Random(3)))
    request = Wanted(2, 2, Fraction(0), of_persons=False, alpha=None).document(release={"to": str(tmp_path / "o.csv")})
    del request["search"]
    with pytest.raises(RequestError, match=r"sensitive\.ill\[0\]\.missing: local recoding has NULL as a value"):
        engine.run(request | {"recoding": "local"})
    del request["suppression_limit"]
    with pytest.raises(RequestError, match="groups are split with NULL as a value"):
        engine.run(request | {"method": "mondrian"})
    request["sensitive"] = {"ill": [{"model": "entropy_l", "l": 2, "missing": "no value"}]}
    with pytest.raises(RequestError, match="missing"):
        engine.run(request)


def test_it_has_a_short_form_and_an_identity_of_its_own() -> None:
    assert short_model("distinct_l 3 no value") == {"model": "distinct_l", "l": 3, "missing": "no value"}
    with pytest.raises(InputError):
        short_model("entropy_l 3 no value")
    plain, strict = DistinctL(3), DistinctL(3, "no value")
    assert plain.written == "distinct_l {l: 3}"
    assert strict.written == "distinct_l {l: 3, missing: no value}"
    assert plain.identity != strict.identity
    assert plain.definition.parse(strict.given, {}) == strict
    assert plain.definition.parse(plain.given, {}) == plain


def test_a_policy_that_does_not_count_null_takes_no_request_that_does() -> None:
    plain, strict = DistinctLModel(model="distinct_l", l=3), DistinctLModel(model="distinct_l", l=3, missing="no value")
    assert is_at_least(strict, plain)
    assert is_at_least(strict, strict)
    assert not is_at_least(plain, strict)


def test_anonymize_takes_it() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1, 1, 2, 2] * 5, "ill": ["u", None, "u", "v"] * 5})
    given: dict[str, Any] = {"quasi_identifiers": ["a"], "suppression_limit": 0}
    assert anonymize(frame, k=2, sensitive={"ill": "distinct_l 2"}, **given).result.levels == {"a": 0}
    assert anonymize(frame, k=2, sensitive={"ill": "distinct_l 2 no value"}, **given).result.levels == {"a": 1}
    with pytest.raises(Refused):
        anonymize(frame.assign(ill=["u", None] * 10), k=2, sensitive={"ill": "distinct_l 2 no value"}, **given)
