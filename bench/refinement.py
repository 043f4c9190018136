"""Combinatorial refinement of Adult, occupation being sensitive: what an elimination leaves of ARX's releases and ours.

Chhillar, Righi, Sutter and Kornaropoulos (arXiv 2509.03350) refine the classes of ARX's local transformation: a class
has no cell that a class released before it covers. Here 30,162 rows, seven quasi-identifiers, the occupation kept, and
k = 5 and 10 alone. Of each release, by the engine's own judge:

* the generalised rows of which some column has fewer values left than the label names;
* for persons whose quasi-identifiers a reader knows, the occupations and the released rows that may be theirs: by
  labels all classes that cover them, after the elimination those that are left.

ARX runs twice: as in its interface (parts of a hundredth, generalisation and suppression weighing the same), and
finest first, where suppressed rows weigh nothing, as the paper describes it. It needs `ORDERMADE_BENCH_ARX`; without it
our own rounds, not sealed, are the only local transformation in the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.adult_classes import _engine as adult_engine
from bench.arx_tables import Table, adult
from bench.beside_arx import ARX, compiled_programs, faultless, process
from bench.figure import Figure, print_rows
from bench.local import COLUMNS, DATA
from ordermade import Engine
from ordermade.evaluation.recoding import RecodingJudgement

KS = (5, 10)
SENSITIVE = "occupation"
QUASI_IDENTIFIERS = tuple(each for each in COLUMNS if each != SENSITIVE)
ROWS = 30_162
GENERALIZATION: Mapping[str, Any] = {
    "method": "generalization",
    "suppression_limit": 0.05,
    "search": {"objective": "loss"},
}
WITHOUT_OVERLAPS: Mapping[str, Mapping[str, Any]] = {
    "one node": GENERALIZATION,
    "sealed": {**GENERALIZATION, "recoding": "local"},
    "Mondrian by hierarchy": {"method": "mondrian", "mondrian": {"variant": "hierarchy"}},
}
ROUNDS = "rounds, not sealed"
OURS = {**WITHOUT_OVERLAPS, ROUNDS: {**GENERALIZATION, "recoding": {"kind": "local", "seal": False}}}
ARX_RUNS: Mapping[str, tuple[str, int]] = {"ARX, as in its interface": ("0.5", 100), "ARX, finest first": ("0", ROWS)}
"""The factor of generalisation against suppression, and the parts of the rows."""
HEADINGS = (
    "release",
    "k",
    "reader knows",
    "classes",
    "narrowed, %",
    "fewer values, %",
    "occupations by labels",
    "left",
    "least",
    "one left, rows",
    "candidates by labels",
    "left",
    "least",
    "sets right",
)


def show() -> Sequence[Figure]:
    """Prints the table; of releases without overlaps, the rows that an elimination narrows in any way."""
    if not DATA.exists():
        print(f"\nrefinement: left out, no data in {DATA}")
        return []
    rows: list[tuple[object, ...]] = []
    figures: list[Figure] = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        engine = adult_engine(folder)
        for k in KS:
            for method, reader, found in [*_of_arx(engine, folder, k), *of_ours(engine, folder, k)]:
                rows.append((method, k, reader, *_row(found)))
                figures += _figures(method, k, reader, found)
    print_rows(f"refinement: Adult, {ROWS:,} rows, {len(QUASI_IDENTIFIERS)} quasi-identifiers", HEADINGS, rows)
    return figures


def of_ours(engine: Engine, folder: Path, k: int) -> Iterator[tuple[str, str, RecodingJudgement]]:
    """Each of our releases at k, judged: its method, what the reader knows, the judgement."""
    for method, asked in OURS.items():
        path = folder / "release.csv"
        request = {
            "dataset": "adult",
            "k": k,
            "quasi_identifiers": {column: {"hierarchy": column} for column in QUASI_IDENTIFIERS},
            "keep": [SENSITIVE],
            "release": {"to": str(path), "replace": True},
            **asked,
        }
        answer = engine.run(request, again=True).as_dict()
        assert answer["status"] == "released", answer
        local = answer.get("local")
        rounds = local["rounds"] if local else None
        yield (
            method,
            "labels" if rounds is None else "labels, rounds",
            engine.judge_recoding(path, original="census.adult", rounds=rounds, sensitive=[SENSITIVE], k=k),
        )


def _of_arx(engine: Engine, folder: Path, k: int) -> Iterator[tuple[str, str, RecodingJudgement]]:
    class_path, table = os.environ.get(ARX), adult()
    if not class_path or table is None:
        print(
            f"\nrefinement: ARX left out, {ARX} names no class path of a build (bench/README.md says how to make one)"
        )
        return
    programs = compiled_programs(class_path, folder)
    hierarchies = {each.column: each.for_arx for each in table.attributes if each.column != SENSITIVE}
    for method, (factor, parts) in ARX_RUNS.items():
        path = folder / "arx.csv"
        rounds = _arx_rounds(programs, table, folder, path, (k, factor, parts))
        for reader, known in (("labels", None), ("labels, rounds", rounds)):
            yield (
                method,
                reader,
                engine.judge_recoding(
                    path,
                    hierarchies,
                    original="census.adult",
                    rounds=known,
                    columns=QUASI_IDENTIFIERS,
                    sensitive=[SENSITIVE],
                    k=k,
                ),
            )


def _arx_rounds(
    programs: str, table: Table, folder: Path, to: Path, asked: tuple[int, str, int]
) -> list[dict[str, dict[str, int]]]:
    """The levels of each iteration of a local transformation, which is written."""
    k, factor, parts = asked
    attributes = [each for each in table.attributes if each.column != SENSITIVE]
    columns = [text for each in attributes for text in (each.column, str(each.least_level), str(each.for_arx))]
    options = [f"-Dkept={SENSITIVE}", f"-Dfactor={factor}"]
    command = ["java", *options, "-cp", programs, "Local", str(table.csv), table.delimiter, str(k), str(parts), str(to)]
    lines = faultless(process([*command, *columns], folder)).output.splitlines()
    names = [each.column for each in attributes]
    return [{"levels": dict(zip(names, map(int, line.split()), strict=True))} for line in lines]


def _row(found: RecodingJudgement) -> tuple[object, ...]:
    (sensitive,) = found.sensitive
    own, checked = sensitive.possible, found.checked
    assert checked is not None
    return (
        found.classes,
        100 * found.share,
        100 * own.share,
        own.by_labels,
        own.left,
        own.least_left,
        own.rows_of_one,
        own.candidates_by_labels,
        own.candidates_left,
        own.least_candidates,
        f"{checked.right:,}{'' if checked.fits else ', does not fit'}",
    )


def _figures(method: str, k: int, reader: str, found: RecodingJudgement) -> Iterator[Figure]:
    own = found.sensitive[0].possible
    if method in WITHOUT_OVERLAPS:
        yield Figure(f"{method}, k = {k}: rows with fewer values than their class", found.rows_narrowed, 0, "")
        yield Figure(f"{method}, k = {k}: rows with fewer occupations than the labels allow", own.rows_narrowed, 0, "")
    else:
        yield Figure(f"{method}, k = {k}, {reader}: generalised rows narrowed", 100 * found.share, None, "%")
        yield Figure(
            f"{method}, k = {k}, {reader}: candidates left of those by labels",
            own.candidates_left / own.candidates_by_labels,
            None,
        )
