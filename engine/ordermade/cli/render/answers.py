"""The output of `ordermade request`, by method: a check, an answer, a request on record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from ordermade.cli.documents.request import (
    DATA_PARTS,
    DataLookedAt,
    Sound,
    SoundGeneralization,
    SoundHistory,
    SoundMicroaggregation,
    SoundMondrian,
)
from ordermade.cli.render import histories, microaggregation, mondrian
from ordermade.cli.render import histories as history_words
from ordermade.cli.render import microaggregation as microaggregation_words
from ordermade.cli.render import mondrian as mondrian_words
from ordermade.cli.screen import from_here, notify, print_facts, print_table, say
from ordermade.errors import InputError
from ordermade.loss.shapes import ARTEFACT

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.methods.generalization.result import GeneralizationResult
    from ordermade.methods.histories.result import HistoryResult
    from ordermade.methods.microaggregation.result import MicroaggregationResult
    from ordermade.methods.mondrian.result import MondrianResult
    from ordermade.methods.shared.open_request import Examined
    from ordermade.methods.shared.result import Result
    from ordermade.requests.generalization import GeneralizationRequest
    from ordermade.requests.microaggregation import MicroaggregationRequest
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.state.records.requests import RequestRecord


def checked(file: str, resolved: ResolvedRequest, found: Examined | None) -> tuple[str, Sound]:
    """The result of a check without mistakes, in a line and as its record; `found`: what was checked of its data."""
    from ordermade.cli.render import request as request_words
    from ordermade.requests.resolve import Resolved
    from ordermade.requests.resolve_history import ResolvedHistory
    from ordermade.requests.resolve_microaggregation import ResolvedMicroaggregation
    from ordermade.requests.resolve_mondrian import ResolvedMondrian

    data = None if found is None else DataLookedAt.of(found)
    match resolved:
        case Resolved():
            return request_words.sound(file, resolved), SoundGeneralization.of(file, resolved, data)
        case ResolvedMicroaggregation():
            return microaggregation_words.sound(file, resolved), SoundMicroaggregation.of(file, resolved, data)
        case ResolvedMondrian():
            return mondrian_words.sound(file, resolved), SoundMondrian.of(file, resolved, data)
        case ResolvedHistory():
            return history_words.sound(file, resolved), SoundHistory.of(file, resolved, data)
        case _:
            raise TypeError(f"there is no output for a {type(resolved).__name__}")


def looked_at(found: Examined | None) -> str:
    """The parts of its data that a request was checked against, in a line; None: none."""
    listed = ", ".join(DATA_PARTS)
    if found is None:
        return f"Not checked: {listed}. Run it with --data."
    persons = "" if found.persons is None else f" of {found.persons:,} persons"
    return f"Checked: {listed}; {found.rows:,} rows{persons}."


def print_record(request: RequestRecord, *, verbose: bool = False) -> None:
    """Prints a request on record: its fields and its outcome; with `verbose` how it was answered, and its cost."""
    from ordermade.cli.render import request as request_words

    outcome = f", {request.title}" if request.title else ""
    say(f"Request {request.id}, {request.status}{outcome}")
    print_facts(
        (name, value) for name, value in request_words.record_facts(request) if verbose or name in request_words.SHOWN
    )
    for each in reasons(request.reason or ""):
        say(f"  {each}")
    if request.method == "history":
        print_table(history_words.REQUEST_HEADINGS, history_words.request_rows(request))
        return
    if request.method == "mondrian":
        print_table(mondrian_words.REQUEST_HEADINGS, mondrian_words.request_rows(request))
        return
    if request.method == "microaggregation":
        print_table(microaggregation_words.REQUEST_HEADINGS, microaggregation_words.request_rows(request))
        if request.quasi_identifiers:
            print_table(microaggregation_words.WITHIN_HEADINGS, microaggregation_words.within_rows(request))
        return
    print_table(request_words.REQUEST_HEADINGS, request_words.request_rows(request))


def checked_plot(plot: Path, read: ReadRequest[Request]) -> Path:
    """The file for a plot of the answer. Raises InputError, before anything runs, if it cannot be drawn."""
    from ordermade.cli.render.figures import check_plot
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
    from ordermade.cli.render.distribution_plots import MOST_SHOWN, plot_values
    from ordermade.methods.microaggregation.result import MicroaggregationResult

    if not isinstance(result, MicroaggregationResult) or not result.released:
        return

    plot_values(result, path, result.title)
    numeric = len(result.distributions)
    what = "numbers" if numeric <= MOST_SHOWN else f"first {MOST_SHOWN} of {numeric} numeric attributes"
    if shown:
        say(f"\nDrew the {what} before and after in {path}.")


def print_answer(result: Result, request: Request, *, shown: bool, verbose: bool = False) -> None:
    """Prints the answer where it is `shown`; warnings and refusals are printed in any case.

    With `verbose` every figure follows the few that all readers want.
    """
    from ordermade.methods.shared.result import heading

    if shown and (result.released or result.status == "stopped"):
        say(heading(result))
        _print_columns(result, verbose=verbose)
        say("")
        print_facts(_facts(result, request))
        if verbose:
            _print_all(result, request)
    for warning in result.warnings:
        notify(f"Warning: {warning}")
    if result.status == "stopped":
        reason = f"{result.reason[:1].upper()}{result.reason[1:]}" if result.reason else ""
        notify(f"{reason}. {result.next}")
    elif not result.released:
        print_refusal(result)
    elif shown and result.next:
        say(f"\nNext: {result.next}")


def print_refusal(result: Result) -> None:
    """Prints why a request was refused, a line a fact, and what to do next, on stderr."""
    from ordermade.methods.shared.result import heading

    notify("\n".join([f"{heading(result)}:", *(f"  {each}" for each in reasons(result.reason or ""))]))
    notify(result.next)
    if result.request:
        notify(f"Kept: ordermade request show {result.request}")


_BETWEEN_FACTS = re.compile(r": (?=the coarsest has )|; (?=classes that fail |column |nothing )|\. (?=Nearest )")


def reasons(reason: str) -> list[str]:
    """The facts of a reason, each by itself."""
    return [each for each in _BETWEEN_FACTS.split(reason) if each]


def _print_columns(result: Result, *, verbose: bool) -> None:
    from ordermade.methods.shared import result as words

    columns = result.columns
    if verbose:
        print_table(words.ALL_COLUMN_HEADINGS, words.all_column_rows(columns))
    elif result.released:
        print_table(words.COLUMN_HEADINGS, words.column_rows(columns))
    else:  # nothing of it is a label of a release
        print_table(words.COLUMN_HEADINGS[:2], [row[:2] for row in words.column_rows(columns)])


def _facts(result: Result, request: Request) -> Iterator[tuple[str, Any]]:
    """The few facts of a release, with the place as it is typed from here; where a search was stopped, how far off."""
    from ordermade.cli.render.request import gap_in_words, stop_in_words
    from ordermade.methods.shared import result as words

    limit = getattr(request, "suppression_limit", None)
    entity = getattr(request, "entity", None)
    for name, value in words.facts(result, None if limit is None else float(limit), entity):
        yield name, from_here(value) if name == "release" and value else value
    search = getattr(result, "search", None)
    if search is not None and search.stopped is not None:
        yield "search", stop_in_words(search.stopped)
        yield "from the optimum", gap_in_words(search.gap)
    history = getattr(result, "history", None)
    if history is not None and history.map is not None:
        yield "map", f"{from_here(history.map)} (secret: it maps released rows to customers)"
    if hasattr(result, "returned"):
        yield "written", f"nothing: release {result.returned} was measured again and stands"


def _print_all(result: Result, request: Request) -> None:
    """Prints the losses as a table, then the method's own figures and the cost."""
    from ordermade.cli.render import request as generalization
    from ordermade.methods.shared import result as words

    print_table(words.LOSS_HEADINGS, words.loss_rows(result.loss, result.forms.extremes()), title=words.LOSS_RANGE)
    # By the method's name: the modules of the requests and results of every other one take a while to import.
    if hasattr(result, "returned"):
        own: Iterable[tuple[str, Any]] = ()
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
        own = generalization.answer_facts(found, cast("GeneralizationRequest", request))
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
