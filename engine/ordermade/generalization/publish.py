"""From the chosen node to a measured release: written, counted independently, published, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ordermade import __version__, sql
from ordermade.generalization.measurement import require_unchanged
from ordermade.generalization.question import Question
from ordermade.generalization.result import ReleaseReport
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Version, version_statement
from ordermade.release.columns import Plan, count_classes, nearly_unique, written_statement
from ordermade.release.files import ending_of, partial, publish, sha256_of, write_statement
from ordermade.release.into_source import IntoTable, write_table
from ordermade.release.manifest import Manifest
from ordermade.release.measure import check_measured, measure_file
from ordermade.requests.model import SourceTable
from ordermade.sources.door import Purpose
from ordermade.sources.open import expanded
from ordermade.sources.workspace import Limits, SpillFolder
from ordermade.state.records import NewRelease, ReleaseColumn


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be released: the node, its observation, its losses, of which request and dataset version."""

    request_id: int
    node: Node
    observation: Observation
    losses: Mapping[str, float | int | None]
    version: Version


@dataclass(frozen=True, slots=True)
class Published:
    """A release that is out: where, what the state notes of it, and warnings for the user."""

    report: ReleaseReport
    record: NewRelease
    warnings: tuple[str, ...]


def release(question: Question, attributes: tuple[Attribute, ...], chosen: Chosen, limits: Limits) -> Published:
    """Writes the release, measures it again with a connection of its own, and gives it its name.

    Raises ReleaseFault (nothing is left behind), SourceChanged, InputError.
    """
    request = question.read.request
    plan = Plan(question.dataset, attributes, chosen.node, question.resolved.keep, request.release.shape)
    count_classes(plan)
    warnings = _warnings(plan, chosen.observation.rows)
    if isinstance(request.release.to, SourceTable):
        report = _into_source(question, plan, chosen, limits, request.release.to.table)
    else:
        report = _into_file(question, plan, chosen, limits, Path(request.release.to))
    return Published(report, _record(question, plan, chosen, report), warnings)


def _into_file(question: Question, plan: Plan, chosen: Chosen, limits: Limits, path: Path) -> ReleaseReport:
    ending, k = ending_of(path), question.read.request.k
    with partial(path) as beside:
        write = write_statement(written_statement(plan), beside, ending)
        question.opened.backend.workspace.rows(Purpose.RELEASE, write)
        found = measure_file(beside, plan.generalised, plan.shape, limits, ending=ending)
        check_measured(found, chosen.observation, k, where=str(path))
        require_unchanged(question)
        sha256 = sha256_of(beside)
        replaced = sha256_of(path) if path.exists() else None
        publish(beside, path, _manifest(question, plan, chosen, sha256, replaced).text())
    return ReleaseReport(str(path), sha256, _released_rows(plan, found))


def _into_source(question: Question, plan: Plan, chosen: Chosen, limits: Limits, table: str) -> ReleaseReport:
    k, source = question.read.request.k, question.opened.source
    with SpillFolder() as private:
        staged = private.path / "staged.parquet"
        write = write_statement(written_statement(plan), staged, ".parquet")
        question.opened.backend.workspace.rows(Purpose.RELEASE, write)
        check_measured(
            measure_file(staged, plan.generalised, plan.shape, limits),
            chosen.observation,
            k,
            where=f"table {table}",
        )
        into = IntoTable(
            database=Path(expanded(source.location)),
            table=table,
            staged=staged,
            quasi_identifiers=plan.generalised,
            shape=plan.shape,
            version_statement=version_statement(question.dataset),
            version=chosen.version,
        )
        question.opened.backend.close()
        name = write_table(into, chosen.observation, k, limits.memory)
    return ReleaseReport(f"{source.name}.{name}", None, _released_rows(plan, chosen.observation))


def _released_rows(plan: Plan, observation: Observation) -> int:
    return observation.rows if plan.shape == "rows" else observation.divisions


def _warnings(plan: Plan, rows: int) -> tuple[str, ...]:
    return tuple(
        f"the kept column '{column}' is nearly unique: {single} of {rows} rows have a value of their own; "
        "whoever knows the value finds the person. Generalise it, or leave it out."
        for column, _, single in nearly_unique(plan)
        if single * 2 > rows
    )


def _record(question: Question, plan: Plan, chosen: Chosen, report: ReleaseReport) -> NewRelease:
    names = question.level_names(chosen.node)
    columns = [
        ReleaseColumn(column, "quasi-identifier", level, names[column])
        for column, level in zip(plan.generalised, chosen.node, strict=True)
    ]
    columns += [ReleaseColumn(column, "keep") for column in plan.kept]
    is_file = report.sha256 is not None
    return NewRelease(
        kind=f"{'file' if is_file else 'table'} of {'rows' if plan.shape == 'rows' else 'classes'}",
        path=str(Path(report.path).absolute()) if is_file else None,
        table_name=None if is_file else report.path,
        sha256=report.sha256,
        rows=report.rows,
        k=chosen.observation.k,
        divisions=chosen.observation.divisions,
        suppressed_rows=0,
        columns=tuple(columns),
        losses={name: float(value) for name, value in chosen.losses.items() if value is not None},
    )


def _manifest(question: Question, plan: Plan, chosen: Chosen, sha256: str, replaced: str | None) -> Manifest:
    names = question.level_names(chosen.node)
    levels: list[dict[str, Any]] = [
        {
            "column": each.column,
            "hierarchy": each.hierarchy.name,
            "level": level,
            "level_name": names[each.column],
            "level_hash": each.hierarchy.levels[level].content_hash,
        }
        for each, level in zip(plan.attributes, chosen.node, strict=True)
    ]
    ledgers = (*question.opened.backend.door.ledger, *question.opened.backend.workspace.ledger)
    return Manifest(
        engine_version=__version__,
        released_at=datetime.now(UTC).isoformat(timespec="seconds"),
        request=question.read.request.model_dump(mode="json", by_alias=True, exclude_none=True),
        request_id=chosen.request_id,
        dataset=question.opened.name,
        dataset_version={
            "rows": chosen.version.rows,
            "hash_sum": str(chosen.version.hash_sum),
            "columns_hash": chosen.version.columns_hash,
        },
        quasi_identifiers=levels,
        kept=plan.kept,
        shape=plan.shape,
        k=chosen.observation.k,
        divisions=chosen.observation.divisions,
        rows=_released_rows(plan, chosen.observation),
        suppressed_rows=0,
        loss=chosen.losses,
        sha256=sha256,
        replaced_sha256=replaced,
        sql=[each.text for each in ledgers if each.purpose is Purpose.RELEASE] + [sql.text(written_statement(plan))],
    )
