"""Generalisation as a method of the engine."""

from __future__ import annotations

from ordermade.answering.examined import Examined, examined
from ordermade.answering.explain import Step
from ordermade.answering.method import RequestMethod
from ordermade.answering.setting import Setting
from ordermade.generalization.answer import generalised
from ordermade.generalization.explain import steps
from ordermade.generalization.full_domain import search_of
from ordermade.generalization.goal import goal_of
from ordermade.generalization.question import open_request
from ordermade.generalization.sweep import generalization_swept
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved


def checked(read: ReadRequest[GeneralizationRequest], setting: Setting) -> Resolved:
    """The request held against its dataset. Raises RequestError with every mistake, or for a search that cannot be."""
    with open_request(setting.state, setting.limits, read) as question:
        search_of(goal_of(question.resolved, LARGEST_K))
        return question.resolved


def looked_at(read: ReadRequest[GeneralizationRequest], setting: Setting) -> Examined:
    """The request held against its data too. Raises RequestError, HierarchyError, Refused."""
    with open_request(setting.state, setting.limits, read) as question:
        search_of(goal_of(question.resolved, LARGEST_K))
        return examined(question, lambda: question.grounded(None))


def explained(read: ReadRequest[GeneralizationRequest], setting: Setting) -> tuple[Step, ...]:
    """The SQL of every step. Raises RequestError with every mistake."""
    with open_request(setting.state, setting.limits, read) as question:
        return steps(question, roll_up=setting.roll_up)


GENERALIZATION = RequestMethod(checked, looked_at, explained, generalised, generalization_swept)
