"""The answer to a request for generalisation, readable top to bottom: from its file to its measured release."""

from __future__ import annotations

import time

from ordermade.measuring.counting import units_of
from ordermade.measuring.dataset import version
from ordermade.methods.generalization.local_recoding import chosen_rounds, recoded
from ordermade.methods.generalization.open_request import open_request
from ordermade.methods.generalization.oracle_setup import current_cache, measurement
from ordermade.methods.generalization.publish import chosen_node, release
from ordermade.methods.generalization.recorder import SearchBook
from ordermade.methods.generalization.refusal import Refusal, least_units, refused_at_once, why_refused
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.methods.generalization.search_problem import best_node, goal_of, nodes_proven, search_of
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.request_check import identifying
from ordermade.methods.shared.run_context import Setting
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.model import LARGEST_K
from ordermade.requests.read import ReadRequest


def generalised(read: ReadRequest[GeneralizationRequest], setting: Setting) -> GeneralizationResult | ReturnedResult:
    """The most detailed acceptable release that passes, or the reason why there is none.

    Raises InputError (malformed), SourceFault, StateFault, ReleaseFault; then nothing is left half written.
    """
    started, tell = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, tell.statement) as question:
        tell.step("dataset version")
        seen = version(question.dataset)
        earlier = earlier_release(question, setting, seen)
        if earlier is not None:
            return earlier
        counted = units_of(question.dataset, seen.rows, least_units(question))
        few = refused_at_once(question, counted)
        # The search of too few rows must not depend on how many they are.
        goal = goal_of(question.resolved, LARGEST_K if few else counted.number)
        algorithm, kept = search_of(goal), None if few else seen
        book = SearchBook(setting.state, setting.cache, question, kept, started, algorithm.name, counted.persons)
        with book.closed_on_failure():
            if few:
                return book.refused(few)
            tell.step("identifying columns")
            found_out = identifying(question, counted)
            if found_out:
                return book.refused(Refusal(found_out))
            tell.step("coverage of the hierarchies")
            cache, roll_up = current_cache(setting.cache, book.current_versions), setting.roll_up
            found = measurement(question, goal, counted, book.known, cache, roll_up=roll_up, progress=tell.nodes_left)
            book.oracle, book.nodes_proven = found.oracle, nodes_proven(goal, found.evidence)
            tell.step(f"search ({algorithm.name})")
            outcome = book.outcome = best_node(goal, algorithm, found.minimised, found.evidence, found.oracle)
            if question.resolved.request.recoding == "local":
                tell.step("local recoding")
                book.rounds = rounds = recoded(question, goal, found, outcome.best, tell.nodes_left)
                if rounds.refusal:
                    return book.refused(Refusal(rounds.refusal))
                chosen = chosen_rounds(question, goal, rounds, found, book.request_id, seen)
            elif outcome.best is None:
                return book.refused(why_refused(question, goal, found))
            else:
                chosen = chosen_node(goal, outcome.best, found, book.request_id, seen)
            tell.step("release")
            published = release(question, found.attributes, chosen, setting.limits)
            tell.step("record")
            return book.released(chosen, published)
