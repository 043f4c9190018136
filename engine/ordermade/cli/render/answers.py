"""The output of `ordermade request`, by method: a check, an answer, a request on record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.screen import from_here, notify, print_facts, print_table, say

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.methods.generalization.result import GeneralizationResult
    from ordermade.methods.histories.result import HistoryResult
    from ordermade.methods.microaggregation.result import MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult
    from ordermade.methods.shared.existing_release import ReturnedResult
    from ordermade.methods.shared.open_request import Examined
    from ordermade.methods.shared.result import Result
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.history import HistoryRequest
    from ordermade.requests.microaggregation import MicroaggregationRequest
    from ordermade.requests.model import Request
    from ordermade.requests.mondrian import MondrianRequest
    from ordermade.requests.read import ReadRequest
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.state.records import RequestDetails


def checked(file: str, resolved: ResolvedRequest) -> tuple[str, dict[str, Any]]:
    """The result of a check without mistakes, in a line and as JSON."""
    from ordermade.cli.render import histories as history_words
    from ordermade.cli.render import microaggregation as microaggregation_words
    from ordermade.cli.render import mondrian as mondrian_words
    from ordermade.cli.render import request as request_words
    from ordermade.requests.resolve import Resolved
    from ordermade.requests.resolve_history import ResolvedHistory
    from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation
    from ordermade.requests.resolve_mondrian import ResolvedMondrian

    match resolved:
        case Resolved():
            return request_words.sound(file, resolved), request_words.checked_document(file, resolved)
        case ResolvedMicroaggregation():
            return microaggregation_words.sound(file, resolved), microaggregation_words.checked_document(file, resolved)
        case ResolvedMondrian():
            return mondrian_words.sound(file, resolved), mondrian_words.checked_document(file, resolved)
        case ResolvedHistory():
            return history_words.sound(file, resolved), history_words.checked_document(file, resolved)
        case _:
            raise TypeError(f"there is no output for a {type(resolved).__name__}")


def looked_at(found: Examined | None) -> tuple[str, dict[str, Any]]:
    """The parts of its data that a request was checked against, in a line and as JSON; None: none."""
    from ordermade.methods.shared.open_request import LOOKED_AT

    listed = ", ".join(LOOKED_AT)
    if found is None:
        return f"Not checked: {listed}. Run it with --data.", {"data": None, "not_looked_at": LOOKED_AT}
    persons = "" if found.persons is None else f" of {found.persons:,} persons"
    version = None if found.hash_sum is None else f"{found.hash_sum:x}"
    facts = {"rows": found.rows, "persons": found.persons, "version": version}
    return f"Checked: {listed}; {found.rows:,} rows{persons}.", {"data": facts, "not_looked_at": ()}


def print_record(details: RequestDetails) -> None:
    """Prints a request on record: its fields, its outcome and its cost."""
    from ordermade.cli.render import histories as history_words
    from ordermade.cli.render import microaggregation as microaggregation_words
    from ordermade.cli.render import mondrian as mondrian_words
    from ordermade.cli.render import request as request_words

    print_facts(request_words.record_facts(details))
    if details.request.method == "history":
        print_table(history_words.REQUEST_HEADINGS, history_words.request_rows(details))
        return
    if details.request.method == "mondrian":
        print_table(mondrian_words.REQUEST_HEADINGS, mondrian_words.request_rows(details))
        return
    if details.request.method == "microaggregation":
        print_table(microaggregation_words.REQUEST_HEADINGS, microaggregation_words.request_rows(details))
        if details.quasi_identifiers:
            print_table(microaggregation_words.WITHIN_HEADINGS, microaggregation_words.within_rows(details))
        return
    print_table(request_words.REQUEST_HEADINGS, request_words.request_rows(details))


def checked_plot(plot: Path, read: ReadRequest[Request]) -> Path:
    """The file for a plot of the answer. Raises InputError, before anything runs, if it cannot be drawn."""
    from ordermade.cli.render.figures import check_plot
    from ordermade.errors import InputError
    from ordermade.requests.read import of_microaggregation

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


def draw_plot(result: Result, path: Path, *, shown: bool) -> None:
    """Draws the released values into the file, and prints so where it is `shown`; a refusal has no plot."""
    from ordermade.methods.microaggregation.result import MicroaggregationResult

    if not isinstance(result, MicroaggregationResult) or not result.released:
        return
    from ordermade.cli.render.distribution_plots import MOST_SHOWN, plot_values

    plot_values(result, path)
    numeric = len(result.distributions)
    what = "numbers" if numeric <= MOST_SHOWN else f"first {MOST_SHOWN} of {numeric} numeric attributes"
    if shown:
        say(f"\nDrew the {what} before and after in {path}.")


def print_answer(result: Result, request: Request, *, shown: bool) -> None:
    """Prints the release where it is `shown`; warnings and refusals are printed in any case."""
    from ordermade.methods.shared.existing_release import ReturnedResult

    if isinstance(result, ReturnedResult):
        if shown:
            _returned(result)
        return
    if shown and (result.released or result.status == "stopped"):
        did = "Released" if result.released else "Not released"
        say(f"{did}: request {result.request}" + (f", {request.title}" if request.title else ""))
    # By the method's name: the modules of the requests and results of every other one take a while to import.
    match request.method:
        case "microaggregation":
            of_values = cast("MicroaggregationRequest", request)
            _microaggregated(cast("MicroaggregationResult", result), of_values, shown=shown)
        case "mondrian":
            _split(cast("MondrianResult", result), cast("MondrianRequest", request), shown=shown)
        case "history":
            _made_alike(cast("HistoryResult", result), cast("HistoryRequest", request), shown=shown)
        case _:
            _generalised(cast("GeneralizationResult", result), cast("GeneralizationRequest", request), shown=shown)


def _returned(result: ReturnedResult) -> None:
    from ordermade.methods.shared.result_words import LEVEL_HEADINGS, level_rows

    say(f"Released before: request {result.request}, release {result.returned}. It was measured again and stands.")
    if result.levels:
        print_table(LEVEL_HEADINGS, level_rows(result.levels, result.level_names))
    say("")
    report = result.release
    print_facts(
        [
            ("k", result.k),
            ("classes", result.divisions),
            ("rows", None if report is None else report.rows),
            ("suppressed", result.suppressed_rows),
            ("where", None if report is None else from_here(report.path)),
        ]
    )
    say("\nNothing was searched or written; --again makes it anew.")


def _generalised(result: GeneralizationResult, request: GeneralizationRequest, *, shown: bool) -> None:
    from ordermade.cli.render.request import after_refusal, answer_facts, round_rows
    from ordermade.methods.shared.result_words import LEVEL_HEADINGS, level_rows

    if shown and (result.released or result.status == "stopped"):
        if result.local is None:
            print_table(LEVEL_HEADINGS, level_rows(result.levels, result.level_names))
        else:
            print_table(("rows", "classes", "at the levels"), round_rows(result.local))
        say("")
        print_facts(answer_facts(result, request))
    _warnings_and_refusal(result, after_refusal(result, request))


def _microaggregated(result: MicroaggregationResult, request: MicroaggregationRequest, *, shown: bool) -> None:
    from ordermade.cli.render import microaggregation as words

    if shown and result.microaggregation is not None:
        print_table(words.RELEASED_HEADINGS, words.released_rows(result.microaggregation))
        say("")
        print_facts(words.answer_facts(result, request))
    _warnings_and_refusal(result, words.after_refusal(result, request))


def _split(result: MondrianResult, request: MondrianRequest, *, shown: bool) -> None:
    from ordermade.cli.render import mondrian as words

    if shown and result.mondrian is not None:
        print_table(words.RELEASED_HEADINGS, words.released_rows(result))
        if result.recommendation:
            print_table(words.RULE_HEADINGS, words.rule_rows(result, request.k), title="Persons served by each rule:")
        say("")
        print_facts(words.answer_facts(result, request))
    _warnings_and_refusal(result, words.after_refusal(result, request))


def _made_alike(result: HistoryResult, request: HistoryRequest, *, shown: bool) -> None:
    from ordermade.cli.render import histories as words
    from ordermade.methods.histories.algorithm.loss_estimate import ARTEFACT

    if shown and result.history is not None:
        print_table(words.RELEASED_HEADINGS, words.released_rows(result))
        say("")
        print_facts(words.answer_facts(result, request))
        if "utility_as_categories" in result.loss:
            say(f"\n{ARTEFACT}")
    _warnings_and_refusal(result, words.after_refusal(result))


def _warnings_and_refusal(result: Result, next_step: str) -> None:
    for warning in result.warnings:
        notify(f"Warning: {warning}")
    if result.status == "stopped":
        reason = f"{result.reason[:1].upper()}{result.reason[1:]}" if result.reason else ""
        notify(f"{reason}. Run it again for a proof; with --release-best it is released after Ctrl-C.")
    elif not result.released:
        notify(f"Refused: {result.reason}. {next_step}; `ordermade request show {result.request}` keeps this answer.")
