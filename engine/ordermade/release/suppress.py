"""The suppressed rows of a release: those of classes that are too small, or that fail a model.

The statements go by tables of one connection, so that they serve twice: over what was counted in the source, and, by a
connection that knows nothing else, over what was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import Sensitive
from ordermade.counting.statements import Statement, carry_out
from ordermade.privacy.models import Model
from ordermade.privacy.statements import Counts, failing_statement
from ordermade.release.plan import COUNTED, DECISIONS, PERSON, Plan, expand_columns, units, without
from ordermade.sources.executor import Executor, Purpose

CLASSES = "released_classes"
NUMBERED = "released_numbered"
FAILING = "released_failing"


@dataclass(frozen=True, slots=True)
class Counted:
    """A counted release: a table of combinations, with their rows `n`.

    `labels` are its columns that make a class, `values` all that are released; `sensitive` says which of these columns
    holds each sensitive attribute. `persons`: whether its column `person` is the entity column, whose values count.
    """

    table: str
    labels: tuple[str, ...]
    values: tuple[str, ...]
    sensitive: tuple[tuple[Sensitive, str], ...]
    persons: bool

    @classmethod
    def of(cls, plan: Plan) -> Counted:
        """Describe the table that a plan has counted in the source."""
        held = tuple(zip(plan.sensitive, plan.values[len(plan.labels) :], strict=False))
        return cls(COUNTED, plan.labels, plan.values, held, plan.entity is not None)


def decide(plan: Plan) -> None:
    """Keeps every counted combination of one node with whether it is suppressed, as `DECISIONS`."""
    carry_out(plan.dataset.backend, Purpose.RELEASE, deciding(plan))


def deciding(plan: Plan) -> Iterator[Statement]:
    """The statements that do, in order."""
    counted = Counted.of(plan)
    if not plan.checks_classes:
        yield Statement("release, nothing suppressed", False, DECISIONS, all_released_statement(counted))
        return
    yield from numbering_classes(counted)
    yield Statement("release, suppressed classes", False, FAILING, failing_classes_statement(counted, plan.k))
    yield Statement("release, decided", False, DECISIONS, decided_statement(counted))


def number_classes(executor: Executor, counted: Counted) -> None:
    """Numbers the classes of what was counted; keeps each combination, and each sensitive value, with its class."""
    for each in numbering_classes(counted):
        each.keep(executor, Purpose.RELEASE)


def numbering_classes(counted: Counted) -> Iterator[Statement]:
    """The statements that do, in order."""
    yield Statement("release, its classes", False, CLASSES, sizes_statement(counted))
    yield Statement("release, each combination's class", False, NUMBERED, numbered_statement(counted))
    for sensitive, column in counted.sensitive:
        statement = class_values_statement(sensitive, column, persons=counted.persons)
        yield Statement(f"release, the values of {sensitive.column} by class", False, class_values(column), statement)


def sizes_statement(counted: Counted) -> exp.Select:
    """The statement that numbers the classes and gives the size of each."""
    tree = units(sql.select("release/suppress/sizes"), "units", persons=counted.persons)
    expand_columns(tree, "counted.value", counted.labels)
    return sql.with_relations(tree, {"counted": exp.to_table(counted.table)})


def numbered_statement(counted: Counted) -> exp.Select:
    """The statement that gives every combination with the number of its class."""
    tree = sql.select("release/suppress/numbered")
    join = tree.args["joins"][0]
    same = [
        sql.with_columns(join.args["on"].copy(), {"counted.value": name, "class.value": name})
        for name in counted.labels
    ]
    join.set("on", exp.and_(*same, copy=False))
    expand_columns(tree, "counted.value", counted.values)
    return sql.with_relations(
        _person_dropped(tree, "counted", persons=counted.persons),
        {"counted": exp.to_table(counted.table), "classes": exp.to_table(CLASSES)},
    )


def failing_classes_statement(counted: Counted, k: int) -> exp.Query:
    """The statement that lists the suppressed classes: smaller than k, or failing a model."""
    failing = [failing_statement(model, decided_by) for _, model, decided_by in models_with_counts(counted)]
    return sql.union_all([too_small_statement(k), *failing])


def too_small_statement(k: int) -> exp.Select:
    """The statement that lists the classes smaller than `k`."""
    tree = sql.select("release/suppress/too_small")
    tree.args["where"].this.set("expression", exp.Literal.number(k))
    return sql.with_relations(tree, {"classes": exp.to_table(CLASSES)})


def class_values(column: str) -> str:
    """The name of the table of the values of a sensitive attribute in each class."""
    return f"released_values_{column}"


def models_with_counts(counted: Counted) -> Iterator[tuple[Sensitive, Model, Counts]]:
    """Each model of each sensitive attribute, with what it is decided by once the classes have their numbers."""
    sizes = sql.with_relations(sql.select("release/suppress/class_sizes"), {"classes": exp.to_table(CLASSES)})
    for sensitive, column in counted.sensitive:
        for model in sensitive.models:
            values = exp.to_table(class_values(column))
            yield sensitive, model, sensitive.counts(model, values, sizes if counted.persons else None)


def class_values_statement(sensitive: Sensitive, column: str, *, persons: bool) -> exp.Select:
    """The statement that counts each value of a sensitive attribute in each class."""
    tree = units(sql.select("release/suppress/class_values"), "n", persons=persons)
    compared = sensitive.compared(sql.column(column, "numbered"))
    tree = sql.with_expressions(tree, {"numbered.value": compared})
    return sql.with_relations(tree, {"numbered": exp.to_table(NUMBERED), "sensitive": exp.to_table(sensitive.values)})


def decided_statement(counted: Counted) -> exp.Select:
    """The statement that gives every combination with whether it is suppressed."""
    tree = expand_columns(sql.select("release/suppress/decided"), "numbered.value", counted.values)
    return sql.with_relations(
        _person_dropped(tree, "numbered", persons=counted.persons),
        {"numbered": exp.to_table(NUMBERED), "suppressed": exp.to_table(FAILING)},
    )


def all_released_statement(counted: Counted) -> exp.Select:
    """The statement that gives every combination as one that is not suppressed."""
    tree = expand_columns(sql.select("release/suppress/all"), "counted.value", counted.values)
    return sql.with_relations(
        _person_dropped(tree, "counted", persons=counted.persons), {"counted": exp.to_table(counted.table)}
    )


def _person_dropped(tree: exp.Select, table: str, *, persons: bool) -> exp.Select:
    return tree if persons else without(tree, f"{table}.{PERSON}")
