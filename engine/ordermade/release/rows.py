"""The rows of a release: their columns counted and sorted, figures, star rows, pseudonyms, and cells safe to open.

A text that a spreadsheet would run as a formula is escaped by an apostrophe before it. So is a text that begins with
apostrophes and then like a formula: otherwise `=1` and `'=1` would be one text, and two classes one. Numbers (`-5`,
`+1e3`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple, TypeAlias, cast

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import Units, person
from ordermade.counting.encoding import EncodedColumn, Encoding
from ordermade.counting.statements import Statement, carry_out
from ordermade.drafts.label_order import are_prefectures, in_order
from ordermade.errors import InputError
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.lattice.observation import Observation, Sizes
from ordermade.release.plan import (
    COUNTED,
    DECISIONS,
    PERSON,
    SORTED,
    Plan,
    Shape,
    expand_columns,
    inner,
    repeat_fragment,
    units,
    without,
)
from ordermade.release.pseudonyms import random_pseudonyms
from ordermade.release.suppress import deciding
from ordermade.sources.backend import PushdownHint
from ordermade.sources.executor import Purpose

_FORMULA = re.compile(r"[=+\-@\t\r]")
_TAKEN_FOR_ONE = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escaped(name: str) -> str:
    """The name of a column as `formulas: escape` writes it."""
    return f"'{name}" if _TAKEN_FOR_ONE.match(name) and not _NUMBER.fullmatch(name) else name


def unescaped(name: str) -> str:
    """The name of a column that `formulas: escape` has written: the inverse of `escaped`."""
    return name[1:] if _ESCAPED.match(name) else name


def escaped_statement(written: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives the release as `formulas: escape` writes it; `columns` are all those of `written`."""
    tree = sql.select("release/rows/escaped")
    (cell,) = tree.expressions
    cells = [sql.with_columns(cell.unalias().copy(), {"released.value": column}) for column in columns]
    tree.set("expressions", [sql.named(each, escaped(column)) for each, column in zip(cells, columns, strict=True)])
    return sql.with_relations(tree, {"released": written})


def unescaped_statement(read: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives a release as it was before it was escaped; `columns` are all those of `read`."""
    tree = expand_columns(sql.select("release/rows/unescaped"), "released.value", columns)
    return sql.with_relations(tree, {"released": read})


def unescaped_relation(read: exp.Query, texts: Mapping[str, bool]) -> exp.Select:
    """The same of any reading of its file, by column whether that is read as text, with the names it had before."""
    tree = sql.select("release/rows/unescaped")
    (cell,) = tree.expressions
    cells = [
        sql.with_columns(cell.unalias().copy(), {"released.value": name}) if is_text else sql.column(name, "released")
        for name, is_text in texts.items()
    ]
    tree.set("expressions", [sql.named(each, unescaped(name)) for each, name in zip(cells, texts, strict=True)])
    return sql.with_relations(tree, {"released": read})


def formulas(plan: Plan) -> int:
    """Count the cells of a release, names of columns included, that a spreadsheet would run as formulas."""
    (counts,) = plan.dataset.backend.workspace.rows(Purpose.STORE, formulas_statement(plan))
    return sum(int(each or 0) for each in counts) + sum(map(is_formula, plan.columns))


def is_formula(text: str) -> bool:
    """Whether a spreadsheet that opens a CSV file would run this text as a formula."""
    return _FORMULA.match(text) is not None and not _NUMBER.fullmatch(text)


def formulas_statement(plan: Plan) -> exp.Select:
    """The statement that counts, column by column, the cells that a spreadsheet would run as formulas.

    It goes by the sorted combinations, which are fewer than the rows that are written.
    """
    tree = sql.select("release/rows/formulas")
    begins = tree.args["where"].this
    names = [inner(number) for number in range(len(plan.columns))]
    expand_columns(tree, "released.value", names)
    each_begins = [sql.with_columns(begins.copy(), {"released.value": name}) for name in names]
    tree.args["where"].set("this", exp.or_(*each_begins, copy=False))
    if plan.shape == "table":  # a combination is one row of it
        sql.with_expressions(tree, {"released.n": exp.Literal.number(1)})
    return sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})


def warning(cells: int, least: int) -> str:
    """The warning of so many formulas; a count below `least` is not given."""
    many = f"{cells:,}" if cells >= least else "some"
    return (
        f"{many} texts of the release begin with =, +, -, @, a tab or a carriage return: a spreadsheet that opens the "
        "file runs them as formulas. `release: {csv: {formulas: escape}}` writes an apostrophe before them."
    )


ROWS = PushdownHint(rows=True)
"""Rows that are released as they are differ nearly all: a source may send them, and the workspace count them."""


def count_classes(plan: Plan) -> None:
    """Counts every combination of released values in the source and keeps them in the workspace, as `COUNTED`."""
    for attribute, level in zip(plan.attributes, plan.node, strict=True):
        if attribute.has_labels_at(level):
            store_labels(plan, attribute, level)
    carry_out(plan.dataset.backend, Purpose.RELEASE, [counting_classes(plan)])


def counting_classes(plan: Plan) -> Statement:
    """The statement, for the source, that becomes `COUNTED`."""
    return Statement("release, counted", True, COUNTED, counted_statement(plan), share=ROWS)


def sort_classes(plan: Plan) -> None:
    """Keeps the counted combinations as they are written, in `SORTED`: nothing is suppressed."""
    carry_out(plan.dataset.backend, Purpose.STORE, [sorting(plan)])


def sorting(plan: Plan, stars: int = 0) -> Statement:
    """The statement that becomes `SORTED`; with `stars` suppressed rows, where they stay."""
    shown = shown_statement(plan, stars) if plan.decides else None
    return Statement("release, sorted", False, SORTED, sorted_statement(plan, shown))


def giving_pseudonyms(plan: Plan) -> Iterator[Statement]:
    """The statement that becomes `PSEUDONYMS`, whose parameter is the numbers; none without pseudonyms."""
    if plan.pseudonym is not None:
        yield Statement("release, pseudonyms", False, PSEUDONYMS, pseudonyms_statement())


def release_statements(plan: Plan) -> Iterator[Statement]:
    """The statements that make a release of one node, up to the table that is written.

    Where suppressed rows stay, the last is shown as if as few stayed as may.
    """
    for attribute, level in zip(plan.attributes, plan.node, strict=True):
        if attribute.has_labels_at(level):
            title = f"what is released for {attribute.column}"
            yield Statement(title, False, labels_table(attribute), labels_statement(attribute, level))
    yield counting_classes(plan)
    if plan.decides:
        yield from deciding(plan)
        yield from giving_pseudonyms(plan)
    yield sorting(plan, plan.k if plan.stars and plan.suppresses else 0)


def counted_statement(plan: Plan) -> exp.Select:
    """The statement, for the source, that counts every combination of released values (of each person)."""
    shown = tuple(
        _Shown(each.encoding, each.column, None if level == each.hierarchy.top else level, each.has_labels_at(level))
        for each, level in zip(plan.attributes, plan.node, strict=True)
    )
    of_person = None if plan.entity is None else person(plan.dataset)
    tree = _counted(shown, plan.carried[len(shown) :], of_person)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


class _Shown(NamedTuple):
    """A quasi-identifier as it is released: at a level, None where it is `*`; whether its classes have labels."""

    coded: Encoding
    column: str
    level: int | None
    is_labelled: bool

    @property
    def value(self) -> exp.Expr:
        if self.level is None:
            return exp.Literal.string(STAR)
        if self.is_labelled:
            return exp.column("label", table=labels_table(self.coded))
        return sql.column(self.column, "dataset")


@sql.BuiltOnce
def _counted(shown: tuple[_Shown, ...], carried: tuple[str, ...], of_person: exp.Expr | None) -> exp.Select:
    tree = sql.select("release/rows/classes")
    _, kept, count = tree.expressions
    join = tree.args["joins"][0]
    values = [
        *(each.value for each in shown),
        *(each.unalias() for each in repeat_fragment(kept, "dataset.kept", carried)),
    ]
    names = [inner(number) for number in range(len(values))]
    if of_person is not None:
        values.append(of_person.copy())
        names.append(PERSON)
    tree.set("expressions", [*(sql.named(value, name) for value, name in zip(values, names, strict=True)), count])
    tree.set("joins", [_label_join(join, each.coded) for each in shown if each.is_labelled])
    grouped = [value.copy() for value in values if not isinstance(value, exp.Literal)]
    tree.set("group", exp.Group(expressions=grouped) if grouped else None)
    return tree


def sorted_statement(plan: Plan, shown: exp.Expr | None = None) -> exp.Select:
    """The statement that puts combinations in the order of their own values: the counted ones, or a relation's.

    A statistical table, which is read from the top, has numbers and labels with an order of their own in that order.
    """
    tree = _sorted(len(plan.columns), plan.stars, _orders(plan) if plan.shape == "table" else ())
    return tree if shown is None else sql.with_relations(tree, {COUNTED: shown})


_Order: TypeAlias = tuple[str, ...] | None
"""The labels of a column in their order; none: by the number in a label; None: by its text."""


def _orders(plan: Plan) -> tuple[_Order, ...]:
    """The order of each generalised or aggregated column."""
    generalised = (_order(each, level) for each, level in zip(plan.attributes, plan.node, strict=True))
    return (*generalised, *(() for _ in plan.aggregated))


def _order(attribute: EncodedColumn, level: int) -> _Order:
    hierarchy = attribute.hierarchy
    if level == hierarchy.top:
        return None
    if not isinstance(hierarchy, ExplicitHierarchy):
        return () if attribute.has_labels_at(level) and isinstance(hierarchy, IntervalHierarchy) else None
    labels = list(dict.fromkeys(hierarchy.labels[level - 1] if level else filter(None, hierarchy.leaves)))
    ordered = in_order(labels)
    if ordered is None or list(ordered) == sorted(labels):
        return None
    # A statement lists the names of prefectures, which are everybody's, and no other labels: they may be values.
    return ordered if are_prefectures(labels) else ()


@sql.BuiltOnce
def _sorted(columns: int, stars: bool, orders: tuple[_Order, ...]) -> exp.Select:
    names = tuple(inner(number) for number in range(columns))
    tree = expand_columns(
        sql.select("release/rows/sorted_stars" if stars else "release/rows/sorted"), "released.value", names
    )
    texts = tree.args["order"].expressions
    first = len(texts) - columns
    by_place: list[exp.Expr] = texts[:first]
    for name, text, order in zip_longest(names, texts[first:], orders):
        by_place += [text] if order is None else [_placed(name, order), text]
    tree.args["order"].set("expressions", by_place)
    return tree


def _placed(name: str, order: tuple[str, ...]) -> exp.Expr:
    """The place of a released value, to sort by before its text."""
    section = sql.select("release/rows/place_in_list" if order else "release/rows/place_of_number")
    place = sql.with_columns(section.expressions[0].unalias(), {"released.value": name})
    for listed in place.find_all(exp.Array):
        listed.set("expressions", [exp.Literal.string(each) for each in order])
    return exp.Ordered(this=place, nulls_first=False)


def written_statement(plan: Plan) -> exp.Select:
    """The statement that gives the release itself, from the sorted combinations."""
    return _written(plan.shape, plan.columns, plan.count)


@sql.BuiltOnce
def _written(shape: Shape, released: tuple[str, ...], count_head: str) -> exp.Select:
    tree = sql.select("release/rows/rows" if shape == "rows" else "release/rows/table")
    value = tree.expressions[0]
    count = [sql.named(each.unalias(), count_head) for each in tree.expressions[1:]]
    columns = [
        sql.named(sql.with_columns(value.copy(), {"released.value": inner(number)}), name)
        for number, name in enumerate(released)
    ]
    tree.set("expressions", [*columns, *count])
    for repeated in tree.find_all(exp.Subquery):
        if isinstance(repeated.this, exp.Select):
            expand_columns(repeated.this, "released.value", [inner(number) for number in range(len(released))])
    return sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})


def written_columns(plan: Plan) -> tuple[str, ...]:
    """The columns of the release itself, in order."""
    return plan.columns if plan.shape == "rows" else (*plan.columns, plan.count)


@sql.BuiltOnce
def labels_shown_statement(quasi_identifiers: int) -> exp.Select:
    """The statement that gives one released label of each quasi-identifier, from the sorted combinations."""
    tree = sql.select("release/rows/labels")
    names = [inner(number) for number in range(quasi_identifiers)]
    tree = expand_columns(tree, "released.value", names)
    return sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})


def classes_statement(plan: Plan, columns: Sequence[str]) -> exp.Select:
    """The statement that gives the classes of some columns of a release, not suppressed ones, with their rows.

    `columns`: their names inside the workspace.
    """
    return _classes_shown(tuple(columns), plan.decides)


def suppressed_classes_statement(columns: Sequence[str]) -> exp.Select:
    """The statement that gives the suppressed classes of some columns of a decided release, with their rows."""
    tree = expand_columns(sql.select("release/rows/classes_suppressed"), "decided.value", columns)
    if not columns:
        tree.set("group", None)
    return sql.with_relations(tree, {"decided": exp.to_table(DECISIONS)})


@sql.BuiltOnce
def _classes_shown(columns: tuple[str, ...], decides: bool) -> exp.Select:
    table = "decided" if decides else "released"
    tree = sql.select("release/rows/classes_shown_decided" if decides else "release/rows/classes_shown")
    tree = expand_columns(tree, f"{table}.value", columns)
    if not columns:
        tree.set("group", None)
    return sql.with_relations(tree, {table: exp.to_table(DECISIONS if decides else COUNTED)})


def file_statement(plan: Plan, *, escaped: bool) -> exp.Select:
    """The statement that gives the release as its file has it; `escaped`: with apostrophes before formulas."""
    written = written_statement(plan)
    return escaped_statement(written, written_columns(plan)) if escaped else written


def file_text(plan: Plan, *, escaped: bool) -> str:
    """The same as it is sent."""
    return (
        sql.text(file_statement(plan, escaped=True)) if escaped else _written.text(plan.shape, plan.columns, plan.count)
    )


def labels_statement(attribute: EncodedColumn, level: int) -> exp.Select:
    """The statement that says what is released for each value of an attribute at a level."""
    return _labels(attribute.keys, attribute.label_column(level) if level else None)


@sql.BuiltOnce
def _labels(keys: str, label_column: str | None) -> exp.Select:
    """The labels of each value; without a column of classes the values' own texts, and `*` for a missing one."""
    if label_column is None:
        return sql.with_relations(sql.select("coverage/texts_or_star"), {"keys": exp.to_table(keys)})
    tree = sql.with_columns(sql.select("coverage/labels"), {"keys.level": label_column})
    return sql.with_relations(tree, {"keys": exp.to_table(keys)})


def labels_bound(attribute: EncodedColumn, level: int) -> dict[str, list[object]]:
    """What is bound in the statement that says what is released."""
    if level == 0:
        return {}
    labels = attribute.labels[level]
    return {"classes": list(labels), "labels": list(labels.values())}


def store_labels(plan: Plan, attribute: EncodedColumn, level: int) -> None:
    """Stores what is released for each value of an attribute at a level, in the workspace and for the source."""
    parameters = labels_bound(attribute, level)
    workspace = plan.dataset.backend.workspace
    labels = _labels.text(attribute.keys, attribute.label_column(level) if level else None)
    workspace.store(Purpose.STORE, labels_table(attribute), labels, parameters)
    plan.dataset.backend.upload(labels_table(attribute))


def _label_join(join: exp.Expr, attribute: Encoding) -> exp.Expr:
    filled = sql.with_expressions(
        join.copy(),
        {"dataset.code": attribute.code, "labels.key": exp.column("key", table=labels_table(attribute))},
    )
    filled.set("this", exp.to_table(labels_table(attribute)))
    return filled


def labels_table(attribute: Encoding) -> str:
    """The name of the table of an attribute's labels."""
    return f"labels_{attribute.position}"


PSEUDONYMS = "released_pseudonyms"


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """The figures of a release before it is written, counted from `DECISIONS`.

    `classes` that are released, in units (persons if there is an entity column, else rows); `visible`: the classes as a
    reader sees them, in rows where persons are counted but no column of the release identifies them. `rows` of the
    dataset released as they are; `persons` released, and `suppressed_persons`, those with a suppressed row (None
    where a row is a person). `stars`: suppressed rows (in a statistical table: units) that stay as `*`. `smallest`:
    (size of the smallest class that a person has a row in, number of such persons); None where every unit is in one
    class.
    """

    classes: Observation
    visible: Observation
    rows: int
    persons: int | None = None
    suppressed_rows: int = 0
    suppressed_persons: int | None = None
    stars: int = 0
    smallest: Sizes | None = None

    @property
    def units_by_size(self) -> Sizes:
        """(size, released units whose class, or smallest class, is of that size)."""
        return self.smallest or tuple((size, size * classes) for size, classes in self.classes.sizes)

    @property
    def suppressed_units(self) -> int:
        """The number of suppressed units: persons where they are counted, else rows."""
        return self.suppressed_rows if self.suppressed_persons is None else self.suppressed_persons

    @property
    def star_rows(self) -> int:
        """The rows of the dataset that stay as `*`."""
        return self.suppressed_rows if self.stars else 0

    @classmethod
    def of_all(cls, observation: Observation) -> ReleaseCounts:
        """The figures where nothing is suppressed and a row is a person: those that the search measured."""
        return cls(observation, observation, observation.rows)


def count_release(plan: Plan) -> ReleaseCounts:
    """Keeps what is to be written in `SORTED`; its figures.

    Raises InputError where star rows could be mixed up with a released class.
    """
    backend = plan.dataset.backend
    released, suppressed = released_and_suppressed(plan)
    persons = released.persons
    stars = 0
    if plan.stars and suppressed.number >= plan.k:
        _require_no_suppressed_class(plan)
        stars = suppressed.number if plan.shape == "table" else suppressed.rows
    if plan.pseudonym is not None:
        numbers = {"numbers": random_pseudonyms(persons or 0, plan.pseudonyms)}
        carry_out(backend, Purpose.RELEASE, giving_pseudonyms(plan), numbers)
    carry_out(backend, Purpose.RELEASE, [sorting(plan, stars)])
    classes = released_classes(plan, persons)
    visible = classes
    if persons is not None and plan.shape == "table":
        visible = Observation.from_histogram(classes.sizes)
    elif persons is not None and plan.pseudonym is None:
        visible = released_classes(plan, None)
    smallest = None if persons is None else _smallest_classes(plan)
    return ReleaseCounts(classes, visible, released.rows, persons, suppressed.rows, suppressed.persons, stars, smallest)


def released_and_suppressed(plan: Plan) -> tuple[Units, Units]:
    """Count the rows (and persons with such a row, given an entity column) released, and suppressed."""
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, _suppressed(plan))
    figures = {bool(suppressed): Units(*(int(n) for n in units)) for suppressed, *units in found}
    none = Units(0, None if plan.entity is None else 0)
    return figures.get(False, none), figures.get(True, none)


def released_classes(plan: Plan, persons: int | None) -> Observation:
    """The released classes as a reader of the release sees them: in persons, if their number is known, else in rows."""
    statement = histogram_statement(plan, persons=persons is not None)
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, statement)
    return Observation.from_histogram([(int(size), int(classes)) for size, classes in found], units=persons)


def _smallest_classes(plan: Plan) -> Sizes:
    tree = sql.select("release/rows/smallest")
    for inside in tree.find_all(exp.Select):
        if inside.args["from_"].this.name == "decided":
            expand_columns(inside, "decided.value", plan.labels)
    window = next(tree.find_all(exp.Window))
    window.set("partition_by", [exp.column(label, table="class") for label in plan.labels])
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, _over_decided(tree))
    return tuple((int(size), int(persons)) for size, persons in found)


def _suppressed(plan: Plan) -> exp.Select:
    return _over_decided(_persons_or_rows(sql.select("release/rows/and_suppressed"), plan))


def shown_statement(plan: Plan, stars: int) -> exp.Query:
    """The statement that gives the rows to write, not yet in order; with `stars` suppressed rows, where they stay."""
    tree = sql.select("release/rows/shown")
    number = tree.expressions[1]
    if plan.pseudonym is None:
        without(tree, "pseudonym.number")
        tree.set("joins", [])
    else:
        number.replace(sql.named(number.copy(), inner(len(plan.carried))))
    units(tree, "n", persons=plan.entity is not None and plan.shape == "table")
    expand_columns(tree, "decided.value", plan.values)
    tree = _over_decided(tree)
    sql.with_relations(tree, {"pseudonyms": exp.to_table(PSEUDONYMS)})
    return _starred(plan, tree, stars) if plan.stars else tree


def _starred(plan: Plan, shown: exp.Select, stars: int) -> exp.Query:
    tree = sql.template("release/rows/starred")
    names = [inner(number) for number in range(len(plan.columns))]
    rows, row = cast("exp.Select", tree.this), cast("exp.Select", tree.expression)
    expand_columns(rows, "shown.value", names)
    if stars == 0:
        return sql.with_relations(rows, {"shown": shown})
    value, count, star = row.expressions
    count = sql.named(exp.Literal.number(stars), "n")
    row.set("expressions", [*(sql.named(value.copy(), name) for name in names), count, star])
    return sql.with_relations(cast("exp.Query", tree), {"shown": shown})


def histogram_statement(plan: Plan, *, persons: bool) -> exp.Select:
    """The statement that gives the sizes of the released classes, in rows or in persons."""
    tree = sql.select("release/rows/histogram")
    inside = tree.args["from_"].this.this
    units(inside, "size", persons=persons)
    expand_columns(inside, "decided.value", plan.labels)
    return _over_decided(tree)


def pseudonyms_statement() -> exp.Select:
    """The statement that gives each person of whom a row is released one of the bound numbers."""
    return _over_decided(sql.select("release/rows/pseudonyms"))


def linked_persons(plan: Plan) -> int:
    """Of how many persons rows in several classes are released."""
    tree = sql.select("release/rows/linkable")
    for inside in tree.find_all(exp.Select):
        if inside.find(exp.Table) is not None and inside.args["from_"].this.name == "decided":
            expand_columns(inside, "decided.value", plan.labels)
    return int(plan.dataset.backend.workspace.rows(Purpose.RELEASE, _over_decided(tree))[0][0])


def suppressed_statement(plan: Plan) -> exp.Select:
    """The statement that counts the released combinations with `*` in every quasi-identifier."""
    tree = sql.select("release/rows/suppressed")
    kept, star = tree.args["where"].this.flatten()
    stars = repeat_fragment(star, "decided.value", plan.labels)
    tree.args["where"].set("this", exp.and_(kept, *stars, copy=False))
    return _over_decided(tree)


def _require_no_suppressed_class(plan: Plan) -> None:
    found = plan.dataset.backend.workspace.rows(Purpose.RELEASE, suppressed_statement(plan))[0][0]
    if found:
        raise InputError(
            f"a released class has {STAR} in every quasi-identifier, so that rows suppressed as {STAR} could not "
            "be distinguished from it",
            where="suppressed: star",
            next_step="Write `suppressed: drop`.",
        )


def _persons_or_rows(tree: exp.Select, plan: Plan) -> exp.Select:
    return tree if plan.entity is not None else without(tree, f"decided.{PERSON}")


def _over_decided(tree: exp.Select) -> exp.Select:
    return sql.with_relations(tree, {"decided": exp.to_table(DECISIONS)})
