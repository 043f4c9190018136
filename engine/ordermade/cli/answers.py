"""What `ordermade request run` tells of its answer, by the method of the request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.cli.screen import print_facts, print_table, say, tell

if TYPE_CHECKING:
    from ordermade.answering.result import Result
    from ordermade.generalization.result import GeneralizationResult
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.model import Request


def tell_answer(result: Result, request: Request, *, shown: bool) -> None:
    """Prints what was released where it is to be `shown`; warnings and refusals are told in any case."""
    from ordermade.generalization.result import GeneralizationResult
    from ordermade.requests.generalization import GeneralizationRequest

    if shown and result.released:
        say(f"Released: request {result.request}" + (f", {request.title}" if request.title else ""))
    if isinstance(result, GeneralizationResult) and isinstance(request, GeneralizationRequest):
        _generalised(result, request, shown=shown)


def _generalised(result: GeneralizationResult, request: GeneralizationRequest, *, shown: bool) -> None:
    from ordermade.cli.request_words import after_refusal, answer_facts, level_rows, round_rows

    if shown and result.released:
        if result.local is None:
            print_table(("quasi-identifier", "level", "level name"), level_rows(result.levels, result.level_names))
        else:
            print_table(("rows", "classes", "at the levels"), round_rows(result.local))
        say("")
        print_facts(answer_facts(result, request))
    for warning in result.warnings:
        tell(f"Warning: {warning}")
    if not result.released:
        tell(
            f"Refused: {result.reason}. {after_refusal(result, request)}; "
            f"`ordermade request show {result.request}` keeps this answer."
        )
