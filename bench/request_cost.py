"""The cost of a request beside its search, against the least that any program must do; and of a k-check."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figure import Figure, median
from bench.members import Bench, Run, timed
from ordermade import Engine, sql
from ordermade.counting.frequency_set import NARROW, frequency_set_statement
from ordermade.methods.generalization.measurement import grounded
from ordermade.methods.generalization.method import GENERALIZATION
from ordermade.methods.shared.open_request import RunContext
from ordermade.release.files import write_statement
from ordermade.requests.read import read_request
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits

REPETITIONS = 5


@dataclass(frozen=True)
class Least:
    """The least there is to do: the frequency-set query by itself, and one plain COPY of the same columns."""

    frequency_set: float
    copy: float
    combinations: int


@dataclass(frozen=True)
class Whole:
    """A request by its parts, in seconds.

    `everything_but_search`: version, coverage, frequency set, release written sorted and measured again;
    `kept_for_later`: opening state and source, the books of the state, table C and the cache; then the search.
    """

    everything_but_search: float
    kept_for_later: float
    parts: Mapping[str, float]
    per_node: float
    nodes: int


def figures(bench: Bench, name: str, columns: Mapping[str, Mapping[str, Any]]) -> Sequence[Figure]:
    """The figures of a request for these columns, medians of runs taken in turns."""
    least: list[Least] = []
    whole: list[Whole] = []
    for number in range(REPETITIONS):
        state = f"{name}-{number}"
        engine, request = bench.engine(state), bench.request(columns, state)
        least.append(least_work(engine, request, bench.folder / "plain.parquet"))
        whole.append(parts_of(timed(engine, request)))
        shutil.rmtree(bench.folder / state)
    frequency_set, copy = median([each.frequency_set for each in least]), median([each.copy for each in least])
    seconds = {part: median([each.parts[part] for each in whole]) for part in whole[0].parts}
    return [
        Figure("combinations in the frequency set", least[0].combinations, unit=""),
        Figure(
            "everything but the search / (frequency set + plain COPY)",
            median([each.everything_but_search for each in whole]) / (frequency_set + copy),
            target=3.0,
            note=f"frequency-set query {frequency_set:.3f} s, plain COPY {copy:.3f} s\n"
            + ", ".join(f"{part} {taken:.3f} s" for part, taken in seconds.items()),
        ),
        Figure(
            "the same with opening, state, table C and cache",
            median([each.everything_but_search + each.kept_for_later for each in whole]) / (frequency_set + copy),
        ),
        Figure(
            "k-check by roll-up / frequency-set query",
            median([each.per_node for each in whole]) / frequency_set,
            target=0.25,
            note=f"mean over {whole[0].nodes} nodes of a search, roll-ups made on the way included",
        ),
    ]


def least_work(engine: Engine, request: Mapping[str, Any], plain: Path) -> Least:
    """Runs the frequency-set query alone and copies the same columns to a Parquet file, unsorted."""
    with GENERALIZATION.opened(
        read_request(as_yaml(request)), RunContext(engine.state_file, None, Limits())
    ) as open_request:
        attributes = grounded(open_request)
        backend, dataset = open_request.opened.backend, open_request.dataset
        statement = frequency_set_statement(dataset, attributes)
        started = time.perf_counter()
        backend.keep(Purpose.FREQUENCY_SET, NARROW, statement)
        counted = time.perf_counter()
        query = dataset.relation.select(*(sql.column(each) for each in open_request.columns), append=False)
        backend.workspace.rows(Purpose.RELEASE, write_statement(query, plain, ".parquet"))
        copied = time.perf_counter()
        length = sql.with_relations(sql.template("dataset/row_count"), {"dataset": sql.table(NARROW)})
        combinations = int(backend.workspace.rows(Purpose.ROLL_UP, length)[0][0])
    return Least(counted - started, copied - counted, combinations)


def parts_of(run: Run) -> Whole:
    """A run by its parts: what every release costs the data, what the engine keeps for later, and the search.

    Widening the frequency set serves nothing but the k-checks, so it is counted to them; so is what a search thinks
    before it asks for the first node, which is when the frequency set is counted.
    """
    steps = dict(run.timeline.steps)
    searching = next(at for name, at in run.timeline.steps if name.startswith("search"))
    ended = {each.purpose: at for each, at in run.timeline.statements if each.purpose is not Purpose.K_CHECK}
    widened = next(at for each, at in run.timeline.statements if each.purpose is Purpose.ROLL_UP)
    counting = sum(
        each.seconds for each, _ in run.timeline.statements if each.purpose in (Purpose.ROLL_UP, Purpose.K_CHECK)
    )
    nodes = run.result.search.nodes_measured
    begun, counted = run.ended - run.seconds, ended[Purpose.FREQUENCY_SET]
    parts = {
        "version": ended[Purpose.VERSION] - steps["dataset version"],
        "coverage": ended[Purpose.COVERAGE] - steps["coverage of the hierarchies"],
        "frequency set": run.timeline.seconds_of_first(Purpose.FREQUENCY_SET),
        "release, measured again": steps["record"] - steps["release"],
    }
    kept = {
        "opening": steps["dataset version"] - begun,
        "state and table C": steps["coverage of the hierarchies"]
        - ended[Purpose.VERSION]
        + run.ended
        - steps["record"],
        "marginals kept": searching - ended[Purpose.COVERAGE],
        "cache": widened - counted - run.timeline.seconds_of_first(Purpose.ROLL_UP),
    }
    search = {"search, widening included": run.seconds - sum(parts.values()) - sum(kept.values())}
    return Whole(sum(parts.values()), sum(kept.values()), {**parts, **kept, **search}, counting / nodes, nodes)


def as_yaml(request: Mapping[str, Any]) -> str:
    import yaml

    return yaml.safe_dump(dict(request), sort_keys=False)
