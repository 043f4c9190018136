"""`ordermade observations stats` and `plot`: what table C has learnt, for people, as JSON, as pictures."""

from __future__ import annotations

import importlib.util
import shutil
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Program, done_in, leaks, write_request

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def answered(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the shop after two requests, the second of which measured every node. Not changed."""
    folder = tmp_path_factory.mktemp("answered") / "shop"
    shutil.copytree(registered, folder)
    other = write_request(folder / "other.yaml", k=9)
    other.write_text(other.read_text(encoding="utf-8") + "search: {algorithm: exhaustive}\n", encoding="utf-8")
    done_in(folder, ["request", "run", "request.yaml"], ["request", "run", "other.yaml"])
    return folder


@pytest.fixture
def measured(answered: Path, folder: Path, ordermade: Program) -> Program:
    """The program in a copy of that folder."""
    shutil.copytree(answered, folder, dirs_exist_ok=True)
    return ordermade


def test_nothing_was_measured_yet(shop: Program, folder: Path) -> None:
    assert shop("observations", "stats").out == "Nothing was measured yet.\n"
    assert shop("observations", "stats", "--dataset", "members", "--json").document["version"] is None
    refused = shop("observations", "plot", "k.png")
    assert refused.status == 1
    assert "no node of any dataset was measured yet" in refused.err
    assert not (folder / "k.png").exists()


def test_stats_tells_the_law_and_every_predictor_now_and_as_nodes_accumulated(measured: Program) -> None:
    document = measured("observations", "stats", "--json").document
    listed = measured("observations", "list", "--json").document["observations"]
    assert document["dataset"] == "members"
    assert document["measured_nodes"] == len(listed)
    assert document["version"]["id"] == listed[0]["dataset_version_id"]
    assert document["law"]["alpha"] > 0 > document["law"]["beta"]
    assert 0 < document["law"]["scores"]["r"] <= 1
    assert [each["predictor"] for each in document["now"]] == ["dependence", "pairs", "independence", "power"]
    independence = document["now"][2]["scores"]
    assert independence["nodes"] == len(listed)
    assert independence["mean_ratio_error"] >= 1
    assert [each["known"] for each in document["so_far"]] == [n for n in (4, 8, 16, 32) if n < len(listed)]
    shown = measured("observations", "stats", "--dataset", "members").out
    assert "power law" in shown
    assert "Each node predicted from the others" in shown


def test_stats_judges_nodes_of_a_dataset_that_counts_persons(measured: Program, folder: Path) -> None:
    of_shop = measured("dataset", "add", "ages", "--source", "shop", "--table", "members", "--entity", "age")
    assert of_shop.status == 0, of_shop.err
    qis = "{sex: {hierarchy: sex}, city: {hierarchy: city}}"
    (folder / "ages.yaml").write_text(
        f"dataset: ages\nk: 5\nquasi_identifiers: {qis}\nsearch: {{algorithm: exhaustive}}\n"
        "release: {to: out/ages.csv}\n",
        encoding="utf-8",
    )
    assert measured("request", "run", "ages.yaml").status == 0
    document = measured("observations", "stats", "--dataset", "ages", "--json").document
    assert document["version"]["persons"] == 36 < document["version"]["rows"]
    independence = document["now"][2]["scores"]
    assert independence["nodes"] == document["measured_nodes"] > 0


def test_stats_of_what_is_not_there(measured: Program) -> None:
    misspelt = measured("observations", "stats", "--dataset", "member")
    assert misspelt.status == 2
    assert "Did you mean 'members'?" in misspelt.err
    unknown = measured("observations", "stats", "--version", "7")
    assert unknown.status == 2
    assert "no dataset version '7'" in unknown.err


def test_a_dataset_that_was_removed_keeps_its_name(measured: Program) -> None:
    assert measured("dataset", "remove", "members").status == 0
    for named in ((), ("--dataset", "members")):
        told = measured("observations", "stats", *named)
        assert told.status == 0, told.err
        assert "dataset         members\n" in told.out


def test_without_the_cache_only_the_power_law_is_left_and_the_reason_is_told(measured: Program) -> None:
    assert measured("cache", "purge").status == 0
    shown = measured("observations", "stats")
    assert shown.status == 0
    assert "Not judged: independence: the class sizes of" in shown.err


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_plot_is_drawn_the_same_each_time(measured: Program, folder: Path, ending: str) -> None:
    first, again = folder / f"a.{ending}", folder / f"b.{ending}"
    for path in (first, again):
        assert measured("observations", "plot", path, "--dataset", "members", "--k", 7).status == 0
    assert first.read_bytes() == again.read_bytes()
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    assert not leaks(first.read_bytes())
    other = folder / f"c.{ending}"
    assert measured("observations", "plot", other, "--k", 8).status == 0
    assert other.read_bytes() != first.read_bytes()


def test_noted_forecasts_are_shown_and_drawn_once_they_came_out(measured: Program, folder: Path) -> None:
    write_request(folder / "noted.yaml", k=40)
    refused = measured("observations", "plot", "c.png", "--calibration")
    assert refused.status == 1
    assert "no noted forecast came out yet" in refused.err
    chance = measured("request", "predict", "noted.yaml", "--note", "--json").document["chance"]
    measured("request", "run", "noted.yaml")
    found = measured("observations", "stats", "--json").document["calibration"]
    assert found["forecasts"] + found["proved"] == 1
    if found["forecasts"]:
        assert found["brier"] == pytest.approx((1 - chance) ** 2)
        assert "Brier score" in measured("observations", "stats").out
        drawn = measured("observations", "plot", "c.png", "--calibration", "--json").document
        assert drawn["nodes"] == 1
        assert (folder / "c.png").read_bytes().startswith(b"\x89PNG")


def test_proved_forecasts_are_shown_and_are_nothing_to_draw(measured: Program, folder: Path) -> None:
    for name in ("first", "second"):  # every node was measured, so what comes out is proved
        noted = write_request(folder / f"{name}.yaml", k=8 if name == "first" else 9)
        assert measured("request", "predict", noted, "--note", "--json").document["verdict"] == "passes"
        assert measured("request", "run", noted, "--again").status == 0
    shown = measured("observations", "stats").out
    assert "Proved of 'members': 2, 0 came out otherwise." in shown
    assert "Brier score" not in shown
    errors = measured("observations", "stats", "--json").document["forecast_errors"]
    assert errors["levels"] == errors["levels_right"] == 6
    assert errors["k"] == {"forecasts": 2, "ratio": 1.0}
    assert errors["questions"] == {"forecasts": 2, "ratio": 1.0}
    assert errors["seconds"]["forecasts"] == 2
    assert "median ratio error" in shown
    refused = measured("observations", "plot", "c.png", "--calibration")
    assert refused.status == 1
    assert "every noted forecast that came out was proved: there is no chance to judge" in refused.err
    assert "proved: 2, 0 came out otherwise" in measured("request", "predict", "first.yaml").out


def test_forecasts_shown_beside_a_dataset_are_its_own(measured: Program, folder: Path) -> None:
    assert measured("dataset", "add", "others", "--source", "shop", "--table", "members").status == 0
    other = folder / "of_others.yaml"
    text = write_request(folder / "noted.yaml", k=8).read_text(encoding="utf-8")
    other.write_text(text.replace("dataset: members", "dataset: others"), encoding="utf-8")
    for request in ("noted.yaml", "of_others.yaml", "noted.yaml"):
        measured("request", "predict", request, "--note")
        assert measured("request", "run", request, "--again").status == 0
    shown = measured("observations", "stats", "--json").document  # of the dataset seen last
    assert shown["dataset"] == "members"
    assert shown["calibration"]["forecasts"] + shown["calibration"]["proved"] == 2
    assert measured("observations", "prune", "--all").status == 0
    nothing = measured("observations", "stats").out
    assert nothing.startswith("Nothing was measured yet.\n")
    assert "of every dataset" in nothing


@pytest.mark.parametrize("option", ["--version", "--k"])
def test_a_plot_of_forecasts_takes_no_option_of_nodes(measured: Program, option: str) -> None:
    refused = measured("observations", "plot", "c.png", "--calibration", option, 3)
    assert refused.status == 2
    assert "it is of measured nodes, not of forecasts" in refused.err
    assert option in refused.err


def test_the_k_drawn_is_the_last_one_asked(measured: Program, folder: Path) -> None:
    measured("observations", "plot", "a.svg")
    measured("observations", "plot", "b.svg", "--k", 9)
    assert (folder / "a.svg").read_bytes() == (folder / "b.svg").read_bytes()


def test_a_plot_needs_a_new_file_of_a_kind_it_can_be(measured: Program, folder: Path) -> None:
    (folder / "there.png").write_text("mine", encoding="utf-8")
    for name, words in (
        ("k.pdf", ".png or a .svg"),
        ("there.png", "never replaces a file"),
        ("no/k.png", "no such folder"),
    ):
        refused = measured("observations", "plot", name)
        assert refused.status == 2
        assert words in refused.err
    assert (folder / "there.png").read_text(encoding="utf-8") == "mine"


def test_without_matplotlib_the_extra_is_named(measured: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else found(name))
    refused = measured("observations", "plot", "k.png")
    assert refused.status == 2
    assert "pip install 'ordermade[plot]'" in refused.err
