"""Judge a release, made by any tool, against its original. Nothing is registered or kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.counting.dataset import Dataset
from ordermade.errors import HierarchyError, InputError, quoted
from ordermade.evaluation.attacks import Attacked, attacked
from ordermade.evaluation.options import (
    BY_ROWS,
    JudgedRoles,
    JudgementOptions,
    ManifestRoles,
    pseudonym_of,
    roles_in_manifest,
    roles_of,
    sold_by,
)
from ordermade.evaluation.pair import (
    JudgedOriginal,
    JudgedRelease,
    count_in_units,
    name_goods,
    read_cells,
    read_original,
    read_release,
)
from ordermade.evaluation.tables import (
    KEPT,
    MAP_READ,
    TRUTH,
    Pair,
    carried,
    drop,
    filled,
    for_numbers,
    keep,
    row,
    workspace,
)
from ordermade.evaluation.utility import UnderstoodItems, UtilityLoss, loss_of, understood
from ordermade.hierarchies.column_types import is_date, is_number
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.loss.shapes import ARTEFACT
from ordermade.privacy.least_k import numbered
from ordermade.progress.waiting import Progress, Silent
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.requests.resolve_history import MAP_ROW
from ordermade.sources.executor import Executor
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.evaluation.utility import Month


@dataclass(frozen=True, slots=True, repr=False)
class Judgement(HasSummary):
    """The findings on a release: how it was read, its losses, its protection, its remaining usefulness.

    `where`: the filter of the original. `classes`: the name of the level of a taxonomy that is released instead of
    items. `price` and `quantity`: the columns whose product are sales. `attacks`: None where none were requested.
    """

    original: str
    release: str
    where: str | None
    roles: JudgedRoles
    pseudonym: str
    classes: str | None
    price: str | None
    quantity: str | None
    released: JudgedRelease
    histories: Histories
    loss: UtilityLoss
    understood: UnderstoodItems
    attacks: tuple[Attacked, ...] | None

    @property
    def safety(self) -> float:
        """1/k."""
        return float(Fraction(1, self.histories.k))

    @property
    def total(self) -> float:
        """U + 1/k; lower is better."""
        return self.loss.total(self.histories.k)

    def _card(self) -> Card:

        attacks = Grid(ATTACK_HEADINGS, attack_rows(self.attacks or ()), "Attempts to find customers")
        return Card.of(
            f"Judgement: total {self.total:.4f} (utility and 1/k, lower is better)",
            facts(self),
            Grid(LOSS_HEADINGS, loss_rows(self), "Utility (mean error of a cell, 0 is none)"),
            attacks,
            Grid(USE_HEADINGS, use_rows(self.understood), "Remaining usefulness"),
        )


@dataclass(frozen=True, slots=True)
class _Classes:
    """The classes that a release names instead of items: the class of each good, and the name of their level."""

    level: str
    of_goods: dict[str, str]
    file: str


def judged(
    original: AnyTable,
    release: AnyTable,
    wanted: JudgementOptions,
    state: StateFile,
    limits: Limits,
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> Judgement:
    """Judge a release against its original; `where`: a row filter of the original.

    Raises InputError (UnknownName, FilterError, HierarchyError) with counts and names of columns only, SourceFault,
    StateFault, ReleaseFault.
    """
    progress = progress or Silent()
    _check_attempts(wanted)
    manifest = roles_in_manifest(release.named)
    classes = _classes(wanted, manifest)
    with workspace(limits, progress) as executor:
        progress.step("original")
        with original.dataset(state, limits, where) as (dataset, text):
            roles = roles_of(wanted, manifest, [each.name for each in dataset.columns])
            price, quantity = sold_by(wanted, roles.numbers)
            read = read_original(dataset, roles, executor)
        _name_goods(executor, classes)
        progress.step("release")
        pseudonym, written = _release(release, wanted, manifest, read, executor, state, limits)
        released = read_cells(executor, release.named, written, read)
        sds = count_in_units(executor, read)
        progress.step("map")
        _truth(wanted, read, released, executor, state, limits)
        found = histories(executor)
        progress.step("utility")
        pair = Pair(executor, roles.numbers, found.customers, released.pseudonyms, found.k)
        return Judgement(
            original=original.named,
            release=release.named,
            where=text,
            roles=replace(roles, units=read.units),
            pseudonym=pseudonym,
            classes=None if classes is None else classes.level,
            price=None if price is None else roles.numbers[price - 1],
            quantity=None if quantity is None else roles.numbers[quantity - 1],
            released=released,
            histories=found,
            loss=loss_of(executor, read, sds, classes=classes is not None),
            understood=understood(pair, price, quantity),
            attacks=attacked(pair, attempts=wanted.attempts, seed=wanted.seed, progress=progress)
            if wanted.attacks
            else None,
        )


def _release(
    release: AnyTable,
    wanted: JudgementOptions,
    manifest: ManifestRoles | None,
    read: JudgedOriginal,
    executor: Executor,
    state: StateFile,
    limits: Limits,
) -> tuple[str, int]:
    """Read the texts of the release; return the column of its pseudonyms and its number of rows."""
    with release.released(state, limits) as dataset:
        names = [each.name for each in dataset.columns]
        columns = [column_named(release.named, each, names) for each in read.roles.released]
        pseudonym = pseudonym_of(wanted, manifest, read.roles, names)
        if pseudonym in columns:
            raise InputError(
                f"{quoted(pseudonym)} is a column of the purchases",
                where="--pseudonym",
                next_step="Name the column of the release that says whose they are.",
            )
        return pseudonym, read_release(dataset, pseudonym, columns, executor)


def _truth(
    wanted: JudgementOptions,
    read: JudgedOriginal,
    released: JudgedRelease,
    executor: Executor,
    state: StateFile,
    limits: Limits,
) -> None:
    """Map each released row to its original row."""
    if wanted.map == BY_ROWS:
        by_rows(executor, read, released)
        return
    with AnyTable(wanted.map).dataset(state, limits) as (dataset, _):
        by_map(dataset, executor, read, released)


def _name_goods(executor: Executor, classes: _Classes | None) -> None:
    missing = name_goods(executor, None if classes is None else classes.of_goods)
    if classes is not None and missing:
        raise HierarchyError(
            f"{numbered(missing, 'item of the original is', 'items of the original are')} not in the taxonomy",
            where=classes.file,
            next_step="Add them: `ordermade taxonomy check` lists them to the provider.",
        )


def _classes(wanted: JudgementOptions, manifest: ManifestRoles | None) -> _Classes | None:
    """The classes that the release names, from the file of a taxonomy; None where it names items.

    Raises HierarchyError, InputError where the manifest has classes and no taxonomy is given.
    """
    if wanted.taxonomy is None:
        if wanted.level is not None:
            raise InputError(
                "there is no taxonomy to have such a level",
                where="--level",
                next_step="Give its file with --taxonomy, or leave --level out.",
            )
        if manifest is not None and manifest.level is not None:
            raise InputError(
                "the release names categories of items, as its manifest says",
                where="--taxonomy",
                next_step="Give the file of the taxonomy that it was made with.",
            )
        return None
    file = str(wanted.taxonomy)
    hierarchy = read_hierarchy(wanted.taxonomy, wanted.taxonomy.stem).hierarchy
    if not isinstance(hierarchy, ExplicitHierarchy):
        raise HierarchyError(
            "a taxonomy lists the category of each item, and this has a rule", where=file, next_step="List the items."
        )
    in_manifest = manifest.level if manifest is not None else None
    requested = next(level for level in (wanted.level, in_manifest, 1) if level is not None)
    level = hierarchy.level_number(requested)
    if level is None or not 0 < level < hierarchy.top:
        known = ", ".join(f"{number} ({hierarchy.levels[number].name})" for number in range(1, hierarchy.top))
        raise InputError(
            f"the taxonomy has no level {requested} of categories",
            where="--level",
            next_step=f"Known: {known or 'none'}.",
        )
    labels = dict(zip(hierarchy.leaves, hierarchy.labels[level - 1], strict=True))
    return _Classes(
        level=hierarchy.levels[level].name,
        of_goods={leaf: label for leaf, label in labels.items() if leaf is not None},
        file=file,
    )


def _check_attempts(wanted: JudgementOptions) -> None:
    if wanted.attempts is not None and not wanted.attacks:
        raise InputError(
            "no attack is run that could have attempts", where="--attempts", next_step="Leave it or --no-attacks out."
        )
    if wanted.attempts is not None and wanted.attempts < 1:
        raise InputError("an attack has at least one attempt", where="--attempts", next_step="For example 100.")


LOSS_HEADINGS = ("column", "U", "deleted cells", "without the truth")
ATTACK_HEADINGS = ("by", "attempts", "hits", "1/k predicts", "at most", "", "unsafe from", "verdict")
USE_HEADINGS = ("what", "after", "of")
MONTH_HEADINGS = ("month", "before", "after", "share of after")


def facts(found: Judgement) -> Iterator[tuple[str, Any]]:
    """The judged release, and the figures of the contest."""
    loss, histories = found.loss, found.histories
    yield "original", found.original
    yield "where", found.where
    yield "release", found.release
    yield "rows", f"{loss.records:,}, of which {loss.deleted_rows:,} deleted ({_percent(loss.deleted_share)})"
    yield "customers", f"{histories.customers:,}, of whom {histories.named:,} in the release"
    if found.released.pseudonyms != histories.named:
        yield "pseudonyms", found.released.pseudonyms
    if found.classes is not None:
        yield "items", f"as categories: {found.classes}"
    yield "k", histories.k
    sizes = f"{histories.k:,}" + (f" to {histories.largest:,}" if histories.largest != histories.k else "")
    yield "histories", f"{histories.histories:,}, each of {sizes} customers"
    yield "utility U", _figure(loss.utility)
    if loss.utility_as_categories is not None:
        yield "U as scored in the paper", _figure(loss.utility_as_categories)
    yield "safety 1/k", _figure(found.safety)
    yield "total", _figure(found.total)


def loss_rows(found: Judgement) -> list[tuple[Any, ...]]:
    """The utility of each column, and the fate of its cells."""
    return [(each.name, _figure(each.utility), each.deleted, each.untrue) for each in found.loss.columns]


def attack_rows(attacks: Sequence[Attacked]) -> list[tuple[Any, ...]]:
    """Each attack, its hits beside what 1/k predicts, and the verdict of the threshold table."""
    return [
        (
            each.name,
            each.attempts,
            each.hits,
            round(each.expected, 1),
            round(each.most, 1),
            "within" if each.within else "MORE",
            each.unsafe_from,
            "unsafe" if each.unsafe else "safe",
        )
        for each in attacks
    ]


def use_rows(use: UnderstoodItems) -> list[tuple[str, str, str]]:
    """Common analyses of purchases, and the share of each that the release preserves."""
    rows = []
    if use.sales_kept is not None:
        rows.append(("sales, by the middle of each cell", _percent(use.sales_kept), "100 %"))
    rows += [(f"the {each.most} items sold most", f"{each.found}", f"{each.most}") for each in use.most_sold]
    segments = use.segments
    fifths = (
        ("recency", segments.recency),
        ("frequency", segments.frequency),
        ("monetary value", segments.monetary),
        ("all of these", segments.all_of_them),
    )
    rows += [
        (f"customers in the same fifth by {name}", _percent(share), f"{segments.customers:,}")
        for name, share in fifths
        if share is not None
    ]
    return rows


def month_rows(months: Sequence[Month]) -> list[tuple[str, ...]]:
    """Each month's sales before and after, and its share of all released sales."""
    released = sum(each.after for each in months) or 1
    return [
        (each.month, _percent(each.before), _percent(each.after), _percent(each.after / released)) for each in months
    ]


def notes(found: Judgement) -> Iterator[str]:
    """Notes on the limits of these figures."""
    if found.loss.untrue:
        yield (
            f"\n{found.loss.untrue:,} released cells do not hold the truth; they are scored by the same formula, which "
            "is made for cells that do."
        )
    if found.loss.utility_as_categories is not None:
        yield f"\n{ARTEFACT}"
    if found.understood.months is None:
        yield "\nNo sales are computed: they need a price and a quantity among the numbers (--price, --quantity)."


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


MAPPED, COPIES = "mapped", "copies"


@dataclass(frozen=True, slots=True)
class Histories:
    """The different histories of a release, and the customers who share one: `k` at least, `largest` at most.

    `customers`: of the original; `named`: those of them who are in the release.
    """

    k: int
    histories: int
    largest: int
    customers: int
    named: int


def by_rows(executor: Executor, original: JudgedOriginal, released: JudgedRelease) -> None:
    """Map each released row to the original row at the same place. Raises InputError."""
    if released.written != original.records:
        raise InputError(
            f"the release has {released.written:,} rows and the original {original.records:,}",
            where="--map rows",
            next_step="Row for row there are as many of each, deleted ones as *; else give the path of a map.",
        )
    keep(executor, KEPT, filled("judging/map/kept_by_row"))


def by_map(dataset: Dataset, executor: Executor, original: JudgedOriginal, released: JudgedRelease) -> None:
    """Map each released row to its original row by a map file.

    Raises InputError, with counts only, where the map does not fit both; UnknownName for columns that it lacks.
    """
    _read_map(dataset, executor, original)
    keep(
        executor, MAPPED, _in_original(filled("judging/map/mapped", places=original.places), original), original.unit_of
    )
    keep(executor, COPIES, filled("judging/map/copies", places=original.places))
    drop(executor, MAP_READ)
    keep(executor, KEPT, filled("judging/map/kept_by_map", places=original.places))
    counted = row(executor, filled("judging/map/map_lines"))
    found = int(row(executor, filled("judging/map/kept_lines"))["kept"])
    drop(executor, MAPPED, COPIES)
    rows, named, there = (int(counted[each]) for each in ("rows", "named", "there"))
    wrong = (
        (
            rows - named,
            "row of the map names",
            "rows of the map name",
            "no row of the release by its number, or one that another names too",
        ),
        (
            named - there,
            "row of the map names",
            "rows of the map name",
            "rows that the release does not have, or that are deleted there",
        ),
        (released.rows - there, "row of the release is", "rows of the release are", "not in the map"),
        (rows - found, "row of the map is", "rows of the map are", "not in the original, or more often than there"),
    )
    for number, one, many, what in wrong:
        if number:
            raise InputError(
                f"{numbered(number, one, many)} {what}",
                where=dataset.name,
                next_step="Give the map of this release and the original with the same --where as when it was made.",
            )


def histories(executor: Executor) -> Histories:
    """Map each pseudonym to its customer (stored as `TRUTH`), and return the k of the release.

    Raises InputError where a pseudonym stands for several customers.
    """
    keep(executor, TRUTH, filled("judging/map/truth"))
    shared = int(row(executor, filled("judging/map/shared_pseudonyms"))["shared"])
    if shared:
        raise InputError(
            f"{numbered(shared, 'pseudonym stands', 'pseudonyms stand')} for several customers of the original",
            where="--map",
            next_step="A pseudonym is one customer's: see that map, release and --pseudonym belong together.",
        )
    found = {name: int(value) for name, value in row(executor, filled("judging/map/shared_histories")).items()}
    return Histories(found["k"], found["histories"], found["largest"], found["customers"], found["named"])


def _read_map(dataset: Dataset, executor: Executor, original: JudgedOriginal) -> None:
    columns = [each.name for each in dataset.columns]
    roles = original.roles
    named = {name: column_named("--map", name, columns) for name in (roles.customer, *roles.released)}
    tree = sql.with_columns(
        filled("judging/map/map"),
        {
            "dataset.id": named[roles.customer],
            "dataset.qi": named[roles.item],
            "dataset.moment": named[roles.when],
            "dataset.line": column_named("--map", MAP_ROW, columns),
        },
    )
    carried(dataset, for_numbers(tree, [named[each] for each in roles.numbers], "measured", 2), executor, MAP_READ)


def _in_original(tree: exp.Select, original: JudgedOriginal) -> exp.Select:
    """The tree with customers and items of the map read as the columns of the original are, so that 7 is 7.0 there."""
    types = {
        "customer": original.types[original.roles.customer],
        "item": original.types[original.roles.item],
    }
    for cast in list(tree.find_all(exp.TryCast)):
        kind = types.get(cast.this.name)
        if kind is not None:
            typed = kind if is_number(kind) or is_date(kind) else "VARCHAR"
            cast.set("to", exp.DataType.build(typed, dialect=sql.DIALECT))
    return tree
