"""The look at the data that a vote rests on: what they decide is the provider's to read, and counts for the user.

A reviewer who reads which rule of a filter the data break, beside a user who moves the filter, finds what the user may
not know. So a reviewer who is no provider reads the same words whatever it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.errors import DatasetClosed, FilterError, OrdermadeError, Refused, RequestError, UnknownName
from ordermade.release.entitled import LOOKED_AT
from ordermade.service.steps import step
from ordermade.service.withheld import is_of_data, said

if TYPE_CHECKING:
    from ordermade.service.desk import Desk
    from ordermade.service.steps import Look
    from ordermade.state.submissions import Dossier


def look_to_vote(of: Desk, dossier: Dossier, vote: str) -> Look:
    """What the data of a request are when it is voted on.

    A vote to refuse needs nothing of a filter that the data refuse. Raises what ends the look to a provider, Refused in
    the same words to others; DatasetClosed, which is every request's; RequestError, FilterError and UnknownName, which
    are of the request itself.
    """
    try:
        found = of.look(dossier)
    except (DatasetClosed, FilterError, RequestError, UnknownName):  # any other InputError may be of rows
        raise
    except OrdermadeError as other:
        fault = other
    else:
        if found.counted is None or vote == "refuse":
            return found
        fault = found.counted
    with step(of.state, of.credential, dossier.submission.id) as under_way:
        under_way.refused_by_data(dossier.submission, said(fault), counts=is_of_data(fault))
    if of.acting().is_provider:
        raise fault
    where = f"request {dossier.submission.id}"
    raise Refused(LOOKED_AT, where=where, next_step="Vote again once it goes on.")
