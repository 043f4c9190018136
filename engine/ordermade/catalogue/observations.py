"""Table C: observations listed, exported and pruned, and how the forecasts noted with them came out."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.forecasts import calibration_of, errors_of
from ordermade.errors import InputError, UnknownName
from ordermade.prediction.calibration import Calibration, ForecastErrors
from ordermade.records.listing import Listing
from ordermade.state import audit, datasets, forecasts
from ordermade.state import observations as table_c
from ordermade.state.database import StateFile
from ordermade.state.files import refuse_backslash
from ordermade.state.new_files import require_new
from ordermade.state.observation_export import ENDINGS, write_observations
from ordermade.state.observations import Pruned, Selection

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.records.observations import ListedObservation


_SHOWN = {
    "id": "id",
    "dataset": "dataset",
    "latest": "is_latest",
    "node": "node",
    "k": "k",
    "classes": "divisions",
    "request": "request_id",
    "measured": "measured_at",
}


@typed_methods
@dataclass(frozen=True, slots=True)
class Observations:
    """The observations of a state: every node ever measured, with its figures."""

    state: StateFile

    def list(self, dataset: str | None = None, most: int | None = None) -> tuple[ListedObservation, ...]:
        """The observations, of all datasets or of the one that has or had this name, the latest first.

        `most` of them at most, all if None. Raises UnknownName, StateFault.
        """
        with self.state.reading() as connection:
            found = table_c.listed(connection, Selection(_ids(connection, dataset)), most)
        return Listing(found, "observations", _SHOWN)

    def get(self, number: int) -> ListedObservation:
        """The observation of that number. Raises UnknownName, StateFault."""
        with self.state.reading() as connection:
            found = [each for each in table_c.listed(connection, Selection(None), None) if each.id == number]
        if not found:
            raise UnknownName(
                "observation", str(number), next_step="`ordermade observations list --json` shows their numbers."
            )
        return found[0]

    def count(self, dataset: str | None = None) -> int:
        """The number of observations, of all datasets or of the one that has or had this name. Raises UnknownName."""
        with self.state.reading() as connection:
            return table_c.prunable(connection, Selection(_ids(connection, dataset))).observations

    def export(self, path: Path, dataset: str | None = None, *, by_attribute: bool = False) -> int:
        """Writes the observations to the new file `path` (.csv or .parquet), private; the number of its rows.

        One row is an observation or, `by_attribute`, an observation and one of its attributes. The file is written
        beside its name and gets it when it is whole. Raises InputError (another ending, a file that exists, no such
        folder), UnknownName, StateFault.
        """
        if path.suffix.lower() not in ENDINGS:
            raise InputError(
                f"an export ends in {' or '.join(ENDINGS)}", where=str(path), next_step="Give it another name."
            )
        refuse_backslash(path)
        require_new(path, "export")
        with self.state.reading() as connection:
            found = table_c.listed(connection, Selection(_ids(connection, dataset)))
        return write_observations(found, path, by_attribute=by_attribute)

    def csv(self, dataset: str | None = None, *, by_attribute: bool = False) -> str:
        """The text that `export` writes to a .csv file. Raises UnknownName."""
        with tempfile.TemporaryDirectory(prefix="ordermade-") as folder:
            path = Path(folder) / "observations.csv"
            self.export(path, dataset, by_attribute=by_attribute)
            return path.read_text(encoding="utf-8")

    def calibration(self, dataset: str | None = None) -> Calibration:
        """How the noted forecasts came out whose request ran to its end: of all datasets, or of the one of this name.

        Raises UnknownName for a dataset that never was, StateFault.
        """
        with self.state.reading() as connection:
            _ids(connection, dataset)
            return calibration_of(forecasts.met(connection, dataset))

    def forecast_errors(self, dataset: str | None = None) -> ForecastErrors:
        """How near the same forecasts came in levels, k, questions and seconds. Raises as `calibration` does."""
        with self.state.reading() as connection:
            _ids(connection, dataset)
            return errors_of(forecasts.figures(connection, forecasts.met(connection, dataset)))

    def prune(
        self,
        *,
        dataset: str | None = None,
        earlier_versions: bool = False,
        before: datetime | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Pruned:
        """Deletes the observations that satisfy every given condition; returns their number. They are gone for good.

        `dataset` has or had this name; `earlier_versions`: not of the version a dataset and row filter were seen with
        last; `before`: measured before this time (local, if it has no zone); `everything`, and then nothing else:
        all. With `dry_run` nothing is changed. Raises InputError (nothing given, or too much), UnknownName.
        """
        chosen = dataset is not None or earlier_versions or before is not None
        if chosen == everything:
            raise InputError(
                "everything is to be pruned, and only some of it" if everything else "nothing is given to prune",
                where="observations prune",
                next_step="Give --dataset, --earlier-versions or --before (which narrow each other), or --all alone.",
            )
        opened = self.state.reading() if dry_run else self.state.writing()
        with opened as connection:
            selection = Selection(_ids(connection, dataset), before, earlier_versions)
            if dry_run:
                return table_c.prunable(connection, selection)
            pruned = table_c.prune(connection, selection)
            if pruned.observations:
                audit.add_audit_entry(connection, "observations prune", dataset or "all datasets", _summary(pruned))
            return pruned


def _ids(connection: StateConnection, dataset: str | None) -> tuple[int, ...] | None:
    return None if dataset is None else datasets.ever_named(connection, dataset)


def _summary(pruned: Pruned) -> str:
    return f"{pruned.observations} observations of {pruned.versions} dataset versions"
