"""The demo of purchase histories: a made-up shop's year, released two ways, judged, and shown on a terminal.

The paper's way: Nakamura 2019 (customers in clusters of k by their number of purchases, purchases matched by rank).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.table import Table as RichTable

from ordermade.demo.story import Answer, Demo, DemoTable, Stopwatch, show_request
from ordermade.demo.tables import PURCHASES, make_purchases
from ordermade.demo.terminal import Terminal, add_figures, table_of
from ordermade.evaluation.judge import Judgement
from ordermade.evaluation.options import JudgementOptions
from ordermade.methods.histories.result import HistoryResult
from ordermade.methods.histories.taxonomies.suggest import SuggestedTaxonomy, TaxonomyOptions, csv_text
from ordermade.methods.shared.sweep import Point, Sweep

CATEGORIES = "categories.csv"
KS = (2, 3, 4, 6, 8, 12, 20)
"""The sizes of clusters that the sweep goes over."""
ATTEMPTS = 300
"""The most customers that each attack is tried on, so that the demo is over soon."""
WAYS = ("by rank", "default", "categories")
CREDIT = "By rank: Nakamura 2019, of the contest PWSCUP 2018, which also scores the loss (U) and counts the attempts."


@dataclass(frozen=True)
class Judged(Answer[HistoryResult]):
    """An answer and the judgement of its release; None where nothing was released."""

    judgement: Judgement | None = None


class PurchasesDemo(Demo[HistoryResult]):
    """Purchases of so many customers, in three requests."""

    command = "ordermade demo purchases"
    table = DemoTable("purchases", PURCHASES, make_purchases, "customers")
    opening = (
        "A shop wants to hand out a year of purchases of {rows} customers (made up by this program). It is "
        "not enough that every row is there k times: a customer has many rows, and together they identify them. "
        "So k customers are put into a cluster, their purchases are matched, and all k get the same history: "
        "days, prices and quantities as intervals, goods as sets. Purchases without a counterpart are deleted."
    )
    headings = ("1 · The paper's way: by rank", "2 · The best matches", "3 · Categories instead of goods")
    further = (
        ("ordermade judge history purchases.duckdb out/rank.csv --map map/rank.csv", "attacks"),
        ("ordermade request explain requests/1-rank.yaml", "the SQL of every step"),
        ("ordermade sweep requests/2-default.yaml --k 2..20", "every k"),
        ("ordermade taxonomy check categories.csv purchases.duckdb --item item", "goods"),
        ("ordermade release verify 2", "measure the release again"),
        ("ordermade request run requests/2-default.yaml", "edit it"),
    )

    def sorted(self) -> SuggestedTaxonomy:
        """The categories of the goods, drafted from their descriptions and written where a request looks for them."""
        self.notify("categories of the goods")
        found = self.engine.suggest_taxonomy(str(self.database), TaxonomyOptions("item", "description"))
        (self.folder / CATEGORIES).write_text(csv_text(found), encoding="utf-8")
        return found

    def answers(self) -> Iterator[Judged]:
        """The answers to the requests, run one after the other; each release is judged."""
        for file in self.requests:
            answer = self.run(file, Stopwatch(self.notify))
            yield Judged(**vars(answer), judgement=self._judged(answer.result))

    def swept(self) -> Sequence[Sweep]:
        """The first two requests with one k after another: by the paper's way, and by the engine's."""
        with contextlib.chdir(self.folder):
            return [replace(self.engine, progress=Stopwatch(self.notify)).sweep(file, KS) for file in self.requests[:2]]

    def show(self, screen: Terminal) -> None:
        """The categories, the requests, their judgements side by side, and both ways for every k."""
        found = self.sorted()
        used = sum(each.items > 0 for each in found.categories)
        placed = f"{found.items - found.left_items:,} of {found.items:,}"
        screen.figures([("purchases", f"{found.records:,}")])
        screen.figures([(f"goods put into {used} categories, {CATEGORIES}", placed)])
        answers: list[Judged] = []
        for heading, answer in zip(self.headings, self.answers(), strict=True):
            show_request(screen, heading, answer, answers[0] if answers else None)
            answers.append(answer)
        judged = [answer.judgement for answer in answers if answer.judgement is not None]
        if len(judged) == len(answers):
            _show_judged(screen, judged)
            _show_swept(screen, self.swept())

    def _judged(self, result: HistoryResult) -> Judgement | None:
        if result.release is None or result.history is None or result.history.map is None:
            return None
        self.notify("judging the release")
        classes = None if result.history.taxonomy_level is None else Path(CATEGORIES)
        wanted = JudgementOptions(result.history.map, taxonomy=classes, attempts=ATTEMPTS)
        with contextlib.chdir(self.folder):
            return self.engine.judge_history(str(self.database), result.release.path, wanted)


def _show_judged(screen: Terminal, judged: Sequence[Judgement]) -> None:
    """The loss of the releases, the customers found in them, and their remaining usefulness."""
    screen.heading("Loss of each release, judged from the files")
    screen.table(_lost(judged))
    screen.blank()
    screen.say(
        "U is the mean error of a cell, from 0 (as it was) to 1 (deleted); an interval may cost more. It is "
        "measured against the goods that were bought, also where categories are released. Safety is 1/k."
    )
    screen.heading("Attacks that were really run: customers found")
    screen.table(_attacked(judged))
    screen.blank()
    screen.say(
        "An attacker who knows all purchases names a pseudonym for each of these customers, by the attack of the "
        "line. With the right history, the attacker still has to pick one of k. So 1/k of the attempts hit, give "
        "or take some luck: the last line has three standard deviations more."
    )
    screen.heading("Remaining usefulness")
    screen.table(_understood(judged))
    screen.blank()
    screen.say(
        "Sales are price times quantity, each in the middle of its interval, so wide intervals overstate them. The "
        "default deletes values that would lose more than they show, and such sales are missing. A fifth of the "
        "customers are in each segment: who bought last, how often, for how much."
    )


def _show_swept(screen: Terminal, sweeps: Sequence[Sweep]) -> None:
    """Loss against safety, for every k."""
    screen.heading("The best k: least U + 1/k")
    screen.table(_curve(sweeps))
    screen.blank()
    for way, sweep in zip(WAYS, sweeps, strict=False):
        scored = [(total, -each.k) for each in sweep.points if (total := _total(each)) is not None]
        if scored:
            score, k = min(scored)
            screen.figures([(f"{way}: the best k", f"{-k:,} ({score:.3f})")])
    screen.blank()
    screen.say(CREDIT, style="dim")


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
