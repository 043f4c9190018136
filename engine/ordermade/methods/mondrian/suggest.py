"""Rules drafted from a dataset: counts of persons, mined rules, and the text of a rules file.

The source only counts; nothing is released, and nothing is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.any_table import column_named, condition_of, require_filter_read
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.registered import described, named_hierarchies
from ordermade.counting.counts import NARROW, Counting, Sensitive, ground_sensitive, length, remaining, units
from ordermade.counting.coverage import figures, require_coverage
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, encode_column, store_keys
from ordermade.counting.frequency_set import count_in_source
from ordermade.counting.numeric_records import NumericEncoding, numbers_statement, pulled
from ordermade.counting.record_tables import MICRODATA
from ordermade.errors import (
    HierarchyError,
    InputError,
    Refused,
    SourceChanged,
    UnknownName,
    quoted,
)
from ordermade.files.yaml_documents import yaml_text
from ordermade.hierarchies.column_types import (
    has_no_text,
    is_date,
    is_number,
    is_text,
    plain,
    without_labels,
)
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.mondrian.algorithm.mining import MinedCombinations, MinedRule, MiningThresholds, in_units, mined
from ordermade.methods.mondrian.rule_wording import Between, Said, Wording, unfit, wording, wording_of_values
from ordermade.policies.enforcement import require_minable
from ordermade.privacy.least_k import AFTER_TOO_FEW, numbered, too_few
from ordermade.progress.waiting import Progress, Silent
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell
from ordermade.release.plan import expand_columns
from ordermade.requests.model import LARGEST_K, SMALLEST_K
from ordermade.requests.numbers import MAX_RULES
from ordermade.requests.read import scalar
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile


@dataclass(frozen=True, slots=True, eq=False)
class RuleCounts:
    """The counts of a dataset: `units` persons (rows, where every row is somebody else's) in all.

    `wordings`: of each column its classes, as rules say them. `items`: the text of each value of the target; one that
    no rule could name has the number -1 in `combinations`.
    """

    units: int
    combinations: MinedCombinations
    wordings: tuple[Wording, ...]
    items: tuple[str | None, ...]


def rule_counts(dataset: Dataset, columns: Sequence[tuple[str, Hierarchy | None]], target: str) -> RuleCounts:
    """The counts of all columns, each with its hierarchy if it has one, and of the target.

    In the source a statement each, for its values alone, one for the persons if there are any, and one for all columns.
    The classes of rules are counted from level 1 up, those of hierarchies that list their values from level 0. Raises
    HierarchyError where one does not cover every value, InputError where rows have no person, SourceChanged.
    """
    persons = None if dataset.entity is None else units(dataset)
    workspace = dataset.backend.workspace
    counted: list[EncodedColumn | Sensitive] = []
    wordings: list[Wording] = []
    for position, (column, hierarchy) in enumerate(columns, start=1):
        if hierarchy is None:
            values = ground_sensitive(dataset, position, column, ())
            counted.append(values)
            wordings.append(wording_of_values(_texts(workspace, values)))
            continue
        attribute = encode_column(dataset, position, column, hierarchy, 0 if hierarchy.enumerated else 1)
        grounding = store_keys(dataset, attribute)
        require_coverage(figures(workspace, attribute), attribute, dataset.least_k)
        counted.append(attribute)
        wordings.append(wording(hierarchy, dataset.type_of(column), grounding))
    items = ground_sensitive(dataset, len(columns) + 1, target, ())
    texts = _texts(workspace, items)
    counting = Counting(tuple(each for each in (*counted, items) if isinstance(each, Sensitive)), dataset.entity)
    count_in_source(dataset, [each for each in counted if isinstance(each, EncodedColumn)], counting)
    if dataset.backend.changed():
        raise SourceChanged("the dataset changed while it was counted", where=dataset.name, next_step="Run it again.")
    combinations = _combinations(workspace, [*counted, items], texts, persons=persons is not None)
    whole = int(combinations.rows.sum()) if persons is None else persons.number
    return RuleCounts(whole, combinations, tuple(wordings), texts)


def _texts(workspace: Executor, values: Sensitive) -> tuple[str | None, ...]:
    """Every value of a column as a text, in the order of their numbers."""
    tree = sql.with_relations(
        expand_columns(sql.select("slices/leaves"), "keys.level", ()), {"keys": exp.to_table(values.values)}
    )
    return tuple(text for _, text in workspace.rows(Purpose.COVERAGE, tree))


def _combinations(
    workspace: Executor, counted: Sequence[EncodedColumn | Sensitive], items: Sequence[str | None], *, persons: bool
) -> MinedCombinations:
    """The frequency set from the workspace; the target is the last column."""
    held = [NumericEncoding(each.cell_column, each.column, "code") for each in counted]
    held.append(NumericEncoding("n", "n", "whole"))
    if persons:
        held.append(NumericEncoding("person", "person", "code"))
    statement = sql.with_relations(numbers_statement(held), {MICRODATA: exp.to_table(NARROW)})
    arrays = pulled(workspace, statement, held, length(workspace, NARROW))
    *cells, target = arrays[: len(counted)]
    named = np.array([bool(text) for text in items], dtype=np.bool_)
    targets = np.where(named[target], target, np.int32(-1))
    return MinedCombinations(tuple(cells), targets, arrays[len(counted)], arrays[-1] if persons else None)


DEFAULTS = MiningThresholds(k=50, support=0.01, lift=1.5, conditions=2)


@dataclass(frozen=True, slots=True)
class RulesOptions:
    """The rules to mine: conditions on the `columns` for a value of the `target`.

    `hierarchies`: the name of a registered one by column; left out, that of the column's own name if it fits. No more
    than `most` rules are returned. `mondrian.mining` defines the thresholds.
    """

    target: str
    columns: Sequence[str]
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    thresholds: MiningThresholds = DEFAULTS
    most: int = 20


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """One rule: the item, its condition on each column, and figures made of counts rounded to multiples of k.

    `persons` (rows, where every row is somebody else's) meet the conditions and have the item.
    """

    item: str
    when: Mapping[str, Said]
    lift: float
    confidence: float
    support: float
    persons: int


@dataclass(frozen=True, slots=True, repr=False)
class Suggestion(HasSummary):
    """The rules drafted from a dataset, best first, of `found` that there are; and the options they were mined with.

    `unit`: the unit of counts, "persons" or "rows"; `everybody`: how many there are, rounded to a multiple of k.
    `hierarchies`: by column, the name of the one whose classes the conditions use.
    """

    dataset: str
    filter: str | None
    target: str
    columns: tuple[str, ...]
    hierarchies: Mapping[str, str]
    thresholds: MiningThresholds
    unit: str
    everybody: int
    found: int
    rules: tuple[SuggestedRule, ...]

    def _card(self) -> Card:
        title = f"Suggestion: {len(self.rules):,} rules for {self.target}"
        return Card.of(title, facts(self), Grid(rule_headings(self), rule_rows(self)))


def suggested(
    state: StateFile,
    limits: Limits,
    dataset: str,
    wanted: RulesOptions,
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> Suggestion:
    """The rules that a dataset suggests.

    Raises InputError for options that do not fit, such as a number without a hierarchy; Refused where fewer than k
    remain; UnknownName, HierarchyError, FilterError, SourceFault, StateFault.
    """
    progress = progress or Silent()
    _check(wanted)
    with state.reading() as connection:
        policy = described(connection, dataset).terms.policy
    if policy is not None:
        require_minable(policy, wanted.thresholds.k, wanted.columns, wanted.target, where)
    with Datasets(state, limits).open(dataset) as found:
        types = {each.name: each.type for each in found.columns}
        condition, text = condition_of(where, types, found.terms, found.name)
        breach = found.terms.of_k(wanted.thresholds.k, found.name)
        if breach is not None:
            raise InputError(breach.what, where="--k", next_step=f"{breach.instead.capitalize()}.")
        resolved = _Resolved.of(state, wanted, types)
        progress.step("frequency set")
        filtered = found.filtered(condition)
        require_filter_read(filtered, condition)
        if filtered.evaluation is not None:
            filtered.evaluation()
        if filtered.guard is not None:
            filtered.guard(filtered)
        units = remaining(filtered, wanted.thresholds.k)
        refusal = too_few(wanted.thresholds.k, units.number, units.called)
        if refusal:
            raise Refused(refusal, where=f"dataset {quoted(found.name)}", next_step=AFTER_TOO_FEW)
        counted = rule_counts(filtered, resolved.columns, resolved.target)
    thresholds, unit = wanted.thresholds, "rows" if found.entity is None else "persons"
    progress.step("rules")
    rules = mined(counted.combinations, [each.levels for each in counted.wordings], thresholds)
    return Suggestion(
        dataset=found.name,
        filter=text,
        target=resolved.target,
        columns=tuple(column for column, _ in resolved.columns),
        hierarchies={column: each.name for column, each in resolved.columns if each is not None},
        thresholds=thresholds,
        unit=unit,
        everybody=in_units(counted.units, thresholds.k) * thresholds.k,
        found=len(rules),
        rules=tuple(_suggested(each, counted, resolved) for each in rules[: wanted.most]),
    )


def _suggested(rule: MinedRule, counted: RuleCounts, resolved: _Resolved) -> SuggestedRule:
    """A rule as a rules file has it, its figures to the digits that they have."""
    when = {
        resolved.columns[each.attribute][0]: counted.wordings[each.attribute].said[each.level][each.number]
        for each in rule.conditions
    }
    item = counted.items[rule.value] or ""
    return SuggestedRule(item, when, round(rule.lift, 2), round(rule.confidence, 4), round(rule.support, 4), rule.both)


@dataclass(frozen=True, slots=True)
class _Resolved:
    """The columns and the target as stored, with the hierarchy of each column that has one."""

    columns: tuple[tuple[str, Hierarchy | None], ...]
    target: str

    @classmethod
    def of(cls, state: StateFile, wanted: RulesOptions, types: Mapping[str, str]) -> _Resolved:
        """Raises InputError for a column that is none, that is named twice, or that rules cannot ask for."""
        target = column_named("--target", wanted.target, list(types))
        if has_no_text(types[target]):
            raise InputError(
                f"the column {quoted(target)} is a {without_labels(types[target])}, which names no item",
                where="--target",
                next_step="Name a column of texts or numbers.",
            )
        columns = _columns(wanted, list(types), target)
        given = {column_named("--hierarchies", each, columns): name for each, name in wanted.hierarchies.items()}
        with state.reading() as connection:
            known = named_hierarchies(connection, {*given.values(), *columns})
        found = ((column, _hierarchy(column, types[column], given.get(column), known)) for column in columns)
        return cls(tuple(found), target)


def _columns(wanted: RulesOptions, names: Sequence[str], target: str) -> list[str]:
    """The columns by their stored names."""
    if not wanted.columns:
        raise InputError("name at least one column", where="--columns", next_step="For example sex,birth.")
    found: list[str] = []
    for each in wanted.columns:
        column = column_named("--columns", each, names)
        if column == target:
            what = f"{quoted(column)} is the target too"
            raise InputError(what, where="--columns", next_step="Leave the target out of --columns.")
        if column in found:
            raise InputError(f"{quoted(column)} is named twice", where="--columns", next_step="Name it once.")
        found.append(column)
    return found


def _hierarchy(column: str, kind: str, name: str | None, known: Mapping[str, Hierarchy]) -> Hierarchy | None:
    """The hierarchy whose classes rules ask for: that of the name, or of the column's if it fits; None for values."""
    where = f"column {quoted(column)}"
    if name is not None:
        if name not in known:
            raise UnknownName("hierarchy", name, known, where="--hierarchies")
        reason = unfit(known[name], kind)
        if reason:
            step = "Name another hierarchy for it, or leave the column out."
            raise HierarchyError(reason, where=f"{where}, hierarchy {quoted(name)}", next_step=step)
        return known[name]
    if column in known and unfit(known[column], kind) is None:
        return known[column]
    if is_text(kind) or plain(kind) == "BOOLEAN":
        return None
    ordered = is_number(kind) or is_date(kind)
    raise InputError(
        f"a column of type {without_labels(kind)} "
        + ("has too many values to ask for each" if ordered else "has no classes to ask for"),
        where=where,
        next_step=f"Name a hierarchy for it: --hierarchies {column}=NAME (`ordermade hierarchy suggest` drafts one)."
        if ordered
        else "Cast it to text in the dataset's query, or leave it out.",
    )


def _check(wanted: RulesOptions) -> None:
    """Raises InputError for an option out of range."""
    thresholds = wanted.thresholds
    for option, sound, what, instead in (
        ("--k", SMALLEST_K <= thresholds.k <= LARGEST_K, f"k is a whole number of at least {SMALLEST_K}", "50"),
        ("--lift", 0 < thresholds.lift < math.inf, "a lift is a number above 0", "1.5"),
        ("--support", 0 < thresholds.support <= 1, "a support is a share, above 0 and at most 1", "0.01"),
        ("--attributes", thresholds.conditions >= 1, "a rule has at least 1 condition", "2"),
        ("--most", 1 <= wanted.most <= MAX_RULES, f"a rules file has 1 to {MAX_RULES:,} rules", "20"),
    ):
        if not sound:
            raise InputError(what, where=option, next_step=f"For example {instead}.")


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""A key that YAML takes for the text that it is; keys are never anything else."""


def draft(suggestion: Suggestion) -> str:
    """The text of a file that `requests.rules.read_rules` reads. Raises ValueError without a rule: no file is empty.

    Like the rules, it reveals nobody: its classes hold k or more, its counts are rounded to multiples of k.
    """
    if not suggestion.rules:
        raise ValueError("a rules file has a rule at least")
    lines = [f"# {line}" for line in _head(suggestion)] + ["rules:"]
    for rule in suggestion.rules:
        when = ", ".join(f"{_key(column)}: {in_yaml(said)}" for column, said in rule.when.items())
        figures = f"lift {rule.lift:g}, confidence {rule.confidence:g}, support {rule.support:g}"
        lines.append(f"  # {figures}: about {rule.persons:,} {suggestion.unit}")
        lines += [f"  - item: {yaml_text(rule.item)}", f"    when: {{{when}}}"]
    return "\n".join(lines) + "\n"


def in_yaml(said: Said) -> str:
    """A condition on a column in YAML: a quoted text, one number or date, or the ends of an interval."""
    if not isinstance(said, Between):
        return yaml_text(said)
    return _end(said.low) if said.low == said.high else f"[{_end(said.low)}, {_end(said.high)}]"


def _end(text: str) -> str:
    return yaml_text(text) if ":" in text else text


def _key(column: str) -> str:
    return column if _PLAIN.fullmatch(column) else yaml_text(column)


def _head(suggestion: Suggestion) -> Iterator[str]:
    thresholds, unit = suggestion.thresholds, suggestion.unit
    yield "First draft of recommendation rules by `ordermade rules suggest`: edit it before it is used."
    yield f"Dataset {yaml_text(suggestion.dataset)}: who has which value of {yaml_text(suggestion.target)}."
    if suggestion.filter is not None:
        yield f"Only rows with {yaml_text(suggestion.filter)}."
    for column in suggestion.columns:
        named = suggestion.hierarchies.get(column)
        classes = "single values" if named is None else f"classes of the hierarchy {yaml_text(named)}"
        yield f"Of {yaml_text(column)} {classes}."
    yield f"Thresholds: lift {thresholds.lift:g}, support {thresholds.support:g}, k of {thresholds.k:,} {unit}."
    rules = f"{len(suggestion.rules):,} of the {suggestion.found:,} rules found"
    most = numbered(thresholds.conditions, "column", "columns")
    yield f"These are {rules} that ask for at most {most}, of the greatest lift."
    rounded = f"Every number of {unit} is rounded to a multiple of {thresholds.k:,}"
    yield f"{rounded}, and all figures are made of such numbers."


def facts(found: Suggestion) -> Iterator[tuple[str, Any]]:
    """The dataset and the thresholds, in a few lines."""
    thresholds = found.thresholds
    yield "dataset", found.dataset
    yield "where", found.filter
    yield "target", found.target
    yield "columns", [f"{each} ({found.hierarchies.get(each, 'values')})" for each in found.columns]
    yield found.unit, f"about {found.everybody:,}"
    yield (
        "thresholds",
        f"lift {cell(thresholds.lift)}, support {cell(thresholds.support)}, k {thresholds.k:,}",
    )
    yield "rules", f"{len(found.rules):,} of {found.found:,}"


def rule_headings(found: Suggestion) -> tuple[str, ...]:
    """The figures of each drafted rule."""
    return ("item", "when", "lift", "confidence", "support", f"{found.unit}, about")


def rule_rows(found: Suggestion) -> list[tuple[Any, ...]]:
    """One row a rule."""
    return [
        (each.item, " and ".join(_when(each.when)), each.lift, each.confidence, each.support, each.persons)
        for each in found.rules
    ]


def _when(when: Mapping[str, Said]) -> Iterator[str]:
    for column, said in when.items():
        if not isinstance(said, Between):
            yield f"{column} {said}"
        else:
            yield f"{column} {said.low}" if said.low == said.high else f"{column} {said.low} to {said.high}"


def condition_in_json(said: Said) -> Any:
    """A condition as a rules file has it: a label, or the least and the greatest value."""
    if not isinstance(said, Between):
        return said
    low, high = (float(end) if isinstance(end, Decimal) else end for end in (scalar(said.low), scalar(said.high)))
    return low if low == high else [low, high]
