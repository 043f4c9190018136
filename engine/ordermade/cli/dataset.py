"""`ordermade dataset`: the tables and queries that requests may use."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli import opt_out
from ordermade.cli.arguments import NewName
from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, listed_names, settings_of
from ordermade.cli.reading import AtBounds, DateFormats, Decimals, Missing, reading_said
from ordermade.documents.dataset import ChangeLogUsed, DatasetAdded, DatasetList, DatasetRemoved
from ordermade.errors import InputError
from ordermade.privacy.least_k import DEFAULT_LEAST_K
from ordermade.sources.kinds import kind_of
from ordermade.views.readings import notify_odd, notify_readable
from ordermade.views.screen import hand_over, print_document, print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.catalogue.changed_columns import ChangedColumns
    from ordermade.state.datasets import RegisteredDataset

app = typer.Typer(
    no_args_is_help=True,
    help="Tables and queries for requests, by name. A dataset is one table or one query of a source.",
)
app.add_typer(opt_out.app, name="opt-out")

LARGEST_QUERY = 1 << 20

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The name the dataset is registered under.", autocompletion=registered("datasets")
    ),
]


@app.command(
    short_help="Register a table or a query of a source.",
    epilog=example(
        "ordermade dataset add members --source shop --table members --entity id",
        "ordermade dataset add active --source shop --query active.sql",
        "ordermade dataset add visits --source shop --table visits --no-where",
        "ordermade dataset add large --source shop --table members \\\n"
        "      --version-query 'SELECT max(updated_at), count(*) FROM members'",
        "ordermade dataset add stays --source shop --table stays --parts month",
        "ordermade dataset add sales --source months --table data \\\n      --file-parts --version fingerprint",
    ),
)
def add(
    context: typer.Context,
    name: NewName,
    source: Annotated[
        str,
        typer.Option(metavar="NAME", help="The registered source that holds it.", autocompletion=registered("sources")),
    ],
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="A table or view of the source; this or --query."),
    ] = None,
    query: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with one SELECT over the tables of the source; this or --table."),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that identifies a person, if a person may have several rows: k then counts persons.",
        ),
    ] = None,
    least_k: Annotated[
        int,
        typer.Option(metavar="N", help="The least k of a request, from 2 up; no count below it is ever shown."),
    ] = DEFAULT_LEAST_K,
    no_where: Annotated[bool, typer.Option("--no-where", help="Requests may not filter rows at all.")] = False,
    where_columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="The columns that a request's row filter may use: a,b. Left out: every column. A name with a comma "
            "stands in double quotes. May be given several times.",
        ),
    ] = None,
    version_query: Annotated[
        str | None,
        typer.Option(
            metavar="SELECT",
            help="A SELECT whose one row changes whenever the data do: each request runs it in place of hashing every "
            "row. A change that it does not show is not seen.",
        ),
    ] = None,
    parts: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of which each value is a part: a part is counted once, and again when its rows change.",
        ),
    ] = None,
    file_parts: Annotated[
        bool,
        typer.Option("--file-parts", help="Each Parquet file of the source is a part, as with --parts."),
    ] = False,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="Count a partitioned table of PostgreSQL or MariaDB whole. Left out: each partition is a part.",
        ),
    ] = False,
    version: Annotated[
        str | None,
        typer.Option(
            metavar="fingerprint",
            help="With --file-parts: the path, size, time of change and footer of a file stand for its rows, which are "
            "not hashed then.",
        ),
    ] = None,
    read: Annotated[
        bool,
        typer.Option(
            "--read",
            help="Read the texts of the table that are numbers or dates, such as 54歳 and 31.12.2024: the dataset is "
            "the query that does so.",
        ),
    ] = False,
    missing: Missing = None,
    date_format: DateFormats = None,
    decimal: Decimals = None,
    at_bounds: AtBounds = None,
    as_json: AsJson = False,
) -> None:
    """Register a table or a query of a source for requests, with the k and the filters that they may use."""
    text = None if query is None else _text_of(query.expanduser())
    columns = _filter_columns(where_columns, no_where=no_where)
    engine = settings_of(context).engine()
    said = reading_said(missing, date_format, decimal, at_bounds)
    added = engine.datasets.add(
        name,
        source,
        table=table,
        query=text,
        entity=entity,
        least_k=least_k,
        where_columns=columns,
        version_query=version_query,
        parts=parts,
        file_parts=file_parts,
        whole=whole,
        version=version,
        reading=said if read or said else None,
    )
    if table is not None and (said or read or kind_of(engine.sources.get(source).kind).may_lack_names):
        for found in engine.sources.readings(source, table, said).values():
            notify_odd(found.odd, found.line_called)
            if not read and not said:
                notify_readable(found.readings)
    if as_json:
        print_document("dataset add", DatasetAdded(added))
        return
    persons = "" if added.entity_column is None else f"; k counts persons, identified by '{added.entity_column}'"
    relation = _relation(added.table_name)
    say(
        f"Added the dataset '{added.name}': {relation} of the source '{added.source_name}'{persons}; "
        f"the least k is {added.least_k:,}{_filters(added.where_columns)}"
        f"{'' if version_query is None else '; its version query vouches for its versions'}"
        f"{f'; counted by part: {_parts(added)}' if added.in_parts else ''}."
    )


@app.command("list", epilog=example("ordermade dataset list"))
def list_datasets(context: typer.Context, as_json: AsJson = False) -> None:
    """List the registered datasets."""
    datasets = settings_of(context).engine().datasets.list()
    if as_json:
        print_document("dataset list", DatasetList(datasets))
        return
    print_table(
        ("name", "source", "table or query", "entity", "least k", "filters by", "parts"),
        [
            (
                each.name,
                each.source_name,
                _relation(each.table_name),
                each.entity_column,
                each.least_k,
                _allowed(each.where_columns),
                _parts(each),
            )
            for each in datasets
        ],
        empty="No dataset is registered. Add one with `ordermade dataset add`.",
    )


@app.command(
    short_help="Show a dataset: its source, columns, rows, least k.", epilog=example("ordermade dataset show members")
)
def show(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Show a dataset: its source, columns with types, rows, least k, the filters it takes, and its version query."""
    found = settings_of(context).engine().datasets.show(name)
    if as_json:
        print_document("dataset show", found)
        return
    dataset = found.dataset
    print_facts(
        [
            ("dataset", dataset.name),
            ("source", dataset.source_name),
            ("table", dataset.table_name),
            ("query", dataset.query_text),
            ("entity", dataset.entity_column),
            ("least k", dataset.least_k),
            ("filters by", _allowed(dataset.where_columns)),
            ("version query", dataset.version_query),
            ("parts", _parts(dataset)),
            ("rows", found.rows),
            ("added", dataset.added_at),
        ]
    )
    print_table(("column", "type"), [(each.name, each.type) for each in found.columns])
    command = shlex.join(["ordermade", "dataset", "refresh", name])
    if found.changes is None:
        say(f"Its columns were not registered, so that every one counts; `{command}` registers them.")
    elif found.changes:
        say(f"Since its columns were registered: {'; '.join(_changes(found.changes))}. `{command}` takes the changes.")


@app.command(
    short_help="Register the columns that a dataset has now.", epilog=example("ordermade dataset refresh members")
)
def refresh(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Register the columns that the table or query of a dataset has now, with their types.

    Requests and versions go by the registered columns alone, and `ordermade dataset show` says what changed since. A
    column that is gone stays registered while the dataset's options, its policy or an open request name it.
    """
    found = settings_of(context).engine().datasets.refresh(name)
    if as_json:
        print_document("dataset refresh", found)
        return
    if not found.changes:
        say(f"The columns of the dataset '{name}' are as they were registered.")
        return
    say(f"Registered the columns of the dataset '{name}' as they are now: {'; '.join(_changes(found.changes))}.")
    kept = [each.name for each in found.changes.gone if each.named_by]
    if kept:
        say(f"Still registered, as something names them: {', '.join(kept)}. Change that, and give the command again.")


def _changes(changes: ChangedColumns) -> Iterator[str]:
    """What is not as it was registered, in words."""
    if changes.new:
        yield f"new: {', '.join(each.name for each in changes.new)}"
    for gone in changes.gone:
        yield f"gone: {gone.name}" + (f" ({', '.join(gone.named_by)})" if gone.named_by else "")
    for each in changes.retyped:
        yield f"of another type: {each.name}, {each.registered} then, {each.type} now"


@app.command(
    "change-log",
    short_help="Print the script of a change log, or use it.",
    epilog=example(
        "ordermade dataset change-log members > change-log.sql", "ordermade dataset change-log members --use"
    ),
)
def change_log(
    context: typer.Context,
    name: Name,
    use: Annotated[
        bool,
        typer.Option("--use", help="The script was run: the log vouches for the versions of the dataset from now on."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the SQL that makes a change log in PostgreSQL or MariaDB, which the provider runs there.

    Triggers fill it on every table that the dataset reads. With --use each request asks the log whether the data
    changed, in place of hashing every row. Nothing is written to the database by this command.
    """
    datasets = settings_of(context).engine().datasets
    if use:
        dataset = datasets.use_change_log(name)
        if as_json:
            print_document("dataset change-log", ChangeLogUsed(dataset))
            return
        say(f"The change log vouches for the versions of the dataset '{dataset.name}' from now on.")
        return
    found = datasets.change_log(name)
    if as_json:
        print_document("dataset change-log", found)
        return
    hand_over(found.script)


@app.command(epilog=example("ordermade dataset remove members"))
def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take a dataset out of use. Its requests and releases stay on record."""
    removed = settings_of(context).engine().datasets.remove(name)
    if as_json:
        print_document("dataset remove", DatasetRemoved(removed))
        return
    say(f"Removed the dataset '{removed.name}'.")


def _relation(table: str | None) -> str:
    return "a query" if table is None else f"table {table}"


def _parts(dataset: RegisteredDataset) -> str | None:
    """The parts of a dataset, in words; None where it is whole."""
    if not dataset.in_parts:
        return None
    by = "each file or partition" if dataset.parts_column is None else f"each value of {dataset.parts_column}"
    return f"{by}, by its fingerprint" if dataset.fingerprint else by


def _filter_columns(named: list[str] | None, *, no_where: bool) -> list[str] | None:
    """The columns that filters may use: none of them with `--no-where`; None where every column is allowed."""
    if not named:
        return [] if no_where else None

    if no_where:
        raise InputError(
            "there are no filters to name columns for",
            where="--where-columns",
            next_step="Give --where-columns or --no-where, not both.",
        )
    return list(listed_names("--where-columns", named))


def _allowed(columns: tuple[str, ...] | None) -> str:
    """The columns that a filter may use, in words."""
    return "any column" if columns is None else ", ".join(columns) or "no column"


def _filters(columns: tuple[str, ...] | None) -> str:
    """The filters that requests may have, as the end of a sentence; empty where all are allowed."""
    if columns is None:
        return ""
    return f"; requests filter by {_allowed(columns)} alone" if columns else "; requests have no row filter"


def _text_of(path: Path) -> str:
    """The text of a query file. Raises InputError for one that cannot be read as UTF-8."""
    where = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_QUERY + 1)
        if len(content) <= LARGEST_QUERY:
            return content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError("there is no such file", where=where, next_step="Check the path.") from error
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise InputError(
            f"the file cannot be read: {reason}", where=where, next_step="Give a readable file."
        ) from error
    except UnicodeDecodeError:
        raise InputError("the text is not UTF-8", where=where, next_step="Save the file as UTF-8.") from None
    raise InputError("the file is too large for a query", where=where, next_step="Write one SELECT.")
