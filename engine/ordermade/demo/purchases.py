"""The demo of purchase histories: a made-up shop's year, released two ways, judged, and shown on a terminal.

The paper's way: Nakamura 2019 (customers in clusters of k by their number of purchases, purchases matched by rank).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.table import Table as RichTable

from ordermade.demo.folder import PURCHASES, STATE, Notify, Stopwatch, Table, Timed, make_purchases, set_up
from ordermade.demo.terminal import Terminal, add_figures, table_of
from ordermade.engine import Engine
from ordermade.evaluation.judge import Judgement
from ordermade.evaluation.options import JudgementOptions
from ordermade.methods.histories.result import HistoryResult
from ordermade.methods.histories.taxonomies.suggest import SuggestedTaxonomy, TaxonomyOptions, csv_text
from ordermade.methods.shared.sweep import Point, Sweep
from ordermade.sources.limits import Limits

TABLE = "purchases"
CATEGORIES = "categories.csv"
KS = (2, 3, 4, 6, 8, 12, 20)
"""The sizes of clusters that the sweep goes over."""
ATTEMPTS = 300
"""The most customers that each attack is tried on, so that the demo is over soon."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One request of the demo: its file, its text, its result, its judgement, and its steps.

    `judgement` is None where nothing was released.
    """

    file: str
    text: str
    result: HistoryResult
    judgement: Judgement | None
    steps: tuple[Timed, ...]


@dataclass(frozen=True, slots=True)
class Purchases:
    """The demo in a folder of its own. `notify` receives the name of each step."""

    folder: Path
    customers: int
    notify: Notify
    limits: Limits

    def set_up(self) -> Iterator[Timed]:
        """Makes files, purchases and state, one step at a time. Raises InputError if the folder is in use."""
        table = Table(
            TABLE,
            PURCHASES,
            lambda path: make_purchases(path, self.customers, limits=self.limits),
            made="customers",
        )
        yield from set_up(self.folder, table, self.customers, self.notify, self._engine)

    def sorted(self) -> SuggestedTaxonomy:
        """The categories of the goods, drafted from their descriptions and written where a request looks for them."""
        self.notify("categories of the goods")
        found = self._engine.suggest_taxonomy(self._database, TaxonomyOptions("item", "description"))
        (self.folder / CATEGORIES).write_text(csv_text(found), encoding="utf-8")
        return found

    def answers(self) -> Iterator[Answer]:
        """The answers to the requests of the demo, run one after the other in its folder; each release is judged."""
        for file in self._requests():
            watch = Stopwatch(self.notify)
            with contextlib.chdir(self.folder):  # the path of a release is relative to the working directory
                # every request of the demo is one for histories
                result = cast("HistoryResult", replace(self._engine, progress=watch).run(file))
                steps = watch.laps()
                judgement = self._judged(result)
            name = file.relative_to(self.folder).as_posix()
            yield Answer(name, file.read_text("utf-8"), result, judgement, steps)

    def swept(self) -> Sequence[Sweep]:
        """The first two requests with one k after another: by the paper's way, and by the engine's."""
        found = []
        for file in self._requests()[:2]:
            watch = Stopwatch(self.notify)
            with contextlib.chdir(self.folder):
                found.append(replace(self._engine, progress=watch).sweep(file, KS))
        return found

    def _judged(self, result: HistoryResult) -> Judgement | None:
        if result.release is None or result.history is None or result.history.map is None:
            return None
        self.notify("judging the release")
        classes = None if result.history.taxonomy_level is None else Path(CATEGORIES)
        wanted = JudgementOptions(result.history.map, taxonomy=classes, attempts=ATTEMPTS)
        return self._engine.judge_history(self._database, result.release.path, wanted)

    def _requests(self) -> Sequence[Path]:
        return sorted((self.folder / "requests").iterdir())

    @property
    def _database(self) -> str:
        return str(self.folder / f"{TABLE}.duckdb")

    @property
    def _engine(self) -> Engine:
        return Engine(self.folder / STATE, self.limits)


HEADINGS = ("1 · The paper's way: by rank", "2 · The best matches", "3 · Categories instead of goods")
WAYS = ("by rank", "default", "categories")
FURTHER = (
    ("ordermade judge history purchases.duckdb out/rank.csv --map map/rank.csv", "attacks"),
    ("ordermade request explain requests/1-rank.yaml", "the SQL of every step"),
    ("ordermade sweep requests/2-default.yaml --k 2..20", "every k"),
    ("ordermade taxonomy check categories.csv purchases.duckdb --item item", "goods"),
    ("ordermade release verify 2", "measure the release again"),
    ("ordermade request run requests/2-default.yaml", "edit it"),
)
CREDIT = "By rank: Nakamura 2019, of the contest PWSCUP 2018, which also scores the loss (U) and counts the attempts."


def show(folder: Path, rows: int, *, kept: bool, console: Console | None = None) -> None:
    """Runs the demo of so many customers in `folder` and shows it; `kept`: whether the folder stays.

    Raises OrdermadeError.
    """
    screen = _Screen(console)
    started = time.perf_counter()
    with screen.status() as notify:
        demo = Purchases(folder, rows, notify, Limits())
        screen.opening(rows)
        for step in demo.set_up():
            screen.step(step)
        screen.sorted(demo.sorted())
        answers: list[Answer] = []
        for heading, answer in zip(HEADINGS, demo.answers(), strict=True):
            screen.answer(heading, answer, answers)
            answers.append(answer)
        if all(answer.judgement for answer in answers):
            screen.beside(answers)
            screen.swept(demo.swept())
    seconds = time.perf_counter() - started
    screen.closing(folder, seconds, FURTHER, "ordermade demo purchases --folder my-demo", kept=kept)


class _Screen(Terminal):
    """Prints the parts of the demo."""

    def opening(self, customers: int) -> None:
        self.heading("ordermade demo purchases")
        self.say(
            f"A shop wants to hand out a year of purchases of {customers:,} customers (made up by this program). It is "
            "not enough that every row is there k times: a customer has many rows, and together they identify them. "
            "So k customers are put into a cluster, their purchases are matched, and all k get the same history: "
            "days, prices and quantities as intervals, goods as sets. Purchases without a counterpart are deleted."
        )

    def sorted(self, found: SuggestedTaxonomy) -> None:
        """The number of purchases, and of goods that got a category."""
        used = sum(each.items > 0 for each in found.categories)
        placed = found.items - found.left_items
        self.figures([("purchases", f"{found.records:,}")])
        self.figures([(f"goods put into {used} categories, {CATEGORIES}", f"{placed:,} of {found.items:,}")])

    def answer(self, heading: str, answer: Answer, before: Sequence[Answer]) -> None:
        """One request and its outcome; of one after the first only the lines that differ."""
        self.heading(heading)
        if before:
            known = set(before[0].text.splitlines())
            differing = [line for line in answer.text.splitlines() if line not in known]
            self.file(f"{answer.file}: the same, but for", "\n".join(differing))
        else:
            self.file(answer.file, answer.text)
        result, release = answer.result, answer.result.release
        if release is not None:
            rest = f"{release.path}: measured again when written, k = {result.k:,}"
            self.verdict("Released", rest, "green")
        else:
            self.verdict("Refused", result.reason or "", "red")
        self.say(", ".join(f"{step.name} {step.seconds:.2f} s" for step in answer.steps), style="dim")

    def beside(self, answers: Sequence[Answer]) -> None:
        """The loss of the releases, the customers found in them, and their remaining usefulness."""
        judged = [answer.judgement for answer in answers if answer.judgement is not None]
        self.heading("Loss of each release, judged from the files")
        self.table(_lost(judged))
        self.blank()
        self.say(
            "U is the mean error of a cell, from 0 (as it was) to 1 (deleted); an interval may cost more. It is "
            "measured against the goods that were bought, also where categories are released. Safety is 1/k."
        )
        self.heading("Attacks that were really run: customers found")
        self.table(_attacked(judged))
        self.blank()
        self.say(
            "An attacker who knows all purchases names a pseudonym for each of these customers, by the attack of the "
            "line. With the right history, the attacker still has to pick one of k. So 1/k of the attempts hit, give "
            "or take some luck: the last line has three standard deviations more."
        )
        self.heading("Remaining usefulness")
        self.table(_understood(judged))
        self.blank()
        self.say(
            "Sales are price times quantity, each in the middle of its interval, so wide intervals overstate them. The "
            "default deletes values that would lose more than they show, and such sales are missing. A fifth of the "
            "customers are in each segment: who bought last, how often, for how much."
        )

    def swept(self, sweeps: Sequence[Sweep]) -> None:
        """Loss against safety, for every k."""
        self.heading("The best k: least U + 1/k")
        self.table(_curve(sweeps))
        self.blank()
        for way, sweep in zip(WAYS, sweeps, strict=False):
            scored = [(total, -each.k) for each in sweep.points if (total := _total(each)) is not None]
            if scored:
                score, k = min(scored)
                self.figures([(f"{way}: the best k", f"{-k:,} ({score:.3f})")])
        self.blank()
        self.say(CREDIT, style="dim")


def _lost(judged: Sequence[Judgement]) -> RichTable:
    table = table_of("", *WAYS)
    add_figures(table, "U, utility (lower is better)", [f"{each.loss.utility:.3f}" for each in judged])
    for columns in zip(*(each.loss.columns for each in judged), strict=True):
        add_figures(table, f"  of {columns[0].name}", [f"{each.utility:.3f}" for each in columns])
    add_figures(table, "rows deleted", [_share(each.loss.deleted_share) for each in judged])
    add_figures(table, "1/k, safety (lower is better)", [f"{each.safety:.3f}" for each in judged])
    add_figures(table, "total", [f"{each.total:.3f}" for each in judged])
    return table


def _attacked(judged: Sequence[Judgement]) -> RichTable:
    """A line an attack: hits of attempts under each release, and what 1/k predicts at most."""
    table = table_of("hits by", *WAYS)
    attacks = [each.attacks or () for each in judged]
    for lines in zip(*attacks, strict=True):
        add_figures(table, lines[0].name, [f"{each.hits:,} of {each.attempts:,}" for each in lines])
    table.add_section()
    add_figures(table, "1/k of the attempts", [f"{each[0].expected:,.0f}" for each in attacks])
    add_figures(table, "at most, by luck", [f"{each[0].most:,.0f}" for each in attacks])
    return table


def _understood(judged: Sequence[Judgement]) -> RichTable:
    table = table_of("", *WAYS)
    kept = [each.understood for each in judged]
    add_figures(table, "sales, as released", [_share(each.sales_kept) for each in kept])
    for most in zip(*(each.most_sold for each in kept), strict=True):
        add_figures(table, f"of the {most[0].most} sold most, still so", [f"{each.found}" for each in most])
    add_figures(table, "customers in the same fifth: recency", [_share(each.segments.recency) for each in kept])
    add_figures(table, "  frequency", [_share(each.segments.frequency) for each in kept])
    add_figures(table, "  monetary", [_share(each.segments.monetary) for each in kept])
    return table


def _curve(sweeps: Sequence[Sweep]) -> RichTable:
    ways = WAYS[: len(sweeps)]
    table = table_of("k", "1/k", *(f"{what}\n{way}" for way in ways for what in ("U", "total")))
    curves: Iterator[tuple[Point, ...]] = zip(*(each.points for each in sweeps), strict=True)
    for points in curves:
        figures = [
            f"{figure:.3f}" if figure is not None else "-" for each in points for figure in (each.loss, _total(each))
        ]
        add_figures(table, f"{points[0].k:,}", [f"{1 / points[0].k:.3f}", *figures])
    return table


def _total(point: Point) -> float | None:
    """Loss plus 1/k, by which the paper chooses k; None where there is no release."""
    return None if point.loss is None else point.loss + 1 / point.k


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
