"""A release as a program has it: its rows as a frame, its figures, its picture, and its worth for a model."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from typing_extensions import TypeVar

from ordermade.drafts.roles import NOT_NAMED
from ordermade.errors import InputError
from ordermade.hierarchies.hierarchy import STAR
from ordermade.methods.shared.released_columns import in_words, level_in_words
from ordermade.plots.plot_files import require_matplotlib
from ordermade.records.cards import Card, Grid, HasSummary, as_html, as_text

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from ordermade.anonymization.anonymized import ComparedRelease
    from ordermade.drafts.roles import ProposedRole
    from ordermade.evaluation.model_utility import ModelTask, ModelUtility
    from ordermade.methods.shared.result import Result
    from ordermade.plots.figures import Picture
    from ordermade.plots.release_plot import PlottedColumn
    from ordermade.release.numbers import Numbers
    from ordermade.reports.file import Report, ReportOfTables

Frame = TypeVar("Frame", default="pandas.DataFrame")
"""The kind of frame that was given, which `frame()` gives back; of a path or URL a frame of pandas."""

Repeated = Callable[[Any], "AnonymizedTable[Any]"]
"""Anonymises other rows of the same table, in a frame of pandas, as a release was."""


@dataclass(frozen=True, slots=True, repr=False)
class AnonymizedTable(HasSummary, Generic[Frame]):
    """A release that a program got: its `result` with every figure, and the rows as a frame.

    `request`: the YAML text of the request that made it. `roles`: that of every column, with the reason.
    `compared`: the figures of other methods, where requested; `report`: those of the report on the release, likewise.

    `repr()` and a notebook list every column with its role, its level and an example of its labels. They show no value
    of the data but labels of the release, each of k rows or more.

    Example:
        >>> release = anonymize(df, k=5, quasi_identifiers=["age", "sex"], sensitive=["diagnosis"])
        >>> release.k >= 5
        True
        >>> list(release.frame().columns)
        ['age', 'sex', 'diagnosis']
    """

    result: Result
    request: str = field(default="", repr=False)
    roles: tuple[ProposedRole, ...] = field(default=(), repr=False)
    compared: tuple[ComparedRelease, ...] = ()
    report: Report | ReportOfTables | None = field(default=None, repr=False)
    again: Repeated | None = field(default=None, repr=False, compare=False)
    """Anonymises other rows of the table likewise, for `utility`."""

    @property
    def k(self) -> int:
        """The k that was measured on what is released."""
        return self.result.k or 0

    @overload
    def frame(self, numbers: None = None) -> Frame: ...
    @overload
    def frame(self, numbers: Literal["midpoint"]) -> Frame: ...
    @overload
    def frame(self: AnonymizedTable[pandas.DataFrame], numbers: Literal["interval"]) -> pandas.DataFrame: ...
    def frame(self, numbers: Numbers | None = None) -> Any:
        """The release in the kind of frame that was given; of a file or a database, a frame of pandas.

        Args:
            numbers: The form of columns that a hierarchy of intervals generalised. None: labels, such as `[40, 50)`.
                "interval": an `Interval` of pandas, closed on the left, of the dtype `interval`; of the dtype `object`
                where local recoding left numbers as they were among them, each an interval of that number alone. Open
                ends are infinite. "midpoint": a number, the middle of the interval; an open end is as far as the
                interval beside it is wide.
                `*` and missing values are NaN. All other columns stay as they are: dates, texts, and the labels that a
                mapping or a function made.

        Returns:
            The frame. Its rows are sorted by their own values.

        Raises:
            InputError: Intervals of a frame of polars or Arrow, which have no type of them.
            Refused: The release is a table of the source.
            ReleaseFault: The file of the release is gone.

        Example:
            >>> anonymize(df, k=50, quasi_identifiers=["age"]).frame(numbers="midpoint")["age"].dtype
            dtype('float64')
        """
        return self.result.frame(numbers)

    def to_pandas(self) -> pandas.DataFrame:
        """The release as a frame of pandas.

        Returns:
            The frame, with the labels of the release.

        Raises:
            Refused: The release is a table of the source.
            ReleaseFault: The file of the release is gone.

        Example:
            >>> len(release.to_pandas()) == release.result.released_rows
            True
        """
        return self.result.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """The release as a frame of polars.

        Returns:
            The frame, with the labels of the release.

        Raises:
            InputError: polars is not installed.
            Refused: The release is a table of the source.
            ReleaseFault: The file of the release is gone.

        Example:
            >>> release.to_polars().columns
            ['age', 'sex', 'diagnosis']
        """
        return self.result.to_polars()

    def to_arrow(self) -> pa.Table:
        """The release as a table of pyarrow.

        Returns:
            The table, with the labels of the release.

        Raises:
            Refused: The release is a table of the source.
            ReleaseFault: The file of the release is gone.

        Example:
            >>> release.to_arrow().column_names
            ['age', 'sex', 'diagnosis']
        """
        return self.result.to_arrow()

    def plot(self) -> Picture:
        """Draws the share of the detail that each column keeps, and the sizes of the equivalence classes.

        Returns:
            The picture, which a notebook shows and `save` writes. It shows no label and no value.

        Raises:
            InputError: The release has no quasi-identifier or is one of purchase histories, or matplotlib is not
                installed (the extra `plot`).
            Refused: The release is a table of the source.

        Example:
            >>> release.plot().save("kept.png").name
            'kept.png'
        """
        require_matplotlib("plot")
        from ordermade.plots.release_plot import PlottedRelease, release_picture

        sizes = self._sizes()
        if not sizes:
            raise InputError(
                "the release has no equivalence classes of rows",
                where="plot",
                next_step="Plot a release of another method.",
            )
        rows = f"{self.result.released_rows or 0:,} of {self.result.rows or 0:,} rows released"
        title = (f"Release, k = {self.k:,}", f"{rows} in {sum(sizes.values()):,} equivalence classes")
        counts_persons = self.result.release is not None and self.result.release.persons is not None
        k = f"{self.k:,} {'persons' if counts_persons else 'rows'}"
        return release_picture(PlottedRelease(title, tuple(self._plotted()), sizes, self.k, f"k measured: {k}"))

    def utility(
        self,
        data: object,
        target: str,
        *,
        features: tuple[str, ...] | list[str] | None = None,
        task: ModelTask | None = None,
        estimator: Any = None,
        folds: int = 5,
        seed: int = 0,
    ) -> ModelUtility:
        """Compares a model that is trained on the data with the same model trained on anonymised data.

        The rows are parted into folds. For each fold, the other rows train the model as they are, and once more
        anonymised as this release was; both models are scored on the rows of the fold as they are. A linear model has
        its coefficients too, fitted to all rows of the data and to those of the release, in the same terms: a number is
        itself (released: the middle of its interval), its coefficient that of one unit (a date: one day); each label of
        the release is 1 where a row has it or a value beneath it, else 0. The default models are regularised, so that
        every label has a coefficient. The figures are for the provider: nothing is stored, and no report has them.

        Args:
            data: The frame that the release was made of.
            target: The column to predict, one that the release has as it was: sensitive or kept.
            features: The columns to predict from. None: all others of the release.
            task: "classification" or "regression". None: regression for a target of numbers with more than ten values.
            estimator: An estimator of scikit-learn, which is cloned. None: a logistic or a ridge regression.
            folds: The number of folds, from 2.
            seed: The seed of the folds.

        Returns:
            The scores, each before and after anonymisation, and that of a model that knows the target alone; of an
            estimator with `coef_` the coefficients, each before and after.

        Raises:
            InputError: The target or a feature is no such column, a class has fewer rows than there are folds, the
                release has a filter, texts read as numbers or no quasi-identifiers, or scikit-learn is not installed
                (the extra `utility`).
            Refused: The rows outside a fold cannot be anonymised so.

        Example:
            >>> found = release.utility(df, "diagnosis", folds=3)
            >>> [each.metric for each in found.scores]
            ['accuracy', 'ROC AUC']
            >>> found.coefficients[-1].term
            'intercept'
        """
        from ordermade.evaluation.model_utility import ModelOptions, model_utility
        from ordermade.sources.frames import as_pandas

        if self.again is None:
            raise InputError(
                "only rows by a method with quasi-identifiers, without a filter and with texts as they are, can be "
                "anonymised again",
                where="utility",
                next_step="Filter the frame, and cast its texts to numbers and dates, before it is anonymised.",
            )
        columns = tuple((each.column, each.role) for each in self.result.columns)
        wanted = ModelOptions(target, None if features is None else tuple(features), task, estimator, folds, seed)
        repeat = self.again

        def trained_on(rows: pandas.DataFrame) -> pandas.DataFrame:
            found: pandas.DataFrame = repeat(rows).frame(numbers="midpoint")
            return found

        given = as_pandas(data, "utility")
        released = as_pandas(self.frame(numbers="midpoint"), "utility")
        return model_utility(given, released, columns, self.result.forms.hierarchies, trained_on, wanted)

    def __repr__(self) -> str:
        return as_text(self._card(), every_row=True)

    def _repr_html_(self) -> str:
        """The card with every column, as a notebook shows it."""
        return as_html(self._card(), every_row=True)

    def _card(self) -> Card:
        card = self.result._card()
        facts = card.facts
        if self.compared:
            losses = (f"{each.method} {'-' if each.loss is None else f'{each.loss:.4g}'}" for each in self.compared)
            facts = (*facts, ("compared, loss", ", ".join(losses)))
        columns = Grid(("column", "role", "level", "example"), list(self._rows()))
        return dataclasses.replace(card, facts=facts, grids=(columns, *card.grids[1:]))

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        """Every column of the table, those that are left out last."""
        for each in self.result.columns:
            is_generalised = each.role == "quasi-identifier"
            level = level_in_words(each) if is_generalised else None
            role = "kept" if each.role == "keep" else each.role
            yield each.column, role, level, in_words(each, by_labels=True)
        released = {each.column for each in self.result.columns}
        for left in self.roles:
            if left.column not in released:
                yield left.column, NOT_NAMED if left.reason == NOT_NAMED else left.role, None, "left out"

    def _plotted(self) -> Iterator[PlottedColumn]:
        from ordermade.plots.release_plot import PlottedColumn

        for each in self.result.columns:
            if each.role == "quasi-identifier":
                kept = None if each.loss_share is None else max(0.0, 1 - each.loss_share)
                yield PlottedColumn(each.column, level_in_words(each) or "", kept)
            elif each.role in ("sensitive", "keep"):
                yield PlottedColumn(each.column, "as it was", self._released_share(), is_generalised=False)

    def _released_share(self) -> float | None:
        rows, released = self.result.rows, self.result.released_rows
        return None if not rows or released is None else released / rows

    def _sizes(self) -> Counter[int]:
        """The number of equivalence classes of each size, in rows; suppressed rows that stay as `*` are none."""
        names = [each.column for each in self.result.columns if each.role == "quasi-identifier"]
        if not names or self.result.method == "history":  # its classes are persons with the same purchases
            return Counter()
        table = self.to_arrow().select(names)
        counted = table.group_by(names, use_threads=False).aggregate([([], "count_all")]).to_pylist()
        starred = 0 if self.result.release is None else self.result.release.star_rows
        sizes = Counter[int]()
        for each in counted:
            is_star = all(each[name] == STAR for name in names)
            rows = each["count_all"] - (starred if is_star else 0)
            if rows:
                sizes[rows] += 1
        return sizes
