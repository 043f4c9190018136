"""The interface of a `method` of requests to the engine: how they are checked, explained, answered and swept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ordermade.answering.examined import Examined
from ordermade.answering.explain import Step
from ordermade.answering.result import Result
from ordermade.answering.setting import Setting
from ordermade.answering.sweep import Sweep
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolving import ResolvedRequest


@dataclass(frozen=True, slots=True)
class RequestMethod:
    """Five functions of a request of the method's own kind, as read, and of what it is answered with.

    `checked`: the request held against its dataset, nothing run. `examined`: held against its data too, nothing
    released nor noted; raises Refused where no release could be. `explained`: the SQL of its steps, nothing run.
    `answered`: its release, or the reason why there is none. `swept`: what it would come to with each k, ascending, in
    one pass over what they share; nothing is released, nor noted as a request. Each raises InputError, SourceFault,
    StateFault; `answered` ReleaseFault too.
    """

    checked: Callable[[ReadRequest[Any], Setting], ResolvedRequest]
    examined: Callable[[ReadRequest[Any], Setting], Examined]
    explained: Callable[[ReadRequest[Any], Setting], tuple[Step, ...]]
    answered: Callable[[ReadRequest[Any], Setting], Result]
    swept: Callable[[ReadRequest[Any], Sequence[int], Setting], Sweep]
