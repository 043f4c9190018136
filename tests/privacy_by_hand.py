"""Privacy models decided by hand, in fractions and whole numbers, and the tables that the templates decide them by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, product
from math import prod

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.explicit import ExplicitHierarchy, ListedLevel, explicit_hierarchy
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from ordermade.privacy.statements import (
    Counts,
    extremes_statement,
    failing_statement,
    figures_statement,
    keepable_statement,
)

Value = int | str | None
Classes = Mapping[int, Counter[Value]]
"""The values of a sensitive attribute in each class, with the rows (or distinct persons) that have them."""
Ancestors = Mapping[Value, tuple[str, ...]]
"""What each value is at each level of a hierarchy, from level 0 up to the last one below `*`."""


def ranked(values: object) -> list[Value]:
    """The values in their order, NULL last."""
    return sorted(values, key=lambda value: (value is None, value))  # type: ignore[call-overload, no-any-return]


def whole_of(classes: Classes) -> Counter[Value]:
    """The values of all classes together."""
    return sum(classes.values(), Counter())


def nested(ancestors: Ancestors) -> ExplicitHierarchy:
    """The hierarchy that places values as `ancestors` does."""
    leaves = list(ancestors)
    heights = len(next(iter(ancestors.values())))
    given = [ListedLevel(None, tuple(ancestors[leaf][level] for leaf in leaves)) for level in range(1, heights)]
    texts = [None if leaf is None else str(leaf) for leaf in leaves]
    top = ListedLevel(None, ("*",) * len(leaves))
    return explicit_hierarchy("nested", texts, [*given, top])[0]


def equal_distance(part: Counter[Value], whole: Counter[Value]) -> Fraction:
    """Half the sum over all values of how far the shares differ."""
    return Fraction(sum(map(abs, _differences(part, whole, list(whole)))), 2 * part.total() * whole.total())


def ordered_distance(part: Counter[Value], whole: Counter[Value]) -> Fraction:
    """The mean over the ranks but the last of how far the shares up to the rank differ."""
    up_to = list(accumulate(_differences(part, whole, ranked(whole))))[:-1]
    return Fraction(sum(map(abs, up_to)), max(1, len(up_to)) * part.total() * whole.total())


def hierarchical_distance(part: Counter[Value], whole: Counter[Value], ancestors: Ancestors) -> Fraction:
    """The least work of moving units from one value to another, over the levels: the mean of the levels' distances."""
    levels = len(next(iter(ancestors.values())))
    apart = Fraction(0)
    for level in range(levels):
        branches: list[Counter[Value]] = [Counter(), Counter()]
        for branch, counts in zip(branches, (part, whole), strict=True):
            for value, n in counts.items():
                branch[ancestors[value][level]] += n
        apart += equal_distance(*branches)
    return apart / levels


def passes(
    model: Model,
    part: Counter[Value],
    whole: Counter[Value],
    ancestors: Ancestors | None = None,
    size: int | None = None,
) -> bool:
    """Whether a class passes, decided without rounding. `size`: its persons, where values of a person overlap."""
    counts = sorted(part.values(), reverse=True)
    match model:
        case DistinctL(l=least):
            return len(counts) >= least
        case EntropyL(l=least):
            total = sum(counts)
            # H >= ln l, times the size of the class, and exponentiated.
            return total**total * least.denominator**total >= least.numerator**total * prod(n**n for n in counts)
        case RecursiveCL(c=times, l=place):
            return counts[0] < times * sum(counts[place - 1 :])
        case TCloseness():
            return distance(model, part, whole, ancestors) <= model.t
        case AlphaK(alpha=share):
            return Fraction(counts[0], size or sum(counts)) <= share
    raise AssertionError(model)


def distance(model: TCloseness, part: Counter[Value], whole: Counter[Value], ancestors: Ancestors | None) -> Fraction:
    """The distance that the model asks of."""
    if model.distance == "equal":
        return equal_distance(part, whole)
    if model.distance == "ordered":
        return ordered_distance(part, whole)
    assert ancestors is not None
    return hierarchical_distance(part, whole, ancestors)


def failing(
    model: Model,
    classes: Classes,
    ancestors: Ancestors | None = None,
    whole: Counter[Value] | None = None,
    sizes: Mapping[int, int] | None = None,
) -> set[int]:
    """The classes that fail."""
    everything = whole_of(classes) if whole is None else whole
    return {
        number
        for number, part in classes.items()
        if not passes(model, part, everything, ancestors, sizes[number] if sizes else None)
    }


def largest_part(model: Model, part: Counter[Value], whole: Counter[Value], ancestors: Ancestors | None = None) -> int:
    """The most units of a class that satisfy the model together: every part of it tried, large ones first."""
    values = list(part)
    choices = sorted(product(*(range(part[value] + 1) for value in values)), key=sum, reverse=True)
    parts = (Counter({value: n for value, n in zip(values, chosen, strict=True) if n}) for chosen in choices)
    return next((each.total() for each in parts if each and passes(model, each, whole, ancestors)), 0)


def merged(classes: Classes, into: Mapping[int, int]) -> dict[int, Counter[Value]]:
    """The classes of a coarser node: class `number` becomes part of class `into[number]`."""
    coarser: dict[int, Counter[Value]] = defaultdict(Counter)
    for number, part in classes.items():
        coarser[into[number]] += part
    return dict(coarser)


@dataclass(frozen=True)
class Asked:
    """The tables of one sensitive attribute, asked through the templates."""

    connection: duckdb.DuckDBPyConnection
    counts: Counts

    def failing(self, model: Model) -> set[int]:
        """The classes that fail."""
        return {row[0] for row in self._rows(failing_statement(model, self.counts))}

    def figures(self, model: Model) -> dict[int, float]:
        """The figure of each class."""
        return {row[0]: float(row[1]) for row in self._rows(figures_statement(model, self.counts))}

    def keepable(self, model: Model) -> dict[int, int]:
        """The bound of each class on the units of it that finer nodes keep."""
        return {row[0]: int(row[1]) for row in self._rows(keepable_statement(model, self.counts))}

    def extremes(self, model: Model) -> tuple[float | None, float | None]:
        """The least and the greatest figure."""
        ((least, greatest),) = self._rows(extremes_statement(model, self.counts))
        return least, greatest

    def _rows(self, tree: exp.Expr) -> list[tuple[int, ...]]:
        return self.connection.execute(sql.text(tree)).fetchall()


def asked_of(
    connection: duckdb.DuckDBPyConnection,
    classes: Classes,
    ancestors: Ancestors | None = None,
    whole: Counter[Value] | None = None,
    sizes: Mapping[int, int] | None = None,
) -> Asked:
    """The classes as tables of `connection`; values are numbered by rank, branches of the hierarchy as they come."""
    everything = whole_of(classes) if whole is None else whole
    number_of = {value: number for number, value in enumerate(ranked(everything))}
    numbered: dict[str, int] = {}
    table = {
        "class_value": [(each, number_of[value], n) for each, part in classes.items() for value, n in part.items()],
        "table_value": [(number_of[value], n) for value, n in everything.items()],
        "value_level": [
            (number_of[value], level, numbered.setdefault(label, len(numbered)))
            for value in everything
            for level, label in enumerate((ancestors or {}).get(value, ()))
        ],
        "class_size": list((sizes or {}).items()),
        "missing_value": [(number,) for value, number in number_of.items() if value is None],
    }
    columns = {
        "class_value": ("class", "value", "n"),
        "table_value": ("value", "n"),
        "value_level": ("value", "level", "ancestor"),
        "class_size": ("class", "size"),
        "missing_value": ("value",),
    }
    for name, rows in table.items():
        _write(connection, name, columns[name], rows)
    return Asked(
        connection,
        Counts(
            exp.to_table("class_value"),
            exp.to_table("table_value"),
            exp.to_table("value_level") if ancestors else None,
            exp.to_table("class_size") if sizes else None,
            exp.to_table("missing_value"),
        ),
    )


def _write(
    connection: duckdb.DuckDBPyConnection, name: str, columns: Sequence[str], rows: Sequence[tuple[int, ...]]
) -> None:
    kinds = ", ".join(f"{column} BIGINT" for column in columns)
    connection.execute(f"CREATE OR REPLACE TABLE {name} ({kinds})")
    if rows:
        written = ", ".join(str(row).replace(",)", ")") for row in rows)
        connection.execute(f"INSERT INTO {name} VALUES {written}")


def _differences(part: Counter[Value], whole: Counter[Value], values: Sequence[Value]) -> list[int]:
    """How far the shares of each value differ, in whole numbers: times the units of the part and those of the whole."""
    ours, every = part.total(), whole.total()
    return [part[value] * every - whole[value] * ours for value in values]
