"""Purchase histories as a method of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.answering.examined import Examined, examined
from ordermade.answering.explain import Step
from ordermade.answering.method import RequestMethod
from ordermade.answering.result import Result
from ordermade.answering.setting import Setting
from ordermade.answering.sweep import Sweep
from ordermade.purchases.explain import steps
from ordermade.purchases.question import open_request
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolved_history import ResolvedHistory


def checked(read: ReadRequest[HistoryRequest], setting: Setting) -> ResolvedHistory:
    """Resolve the request against its dataset. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return question.resolved


def looked_at(read: ReadRequest[HistoryRequest], setting: Setting) -> Examined:
    """Check the request against its data too. Raises RequestError, HierarchyError, Refused."""
    # Arrays are slow to import, and no plain check needs them.
    from ordermade.purchases.records import categories_of

    with open_request(setting.state, setting.limits, read) as question:
        return examined(question, lambda: categories_of(question.plan, question.resolved), question.registered)


def explained(read: ReadRequest[HistoryRequest], setting: Setting) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question)


def answered(read: ReadRequest[HistoryRequest], setting: Setting) -> Result:
    """The release, or the reason why there is none. Raises InputError, SourceFault, StateFault, ReleaseFault."""
    # The compiler of the likeness of histories is slow to import, and no other request needs it.
    from ordermade.purchases.answer import made_alike

    return made_alike(read, setting)


def swept(read: ReadRequest[HistoryRequest], ks: Sequence[int], setting: Setting) -> Sweep:
    """The loss at each k, nothing released. Raises InputError, SourceFault, StateFault."""
    from ordermade.purchases.sweep import histories_swept

    return histories_swept(read, ks, setting)


HISTORY = RequestMethod(checked, looked_at, explained, answered, swept)
