"""The contract of a method, check, explain, answer and sweep, with all that is the same of every method."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Generic

from ordermade.catalogue.code_lists import changes_said
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.shared.explain import Step, opening_steps
from ordermade.methods.shared.open_request import (
    CheckedData,
    Costs,
    Held,
    OpenRequest,
    RunContext,
    examined,
    opened_request,
    require_unchanged,
    resolved_unopened,
)
from ordermade.methods.shared.recorder import noted_version
from ordermade.methods.shared.result import Result
from ordermade.methods.shared.sweep import Curve, Sweep, admitted, in_order, none_remain
from ordermade.privacy.least_k import DatasetTerms
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.executor import Listener

Recipe = Callable[[Held, RunContext, float], Result]
"""Answers an open request, which started at that time (by `time.perf_counter`)."""


class Method(ABC, Generic[Held]):
    """A method as the engine calls it; `open_request` is its class of open requests.

    Everything here raises InputError, SourceFault, StateFault; `answer` ReleaseFault too.
    """

    open_request: type[Held]

    def opened(
        self, read: ReadRequest[Any], context: RunContext, listener: Listener | None = None
    ) -> AbstractContextManager[Held]:
        """The request held against its dataset, whose source is open. Raises RequestError with every mistake."""
        return opened_request(self.open_request, self.resolve, read, context, listener)

    def check(self, read: ReadRequest[Any], context: RunContext) -> ResolvedRequest:
        """The request held against its dataset, nothing run. Raises RequestError with every mistake."""
        if context.limits.for_user:
            resolved = resolved_unopened(self.resolve, read, context)
        else:
            with self.opened(read, context) as open_request:
                resolved = open_request.resolved
                _notice_lists(open_request, context)
        self.require_answerable(resolved)
        return resolved

    def check_data(self, read: ReadRequest[Any], context: RunContext) -> CheckedData:
        """The request held against its data too, whose version is noted as seen; nothing is released.

        Raises RequestError, HierarchyError, Refused where no release could be.
        """
        with self.opened(read, context) as open_request:
            self.require_answerable(open_request.resolved)
            _notice_lists(open_request, context)
            seen, persons = examined(open_request, lambda: self.cover(open_request))
            with context.state.writing() as connection:
                noted_version(connection, open_request, seen, persons)
            return CheckedData.of(open_request, seen, persons)

    def explain(self, read: ReadRequest[Any], context: RunContext) -> tuple[Step, ...]:
        """The SQL of every step in order, nothing run. Raises RequestError with every mistake."""
        with self.opened(read, context) as open_request:
            return (*opening_steps(open_request), *self.steps(open_request, context))

    def answer(self, read: ReadRequest[Any], context: RunContext) -> Result:
        """The release, or the reason why there is none; then nothing is left half written.

        Changes of the code lists of its hierarchies are among the warnings.
        """
        recipe, started = self.recipe(), time.perf_counter()
        with self.opened(read, context, context.progress.statement) as open_request:
            if context.limits.for_user:  # the sentences are the provider's
                _notice_lists(open_request, context)
                return recipe(open_request, context, started)
            changed = tuple(_changed_lists(open_request, context))
            result = recipe(open_request, context, started)
            return replace(result, warnings=(*result.warnings, *changed)) if changed else result

    def sweep(self, read: ReadRequest[Any], ks: Sequence[int], context: RunContext) -> Sweep:
        """The loss of the request with each k, ascending, in one pass over what they share.

        Nothing is released, nor noted as a request.
        """
        self.require_swept(read)
        started = time.perf_counter()
        with self.opened(read, context, context.progress.statement) as open_request:
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

    @staticmethod
    @abstractmethod
    def resolve(
        read: ReadRequest[Any],
        columns: Mapping[str, str],
        hierarchies: Mapping[str, Hierarchy],
        entity: str | None,
        terms: DatasetTerms,
    ) -> ResolvedRequest:
        """The request over columns, hierarchies, entity column and terms. Raises RequestError with every mistake."""

    @abstractmethod
    def cover(self, open_request: Held) -> object:
        """Hold the hierarchies against their columns. Raises HierarchyError, InputError, SourceFault."""

    @abstractmethod
    def steps(self, open_request: Held, context: RunContext) -> Iterator[Step]:
        """The steps of the request in order, after the dataset version."""

    @abstractmethod
    def recipe(self) -> Recipe[Held]:
        """The function that answers an open request; what is slow to import comes with it."""

    @abstractmethod
    def curve(self, open_request: Held, context: RunContext) -> Curve[Held]:
        """The losses of the request by its k."""


def _changed_lists(open_request: OpenRequest[Any], context: RunContext) -> Iterator[str]:
    """A sentence about each hierarchy of the request whose code list is no more as it was taken."""
    names, opened = open_request.read.request.hierarchy_names, open_request.opened
    return changes_said(context.state, context.limits, names, opened.source.name, opened.backend)


def _notice_lists(open_request: OpenRequest[Any], context: RunContext) -> None:
    if context.notice is not None:
        for each in _changed_lists(open_request, context):
            context.notice(each)
