"""A suppression limit of 100 %: whole processes beside ARX, in turns, on four tables, with distinct l = 2 and without.

Half of ARX's published benchmark suppresses as much as it likes, so that the objective alone weighs rows against
levels: Loss, and Prec with a suppressed row counting as `*` everywhere, which is ARX's default (by the Prec that
ignores suppressed rows the original table is best, and nothing is searched). The tables and their quasi-identifiers are
those of `bench/certificates.py`. ARX runs its optimal algorithm; nothing is known to ordermade, whose state has source,
dataset and hierarchies. Both scores must be equal to nine digits, or the figure of the table misses its target.

Three runs of each program in turns; one where the first turn took more than a minute. ARX is stopped after five: then
its seconds are not known, and no score is compared. ordermade has a budget of five, after which it is not certified.
"""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import beside_arx
from bench.any_table import ADULT
from bench.arx_tables import Table, Wanted, with_hierarchies
from bench.beside_arx import Finished, RunArx, Runs
from bench.certificates import TABLES
from bench.figure import Figure, print_rows

LIMIT = 1.0
OBJECTIVES = ("loss", "prec_suppressed_as_1")
SENSITIVE = {
    "adult": "salary-class",
    "fars_subset": "iinjury",
    "mach2019_int": "Q10A",
    "creditcard_int": "default-payment-next-month",
}
"""By table, the column with two different values in every class, which is then no quasi-identifier."""
MOST, MOST_OF_MODEL = 1.0, 3.0
"""The most that the seconds may be of ARX's, without a model and with distinct l."""
TURNS = 3
LONG_TURN = 60.0
MOST_SECONDS = 300
SAME_SCORE = 1e-9


@dataclass(frozen=True)
class Compared:
    """The runs of both programs on one table, and the scores that they found; None where ARX was stopped."""

    table: Table
    wanted: Wanted
    mine: Runs
    theirs: Runs
    search: dict[str, Any]
    score: float
    score_of_arx: float | None

    @property
    def agreed(self) -> bool:
        """Whether both scores are the same; True where there is one alone."""
        return self.score_of_arx is None or abs(self.score - self.score_of_arx) < SAME_SCORE

    @property
    def ratio(self) -> float:
        """The median seconds over those of ARX, which were at least those after which it was stopped."""
        theirs = MOST_SECONDS if self.score_of_arx is None else self.theirs.seconds
        return self.mine.seconds / theirs


def show() -> Sequence[Figure]:
    """Prints a line for each comparison; the seconds over those of ARX, infinite without proof or agreement."""
    class_path = os.environ.get(beside_arx.ARX)
    if not class_path:
        print(f"\na limit of 100 %: left out, {beside_arx.ARX} names no class path of a build")
        return []
    if not ADULT.is_file():
        print("\na limit of 100 %: left out, it needs the public data sets in shared/data beside the repository")
        return []
    least, _, longest = os.getloadavg()
    print(f"\na limit of 100 %: load average before it {least:.1f} (1 minute), {longest:.1f} (15 minutes)")
    found: list[Compared] = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        run_arx = beside_arx.compiled(class_path, folder, most_seconds=MOST_SECONDS)
        for each in TABLES:
            for sensitive in (None, SENSITIVE[each]):
                table = _table(each, sensitive)
                table.registered(table.sources[0], folder / "registered")
                for objective in OBJECTIVES:
                    found.append(_compared(table, Wanted(LIMIT, objective, sensitive, MOST_SECONDS), run_arx, folder))
                    print(*_row(found[-1]), flush=True)
                shutil.rmtree(folder / "registered")
    headings = ("table", "QIs", "by", "distinct l", "nodes", "measured", "certified", "loss", "of ARX", "agree", "runs")
    print_rows(
        "a suppression limit of 100 %, k = 5, whole processes: median seconds",
        (*headings, "s", "of processor", "s of ARX", "of processor", "ratio"),
        map(_row, found),
    )
    return [_figure(each) for each in found]


def _table(name: str, sensitive: str | None) -> Table:
    prefix, columns = TABLES[name]
    csv = ADULT.parents[1] / name / f"{name}.csv"
    return with_hierarchies(name, csv, prefix, [each for each in columns if each != sensitive])


def _compared(table: Table, wanted: Wanted, run_arx: RunArx, folder: Path) -> Compared:
    mine, theirs = Runs(), Runs()
    turn = folder / "turn"
    while len(mine.finished) < TURNS:
        table.asked(folder / "registered", wanted, turn)
        mine.finished.append(beside_arx.answered(turn))
        shutil.rmtree(turn)
        turn.mkdir()
        theirs.finished.append(run_arx(table, wanted, turn))
        shutil.rmtree(turn)
        if mine.fault or max(mine.most, theirs.most) > LONG_TURN:
            break
    if mine.fault:
        raise RuntimeError(f"{table.name}, {wanted.objective}: {mine.fault}")
    answer = json.loads(mine.finished[-1].output)
    score = answer["loss"][wanted.objective]
    return Compared(table, wanted, mine, theirs, answer["search"], score, _score(theirs.finished[-1]))


def _score(finished: Finished) -> float | None:
    """The score that ARX found; None where it was stopped."""
    if finished.fault and finished.seconds >= MOST_SECONDS:
        return None
    return beside_arx.levels_and_score(beside_arx.faultless(finished))[1]


def _row(each: Compared) -> tuple[object, ...]:
    known = each.score_of_arx is not None
    return (
        each.table.name,
        len(each.table.attributes),
        each.wanted.objective,
        each.wanted.sensitive or "-",
        each.search["nodes_in_lattice"],
        each.search["nodes_measured"],
        "yes" if each.search["certified"] else "no",
        f"{each.score:.9f}",
        f"{each.score_of_arx:.9f}" if known else "-",
        ("yes" if each.agreed else "NO") if known else "-",
        len(each.mine.finished),
        each.mine.seconds,
        _of_processor(each.mine),
        each.theirs.seconds if known else f"> {MOST_SECONDS:.0f}",
        _of_processor(each.theirs),
        each.ratio if known else f"< {each.ratio:.3g}",
    )


def _of_processor(runs: Runs) -> float:
    return min(each.processor_seconds for each in runs.finished)


def _figure(each: Compared) -> Figure:
    sound = each.agreed and each.search["certified"]
    model = "" if each.wanted.sensitive is None else ", distinct l"
    name = f"{each.table.name} by {each.wanted.objective}{model}, limit 100 %: seconds / ARX's"
    target = MOST if each.wanted.sensitive is None else MOST_OF_MODEL
    theirs = "stopped" if each.score_of_arx is None else each.theirs.described
    note = f"{each.mine.described}; ARX {theirs}"
    return Figure(name, each.ratio if sound else math.inf, target, note=note)
