"""`ordermade taxonomy`: categories of items, drafted from their descriptions, and checked. Nothing is registered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.arguments import TablePlace
from ordermade.cli.options import (
    AsJson,
    Encoding,
    Header,
    RowFilter,
    TableName,
    example,
    level_of,
    new_file_of,
    require_new,
    settings_of,
    write_new,
)
from ordermade.cli.permitted import may_run
from ordermade.views.screen import hand_over, notify, print_document, print_facts, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="Categories of items. A taxonomy is a hierarchy that lists every item with its category; a request with "
    "`method: history` generalises items by it.",
)

ItemColumn = Annotated[str, typer.Option(metavar="COLUMN", help="The column that names items: texts or whole numbers.")]


@app.command(
    short_help="Draft a taxonomy from descriptions of items.",
    epilog=example(
        "ordermade taxonomy suggest s.csv --item code --description name --to c.csv",
        "ordermade taxonomy suggest shop.sales --item code --description name",
    ),
)
def suggest(
    context: typer.Context,
    named: TablePlace,
    item: ItemColumn,
    description: Annotated[str, typer.Option(metavar="COLUMN", help="The column that describes an item in words.")],
    keywords: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The list of keywords, as YAML. Left out: the one that `taxonomy keywords` prints."
        ),
    ] = None,
    likeness: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="The least probability of the likeliest category of an item without keywords, by the terms it shares "
            "with items that have some. 1: keywords alone.",
        ),
    ] = 0.8,
    terms: Annotated[
        int, typer.Option(metavar="NUMBER", help="The most terms to list of items that got no category.")
    ] = 30,
    table: TableName = None,
    where: RowFilter = None,
    encoding: Encoding = "auto",
    header: Header = False,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the draft to this new file, .csv. It lists every item.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft a taxonomy from item descriptions: by keywords, else by likeness of terms, else the category `other`.

    The output has numbers of items, and terms of five items or more. The file names all items of the table: it is
    the provider's own.
    """
    from ordermade.documents.taxonomy import suggested
    from ordermade.methods.histories.taxonomies.suggest import (
        TERM_HEADINGS,
        TERMS_TITLE,
        TaxonomyOptions,
        csv_text,
        suggested_facts,
        suggested_headings,
        suggested_rows,
        term_rows,
    )

    file = None if to is None else to.expanduser()
    if file is not None:
        require_new(file, {".csv": "CSV"})
    listed = None if keywords is None else keywords.expanduser()
    found = (
        settings_of(context)
        .engine()
        .suggest_taxonomy(
            named,
            TaxonomyOptions(item, description, listed, likeness, terms),
            table=table,
            where=where,
            encoding=encoding,
            header=header,
        )
    )
    if file is not None:
        write_new(file, csv_text(found))
    if as_json:
        print_document("taxonomy suggest", suggested(found))
        return
    print_facts(suggested_facts(found))
    print_table(suggested_headings(found), suggested_rows(found))
    if found.left:
        print_table(TERM_HEADINGS, term_rows(found), title=TERMS_TITLE)
    if file is not None:
        say(
            f"\nWrote the taxonomy {file}: look through it, then name it in a request as "
            f"`items: {{taxonomy: {file.name}}}`."
        )


@app.command(
    short_help="Check a taxonomy against the items of a table.",
    epilog=example(
        "ordermade taxonomy check categories.csv sales.parquet --item StockCode",
        "ordermade taxonomy check categories.csv shop.sales --item StockCode --list",
    ),
)
def check(
    context: typer.Context,
    taxonomy: Annotated[
        Path, typer.Argument(metavar="TAXONOMY", help="A hierarchy file that lists items, CSV or YAML.")
    ],
    named: TablePlace,
    item: ItemColumn,
    level: Annotated[
        str, typer.Option(metavar="LEVEL", help="The level whose classes are the categories, by number or name.")
    ] = "1",
    table: TableName = None,
    where: RowFilter = None,
    encoding: Encoding = "auto",
    header: Header = False,
    show_items: Annotated[
        bool, typer.Option("--list", help="Also list the items that have no category. They are values of the data!")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a taxonomy against the items of a table: items with no category, categories never used, goods a category.

    Exit status 1 if items have no category.
    """
    from ordermade.documents.taxonomy import checked
    from ordermade.methods.histories.taxonomies.check import (
        CATEGORY_HEADINGS,
        ITEM_HEADINGS,
        ITEMS_TITLE,
        category_rows,
        checked_facts,
        incomplete,
    )

    found = (
        settings_of(context)
        .engine()
        .check_taxonomy(
            taxonomy.expanduser(),
            named,
            item,
            level=level_of(level),
            table=table,
            where=where,
            encoding=encoding,
            header=header,
            show_items=show_items,
        )
    )
    if as_json:
        print_document("taxonomy check", checked(found))
    else:
        print_facts(checked_facts(found))
        print_table(CATEGORY_HEADINGS, category_rows(found))
        if show_items and found.unsorted:
            print_table(ITEM_HEADINGS, found.unsorted, title=ITEMS_TITLE)
    if not found.complete:
        notify(incomplete(found))
        raise typer.Exit(1)


@app.command(
    short_help="Print the list of keywords, to be edited.",
    epilog=example("ordermade taxonomy keywords", "ordermade taxonomy keywords --to ours.yaml"),
)
@may_run("data-user", "reviewer")
def keywords(
    context: typer.Context,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the list to this new file. Left out, or -: it is printed."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the list of keywords that ships with the program, to be edited and given to `taxonomy suggest`."""
    from ordermade.documents.taxonomy import DefaultKeywords
    from ordermade.methods.histories.taxonomies.keywords import default_keywords_text

    file = None if to is None or str(to) == "-" else new_file_of(context, to)
    if file is not None:
        require_new(file)
        write_new(file, default_keywords_text())
    if as_json:
        print_document("taxonomy keywords", DefaultKeywords.of(default_keywords_text(), file))
    elif file is None:
        hand_over(default_keywords_text())
    else:
        say(f"Wrote the keywords {file}: edit them, then `ordermade taxonomy suggest … --keywords {file}`.")
