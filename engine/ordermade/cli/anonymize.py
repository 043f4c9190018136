"""`ordermade anonymize`: from a table to its k-anonymous release by one command, with no state and no other file."""

from __future__ import annotations

import dataclasses
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ordermade.anonymization.temporary_state import engine_of_call
from ordermade.cli.arguments import PersonsColumn
from ordermade.cli.options import (
    AsJson,
    Encoding,
    Header,
    RowFilter,
    Skip,
    SkipLines,
    TableName,
    Verbose,
    example,
    lines_named,
    listed_names,
    settings_of,
)
from ordermade.cli.progress import shown_progress
from ordermade.cli.reading import AtBounds, DateFormats, Decimals, Missing, column_and_text, reading_said
from ordermade.cli.reports import Contact, Office, Page, ReportFor, ReportPage
from ordermade.documents.error import of_error
from ordermade.errors import InputError
from ordermade.files.file_reading import skipped_lines
from ordermade.sources.kinds import FILES, TABLE_FILES
from ordermade.state.database import StateFile
from ordermade.state.location import locate_state
from ordermade.views.readings import notify_odd
from ordermade.views.screen import hand_over, notify, print_document

if TYPE_CHECKING:
    from ordermade.anonymization.options import AnonymizeOptions
    from ordermade.anonymization.proposal import Proposal
    from ordermade.drafts.reading_options import ReadingOptions
    from ordermade.engine import Engine

app = typer.Typer(rich_markup_mode=None, add_completion=False)
Columns = list[str] | None


@app.command(
    short_help="Release a table k-anonymously, from the file alone.",
    epilog=example(
        "ordermade anonymize members.csv --k 5",
        "ordermade anonymize members.csv --k 5 --quasi-identifiers age,sex,zip \\\n"
        "      --sensitive 'diagnosis: distinct_l 3' --identifiers name --keep plan",
        "ordermade anonymize 'postgresql://reader@db/shop' --table members --k 10",
    ),
)
def anonymize(
    context: typer.Context,
    named: Annotated[
        str,
        typer.Argument(
            metavar="FILE-OR-TABLE",
            help=f"A {FILES} file, a folder of {TABLE_FILES} files, or a quoted glob; SOURCE.TABLE of a registered "
            "source; or the URL of a database.",
        ),
    ],
    k: Annotated[int, typer.Option("--k", metavar="K", help="The least number of rows that share every combination.")],
    quasi_identifiers: Annotated[
        Columns,
        typer.Option(
            metavar="COLUMNS",
            help="Columns by which others could recognise a person, to be generalised: a,b,c. A name with a comma "
            "stands in double quotes. May be given several times.",
        ),
    ] = None,
    sensitive: Annotated[
        Columns,
        typer.Option(
            metavar="COLUMNS",
            help="Columns released as they are, with two different values or more in every class: c,d. One column with "
            "another model: 'c: distinct_l 3'. May be given several times.",
        ),
    ] = None,
    keep: Annotated[Columns, typer.Option(metavar="COLUMNS", help="Columns released as they are: e,f.")] = None,
    identifiers: Annotated[Columns, typer.Option(metavar="COLUMNS", help="Columns left out: g,h.")] = None,
    accept_roles: Annotated[
        bool, typer.Option("--accept-roles", help="Take the proposed role of every other column, unasked.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The release, a new .csv, .csv.gz, .parquet or .xlsx file. Left out: NAME.anonymized.csv here; "
            "of Parquet files .parquet, of workbooks .xlsx.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="The title of the request, which heads its report.")] = "",
    shape: Annotated[
        Literal["rows", "table"],
        typer.Option(help="rows: a row a row of the table. table: a row a class, with its count."),
    ] = "rows",
    output_encoding: Annotated[
        Literal["utf-8", "utf-8-sig"],
        typer.Option(
            help="The encoding of a released CSV file; utf-8-sig begins with a byte order mark, by which spreadsheet "
            "programs know it."
        ),
    ] = "utf-8",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be released, and write nothing.")] = False,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="full-domain (one level a column), local (sealed local recoding), mondrian, microaggregation, or "
            "best: that of the first three that loses least.",
        ),
    ] = "full-domain",
    compare: Annotated[
        bool, typer.Option("--compare", help="Show what the other methods would keep; of them nothing is released.")
    ] = False,
    suppression_limit: Annotated[
        str, typer.Option(metavar="SHARE", help="The share of the rows that may be left out.")
    ] = "0.02",
    hierarchy: Annotated[
        Columns,
        typer.Option(metavar="COLUMN=FILE", help="A hierarchy of yours instead of a drafted one. May be repeated."),
    ] = None,
    entity: PersonsColumn = None,
    allow_identifying: Annotated[
        Columns,
        typer.Option(metavar="COLUMNS", help="Kept or sensitive columns that may have about as many values as rows."),
    ] = None,
    table: TableName = None,
    where: RowFilter = None,
    encoding: Encoding = "auto",
    header: Header = False,
    skip: Skip = 0,
    skip_lines: SkipLines = None,
    missing: Missing = None,
    missing_values: Annotated[
        Literal["category", "suppressed"],
        typer.Option(
            help="category: missing values of quasi-identifiers are a value of their own. suppressed: they are "
            "released as * at every level (full-domain alone)."
        ),
    ] = "category",
    date_format: DateFormats = None,
    decimal: Decimals = None,
    at_bounds: AtBounds = None,
    html: Page = None,
    audience: ReportFor = "provider",
    language: Annotated[
        Literal["en", "ja"],
        typer.Option(
            "--lang", help="The language of the report, and of the head of counts in a table: English or Japanese."
        ),
    ] = "en",
    office: Office = "",
    contact: Contact = "",
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Release a table k-anonymously, from the file alone: columns are profiled, and hierarchies drafted.

    The proposed role of every column is shown with its reason, and you are asked once. Without a terminal every column
    has its role by option or --accept-roles; else the command to give is printed. Beside the release a folder is
    written with the request and the hierarchies, to edit and run again. No state is needed or left, unless --state (or
    ORDERMADE_STATE) names one.

    Exit status 0 released, 1 refused, 2 malformed or roles to be named, 3 a fault of the source or the state, 130
    interrupted.
    """
    from ordermade.anonymization import anonymized, proposal, tables
    from ordermade.anonymization import outputs as places
    from ordermade.catalogue.any_table import AnyTable
    from ordermade.documents.anonymization import Anonymization
    from ordermade.views import anonymize as words

    wanted = _wanted(
        k, quasi_identifiers, sensitive, keep, identifiers, method, suppression_limit, hierarchy, entity,
        allow_identifying, where, reading_said(missing, date_format, decimal, at_bounds), compare=compare,
        title=title, shape=shape, output_encoding=output_encoding, language=language, missing_values=missing_values,
    )  # fmt: skip
    outputs = None if to is None else places.Outputs.of(to)
    if dry_run and html is not None:
        raise typer.BadParameter("nothing is released that could be reported", param_hint="--html")
    page = ReportPage(html, audience, language, office, contact).checked()
    settings = settings_of(context)
    given = AnyTable(named, table, encoding, header, skipped_lines(skip, lines_named(skip_lines)))
    with engine_of_call(settings.engine(), is_kept=not dry_run) as engine:
        with shown_progress(piped=True) as progress:
            state = StateFile(locate_state(settings.state), settings.authority)
            source = tables.registered(_with(engine, progress), given, state)
            outputs = outputs or places.Outputs.of(places.default_release(source.name, source.kind))
            wanted.require_encoding_of(str(outputs.release))
            found = proposal.proposed(_with(engine, progress), source, wanted)
        if not as_json:
            (words.print_readings if found.is_complete else words.print_proposal)(found)
        if settings.token is None:
            notify_odd(found.odd, found.line_called)
        if not found.is_complete and not accept_roles:
            command = words.proposed_command(found, _before(context), named, _given(context))
            _ask(found, named, command, as_json=as_json)
        with shown_progress(piped=True) as progress:
            answer = anonymized.anonymized(_with(engine, progress), found, outputs, is_dry=dry_run)
        reported = None
        try:
            reported = page.write(engine, answer.result)
        finally:  # the release stands, whatever becomes of its report
            if as_json:
                report = None if reported is None else page.path
                print_document("anonymize", Anonymization.of(answer, report))
            else:
                words.print_anonymized(answer, verbose=verbose)
    if not as_json:
        page.say(reported, is_kept=False)
    if not answer.result.released:
        raise typer.Exit(1)


def _with(engine: Engine, progress: Any) -> Engine:
    return engine if progress is None else dataclasses.replace(engine, progress=progress)


def _ask(proposal: Proposal, named: str, command: str, *, as_json: bool) -> None:
    """Asks once whether the proposal is taken; only a yes is one. Ends with exit status 2 where it is not.

    `command`: does without the question, which a terminal alone shows.
    """
    asked = is_terminal() and not as_json
    if asked:
        sys.stderr.write("\nRelease it with these roles? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().casefold() in ("y", "yes"):
            return
        notify("\nNothing was released. Change what is to be changed here, and give the command:\n")
    else:
        count = sum(each.column not in proposal.wanted.roles for each in proposal.plan.roles)
        missing = InputError(
            f"{count:,} of the {proposal.columns:,} columns have no role yet, and nobody is asked without a terminal",
            where=named,
            next_step="Take the proposal with --accept-roles, or give the command with every role:",
        )
        notify(f"Error: {missing.message}\n")
        if as_json:
            missing.add_note(command)
            print_document("anonymize", of_error(missing))
    hand_over(command, sys.stderr)
    raise typer.Exit(2)


def is_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


_PARTS = frozenset(("quasi_identifiers", "sensitive", "keep", "identifiers", "accept_roles", "k", "named"))


def _before(context: typer.Context) -> list[str]:
    """The options before the command, as they were given."""
    state = settings_of(context).state
    return [] if state is None else ["--state", state]


def _given(context: typer.Context) -> list[str]:
    """The options of the command that were given, but for the parts of columns."""
    found: list[str] = []
    for parameter in context.command.params:
        name = parameter.name or ""
        value = context.params.get(name)
        if name in _PARTS or value in (None, (), []) or value == parameter.get_default(context):
            continue
        option = max(parameter.opts, key=len)
        values = value if isinstance(value, list | tuple) else [value]
        for each in values:
            found += [option] if each is True else [option, str(each)]
    return found


def _wanted(
    k: int,
    quasi_identifiers: Columns,
    sensitive: Columns,
    keep: Columns,
    identifiers: Columns,
    method: str,
    suppression_limit: str,
    hierarchy: Columns,
    entity: str | None,
    allow_identifying: Columns,
    where: str | None,
    reading: ReadingOptions,
    *,
    compare: bool,
    title: str,
    shape: Literal["rows", "table"],
    output_encoding: Literal["utf-8", "utf-8-sig"],
    language: str,
    missing_values: Literal["category", "suppressed"],
) -> AnonymizeOptions:
    from ordermade.anonymization import options, short_models

    models: dict[str, list[dict[str, Any]]] = {}
    plain: list[str] = []
    for each in sensitive or ():
        one = short_models.column_and_model(each)
        if one is None:
            plain += listed_names("--sensitive", [each])
        else:
            models.setdefault(one[0], []).append(short_models.short_model(one[1]))
    try:
        limit = Decimal(suppression_limit)
    except InvalidOperation:
        limit = Decimal("NaN")
    return options.AnonymizeOptions(
        k=k,
        roles=options.roles_given(
            [
                ("quasi-identifier", listed_names("--quasi-identifiers", quasi_identifiers or ())),
                ("sensitive", [*plain, *models]),
                ("kept", listed_names("--keep", keep or ())),
                ("identifier", listed_names("--identifiers", identifiers or ())),
            ]
        ),
        models=models,
        hierarchies=dict(map(_column_and_file, hierarchy or ())),
        method=options.method_named(method),
        suppression_limit=limit,
        where=where,
        entity=entity,
        allow_identifying=listed_names("--allow-identifying", allow_identifying or ()),
        compare=compare,
        title=title,
        shape=shape,
        output_encoding=output_encoding,
        language=language,
        reading=reading,
        missing_values=missing_values,
    )


def _column_and_file(written: str) -> tuple[str, Path]:
    column, file = column_and_text("--hierarchy", written)
    if column is None:
        raise InputError(
            "a hierarchy is given for a column", where="--hierarchy", next_step="Write COLUMN=FILE, as age=age.yaml."
        )
    return column, Path(file).expanduser()
