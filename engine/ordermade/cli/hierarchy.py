"""`ordermade hierarchy`: generalisation hierarchies of columns."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.arguments import NewName
from ordermade.cli.completion import registered
from ordermade.cli.options import (
    AsJson,
    acts_as_provider,
    example,
    listed_names,
    require_folder,
    require_new,
    require_unused,
    settings_of,
    text_of,
    write_new,
)
from ordermade.cli.permitted import may_run
from ordermade.documents.hierarchy import (
    HierarchyList,
    HierarchyRemoved,
    HierarchyUploaded,
    OwnHierarchies,
    shown,
    suggested,
)
from ordermade.errors import InputError, quoted
from ordermade.files.private import FOLDER_MODE
from ordermade.hierarchies.code_lists import day_of
from ordermade.hierarchies.coverage import not_nested
from ordermade.hierarchies.dates import DateHierarchy
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.hierarchies.prefixes import PrefixHierarchy
from ordermade.records.cells import counted
from ordermade.views.screen import hand_over, notify, print_document, print_list, print_table, say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ordermade.catalogue.hierarchies import AddedHierarchy
    from ordermade.engine import Engine
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.hierarchies.intervals import Interval


def level_rows(hierarchy: Hierarchy) -> list[tuple[int, str, str, str]]:
    """Number, name, form of a class, and the next coarser levels it refines, of each level."""
    return [
        (number, level.name, one_class(hierarchy, number), _refined(hierarchy, number))
        for number, level in enumerate(hierarchy.levels)
    ]


def nesting(hierarchy: Hierarchy) -> list[str]:
    """Whether the levels nest, one sentence a line."""
    pairs = not_nested(hierarchy)
    if not pairs:
        return ["Every level refines the next one: the levels nest."]
    return [
        f"Level '{fine}' does not refine level '{coarse}': where a request accepts both, searches that need "
        "nested levels are refused."
        for fine, coarse in pairs
    ]


def leaf_rows(hierarchy: Hierarchy, most: int) -> list[tuple[str, ...]]:
    """The first listed values, each with its label at every level; none of a rule."""
    if not isinstance(hierarchy, ExplicitHierarchy):
        return []
    shown = range(min(most, len(hierarchy.leaves)))
    return [(_value(hierarchy.leaves[number]), *(labels[number] for labels in hierarchy.labels)) for number in shown]


def _refined(hierarchy: Hierarchy, level: int) -> str:
    direct = hierarchy.order.direct_generalisations(level, range(len(hierarchy.levels)))
    return ", ".join(f"{number} {hierarchy.levels[number].name}" for number in direct)


def one_class(hierarchy: Hierarchy, level: int) -> str:
    """The content of one class of a level, in a few words, without a value of the column."""
    if level == hierarchy.top:
        return "everything"
    if level == 0:
        return "one value"
    match hierarchy:
        case ExplicitHierarchy():
            classes = len(set(hierarchy.labels[level - 1]))
            return f"one of {classes:,} labels"
        case IntervalHierarchy():
            return _one_interval(hierarchy.intervals[level - 1])
        case DateHierarchy():
            return f"a {hierarchy.parts[level - 1]}"
        case PrefixHierarchy():
            return f"the first {hierarchy.keep[level - 1]} characters"
    return ""


def _one_interval(rule: Interval) -> str:
    """The content of one class of a level of intervals."""
    if rule.width is None:
        first, last = rule.bounds[0], rule.bounds[-1]
        return f"one of {len(rule.bounds) + 1:,} intervals, < {first:f} to {last:f}+"
    ends = [f"< {rule.below:f}"] if rule.below is not None else []
    ends += [f"{rule.above:f}+"] if rule.above is not None else []
    return ", ".join([f"an interval of {rule.width:f} from {rule.origin:f}", *ends])


def _value(leaf: str | None) -> str:
    return "NULL" if leaf is None else leaf


app = typer.Typer(
    no_args_is_help=True,
    help="Generalisation of values, level by level. A hierarchy is read from CSV, from a sheet of a workbook, "
    "from rules in YAML, or from a code list in a database; its last level is *.",
)

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The name the hierarchy is registered under.", autocompletion=registered("hierarchies")
    ),
]


class Style(StrEnum):
    """The forms of a CSV file or a sheet."""

    auto = "auto"
    arx = "arx"
    header = "header"


@app.command(
    epilog=example(
        "ordermade hierarchy add age age.yaml",
        "ordermade hierarchy add sex h.xlsx --sheet sex",
        "ordermade hierarchy add jis --source db --table jis --code id --parent up",
        "ordermade hierarchy add job --source db --table job --code id --levels b,c",
    )
)
def add(
    context: typer.Context,
    name: NewName,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A CSV file, a workbook, or rules in .yaml; or --source.")
    ] = None,
    style: Annotated[
        Style,
        typer.Option(help="The form of a CSV file or a sheet. arx: no header, parted by ;. header: a column a level."),
    ] = Style.auto,
    sheet: Annotated[
        str | None, typer.Option(metavar="SHEET", help="The sheet of a workbook that has several with values.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Instead of a file: the source with a code list in a table.",
            autocompletion=registered("sources"),
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="TABLE", help="The table or view of the codes, TABLE or SCHEMA.TABLE.")
    ] = None,
    code: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Its column of codes, which are the values of the data.")
    ] = None,
    parent: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column of the code above each code; NULL or the code itself for a root."
        ),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Instead of --parent: a column a level, from finest to coarsest: a,b,c."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="With --parent: the column of names, which are the labels. A name of different codes keeps the code.",
        ),
    ] = None,
    valid_on: Annotated[
        str | None, typer.Option(metavar="DATE", help="Take the codes that are valid on this day, such as 2024-04-01.")
    ] = None,
    valid_from: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of the first day; NULL: ever since. Without any such column: valid_from and valid_to.",
        ),
    ] = None,
    valid_to: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the last day; NULL: still valid.")
    ] = None,
    valid_before: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Instead of --valid-to: the column of the day after the last.")
    ] = None,
    inner_codes: Annotated[
        bool, typer.Option("--inner-codes", help="With --parent: codes above others are values of the data, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register a hierarchy, or replace the one of that name. Earlier measurements keep the old one.

    One from a code list knows its table: `hierarchy check` and requests say when the list changed, and
    `hierarchy refresh` takes it again.
    """
    hierarchies = settings_of(context).engine().hierarchies
    given = {
        "--table": table,
        "--code": code,
        "--parent": parent,
        "--levels": levels,
        "--label": label,
        "--valid-on": valid_on,
        "--valid-from": valid_from,
        "--valid-to": valid_to,
        "--valid-before": valid_before,
        "--inner-codes": inner_codes,
    }
    if source is None:
        _require_none(given, "needs --source")
        if file is None:
            raise InputError("there is neither a file nor a source", where=ADD, next_step="Give FILE or --source.")
        added = hierarchies.add(name, file.expanduser(), style.value, sheet=sheet)
    else:
        of_files = {"FILE": file, "--sheet": sheet, "--style": None if style is Style.auto else style}
        _require_none(of_files, "does not go with --source")
        if table is None or code is None:
            raise InputError(
                f"--{'table' if table is None else 'code'} is missing",
                where=ADD,
                next_step="Name the table of the codes, and its column of codes.",
            )
        added = hierarchies.add_code_list(
            name,
            source,
            table,
            code=code,
            parent=parent,
            levels=listed_names("--levels", levels or ()),
            label=label,
            valid_on=None if valid_on is None else day_of(valid_on, "--valid-on"),
            valid_from=valid_from,
            valid_to=valid_to,
            valid_before=valid_before,
            inner_codes=inner_codes,
        )
    if as_json:
        print_document("hierarchy add", added)
    else:
        _say_added(added)


ADD = "hierarchy add"
"""The place of its messages."""


def _require_none(given: Mapping[str, object], why: str) -> None:
    """Raises InputError for the first option that is given."""
    found = next((option for option, value in given.items() if value), None)
    if found is not None:
        raise InputError(f"{found} {why}", where=ADD, next_step="Give a file, or --source with its options.")


def _say_added(added: AddedHierarchy) -> None:
    for note in added.notes:
        notify(f"Note: {note}")
    if added.changes is not None:
        say(f"Changes of the code list: {added.changes.words()}.")
    names = ", ".join(level.name for level in added.hierarchy.levels)
    outcome = {"added": "Added", "replaced": "Replaced", "unchanged": "Unchanged:"}.get(added.outcome, added.outcome)
    say(f"{outcome} the hierarchy '{added.name}' ({added.kind}), from finest to coarsest: {names}.")


@app.command(epilog=example("ordermade hierarchy refresh muni"))
def refresh(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take the code list of a hierarchy as it is now. Earlier measurements keep the old one."""
    added = settings_of(context).engine().hierarchies.refresh(name)
    if as_json:
        print_document("hierarchy refresh", added)
    else:
        _say_added(added)


class OwnForm(StrEnum):
    """The forms of a hierarchy of a user's own."""

    yaml = "yaml"
    csv = "csv"


@app.command(
    short_help="Upload a hierarchy of one's own.",
    epilog=example("ordermade hierarchy upload bands - --dataset members --column age"),
)
@may_run("data-user")
def upload(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; requests name it USER/NAME.")],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file, or - for standard input: by a token - alone.")
    ],
    dataset: Annotated[str, typer.Option(metavar="NAME", help="The dataset that it is for.")],
    column: Annotated[str, typer.Option(metavar="COLUMN", help="The column that it is for.")],
    form: Annotated[
        OwnForm, typer.Option(help="yaml: rules, or a mapping. csv: a line for each value.")
    ] = OwnForm.yaml,
    as_json: AsJson = False,
) -> None:
    """Upload a hierarchy for a column, in place of the user's own one of that name. Only its user's requests name it.

    It is compared with the registered hierarchies of the column, never with the data.
    """
    from ordermade.hierarchies.read_csv import text_of as decoded
    from ordermade.service.own_hierarchies import LARGEST_HIERARCHY, WHERE

    content = text_of(context, file, LARGEST_HIERARCHY)
    catalogue = settings_of(context).engine().catalogue
    uploaded = catalogue.add_hierarchy(dataset, column, name, decoded(content, WHERE), form.value)
    if as_json:
        print_document("hierarchy upload", HierarchyUploaded(uploaded))
    else:
        say(f"Uploaded the hierarchy '{uploaded.name}' for {uploaded.column} of {uploaded.dataset}.")


@app.command(
    "list", short_help="List the registered hierarchies, or one's own.", epilog=example("ordermade hierarchy list")
)
@may_run("data-user")
def list_hierarchies(context: typer.Context, as_json: AsJson = False) -> None:
    """List the registered hierarchies; by the token of a data user those that this user uploaded."""
    settings = settings_of(context)
    if not acts_as_provider(settings):
        from ordermade.service.user_catalogue import OWN_SHOWN

        own = settings.engine().catalogue.hierarchies()
        if as_json:
            print_document("hierarchy list", OwnHierarchies(own))
        else:
            print_list(OWN_SHOWN, own, empty="No hierarchy is uploaded. `ordermade hierarchy upload` does it.")
        return
    hierarchies = settings.engine().hierarchies.list()
    if as_json:
        print_document("hierarchy list", HierarchyList(hierarchies))
        return
    from ordermade.catalogue.hierarchies import SHOWN

    print_list(
        SHOWN,
        hierarchies,
        empty="No hierarchy is registered. Add one with `ordermade hierarchy add`.",
    )


@app.command(epilog=example("ordermade hierarchy show age", "ordermade hierarchy show age --leaves 50"))
def show(
    context: typer.Context,
    name: Name,
    leaves: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="The number of listed values to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the levels, their refinements, and the first values."""
    hierarchy = settings_of(context).engine().hierarchies.get(name)
    if as_json:
        classes = [one_class(hierarchy, number) for number in range(len(hierarchy.levels))]
        print_document("hierarchy show", shown(hierarchy, leaves, classes))
        return
    say(f"Hierarchy {name} ({hierarchy.kind})")
    print_table(("level", "name", "one class is", "refines"), level_rows(hierarchy))
    for sentence in nesting(hierarchy):
        say(sentence)
    listed = leaf_rows(hierarchy, leaves)
    if listed:
        print_table([level.name for level in hierarchy.levels], listed)


@app.command(epilog=example("ordermade hierarchy check age --dataset members --column age"))
def check(
    context: typer.Context,
    name: Name,
    dataset: Annotated[
        str,
        typer.Option(metavar="NAME", help="The dataset to check it against.", autocompletion=registered("datasets")),
    ],
    column: Annotated[str, typer.Option(metavar="COLUMN", help="The column of the dataset.")],
    show_values: Annotated[
        bool,
        typer.Option("--show-values", help="Also list up to 20 values that are missing. They are values of the data!"),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a hierarchy against a column of a dataset.

    Reports how many values are missing, duplicate or never used. Exit status 2 if the column cannot be generalised with
    it.
    """
    checked = settings_of(context).engine().hierarchies.check(name, dataset, column, show_values=show_values)
    if as_json:
        print_document("hierarchy check", checked)
    else:
        for note in checked.notes:
            notify(f"Note: {note}")
        for line in checked.report.lines():
            say(f"{line[0].upper()}{line[1:]}.")
        if show_values and checked.missing:
            print_table(("missing value", "rows"), checked.missing)
    if not checked.report.usable:
        notify(f"Error: the hierarchy '{name}' does not cover the column '{column}' of the dataset '{dataset}'.")
        raise typer.Exit(2)


@app.command(epilog=example("ordermade hierarchy remove age"))
@may_run("data-user")
def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Take a hierarchy out of use. Measurements and releases with it stay on record.

    By the token of a data user, one that this user uploaded: USER/NAME.
    """
    settings = settings_of(context)
    if not acts_as_provider(settings):
        own = settings.engine().catalogue.remove_hierarchy(name)
        if as_json:
            print_document("hierarchy remove", HierarchyUploaded(own))
        else:
            say(f"Removed the hierarchy '{own.name}'.")
        return
    removed = settings.engine().hierarchies.remove(name)
    if as_json:
        print_document("hierarchy remove", HierarchyRemoved(removed))
        return
    say(f"Removed the hierarchy '{removed.name}'.")


@app.command(
    epilog=example(
        "ordermade hierarchy suggest members age --to age.yaml",
        "ordermade hierarchy add age age.yaml",
        "ordermade hierarchy suggest members --all --to drafts",
    )
)
def suggest(
    context: typer.Context,
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="The dataset to look at.", autocompletion=registered("datasets"))
    ],
    column: Annotated[
        str | None, typer.Argument(metavar="COLUMN", help="The column to draft a hierarchy for; or --all.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Draft one for every column.")] = False,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="Write the draft to this new file, or with --all a file for each column into this folder, which is "
            "made if need be. Left out: the draft is printed; with --all, what would be written is listed.",
        ),
    ] = None,
    least_rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Each label that is no value of its own has so many rows. Left out: the least k of the dataset, or 5.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft a hierarchy for a column, as YAML to edit. Drafts that are mappings list values of the data."""
    if every == (column is not None):
        what = "a column and --all were both given" if every else "there is neither a column nor --all"
        raise InputError(what, where="hierarchy suggest", next_step="Name one column, or give --all.")
    engine = settings_of(context).engine()
    target = None if to is None else to.expanduser()
    if column is not None:
        _suggest_one(engine, dataset, column, target, least_rows, as_json=as_json)
    else:
        _suggest_all(engine, dataset, target, least_rows, as_json=as_json)


def _suggest_one(
    engine: Engine, dataset: str, column: str, target: Path | None, least_rows: int | None, *, as_json: bool
) -> None:
    from ordermade.drafts.hierarchies import Undrafted

    if target is not None:
        require_new(target)
    found = engine.hierarchies.suggest(dataset, column, least_rows=least_rows)
    if isinstance(found, Undrafted):
        raise InputError(
            f"no hierarchy can be drafted: {found.reason}",
            where=f"column {quoted(found.column)}",
            next_step="Write one by hand, or leave the column out of requests.",
        )
    if target is not None:
        write_new(target, found.text)
    if as_json:
        files = {} if target is None else {found.column: str(target)}
        print_document("hierarchy suggest", suggested(dataset, [found], files))
    elif target is None:
        hand_over(found.text)
    else:
        say(f"Wrote the draft {target}, {found.reason}: edit it, then `ordermade hierarchy add NAME {target}`.")


def _suggest_all(engine: Engine, dataset: str, folder: Path | None, least_rows: int | None, *, as_json: bool) -> None:
    from ordermade.drafts.hierarchies import DraftedHierarchy, file_names

    if folder is not None:
        require_folder(folder)
    found = engine.hierarchies.suggest_all(dataset, least_rows=least_rows)
    names = file_names([each.column for each in found])
    drafts = [each for each in found if isinstance(each, DraftedHierarchy)]
    if folder is not None:
        for each in drafts:
            require_unused(folder / names[each.column])
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        for each in drafts:
            write_new(folder / names[each.column], each.text)
    if as_json:
        files = {} if folder is None else {each.column: str(folder / names[each.column]) for each in drafts}
        print_document("hierarchy suggest", suggested(dataset, found, files))
        return
    rows = [(each.column, names[each.column] if each in drafts else None, each.reason) for each in found]
    print_table(("column", "draft", "reason"), rows)
    count = counted(len(drafts), "draft")
    if folder is None:
        say(f"{count} made, none written: --to FOLDER writes them.")
    else:
        say(
            f"Wrote {count} into {folder}: edit them, then `ordermade hierarchy add COLUMN FILE` for each column that "
            f"requests generalise. `ordermade request draft {shlex.quote(dataset)}` proposes which; it takes a "
            "hierarchy that has the name of its column."
        )
