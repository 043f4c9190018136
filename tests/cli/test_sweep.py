"""A sweep from the command line: a row a k, risk and loss apart, refused ones with reasons, drawn; nothing released."""

from __future__ import annotations

import importlib.util
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Program, write_request


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.slow
def test_every_k_has_its_row_with_risk_and_loss_apart(shop: Program, folder: Path) -> None:
    done = shop("sweep", "request.yaml", "--k", "2..4,18,200")
    assert done.status == 0, done.err
    shown = lines(done.out)
    assert max(map(len, done.out.splitlines())) <= 80
    assert any(line.startswith("loss (prec) mean of level / top level over the attributes") for line in shown)
    assert any(line.startswith("k risk chance (prec)") for line in shown), "headings are folded, too"
    assert "best" not in " ".join(shown)
    assert any(line.startswith("to choose k is what the law ") for line in shown)
    assert "safety" not in done.out
    assert "k measured" in shop("sweep", "request.yaml", "--k", "2,18", "--verbose").out
    assert any(line.startswith("200 - - - ") and "refused" in line for line in shown)
    assert any(line.startswith("refused k = 200: fewer than 200 rows remain") for line in shown)
    told = shop("sweep", "request.yaml", "--k", "18,2,200", "--json").document
    assert (told["request"], told["metric"]) == ("request.yaml", "prec")
    assert [each["k"] for each in told["points"]] == [2, 18, 200]
    assert told["points"][1]["risk"] == 1 / told["points"][1]["measured_k"]
    assert "best" not in str(told.keys())
    assert told["cost"]["source_queries"] == 0  # table C knows what the first sweep measured
    assert shop("request", "list", "--json").document["requests"] == []
    assert not (folder / "out").exists()


@pytest.mark.slow
def test_where_no_k_passes_the_status_is_that_of_a_refusal(shop: Program, folder: Path) -> None:
    refused = shop("sweep", "request.yaml", "--k", "200..202", "--plot", "curve.svg")
    assert refused.status == 1
    assert "Refused: with every k of 200..202. " in refused.err
    assert not (folder / "curve.svg").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--k", "1..3"), "every k is a whole number of at least 2"),
        (("--k", "2..2000"), "more than 1,000 of them"),
        (("--k", "some"), "a k is a whole number"),
        (("--k", "2", "--plot", "curve.pdf"), "a plot is a .png or a .svg file"),
    ],
)
def test_mistakes_end_it_at_once(asked: tuple[str, ...], told: str, shop: Program, folder: Path) -> None:
    ended = shop("sweep", "request.yaml", *asked)
    assert (ended.status, ended.out) == (2, "")
    assert told in ended.err
    wrong = write_request(folder / "wrong.yaml", start=9)
    assert "there is no level 9" in shop("sweep", wrong, "--k", "2").err


@pytest.mark.slow
def test_the_curve_is_new_private_and_the_same_again(shop: Program, folder: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("needs matplotlib")
    for name in ("one.svg", "two.svg"):
        assert "Drew the curve in " in shop("sweep", "request.yaml", "--k", "2..30,200", "--plot", name).out
    assert stat.S_IMODE((folder / "one.svg").stat().st_mode) == 0o600
    assert (folder / "one.svg").read_bytes() == (folder / "two.svg").read_bytes()
