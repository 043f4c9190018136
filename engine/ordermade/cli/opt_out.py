"""`ordermade dataset opt-out`: persons who are left out of a dataset before anything is counted."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, settings_of
from ordermade.documents.opt_out import OptOutAdded, OptOutList, OptOutRemoved
from ordermade.errors import InputError
from ordermade.privacy.least_k import in_words, numbered
from ordermade.views.screen import notify, print_document, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    short_help="Persons who are left out before anything is counted.",
    help="Persons who are left out of a dataset before anything is counted, kept as salted hashes of their values. The "
    "dataset needs an entity column. A reader of the state can try values: it protects names, not short numbers.",
    epilog=example("ordermade dataset opt-out add visits opted-out.txt"),
)

Name = Annotated[
    str,
    typer.Argument(metavar="DATASET", help="The dataset.", show_default=False, autocompletion=registered("dataset")),
]
_FILE = (
    "A file with a value of the entity column in each line, in double quotes if it begins or ends with a space. - is "
    "the standard input."
)


@app.command(
    epilog=example("ordermade dataset opt-out add visits opted-out.txt", "ordermade dataset opt-out add visits -")
)
def add(
    context: typer.Context,
    name: Name,
    persons: Annotated[str, typer.Argument(metavar="FILE", help=_FILE, show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Add persons to the list of a dataset.

    Requests count without them from now on, and use no count of before. That stays in the cache until
    `cache purge --dataset`.
    """
    unmatched = settings_of(context).engine().datasets.opt_outs.add(name, persons)
    if as_json:
        print_document("dataset opt-out add", OptOutAdded(name, unmatched))
        return
    say(f"The persons are left out of '{name}'.")
    if unmatched is None:
        notify("Fewer than the least k of them, or none, are no person of the data now.")
    elif unmatched:
        notify(f"{numbered(unmatched, 'of them is', 'of them are')} no person of the data now.")


@app.command(
    "list", short_help="List the datasets that persons opted out of.", epilog=example("ordermade dataset opt-out list")
)
def list_opt_outs(context: typer.Context, as_json: AsJson = False) -> None:
    """List the datasets with persons who opted out, and how many; no number below the least k is shown."""
    found = settings_of(context).engine().datasets.opt_outs.list()
    if as_json:
        print_document("dataset opt-out list", OptOutList(found))
        return
    print_table(
        ("dataset", "persons", "last added"),
        [(each.dataset, in_words(each.persons or 0, each.least_k), each.last_added_at) for each in found],
        empty="Nobody opted out.",
    )


@app.command(
    short_help="Take persons off the list of a dataset.",
    epilog=example(
        "ordermade dataset opt-out remove visits again.txt", "ordermade dataset opt-out remove visits --all"
    ),
)
def remove(
    context: typer.Context,
    name: Name,
    persons: Annotated[str | None, typer.Argument(metavar="FILE", help=_FILE, show_default=False)] = None,
    everybody: Annotated[bool, typer.Option("--all", help="Everybody on the list.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take persons off the list of a dataset; who is not on it is passed over."""
    if (persons is None) != everybody:
        step = "Give a file, - or --all, and one of them alone."
        raise InputError("it is not said who is to be taken off", where="dataset opt-out remove", next_step=step)
    settings_of(context).engine().datasets.opt_outs.remove(name, persons)
    if as_json:
        print_document("dataset opt-out remove", OptOutRemoved(name))
        return
    say(f"The list of '{name}' is without {'anybody' if everybody else 'these persons'} now.")
