"""Predict the tables of a request from the state and the cache; of its source the catalog alone is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from sqlglot import exp

from ordermade.catalogue.forecasts import calibration_of
from ordermade.catalogue.still_there import catalog_look
from ordermade.errors import InputError, quoted
from ordermade.ledger.pools import ANYONE
from ordermade.machine.linear_algebra import one_blas_thread
from ordermade.methods.shared.judged import ForeseenBeside
from ordermade.methods.shared.recalled import RecalledRequest, recalled
from ordermade.methods.shared.verdict import verdict_of
from ordermade.methods.tables.nodes import finest_nodes, node_key, shown_nodes
from ordermade.methods.tables.predicted import PredictedTables
from ordermade.methods.tables.protection import rare_heads
from ordermade.prediction.expected_tables import ExpectedTable, MeasuredClasses, expected_table, uncounted
from ordermade.prediction.suppressed_cells import FEWEST, MOST, SuppressedCells, TableForm, TableOutcome
from ordermade.privacy.least_k import too_few
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_table import ResolvedTables, resolve_table
from ordermade.requests.resolving import request_hash
from ordermade.requests.table import TableRequest
from ordermade.sources.limits import Limits
from ordermade.state import forecasts, observations
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.forecasts import MetForecast, NewForecast, TabulatedRequest

PREDICTOR = "tables"
"""The name by which the state notes what foretold."""
_ROUNDED = 4


@dataclass(frozen=True, slots=True)
class _Remembered:
    """What the state knows of a request for tables: its dataset, the classes measured, how earlier tables came out."""

    request: RecalledRequest[ResolvedTables]
    classes: MeasuredClasses | None
    earlier: tuple[TabulatedRequest, ...]
    met: tuple[MetForecast, ...]

    @property
    def resolved(self) -> ResolvedTables:
        """The request over its dataset."""
        return self.request.resolved

    @property
    def hashed(self) -> str:
        """The hash of the request."""
        return request_hash(self.resolved.request, self.resolved.filter_text, self.resolved.said_by_files)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a run needs."""
        resolved, division = self.resolved, self.request.registered.division
        filtered = () if resolved.filter is None else (each.name for each in resolved.filter.find_all(exp.Column))
        columns = [*(each.column for each in resolved.dimensions), *(each.column for each in resolved.amounts)]
        columns += [*resolved.identifiers, *filtered]
        columns += [] if division is None or division.column is None else [division.column]
        return tuple(dict.fromkeys(columns))


@one_blas_thread()
def predicted_tables(
    state: StateFile,
    cache: Cache | None,
    read: ReadRequest[TableRequest],
    predictor: str | None = None,
    *,
    note: bool = False,
    limits: Limits | None = None,
    recipients: Sequence[str] = (ANYONE,),
) -> PredictedTables:
    """Forecast the share of suppressed cells. `note`: the state records the forecast, to compare it with the outcome.

    `limits`: with which the source is opened, to see that table and columns are still there; None, and for a user: it
    is not opened, and what releases of `recipients` decide is left out. Raises RequestError for a malformed request,
    InputError for a `predictor`, of which tables have one alone; too little knowledge is no error.
    """
    if predictor is not None:
        raise InputError(
            "tables with totals have one predictor", where="--predictor", next_step="Leave the option out."
        )
    remembered = _remembered(state, cache, read)
    found = _predicted(remembered)
    if note:
        with state.writing() as connection:
            forecasts.note(connection, _as_noted(found, remembered))
    if limits is None or limits.for_user:
        return found
    found = replace(found, beside=_beside(state, remembered, recipients))
    look = catalog_look(remembered.request.registered, remembered.columns, limits, remembered.resolved.filter)
    if look.gone:
        return replace(_nothing(remembered, "; ".join(look.gone), fails=True), gone=look.gone, beside=found.beside)
    if look.unopened:
        unseen = f"whether table and columns are still there: the source could not be opened ({look.unopened})"
        return replace(found, unchecked=(*found.unchecked, unseen))
    return found


def foreseen_beside(
    state: StateFile, read: ReadRequest[TableRequest], recipients: Sequence[str]
) -> ForeseenBeside | None:
    """What the releases of recipients decide about tables, whatever the data are; None: they have none.

    Or there is no policy. The source is not opened. Raises RequestError.
    """
    return _beside(state, _remembered(state, None, read), recipients)


def _beside(state: StateFile, remembered: _Remembered, recipients: Sequence[str]) -> ForeseenBeside | None:
    from ordermade.methods.shared.foreseen import foreseen_offline
    from ordermade.methods.tables.shown import requested_cells  # with what counts, which forecasts do without

    request = remembered.request
    own = [each.hierarchy for each in remembered.resolved.dimensions]
    wanted = requested_cells(remembered.resolved)
    return foreseen_offline(state, request.registered, wanted, own, request.version, recipients)


def _remembered(state: StateFile, cache: Cache | None, read: ReadRequest[TableRequest]) -> _Remembered:
    with state.reading() as connection:
        request = recalled(connection, read, resolve_table, state.notice)
        version, name = request.version, request.registered.name
        nodes = {} if version is None else observations.known(connection, version.id, persons=False)
        earlier = forecasts.tabulated_of_dataset(connection, name, MOST)
        met = forecasts.met(connection, name)
    classes = None
    if version is not None:
        marginals = {} if cache is None else cache.marginals(version.id)
        # Nodes of persons, who may be in several classes, are of no use: their cells do not add up.
        classes = MeasuredClasses(version.units, marginals, nodes if version.persons is None else {})
    return _Remembered(request, classes, earlier, met)


def _predicted(remembered: _Remembered) -> PredictedTables:
    resolved, version, classes = remembered.resolved, remembered.request.version, remembered.classes
    if version is None or classes is None:
        filtered = " with this filter" if resolved.request.where is not None else ""
        dataset = quoted(remembered.request.registered.name)
        return _nothing(remembered, f"the dataset {dataset} was never counted{filtered}")
    called = "rows" if resolved.entity is None else "persons"
    proved = too_few(resolved.request.k, version.units, called) or _rare_heads(resolved, classes)
    if proved:
        return _nothing(remembered, proved, fails=True)
    same = next(
        (
            each
            for each in remembered.earlier
            if each.request_hash == remembered.hashed and each.dataset_version_id == version.id
        ),
        None,
    )
    if same is not None:
        return _as_made_before(remembered, same)
    unknown = uncounted(classes, [node_key(resolved, each) for each in shown_nodes(resolved)])
    if unknown:
        return _nothing(remembered, _uncounted(resolved, unknown[0]))
    return _expected(remembered, classes)


def _rare_heads(resolved: ResolvedTables, classes: MeasuredClasses) -> str | None:
    """The refusal of heads of fewer than k rows, where the class sizes of their column are known."""
    if resolved.entity is not None:
        return None
    for each in resolved.dimensions:
        if each.level == 0 and not each.hierarchy.enumerated:
            sizes = classes.sizes(node_key(resolved, ((each.column, 0),)))
            if sizes and min(size for size, _ in sizes) < resolved.request.k:
                return rare_heads(each.column, resolved.request.k)
    return None


def _uncounted(resolved: ResolvedTables, pair: tuple[str, str]) -> str:
    column, level_hash = pair
    hierarchy = next(each.hierarchy for each in resolved.dimensions if each.column == column)
    name = next(each.name for each in hierarchy.levels if each.content_hash == level_hash)
    return f"the class sizes of {quoted(column)} at the level {quoted(name)} were not counted"


def _expected(remembered: _Remembered, classes: MeasuredClasses) -> PredictedTables:
    """The forecast of tables whose levels were all counted."""
    resolved = remembered.resolved
    k = resolved.request.k
    table = expected_table(classes, [node_key(resolved, each) for each in shown_nodes(resolved)], k)
    learnt = SuppressedCells([_made(each) for each in remembered.earlier])
    share = learnt.expected(_form(resolved, classes, table))
    settled = table.is_known and not table.primary and not resolved.amounts and not resolved.request.suppress
    limit = 1.0 if resolved.request.suppression_limit is None else float(resolved.request.suppression_limit)
    chance = 1.0 if settled else share.chance_within(limit) if learnt.learnt_from >= FEWEST else None
    return replace(
        _nothing(remembered, None),
        verdict=verdict_of(chance, proved=settled),
        chance=chance,
        suppressed_cells=round(share.share, _ROUNDED),
        low=round(share.low, _ROUNDED),
        high=round(share.high, _ROUNDED),
        below_k=round(table.share, _ROUNDED),
        measured=table.is_known,
        cells=round(table.cells) if table.cells >= remembered.request.least_k else None,
        learnt_from=learnt.learnt_from,
        too_little=_too_few_tables(learnt.learnt_from) if chance is None else None,
        unchecked=(*remembered.request.unchecked, *_unforeseen(resolved)),
    )


def _too_few_tables(number: int) -> str:
    so_far = "no earlier table" if number == 0 else f"{number} earlier {'table' if number == 1 else 'tables'}"
    return f"{so_far} of this dataset shows how many cells are suppressed beside those of fewer than k"


def _unforeseen(resolved: ResolvedTables) -> Iterator[str]:
    if resolved.amounts:
        yield "cells that the rules of sums suppress: those of fewer than k are foretold"
    if resolved.request.publish or resolved.request.suppress:
        yield "the cells named in publish and suppress"


def _form(resolved: ResolvedTables, classes: MeasuredClasses, table: ExpectedTable) -> TableForm:
    finest = finest_nodes(resolved)
    inner = expected_table(classes, [node_key(resolved, each) for each in finest], resolved.request.k).cells
    return TableForm(
        table.cells,
        table.primary,
        resolved.request.k,
        max(len(each.every) for each in resolved.tables),
        max(len(each.totals) for each in resolved.tables),
        inner,
        sum(math.prod(classes.number_of(pair) for pair in node_key(resolved, each)) for each in finest),
        table.spread,
    )


def _made(earlier: TabulatedRequest) -> TableOutcome:
    each = earlier.tabulated
    form = TableForm(each.cells, each.primary, earlier.k, each.columns, each.totals, each.inner, each.combinations)
    return TableOutcome(form, each.suppressed, not each.unprotected)


def _as_made_before(remembered: _Remembered, same: TabulatedRequest) -> PredictedTables:
    """The forecast of tables that were made of the same data before: the pattern is the same in every run."""
    cells, limit = same.tabulated, remembered.resolved.request.suppression_limit
    fails = bool(cells.unprotected) or (limit is not None and cells.suppressed > limit * cells.cells)
    share = round(cells.suppressed / cells.cells, _ROUNDED) if cells.cells else 0.0
    why = "the same tables were refused before, of the same data" if fails else None
    known = None if cells.unprotected else share
    return replace(
        _nothing(remembered, why, fails=fails),
        verdict="fails" if fails else "passes",
        chance=0.0 if fails else 1.0,
        suppressed_cells=known,
        low=known,
        high=known,
        below_k=round(cells.primary / cells.cells, _ROUNDED) if cells.cells else 0.0,
        measured=True,
        cells=cells.cells if cells.cells >= remembered.request.least_k else None,
        learnt_from=len(remembered.earlier),
    )


def _nothing(remembered: _Remembered, why: str | None, *, fails: bool = False) -> PredictedTables:
    """The forecast without any figures; `fails`: it is proved that nothing is released."""
    request, version = remembered.resolved.request, remembered.request.version
    seconds = [each.seconds for each in remembered.earlier if each.seconds is not None]
    return PredictedTables(
        title=request.title,
        dataset=remembered.request.registered.name,
        k=request.k,
        verdict="fails" if fails else "open",
        chance=0.0 if fails else None,
        too_little=why,
        rows=None if version is None else version.rows,
        persons=None if version is None else version.persons,
        last_seen_at=None if version is None else version.last_seen_at,
        seconds=round(median(seconds), _ROUNDED) if seconds else None,
        calibration=calibration_of(remembered.met),
        unchecked=remembered.request.unchecked,
    )


def _as_noted(found: PredictedTables, remembered: _Remembered) -> NewForecast:
    version = remembered.request.version
    return NewForecast(
        request_hash=remembered.hashed,
        dataset_name=found.dataset,
        dataset_version_id=None if version is None else version.id,
        predictor=PREDICTOR if found.learnt_from else None,
        chance=found.chance,
        proved=found.verdict in ("passes", "fails"),
        k=None,
        questions=None,
        seconds=found.seconds,
        levels={},
    )
