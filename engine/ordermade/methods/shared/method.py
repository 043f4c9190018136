"""The contract of a method, check, explain, answer and sweep, with all that is the same of every method."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic

from ordermade.methods.shared.explain import Step, opening_steps
from ordermade.methods.shared.open_request import (
    Costs,
    Examined,
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

    def check(self, read: ReadRequest[Any], setting: RunContext) -> ResolvedRequest:
        """The request held against its dataset, nothing run. Raises RequestError with every mistake."""
        resolved = checked_request(self.open_request, setting.state, setting.limits, read)
        self.require_answerable(resolved)
        return resolved

    def check_data(self, read: ReadRequest[Any], setting: RunContext) -> Examined:
        """The request held against its data too, nothing released or noted.

        Raises RequestError, HierarchyError, Refused where no release could be.
        """
        with opened_request(self.open_request, setting.state, setting.limits, read) as question:
            self.require_answerable(question.resolved)
            return examined(question, lambda: self.cover(question))

    def explain(self, read: ReadRequest[Any], setting: RunContext) -> tuple[Step, ...]:
        """The SQL of every step in order, nothing run. Raises RequestError with every mistake."""
        with opened_request(self.open_request, setting.state, setting.limits, read) as question:
            return (*opening_steps(question), *self.steps(question, setting))

    @abstractmethod
    def answer(self, read: ReadRequest[Any], setting: RunContext) -> Result:
        """The release, or the reason why there is none; then nothing is left half written."""

    def sweep(self, read: ReadRequest[Any], ks: Sequence[int], setting: RunContext) -> Sweep:
        """The loss of the request with each k, ascending, in one pass over what they share.

        Nothing is released, nor noted as a request.
        """
        self.require_swept(read)
        started, progress = time.perf_counter(), setting.progress
        with opened_request(self.open_request, setting.state, setting.limits, read, progress.statement) as question:
            ks, below = admitted(ks, question.opened.terms, question.opened.name)
            curve = self.curve(question, setting)
            counted = curve.count(ks[0])
            few = none_remain(ks, counted.number, curve.called or counted.called)
            if few is None:
                curve.prepare()
            points = curve.points(ks) if few is None else few
            require_unchanged(question)
            return Sweep(
                title=read.request.title,
                dataset=question.opened.name,
                method=read.request.method,
                metric=curve.metric,
                meaning=curve.meaning,
                rows=None if few else counted.rows,
                persons=None if few else counted.persons,
                points=in_order((*below, *points)),
                cost=Costs.so_far(question, started),
            )

    def require_answerable(self, resolved: Any) -> None:
        """Raises RequestError for a request that fits its dataset but cannot be answered; none by default."""

    def require_swept(self, read: ReadRequest[Any]) -> None:
        """Raises RequestError for a request that has no sweep; none by default."""

    @abstractmethod
    def cover(self, question: Held) -> object:
        """Hold the hierarchies against their columns. Raises HierarchyError, InputError, SourceFault."""

    @abstractmethod
    def steps(self, question: Held, setting: RunContext) -> Iterator[Step]:
        """The steps of the request in order, after the dataset version."""

    @abstractmethod
    def curve(self, question: Held, setting: RunContext) -> Curve[Held]:
        """The losses of the request by its k."""
