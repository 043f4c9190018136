"""The program `ordermade`: its nouns, the options before them, and its exit."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, cast

import typer
from typer.core import TyperGroup

from ordermade.cli.exit_status import exit_status_of, leave
from ordermade.cli.log import checked_log
from ordermade.cli.options import TOKEN, Settings, checked_memory, checked_wait, token_of
from ordermade.cli.permitted import Dispatched
from ordermade.errors import RequestError, UnknownName
from ordermade.files.private import OTHERS
from ordermade.progress.waiting import DEFAULT_WAIT
from ordermade.version import VERSION
from ordermade.views.screen import forgive_encoding, open_closed_streams, say

OBJECTS_BETWEEN_COLLECTIONS = 250_000
"""So many new objects that may hold each other are made before those that nothing else holds are looked for."""

_PLACES: Mapping[str, tuple[str, str]] = {"init": ("state", "init_app")}
"""The modules, and the names there, of what is not the `app` of a module of its own name."""


class _Commands(Mapping[str, Any]):
    """The nouns and commands of the program by their names, each imported and made when it is first looked up."""

    SINGLE = ("anonymize", "measure", "demo", "init", "sweep", "schema", "serve")
    NOUNS = (
        *("state", "cache", "source", "dataset", "policy", "hierarchy", "taxonomy", "request"),
        *("microaggregation", "rules", "release", "ledger", "certificate", "judge", "observations", "audit", "user"),
        "retention",
    )

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            if name not in (*self.SINGLE, *self.NOUNS):
                raise KeyError(name)
            module, attribute = _PLACES.get(name, (name, "app"))
            found = getattr(import_module(f"ordermade.cli.{module}"), attribute)
            is_single = name in self.SINGLE
            self._made[name] = _command(found.registered_commands[0]) if is_single else _group(found, name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self.SINGLE, *self.NOUNS))

    def __len__(self) -> int:
        return len(self.SINGLE) + len(self.NOUNS)


class _OfNoun(Mapping[str, Any]):
    """The commands of a noun by their names, and the groups below it, each made when it is looked up."""

    def __init__(self, noun: typer.Typer) -> None:
        self._infos: dict[str, Any] = {_name_of(each): each for each in noun.registered_commands}
        self._below: dict[str, Any] = {str(each.name): each.typer_instance for each in noun.registered_groups}
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            is_group = name in self._below
            self._made[name] = _group(self._below[name], name) if is_group else _command(self._infos[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*self._infos, *self._below))

    def __len__(self) -> int:
        return len(self._infos) + len(self._below)


def _command(info: Any) -> Dispatched:
    """The one way in which a command is made: as one that checks who runs it."""
    checked = copy(info)
    checked.cls = Dispatched
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.registered_commands.append(checked)
    return cast("Dispatched", typer.main.get_command(alone))


def _group(noun: typer.Typer, name: str) -> Any:
    bare = copy(noun)
    bare.registered_commands, bare.registered_groups = [], []
    alone = typer.Typer(rich_markup_mode=None)
    alone.add_typer(bare, name=name)
    group: Any = typer.main.get_group(alone).commands[name]
    group.commands = _OfNoun(noun)
    return group


def _name_of(command: Any) -> str:
    return str(command.name or typer.main.get_command_name(command.callback.__name__))


class _Program(TyperGroup):
    """The program: a command costs the import of its own noun alone."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast("MutableMapping[str, Any]", _Commands())

    def get_params(self, ctx: Any) -> Any:
        """The options; beside a token in the environment none that writes into the home of the provider's account."""
        every = super().get_params(ctx)
        return every if TOKEN not in os.environ else [each for each in every if each.name != "install_completion"]

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; an error about a name adds which state was looked in, if it stands in a folder above."""
        try:
            return super().invoke(ctx)
        except (RequestError, UnknownName) as error:
            settings = ctx.obj
            is_by_shell = isinstance(settings, Settings) and settings.token is None
            if is_by_shell and (above := settings.state_above()) is not None:
                error.add_note(f"The state is that of a folder above: {above}.")
            raise


app = typer.Typer(
    name="ordermade",
    cls=_Program,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="`ordermade anonymize members.csv --k 5` releases a table k-anonymously. For requests again and again, "
    "register a database and its generalisation hierarchies, and run request files: each ends in a release whose k was "
    "measured, or in the reason why there is none.",
    epilog="\n".join(
        (
            "\b",
            "From a file to a release:",
            "  $ ordermade anonymize members.csv --k 5",
            "",
            "\b",
            "From a database to releases on request:",
            "  $ ordermade init",
            "  $ ordermade source add shop members.csv",
            "  $ ordermade dataset add members --source shop --table members",
            "  $ ordermade hierarchy add age age.csv",
            "  $ ordermade request run request.yaml",
            "",
            "\b",
            "From there to a portal for users and reviewers:",
            "  $ ordermade user add ann --role data-user",
            "  $ ordermade user password ann",
            "  $ ordermade serve",
            "",
            "\b",
            "Exit status: 0 done or released, 1 refused, 2 malformed input,",
            "3 a fault of the source or the state. --log debug logs every statement",
            "to stderr.",
        )
    ),
)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"ordermade {VERSION}")
        raise typer.Exit


@app.callback()
def before(
    context: typer.Context,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The state file. Left out: ORDERMADE_STATE, else .ordermade/state.sqlite here or in the nearest "
            "folder above, as git finds .git: not past another file system or another user's folder. It is not given "
            "beside a token in ORDERMADE_TOKEN.",
        ),
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            callback=checked_wait,
            help="The longest wait while another process holds the state or a source.",
        ),
    ] = DEFAULT_WAIT,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            callback=checked_memory,
            help="The memory of the embedded database, such as 4GB; more is spilled into a private folder of TMPDIR. "
            "Left out: ORDERMADE_MEMORY, else 1GB.",
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="The file with the token of the user who acts. Left out: the token in ORDERMADE_TOKEN, else the "
            "provider acts.",
        ),
    ] = None,
    log: Annotated[  # noqa: ARG001
        str | None,
        typer.Option(
            metavar="LEVEL",
            callback=checked_log,
            is_eager=True,
            help="The log on stderr: debug for every statement as text, json for a line of JSON an event, without SQL. "
            "Left out: ORDERMADE_LOG, else none.",
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options before the noun apply to every command."""
    if state is not None and TOKEN in os.environ:  # in a state of their own users would be what they like
        raise typer.BadParameter(f"{TOKEN} has a token of the state that ORDERMADE_STATE names", param_hint="--state")
    context.obj = Settings(state, wait, memory, token_of(token_file))


def run() -> NoReturn:
    """Runs the command line and ends the process with its exit status."""
    # The matrices of a prediction are small: a second thread only waits, and takes a core from the database.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Its models take no plugins, which it would look for in every installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A command makes many objects and keeps most of them to its end: looking through them 700 at a time finds nothing.
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # What is written is its owner's, or gets its mode by name; what DuckDB spills gets none but this.
    os.umask(os.umask(OTHERS) | OTHERS)
    open_closed_streams()
    forgive_encoding(sys.stdout, sys.stderr)
    leave(exit_status_of(lambda: app(prog_name="ordermade"), sys.argv[1:]))
