"""The demo of purchase histories: a made-up shop's year, released the paper's way and the engine's, judged, and swept.

The paper's way: Nakamura 2019 (customers in clusters of k by their number of purchases, purchases matched by rank).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ordermade.answering.sweep import Sweep
from ordermade.demo.folder import STATE, Table, set_up
from ordermade.demo.steps import Notify, Stopwatch, Timed
from ordermade.demo.tables import PURCHASES, make_purchases
from ordermade.engine import Engine
from ordermade.judging.judge import Judgement
from ordermade.judging.wanted import WantedJudgement
from ordermade.purchases.result import HistoryResult
from ordermade.sources.workspace import Limits
from ordermade.taxonomies.suggest import SuggestedTaxonomy, WantedTaxonomy
from ordermade.taxonomies.written import csv_text

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
        found = self._engine.suggest_taxonomy(self._database, WantedTaxonomy("item", "description"))
        (self.folder / CATEGORIES).write_text(csv_text(found), encoding="utf-8")
        return found

    def answers(self) -> Iterator[Answer]:
        """The answers to the requests of the demo, run one after the other in its folder; each release is judged."""
        for file in self._requests():
            watch = Stopwatch(self.notify)
            with contextlib.chdir(self.folder):  # the path of a release is relative to the working directory
                # every request of the demo is one for histories
                result = cast(HistoryResult, replace(self._engine, progress=watch).run(file))
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
        wanted = WantedJudgement(result.history.map, taxonomy=classes, attempts=ATTEMPTS)
        return self._engine.judge_history(self._database, result.release.path, wanted)

    def _requests(self) -> Sequence[Path]:
        return sorted((self.folder / "requests").iterdir())

    @property
    def _database(self) -> str:
        return str(self.folder / f"{TABLE}.duckdb")

    @property
    def _engine(self) -> Engine:
        return Engine(self.folder / STATE, self.limits)
