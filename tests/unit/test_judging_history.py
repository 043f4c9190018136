"""A release of histories beside its original: eight purchases reckoned by hand, maps, classes, and every bad input."""

from __future__ import annotations

import csv
import statistics
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, UnknownName
from ordermade.evaluation.judge import Judgement
from ordermade.evaluation.options import JudgementOptions
from tests.long import sampled

pytestmark = pytest.mark.slow

COLUMNS = ("who", "day", "good", "price", "pieces")
ORIGINAL = [
    (7, "2011/1/30", "mug", "2.50", 4),
    (7, "2011/2/1", "cup; red", "1.00", 1),
    (7, "2011/2/1", "cup; red", "1.00", 1),
    (8, "2011/1/31", "pan", "2.75", 4),
    (8, "2011/2/3", 'a "b"', "1.00", 2),
    (8, "2011/3/9", "mug", "9.00", 1),
    (9, "2011/3/9", "mug", "9.00", 3),
    (9, "2011/1/1", "pan", "4.00", 3),
]
RELEASE = [
    ("21", "[2011/1/30;2011/1/31]", "{mug;pan}", "[2.50;2.75]", "4"),
    ("21", "[2011/2/1;2011-02-03]", '{"a ""b""";"cup; red"}', "1", "[1;2]"),
    ("*", "*", "*", "*", "*"),
    ("4", "[2011/1/30;2011/1/31]", "{pan; mug}", "[2.5;2.75]", "[4;4]"),
    ("4", "[2011/2/1;2011/2/3]", '{"cup; red";"a ""b"""}', "1.00", "[1;2]"),
    ("*", "*", "*", "*", "*"),
    ("5", "2011/3/9", "pan", "*", "[1;2]"),
    ("*", "*", "*", "*", "*"),
]
"""Customers 7 and 8 share a history; that of 9 is their own, and two of its cells do not hold the truth."""
DEFAULTS: dict[str, Any] = {
    "map": "rows", "customer": "who", "when": "day", "item": "good", "numbers": ["price", "pieces"],
    "pseudonym": "who", "attacks": False,
}  # fmt: skip


def written(path: Path, header: tuple[str, ...], rows: list[Any]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def judged(folder: Path, original: list[Any] = ORIGINAL, release: list[Any] = RELEASE, **asked: Any) -> Judgement:
    where = asked.pop("where", None)
    before = written(folder / "original.csv", asked.pop("columns", COLUMNS), original)
    after = written(folder / "release.csv", asked.pop("released", COLUMNS), release)
    wanted = JudgementOptions(**{**DEFAULTS, **asked})
    return Engine(state=folder / "none").judge_history(before, after, wanted, where=where)


def error(low: float, high: float, truth: float, sd: float) -> float:
    return ((low - truth) ** 2 + (high - truth) ** 2 + (high - low)) / (2 * (high - low + 1) * sd)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    """The judgement of the eight purchases."""
    return judged(tmp_path_factory.mktemp("judged"))


def test_every_figure_is_as_reckoned_by_hand(found: Judgement) -> None:
    days, prices, pieces = (
        (30, 32, 32, 31, 34, 68, 68, 1),
        (250, 100, 100, 275, 100, 900, 900, 400),
        (4, 1, 1, 4, 2, 1, 3, 3),
    )
    by_day, by_price, by_piece = map(statistics.pstdev, (days, prices, pieces))
    expected = {
        "day": [
            error(30, 31, 30, by_day),
            error(32, 34, 32, by_day),
            error(30, 31, 31, by_day),
            error(32, 34, 34, by_day),
            0,
        ],
        "good": [0.5, 0.5, 0.5, 0.5, 0],
        "price": [error(250, 275, 250, by_price), 0, error(250, 275, 275, by_price), 0, 1],
        "pieces": [0, error(1, 2, 1, by_piece), 0, error(1, 2, 2, by_piece), error(1, 2, 3, by_piece)],
    }
    losses = {each.name: each for each in found.loss.columns}
    assert list(losses) == ["day", "good", "price", "pieces"]
    for name, errors in expected.items():
        assert losses[name].utility == pytest.approx((sum(errors) + 3) / 8, abs=1e-11), name
    assert found.loss.utility == pytest.approx(sum(sum(each) + 3 for each in expected.values()) / 32, abs=1e-11)
    assert found.loss.utility_as_categories is None
    assert found.roles.units == (Decimal("0.01"), Decimal(1))
    assert (found.loss.deleted_rows, found.loss.deleted_share) == (3, 3 / 8)
    assert [each.deleted for each in found.loss.columns] == [3, 3, 4, 3]
    assert [each.untrue for each in found.loss.columns] == [0, 1, 0, 1]
    assert (found.histories.k, found.histories.histories, found.histories.largest) == (1, 2, 2)
    assert (found.histories.customers, found.histories.named, found.safety) == (3, 3, 1.0)
    assert found.total == pytest.approx(found.loss.utility + 1, abs=1e-11)


def test_what_it_is_still_good_for(found: Judgement) -> None:
    use = found.understood
    assert use.months is not None
    whole = 10 + 1 + 1 + 11 + 2 + 9 + 27 + 12
    both = 2 * 2.625 * 4
    assert [(each.month, each.before, each.after) for each in use.months] == [
        ("2011-01", pytest.approx((10 + 11 + 12) / whole), pytest.approx(both / whole)),
        ("2011-02", pytest.approx((1 + 1 + 2) / whole), pytest.approx(2 * 1.5 / whole)),
        ("2011-03", pytest.approx(36 / whole), 0),
    ]
    assert [(each.most, each.found) for each in use.most_sold] == [(4, 4)]
    # Last bought: 8 and 9 (the same day), 7; in the release 9, then 7 and 8. Often: 7 and 8, then 9; released alike.
    segments = use.segments
    assert (segments.recency, segments.frequency) == (pytest.approx(1 / 3), 1)
    assert segments.monetary == pytest.approx(1 / 3)  # of 9 no price is told: the least
    assert segments.all_of_them == 0


def test_our_labels_are_judged_as_those_of_the_contest(tmp_path: Path, found: Judgement) -> None:
    ours = [tuple(cell.replace(";", ", ").replace("cup,  red", "cup; red") for cell in row) for row in RELEASE]
    assert ours[1][2] == '{"a ""b""", "cup; red"}'
    again = judged(tmp_path, release=ours)
    assert (again.loss, again.histories, again.understood) == (found.loss, found.histories, found.understood)


def test_a_map_says_the_same_as_the_rows(tmp_path: Path, found: Judgement) -> None:
    kept = [place for place, row in enumerate(RELEASE) if row[0] != "*"]
    kept.reverse()
    truth = [(*ORIGINAL[place], number) for number, place in enumerate(kept, start=1)]
    path = written(tmp_path / "map.csv", (*COLUMNS, "row"), truth)
    by_map = judged(tmp_path, release=[RELEASE[place] for place in kept], map=str(path))
    assert by_map.loss == found.loss
    assert by_map.histories == found.histories
    assert by_map.understood == found.understood

    for wrong, message in (
        (truth[:-1], "1 row.* of the release is not in the map"),
        ([*truth[:-1], (*truth[-1][:-1], 99)], "1 row.* rows that the release does not have"),
        ([*truth, truth[0]], "1 row.* or one that another names too"),
        ([(8, *truth[0][1:]), *truth[1:]], "1 row.* of the map is not in the original"),
    ):
        written(path, (*COLUMNS, "row"), wrong)
        with pytest.raises(InputError, match=message):
            judged(tmp_path, release=[RELEASE[place] for place in kept], map=str(path))
    written(path, (*COLUMNS, "rows"), truth)
    with pytest.raises(UnknownName, match="there is no column 'row'"):
        judged(tmp_path, release=[RELEASE[place] for place in kept], map=str(path))


def test_classes_are_scored_against_goods_and_as_the_paper_does(tmp_path: Path) -> None:
    hierarchy = [("mug", "drink"), ("cup; red", "drink"), ("pan", "cook"), ('a "b"', "cook")]
    path = written(tmp_path / "goods.csv", ("good", "kind"), hierarchy)
    released = [
        (who, day, "*" if who == "*" else "{cook;drink}", price, pieces) for who, day, _, price, pieces in RELEASE
    ]
    released[6] = ("5", "2011/3/9", "drink", "*", "[1;2]")
    found = judged(tmp_path, release=released, taxonomy=path, level="kind")
    assert found.classes == "kind"
    assert found.loss.columns[1].utility == (4 * 3 / 4 + 1 / 2 + 3) / 8
    assert found.loss.columns[1].untrue == 0
    assert found.loss.utility_as_categories == pytest.approx(found.loss.utility - (4 / 4 + 1 / 2) / 8 / 4)
    written(path, ("good", "kind"), hierarchy[1:])
    with pytest.raises(InputError, match=r"1 item.* is not in the taxonomy"):
        judged(tmp_path, release=released, taxonomy=path)
    with pytest.raises(InputError, match=r"no level colour.*1 \(kind\)"):
        judged(tmp_path, release=released, taxonomy=path, level="colour")


def test_items_that_nobody_sells_are_counted_and_scored(tmp_path: Path) -> None:
    found = judged(
        tmp_path, release=[(who, *rest[:1], "*" if who == "*" else "{x;y;z}", *rest[2:]) for who, *rest in RELEASE]
    )
    assert found.loss.columns[1].untrue == 5
    assert found.loss.columns[1].utility == pytest.approx((5 * 2 / 3 + 3) / 8)


def changed(rows: list[Any], place: int, column: int, value: Any) -> list[Any]:
    row = list(rows[place])
    row[column] = value
    return [*rows[:place], tuple(row), *rows[place + 1 :]]


@pytest.mark.parametrize(
    ("asked", "message"),
    sampled(
        [
            ({"release": RELEASE[1:]}, "7 rows and the original 8"),
            ({"original": changed(ORIGINAL, 0, 0, None)}, "1 row.* no value that can be used in 'who'.*--where"),
            ({"original": changed(ORIGINAL, 0, 1, "30.1.2011")}, "1 row.* in 'day': no date such as"),
            ({"original": changed(ORIGINAL, 0, 3, "secret")}, "'price' is a VARCHAR, and no number"),
            (
                {
                    "original": [(*row[:3], "0.12345678", row[4]) for row in ORIGINAL[:7]]
                    + [(*ORIGINAL[7][:3], "1.5", 1)]
                },
                "more than 6 decimals.*--unit price=0.01",
            ),
            ({"original": changed(ORIGINAL, 0, 4, 2**60)}, "'pieces' has numbers too large"),
            ({"release": changed(RELEASE, 0, 1, "secret")}, r"cannot be read: 1 of 'day' \(a day such as"),
            ({"release": changed(RELEASE, 0, 1, "[2011/2/2;2011/2/1]")}, "1 of 'day'"),
            ({"release": changed(RELEASE, 0, 2, "{secret;pan")}, r"1 of 'good' \(an item, a set"),
            ({"release": changed(RELEASE, 0, 2, '{"secret;pan}')}, "1 of 'good'"),
            ({"release": changed(RELEASE, 0, 3, "[1;secret]")}, "1 of 'price'"),
            ({"release": changed(RELEASE, 0, 3, "[1;2;3]")}, "1 of 'price'"),
            ({"release": changed(RELEASE, 0, 3, "[1, 2)")}, "1 of 'price'"),
            ({"release": changed(RELEASE, 0, 2, '{"secret, pan}')}, "1 of 'good'"),
            ({"release": changed(RELEASE, 0, 3, "inf")}, "1 of 'price'"),
            ({"release": changed(RELEASE, 0, 0, "*")}, "1 row.* has cells, but no pseudonym"),
            ({"release": changed(RELEASE, 0, 0, "4")}, "1 pseudonym.* stands for several customers"),
            ({"release": [RELEASE[2]] * 8}, "every row is deleted"),
            ({"release": []}, "no rows"),
            ({"original": []}, "no rows"),
            (
                {"released": ("who", "day", "goods", "price", "pieces")},
                "release.csv: there is no column 'good'.*--header",
            ),
            ({"columns": ("who", "days", "good", "price", "pieces")}, "--when: there is no column 'day'.*'days'"),
            ({"customer": None}, "--customer: no manifest"),
            ({"item": "day"}, "--item: 'day' is named in --when too"),
            ({"numbers": ["price", "price"]}, "--numbers: 'price' is named twice"),
            ({"when": "pieces", "numbers": ["price"]}, "'pieces' is a BIGINT, and no date"),
            ({"pseudonym": "day"}, "--pseudonym: 'day' is a column of the purchases"),
            ({"price": "amount"}, "--price: there is no"),
            ({"quantity": "price"}, "price and quantity are one column"),
            ({"units": {"cost": Decimal(1)}}, "--unit: there is no column 'cost'"),
            ({"map": "nowhere.csv"}, "nowhere.csv"),
            ({"attempts": 0}, "--attempts"),
        ],
        2,
    ),
)
def test_bad_input_is_told_without_a_value(tmp_path: Path, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(OrdermadeError, match=message) as caught:
        judged(tmp_path, **asked)
    assert "secret" not in str(caught.value)


def test_numbers_are_not_rounded_to_a_unit_that_does_not_divide_them(tmp_path: Path) -> None:
    written(tmp_path / "typed.csv", COLUMNS, ORIGINAL)
    typed, after = tmp_path / "typed.parquet", written(tmp_path / "release.csv", COLUMNS, RELEASE)
    duckdb.sql(
        f"COPY (SELECT * REPLACE (CAST(price AS DECIMAL(9, 2)) AS price) FROM '{tmp_path / 'typed.csv'}') TO '{typed}'"
    )
    wanted = JudgementOptions(**{**DEFAULTS, "units": {"price": Decimal("0.5")}})
    for original in (typed, tmp_path / "typed.csv"):
        with pytest.raises(InputError, match=r"--unit: 1 row.* 'price' is no whole number of units of 0\.5"):
            Engine(state=tmp_path / "none").judge_history(original, after, wanted)


@pytest.mark.parametrize("day", ["10000-01-01", "5877642-06-25 (BC)"])
def test_a_day_in_no_calendar_is_refused(tmp_path: Path, day: str) -> None:
    before, after = tmp_path / "typed.parquet", written(tmp_path / "release.csv", COLUMNS, RELEASE)
    duckdb.sql(f"COPY (SELECT 7 AS who, DATE '{day}' AS day, 'mug' AS good, 1 AS price, 1 AS pieces) TO '{before}'")
    with pytest.raises(InputError, match=r"1 row.* in 'day'.* between date '0001-01-01' and date '9999-12-31'"):
        Engine(state=tmp_path / "none").judge_history(before, after, JudgementOptions(**DEFAULTS))
    with pytest.raises(InputError, match="1 of 'day'"):
        judged(tmp_path, release=changed(RELEASE, 0, 1, day))


def test_rows_may_be_left_out_and_numbers_too(tmp_path: Path) -> None:
    found = judged(tmp_path, release=RELEASE[:6], where="who < 9", numbers=[])
    assert [each.name for each in found.loss.columns] == ["day", "good"]
    assert (found.loss.records, found.histories.k) == (6, 2)
    assert found.understood.months is None
    assert found.understood.segments.monetary is None
