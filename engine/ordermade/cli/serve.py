"""`ordermade serve`: the portal, in which users and reviewers do in a browser what they may do by commands."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.log import LOG
from ordermade.cli.options import example, settings_of
from ordermade.errors import InputError, quoted
from ordermade.views.screen import notify, print_table

if TYPE_CHECKING:
    from ordermade.engine import Engine

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    short_help="Serve the portal: the service in a browser.",
    epilog=example(
        "ordermade serve --demo",
        "ordermade serve",
        "ordermade serve --port 8080 --name data.example.org",
        "ordermade serve --socket portal.sock --name data.example.org --proxy unix",
        "ordermade serve --name d.example --mail smtp://mx --mail-from me@d.example",
    ),
)
def serve(
    context: typer.Context,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address of this machine that is listened on.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="The port; 0 for any that is free.")] = 8000,
    socket: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Listen on a Unix socket, mode 0660, in the place of an address."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST",
            help="A host name by which browsers ask for the portal, by a proxy that speaks TLS. May be given several "
            "times. Left out: the loopback alone, without TLS.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS|unix",
            help="A proxy whose headers are believed; unix: whoever comes by --socket. May be given several times.",
        ),
    ] = None,
    user_header: Annotated[
        str | None,
        typer.Option(
            metavar="HEADER",
            help="The header in which the proxy names the user whom it let in, such as X-Remote-User. Left out: users "
            "log in by `user password`.",
        ),
    ] = None,
    worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Run approved requests, in a process beside the pages.")
    ] = True,
    deliver: Annotated[
        bool, typer.Option("--deliver/--no-deliver", help="Let the worker deliver what it ran, measured again.")
    ] = True,
    mail: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Send mail by this server: smtps://USER:${NAME}@HOST:PORT, the password in the environment variable "
            "NAME; or smtp+starttls://, or smtp:// without TLS and password. Left out: no mail.",
        ),
    ] = None,
    mail_from: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The address that mail comes from; with --mail.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="What links in mail begin with. Left out: https:// and the first --name; with --mail."
        ),
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Serve made-up members on 127.0.0.1, with users and requests in every state.")
    ] = False,
) -> None:
    """Serve the portal until it is interrupted: pages for data users and reviewers, each with the rights of its user.

    It needs the extra portal: pip install 'ordermade[portal]'. With --demo it makes members up in a folder that goes at
    the end, and prints the passwords of two users and a reviewer.
    """
    try:
        from ordermade.portal.mail_server import MailServer
        from ordermade.portal.options import PortalOptions
        from ordermade.portal.serving import listening
        from ordermade.portal.serving import serve as serve_portal
        from ordermade.portal.worker import WorkerProcess
    except ModuleNotFoundError as error:
        step = "Install it: pip install 'ordermade[portal]'."
        raise InputError(f"{error.name} is not installed", next_step=step) from None
    settings = settings_of(context)
    if mail is None and (mail_from, url) != (None, None):
        raise InputError("no mail is sent", where="--mail", next_step="Give --mail, or neither --mail-from nor --url.")
    server = None
    if mail is not None:
        if not worker:
            raise InputError("the worker sends mail", where="--no-worker", next_step="Leave it out, or --mail.")
        server = MailServer(mail, mail_from or "", url or (f"https://{name[0]}" if name else ""))
        server.require_password()
    with ExitStack() as stack:
        if demo:
            if (host, socket, name, proxy, user_header, mail) != ("127.0.0.1", None, None, None, None, None):
                step = "Leave the other options out, but for --port."
                raise InputError("the demo is served on 127.0.0.1 alone", where="--demo", next_step=step)
            state = _made_up(Path(stack.enter_context(TemporaryDirectory(prefix="ordermade-portal-"))))
        else:
            state = settings.state_file().path
            _note_what_is_open(settings.engine())
        names, proxies, wait = tuple(name or ()), tuple(proxy or ()), settings.wait_seconds
        options = PortalOptions(state, names, proxies, user_header, wait, sends_mail=server is not None)
        made = listening(host, port, socket)
        where = str(socket) if socket is not None else "http://{}:{}".format(*made.getsockname()[:2])
        notify(f"The portal is at {where}. Ctrl-C ends it.")
        beside = None
        if worker:
            program = ("ordermade.cli.worker", LOG.level)
            beside = WorkerProcess(state, settings.wait_seconds, settings.memory, deliver, server, program)
        serve_portal(options, made, beside)


def _note_what_is_open(engine: Engine) -> None:
    """Notes each dataset without a policy, of which users may ask for any column."""
    governed = {each.dataset_name for each in engine.policies.list()}
    for each in engine.datasets.list():
        if each.name not in governed:
            what = f"Note: {quoted(each.name)} has no policy, so that users may ask for any of its columns."
            notify(f"{what} `ordermade policy set FILE` says what they may ask for.")


def _made_up(folder: Path) -> Path:
    """The state of a demo in a folder, whose passwords are printed."""
    from ordermade.demo.office import make_office

    notify("Making members up, and requests in every state …")
    made = make_office(folder / "office")
    print_table(("user", "role", "password"), [(each.name, each.role, each.password) for each in made.accounts])
    return made.state
