"""The arguments and options of several commands: a new name, any table, a request's number, persons, a seed."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.sources.kinds import FILES, TABLE_FILES

NewName = Annotated[str, typer.Argument(metavar="NAME", help="The name to register it under.")]
TablePlace = Annotated[
    str,
    typer.Argument(
        metavar="PATH-OR-SOURCE.TABLE",
        help=f"A {FILES} file, a folder of {TABLE_FILES} files, or a quoted glob; or a table of a registered source, "
        "as SOURCE.TABLE.",
        autocompletion=registered("tables"),
    ),
]
RequestNumber = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        help="The number of the request, as `request list` shows it.",
        autocompletion=registered("requests"),
    ),
]
PersonsColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Count the persons that this column identifies, instead of rows."),
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the random choices.")]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Neither read nor keep frequency sets, or rows of CSV files, beside the state."),
]
