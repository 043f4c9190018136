"""The worth of a release for a model: trained on the data and on anonymised data, scored on rows that it has not seen.

The rows are parted into folds. The rows outside a fold train the model as they are, and once more anonymised; both are
scored on the fold as it is. A value of a fold and a label of the training meet in the generalisation hierarchy: each
text counts as itself and as all of its labels, and a label as itself and those above it. Numbers and dates are numbers,
of an interval its middle.

A linear model has coefficients too: fitted to all rows as they are, and to the released ones, both times in the terms
of the release. A number stays a number (released: the middle of its interval), its coefficient that of one unit (of a
date one day). Each released label is 1 in the rows that have it or a value beneath it, else 0.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ordermade.errors import InputError, did_you_mean, quoted
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.records.cards import Card, Grid, HasSummary

if TYPE_CHECKING:
    import pandas

ModelTask = Literal["classification", "regression"]
"""The kind of model."""
MAX_LABELS = 100
"""The labels of a column that a model sees, the most frequent ones."""
FEW_NUMBERS = 10
"""A target of so many different numbers names classes."""
_AS_IT_WAS = ("sensitive", "keep")
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Trained = Callable[["pandas.DataFrame"], "pandas.DataFrame"]
"""The rows that a model is trained on, anonymised, numbers in the middle of their intervals."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What is predicted, from what, by what; `features`, `task` and `estimator` are found out where they are None."""

    target: str
    features: tuple[str, ...] | None = None
    task: ModelTask | None = None
    estimator: Any = None
    folds: int = 5
    seed: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class ModelScore(HasSummary):
    """One score, the mean over the folds."""

    metric: str
    """`accuracy` and `ROC AUC`, or `R2` and `MAE`."""
    baseline: float
    """Of a model that knows the target alone."""
    before: float
    """Of the model that was trained on the rows as they are."""
    after: float
    """Of the model that was trained on anonymised rows."""

    @property
    def change(self) -> float:
        """After less before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True, repr=False)
class ModelCoefficient(HasSummary):
    """A coefficient of a linear model that was fitted to all rows."""

    term: str
    """A column of numbers or dates, `column = label`, or `intercept`."""
    of_class: str
    """The class whose log-odds it adds to; empty in a regression."""
    before: float
    """Of the model that was fitted to the rows as they are."""
    after: float | None
    """Of the model that was fitted to the released rows; None where these have not the same classes."""

    @property
    def change(self) -> float | None:
        """After less before."""
        return None if self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True, repr=False)
class ModelUtility(HasSummary):
    """The scores and coefficients of a model before and after anonymisation, for the provider's eyes."""

    target: str
    """The predicted column."""
    task: ModelTask
    """The kind of model."""
    estimator: str
    """The class of the model."""
    features: tuple[str, ...]
    """The columns that it predicts from."""
    rows: int
    """The rows with a target."""
    folds: int
    """The folds."""
    seed: int
    """The seed of the folds."""
    scores: tuple[ModelScore, ...]
    """The scores."""
    coefficients: tuple[ModelCoefficient, ...]
    """Those of a linear model, each before and after; none of any other model."""

    def _card(self) -> Card:
        shown = self.coefficients
        facts = (
            ("model", f"{self.estimator}, {self.folds} folds of {self.rows:,} rows, seed {self.seed}"),
            ("features", ", ".join(self.features)),
            ("scored on", "rows that were not in the training, as they are"),
            ("coefficients", "of all rows and of the released ones, in the terms of the release" if shown else None),
        )
        rows = [
            *(
                (each.metric, *map(_rounded, (each.baseline, each.before, each.after, each.change)))
                for each in self.scores
            ),
            *((_term(each), None, *map(_rounded, (each.before, each.after, each.change))) for each in shown),
        ]
        title = f"Utility for the {self.task} of {self.target}: for the provider"
        heading = "score, coefficient" if shown else "score"
        return Card.of(title, facts, Grid((heading, "baseline", "before", "after", "change"), rows))


def _term(coefficient: ModelCoefficient) -> str:
    return f"{coefficient.term} ({coefficient.of_class})" if coefficient.of_class else coefficient.term


def _rounded(number: float | None) -> float | None:
    """Four digits that count, or decimal places of what is larger than one."""
    return None if number is None else round(number, 4) if abs(number) >= 1 else float(f"{number:.4g}")


def model_utility(
    data: pandas.DataFrame,
    released: pandas.DataFrame,
    columns: Sequence[tuple[str, str]],
    hierarchies: Mapping[str, Hierarchy],
    trained_on: Trained,
    wanted: ModelOptions,
) -> ModelUtility:
    """The scores and coefficients of a model before and after anonymisation.

    `released`: the rows of the release, numbers in the middle of their intervals; `columns`: its columns, each with its
    role.

    Raises InputError for a target or features that cannot be, and where scikit-learn is not installed; whatever
    `trained_on` raises.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise InputError(
            "models need scikit-learn, which is not installed",
            where="utility",
            next_step="Install it with `pip install 'ordermade[utility]'`.",
        )
    features = _features(data, columns, wanted)
    rows = data[data[wanted.target].notna()].reset_index(drop=True)
    task = wanted.task or _task_of(rows[wanted.target])
    target = rows[wanted.target].astype(float) if task == "regression" else rows[wanted.target].astype(str)
    estimator = _estimator(task) if wanted.estimator is None else wanted.estimator
    found: dict[str, list[tuple[float, float, float]]] = {}
    for train, test in _folds(target, task, wanted):
        before = rows.iloc[train].reset_index(drop=True)
        after = trained_on(before)
        truth = target.iloc[test].to_numpy()
        scored = []
        for trained in (before, after):
            known = _targets(trained[wanted.target], task)
            encoded = _Encoded.of(trained, features, hierarchies)
            model = _fitted(estimator, encoded.rows(trained), known)
            scored.append(_scores(model, encoded.rows(rows.iloc[test]), truth, task))
        blind = _fitted(_blind(task), np.zeros((len(before), 1)), _targets(before[wanted.target], task))
        baseline = _scores(blind, np.zeros((len(test), 1)), truth, task)
        for metric in scored[0]:
            found.setdefault(metric, []).append((baseline[metric], scored[0][metric], scored[1][metric]))
    return ModelUtility(
        target=wanted.target,
        task=task,
        estimator=type(estimator).__name__,
        features=features,
        rows=len(rows),
        folds=wanted.folds,
        seed=wanted.seed,
        scores=tuple(ModelScore(metric, *map(fmean, zip(*each, strict=True))) for metric, each in found.items()),
        coefficients=tuple(_coefficients(estimator, rows, released, features, hierarchies, wanted.target, task)),
    )


def _coefficients(
    estimator: Any,
    rows: pandas.DataFrame,
    released: pandas.DataFrame,
    features: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    target: str,
    task: ModelTask,
) -> Iterator[ModelCoefficient]:
    """The coefficients of an estimator that has any, fitted to the rows and to the released ones in the same terms."""
    released = released[released[target].notna()].reset_index(drop=True)
    if not len(released):
        return
    encoded = _Encoded.of_release(released, rows, features, hierarchies)
    fitted = [_fitted(estimator, encoded.rows(each), _targets(each[target], task)) for each in (rows, released)]
    if any(getattr(model, "coef_", None) is None for model in fitted):
        return
    before, after = (_by_class(model, encoded, task) for model in fitted)
    for name, terms in before.items():
        others = after.get(name) if after.keys() == before.keys() else None
        for term, coefficient in terms.items():
            yield ModelCoefficient(term, name, coefficient, None if others is None else others[term])


def _by_class(model: Any, encoded: _Encoded, task: ModelTask) -> dict[str, dict[str, float]]:
    """The coefficients by their terms, by the class that they are of: the second one alone where there are two."""
    found = np.atleast_2d(np.asarray(model.coef_, dtype=float))
    intercepts = np.broadcast_to(np.asarray(model.intercept_, dtype=float).ravel(), len(found))
    classes = ("",) if task == "regression" else tuple(map(str, model.classes_))[-len(found) :]
    return {
        name: encoded.in_units(each, float(intercept))
        for name, each, intercept in zip(classes, found, intercepts, strict=True)
    }


def _features(data: pandas.DataFrame, columns: Sequence[tuple[str, str]], wanted: ModelOptions) -> tuple[str, ...]:
    """The columns to predict from. Raises InputError for a column that is not released, or not in the data."""
    released = dict(columns)
    for name in (wanted.target, *(wanted.features or ())):
        if name not in released or name not in data.columns:
            both = [each for each in released if each in data.columns]
            raise InputError(
                f"{quoted(name)} is no column of the release and of the data",
                where="utility",
                next_step=did_you_mean(name, both) or "Name a column that both have.",
            )
    if released[wanted.target] not in _AS_IT_WAS:
        raise InputError(
            f"the target {quoted(wanted.target)} is generalised",
            where="utility",
            next_step="Predict a sensitive or a kept column, which the release has as it was.",
        )
    if wanted.folds < 2:
        raise InputError("there are fewer than two folds", where="utility: folds", next_step="Give 2 or more.")
    given = wanted.features or tuple(name for name in released if name in data.columns)
    found = tuple(name for name in given if name != wanted.target)
    if not found:
        raise InputError("there is no column to predict from", where="utility: features", next_step="Name one.")
    return found


def _task_of(target: pandas.Series[Any]) -> ModelTask:
    is_number = target.dtype.kind in "iuf"
    return "regression" if is_number and target.nunique() > FEW_NUMBERS else "classification"


def _targets(column: pandas.Series[Any], task: ModelTask) -> Any:
    return column.astype(float).to_numpy() if task == "regression" else column.astype(str).to_numpy()


def _estimator(task: ModelTask) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge

    return Ridge() if task == "regression" else LogisticRegression(max_iter=1_000)


def _blind(task: ModelTask) -> Any:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    return DummyRegressor() if task == "regression" else DummyClassifier(strategy="prior")


def _folds(target: pandas.Series[Any], task: ModelTask, wanted: ModelOptions) -> Iterator[tuple[Any, Any]]:
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if task == "regression" else StratifiedKFold
    rarest = len(target) if task == "regression" else int(target.value_counts().min())
    if rarest < wanted.folds or (task == "classification" and target.nunique() < 2):
        raise InputError(
            "some class of the target has fewer rows than there are folds, or there is one class",
            where="utility: target",
            next_step="Predict another column, or leave the rows of rare classes out.",
        )
    yield from kind(wanted.folds, shuffle=True, random_state=wanted.seed).split(np.zeros(len(target)), target)


def _fitted(estimator: Any, rows: Matrix, target: Any) -> Any:
    from sklearn.base import clone

    # Suppressed rows may have left one class, which most models refuse.
    one_class = target.dtype.kind not in "fiu" and len(set(target.tolist())) < 2
    return clone(_blind("classification") if one_class else estimator).fit(rows, target)


def _scores(model: Any, rows: Matrix, truth: Any, task: ModelTask) -> dict[str, float]:
    from sklearn.metrics import accuracy_score, mean_absolute_error, r2_score

    said = model.predict(rows)
    if task == "regression":
        return {"R2": float(r2_score(truth, said)), "MAE": float(mean_absolute_error(truth, said))}
    found = {"accuracy": float(accuracy_score(truth, said))}
    if hasattr(model, "predict_proba"):
        found["ROC AUC"] = _area(model, rows, truth)
    return found


def _area(model: Any, rows: Matrix, truth: Any) -> float:
    """The area under the curve of each class against all others, weighted by their rows."""
    from sklearn.metrics import roc_auc_score

    likely = dict(zip(model.classes_.tolist(), model.predict_proba(rows).T, strict=True))
    areas, weights = [], []
    for name, count in Counter(truth.tolist()).items():
        areas.append(float(roc_auc_score(truth == name, likely.get(name, np.zeros(len(truth))))))
        weights.append(count)
    return float(np.average(areas, weights=weights))


@dataclass(frozen=True, slots=True)
class _Encoded:
    """The columns of a training as numbers: its labels, and the mean and spread of its numbers."""

    labels: Mapping[str, tuple[str, ...]]
    numbers: Mapping[str, tuple[float, float]]
    hierarchies: Mapping[str, Hierarchy]

    @classmethod
    def of(cls, trained: pandas.DataFrame, features: Sequence[str], hierarchies: Mapping[str, Hierarchy]) -> _Encoded:
        labels: dict[str, tuple[str, ...]] = {}
        numbers: dict[str, tuple[float, float]] = {}
        for name in features:
            hierarchy = hierarchies.get(name)
            values = _as_numbers(trained[name], hierarchy)
            if values is not None:
                known = values[np.isfinite(values)]
                numbers[name] = (float(known.mean()), float(known.std()) or 1.0) if len(known) else (0.0, 1.0)
                continue
            counted: Counter[str] = Counter()
            for value, count in trained[name].value_counts(dropna=True).items():
                counted.update(dict.fromkeys(labels_above(value, hierarchy), count))
            labels[name] = tuple(label for label, _ in counted.most_common(MAX_LABELS))
        return cls(labels, numbers, hierarchies)

    @classmethod
    def of_release(
        cls,
        released: pandas.DataFrame,
        data: pandas.DataFrame,
        features: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
    ) -> _Encoded:
        """The terms of a release: the labels that it has, without those above them, and the numbers of the data."""
        numbers = cls.of(data, features, hierarchies).numbers
        counted = {name: released[name].value_counts() for name in features if name not in numbers}
        labels = {
            name: tuple(str(own[0]) for value in counts.index[:MAX_LABELS] if (own := labels_above(value, None)))
            for name, counts in counted.items()
        }
        return cls(labels, numbers, hierarchies)

    def in_units(self, coefficients: Vector, intercept: float) -> dict[str, float]:
        """The coefficients of a model by their terms: of numbers those of one unit, the intercept that of zeros."""
        spreads = np.array([spread for _, spread in self.numbers.values()])
        means = np.array([mean for mean, _ in self.numbers.values()])
        slopes = coefficients[: len(spreads)] / spreads
        terms = [f"{name} = {label}" for name, labels in self.labels.items() for label in labels]
        return {
            **dict(zip(self.numbers, map(float, slopes), strict=True)),
            **dict(zip(terms, map(float, coefficients[len(spreads) :]), strict=True)),
            "intercept": intercept - float(slopes @ means),
        }

    def rows(self, frame: pandas.DataFrame) -> Matrix:
        """The rows of a frame: numbers from their mean in units of their spread, and a 1 for each label that holds."""
        import pandas as pd

        parts = []
        for name, (mean, spread) in self.numbers.items():
            values = _as_numbers(frame[name], self.hierarchies.get(name))
            values = np.full(len(frame), np.nan) if values is None else values
            parts.append(np.nan_to_num((values - mean) / spread, nan=0.0, posinf=0.0, neginf=0.0)[:, None])
        for name, labels in self.labels.items():
            codes, different = pd.factorize(frame[name])
            places = {label: place for place, label in enumerate(labels)}
            holds = np.zeros((len(different) + 1, len(labels)))  # the last row is that of missing values
            for row, value in enumerate(different):
                for label in labels_above(value, self.hierarchies.get(name)):
                    if label in places:
                        holds[row, places[label]] = 1.0
            parts.append(holds[codes])
        return np.hstack(parts)


def _as_numbers(
    column: pandas.Series[Any], hierarchy: Hierarchy | None
) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """The numbers or dates of a column, NaN where there is none; None for a column of texts."""
    import pandas as pd

    kind = None if hierarchy is None else hierarchy.kind
    if kind in ("explicit", "prefix"):
        return None
    if kind == "date" or column.dtype.kind == "M":
        of_each = {value: _day(value, hierarchy) for value in column.dropna().unique()}
        return column.map(of_each).to_numpy(dtype=float, na_value=np.nan)
    if kind == "interval" or (column.dtype.kind in "iuf" and kind is None):
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    return None


def _day(value: Any, hierarchy: Hierarchy | None) -> float:
    """A date in days, of a label of one the middle; NaN of what is neither."""
    import pandas as pd

    if isinstance(value, str) and hierarchy is not None:
        for level in range(1, hierarchy.top):
            try:
                span = hierarchy.span_of(value, level)
            except (ValueError, IndexError):
                continue
            if span is not None and span[0] is not None and span[1] is not None:
                return float(span[0] + span[1]) / 2
    moment = pd.to_datetime(value, errors="coerce")
    return float("nan") if pd.isna(moment) else (moment.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta(days=1)


def labels_above(value: Any, hierarchy: Hierarchy | None) -> tuple[str, ...]:
    """A value or a label as a text, and its labels at every coarser level but `*`, which tells nothing."""
    text = str(value).lower() if isinstance(value, bool | np.bool_) else str(value)
    if text == STAR:
        return ()
    if hierarchy is None:
        return (text,)
    above = _above(text, hierarchy)
    return tuple(dict.fromkeys(each for each in (text, *above) if each != STAR))


def _above(text: str, hierarchy: Hierarchy) -> tuple[str, ...]:
    # By its kind: the modules of hierarchies take a while to import.
    known: Any = hierarchy
    if hierarchy.kind == "explicit":
        for level, texts in enumerate((known.leaves, *known.labels)):
            if text in texts:
                place = texts.index(text)
                return tuple(labels[place] for labels in known.labels[level:])
        return ()
    levels = range(1, hierarchy.top)
    own = next((level for level in levels if known.labels_of([text], level, 0)[0] == text), 0)
    return tuple(known.labels_of([text], level, 0)[0] for level in levels if level > own)
