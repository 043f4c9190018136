"""An open request: its run (state, cache, limits, progress, costs), its source, and the checks before any release.

The checks cover the dataset's version, the coverage of the hierarchies, and columns that would identify a person.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar, get_args

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.open_dataset import OpenDataset, opened_dataset
from ordermade.catalogue.registered import DatasetRegistration, described, named_hierarchies
from ordermade.counting.counts import Units, units_of
from ordermade.counting.dataset import Dataset, Version, columns_hash, version, versioning
from ordermade.errors import InputError, OrdermadeError, Refused, SourceChanged, SourceFault, quoted
from ordermade.hierarchies.column_types import holds_huge, is_union, lost_in_parquet, of_any_scale, without_labels
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.pools import ANYONE
from ordermade.policies.enforcement import within_policy
from ordermade.policies.policy import Policy
from ordermade.privacy.least_k import DatasetTerms, too_few
from ordermade.progress.waiting import Notice, Progress, Silent
from ordermade.release.files import ending_of, format_of
from ordermade.release.plan import expand_columns
from ordermade.requests.earlier_filters import known_as
from ordermade.requests.filter_parser import OF_ITS_TYPE, UNREAD
from ordermade.requests.model import Request, SourcePath, SourceTable
from ordermade.requests.problems import RequestProblem
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.backend import columns_of
from ordermade.sources.executor import Listener, Purpose
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.state import parts, policies, releases, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.runs import Run

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.leases import Lease

OnInterrupt = Literal["raise", "answer", "release"]


@dataclass(frozen=True, slots=True)
class RunContext:
    """The state, the cache beside it (None where it is not to be used), the limits of memory and threads, progress.

    Options that are no part of the request, ignored by methods that do not use them: without
    `roll_up` every k-check runs in the source instead of on one frequency set, with identical figures; with
    `distributions` the result has the distributions of values before and after; `again`: a release of the same request
    that still stands is made anew. `on_interrupt`: whether a search that is interrupted (KeyboardInterrupt) ends the
    request with the error, with the best node found so far, or with the release of that node. `notice` receives what
    the provider should know while a request is under way.

    `lease`: that of the submitted request that it answers, without which nothing is released; None: it answers none.
    `recipients`: who gets the release; `is_reviewed`: whether somebody approved it, so that what is not decided about
    it beside earlier releases is no reason to stop; `only_judged`: the request ends with JudgedOnly once that is known,
    and nothing is released.
    """

    state: StateFile
    cache: Cache | None
    limits: Limits
    progress: Progress = field(default_factory=Silent)
    roll_up: bool = True
    distributions: bool = False
    again: bool = False
    on_interrupt: OnInterrupt = "raise"
    notice: Notice | None = None
    recipients: tuple[str, ...] = (ANYONE,)
    is_reviewed: bool = True
    only_judged: bool = False
    lease: Lease | None = None

    def __post_init__(self) -> None:
        """Raises InputError for another way to end."""
        if self.on_interrupt not in get_args(OnInterrupt):
            listed = ", ".join(get_args(OnInterrupt))
            raise InputError(
                "there is no such way to end", where="Engine.run: on_interrupt", next_step=f"Give one of {listed}."
            )


@dataclass(frozen=True, slots=True)
class Costs:
    """The statements that ran in the source, by purpose, and the seconds."""

    source_queries: int
    """Those that count, or that read the records."""
    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of quasi-identifiers."""
    release_queries: int
    """Those that made or measured the release."""
    seconds: float
    """The seconds of the whole request."""

    @classmethod
    def so_far(cls, open_request: OpenRequest[ResolvedRequest], started: float) -> Costs:
        """Sum up the statements that ran in the source since `started` (by `time.perf_counter`)."""
        source = open_request.opened.backend.executor
        return cls(
            source_queries=source.count(open_request.ASKS),
            version_queries=source.count([Purpose.VERSION]),
            coverage_queries=source.count([Purpose.COVERAGE]),
            release_queries=source.count([Purpose.RELEASE]),
            seconds=round(time.perf_counter() - started, 4),
        )


def identifying(open_request: OpenRequest[ResolvedRequest], counted: Units) -> str | None:
    """Return why a request that would release values of single persons is refused; None where it would not.

    Counted are the rows that the request's filter leaves, in one statement, and only where a column is kept,
    sensitive, a text in sets of Mondrian or an item of a history, and not allowed by `allow_identifying`. The reason
    has no counts.
    """
    resolved = open_request.resolved
    columns = tuple(each for each in resolved.with_values if each not in resolved.allow_identifying)
    if not columns:
        return None
    if resolved.values_among_rows:
        counted = Units(counted.rows)
    statement = different_statement(open_request, columns)
    different = open_request.opened.backend.executor.rows(Purpose.IDENTIFYING, statement)[0]
    found = [column for column, values in zip(columns, different, strict=True) if int(values) * 2 > counted.number]
    if not found:
        return None
    units = "rows" if counted.persons is None else "persons"
    listed = ", ".join(map(quoted, found))
    return (
        f"more than half as many values as {units} are in {listed}, and such a value identifies its person: "
        f"generalise the column, leave it out, or write allow_identifying: [{', '.join(found)}]"
    )


def different_statement(open_request: OpenRequest[ResolvedRequest], columns: tuple[str, ...]) -> exp.Select:
    """The statement that counts the different values of each column."""
    tree = expand_columns(sql.select("dataset/identifying"), "dataset.kept", columns)
    return sql.with_relations(tree, {"dataset": open_request.dataset.relation})


@dataclass(frozen=True, slots=True)
class CheckedData:
    """A request that fits its dataset and its data, with the version of these.

    `persons`: their number, None where a row is a person; `hash_sum`: the sum of one hash a row, None where a query
    vouches for the version, whose answer a requester could guess from a hash of it. `version_id`: the number that the
    version has in every state.
    """

    resolved: ResolvedRequest
    rows: int
    persons: int | None
    hash_sum: int | None
    version_id: int

    @classmethod
    def of(cls, open_request: OpenRequest[ResolvedRequest], seen: Version, persons: int | None) -> CheckedData:
        """The figures of an open request whose dataset was seen with this version."""
        number = versions.version_id(open_request.identity, seen.rows, seen.hash_sum, seen.columns_hash)
        hash_sum = seen.hash_sum if seen.vouched_by is None else None
        return cls(open_request.resolved, seen.rows, persons, hash_sum, number)


def examined(open_request: OpenRequest[ResolvedRequest], covered: Callable[[], object]) -> tuple[Version, int | None]:
    """Check an open request against its data; `covered` holds its hierarchies against their columns.

    Returns the version of the data, and their persons (None where a row is a person). Raises Refused where no release
    could be, HierarchyError, InputError, SourceFault.
    """
    versioned = open_request.versioned
    seen = version(versioned)
    k = open_request.read.request.k
    counted = units_of(versioned, seen.rows, k)
    refusal = too_few(k, counted.number, counted.called) or identifying(open_request, counted)
    if refusal:
        raise Refused(refusal, where=open_request.read.where)
    covered()
    require_unchanged(open_request)
    return seen, counted.persons


Fitting = TypeVar("Fitting", bound=ResolvedRequest, covariant=True)
"""A request of one method, resolved."""


@dataclass(frozen=True, slots=True)
class OpenRequest(Generic[Fitting]):
    """A request that fits its dataset, with the dataset's source open.

    `run`: the run under way, once it is answered; it ends when the request is closed. `standing`: the number of the
    release that stands under the name the request releases to, if one does.
    """

    read: ReadRequest[Request]
    resolved: Fitting
    opened: OpenDataset
    dataset: Dataset
    run: Run
    standing: int | None

    ASKS: ClassVar[Collection[Purpose]] = (Purpose.RECORDS,)
    """The purposes of the method's own statements in the source."""

    @classmethod
    def of(cls, found: OpenRequest[Any], limits: Limits) -> Self:  # noqa: ARG003 - methods that count parts need them
        """The open request of the method, from the parts that every method has."""
        return cls(found.read, found.resolved, found.opened, found.dataset, found.run, found.standing)

    @property
    def versioned(self) -> Dataset:
        """The dataset whose version is noted: as it was registered, where the request has another."""
        return self.dataset

    @property
    def identity(self) -> str:
        """The hash of the dataset as filtered."""
        return self.opened.identity(self.resolved.filter_text)

    @property
    def counted_by(self) -> tuple[str, ...]:
        """The hash of the columns that the parts of the dataset are counted by; none where parts are not counted."""
        return ()


Held = TypeVar("Held", bound=OpenRequest[ResolvedRequest])
"""A request of one method, held open."""

Resolve = Callable[
    [ReadRequest[Any], Mapping[str, str], Mapping[str, Hierarchy], str | None, DatasetTerms], ResolvedRequest
]
"""The request over columns, hierarchies, entity column and terms. Raises RequestError with every mistake."""


def with_k(open_request: Held, k: int) -> Held:
    """The same request with another k, which no other part of a request depends on."""
    request = open_request.read.request.model_copy(update={"k": k})
    return replace(
        open_request,
        read=replace(open_request.read, request=request),
        resolved=replace(open_request.resolved, request=request),
    )


@contextlib.contextmanager
def opened_request(
    kind: type[Held], resolve: Resolve, read: ReadRequest[Any], context: RunContext, listener: Listener | None = None
) -> Iterator[Held]:
    """The request with its dataset open, resolved as one of its method, whose kind of open request it is.

    The policy of the dataset comes before all that: for a user where there is none, the one that says nothing. Raises
    PolicyBroken, RequestError with every mistake, UnknownName, SourceFault.
    """
    state, limits = context.state, context.limits
    with state.reading() as connection:
        read, found, hierarchies = _described(connection, limits, read)
        request = read.request
        # Under a file's name at once: opening the state takes as long as the rest of this.
        standing = releases.standing(connection, path=str(request.release.path)) if request.release.path else None
    run = Run(state.path, lease=context.lease)
    # Files are made in folders that nothing else is in: a view of the source may name what is there.
    made = (made_in(request), *(each.parent for each in request.files_beside))
    limits = replace(limits, writes=run.foreseen(made))
    with opened_dataset(found, limits, listener) as opened:
        types = {each.name: each.type for each in opened.columns}
        resolved = resolve(read, types, hierarchies, opened.entity, opened.terms)
        if resolved.filter_text is not None:
            resolved = replace(resolved, filter_text=_known(state, resolved.filter_text, opened.name, types))
        _check_filter(read, resolved, opened)
        _check_target(read, opened)
        _check_types(read, resolved, types, gives_frames=opened.backend.capabilities.gives_frames)
        _check_allowed(read, resolved)
        _check_rows(read, opened, limits)
        if isinstance(request.release.to, SourceTable):
            standing = _standing(state, request.release.to, opened)
        try:
            dataset = _filtered(state, resolved, opened)
            yield kind.of(OpenRequest(read, resolved, opened, dataset, run, standing), limits)
        finally:
            run.end()


def resolved_unopened(resolve: Resolve, read: ReadRequest[Any], context: RunContext) -> ResolvedRequest:
    """The request of a user, by the columns that the provider registered. Raises as `opened_request`.

    Its source is not opened: no value of the data, and no fault of the source, is in the answer. Both are looked at
    when it is reviewed and run.
    """
    state, limits = context.state, context.limits
    with state.reading() as connection:
        read, found, hierarchies = _described(connection, limits, read)
    types, entity = _read_columns(found, limits) if found.columns is None else (found.columns, found.entity)
    types = {name: of_any_scale(kind) for name, kind in types.items()}
    resolved = resolve(read, types, hierarchies, entity, found.terms)
    if resolved.filter_text is not None:
        resolved = replace(resolved, filter_text=_known(state, resolved.filter_text, found.name, types))
    to = read.request.release.to
    if isinstance(to, str) and read.request.release.path is not None:
        format_of(ending_of(read.request.release.path)).require_installed(to)
    _check_types(read, resolved, types, gives_frames=kind_of(found.source.kind).gives_frames)
    _check_allowed(read, resolved)
    return resolved


def _read_columns(found: DatasetRegistration, limits: Limits) -> tuple[Mapping[str, str], str | None]:
    """The columns of a dataset that an earlier version registered, and its entity column. Raises SourceFault alone."""
    try:
        with opened_dataset(found, limits) as opened:
            return {each.name: each.type for each in opened.columns}, opened.entity
    except SourceFault:
        raise
    except OrdermadeError as error:  # of the dataset, and none of the request
        raise SourceFault(error.what, where=error.where, next_step=error.next_step) from None


def _described(
    connection: StateConnection, limits: Limits, read: ReadRequest[Request]
) -> tuple[ReadRequest[Request], DatasetRegistration, Mapping[str, Hierarchy]]:
    """The request as the policy of its dataset allows it, the dataset, and the hierarchies that it names."""
    hierarchies = named_hierarchies(connection, read.request.hierarchy_names)
    held = limits.frames
    if held is None or held.registered:
        found = described(connection, read.request.dataset)
    else:
        from ordermade.catalogue.frames import described_frame

        found = described_frame(held, read.request.dataset)
    if limits.for_user:
        found = replace(found, terms=_of_user(found.terms, found.name))
    if found.terms.policy is not None:
        read = within_policy(read, found.terms, hierarchies, limits.wait.notice, for_user=limits.for_user)
    return read, found, hierarchies


def _of_user(terms: DatasetTerms, dataset: str) -> DatasetTerms:
    """The terms of a dataset for the request of a user: what its policy leaves out of filters is the least k.

    A filter that leaves one person out, beside a release without it, tells that person's values.
    """
    policy = terms.policy or Policy(dataset=dataset)
    persons = policy.filters.persons or terms.least_k
    filters = policy.filters.model_copy(update={"persons": persons})
    return replace(terms, policy=policy.model_copy(update={"filters": filters}))


def made_in(request: Request) -> Path:
    """The folder in which a release is made: that of its file, else one for temporary files."""
    path = request.release.path
    return Path(tempfile.gettempdir()) if path is None else path.parent


def _known(state: StateFile, filter_text: str, dataset: str, types: Mapping[str, str]) -> str | None:
    """The text by which the state knows a row filter, that of an earlier version among others."""
    with state.reading() as connection:
        earlier = policies.requested_filters(connection, dataset)
    return known_as(filter_text, earlier, types)


def _filtered(state: StateFile, resolved: ResolvedRequest, opened: OpenDataset) -> Dataset:
    """The dataset under the row filter of the request; where it is in parts, with what is known of them."""
    if opened.vouched is not None:
        with state.reading() as connection:
            over, by = opened.identity(None), opened.vouched.sha256
            known = versions.evaluated(connection, over, by, columns_hash(opened.columns))
        opened = replace(opened, evaluated=known)
    if opened.division is None:
        return opened.filtered(resolved.filter)

    identity = opened.identity(resolved.filter_text)
    with state.reading() as connection:
        rows = parts.known(connection, identity)
    return opened.filtered(resolved.filter, identity, rows)


def _standing(state: StateFile, target: SourceTable, opened: OpenDataset) -> int | None:
    """The number of the release that stands under the name of a table."""
    schema, table = opened.backend.capabilities.place_of(target.table)
    with state.reading() as connection:
        return releases.standing(connection, table=f"{opened.source.name}.{schema}.{table}")


def require_unchanged(open_request: OpenRequest[ResolvedRequest]) -> None:
    """Raises SourceChanged if the source was changed since it was opened, so that what was read is of no one moment.

    What was counted so far is kept for later requests, where the source can prove that it is unchanged by then.
    """
    require_at_rest(open_request)
    open_request.opened.backend.keep_counts()


def require_at_rest(open_request: OpenRequest[ResolvedRequest]) -> None:
    """Raises SourceChanged if the source was changed since it was opened; keeps nothing of what was counted."""
    if open_request.opened.backend.changed():
        raise SourceChanged(
            "the source changed while the request ran",
            where=open_request.opened.source.name,
            next_step="Run the request again when it is at rest.",
        )


def _check_filter(read: ReadRequest[Request], resolved: ResolvedRequest, opened: OpenDataset) -> None:
    """Raises RequestError for a filter that the source cannot read: a day compared with a number, and the like."""
    if resolved.filter is None:
        return
    try:
        columns_of(opened.backend, opened.filtered(resolved.filter).relation)
    except SourceFault:
        raise read.refusal([RequestProblem(UNREAD, OF_ITS_TYPE, ("where",), read.line(("where",)))]) from None


def _check_target(read: ReadRequest[Request], opened: OpenDataset) -> None:
    target = read.request.release.to
    if isinstance(target, SourceTable) and not opened.backend.capabilities.releases_tables:
        raise InputError(
            f"the source '{opened.source.name}' is not writable, so no table can be released into it",
            where=f"{read.where}: release.to.table",
            next_step="Register it with --writable (a DuckDB file or a server), or release to a file.",
        )
    if isinstance(target, SourceTable):
        opened.backend.marks(*opened.backend.capabilities.place_of(target.table))
    elif isinstance(target, SourcePath):
        require_written_by_source(read, opened)
    elif read.request.release.path is not None:
        format_of(ending_of(read.request.release.path)).require_installed(target)


def _check_allowed(read: ReadRequest[Request], resolved: ResolvedRequest) -> None:
    """Raises RequestError for a column of `allow_identifying` that is not released as it is."""
    known = {column.casefold() for column in resolved.with_values}
    problems = []
    for place, name in enumerate(read.request.allow_identifying):
        if name.casefold() not in known:
            path = ("allow_identifying", place)
            what = f"the column {quoted(name)} is neither kept, sensitive, a text in sets nor an item of a history"
            problems.append(RequestProblem(what, "take it out, or name it under keep", path, read.line(path)))
    if problems:
        raise read.refusal(problems)


def _check_rows(read: ReadRequest[Request], opened: OpenDataset, limits: Limits) -> None:
    """Raises Refused for a dataset of more rows than the limit: of a server by its estimate, else counted."""
    most = limits.max_rows
    if most is None:
        return

    dataset = opened.filtered(None)
    found = opened.backend.estimated_rows(dataset.relation, versioning(dataset).statement)
    if found.rows is not None and found.rows > most:
        about = "" if found.is_counted else "about "
        raise Refused(
            f"the dataset has {about}{found.rows:,} rows, more than the {most:,} of --max-rows: nothing was counted",
            where=read.where,
            next_step="Raise --max-rows, or request a smaller dataset.",
        )


def _check_types(
    read: ReadRequest[Request], resolved: ResolvedRequest, types: Mapping[str, str], *, gives_frames: bool
) -> None:
    """Raises RequestError for a column released as it is whose values no file, or not this one, holds as they are."""
    to = read.request.release.path
    to_parquet = not gives_frames if to is None else to.name.lower().endswith(".parquet")
    problems = []
    for column, path in resolved.as_they_are:
        kind = without_labels(types[column])
        what = f"the column {quoted(column)} is a {kind}"
        if is_union(kind):
            what = f"{what}, and a release does not keep which member of it a value is"
            problems.append(RequestProblem(what, "cast it in a dataset query (to VARCHAR)", path, read.line(path)))
        elif to_parquet and holds_huge(kind):
            what = f"{what}, which Parquet cannot hold exactly"
            step = "release to CSV, or cast it in a dataset query (to DECIMAL(38, 0) or VARCHAR)"
            problems.append(RequestProblem(what, step, path, read.line(path)))
        elif to_parquet and (lost := lost_in_parquet(kind)):
            what = f"{what}, whose {lost} Parquet does not hold"
            step = "release to CSV, or cast it in a dataset query (to VARCHAR)"
            problems.append(RequestProblem(what, step, path, read.line(path)))
    if problems:
        raise read.refusal(problems)


def require_written_by_source(read: ReadRequest[Request], opened: OpenDataset) -> None:
    """Raises InputError where the source does not write folders, or not the release that a request is for."""
    if not opened.backend.capabilities.writes_folders:
        raise InputError(
            f"the source '{opened.source.name}' does not write folders",
            where=f"{read.where}: release.to.path",
            next_step="Write `release: {to: PATH}`: the engine writes it. Spark writes folders, but not by Connect.",
        )
    wanted = next(_not_written(read.request), None)
    if wanted is not None:
        raise InputError(
            f"Spark does not write {wanted}",
            where=f"{read.where}: release.to.path",
            next_step="Write `release: {to: PATH}`: the engine writes it.",
        )


def _not_written(request: Request) -> Iterator[str]:
    """What of a request the engine alone writes, in words."""
    if request.method != "generalization":
        yield f"a release of method {request.method}"
    if getattr(request, "is_local", False):
        yield "a release of local recoding"
    if request.release.shape != "rows":
        yield "a statistical table"
    if request.release.pseudonym is not None:
        yield "pseudonyms"
    if getattr(request, "suppressed", "drop") == "star":
        yield "suppressed rows as *"
