"""The counts that a policy demands of a row filter, decided in the source before anything else of it is counted.

Each statement answers yes or no for both sides of a filter at once. So a refusal tells neither a count, nor whether too
few persons pass or too few do not.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import PolicyBroken, ReleasedMeanwhile, quoted
from ordermade.measuring.counting import person
from ordermade.measuring.dataset import Dataset
from ordermade.requests.earlier_filters import carried_over
from ordermade.requests.where import row_condition
from ordermade.sources.executor import Purpose

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.catalogue.datasets import OpenDataset
    from ordermade.policies.policy import Filters


@dataclass(frozen=True, slots=True)
class _Question:
    """A statement of `rule` that answers whether a filter is refused, `what` is wrong then, and the `step` to take."""

    title: str
    rule: str
    tree: exp.Query
    what: str
    step: str


@dataclass(slots=True)
class FilterGuard:
    """Refuses the row filter of a dataset by the policy: asks the source once, however often it is called."""

    opened: OpenDataset
    filters: Filters
    condition: exp.Expr | None
    least_k: int
    _passed: bool = False

    def __call__(self, dataset: Dataset) -> None:
        """Raises PolicyBroken with the first answer that the policy does not allow."""
        if self._passed:
            return
        for each in self._questions(dataset):
            if dataset.backend.executor.rows(Purpose.COVERAGE, each.tree)[0][0]:
                where = f"dataset {quoted(self.opened.name)}"
                raise PolicyBroken(each.what, where=where, next_step=each.step, rules=[each.rule], problems=[each.what])
        self._passed = True

    def statements(self, dataset: Dataset) -> Iterator[tuple[str, exp.Query]]:
        """The statements in order, each with its title."""
        for each in self._questions(dataset):
            yield each.title, each.tree

    def _questions(self, dataset: Dataset) -> Iterator[_Question]:
        if self.condition is not None and self.filters.persons is not None:
            yield self._enough(dataset, self.condition, self.filters.persons)
        if self.condition is not None:
            yield from self._values(dataset, self.condition, self.filters.values or self.least_k)
        if self.filters.apart is not None:
            yield from self._apart(dataset, self.filters.apart)

    def _enough(self, dataset: Dataset, condition: exp.Expr, fewest: int) -> _Question:
        """Whether fewer persons than that pass the filter, or do not."""
        unit = _unit(dataset)
        return _Question(
            f"policy, whether the filter lets fewer than {fewest:,} {unit} pass, or leaves fewer than that out",
            "filters.persons",
            _decided("few", dataset, fewest, self.opened.filtered(condition), self.opened.filtered(_unmet(condition))),
            f"the filter lets fewer than {fewest:,} {unit} pass, or leaves fewer than {fewest:,} out",
            "Write a filter that parts the dataset less unevenly, or leave it out.",
        )

    def _values(self, dataset: Dataset, condition: exp.Expr, fewest: int) -> Iterator[_Question]:
        """Whether fewer persons than that have a value that the filter names: none at all is the same answer."""
        unit = _unit(dataset)
        for each in _equalities(condition):
            named = self.opened.filtered(each)
            yield _Question(
                f"policy, whether fewer than {fewest:,} {unit} have a value that the filter names",
                "filters.values",
                _decided("few", dataset, fewest, named, named),
                f"the filter names a value that fewer than {fewest:,} {unit} have",
                "Name values that more have, or part the column by a hierarchy.",
            )

    def _apart(self, dataset: Dataset, fewest: int) -> Iterator[_Question]:
        """Whether the rows differ from those of an earlier release in some, but fewer persons."""
        unit = _unit(dataset)
        for earlier in _compared(self.opened, self.filters.confirmed):
            ours, theirs = _alone(self.condition, earlier), _alone(earlier, self.condition)
            yield _Question(
                f"policy, whether the rows differ from those of an earlier release in fewer than {fewest:,} {unit}",
                "filters.apart",
                _decided("near", dataset, fewest, self.opened.filtered(ours), self.opened.filtered(theirs)),
                f"the rows differ from those of an earlier release in fewer than {fewest:,} {unit}",
                "Request the same rows as that release, or rows that differ more from every one so far.",
            )


def guard_of(opened: OpenDataset, filters: Filters, condition: exp.Expr | None) -> FilterGuard | None:
    """Refuses the row filter of a dataset by the policy; None where that demands nothing of it."""
    if condition is None and (filters.apart is None or not opened.released):
        return None
    return FilterGuard(opened, filters, condition, opened.terms.least_k)


def require_compared(connection: DuckDBPyConnection, opened: OpenDataset, filter_text: str | None) -> None:
    """Raises ReleasedMeanwhile where rows were released since the dataset was opened: none compared a filter with them.

    In the transaction that records the release of the filter: of two requests at once, the later one finds the other.
    """
    policy = opened.terms.policy
    if policy is None or policy.filters.apart is None:
        return
    from ordermade.state import policies

    if set(policies.released_filters(connection, opened.name)) <= {*opened.released, filter_text}:
        return
    what = "rows of this dataset were released meanwhile, with which these were not compared"
    where = f"dataset {quoted(opened.name)}"
    raise ReleasedMeanwhile(what, where=where, next_step="Run it again.", rules=["filters.apart"], problems=[what])


def _equalities(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions on single values among those that AND, OR and NOT join: one for each value, however it stands."""
    waiting = [condition]
    while waiting:
        each = waiting.pop()
        match each:
            case exp.And() | exp.Or():
                waiting += [each.args["this"], each.args["expression"]]
            case exp.Not() | exp.Paren():
                waiting.append(each.this)
            case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.Between():
                continue
            case exp.NEQ():
                yield exp.EQ(this=each.this.copy(), expression=each.expression.copy())
            case exp.In():
                yield from (exp.EQ(this=each.this.copy(), expression=value.copy()) for value in each.expressions)
            case _:
                yield each


def _unit(dataset: Dataset) -> str:
    return "rows" if dataset.entity is None else "persons"


def _compared(opened: OpenDataset, confirmed: Collection[str]) -> list[exp.Expr | None]:
    """The filters of the releases so far, those of earlier versions rewritten; None for every row.

    Raises PolicyBroken with all that cannot be rewritten, or whose columns are no more as they were, and that the
    provider has not confirmed.
    """
    types = {each.name: each.type for each in opened.columns}
    found: dict[str | None, exp.Expr | None] = {}
    unread = []
    for text in opened.released:
        today = None if text is None else carried_over(text, types)
        if today is not None or text is None:
            found.setdefault(today, None if today is None else row_condition(today, types)[0])
        elif text not in confirmed:
            unread.append(text)
    if unread:
        what = "the rows of earlier releases cannot be compared with these: their filters calculate, or columns changed"
        confirming = f"filters: {{confirmed: {json.dumps(unread)}}}"
        step = f"The provider looks at these releases, and confirms them in the policy: {confirming}."
        where = f"dataset {quoted(opened.name)}"
        raise PolicyBroken(what, where=where, next_step=step, rules=["filters.apart"], problems=[what])
    return list(found.values())


def _met(condition: exp.Expr | None) -> exp.Expr:
    """Whether a filter lets a row pass: never NULL."""
    if condition is None:
        return exp.true()
    return exp.Coalesce(this=exp.Paren(this=condition.copy()), expressions=[exp.false()])


def _unmet(condition: exp.Expr | None) -> exp.Expr:
    return exp.Not(this=_met(condition))


def _alone(condition: exp.Expr | None, other: exp.Expr | None) -> exp.Expr:
    """The rows that one filter lets pass, and another does not."""
    return exp.And(this=_met(condition), expression=_unmet(other))


_STATEMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "few": ("policy/few_rows", "policy/few_persons"),
        "near": ("policy/near_rows", "policy/near_persons"),
    }
)
"""The statement of each question: of rows, and of persons."""


def _decided(question: str, dataset: Dataset, fewest: int, one: Dataset, other: Dataset) -> exp.Query:
    """The statement about two sets of rows: it counts them in the source, and gives yes or no."""
    rows, persons = _STATEMENTS[question]
    if dataset.entity is None:
        tree = sql.select(rows)
    else:
        keys = {"dataset.id": person(dataset), "others.id": _of("others", person(dataset))}
        tree = sql.with_expressions(sql.select(persons), keys)
    for parameter in list(tree.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(exp.Literal.number(fewest))
    return sql.with_relations(tree, {"dataset": one.relation, "others": other.relation})


def _of(table: str, key: exp.Expr) -> exp.Expr:
    """An expression over the columns of `dataset` as one over those of another table."""
    copied = key.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
    return copied
