"""`ordermade user`: who may act besides the provider, and the tokens they act by."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.choices import one_of
from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, new_password, settings_of
from ordermade.documents.service import TokensRevoked, UserAdded, UserList
from ordermade.errors import InputError
from ordermade.records.cells import counted
from ordermade.service.lifecycle import ROLES
from ordermade.state.statements import find
from ordermade.views.screen import hand_over, notify, print_document, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="Users, their tokens, passwords and addresses.",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The user.", autocompletion=registered("users"))]


@app.command(
    short_help="Add a user with roles.",
    epilog=example("ordermade user add ann --role data-user", "ordermade user add rei --role reviewer"),
)
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the new user.")],
    role: Annotated[
        list[str],
        typer.Option(
            metavar="ROLE",
            help="data-user: submits requests, collects releases. reviewer: votes on requests. provider: does all. "
            "May be given several times.",
            autocompletion=one_of(*ROLES),
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Add a user with one role or more.

    The user acts by a token, which `user token` makes, and in the portal by a password, which `user password` sets.

    Roles bind at the border of the process alone: where a login gives commands with the user's token, and shows neither
    the state nor the source. Without a token the shell is the provider.
    """
    added = settings_of(context).engine().users.add(name, role)
    if as_json:
        print_document("user add", UserAdded(added))
    else:
        say(f"Added the user {added.name}, {' and '.join(added.roles)}.")
        say(f"Next: ordermade user token {added.name}, or for the portal ordermade user password {added.name}")


@app.command("list", short_help="List the users and tokens.", epilog=example("ordermade user list"))
def list_users(context: typer.Context, as_json: AsJson = False) -> None:
    """List the users with their roles, and the tokens without their secrets."""
    noun = settings_of(context).engine().users
    users, tokens = noun.list(), noun.tokens()
    if as_json:
        print_document("user list", UserList(users, tokens))
        return
    print_table(
        ("user", "roles", "tokens", "mail", "added"),
        [(each.name, ", ".join(each.roles), each.tokens, each.has_mail, each.added_at) for each in users],
        empty="There are no users: the provider acts alone.",
    )
    if tokens:
        print_table(
            ("token", "user", "scope", "expires", "revoked"),
            [(each.id, each.name, ", ".join(each.scope), each.expires_at, each.revoked_at) for each in tokens],
        )


@app.command(
    short_help="Make a token, and print it once.", epilog=example("ordermade user token ann --days 30 > ann.token")
)
def token(
    context: typer.Context,
    name: Name,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE",
            help="Roles that the token acts in. Left out: all of the user.",
            autocompletion=one_of(*ROLES),
        ),
    ] = None,
    days: Annotated[int, typer.Option(metavar="N", help="The days after which it expires, at most 3,650.")] = 90,
    as_json: AsJson = False,
) -> None:
    """Make a token of a user, and print it this once: the state keeps its hash alone.

    The user gives it in ORDERMADE_TOKEN or in a file, by `--token-file`.
    """
    made = settings_of(context).engine().users.token(name, scope, days)
    if as_json:
        print_document("user token", made)
        return
    notify(f"Token {made.record.id} of {name}, until {made.record.expires_at:%Y-%m-%d}. It is shown this once.")
    hand_over(made.secret)


@app.command(short_help="Set the password for the portal.", epilog=example("ordermade user password ann"))
def password(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Set the password by which a user logs in to the portal (`serve`), and end the user's sessions.

    It is typed twice at a terminal, else it is the first line of standard input: 12 characters or more. The state keeps
    its Argon2id hash alone.
    """
    noun = settings_of(context).engine().users
    find("user", name, noun.list())  # before anything is typed
    found = noun.password(name, new_password(name))
    if as_json:
        print_document("user password", found)
        return
    ended = f" {counted(found.sessions, 'session')} ended." if found.sessions else ""
    say(f"Set the password of {name}.{ended}")


@app.command(
    short_help="Set the address of a user's mail.",
    epilog=example("ordermade user mail ann ann@example.org", "ordermade user mail ann --none"),
)
def mail(
    context: typer.Context,
    name: Name,
    address: Annotated[str | None, typer.Argument(metavar="ADDRESS", help="The address, name@host.")] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove the address: no mail goes to the user.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set the address that mail on requests goes to, or remove it. It is shown nowhere, and goes with the user.

    `serve --mail` sends: to a user the number and the state of a request, to a reviewer once a day what waits.
    """
    if (address is None) != none:
        raise InputError("an address is set or removed", where="ADDRESS", next_step="Give an address, or --none.")
    found = settings_of(context).engine().users.mail(name, address)
    if as_json:
        print_document("user mail", found)
        return
    say(f"Mail goes to {name}." if found.has_mail else f"No mail goes to {name}.")


@app.command(
    short_help="Revoke tokens, end sessions.", epilog=example("ordermade user revoke ann", "ordermade user revoke 3")
)
def revoke(
    context: typer.Context,
    named: Annotated[
        str,
        typer.Argument(metavar="NAME|TOKEN", help="A user, or a token's number.", autocompletion=registered("users")),
    ],
    as_json: AsJson = False,
) -> None:
    """Revoke every token and session of a user, or a token by its number. It is not accepted from the next step on."""
    revoked = settings_of(context).engine().users.revoke(named)
    if as_json:
        print_document("user revoke", TokensRevoked(revoked))
    else:
        numbers = f": {', '.join(map(str, revoked))}" if revoked else ""
        say(f"Revoked {counted(len(revoked), 'token')}{numbers}.")


@app.command(epilog=example("ordermade user remove ann"))
def remove(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Remove a user and revoke the tokens. Submitted requests stay.

    The last provider may be removed: whoever can write the state acts as the provider at the shell.
    """
    gone = settings_of(context).engine().users.remove(name)
    if as_json:
        print_document("user remove", gone)
        return
    say(f"Removed the user {name}; {counted(gone.tokens, 'token')} revoked.")
    if not gone.providers_left:
        say("No user is a provider now: the provider acts at the shell alone.")
