"""The list of offers as it is made: the alternatives that nodes decide, and Mondrian last."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ordermade.counting.counts import Units
from ordermade.errors import InputError, Refused
from ordermade.methods.generalization.measurement import Memory
from ordermade.methods.generalization.open_request import OpenGeneralization
from ordermade.methods.registry import METHOD_OF
from ordermade.methods.shared.open_request import RunContext
from ordermade.offers.finding import Finder
from ordermade.offers.offer import Found, OfferFigures, RequestChanges
from ordermade.requests.read import ReadRequest

if TYPE_CHECKING:
    from ordermade.requests.mondrian import MondrianRequest


@dataclass(frozen=True, slots=True)
class MadeList:
    """The alternatives found, and whether the request `passes` as it is.

    `left_out`: how the list falls short, in words. `measured`: the nodes measured for it. `spent`: whether the budget
    ended it.
    """

    found: tuple[Found, ...]
    passes: bool
    left_out: tuple[str, ...]
    measured: int
    spent: bool


def decided_by_nodes(
    open_request: OpenGeneralization, counted: Units, memory: Memory, context: RunContext, most_nodes: int
) -> MadeList:
    """The offers of an open request but for Mondrian's; what is measured for them is kept in table C.

    Raises SourceChanged, SourceFault, StateFault.
    """
    with memory.kept():
        context.progress.step("offers")
        finder = Finder(open_request, counted, memory, context, most_nodes)
        found, passes = finder.all()
    left_out = finder.left_out
    if finder.spent:
        left_out.append(
            f"the list ends after {len(finder.measured):,} nodes measured, which table C keeps: "
            "`ordermade request offers` goes on from there"
        )
    return MadeList(tuple(found), passes, tuple(left_out), len(finder.measured), finder.spent)


def with_mondrian(
    made: MadeList, open_request: OpenGeneralization, counted: Units, context: RunContext, most_rows: int
) -> MadeList:
    """The whole list, once the source is closed: the first variant of Mondrian that passes comes last.

    Every row is pulled and split. A request that bounds risks, or whose source writes the release, cannot be one for
    Mondrian.
    """
    changes = RequestChanges(open_request.resolved)
    if made.spent or made.passes or open_request.resolved.risk is not None or changes.are_of_nodes_alone:
        return made
    if counted.rows > most_rows:
        untried = f"Mondrian was not tried on more than {most_rows:,} rows (`method: mondrian`)"
        return replace(made, left_out=(*made.left_out, untried))
    context.progress.step("offers (Mondrian)")
    for change in changes.mondrian():
        asked = ReadRequest(cast("MondrianRequest", change.request), open_request.read.text, open_request.read.path)
        try:
            (point,) = METHOD_OF["mondrian"].sweep(asked, [change.request.k], context).points
        except (InputError, Refused):  # columns that cannot be split in this way
            continue
        if point.reason is None and point.measured_k is not None and point.divisions is not None:
            figures = OfferFigures(point.measured_k, point.divisions, point.losses)
            return replace(made, found=(*made.found, (change, figures)))
    return made
