"""Attempts to find the customers of PWSCUP 2018, round 1, in its releases: hits by k, beside what 1/k predicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench import retail
from bench.figure import Figure, print_rows
from bench.purchases import BY_RANK, KS, engine_on, request
from ordermade import Engine
from ordermade.evaluation.attacks import Attacked
from ordermade.evaluation.options import JudgementOptions


def show() -> Sequence[Figure]:
    """Prints the hits of every attack by k, on the paper's releases and on the default's; the most over the limit."""
    if not retail.DATA.exists():
        print("\nshared/data/online_retail does not lie beside the repository: nobody is attacked")
        return []
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        source = retail.make(Path(folder))
        engine = engine_on(Path(folder), source)
        return [
            *_figures("match: rank", engine, Path(folder), source, BY_RANK),
            *_figures("default", engine, Path(folder), source, {}),
        ]


def _figures(name: str, engine: Engine, folder: Path, source: Path, more: Mapping[str, Any]) -> Iterator[Figure]:
    found = {k: _attacked(engine, folder, source, k, more) for k in KS}
    rows = [
        (k, attacks[0].attempts, attacks[0].expected, attacks[0].most, *(each.hits for each in attacks))
        for k, attacks in found.items()
    ]
    headings = ("k", "attempts", "expected", "3 sd more", *(each.name for each in found[KS[0]]))
    print_rows(f"customers found, {name}", headings, rows)
    for place, attack in enumerate(found[KS[0]]):
        over = max(attacks[place].hits - attacks[place].most for attacks in found.values())
        yield Figure(f"{name}, by {attack.name}: hits over the limit, the most", over, 0.0, "", digits=1)


def _attacked(engine: Engine, folder: Path, source: Path, k: int, more: Mapping[str, Any]) -> tuple[Attacked, ...]:
    """The result of the attacks on all customers of a new release of k."""
    name = "-".join(("attacked", *more.values(), str(k)))
    truth = str(folder / f"{name}-map.parquet")
    asked = request(folder, k, {**more, "map": truth})
    asked["release"] = {"to": str(folder / f"{name}.parquet")}
    engine.run(asked)
    judged = engine.judge_history(source, asked["release"]["to"], JudgementOptions(map=truth), table=retail.TABLE)
    return judged.attacks or ()
