"""Microaggregation as a method of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.answering.examined import Examined, examined
from ordermade.answering.explain import Step
from ordermade.answering.method import RequestMethod
from ordermade.answering.result import Result
from ordermade.answering.setting import Setting
from ordermade.answering.sweep import Sweep
from ordermade.measuring.grounding import ground
from ordermade.microdata.explain import steps
from ordermade.microdata.question import open_request
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation


def checked(read: ReadRequest[MicroaggregationRequest], setting: Setting) -> ResolvedMicroaggregation:
    """Resolve the request against its dataset. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return question.resolved


def looked_at(read: ReadRequest[MicroaggregationRequest], setting: Setting) -> Examined:
    """Check the request against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        return examined(question, lambda: (question.plan(ground), question.aggregated(ground)))


def explained(read: ReadRequest[MicroaggregationRequest], setting: Setting) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question)


def answered(read: ReadRequest[MicroaggregationRequest], setting: Setting) -> Result:
    """The release, or the reason why there is none. Raises InputError, SourceFault, StateFault, ReleaseFault."""
    # The compiler of the methods is slow to import, and no other method needs it.
    from ordermade.microdata.answer import microaggregated

    return microaggregated(read, setting)


def swept(read: ReadRequest[MicroaggregationRequest], ks: Sequence[int], setting: Setting) -> Sweep:
    """The loss at each k, nothing released. Raises InputError, SourceFault, StateFault."""
    from ordermade.microdata.sweep import microaggregation_swept

    return microaggregation_swept(read, ks, setting)


MICROAGGREGATION = RequestMethod(checked, looked_at, explained, answered, swept)
