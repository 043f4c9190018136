"""The counts that a policy demands of a row filter, decided in the source before anything else of it is counted.

Each statement answers yes or no for both sides of a filter at once. So a refusal tells neither a count, nor whether too
few persons pass or too few do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import FilterError, PolicyBroken, quoted
from ordermade.measuring.counting import person
from ordermade.measuring.dataset import Dataset
from ordermade.requests.where import parse_filter, widened
from ordermade.sources.executor import Purpose

if TYPE_CHECKING:
    from ordermade.catalogue.datasets import OpenDataset
    from ordermade.policies.policy import Filters


def guard_of(opened: OpenDataset, filters: Filters, condition: exp.Expr | None) -> Callable[[Dataset], None] | None:
    """Refuses the row filter of a dataset by the policy; None where that demands nothing of it.

    What is returned raises PolicyBroken, and asks the source once, however often it is called.
    """
    demands_persons = filters.persons is not None and condition is not None
    if not demands_persons and (filters.apart is None or not opened.released):
        return None
    passed = False

    def guard(dataset: Dataset) -> None:
        nonlocal passed
        if passed:
            return
        if condition is not None and filters.persons is not None:
            _require_enough(opened, dataset, condition, filters.persons)
        if filters.apart is not None:
            _require_apart(opened, dataset, condition, filters.apart)
        passed = True

    return guard


def _require_enough(opened: OpenDataset, dataset: Dataset, condition: exp.Expr, fewest: int) -> None:
    """Raises PolicyBroken where fewer persons than that pass the filter, or do not."""
    if _decided("few", dataset, fewest, opened.filtered(condition), opened.filtered(_unmet(condition))):
        unit = _unit(dataset)
        _refuse(
            "filters.persons",
            f"the filter lets fewer than {fewest:,} {unit} pass, or leaves fewer than {fewest:,} out",
            "Write a filter that parts the dataset less unevenly, or leave it out.",
            opened.name,
        )


def _require_apart(opened: OpenDataset, dataset: Dataset, condition: exp.Expr | None, fewest: int) -> None:
    """Raises PolicyBroken where the rows differ from those of an earlier release in some, but fewer persons."""
    for text in opened.released:
        earlier = None if text is None else _parsed(opened, text)
        ours, theirs = _alone(condition, earlier), _alone(earlier, condition)
        if _decided("near", dataset, fewest, opened.filtered(ours), opened.filtered(theirs)):
            _refuse(
                "filters.apart",
                f"the rows differ from those of an earlier release in fewer than {fewest:,} {_unit(dataset)}",
                "Request the same rows as that release, or rows that differ more from every one so far.",
                opened.name,
            )


def _refuse(rule: str, what: str, step: str, name: str) -> None:
    raise PolicyBroken(what, where=f"dataset {quoted(name)}", next_step=step, rules=[rule], problems=[what])


def _unit(dataset: Dataset) -> str:
    return "rows" if dataset.entity is None else "persons"


def _parsed(opened: OpenDataset, text: str) -> exp.Expr:
    """The filter of an earlier release. Raises PolicyBroken where its columns are no more as they were."""
    types = {each.name: each.type for each in opened.columns}
    try:
        return widened(parse_filter(text, tuple(types)), types)
    except FilterError:
        what = "the columns changed, so the rows of an earlier release cannot be compared with these"
        step = "The provider can set a policy without filters.apart (`ordermade policy set`)."
        where = f"dataset {quoted(opened.name)}"
        raise PolicyBroken(what, where=where, next_step=step, rules=["filters.apart"], problems=[what]) from None


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


def _decided(question: str, dataset: Dataset, fewest: int, one: Dataset, other: Dataset) -> bool:
    """The answer of a statement about two sets of rows: it counts them in the source, and gives yes or no."""
    rows, persons = _STATEMENTS[question]
    if dataset.entity is None:
        tree = sql.select(rows)
    else:
        keys = {"dataset.id": person(dataset), "others.id": _of("others", person(dataset))}
        tree = sql.with_expressions(sql.select(persons), keys)
    for parameter in list(tree.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(exp.Literal.number(fewest))
    tree = sql.with_relations(tree, {"dataset": one.relation, "others": other.relation})
    return bool(dataset.backend.executor.rows(Purpose.COVERAGE, tree)[0][0])


def _of(table: str, key: exp.Expr) -> exp.Expr:
    """An expression over the columns of `dataset` as one over those of another table."""
    copied = key.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
    return copied
