"""The answer to a request for histories, readable top to bottom: from its file to its measured release."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from ordermade.answering.publishing import published
from ordermade.answering.released import Draft
from ordermade.answering.setting import Setting
from ordermade.measuring.dataset import version
from ordermade.measuring.entity import units_of
from ordermade.purchases.alike import Alike, none_can_be
from ordermade.purchases.book import HistoryBook
from ordermade.purchases.losses import losses
from ordermade.purchases.map_file import check_map, map_written
from ordermade.purchases.question import asked
from ordermade.purchases.records import Purchases
from ordermade.purchases.result import HistoryResult
from ordermade.purchases.settled import kept, none_is_left, settle_histories
from ordermade.purchases.told import losses_of, of_method, report_of, warnings_of
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import ReadRequest


def made_alike(read: ReadRequest[HistoryRequest], setting: Setting) -> HistoryResult:
    """The release of histories that k customers or more share, or the reason why there is none.

    Raises InputError (malformed, or rows without a value), SourceFault, StateFault, ReleaseFault; then nothing is left
    half written.
    """
    started, tell = time.perf_counter(), setting.progress
    with asked(setting.state, setting.limits, read, tell.statement) as question:
        k, truth = question.request.k, question.resolved.map
        if truth is not None:
            check_map(truth, Path(str(question.request.release.to)))
        tell.step("dataset version")
        seen = version(question.registered)
        counted = units_of(question.registered, seen.rows)
        book = HistoryBook(setting.state, setting.cache, question, seen, started, counted.persons)
        with book.closed_on_failure():
            tell.step("purchases")
            purchases = Purchases.stored(question.plan, question.resolved)
            refusal = none_can_be(purchases, k)
            if refusal:
                return book.refused(refusal)
            Alike.of(purchases, setting).fill(k)
            tell.step("release")
            lost, figures = losses(purchases), kept(question.plan)
            refusal = none_is_left(figures)
            if refusal:
                return book.refused(refusal)
            report, told = report_of(question, lost, figures), losses_of(lost, k)
            settled = settle_histories(question.plan, figures)
            of_release = of_method(question, report, told, book.request_id, seen)
            with _map_of(purchases):
                out = published(Draft(question, question.plan, settled, of_release), setting.limits)
            tell.step("record")
            return book.released(out, told, report, tuple(warnings_of(purchases)))


def _map_of(purchases: Purchases) -> contextlib.AbstractContextManager[None]:
    """The map on its way, if the request wants one."""
    truth, release = purchases.resolved.map, purchases.resolved.request.release.to
    return contextlib.nullcontext() if truth is None else map_written(purchases, truth, Path(str(release)))
