"""Purchase histories from the command line: checked, explained, run, refused; nothing of a customer but the release."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import MARKER, Program

REQUEST = """\
title: A year of purchases
dataset: purchases
method: history
k: {k}
history: {{customer: who, when: day, item: item, numbers: [price, quantity], match: rank, cluster: rank}}
release: {{to: out/purchases.csv}}
"""


def written(folder: Path, k: int) -> Path:
    path = folder / "history.yaml"
    path.write_text(REQUEST.format(k=k), encoding="utf-8")
    return path


@pytest.fixture
def purchases(folder: Path, ordermade: Program) -> Path:
    """Three purchases of each of five customers, one of which was returned; the file, which is registered."""
    rows = [
        f"{MARKER}{who},2011-0{month}-1{who},{'ab'[who % 2]},{month}.50,{-1 if who == month == 1 else 1}"
        for who in range(5)
        for month in (1, 2, 3)
    ]
    path = folder / "purchases.csv"
    path.write_text("\n".join(["who,day,item,price,quantity", *rows]) + "\n", encoding="utf-8")
    assert ordermade("init").status == 0
    assert ordermade("source", "add", "shop", path, "--allow-inline").status == 0
    assert (
        ordermade("dataset", "add", "purchases", "--source", "shop", "--table", "purchases", "--least-k", "2").status
        == 0
    )
    return path


@pytest.mark.slow
def test_histories_are_checked_run_and_shown(ordermade: Program, folder: Path, purchases: Path) -> None:
    asked = written(folder, 2)
    assert ordermade("request", "check", asked).status == 0
    done = ordermade("request", "run", asked)
    assert done.status == 0, done.err
    assert "fewer than 2 rows have a 'quantity' below 0" in " ".join((done.out + done.err).split())
    assert (folder / "out" / "purchases.csv").read_text("utf-8").count("\n") == 13

    told = ordermade("request", "run", asked, "--again", "--json").document
    assert (told["status"], told["k"], told["release"]["rows"], told["history"]["dropped"]) == ("released", 2, 12, 1)
    assert told["loss"].keys() == {"utility", "utility_by_column", "deleted_share", "safety", "total"}
    assert told["loss"]["deleted_share"] == pytest.approx(3 / 15)
    shown = " ".join(ordermade("request", "show", "2", "--verbose").out.split())
    assert "matched by rank" in shown
    assert "clustered by rank" in shown


@pytest.mark.slow
def test_too_few_customers_end_with_one_and_purchases_without_a_day_with_two(
    ordermade: Program, folder: Path, purchases: Path
) -> None:
    refused = ordermade("request", "run", written(folder, 6))
    assert refused.status == 1
    assert "fewer than 6 customers remain" in refused.out + refused.err
    purchases.write_text(purchases.read_text("utf-8") + f"{MARKER}0,,a,1.50,1\n", encoding="utf-8")
    wrong = ordermade("request", "run", written(folder, 2))
    assert wrong.status == 2
    assert "fewer than 2 rows have no date: the column 'day' is NULL there." in wrong.err
    assert "where: " in wrong.err
    assert not (folder / "out").exists()
