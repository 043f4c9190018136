"""`python -m bench.pictures`: the pictures of docs/images, drawn from what the benchmarks measure."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from bench.census import census
from bench.learning import learnt
from bench.pak_work import work_against_correlation
from bench.predictors import FEW_DIVISIONS, few_divisions
from ordermade.plots.figures import BLACK, BLUE, GREY, ORANGE, drawn, plain_logarithms
from ordermade.views.curve_plots import KPlot, curve_of, plot_k

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
K_OF_THE_CENSUS = 50
K_OF_THE_PAPER = 2
WINDOW = 40
"""Requests that a moving average is taken over."""


def k_against_divisions(path: Path) -> None:
    """k against divisions on the census, and the law that the paper fits to the nodes of few divisions."""
    real = census()
    if real is None:
        raise FileNotFoundError("shared/data/census does not lie beside the repository")
    measured = [real.observations[node] for node in real.lattice.nodes() if node != real.lattice.top]
    points = [(each.divisions, each.k) for each in measured]
    curve = curve_of(real.evidence(few_divisions(real), marginals=False), max(x for x, _ in points))
    title = f"Census of 2010 (persons / 1000): law of the nodes of at most {FEW_DIVISIONS} divisions"
    plot_k(KPlot(title, points, curve, K_OF_THE_CENSUS), path)


def pak_work(path: Path) -> None:
    """The paper's Figure 16: PAK's work in per cent of OLA's, against how well the law fits."""
    points = work_against_correlation(K_OF_THE_PAPER)
    with drawn(path) as (axes,):
        plain_logarithms(axes, x=False)
        shown = axes.scatter(
            [r for r, _, _ in points],
            [done for _, done, _ in points],
            c=[members for _, _, members in points],
            norm="log",
            cmap="cividis",  # distinguishable with every common kind of colour blindness
            s=38,
            edgecolor=BLACK,
            lw=0.6,
        )
        bar = axes.figure.colorbar(shown, ax=axes, label="members")
        bar.ax.yaxis.set_major_formatter(lambda members, _: f"{members:,.0f}")
        axes.set_title(f"Work of PAK on {len(points)} made services, k = {K_OF_THE_PAPER}")
        axes.set_xlabel("R of the power law over the lattice")
        axes.set_ylabel("work in per cent of OLA's (divisions)")


def learning(path: Path) -> None:
    """Nodes measured a request, and the error of predictions, against the number of requests before."""
    found = learnt()
    measured = [each.measured for each in found.answered]
    with drawn(path, 2, size=(10.4, 4.4)) as (left, right):
        places = range(len(measured))
        left.scatter(places, measured, s=9, color=BLUE, alpha=0.35, lw=0, label="one request")
        left.plot(places, _moving(measured), color=BLUE, label=f"mean of {WINDOW} requests")
        alone = _moving([each.alone for each in found.answered])
        left.plot(places, alone, color=ORANGE, linestyle="--", label="mean, nothing remembered")
        left.set_title("What a request costs")
        left.set_xlabel("earlier requests")
        left.set_ylabel("nodes measured")
        left.set_ylim(bottom=-0.2)
        left.legend(loc="upper right")
        errors = found.errors
        all_, never = ([getattr(each, name) for each in errors.values()] for name in ("of_all", "of_never_proved"))
        right.plot(list(errors), all_, color=BLUE, marker="o", ms=5, label="fixed nodes")
        right.plot(list(errors), never, color=GREY, marker="s", ms=4.5, ls="--", label="those of them never proved")
        right.axhline(1, color=BLACK, lw=0.8)
        right.set_title("How well k is predicted")
        right.set_xlabel("earlier requests")
        right.set_ylabel("mean ratio error (1 is perfect)")
        right.set_ylim(0.98, 1.12 * max(*all_, *never) - 0.12)
        right.legend(loc="upper right")


def _moving(values: list[int]) -> list[float]:
    """The mean of each value and those before it, as many as the window holds."""
    return [fmean(values[max(0, place - WINDOW + 1) : place + 1]) for place in range(len(values))]


PICTURES: dict[str, Callable[[Path], None]] = {
    "k-against-divisions.svg": k_against_divisions,
    "pak-work.svg": pak_work,
    "learning.svg": learning,
}


def main(folder: Path, ending: str) -> None:
    """Draws every picture into the folder, in the place of what is there."""
    for name, draw in PICTURES.items():
        path = (folder / name).with_suffix(ending)
        path.unlink(missing_ok=True)
        draw(path)
        path.chmod(0o644)
        print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES, sys.argv[2] if len(sys.argv) > 2 else ".svg")
