"""`ordermade init` and `ordermade state`: the engine's own file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.options import AsJson, example, settings_of
from ordermade.documents.state import BackedUp, Migrated, Verified
from ordermade.privacy.least_k import numbered
from ordermade.state.database import initialise
from ordermade.state.database import migrate as apply_pending
from ordermade.state.location import DEFAULT_PATH, EARLIER_PATH, earlier_state, look_up, named_state, state_here
from ordermade.views.screen import notify, print_document, print_facts, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="The engine's own file. It holds registrations, requests, measurements and releases: counts, levels and "
    "hashes, never a value of a person.",
)

init_app = typer.Typer(rich_markup_mode=None, add_completion=False)


@init_app.command(epilog=example("ordermade init", "ordermade --state /srv/ordermade/state.sqlite init"))
def init(context: typer.Context, as_json: AsJson = False) -> None:
    """Create the state, or report that it exists already.

    It is made in this folder, unless --state or ORDERMADE_STATE names another place. Commands in this folder and those
    below it use it; one in a folder above is not used by them any more.
    """
    settings = settings_of(context)
    path = named_state(settings.state) or state_here()
    file = replace(settings, state=str(path)).state_file()
    above = look_up() if named_state(settings.state) is None else None
    made = initialise(file.path, file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
    if as_json:
        print_document("init", made)
        return
    say(f"{made.message[0].upper()}{made.message[1:]}.")
    if made.created and above is not None and above.path is not None:
        notify(f"Note: it hides the state {above.path} from this folder and those below; --state names that one.")


@app.command(
    short_help="Show where the state is, and the rows of its tables.", epilog=example("ordermade state status")
)
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show where the state is, its migrations, and the rows of its tables."""
    from ordermade.state.inspection import state_status

    file = settings_of(context).state_file()
    found = state_status(file.path, file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
    if as_json:
        print_document("state status", found)
        return
    pending = found.pending or "none"
    print_facts(
        [
            ("state", found.path),
            ("migrations", found.version),
            ("pending migrations", pending),
            ("bytes", found.size),
        ]
    )
    print_table(("table", "rows"), found.counts.items())
    if found.pending:
        notify("Run `ordermade state migrate` before anything else.")


@app.command(
    short_help="Bring an older state up to this engine.",
    epilog=example("ordermade state backup state-before.sqlite", "ordermade state migrate"),
)
def migrate(context: typer.Context, as_json: AsJson = False) -> None:
    """Bring an older state up to this engine: each migration wholly or not at all."""
    file = settings_of(context).state_file()
    applied = apply_pending(file.path, file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
    if as_json:
        print_document("state migrate", Migrated(file.path, applied))
        return
    say(f"Applied {', '.join(applied)}." if applied else "Nothing to do: the state is up to date.")


@app.command(
    short_help="Make a state of one that an earlier engine kept in a DuckDB file.",
    epilog=example("ordermade state convert", "ordermade --state state.sqlite state convert old/state.duckdb"),
)
def convert(
    context: typer.Context,
    path: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The earlier state; left out: state.duckdb where the state is to be."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a state of one that an earlier engine kept in a DuckDB file, state.duckdb; that file stays as it is.

    Every row is taken over, the audit with its hashes, and `state verify` finds the same before and after. The earlier
    engine must be the last one with such files: `state migrate`, run with it, brings an older state up.
    """
    from ordermade.state.conversion import convert as convert_state

    settings = settings_of(context)
    named = named_state(settings.state)
    earlier = earlier_state(named or state_here()) if path is None else path.expanduser().absolute()
    target = named or (earlier.with_name(DEFAULT_PATH.name) if path is None and earlier is not None else state_here())
    file = replace(settings, state=str(target)).state_file()
    made = convert_state(
        file.path,
        earlier or target.with_name(EARLIER_PATH.name),
        file.authority,
        wait_seconds=file.wait_seconds,
        notice=file.notice,
    )
    if as_json:
        print_document("state convert", made)
        return
    say(f"Made the state {made.path} of {made.kept}, which stays: {numbered(made.rows, 'row', 'rows')}.")


@app.command(epilog=example("ordermade state backup state-copy.sqlite"))
def backup(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file to make; one that exists is never replaced.")],
    as_json: AsJson = False,
) -> None:
    """Copy the state, and the state alone, to a new file. The cache is personal data and stays out."""
    from ordermade.state.backup import backup as copy_to

    file = settings_of(context).state_file()
    made = copy_to(file.path, path.expanduser(), file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
    if as_json:
        print_document("state backup", BackedUp(file.path, made))
        return
    say(f"Copied the state to {made}.")


@app.command(
    short_help="Put a backup in the place of the state.",
    epilog=example("ordermade state backup state-copy.sqlite", "ordermade state restore state-copy.sqlite"),
)
def restore(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The backup; it stays as it is.")],
    unrelated: Annotated[
        bool, typer.Option("--unrelated", help="Put it there although it is a backup of another state.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the state, whole; the state of before is kept beside under another name.

    What happened since the backup holds on: releases, requests, withdrawals, erasures, opt-outs, accepted terms. What
    protects is applied again: removed users, revoked tokens, refusals, policies, least k, closed columns. Approvals
    since are back in review, and all else is undone and listed. A state that is missing, damaged or, with --unrelated,
    another one cannot be compared: every token is revoked, every open request is reviewed anew, and the catalogue has
    no release. A backup that is older or newer than this engine, no state, or not sound is refused, and so is any
    while a request runs.
    """
    from ordermade.state.backup import restore as put_back

    file = settings_of(context).state_file()
    made = put_back(
        file.path,
        path.expanduser(),
        file.authority,
        unrelated=unrelated,
        wait_seconds=file.wait_seconds,
        notice=file.notice,
    )
    if as_json:
        print_document("state restore", made)
        return
    of_before = "There was no state before." if made.kept is None else f"The state of before is {made.kept}."
    say(f"Restored the state from {made.backup}. {of_before}")
    for each in made.carried:
        say(f"Kept from since the backup: {each}.")
    for each in made.undone:
        notify(f"Undone: {each}.")
    if made.locked:
        notify(
            f"Every token was revoked, and every open request is in review: {made.locked}, so that nobody knows what "
            "was revoked, refused or released since the backup."
        )


@app.command(epilog=example("ordermade state verify"))
def verify(context: typer.Context, as_json: AsJson = False) -> None:
    """Read the whole state and report its faults. Exit status 3 if there are any."""
    from ordermade.state.inspection import verify as findings_of

    file = settings_of(context).state_file()
    findings = findings_of(file.path, file.authority, wait_seconds=file.wait_seconds, notice=file.notice)
    if as_json:
        print_document("state verify", Verified(file.path, sound=not findings, findings=findings))
    elif findings:
        print_table(("where", "what is wrong"), [(each.where, each.what) for each in findings])
    else:
        say(f"The state {file.path} is sound.")
    if findings:
        notify("The state is not sound. Put back a copy made by `ordermade state backup`, or report this.")
        raise typer.Exit(3)
