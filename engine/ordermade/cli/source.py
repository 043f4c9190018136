"""`ordermade source`: the databases that hold the personal data."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.screen import print_facts, print_json, print_table, say
from ordermade.cli.settings import AsJson, Encoding, example, settings_of

app = typer.Typer(
    no_args_is_help=True,
    help="Databases that hold the personal data. A source is a DuckDB file, or Parquet or CSV files; it is opened "
    "read-only.",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name the source is registered under.")]


@app.command(
    epilog=example(
        "ordermade source add shop shop.duckdb", "ordermade source add visits 'data/visits-*.csv' --encoding cp932"
    )
)
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name to register it under.")],
    location: Annotated[
        str,
        typer.Argument(
            metavar="PATH-OR-URL",
            help="The path of a file, or a quoted glob of several that are one table. ${NAME} is read from the "
            "environment each time, so that no password is stored.",
        ),
    ],
    writable: Annotated[
        bool, typer.Option("--writable", help="Releases may be written into it as tables (a DuckDB file).")
    ] = False,
    encoding: Encoding = "auto",
) -> None:
    """Register a database under a name, after opening it once."""
    source = settings_of(context).engine().sources.add(name, location, writable=writable, encoding=encoding)
    say(f"Added the source '{source.name}' ({source.kind}): {source.location}")


@app.command("list", epilog=example("ordermade source list"))
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """List the registered sources."""
    sources = settings_of(context).engine().sources.list()
    if as_json:
        print_json(sources)
        return
    print_table(
        ("name", "kind", "writable", "location"),
        [(each.name, each.kind, each.writable, each.location) for each in sources],
        empty="No source is registered. Add one with `ordermade source add`.",
    )


@app.command(epilog=example("ordermade source show shop"))
def show(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Show the tables of a source: columns, types and rows."""
    found = settings_of(context).engine().sources.show(name)
    if as_json:
        print_json(found)
        return
    source = found.source
    print_facts(
        [
            ("source", source.name),
            ("kind", source.kind),
            ("location", source.location),
            ("encoding", source.encoding if source.kind == "csv" else None),
            ("writable", source.writable),
            ("added", source.added_at),
        ]
    )
    for table in found.tables:
        name_shown = table.name if table.schema == "main" else f"{table.schema}.{table.name}"
        rows = [(column.name, column.type) for column in table.columns]
        print_table(("column", "type"), rows, title=f"table {name_shown}: {table.rows:,} rows")
    if not found.tables:
        say("It has no tables.")


@app.command(epilog=example("ordermade source check shop"))
def check(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Open a source and read every table once. Exit status 3 if one cannot be read."""
    found = settings_of(context).engine().sources.check(name)
    rows = sum(each.rows for each in found.tables)
    if as_json:
        print_json({"source": found.source.name, "readable": True, "tables": len(found.tables), "rows": rows})
    else:
        say(f"The source '{found.source.name}' can be read: {len(found.tables):,} table(s), {rows:,} rows.")


@app.command(epilog=example("ordermade source remove shop"))
def remove(context: typer.Context, name: Name) -> None:
    """Take a source out of use. The data is not touched; what was asked and released stays on record."""
    removed = settings_of(context).engine().sources.remove(name)
    say(f"Removed the source '{removed.name}'. Its data was not touched.")
