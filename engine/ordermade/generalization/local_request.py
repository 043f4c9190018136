"""Local recoding of a request: from its search's answer to what its release goes on from."""

from __future__ import annotations

from collections.abc import Callable

from ordermade.generalization.goal import Goal
from ordermade.generalization.local_recoding import Recoded, local_recoding
from ordermade.generalization.measurement import Measurement
from ordermade.generalization.publish import Chosen, LocalRecoding
from ordermade.generalization.question import Question
from ordermade.lattice.node import Node
from ordermade.measuring.dataset import Version
from ordermade.release.plan import Plan


def recoded(
    question: Question,
    goal: Goal,
    found: Measurement,
    best: Node | None,
    progress: Callable[[int], None] | None = None,
) -> Recoded:
    """The local recoding of a request whose search ended with `best`: None where no accepted node passes.

    Where it has a `refusal`, the request is to be refused for this reason. Raises RequestError for a lattice of too
    many nodes.
    """
    request, resolved = question.read.request, question.resolved
    plan = Plan(
        dataset=question.dataset,
        attributes=found.attributes,
        node=goal.lattice.top,
        kept=resolved.keep,
        shape=request.release.shape,
        sensitive=found.sensitive,
        entity=resolved.entity,
        k=goal.requirement.k,
        local=True,
    )
    return local_recoding(plan, goal.lattice, goal.requirement, best, goal.weights, progress)


def chosen_rounds(
    question: Question, goal: Goal, rounds: Recoded, found: Measurement, request_id: int, version: Version
) -> Chosen:
    """What is to be released: the rounds (the last that ran), with the node of the first one and the classes of all."""
    return Chosen(
        request_id=request_id,
        node=rounds.rounds[0].node,
        observation=rounds.classes,
        losses=rounds.losses,
        version=version,
        requirement=goal.requirement,
        sensitive=found.sensitive,
        local=LocalRecoding(rounds.rounds_told(question.columns, question.level_names)),
    )
