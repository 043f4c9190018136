"""Plots: titles, names of axes, ticks where values are, open ends, and letters that no font has."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.methods.shared.sweep import Point, Sweep
from ordermade.plots import figures, sweep_plot
from ordermade.plots.k_axis import numbered_ticks
from ordermade.plots.sweep_plot import plot_sweep
from ordermade.views import curve_plots, distribution_plots
from ordermade.views.curve_plots import KPlot, plot_k, plot_losses, plot_of_table_c
from ordermade.views.distribution_plots import bin_ticks, plot_sizes, plot_values

pytestmark = pytest.mark.slow

JAPANESE = "会員の性別・年齢・都道府県別集計"


@pytest.fixture(autouse=True)
def _matplotlib() -> None:
    """What draws; imported by the process that runs these tests, not by each that collects them."""
    pytest.importorskip("matplotlib")


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The axes that were drawn on; a warning of matplotlib is an error."""
    found: list[Any] = []

    @contextlib.contextmanager
    def drawn(path: Path, *args: Any, **more: Any) -> Iterator[tuple[Any, ...]]:
        with figures.drawn(path, *args, **more) as axes:
            yield axes
            found.extend(axes)

    for room in (curve_plots, distribution_plots, sweep_plot):
        monkeypatch.setattr(room, "drawn", drawn)
    return found


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def sweep(ks: Sequence[int], refused: Sequence[int] = (), title: str = "Members by sex") -> Sweep:
    points = [Point(k=k) if k in refused else Point(k=k, loss=1 - 1 / k) for k in ks]
    more: dict[str, Any] = {"meaning": "m", "rows": 30162, "persons": None, "points": tuple(points), "cost": None}
    return Sweep(title=title, dataset="members", method="mondrian", metric="prec", **more)


def comparison(ks: Sequence[int], table: str = "census.csv") -> Any:
    outcomes = [SimpleNamespace(k=k, loss=k / 1000) for k in ks]
    more: dict[str, Any] = {"of": lambda _: outcomes, "ks": tuple(ks), "options": SimpleNamespace(improve=False)}
    return SimpleNamespace(
        table=table, filter="a > 1", rows=1080, attributes=("a", "b"), algorithms=("mdav", "npn"), **more
    )


def table(least_k: int = 0) -> Any:
    sizes = [(5, 200), (8, 30), (70, 3)]
    units = sum(size * classes for size, classes in sizes)
    below = [SimpleNamespace(k=k, units=5 if k > 5 else 0, share=0.5 if k > 5 else 0.0) for k in (2, 10, 100)]
    more: dict[str, Any] = {"rows": units, "units": units, "unit": "rows", "below": lambda: below, "filter": None}
    return SimpleNamespace(
        name="/srv/data/members.csv",
        k=5,
        least_k=least_k,
        largest_class=70,
        quasi_identifiers=[SimpleNamespace(name=each) for each in ("sex", JAPANESE)],
        classes=SimpleNamespace(divisions=233, sizes=sizes),
        units_by_size=[(size, size * classes) for size, classes in sizes],
        **more,
    )


def values(column: str = "age", edges: Sequence[float] = (20.0, 30.0, 40.0), correlated: bool = True) -> Any:
    counts = tuple(10 + place for place in range(len(edges) + 1))
    shown = SimpleNamespace(column=column, edges=tuple(edges), before=counts, after=counts)
    pairs = [SimpleNamespace(columns=(column, "$pay$"), before=0.5, after=0.25)] if correlated else []
    report = SimpleNamespace(
        algorithm="mdav", attributes=[SimpleNamespace(column=column, loss=0.0375)], correlations=pairs
    )
    return SimpleNamespace(request=7, rows=sum(counts), k=5, distributions=(shown,), microaggregation=report)


def title_of(axes: Any) -> list[str]:
    return list(axes.figure.get_suptitle().split("\n"))


def ticks_of(axes: Any) -> list[str]:
    return [each.get_text() for each in axes.get_xticklabels()]


def test_a_sweep_draws_loss_and_risk_apart(panels: list[Any], tmp_path: Path) -> None:
    plot_sweep(sweep([2, 3, 5, 10, 15], refused=[15]), tmp_path / "s.svg")
    loss, risk = panels
    assert title_of(loss) == ["Members by sex", "Loss and risk against k: mondrian of members, 30,162 rows"]
    assert (loss.get_ylabel(), risk.get_ylabel(), risk.get_xlabel()) == (
        "loss (prec)",
        "highest risk (1/k measured)",
        "k",
    )
    assert ticks_of(loss) == ticks_of(risk) == ["2", "3", "5", "10", "15"]
    assert [line.get_label() for line in loss.lines] == ["loss (prec)", "refused"]
    assert "best" not in (tmp_path / "s.svg").read_text(encoding="utf-8")
    assert loss.get_xlim() == risk.get_xlim()


def test_many_ks_have_ticks_and_some_numbers(panels: list[Any], tmp_path: Path) -> None:
    plot_sweep(sweep(range(2, 120)), tmp_path / "s.png")
    loss = panels[0]
    assert loss.get_xscale() == "log"
    assert {float(k) for k in range(2, 120)} == {*loss.get_xticks(), *loss.get_xticks(minor=True)}
    assert ticks_of(loss)[:3] == ["2", "3", "4"]
    assert ticks_of(loss)[-1] == "119"


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_numbers_of_ticks_do_not_touch(count: int) -> None:
    places = [0.5] if count == 1 else [place / (count - 1) for place in range(count)]
    labels = ["1,000,000"] * count
    found = numbered_ticks(places, labels)
    assert (found[0], found[-1]) == (0, count - 1)
    assert all(places[b] - places[a] >= 0.0135 * 9 for a, b in pairwise(found))


def test_a_comparison_names_table_columns_and_filter(panels: list[Any], tmp_path: Path) -> None:
    plot_losses(comparison([3, 4, 5, 10], "/srv/data/所得.csv"), tmp_path / "c.png")
    plot_losses(comparison([3, 200]), tmp_path / "d.png")
    assert title_of(panels[0]) == [
        figures.drawable("Loss of microaggregation of a, b of 所得.csv where a > 1"),
        "1,080 rows; groups as made, auto alone improved",
    ]
    assert ticks_of(panels[0]) == ["3", "4", "5", "10"]
    assert [each.get_xlabel() for each in panels] == [
        "k (least rows of a group)",
        "k (least rows of a group), logarithmic",
    ]
    assert panels[0].get_legend() is None  # it stands below, where it covers nothing
    assert [each.get_text() for each in panels[0].figure.legends[0].get_texts()] == ["mdav", "npn"]


def test_k_of_nodes_is_named_and_for_the_provider(panels: list[Any], tmp_path: Path) -> None:
    title, note = plot_of_table_c("members", 30162, "age > 20")
    plot_k(KPlot(title, [(2, 900), (50, 30), (900, 1)], None, 5, note), tmp_path / "k.svg")
    first, second = title_of(panels[0])
    assert first == "k of the measured nodes of members where age > 20, 30,162 rows"
    assert second.startswith("For the provider")
    assert panels[0].get_ylabel() == "k (units of the smallest class), logarithmic"


def test_sizes_of_classes_name_the_table(panels: list[Any], tmp_path: Path) -> None:
    plot_sizes(table(), tmp_path / "s.png")
    sizes, below = panels
    first, second = title_of(sizes)
    written = f"Equivalence classes of members.csv by sex, {JAPANESE}"
    assert first == figures.short(figures.drawable(written), figures.width_of(written))
    assert second == "1,450 rows in 233 classes, k = 5; for the provider: small classes are shown too"
    assert (sizes.get_xlabel(), below.get_ylabel()) == ("size of a class (rows)", "share of the rows")
    assert ticks_of(sizes) == ["5-9", "10-19", "20-49", "50-99"]
    panels.clear()
    plot_sizes(table(least_k=5), tmp_path / "t.png")
    assert "provider" not in title_of(panels[0])[1]


def test_values_say_the_request_and_their_open_ends(panels: list[Any], tmp_path: Path) -> None:
    plot_values(values(), tmp_path / "v.svg", "Ages of members")
    ages, pairs = panels
    assert title_of(ages)[0] == "Request 7: Ages of members"
    assert title_of(ages)[1].startswith("Before and after microaggregation by mdav, k = 5, 46 rows")
    assert ticks_of(ages)[:3] == ["< 20", "30", "40+"]
    assert (ages.get_xlabel(), ages.get_ylabel()) == ("age", "share of the rows")
    assert sum(hasattr(each, "arrow_patch") for each in ages.texts) == 2
    assert "most changed: age and $pay$,\n0.500 to 0.250" in pairs.get_xlabel()


@pytest.mark.parametrize(
    ("edges", "ticks"),
    [
        ([], [(0, "all values")]),
        (["5"], [(0, "< 5"), (1, "5+")]),
        (["-5", "0", "5"], [(0, "< -5"), (1.5, "0"), (3, "5+")]),
        ([str(each) for each in range(12)], [(0, "< 0"), (1.5, "1"), (3.5, "3"), (5.5, "5"), (7.5, "7"), (9.5, "9")]),
    ],
)
def test_open_bins_are_named_and_edges_stand_between(edges: list[str], ticks: list[tuple[float, str]]) -> None:
    found = bin_ticks(edges)
    assert found[: len(ticks)] == ticks
    assert found[len(ticks) :] in ([], [(12, "11+")])


@pytest.mark.parametrize("name", [JAPANESE * 8, "x" * 10_000, "<script>&\n\x00$a_b$", "‮right to left", "🤷"])
@pytest.mark.parametrize("ending", ["png", "svg"])
def test_any_name_fits_without_a_warning(panels: list[Any], tmp_path: Path, name: str, ending: str) -> None:
    plot_sweep(sweep([2, 3], title=name), tmp_path / f"s.{ending}")
    plot_values(values(name), tmp_path / f"v.{ending}", name)
    assert all(figures.width_of(line) <= 92 for axes in panels for line in title_of(axes))
    if ending == "svg":
        assert "<script>" not in (tmp_path / "v.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("installed", [True, False])
def test_letters_that_no_font_has_are_written_as_numbers(monkeypatch: pytest.MonkeyPatch, installed: bool) -> None:
    if not installed:
        monkeypatch.setattr(figures, "JAPANESE_FONTS", ())
    known = len(figures.fonts()) == 2
    assert figures.drawable("a年\nb") == ("a年\nb" if known else "a[U+5E74]\nb")


def test_a_line_of_numbers_for_letters_is_no_longer_than_the_letters(
    panels: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "JAPANESE_FONTS", ())
    plot_sweep(sweep([2, 3], title=JAPANESE * 8), tmp_path / "s.png")
    assert all(figures.width_of(line) <= 92 for line in title_of(panels[0]))
    assert title_of(panels[0])[0].startswith("[U+")


def test_a_missing_font_warns_nobody(panels: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "JAPANESE_FONTS", ())
    for ending in ("png", "svg"):
        plot_values(values(JAPANESE), tmp_path / f"v.{ending}", JAPANESE)
    assert panels[0].get_xlabel().startswith("[U+4F1A]")
    assert JAPANESE in (tmp_path / "v.svg").read_text(encoding="utf-8")


def test_letters_of_an_svg_are_letters_and_bytes_the_same(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.png", "b.png"):
        plot_values(values(), tmp_path / name, "Ages of <members>")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "Request 7: Ages of &lt;members&gt;" in text
    assert not re.search(r"20\d\d-\d\d-\d\d|matplotlib v", text)
    for ending in ("svg", "png"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a bc def", ["a bc", "def"]),
        ("abcdefgh", ["abcde", "fgh"]),
        ("年年年年", ["年年", "年年"]),
        ("年年年年年", ["年年", "年年…"]),
        ("a b c d e f g", ["a b c", "d e…"]),
        ("a\n\tb", ["a b"]),
        ("", [""]),
    ],
)
def test_texts_are_cut_to_lines(text: str, lines: list[str]) -> None:
    assert figures.wrapped(text, 5) == lines
