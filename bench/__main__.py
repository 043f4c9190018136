"""`python -m bench [PART …]`: every benchmark, or some, in one run. Ends with 1 if a target is missed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

from bench import (
    adult_classes,
    adversary,
    anonymize,
    any_table,
    attacks,
    beside_arx,
    certificates,
    drafts,
    each_growth,
    early_answers,
    entity,
    fdh_tables,
    forecasts,
    frames,
    growth,
    hard,
    heuristics,
    improve,
    in_servers,
    in_sqlite,
    large_state,
    learning,
    ledger,
    local,
    mdav,
    memory,
    microdata,
    mil_tables,
    minimality,
    one_dimension,
    pak_work,
    partitions,
    parts,
    paths,
    portal,
    predictors,
    purchases,
    recommend,
    refinement,
    repeats,
    request_cost,
    rolling_up,
    sealed,
    search_alone,
    start_up,
    streaming,
    tables,
    tables_beside,
    tables_foretold,
    unchanged,
    whole_limit,
)
from bench.figure import Figure, print_table
from bench.members import COARSE, FINE, ROWS, Bench, MadeBench

ON_MEMBERS: dict[str, tuple[tuple[str, Callable[[Bench], Sequence[Figure]]], ...]] = {
    "request": (
        ("one request, month of joining", lambda bench: request_cost.figures(bench, "month", FINE)),
        ("one request, year of joining", lambda bench: request_cost.figures(bench, "year", COARSE)),
    ),
    "memory": (("memory", memory.figures),),
    "repeats": (("asking again", repeats.figures),),
    "roll-up": (("roll-up", rolling_up.figures),),
    "entity": (("persons with several rows", entity.figures),),
    "frames": (("frames of pandas, polars and Arrow beside a DuckDB file", frames.figures),),
    "sqlite": (
        ("a SQLite file, four quasi-identifiers", in_sqlite.four),
        ("a SQLite file, six quasi-identifiers", in_sqlite.six),
    ),
    "servers": (
        ("PostgreSQL, six quasi-identifiers", in_servers.postgresql),
        ("MariaDB, six quasi-identifiers", in_servers.mariadb),
    ),
    "unchanged": (
        ("a repeat on an unchanged table", unchanged.repeat),
        ("sixty requests on PostgreSQL", unchanged.sixty_on_postgresql),
        ("sixty requests on MariaDB", unchanged.sixty_on_mariadb),
    ),
}
"""Parts that need a million members, which take some seconds to make."""

ALONE: dict[str, tuple[str, Callable[[], Sequence[Figure]]]] = {
    "start-up": ("start-up", start_up.figures),
    "streaming": ("releases of many rows, and Mondrian on counts", streaming.show),
    "pak": ("the work of the PAK paper's searches", pak_work.show),
    "arx": ("whole processes beside ARX", beside_arx.show),
    "early": ("answers before the proof", early_answers.show),
    "certificates": ("proofs and certificates of ARX's tables", certificates.show),
    "growth": ("growth with rows and quasi-identifiers", growth.show),
    "each-growth": ("growth by one thing at a time", each_growth.show),
    "search": ("the search alone", search_alone.show),
    "hard": ("hard lattices, the search alone beside ARX's", hard.show),
    "whole-limit": ("a suppression limit of 100 % beside ARX", whole_limit.show),
    "heuristics": ("16 and 24 quasi-identifiers beside ARX's heuristics", heuristics.show),
    "predictors": ("predictors on nodes never measured", predictors.show),
    "learning": ("learning from every request", learning.show),
    "forecasts": ("forecasts on held-out requests, by what was observed", forecasts.show),
    "large": ("a state of many requests and observations", large_state.show),
    "ledger": ("a release beside 1,000 remembered ones", ledger.show),
    "drafts": ("Adult with drafted hierarchies", drafts.show),
    "local": ("local recoding of Adult", local.show),
    "sealed": ("sealed local recoding beside rounds", sealed.show),
    "measure": ("any table, measured as it is", any_table.show),
    "anonymize": ("from a table to its release by one command", anonymize.show),
    "optimal": ("the optimum of one attribute", one_dimension.show),
    "mil": ("the tables of the MIL paper", mil_tables.show),
    "mdav": ("MDAV beside a plain scan", mdav.show),
    "paths": ("paths and their best groups beside plain scans", paths.show),
    "fdh": ("the large tables of the FDH-MHM paper", fdh_tables.show),
    "improve": ("groups improved, on real data", improve.show),
    "adult": ("Adult by Mondrian, beside the best node and local recoding", adult_classes.show),
    "mondrian": ("Mondrian on many records", partitions.show),
    "parts": ("a table in Parquet parts", parts.show),
    "microdata": ("many records, from the database to the release", microdata.show),
    "adversary": ("recipients who ask for what tells most, beside the ledger", adversary.show),
    "attacks": ("attempts to find customers in releases of purchase histories", attacks.show),
    "minimality": ("what releases tell to whoever knows the algorithm", minimality.show),
    "refinement": ("combinatorial refinement of Adult, ARX's releases and ours", refinement.show),
    "portal": ("the portal under load", portal.show),
    "purchases": ("purchase histories, on the data of PWSCUP 2018 and on many", purchases.show),
    "tables": ("tables with totals of Adult: every suppressed cell proved", tables.show),
    "tables_beside": ("tables with totals of Adult beside pytauargus", tables_beside.show),
    "tables_foretold": ("suppressed cells of tables foretold", tables_foretold.show),
    "recommend": ("Mondrian guided by precision and by the rules of the TF-IDF paper", recommend.show),
}


def main(asked: Sequence[str]) -> int:
    named = [*ON_MEMBERS, *ALONE]
    unknown = [each for each in asked if each not in named]
    if unknown:
        print(f"no such part: {', '.join(unknown)}. The parts: {', '.join(named)}", file=sys.stderr)
        return 2
    every: list[Figure] = []

    def show(title: str, figures: Sequence[Figure]) -> None:
        every.extend(figures)
        print_table(title, figures)
        sys.stdout.flush()

    wanted = [each for each in named if each in asked or not asked]
    if any(each in ON_MEMBERS for each in wanted):
        print(
            f"{ROWS:,} made-up members, six quasi-identifiers, {os.cpu_count()} cores; medians of runs taken in turns"
        )
        with MadeBench() as bench:
            for part in (each for each in wanted if each in ON_MEMBERS):
                for title, figures in ON_MEMBERS[part]:
                    show(title, figures(bench))
    for part in (each for each in wanted if each in ALONE):
        title, shown = ALONE[part]
        show(title, shown())
    missed = [each for each in every if not each.met]
    print(f"\n{len(every)} figures, {len(missed)} of them miss their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
