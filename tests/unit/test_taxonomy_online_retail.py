"""The worked example on the real goods: Japanese categories by other rules, and how far the draft agrees with them."""

from __future__ import annotations

import csv
from collections import Counter
from math import comb
from pathlib import Path

import pytest

from ordermade.engine import Engine
from ordermade.hierarchies.read import read_hierarchy
from ordermade.methods.histories.taxonomies.suggest import TaxonomyOptions, csv_text

RETAIL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "online_retail"
GOODS = RETAIL / "product_categories.csv"

pytestmark = pytest.mark.skipif(not GOODS.exists(), reason=f"the goods are not at {GOODS}")


@pytest.mark.slow
def test_the_japanese_categories_cover_the_goods_and_the_draft_agrees_in_part(tmp_path: Path) -> None:
    engine = Engine(tmp_path / "state.sqlite")
    with GOODS.open(encoding="utf-8", newline="") as file:
        listed = {row["StockCode"]: row["category_rules"] for row in csv.DictReader(file)}
    japanese = tmp_path / "japanese.csv"
    lines = [("item", "category"), *listed.items()]
    with japanese.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    found = engine.check_taxonomy(japanese, GOODS, "StockCode")
    assert (found.goods, found.complete, len(found.used), found.never_used) == (3254, True, 18, ())
    assert (found.used[0].goods, found.used[-1].goods) == (711, 2)

    drafted = engine.suggest_taxonomy(GOODS, TaxonomyOptions("StockCode", "Description"))
    assert sum(each.by_keyword for each in drafted.categories) / drafted.items > 0.93
    draft = tmp_path / "draft.csv"
    draft.write_text(csv_text(drafted), encoding="utf-8")
    assert [each.name for each in read_hierarchy(draft, "draft").hierarchy.levels] == [
        "item",
        "category",
        "department",
        "*",
    ]
    again = engine.check_taxonomy(draft, GOODS, "StockCode", level="department")
    assert again.complete
    # As the guide to taxonomies tells it.
    ours = {line[0]: line for line in drafted.lines}
    assert _agreement([(listed[each], ours[each][1]) for each in listed]) == pytest.approx(0.24, abs=0.01)
    assert _agreement([(listed[each], ours[each][2]) for each in listed]) == pytest.approx(0.31, abs=0.01)


def _agreement(pairs: list[tuple[str, str]]) -> float:
    """The adjusted Rand index (Hubert and Arabie 1985): 1 where two partitions are one, 0 as by chance."""
    both, one, other = Counter(pairs), Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    together, first, second = (sum(comb(n, 2) for n in each.values()) for each in (both, one, other))
    chance = first * second / comb(len(pairs), 2)
    return (together - chance) / ((first + second) / 2 - chance)
