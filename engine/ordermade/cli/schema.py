"""`ordermade schema`: the JSON Schema of the documents that commands print with `--json`."""

from __future__ import annotations

import typer

from ordermade.cli.options import example
from ordermade.cli.permitted import may_run
from ordermade.views.screen import print_json

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    short_help="Print the JSON Schema of all --json documents.", epilog=example("ordermade schema > output.schema.json")
)
@may_run("data-user", "reviewer")
def schema() -> None:
    """Print the JSON Schema of every document that a command prints with --json, errors included.

    It is the one document on stdout without --json. Its `$id` has the version of the documents.
    """
    from ordermade.documents.schema import output_schema

    print_json(output_schema())
