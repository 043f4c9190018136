"""A release that was made elsewhere, taken into the ledger: later releases are judged beside it as beside any other.

What was released counts, so a file whose classes are below k is taken in as well, and named; it is never called safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

from ordermade.catalogue.any_table import AnyTable
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.errors import FilterError, HierarchyError, InputError
from ordermade.evaluation.shown_file import ImportOptions, ShownFile, shown_file
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.beside import judged_together
from ordermade.ledger.entries import LedgerEntry, ShownRelease
from ordermade.methods.shared.beside import OWN, BesideEntries, ReleaseOfToday, beside_entries, pools_beside
from ordermade.methods.shared.counted_releases import counted_releases
from ordermade.methods.shared.judged import BesideAnswer
from ordermade.methods.shared.new_entries import new_entry
from ordermade.methods.shared.open_request import RunContext
from ordermade.policies.policy import Policy
from ordermade.privacy.least_k import in_words, shown
from ordermade.records.cards import Card, HasSummary
from ordermade.requests.filter_parser import canonical
from ordermade.requests.filter_tree import Filter
from ordermade.requests.row_filter import row_condition
from ordermade.state import opt_outs
from ordermade.state.audit import add_audit_entry
from ordermade.state.ledger import content_of, ledger_of

METHOD = "import"
"""The method of an entry that was made elsewhere."""


@dataclass(frozen=True, slots=True, repr=False)
class ImportedRelease(HasSummary):
    """A release that was made elsewhere, as the ledger has it now."""

    entry: int
    """The number of its entry."""
    is_new: bool
    """Whether the entry is new; false where the same content was there for the same recipients."""
    dataset: str
    """The dataset."""
    recipients: tuple[str, ...]
    """Who has it; `anyone` where nobody is named."""
    k: int
    """The k that it promises."""
    filter: str | None
    """Its row filter."""
    rows: int
    """The rows that it counts."""
    classes: int
    """Its classes, or published cells."""
    small_classes: int | None
    """Its classes of fewer than k rows; null where these are some, and fewer than k."""
    levels: tuple[str, ...]
    """Its columns with their levels, those at `*` left out."""
    values: tuple[str, ...]
    """The columns that it has values of as they are."""
    agrees: bool | None
    """Whether the data of today have every figure of it; null where its classes are not known."""
    answer: BesideAnswer
    """The judgement on it beside what its recipients have: never `safe` where a class has fewer than k rows."""
    beside: tuple[int, ...] = ()
    """The entries of the ledger that the answer takes."""
    reasons: tuple[str, ...] = ()
    """The reasons, in words."""

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The entry as a card has it."""
        facts = [
            ("entry", f"{self.entry}" if self.is_new else f"{self.entry}, which was there"),
            ("dataset", self.dataset),
            ("for", ", ".join(self.recipients)),
            ("where", self.filter or ""),
            ("rows", f"{self.rows:,} in {self.classes:,} classes" if self.classes else ""),
            ("levels", ", ".join(self.levels)),
            ("values", ", ".join(self.values)),
            ("data of today", {True: "agree", False: "have other figures", None: ""}[self.agrees]),
            ("answer", self.answer),
            ("beside entries", ", ".join(map(str, self.beside))),
            ("because", "; ".join(self.reasons)),
        ]
        return tuple((name, value) for name, value in facts if value)

    @property
    def warning(self) -> str | None:
        """What the provider has to know of it, if it has classes below k."""
        if self.small_classes == 0:
            return None
        number = f"fewer than {self.k:,}" if self.small_classes is None else f"{self.small_classes:,}"
        return f"It is not {self.k:,}-anonymous: {number} of its classes have fewer than {self.k:,} rows."

    def _card(self) -> Card:
        return Card.of("Taken into the ledger", self.facts)


def imported_release(context: RunContext, file: AnyTable, dataset: str, wanted: ImportOptions) -> ImportedRelease:
    """Takes a file into the ledger as a release of a dataset for the recipients of a run, and judges it.

    The audit notes it first. The dataset is counted once to compare its figures, and once more where its recipients
    have others. Raises as `shown_file` does; UnknownName for an unknown dataset, FilterError, StateFault.
    """
    context.progress.step("release")
    with Datasets(context.state, context.limits).open(dataset, context.progress.statement) as opened:
        found = shown_file(file, wanted, opened, context.state, context.limits)
        text, tree = _filter(found.filter, opened)
        own = {each.content_hash: each for each in found.hierarchies}
        context.progress.step("figures")
        found, agrees, alone = _agreeing(found, tree, opened, own)
        entry = _entry(found, text, opened, context)
        answer = _judged(context, opened, found, entry, alone)
    return _report(_added(context, entry, own, file.named), found, agrees, answer, context.recipients)


def _filter(text: str | None, opened: OpenDataset) -> tuple[str | None, Filter | None]:
    """A row filter as the ledger has it, and as a tree. Raises FilterError."""
    if text is None:
        return None, None
    try:
        _, tree = row_condition(text, {each.name: each.type for each in opened.columns}, opened.name)
    except FilterError as error:
        raise FilterError(error.what, where="--where", next_step=error.next_step) from error
    return canonical(tree), tree


def _agreeing(
    found: ShownFile, tree: Filter | None, opened: OpenDataset, own: Mapping[str, Hierarchy]
) -> tuple[ShownFile, bool | None, BesideEntries]:
    """What a file shows, as the data of today have it: with classes left out, where it agrees with them alone so.

    Whether they have its figures, and the judgement on it by itself.
    """
    if found.shown.unjudged:
        return found, None, BesideEntries("undecided", (), (f"it {found.shown.unjudged}",))
    other = BesideEntries("undecided", (), ("its figures are not those of the data of today",), changed=True)
    readings = {OWN: (found.shown, tree)}
    if found.may_drop:
        readings[OWN + 1] = (found.dropping, tree)
    try:
        counted = counted_releases(opened, readings, own)
    except HierarchyError:
        return found, False, other
    figures = counted.figures[OWN]
    if figures is None:
        figures = counted.figures.get(OWN + 1)
        found = found if figures is None else replace(found, shown=found.dropping)
    if figures is None:
        return found, False, other
    try:
        answer = judged_together(figures, counted.together.cells, opened.terms.least_k or found.k).answer
    except InputError as error:  # what programs need is not installed
        return found, True, BesideEntries("undecided", (), (error.what,))
    return found, True, BesideEntries(answer)


def _entry(found: ShownFile, text: str | None, opened: OpenDataset, context: RunContext) -> LedgerEntry:
    with context.state.reading() as connection:
        opted_out = opt_outs.number_of(connection, opened.name)
    recipients = tuple(sorted(context.recipients))
    entry = new_entry(opened, found.shown, recipients, method=METHOD, k=found.k, filter_text=text, opted_out=opted_out)
    known = (entry.dataset, *entry.recipients, text or "", content_of(found.shown))
    return replace(entry, key=f"import {sha256(chr(10).join(known).encode()).hexdigest()}")


def _judged(
    context: RunContext,
    opened: OpenDataset,
    found: ShownFile,
    entry: LedgerEntry,
    alone: BesideEntries,
) -> BesideEntries:
    """The judgement beside what its recipients have; `alone`: that on it by itself, which is never better."""
    if found.small:
        what = f"{in_words(found.small, found.k)} of its classes have fewer than k rows"
        return replace(alone, answer="breach", reasons=(what, *alone.reasons))
    if alone.answer != "safe":
        return alone
    ledger = ledger_of(context.state)
    entries = [each for each in ledger.entries(entry.dataset, entry.dataset_name) if each.key != entry.key]
    pools = pools_beside(context.recipients, opened.terms.policy or Policy(dataset=opened.name), entries)
    release = ReleaseOfToday(opened, found.shown, entry.filter, found.k, entry.opted_out)
    try:
        return beside_entries(release, {each.content_hash: each for each in found.hierarchies}, ledger, pools)[0]
    except InputError as error:  # what programs need is not installed
        return BesideEntries("undecided", (), (error.what,))


def _added(
    context: RunContext, entry: LedgerEntry, own: Mapping[str, Hierarchy], named: str
) -> tuple[LedgerEntry, bool]:
    """The entry as the ledger has it, and whether it is new; one that was destroyed counts again."""
    ledger = ledger_of(context.state)
    with context.state.writing() as connection:
        add_audit_entry(connection, "ledger import", entry.dataset_name, f"{named}: {entry.key}")
    added = ledger.add(entry, own.values())
    if added.id:
        return added, True
    there = next(
        each for each in ledger.entries(entry.dataset, entry.dataset_name, with_classes=False) if each.key == entry.key
    )
    if not there.counts:
        ledger.settle(there.id, "released")
    return there, False


def _report(
    added: tuple[LedgerEntry, bool],
    found: ShownFile,
    agrees: bool | None,
    answer: BesideEntries,
    recipients: tuple[str, ...],
) -> ImportedRelease:
    entry, is_new = added
    release: ShownRelease = found.shown
    return ImportedRelease(
        entry=entry.id,
        is_new=is_new,
        dataset=entry.dataset_name,
        recipients=recipients,
        k=found.k,
        filter=entry.filter,
        rows=found.rows,
        classes=found.classes,
        small_classes=shown(found.small, found.k) if found.small else 0,
        levels=release.levels,
        values=release.values,
        agrees=agrees,
        answer=answer.answer,
        beside=answer.entries,
        reasons=answer.reasons,
    )
