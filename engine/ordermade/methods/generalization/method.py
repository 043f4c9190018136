"""The method as the engine calls it: check, explain, answer, sweep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordermade.methods.generalization.answer import answer_generalization
from ordermade.methods.generalization.measurement import grounded
from ordermade.methods.generalization.open_request import open_request
from ordermade.methods.generalization.search_problem import goal_of, search_of
from ordermade.methods.generalization.statements import steps
from ordermade.methods.generalization.sweep import generalization_swept
from ordermade.methods.shared.open_request import Examined, RunContext, examined
from ordermade.methods.shared.sweep import RequestMethod, Sweep
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved

if TYPE_CHECKING:
    from ordermade.methods.shared.explain import Step


def checked(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> Resolved:
    """The request held against its dataset. Raises RequestError with every mistake, or for a search that cannot be."""
    with open_request(setting.state, setting.limits, read) as question:
        search_of(goal_of(question.resolved, LARGEST_K))
        return question.resolved


def looked_at(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> Examined:
    """The request held against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        search_of(goal_of(question.resolved, LARGEST_K))
        return examined(question, lambda: grounded(question))


def explained(read: ReadRequest[GeneralizationRequest], setting: RunContext) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question, roll_up=setting.roll_up)


def swept(read: ReadRequest[GeneralizationRequest], ks: Sequence[int], setting: RunContext) -> Sweep:
    """The request with each k. Raises RequestError, SourceFault, StateFault."""
    return generalization_swept(read, ks, setting)


GENERALIZATION = RequestMethod(checked, looked_at, explained, answer_generalization, swept)
