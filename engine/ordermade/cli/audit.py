"""`ordermade audit`: who did what and when, as a chain of hashes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.options import AsJson, example, settings_of
from ordermade.documents.audit import AuditList
from ordermade.errors import InputError
from ordermade.records.cells import counted
from ordermade.views.screen import notify, print_document, print_list, print_table, say

if TYPE_CHECKING:
    from ordermade.catalogue.audit import Audit

app = typer.Typer(
    no_args_is_help=True,
    help="Who did what and when. Each entry has the hash of the one before, so that an edited one is seen.",
)


@app.command("list", epilog=example("ordermade audit list", "ordermade audit list --last 20"))
def list_entries(
    context: typer.Context,
    last: Annotated[int, typer.Option("--last", metavar="N", min=1, help="So many entries at most.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List the entries of the audit, the latest first."""
    entries = _audit(context).list(last)
    if as_json:
        print_document("audit list", AuditList(entries))
        return
    from ordermade.catalogue.audit import SHOWN

    print_list(SHOWN, entries, empty="Nothing was done yet.")


@app.command(
    short_help="Compute every hash of the audit again.",
    epilog=example("ordermade audit verify", 'ordermade audit verify --head "$NOTED"'),
)
def verify(
    context: typer.Context,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="HASH", help="The hash of an entry, noted elsewhere, that must be among them."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute every hash of the audit again, and name the entries that are not as they were written.

    An editor who knows the format can compute all hashes anew: note the hash of the last entry
    elsewhere, and give it as --head. Exit status 3 if an entry was changed or is gone.
    """
    found = _audit(context).verify(head)
    if as_json:
        print_document("audit verify", found)
    elif found.intact:
        say(
            f"The audit is intact: {counted(found.number, 'entry', 'entries')}. The hash of the last one:\n{found.head}"
        )
    else:
        print_table(("where", "what is wrong"), [(each.where, each.what) for each in found.findings])
    if not found.intact:
        notify("The audit was changed by other means than ordermade.")
        raise typer.Exit(3)


@app.command(
    short_help="Write the audit to a file, to be kept elsewhere.",
    epilog=example("ordermade audit export audit.jsonl", "ordermade audit export --since 2026-01-01 audit.jsonl"),
)
def export(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make; one that exists is never replaced.")],
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE|N", help="The first day (UTC) or the first number. Left out: all."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the audit to a new file: a line of JSON for each entry, with its hash and that of the entry before."""
    made = _audit(context).export(path.expanduser(), _since(since))
    if as_json:
        print_document("audit export", made)
        return
    say(f"Wrote {counted(made.entries, 'entry', 'entries')} to {made.path}. The hash of the last one:\n{made.head}")


def _audit(context: typer.Context) -> Audit:
    from ordermade.catalogue.audit import Audit

    return Audit(settings_of(context).state_file())


def _since(text: str | None) -> int | datetime | None:
    if text is None:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        step = "Write a day such as 2026-01-31, or the number of an entry."
        raise InputError("this is neither a day nor a number", where="--since", next_step=step) from None
