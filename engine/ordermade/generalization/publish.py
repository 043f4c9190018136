"""From the chosen node to a measured release: written, counted independently, published, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ordermade.errors import ReleaseMismatch
from ordermade.generalization.full_domain import certain_observations
from ordermade.generalization.goal import Goal
from ordermade.generalization.measurement import Measurement, require_unchanged
from ordermade.generalization.question import Question
from ordermade.generalization.released import Making, manifest, record
from ordermade.generalization.result import ReleaseReport
from ordermade.lattice.node import Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.requirement import Requirement
from ordermade.loss.losses import losses
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Version, version_statement
from ordermade.measuring.sensitive import Sensitive
from ordermade.release.columns import count_classes, nearly_unique, sort_classes, written_statement
from ordermade.release.decide import decide
from ordermade.release.files import ending_of, partial, publish, sha256_of, write_statement
from ordermade.release.into_source import IntoTable, write_table
from ordermade.release.measure import Expected, Reading, Written, check_measured, measure_file
from ordermade.release.measure_models import Told, distribution
from ordermade.release.plan import Plan
from ordermade.release.settle import Settled, linked_persons, settle
from ordermade.requests.model import SourceTable
from ordermade.sources.door import Purpose
from ordermade.sources.open import expanded
from ordermade.sources.workspace import Limits, SpillFolder
from ordermade.state.release_records import NewRelease


@dataclass(frozen=True, slots=True)
class LocalRecoding:
    """How a release of mixed levels came about: its rounds, for the manifest. They have filled the table `DECIDED`."""

    rounds: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is to be released: the node, its observation, its losses, of which request and dataset version.

    `requirement`: what it passed. `sensitive`: the sensitive attributes, grounded. `local`: where its rows are at
    several nodes; `node` is then that of the first round, `observation` of the classes of all.
    """

    request_id: int
    node: Node
    observation: Observation
    losses: Mapping[str, float | int | None]
    version: Version
    requirement: Requirement
    sensitive: tuple[Sensitive, ...] = ()
    local: LocalRecoding | None = None


def chosen_node(goal: Goal, node: Node, found: Measurement, request_id: int, version: Version) -> Chosen:
    """The node that a search found, with its figures and losses, withheld rows among them."""
    (observation,) = certain_observations(goal, found.oracle, found.evidence, [node])
    observation = found.oracle.with_withheld(node, observation)
    lost = losses(goal.lattice, node, observation, goal.requirement, [each.costs for each in found.attributes])
    return Chosen(
        request_id=request_id,
        node=node,
        observation=observation,
        losses=lost.as_dict(),
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
    )


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
    plan = _plan(question, attributes, chosen)
    settled = _settled(plan, chosen)
    making = Making(question, plan, settled, chosen)
    warnings = tuple(_warnings(plan, settled))
    target = question.read.request.release.to
    if isinstance(target, SourceTable):
        report, written = _into_source(making, limits, target.table)
    else:
        report, written = _into_file(making, limits, Path(target))
    return Published(report, record(making, report, written), warnings)


def plan_of(
    question: Question, attributes: tuple[Attribute, ...], sensitive: tuple[Sensitive, ...], node: Node, k: int
) -> Plan:
    """What a request releases of a node, as far as the request says it: nothing is withheld yet."""
    request, resolved = question.read.request, question.resolved
    return Plan(
        dataset=question.dataset,
        attributes=attributes,
        node=node,
        kept=resolved.keep,
        shape=request.release.shape,
        sensitive=sensitive,
        entity=resolved.entity,
        pseudonym=request.release.pseudonym,
        k=k,
        stars=request.withheld == "star",
    )


def _plan(question: Question, attributes: tuple[Attribute, ...], chosen: Chosen) -> Plan:
    requirement = chosen.requirement
    plan = plan_of(question, attributes, chosen.sensitive, chosen.node, requirement.k)
    return replace(plan, withholds=requirement.withheld(chosen.observation) > 0, local=chosen.local is not None)


def _settled(plan: Plan, chosen: Chosen) -> Settled:
    """Counts the release, decides what of it is withheld, and keeps what is to be written."""
    if not plan.local:
        count_classes(plan)
    if not plan.decides:
        sort_classes(plan)
        return Settled.of_all(chosen.observation)
    if not plan.local:
        decide(plan)
    settled = settle(plan)
    _require_as_searched(settled, chosen)
    return settled


def _require_as_searched(settled: Settled, chosen: Chosen) -> None:
    """Raises ReleaseMismatch unless the release has every row and the classes searched, and withholds no more."""
    rows, classes = settled.rows + settled.suppressed_rows, settled.classes
    as_searched = rows == chosen.version.rows and settled.suppressed_units <= chosen.requirement.most_withheld
    if chosen.local is None:
        released = chosen.requirement.released(chosen.observation)
        searched = (released.classes, released.sum_of_squares, released.withheld)
        as_searched &= searched == (classes.divisions, classes.sum_of_squares, settled.suppressed_units)
    if not as_searched:
        raise ReleaseMismatch(
            f"what is to be released is not what was searched: {classes.divisions} classes, {rows} rows of "
            f"{chosen.version.rows}, {settled.suppressed_units} withheld; it was not released",
            next_step="Nothing was written, and what was known of this dataset is forgotten: run the request again.",
        )


def _reading(plan: Plan, settled: Settled) -> Reading:
    """How the release is measured once it is written: with the distributions that its models need."""
    told: tuple[Told, ...] = ()
    if plan.entity is None or plan.pseudonym is not None:
        workspace = plan.dataset.backend.workspace
        told = tuple(
            Told(each.column, each.value_type, each.models, distribution(workspace, each)) for each in plan.sensitive
        )
    starred = plan.columns if settled.stars else ()
    return Reading(plan.generalised, plan.shape, starred, plan.pseudonym, told)


def _expected(plan: Plan, settled: Settled) -> Expected:
    rows = settled.rows if plan.shape == "rows" else settled.told.divisions
    return Expected(settled.told, plan.k, rows, settled.stars)


def _into_file(making: Making, limits: Limits, path: Path) -> tuple[ReleaseReport, Written]:
    question, plan, settled = making.question, making.plan, making.settled
    ending = ending_of(path)
    with partial(path) as beside:
        write = write_statement(written_statement(plan), beside, ending)
        question.opened.backend.workspace.rows(Purpose.RELEASE, write)
        found = measure_file(beside, _reading(plan, settled), limits, ending=ending)
        check_measured(found, _expected(plan, settled), where=str(path))
        require_unchanged(question)
        sha256 = sha256_of(beside)
        replaced = sha256_of(path) if path.exists() else None
        publish(beside, path, manifest(making, found, sha256, replaced).text())
    return _report(making, str(path), sha256), found


def _into_source(making: Making, limits: Limits, table: str) -> tuple[ReleaseReport, Written]:
    question, plan, source = making.question, making.plan, making.question.opened.source
    reading, expected = _reading(plan, making.settled), _expected(plan, making.settled)
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
            version=making.chosen.version,
        )
        question.opened.backend.close()
        name = write_table(into, expected, limits.memory)
    return _report(making, f"{source.name}.{name}", None), found


def _report(making: Making, where: str, sha256: str | None) -> ReleaseReport:
    settled = making.settled
    return ReleaseReport(
        path=where,
        sha256=sha256,
        rows=making.rows,
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
    if plan.pseudonym is not None and (linked := linked_persons(plan)):
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
