"""Local recoding of a request: from its search's answer to what its release goes on from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ordermade.generalization.goal import Goal
from ordermade.generalization.local_recoding import Recoded, local_recoding
from ordermade.generalization.measurement import Measurement
from ordermade.generalization.publish import Chosen, LocalRecoding, plan_of
from ordermade.generalization.question import Question
from ordermade.lattice.node import Node
from ordermade.measuring.dataset import Version


def recoded(
    question: Question,
    goal: Goal,
    found: Measurement,
    best: Node | None,
    progress: Callable[[int], None] | None = None,
    *,
    counted: bool = False,
) -> Recoded:
    """The local recoding of a request whose search ended with `best`: None where no accepted node passes.

    Where it has a `refusal`, the request is to be refused for this reason. `counted`: whether the dataset was counted
    already, for another k. Raises RequestError for a lattice of too many nodes.
    """
    plan = plan_of(question, found.attributes, found.sensitive, goal.lattice.top, goal.requirement.k)
    return local_recoding(
        replace(plan, local=True), goal.lattice, goal.requirement, best, goal.weights, progress, counted=counted
    )


def chosen_rounds(
    question: Question, goal: Goal, rounds: Recoded, found: Measurement, request_id: int, version: Version
) -> Chosen:
    """Return the release: the rounds (the last that ran), with the node of the first one and the classes of all."""
    return Chosen(
        request_id=request_id,
        node=rounds.rounds[0].node,
        observation=rounds.classes,
        losses=rounds.losses,
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
        local=LocalRecoding(rounds.reported_rounds(question.columns, question.level_names)),
    )
