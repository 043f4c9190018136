"""`hold: narrowed`: k and the models on the rows that narrowed labels still hold, verified and said; or refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.narrowed_classes import NarrowedRegions, held_regions
from ordermade.privacy.elimination import Eliminations, Left
from ordermade.privacy.models import DistinctL
from ordermade.release.files import read_manifest
from ordermade.requests.generalization import GeneralizationRequest, LocalRecoding
from ordermade.requests.read import read_mapping
from ordermade.views.request import answer_facts
from tests.local import opened
from tests.made import Row, new_engine
from tests.unit.test_local_recoding import KINDS, TEN, hierarchies

pytestmark = pytest.mark.slow

HELD: Mapping[str, Any] = {"kind": "local", "seal": False, "hold": "narrowed"}


def test_the_key_is_of_classes_that_overlap() -> None:
    assert LocalRecoding.model_validate({"kind": "local", "seal": False}).hold == "labels"
    for wrong in ({"kind": "local", "hold": "narrowed"}, {"kind": "local", "seal": True, "hold": "labels"}):
        with pytest.raises(ValueError, match="hold can be set with seal: false alone"):
            LocalRecoding.model_validate(wrong)
    with pytest.raises(ValueError, match="narrowed"):
        LocalRecoding.model_validate({"kind": "local", "seal": False, "hold": "both"})


def test_ten_rows(tmp_path: Path) -> None:
    """The four classes of `test_local_recoding` are as their labels say, and k = 2 holds in all."""
    with opened(tmp_path, KINDS, TEN, hierarchies(), 2) as table:
        found = table.recode(Requirement(2, 1), (1, 1))
        before = table.released()
        held = held_regions(table.plan, [each.node for each in found.rounds], Requirement(2, 1))
        assert held == NarrowedRegions(classes=4, narrowed=0, given_up=0, failing=0)
        assert table.released() == before


NARROWED: list[Row] = [(1, "x"), (1, "x"), (1, "x"), (2, "x"), (2, "x"), (1, "y"), (2, "y")]
"""k = 3: (1, x) has three rows; (low, x) without them and (low, y) have two each, (low, *) has four."""


def test_a_narrowed_class_keeps_its_rows(tmp_path: Path) -> None:
    with opened(tmp_path, KINDS, NARROWED, hierarchies(), 3) as table:
        found = table.recode(Requirement(3, 0), None)
        assert [each.rows for each in found.rounds] == [3, 4]
        held = held_regions(table.plan, [each.node for each in found.rounds], Requirement(3, 0))
        assert (held.classes, held.failing) == (2, 0)


def _only_the_first_value(attack: Eliminations, number: int) -> Left:
    attributes, labels = attack.released.attributes, attack.released.labels[number].tolist()
    return Left(tuple(each.named[label][:1] for each, label in zip(attributes, labels, strict=True)))


@pytest.mark.parametrize("models", [(), (DistinctL(2),)])
def test_rows_that_narrowing_would_lose_are_counted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: tuple[DistinctL, ...]
) -> None:
    """An attack that left the first value of each label alone: of four rows two are left, below k = 3."""
    kinds = {**KINDS, "s": "VARCHAR"}
    rows = [(*row, "ab"[place % 2]) for place, row in enumerate(NARROWED)]
    with opened(tmp_path, kinds, rows, hierarchies(), 3, models=models) as table:
        requirement = Requirement(3, 0, models=bool(models))
        found = table.recode(requirement, None)
        before = table.released()
        monkeypatch.setattr(Eliminations, "left", _only_the_first_value)
        held = held_regions(table.plan, [each.node for each in found.rounds], requirement)
        assert (held.classes, held.narrowed, held.failing) == (2, 1, 1)
        assert table.released() == before


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    rows = "".join(f"{1 + (i * i) % 4},{'xy'[i % 5 == 0]},{'abc'[i % 3]}\n" for i in range(60))
    (tmp_path / "t.csv").write_text(f"age,plan,ill\n{rows}", encoding="utf-8")
    found = new_engine(tmp_path)
    found.sources.add("s", str(tmp_path / "t.csv"))
    found.datasets.add("t", "s", table="t")
    from tests.unit.test_local_recoding import AGE, PLAN

    for name, rules in {"age": AGE, "plan": PLAN}.items():
        (tmp_path / f"{name}.yaml").write_text(rules, encoding="utf-8")
        found.hierarchies.add(name, tmp_path / f"{name}.yaml")
    return found


def request(to: Path, **further: Any) -> dict[str, Any]:
    return {
        "dataset": "t",
        "k": 7,
        "recoding": HELD,
        "quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "plan")},
        "sensitive": {"ill": [{"model": "distinct_l", "l": 2}]},
        "suppression_limit": 0.2,
        "release": {"to": str(to)},
        **further,
    }


def test_answer_and_manifest_say_so(engine: Engine, tmp_path: Path) -> None:
    result = engine.run(request(tmp_path / "held.parquet"))
    local = result.as_dict()["local"]
    assert result.status == "released"
    assert local["held"]["classes"] == result.as_dict()["classes"]
    manifest = read_manifest(tmp_path / "held.parquet")
    assert (manifest["held"], manifest["recoding"]) == (local["held"], "held")
    plain = engine.run(request(tmp_path / "plain.parquet", recoding={"kind": "local", "seal": False}))
    assert plain.as_dict()["local"]["held"] is None  # another request: it is not the release that was verified
    assert engine.judge_recoding(tmp_path / "held.parquet").overlaps is True
    asked = read_mapping(request(tmp_path / "held.parquet")).request
    assert isinstance(asked, GeneralizationRequest)
    shown = dict(answer_facts(result, asked, None))
    assert shown["narrowed labels"] == (
        f"k and every model verified for the rows left in each of the {local['held']['classes']} classes"
    )


def test_a_region_that_fails_is_refused(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Eliminations, "left", _only_the_first_value)
    result = engine.run(request(tmp_path / "held.parquet"))
    assert result.status == "refused"
    assert "k or a model does not hold for the rows that are left in fewer than" in str(result.as_dict()["reason"])
    assert not (tmp_path / "held.parquet").exists()
