"""The contract of a method, check, explain, answer and sweep, with all that is the same of every method."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic

from ordermade.methods.shared.explain import Step, opening_steps
from ordermade.methods.shared.open_request import (
    CheckedData,
    Costs,
    Held,
    RunContext,
    checked_request,
    examined,
    opened_request,
    require_unchanged,
)
from ordermade.methods.shared.result import Result
from ordermade.methods.shared.sweep import Curve, Sweep, admitted, in_order, none_remain
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import ResolvedRequest


class Method(ABC, Generic[Held]):
    """A method as the engine calls it; `open_request` is its class of open requests, which resolves them too.

    Everything here raises InputError, SourceFault, StateFault; `answer` ReleaseFault too.
    """

    open_request: type[Held]

    def check(self, read: ReadRequest[Any], context: RunContext) -> ResolvedRequest:
        """The request held against its dataset, nothing run. Raises RequestError with every mistake."""
        resolved = checked_request(self.open_request, context.state, context.limits, read)
        self.require_answerable(resolved)
        return resolved

    def check_data(self, read: ReadRequest[Any], context: RunContext) -> CheckedData:
        """The request held against its data too, nothing released or noted.

        Raises RequestError, HierarchyError, Refused where no release could be.
        """
        with opened_request(self.open_request, context.state, context.limits, read) as open_request:
            self.require_answerable(open_request.resolved)
            return examined(open_request, lambda: self.cover(open_request))

    def explain(self, read: ReadRequest[Any], context: RunContext) -> tuple[Step, ...]:
        """The SQL of every step in order, nothing run. Raises RequestError with every mistake."""
        with opened_request(self.open_request, context.state, context.limits, read) as open_request:
            return (*opening_steps(open_request), *self.steps(open_request, context))

    @abstractmethod
    def answer(self, read: ReadRequest[Any], context: RunContext) -> Result:
        """The release, or the reason why there is none; then nothing is left half written."""

    def sweep(self, read: ReadRequest[Any], ks: Sequence[int], context: RunContext) -> Sweep:
        """The loss of the request with each k, ascending, in one pass over what they share.

        Nothing is released, nor noted as a request.
        """
        self.require_swept(read)
        started, progress = time.perf_counter(), context.progress
        with opened_request(self.open_request, context.state, context.limits, read, progress.statement) as open_request:
            ks, below = admitted(ks, open_request.opened.terms, open_request.opened.name)
            curve = self.curve(open_request, context)
            counted = curve.count(ks[0])
            few = none_remain(ks, counted.number, curve.called or counted.called)
            if few is None:
                curve.prepare()
            points = curve.points(ks) if few is None else few
            require_unchanged(open_request)
            return Sweep(
                title=read.request.title,
                dataset=open_request.opened.name,
                method=read.request.method,
                metric=curve.metric,
                meaning=curve.meaning,
                rows=None if few else counted.rows,
                persons=None if few else counted.persons,
                points=in_order((*below, *points)),
                cost=Costs.so_far(open_request, started),
            )

    def require_answerable(self, resolved: Any) -> None:
        """Raises RequestError for a request that fits its dataset but cannot be answered; none by default."""

    def require_swept(self, read: ReadRequest[Any]) -> None:
        """Raises RequestError for a request that has no sweep; none by default."""

    @abstractmethod
    def cover(self, open_request: Held) -> object:
        """Hold the hierarchies against their columns. Raises HierarchyError, InputError, SourceFault."""

    @abstractmethod
    def steps(self, open_request: Held, context: RunContext) -> Iterator[Step]:
        """The steps of the request in order, after the dataset version."""

    @abstractmethod
    def curve(self, open_request: Held, context: RunContext) -> Curve[Held]:
        """The losses of the request by its k."""
