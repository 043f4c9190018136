"""The options that several commands share: state, limits, names, lists of k, new files."""

from __future__ import annotations

import csv
import getpass
import math
import os
import re
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.choices import one_of
from ordermade.cli.log import LOG
from ordermade.errors import InputError, Refused
from ordermade.files.file_reading import MAX_SKIPPED
from ordermade.progress.waiting import DEFAULT_WAIT, Silent
from ordermade.service.permissions import require
from ordermade.sources.limits import AskPassword, Limits
from ordermade.state.authority import authority_of
from ordermade.state.database import StateFile, located, recovered
from ordermade.state.location import look_up, named_state
from ordermade.state.new_files import write_new_file
from ordermade.views.screen import notices

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.progress.waiting import Progress
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.state.authority import Authority

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show every figure: all losses, the search, hashes, queries, seconds.")
]
CellMarks = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A mark of suppressed cells. May be given several times. Left out: X, *, -, … and nothing.",
    ),
]
TotalNames = Annotated[
    list[str] | None,
    typer.Option(
        metavar="CODE",
        help="The name of a total. May be given several times. Left out: Total, All, 計, 総数, 合計 and 総計.",
    ),
]
TableName = Annotated[str | None, typer.Option(metavar="NAME", help="The table, where a database file has several.")]
RowFilter = Annotated[
    str | None, typer.Option(metavar="FILTER", help="Only the rows that satisfy this, such as 'age >= 18'.")
]
Encoding = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The encoding of CSV files: auto, or any that Python knows, such as utf-16, cp932 or latin-1.",
        autocompletion=one_of("auto", "utf-8", "utf-16", "cp932", "euc-jp", "latin-1", "cp1252"),
    ),
]
Header = Annotated[
    bool,
    typer.Option("--header", help="The first line of a CSV file holds names, whatever it looks like."),
]
Skip = Annotated[
    int,
    typer.Option(
        "--skip", metavar="N", help="Leave out the first N lines of a CSV file, or rows of a sheet, such as a title."
    ),
]
SkipLines = Annotated[
    str | None,
    typer.Option(
        "--skip-lines",
        metavar="NUMBERS",
        help="Leave out lines of a CSV file, or rows of a sheet, by number: a second line of names, a total: 2,301.",
    ),
]


@dataclass(frozen=True, slots=True)
class Settings:
    """The state that was named (None: found by the usual rules) and how long to wait for its lock.

    `memory`: of the embedded database, as DuckDB reads it; None: as the environment says, else the default. `token`: of
    the user who acts; None: the provider does.
    """

    state: str | None = None
    wait_seconds: float = DEFAULT_WAIT
    memory: str | None = None
    token: str | None = field(default=None, repr=False)

    def state_file(self) -> StateFile:
        """The state, not opened yet; leftovers of killed processes are cleaned up first.

        Raises Refused where a token is given whose user is no provider: nobody else has the file as a whole.
        """
        from ordermade.methods.shared.abandoned_runs import put_in_order

        file = StateFile(located(self.state), self.authority, self.wait_seconds, notices())
        if self.token is not None:
            with file.reading():
                pass
        return recovered(file, partial(put_in_order, self._ask_password))

    def state_above(self) -> Path | None:
        """The state in a folder above the working directory, where that is the one that commands use; else None."""
        if named_state(self.state) is not None:
            return None
        found = look_up()
        return found.path if found.above else None

    def engine(
        self, *, use_cache: bool = True, progress: Progress | None = None, max_rows: int | None = None
    ) -> Engine:
        """The engine on that state; waits for a lock are reported on stderr."""
        from ordermade.engine import Engine

        return Engine(
            state=self.state,
            use_cache=use_cache,
            wait_seconds=self.wait_seconds,
            notice=notices(),
            progress=progress or Silent(),
            limits=Limits(max_rows=max_rows) if self.memory is None else Limits(self.memory, max_rows=max_rows),
            ask_password=self._ask_password,
            token=self.token,
        )

    @property
    def authority(self) -> Authority:
        """What the state is opened by: a token that was given, else the provider's shell."""
        return authority_of(self.token)

    @property
    def _ask_password(self) -> AskPassword | None:
        return prompted_password if sys.stdin.isatty() else None

    def require_permitted(self, command: str, roles: frozenset[str]) -> None:
        """Raises Refused where a token is given and its user has none of the roles, and is no provider.

        And where the log would show such a user the SQL: by a token it begins once a provider is known to act.
        """
        if self.token is not None:
            level = "" if LOG.level == "json" else LOG.level
            if level:
                LOG.stop()
            acting = self.engine().submissions.acting()
            if level:
                require(f"--log {level}", frozenset(), acting)
                LOG.start(level, "--log")
            require(command, roles, acting)


@cache
def prompted_password(url: str) -> str:
    """The password of a server, typed at the terminal once a process and kept nowhere else."""
    # By stderr the line of a progress knows that it is not to be drawn into the question.
    return getpass.getpass(f"Password for {url}: ", stream=sys.stderr)


def new_password(name: str) -> str:
    """A new password, typed twice at a terminal, else the first line of standard input. Raises InputError."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass(f"New password of {name}: ", stream=sys.stderr)
    if getpass.getpass("Again: ", stream=sys.stderr) != first:
        raise InputError("the two passwords differ", next_step="Give the command again.")
    return first


def settings_of(context: typer.Context) -> Settings:
    """The settings from the options before the command."""
    settings = context.find_object(Settings)
    if settings is None:
        raise RuntimeError("a command has the options of the program")
    return settings


def request_of(context: typer.Context, file: Path) -> Path | ReadRequest[Request]:
    """The request file; for `-` the request as read from standard input. Raises RequestError.

    Raises Refused where a user by a token names a file: the program opens it with the rights of the provider.
    """
    from ordermade.requests.read import MAX_READ, document_text, read_request

    settings = settings_of(context)
    if str(file) == "-":
        return read_request(document_text(sys.stdin.buffer.read(MAX_READ), "standard input"))
    if not acts_as_provider(settings):
        step = "Write - in place of the file: `request submit - < request.yaml`."
        raise Refused("a request by a token comes by standard input", where=str(file), next_step=step)
    return file.expanduser()


def read_of(file: Path) -> ReadRequest[Request]:
    """The request in a file of the provider's. Raises RequestError."""
    from ordermade.requests.read import read_request

    return read_request(file.expanduser())


def read_or_numbered(context: typer.Context, file: Path) -> ReadRequest[Request]:
    """The request in a file of the provider's; for a number that of the request on record, submitted or run.

    Raises RequestError, UnknownName, InputError for one that was not kept whole.
    """
    if not str(file).isdecimal():
        return read_of(file)
    from ordermade.catalogue.repeated_requests import read_again
    from ordermade.requests.read import read_request

    engine = settings_of(context).engine()
    submitted = engine.submissions.numbered(int(str(file)))
    if submitted is None:
        return read_again(engine, int(str(file)))
    return read_request(engine.submissions.get(submitted).in_force.request)


def new_file_of(context: typer.Context, file: Path) -> Path:
    """The new file that a command writes. Raises Refused where a user by a token names one, as `request_of` does."""
    if not acts_as_provider(settings_of(context)):
        step = "Write - in place of the file, and redirect the output: `- > FILE`."
        raise Refused("a file by a token goes to standard output", where=str(file), next_step=step)
    return file.expanduser()


def text_of(context: typer.Context, file: Path, most_bytes: int) -> bytes:
    """The bytes of a file, or for `-` of standard input: one more than `most_bytes` where there are more.

    Raises Refused where a user by a token names a file, as `request_of` does; InputError where it cannot be read.
    """
    if str(file) == "-":
        return sys.stdin.buffer.read(most_bytes + 1)
    if not acts_as_provider(settings_of(context)):
        step = "Write - in place of the file, and give it by standard input: `- < FILE`."
        raise Refused("a file by a token comes by standard input", where=str(file), next_step=step)
    try:
        with file.expanduser().open("rb") as opened:
            return opened.read(most_bytes + 1)
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror}", where=str(file), next_step="Check its name."
        ) from error


def acts_as_provider(settings: Settings) -> bool:
    """Whether the provider acts: the program opens files for nobody else, as it runs under the provider's account."""
    return settings.token is None or settings.engine().submissions.acting().is_provider


def checked_wait(seconds: float) -> float:
    """The seconds themselves. Raises a usage error for a wait that is negative or does not end."""
    if not math.isfinite(seconds) or seconds < 0:
        raise typer.BadParameter("write a number of seconds that is not negative, such as 30")
    return seconds


_SIZE = re.compile(r"\d+(?:\.\d+)? ?[kmgt]i?b", re.IGNORECASE)


TOKEN = "ORDERMADE_TOKEN"


def token_of(file: Path | None) -> str | None:
    """The token in a file or in the environment; None where there is neither. Raises a usage error for an empty one.

    Both at once is a usage error, too.

    An empty one is no token, and not the provider: a variable that a script failed to fill gives no rights. No option
    takes the token itself: every user of the machine sees the options of a process.
    """
    where = TOKEN if file is None else "--token-file"
    if file is None and TOKEN not in os.environ:
        return None
    if file is not None and TOKEN in os.environ:  # one that was set for a user is not changed by that user
        raise typer.BadParameter(f"{TOKEN} has a token already", param_hint=where)
    try:
        token = os.environ[TOKEN].strip() if file is None else file.expanduser().read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise typer.BadParameter("it cannot be read", param_hint=where) from None
    if not token:
        raise typer.BadParameter("it has no token", param_hint=where)
    return token


def checked_memory(size: str | None) -> str | None:
    """The size itself. Raises a usage error for one without a unit that DuckDB knows, or of nothing."""
    if size is not None and (not _SIZE.fullmatch(size.strip()) or not any(each in "123456789" for each in size)):
        raise typer.BadParameter("write a size with a unit, such as 4GB")
    return size


def example(*commands: str) -> str:
    """The end of a help text: calls of the command, line for line."""
    return "\n".join(("\b", "For example:", *(f"  $ {command}" for command in commands)))


def listed_names(option: str, given: Sequence[str]) -> tuple[str, ...]:
    """The names in lists such as `a,"last, first",b`. Raises InputError for one that is empty or not closed."""
    try:
        names = [name for record in csv.reader(given, skipinitialspace=True, strict=True) for name in record]
    except csv.Error:
        raise InputError(
            "a double quote is not closed", where=option, next_step='Write names as a,"last, first",b.'
        ) from None
    if not all(name.strip() for name in names) or not all(each.strip() for each in given):
        raise InputError("a name is empty", where=option, next_step="Write names as a,b,c.")
    return tuple(names)


def level_of(written: str) -> int | str:
    """A level by number, where digits are written, else by name."""
    return int(written) if written.isdecimal() and len(written) < 4 else written


def lines_named(written: str | None) -> tuple[int, ...]:
    """The numbers of lines in a list such as `2,301`; none where nothing is written. Raises InputError."""
    if written is None:
        return ()
    return _whole_numbers(written, MAX_SKIPPED, "--skip-lines", "the number of a line", "2,301 or as 2..5")


_RANGE = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}")


def ks_of(written: str, most: int) -> tuple[int, ...]:
    """The numbers of a list such as `2,3,5..8`. Raises InputError for any other text, and for more than `most` of them.

    The engine checks whether they protect anybody.
    """
    return _whole_numbers(written, most, "--k", "a k", "3,5,10 or as 2..15")


def _whole_numbers(written: str, most: int, where: str, called: str, such_as: str) -> tuple[int, ...]:
    found: set[int] = set()
    for part in written.split(","):
        span = _RANGE.fullmatch(part.strip())
        if span:
            first, last = int(span[1]), int(span[2])
        elif _NUMBER.fullmatch(part.strip()):
            first = last = int(part)
        else:
            raise InputError(f"{called} is a whole number", where=where, next_step=f"Write them as {such_as}.")
        if last < first:
            raise InputError(
                f"{first}..{last} has no number in it", where=where, next_step=f"Write it as {last}..{first}."
            )
        if last - first >= most or len(found | set(range(first, last + 1))) > most:
            raise InputError(f"more than {most:,} of them", where=where, next_step="Give fewer at a time.")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


YAML: Mapping[str, str] = types.MappingProxyType({".yaml": "YAML", ".yml": "YAML"})


def require_new(path: Path, endings: Mapping[str, str] = YAML) -> None:
    """Raises InputError if the file exists, its folder does not, or its ending is none of `endings`.

    `endings`: each with the name of its format.
    """
    where = str(path)
    require_unused(path)
    if path.suffix.casefold() not in endings:
        ending, form = next(iter(endings.items()))
        raise InputError(f"a draft is {form}", where=where, next_step=f"Name a file that ends in {ending}.")
    if not path.absolute().parent.is_dir():
        raise InputError("there is no such folder", where=str(path.parent), next_step="Make it, or name another.")


def require_unused(path: Path) -> None:
    """Raises InputError if anything has this name."""
    if path.is_symlink() or path.exists():
        raise InputError(
            "a draft never replaces a file, and this one exists", where=str(path), next_step="Name another."
        )


def require_folder(path: Path) -> None:
    """Raises InputError unless the folder is there or can be made in one that is."""
    if path.exists() and not path.is_dir():
        raise InputError("this is no folder", where=str(path), next_step="Name a folder, or a new one.")
    if not path.absolute().parent.is_dir():
        raise InputError("there is no such folder", where=str(path.parent), next_step="Make it, or name another.")


def write_new(path: Path, text: str) -> None:
    """Writes a draft as a new file of its owner's alone, whole or not at all: it may list values of the data."""
    write_new_file(path, text, "draft")
