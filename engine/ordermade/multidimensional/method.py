"""Mondrian as a method of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.answering.examined import Examined, examined
from ordermade.answering.explain import Step
from ordermade.answering.method import RequestMethod
from ordermade.answering.result import Result
from ordermade.answering.setting import Setting
from ordermade.answering.sweep import Sweep
from ordermade.measuring.grounding import ground
from ordermade.multidimensional.explain import steps
from ordermade.multidimensional.question import open_request
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_mondrian import ResolvedMondrian


def checked(read: ReadRequest[MondrianRequest], setting: Setting) -> ResolvedMondrian:
    """Resolve the request against its dataset. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return question.resolved


def looked_at(read: ReadRequest[MondrianRequest], setting: Setting) -> Examined:
    """Check the request against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        return examined(question, lambda: question.wanted(ground))


def explained(read: ReadRequest[MondrianRequest], setting: Setting) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question)


def answered(read: ReadRequest[MondrianRequest], setting: Setting) -> Result:
    """The release, or the reason why there is none. Raises InputError, SourceFault, StateFault, ReleaseFault."""
    # The compiler of the splits is slow to import, and no other request needs it.
    from ordermade.multidimensional.answer import divided

    return divided(read, setting)


def swept(read: ReadRequest[MondrianRequest], ks: Sequence[int], setting: Setting) -> Sweep:
    """The loss at each k, nothing released. Raises InputError, SourceFault, StateFault."""
    from ordermade.multidimensional.sweep import mondrian_swept

    return mondrian_swept(read, ks, setting)


MONDRIAN = RequestMethod(checked, looked_at, explained, answered, swept)
