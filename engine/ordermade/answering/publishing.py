"""From what is to be released to a measured release: written, counted independently, published, or nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ordermade.answering.question import require_unchanged
from ordermade.answering.released import Draft, manifest, record
from ordermade.answering.result import ReleaseReport
from ordermade.measuring.dataset import version_statement
from ordermade.release.columns import nearly_unique, written_statement
from ordermade.release.files import ending_of, partial, publish, sha256_of, write_statement
from ordermade.release.into_source import IntoTable, write_table
from ordermade.release.measure import Expected, Reading, Written, check_measured, measure_file
from ordermade.release.measure_models import Told, distribution
from ordermade.release.plan import Plan
from ordermade.release.settle import Settled, linked_persons
from ordermade.requests.model import SourceTable
from ordermade.sources.door import Purpose
from ordermade.sources.open import expanded
from ordermade.sources.workspace import Limits, SpillFolder
from ordermade.state.release_records import NewRelease


@dataclass(frozen=True, slots=True)
class Published:
    """A release that is out: where, what the state notes of it, and warnings for the user."""

    report: ReleaseReport
    record: NewRelease
    warnings: tuple[str, ...]


def published(draft: Draft, limits: Limits) -> Published:
    """Writes what is in the table `SORTED`, measures it again with a connection of its own, and gives it its name.

    Raises ReleaseFault (nothing is left behind), SourceChanged, InputError.
    """
    warnings = tuple(_warnings(draft.plan, draft.settled))
    target = draft.question.read.request.release.to
    if isinstance(target, SourceTable):
        report, written = _into_source(draft, limits, target.table)
    else:
        report, written = _into_file(draft, limits, Path(target))
    return Published(report, record(draft, report, written), warnings)


def _reading(plan: Plan, settled: Settled) -> Reading:
    """How the release is measured once it is written: with the distributions that its models need."""
    told: tuple[Told, ...] = ()
    if plan.entity is None or plan.pseudonym is not None:
        workspace = plan.dataset.backend.workspace
        told = tuple(
            Told(each.column, each.value_type, each.models, distribution(workspace, each)) for each in plan.sensitive
        )
    starred = plan.columns if settled.stars else ()
    return Reading(plan.quasi_identifiers, plan.shape, starred, plan.pseudonym, told, plan.by_history)


def _expected(plan: Plan, settled: Settled) -> Expected:
    rows = settled.rows if plan.shape == "rows" else settled.told.divisions
    return Expected(settled.told, plan.k, rows, settled.stars)


def _into_file(draft: Draft, limits: Limits, path: Path) -> tuple[ReleaseReport, Written]:
    question, plan, settled = draft.question, draft.plan, draft.settled
    ending = ending_of(path)
    with partial(path) as beside:
        write = write_statement(written_statement(plan), beside, ending)
        question.opened.backend.workspace.rows(Purpose.RELEASE, write)
        found = measure_file(beside, _reading(plan, settled), limits, ending=ending)
        check_measured(found, _expected(plan, settled), where=str(path))
        require_unchanged(question)
        sha256 = sha256_of(beside)
        replaced = sha256_of(path) if path.exists() else None
        publish(beside, path, manifest(draft, found, sha256, replaced).text())
    return _report(draft, str(path), sha256), found


def _into_source(draft: Draft, limits: Limits, table: str) -> tuple[ReleaseReport, Written]:
    question, plan, source = draft.question, draft.plan, draft.question.opened.source
    reading, expected = _reading(plan, draft.settled), _expected(plan, draft.settled)
    with SpillFolder() as private:
        staged = private.path / "staged.parquet"
        write = write_statement(written_statement(plan), staged, ".parquet")
        question.opened.backend.workspace.rows(Purpose.RELEASE, write)
        found = measure_file(staged, reading, limits)
        check_measured(found, expected, where=f"table {table}")
        into = IntoTable(
            database=Path(expanded(source.location)),
            table=table,
            staged=staged,
            reading=reading,
            version_statement=version_statement(question.dataset),
            version=draft.told.version,
        )
        question.opened.backend.close()
        name = write_table(into, expected, limits.memory)
    return _report(draft, f"{source.name}.{name}", None), found


def _report(draft: Draft, where: str, sha256: str | None) -> ReleaseReport:
    settled = draft.settled
    return ReleaseReport(
        path=where,
        sha256=sha256,
        rows=draft.rows,
        star_rows=settled.star_rows,
        suppressed_rows=settled.suppressed_rows,
        persons=settled.persons,
        suppressed_persons=settled.suppressed_persons,
    )


def _warnings(plan: Plan, settled: Settled) -> list[str]:
    rows = settled.rows + settled.star_rows
    found = [
        f"the kept column '{column}' is nearly unique: {single} of {rows} rows have a value of their own; "
        "whoever knows the value finds the person. Generalise it, or leave it out."
        for column, _, single in nearly_unique(plan)
        if single * 2 > rows
    ]
    # Of histories nothing is linked that is not counted: their classes are of all rows of a person together.
    if plan.pseudonym is not None and not plan.by_history and (linked := linked_persons(plan)):
        found.append(
            f"the pseudonym '{plan.pseudonym}' links the rows of a person, and {linked} of {settled.persons} persons "
            "are in several classes: k counts the persons of each class, not of each combination of classes. "
            "Whoever knows several rows of a person may find them; leave the pseudonym out, or ask of one row a person."
        )
    if plan.stars and settled.suppressed_rows and not settled.stars:
        found.append(
            f"the {settled.suppressed_rows} withheld row(s) were dropped: they are fewer than k, too few to stay as *."
        )
    return found
