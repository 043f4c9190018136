"""The output of `ordermade request run`, by method: an answer, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from ordermade.errors import InputError
from ordermade.loss.shapes import ARTEFACT
from ordermade.methods.shared import released_columns
from ordermade.methods.shared import result as words
from ordermade.plots.plot_files import check_plot
from ordermade.privacy.requirement import risk_of
from ordermade.requests.read import ReadRequest, of_microaggregation
from ordermade.views import histories, microaggregation, mondrian, tables
from ordermade.views import request as generalization
from ordermade.views.lost_detail import lost_in_words
from ordermade.views.records import reasons
from ordermade.views.screen import from_here, notify, print_facts, print_table, say

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.methods.generalization.result import GeneralizationResult
    from ordermade.methods.histories.result import HistoryResult
    from ordermade.methods.microaggregation.result import MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult
    from ordermade.methods.tables.result import TablesResult
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.microaggregation import MicroaggregationRequest
    from ordermade.requests.model import Request


def checked_plot(plot: Path, read: ReadRequest[Request]) -> Path:
    """The file for a plot of the answer. Raises InputError, before anything runs, if it cannot be drawn."""
    path = plot.expanduser()
    attributes = of_microaggregation(read, "request run --plot").request.attributes
    if all(each.hierarchy is not None for each in attributes.values()):
        raise InputError(
            "none of the attributes is numeric, so there is nothing to draw",
            where="--plot",
            next_step="Leave --plot out.",
        )
    check_plot(path)
    return path


def print_answer(result: words.Result, request: Request, *, shown: bool, verbose: bool = False) -> None:
    """Prints the answer where it is `shown`; warnings and refusals are printed in any case.

    With `verbose` every figure follows the few that all readers want.
    """
    if shown and (result.released or result.status == "stopped"):
        say(words.heading(result))
        _print_columns(result, verbose=verbose)
        say("")
        print_facts(_facts(result, request))
        if verbose:
            _print_all(result, request)
    for warning in result.warnings:
        notify(f"Warning: {warning}")
    lost = getattr(result, "lost", None)
    if lost is not None:
        notify(f"Warning: {'. '.join(lost_in_words(lost, '`suppression_limit: {}`', at_most=True))}.")
    if result.status == "stopped":
        reason = f"{result.reason[:1].upper()}{result.reason[1:]}" if result.reason else ""
        notify(f"{reason}. {result.next}")
    elif not result.released:
        print_refusal(result)
    elif shown and result.next:
        say(f"\nNext: {result.next}")


def print_refusal(result: words.Result) -> None:
    """Prints why a request was refused, a line a fact, and what to do next, on stderr."""
    notify("\n".join([f"{words.heading(result)}:", *(f"  {each}" for each in reasons(result.reason or ""))]))
    notify(result.next)
    if result.request:
        notify(f"Kept: ordermade request show {result.request}")


def _print_columns(result: words.Result, *, verbose: bool) -> None:
    columns = result.columns
    if verbose:
        print_table(released_columns.ALL_COLUMN_HEADINGS, released_columns.all_column_rows(columns))
    elif result.released:
        print_table(released_columns.COLUMN_HEADINGS, released_columns.column_rows(columns))
    else:  # nothing of it is a label of a release
        print_table(released_columns.COLUMN_HEADINGS[:2], [row[:2] for row in released_columns.column_rows(columns)])


def _facts(result: words.Result, request: Request) -> Iterator[tuple[str, Any]]:
    """The few facts of a release, with the place as it is typed from here; where a search was stopped, how far off."""
    limit = getattr(request, "suppression_limit", None)
    entity = getattr(request, "entity", None)
    for name, value in words.facts(result, None if limit is None else float(limit), entity):
        yield name, from_here(value) if name == "release" and value else value
    if request.method == "table" and not hasattr(result, "returned"):
        yield from tables.answer_facts(cast("TablesResult", result))
    search = getattr(result, "search", None)
    if search is not None and search.stopped is not None:
        yield "search", generalization.stop_in_words(search)
        yield "from the optimum", generalization.gap_in_words(search.gap)
    history = getattr(result, "history", None)
    if history is not None and history.map is not None:
        yield "map", f"{from_here(history.map)} (secret: it maps released rows to customers)"
    if hasattr(result, "returned"):
        yield "written", f"nothing: release {result.returned} was measured again and stands"


def _print_all(result: words.Result, request: Request) -> None:
    """Prints the losses as a table, then the method's own figures and the cost."""
    print_table(words.LOSS_HEADINGS, words.loss_rows(result.loss, result.forms.extremes()), title=words.LOSS_RANGE)
    # By the method's name: the modules of the requests and results of every other one take a while to import.
    if hasattr(result, "returned"):
        own: Iterable[tuple[str, Any]] = ()
    elif request.method == "table":
        counted = cast("TablesResult", result)
        print_table(tables.RELEASED_HEADINGS, tables.released_rows(counted))
        own = tables.cost_facts(counted)
    elif request.method == "microaggregation":
        answer, wanted = cast("MicroaggregationResult", result), cast("MicroaggregationRequest", request)
        if answer.microaggregation is not None:
            print_table(microaggregation.RELEASED_HEADINGS, microaggregation.released_rows(answer.microaggregation))
        own = microaggregation.answer_facts(answer, wanted)
    elif request.method == "mondrian":
        split = cast("MondrianResult", result)
        print_table(mondrian.RELEASED_HEADINGS, mondrian.released_rows(split))
        if split.recommendation:
            print_table(
                mondrian.RULE_HEADINGS, mondrian.rule_rows(split, request.k), title="Persons served by each rule:"
            )
        own = mondrian.answer_facts(split)
    elif request.method == "history":
        alike = cast("HistoryResult", result)
        print_table(histories.RELEASED_HEADINGS, histories.released_rows(alike))
        own = histories.answer_facts(alike)
    else:
        found = cast("GeneralizationResult", result)
        if found.local is not None:
            print_table(("rows", "classes", "at the levels"), generalization.round_rows(found.local))
        asked = cast("GeneralizationRequest", request)
        own = generalization.answer_facts(found, asked, risk_of(asked.risk))
    say("")
    risks = [(name, value) for name, value in words.privacy_facts(result) if name.endswith(" risk")]
    report = result.release
    print_facts(
        [
            ("classes", result.divisions),
            *risks,
            *own,
        ]
    )
    if report is not None:  # apart: beside longer names the hash is wider than 80 columns
        print_facts([("release number", report.number), ("sha256", report.sha256)])
    if "utility_as_categories" in result.loss:
        say(f"\n{ARTEFACT}")
