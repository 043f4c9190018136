"""`ordermade source`: the databases that hold the personal data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.arguments import NewName
from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, Encoding, Header, Skip, SkipLines, example, lines_named, settings_of
from ordermade.documents.source import SourceAdded, SourceChecked, SourceList, SourceRemoved
from ordermade.records.cells import counted
from ordermade.sources.kinds import FILES, TABLE_FILES, kind_of
from ordermade.views.readings import notify_odd, say_unnamed
from ordermade.views.screen import from_here, print_document, print_facts, print_table, say
from ordermade.views.server import print_server, rows_of

if TYPE_CHECKING:
    from ordermade.state.sources import Source

app = typer.Typer(
    no_args_is_help=True,
    help=f"Databases that hold the personal data. A source is a {FILES} file, several {TABLE_FILES} files, or the URL "
    "of a PostgreSQL or MariaDB server; it is opened read-only.",
)

_WHERE_OPTIONS_ARE = "Give --skip-lines to `source add`, and the other options to `dataset add`."
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The name the source is registered under.", autocompletion=registered("sources")
    ),
]


@app.command(
    epilog=example(
        "ordermade source add shop shop.duckdb",
        "ordermade source add visits 'data/visits-*.csv' --encoding cp932",
        "ordermade source add town 'postgresql://reader:${PASSWORD}@db/town'",
    )
)
def add(
    context: typer.Context,
    name: NewName,
    location: Annotated[
        str,
        typer.Argument(
            metavar="PATH-OR-URL",
            help="The path of a file, a quoted glob of several that are one table, or the URL of a database. ${NAME} "
            "is read from the environment each time, so that no password is stored.",
        ),
    ],
    writable: Annotated[
        bool, typer.Option("--writable", help="Releases may be written into it as tables (a DuckDB file or a server).")
    ] = False,
    encoding: Encoding = "auto",
    header: Header = False,
    skip: Skip = 0,
    skip_lines: SkipLines = None,
    allow_inline: Annotated[
        bool,
        typer.Option(
            "--allow-inline",
            help="Requests may describe datasets of it inline (`dataset: {source, query}`): for your own use.",
        ),
    ] = False,
    allow_external: Annotated[
        bool,
        typer.Option(
            "--allow-external",
            help="Views of a DuckDB file may read any file of the machine, and foreign tables of a server are read. "
            "Without it both are refused.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a database under a name, after opening it once."""
    sources = settings_of(context).engine().sources
    source = sources.add(
        name,
        location,
        writable=writable,
        encoding=encoding,
        header=header,
        skip=skip,
        skip_lines=lines_named(skip_lines),
        allow_inline=allow_inline,
        allow_external=allow_external,
    )
    if as_json:
        print_document("source add", SourceAdded(source))
        return
    say(f"Added the source '{source.name}' ({source.kind}): {source.location}")
    if source.read_in:
        found = ", found by what is in it" if source.encoding == "auto" else ""
        say(f"Its text was read as {' and '.join(source.read_in)}{found}.")
    say_unnamed(source.unnamed)
    if kind_of(source.kind).may_lack_names:
        for read in sources.readings(name).values():
            notify_odd(read.odd, read.line_called, _WHERE_OPTIONS_ARE)
    if source.names_shown is False:
        say(
            "Nothing below the first line shows that it holds names of columns. If it does, add the source with "
            "--header; until then messages do not list them. If it is data, write the names above it."
        )


@app.command("list", epilog=example("ordermade source list"))
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """List the registered sources."""
    sources = settings_of(context).engine().sources.list()
    if as_json:
        print_document("source list", SourceList(sources))
        return
    print_table(
        ("name", "kind", "writable", "inline", "location"),
        [(each.name, each.kind, each.writable, each.allow_inline, from_here(each.location)) for each in sources],
        empty="No source is registered. Add one with `ordermade source add`.",
    )


@app.command(epilog=example("ordermade source show shop"))
def show(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Show the tables of a source: columns, types and rows."""
    found = settings_of(context).engine().sources.show(name)
    if as_json:
        print_document("source show", found)
        return
    source = found.source
    print_facts(
        [
            ("source", source.name),
            ("kind", source.kind),
            ("location", source.location),
            ("encoding", source.encoding if kind_of(source.kind).has_encoding else None),
            ("read as", ", ".join(source.read_in) or None),
            ("first line", _first_line(source)),
            ("skipped lines", ", ".join(map(str, source.skipped_lines)) or None),
            ("writable", source.writable),
            ("inline", source.allow_inline),
            ("external", source.allow_external),
            ("added", source.added_at),
        ]
    )
    for table in found.tables:
        own = getattr(found, "schema", "main")
        name_shown = table.name if table.schema == own else f"{table.schema}.{table.name}"
        reason = getattr(table, "reason", None)
        if reason is not None:
            say(f"A sheet is no table: {reason}" if kind_of(source.kind).holds_sheets else f"{name_shown}: {reason}")
            continue
        rows = [(column.name, column.type) for column in table.columns]
        print_table(("column", "type"), rows, title=f"table {name_shown}: {rows_of(table)}")
    if not found.tables:
        say("It has no tables.")


def _first_line(source: Source) -> str | None:
    """The content of the first line of CSV files and sheets, in words; None for other sources."""
    if not kind_of(source.kind).may_lack_names:
        return None
    if source.header:
        return "names of columns (--header)"
    return "names of columns" if source.names_shown else "names of columns, or data: nothing shows which"


@app.command(epilog=example("ordermade source check shop"))
def check(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Open a source and read every table once. Exit status 3 if one cannot be read.

    Of a server no table is read: the report states its version, time zone, encoding, collation and TLS, the rights of
    the role, whether writing is possible, and tables whose rows it shows in part or cannot hold still; the least GRANTs
    that the datasets of the source need, and the rights of the role that none needs.
    """
    found = settings_of(context).engine().sources.check(name)
    server = getattr(found, "server", None)
    if as_json:
        print_document("source check", SourceChecked.of(found))
    elif server is not None:
        print_server(found.source.name, server, getattr(found, "rights", None))
    else:
        rows = sum(each.rows or 0 for each in found.tables)
        tables = counted(len(found.tables), "table")
        say(f"The source '{found.source.name}' can be read: {tables}, {counted(rows, 'row')}.")


@app.command(epilog=example("ordermade source remove shop"))
def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take a source out of use. The data is not touched; requests and releases stay on record."""
    removed = settings_of(context).engine().sources.remove(name)
    if as_json:
        print_document("source remove", SourceRemoved(removed))
        return
    say(f"Removed the source '{removed.name}'. Its data was not touched.")
