"""The plan of a release, and the tables of the workspace that it is made through.

A release is made in four steps, each a table that the next one reads:

    counted    every combination of released values in the dataset, with its rows (table `COUNTED`)
    decided    the same, with whether it is suppressed (table `DECISIONS`)
    sorted     the rows to write, in the order of their own values (table `SORTED`)
    written    the file, or the table of the source, which is measured again by a connection of its own

Where nothing is suppressed and a row is a person, `decided` would be constant and is left out.

The steps after `decided` do not depend on its origin. The code that fills it (`decide.py` for one node; rounds of local
recoding for several; groups of near records) keeps to this contract, and nothing more is read:

* one column for each of `Plan.carried` (quasi-identifiers, sensitive, kept columns, in order), called `inner(0)`,
  `inner(1)`, …, holding the value as it is to be released. A column is of any one type: the source's own where all its
  values are original ones, VARCHAR where levels are mixed, a number's where a group of rows shares its mean.
* `person` where `Plan.entity` is given: the value of the entity column, never released.
* `n`: rows of the dataset that have this combination (of this person). Every row of the dataset is in one combination.
* `suppressed`: TRUE for rows that are not released.

A released class is one for a reader of the release: the released rows that agree on the values of all
quasi-identifiers, whichever round released them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import Sensitive
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.lattice.lattice import Node
from ordermade.requests.model import COUNT

if TYPE_CHECKING:
    from ordermade.requests.model import PseudonymKind

COUNTED = "released"
DECISIONS = "released_decided"
SORTED = "released_sorted"
PERSON = "person"
Shape = Literal["rows", "table"]

IN_MEMORY = "frame"
"""The name of a release that a program got back, as reports and the state have it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A release before it is written.

    `attributes` are generalised to `node` (rounds of local recoding each have a plan of their own node), `kept` columns
    released as they are, in a `shape`. `sensitive` attributes are released as they are, and every class satisfies their
    models. `entity`: the column that identifies persons (never released), `pseudonym`: the column of random ones, of
    the kind `pseudonyms`, released in its stead. Classes smaller than `k` units, or failing a model, are suppressed
    where `suppresses`; suppressed rows stay as `*` where `stars`. `aggregated`: columns in which a group of rows shares
    one value; they are quasi-identifiers too; the method that groups rows fills `DECISIONS`. `by_history`: a class is
    the persons whose rows are the same, each as often; the method that matches the rows fills `SORTED`.
    `count`: the column of a statistical table that counts the units of a class.
    """

    dataset: Dataset
    attributes: tuple[EncodedColumn, ...]
    node: Node
    kept: tuple[str, ...]
    shape: Shape
    sensitive: tuple[Sensitive, ...] = ()
    entity: str | None = None
    pseudonym: str | None = None
    pseudonyms: PseudonymKind = "numbers"
    k: int = 1
    suppresses: bool = False
    stars: bool = False
    local: bool = False
    aggregated: tuple[str, ...] = ()
    by_history: bool = False
    count: str = COUNT

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the request: the generalised ones, then the aggregated ones."""
        return (*(each.column for each in self.attributes), *self.aggregated)

    @property
    def carried(self) -> tuple[str, ...]:
        """Every released column that comes from the dataset, in order."""
        return (*self.quasi_identifiers, *(each.column for each in self.sensitive), *self.kept)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every released column, in order."""
        return self.carried if self.pseudonym is None else (*self.carried, self.pseudonym)

    @property
    def labels(self) -> tuple[str, ...]:
        """The quasi-identifiers' names inside the workspace: what makes a class."""
        return tuple(inner(number) for number in range(len(self.quasi_identifiers)))

    @property
    def values(self) -> tuple[str, ...]:
        """The carried columns' names inside the workspace."""
        return tuple(inner(number) for number in range(len(self.carried)))

    @property
    def decides(self) -> bool:
        """True if there is anything to decide between counting and sorting."""
        return bool(self.suppresses or self.entity or self.stars or self.local or self.aggregated)

    @property
    def checks_classes(self) -> bool:
        """True if classes are held against k and the models before they are written.

        They are where some may be suppressed; and where models count persons, whom the release will not identify.
        """
        return self.suppresses or bool(self.sensitive and self.entity and self.pseudonym is None)


def inner(number: int) -> str:
    """The name of a released column inside the workspace, where `n` is taken."""
    return f"v{number + 1}"


def repeat_fragment(fragment: exp.Expr, stand_in: str, names: Sequence[str]) -> list[exp.Expr]:
    """The fragment of a template once for each name, in place of the column `stand_in` (and of an alias called so)."""
    found = []
    for name in names:
        filled = sql.with_columns(fragment.copy(), {stand_in: name})
        if isinstance(filled, exp.Alias) and filled.alias == stand_in.rpartition(".")[2]:
            filled = sql.named(filled, name)
        found.append(filled)
    return found


def expand_columns(tree: exp.Select, stand_in: str, names: Sequence[str]) -> exp.Select:
    """A SELECT in which every place of a list (of columns, groups, orders) that has the column is there for each name.

    Conditions that have it are joined by AND. Inner queries are left as they are.
    """
    for part in ("expressions", "group", "order"):
        holder = tree if part == "expressions" else tree.args.get(part)
        if holder is not None:
            holder.set("expressions", _spread_list(holder.expressions, stand_in, names))
    if tree.args.get("group") is not None and not tree.args["group"].expressions:
        tree.set("group", None)
    for join in tree.args.get("joins") or []:
        join.set("on", _spread_condition(join.args["on"], stand_in, names, exp.and_))
    where = tree.args.get("where")
    if where is not None:
        where.set("this", _spread_condition(where.this, stand_in, names, exp.and_))
    return tree


def without(tree: exp.Select, *stand_ins: str) -> exp.Select:
    """A SELECT without the places of its lists that have one of these columns."""
    for stand_in in stand_ins:
        expand_columns(tree, stand_in, ())
    return tree


def units(tree: exp.Select, name: str, persons: bool) -> exp.Select:
    """A SELECT that counts rows in the column `name` and persons in `persons`, with the one meant, called `name`."""
    kept = [each for each in tree.expressions if each.alias_or_name != (name if persons else "persons")]
    tree.set("expressions", [sql.named(each, name) if each.alias_or_name == "persons" else each for each in kept])
    return tree


def _spread_list(items: Sequence[exp.Expr], stand_in: str, names: Sequence[str]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for item in items:
        found.extend(repeat_fragment(item, stand_in, names) if _has(item, stand_in) else [item])
    return found


def _spread_condition(
    condition: exp.Expr, stand_in: str, names: Sequence[str], joined: Callable[..., exp.Expr]
) -> exp.Expr:
    parts = list(condition.flatten()) if isinstance(condition, exp.And) else [condition]
    return joined(*_spread_list(parts, stand_in, names), copy=False)


def _has(tree: exp.Expr, stand_in: str) -> bool:
    return any(f"{each.table}.{each.name}" == stand_in for each in tree.find_all(exp.Column))
