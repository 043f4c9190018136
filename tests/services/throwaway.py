"""Servers that are started for tests and are theirs to break: in a temporary folder, on a free port, never as root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from tests.services import guard
from tests.services.servers import POSTGRES, Kind, NoServer, Server, SwitchedOff, find, refusal, refuse_none

SECONDS_TO_START = 90.0
SECONDS_TO_STOP = 30.0
SECONDS_TO_SET_UP = 180.0
LONGEST_SOCKET = 100
"""Bytes of the path of a Unix socket; systems allow 104 or 108."""

NOT_OF_HERE = ("PG", "MYSQL", "MARIADB")
"""Environment variables with these beginnings would lead a server away from its own folder."""


class NotInstalled(NoServer):
    """The programs are missing."""


class NotStarted(NoServer):
    """The programs are there and do not start a server; `log` is all they wrote."""

    def __init__(self, why: str, log: str) -> None:
        super().__init__(why)
        self.log = log


def program(kind: Kind, *names: str) -> str:
    """The path of the first of the programs that is installed: on the PATH, or where systems keep servers."""
    folders = ["/usr/local/sbin", "/usr/sbin", "/usr/libexec", "/usr/local/libexec", "/opt/homebrew/bin"]
    if kind is POSTGRES:
        versions = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if path.parent.name.isdigit()]
        folders = [*map(str, sorted(versions, key=lambda path: -int(path.parent.name))), *folders]
        if asked := shutil.which("pg_config"):
            answer = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False)
            folders.append(answer.stdout.strip())
    everywhere = os.pathsep.join([os.environ.get("PATH", os.defpath), *filter(None, folders)])
    for name in names:
        if found := shutil.which(name, path=everywhere):
            return found
    raise NotInstalled(f"{' or '.join(names)} is not installed")


def unprivileged(kind: Kind) -> pwd.struct_passwd:
    """Who the server runs as: whoever runs the tests; instead of root, which servers refuse, a user without rights.

    Raises:
        NoServer: root runs the tests, and there is no such user.
    """
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    for name in ({"postgres": "postgres", "mariadb": "mysql"}[kind.name], "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoServer(f"{kind.title} does not run as root, and there is no user nobody")


def _commands(kind: Kind, folder: Path, port: int) -> tuple[list[str], list[str]]:
    """What makes the data in the folder, and what serves it."""
    data = folder / "data"
    if kind is POSTGRES:
        server = program(kind, "postgres")
        beside = Path(server).resolve().with_name("initdb")  # of the same version
        make = str(beside) if beside.exists() else program(kind, "initdb")
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": folder,
            "fsync": "off",  # what is committed outlives the process, though not the machine
            "full_page_writes": "off",
        }
        return (
            [make, "-D", str(data), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"],
            [server, "-D", str(data), *(f"--{name}={value}" for name, value in settings.items())],
        )
    make = program(kind, "mariadb-install-db", "mysql_install_db")
    here = ["--no-defaults", f"--datadir={data}", "--skip-name-resolve"]
    return (
        [make, *here, "--auth-root-authentication-method=normal", "--skip-test-db"],
        [
            program(kind, "mariadbd", "mysqld"),
            *here,
            f"--port={port}",
            "--skip-networking=0",
            "--bind-address=127.0.0.1",
            f"--socket={folder / 's'}",
            f"--pid-file={folder / 'pid'}",
            f"--tmpdir={folder}",
            "--character-set-server=utf8mb4",
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=2",
        ],
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _open_to(user: pwd.struct_passwd, folder: Path) -> bool:
    """Whether root's choice of a folder can be entered by the user that the server runs as."""
    return user.pw_uid == os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in (folder, *folder.parents))


def _folder(user: pwd.struct_passwd) -> Path:
    """A new folder of the user's own, of a path short enough for a socket in it."""
    place = Path(tempfile.gettempdir())
    if len(os.fsencode(place)) > LONGEST_SOCKET - len("/om-12345678/.s.PGSQL.12345.lock") or not _open_to(user, place):
        place = Path("/tmp")
    folder = Path(tempfile.mkdtemp(prefix="om-", dir=place))
    if user.pw_uid != os.geteuid():
        os.chown(folder, user.pw_uid, user.pw_gid)
    return folder


class Process:
    """The process of one server, started and ended as often as tests like; all it writes goes to one log."""

    def __init__(self, command: Sequence[str], user: pwd.struct_passwd, folder: Path) -> None:
        self.command, self.user, self.folder = tuple(command), user, folder
        self.log = folder / "log"
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def id(self) -> int | None:
        """The process id while the server runs."""
        return self._running.pid if self._running and self._running.poll() is None else None

    def launch(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """A command as the unprivileged user, in a process group of its own, which Ctrl-C does not reach."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(NOT_OF_HERE)}
        environment.update(HOME=str(self.folder), TMPDIR=str(self.folder), LC_ALL="C")
        other: Mapping[str, object] = {}
        if self.user.pw_uid != os.geteuid():
            other = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        with self.log.open("ab") as log:
            launched: subprocess.Popen[bytes] = subprocess.Popen(  # type: ignore[call-overload]
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **other,
            )
        (self.folder / guard.RUNNING).write_text(str(launched.pid), encoding="ascii")
        return launched

    def set_up(self, command: Sequence[str]) -> None:
        """Run the command that makes the data of the server.

        Raises:
            NotStarted: it failed, or did not end in time.
        """
        made = self.launch(command)
        try:
            status = made.wait(SECONDS_TO_SET_UP)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(made.pid, signal.SIGKILL)
            made.wait()
        if status != 0:
            raise NotStarted(f"{command[0]} failed", _read(self.log))

    def start(self) -> None:
        """Start the server; it does not answer yet."""
        self._running = self.launch(self.command)

    def end(self, number: signal.Signals) -> None:
        """End the server with the signal, and where that does not help in time, by force."""
        if self._running is None:
            return
        if self._running.poll() is None:
            self._running.send_signal(number)
            try:
                self._running.wait(SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                self.kill()
        (self.folder / guard.RUNNING).unlink(missing_ok=True)

    def kill(self) -> None:
        """Kill the server and each process it has started, as a power cut would."""
        if self._running is None:
            return
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
        processes = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
        self._running.kill()
        for child in (process for process, parent in processes if parent == self._running.pid):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._running.wait()
        (self.folder / guard.RUNNING).unlink(missing_ok=True)


@dataclass(frozen=True, repr=False)
class Throwaway(Server):
    """A server of the tests' own. A test that stops it starts it again: the next one finds it running."""

    throwaway: bool = True
    process: Process = field(kw_only=True)

    @property
    def log(self) -> Path:
        """All that the server wrote."""
        return self.process.log

    def start(self) -> None:
        """Start the server, if it does not run, and return when it answers.

        Raises:
            NotStarted: it ended, or did not answer in time.
        """
        if self.process.id is None:
            self.process.start()
        give_up = time.monotonic() + SECONDS_TO_START
        while refused := refusal(self):
            if self.process.id is None:
                raise NotStarted(f"{self.process.command[0]} ended as it started", _read(self.log))
            if time.monotonic() > give_up:
                raise NotStarted(f"{self.process.command[0]} does not answer: {refused}", _read(self.log))
            time.sleep(0.05)

    def stop(self) -> None:
        """Shut the server down in order; sessions that are open are ended."""
        self.process.end(signal.SIGINT if self.kind is POSTGRES else signal.SIGTERM)

    def restart(self) -> None:
        """Stop the server and start it again, at the same URL with the same data."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """End the server without warning, as a power cut would; it is not started again."""
        self.process.kill()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """While this lasts the server is down; then it runs again, whatever the test did."""
        self.stop()
        try:
            yield
        finally:
            self.start()


def _read(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


def _watched(folder: Path) -> subprocess.Popen[bytes]:
    """The process that ends the server in the folder, and removes it, once its input is closed."""
    return subprocess.Popen(
        [sys.executable, "-I", guard.__file__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )


@contextmanager
def start_standby(primary: Throwaway) -> Iterator[Throwaway]:
    """A hot standby of a throwaway PostgreSQL, made by a base backup, with all that the primary has now.

    Raises:
        NotInstalled: the programs are missing.
        NotStarted: they do not start it.
    """
    user, port, at = primary.process.user, _free_port(), urlsplit(primary.url)
    backup = program(POSTGRES, "pg_basebackup")
    folder = _folder(user)
    watch = _watched(folder)
    standby: Throwaway | None = None
    try:
        place = [f"--host={at.hostname}", f"--port={at.port}", f"--username={at.username}"]
        process = Process(_commands(POSTGRES, folder, port)[1], user, folder)
        process.set_up([backup, *place, "--write-recovery-conf", "--checkpoint=fast", f"--pgdata={folder / 'data'}"])
        url = f"postgresql://{at.username}@127.0.0.1:{port}{at.path}"
        standby = Throwaway(POSTGRES, url, process=process)
        standby.start()
        yield standby
    finally:
        if standby is not None:
            standby.stop()
        assert watch.stdin is not None
        watch.stdin.close()
        watch.wait()


@contextmanager
def start_throwaway(kind: Kind, *options: str) -> Iterator[Throwaway]:
    """A server of this kind that nobody else has, with an empty database `test`; `options` are added to its command.

    It is stopped and its folder is removed at the end, by another process where this one is killed.

    Raises:
        NotInstalled: the programs are missing.
        NotStarted: they do not start a server.
        SwitchedOff: the environment says that there is to be none.
        NoServer: root runs the tests and there is nobody else to run a server.
    """
    refuse_none(kind)
    user, port = unprivileged(kind), _free_port()
    _commands(kind, Path(), port)  # what is not installed needs no folder
    folder = _folder(user)
    watch = _watched(folder)
    server: Throwaway | None = None
    try:
        make, serve = _commands(kind, folder, port)
        process = Process([*serve, *options], user, folder)
        process.set_up(make)
        url = f"{'postgresql://postgres' if kind is POSTGRES else 'mysql://root'}@127.0.0.1:{port}"
        server = Throwaway(kind, f"{url}/postgres" if kind is POSTGRES else url, process=process)
        server.start()
        server.run("CREATE DATABASE test")
        server = replace(server, url=f"{url}/test")
        yield server
    finally:
        if server is not None:
            server.stop()
        assert watch.stdin is not None
        watch.stdin.close()
        watch.wait()


@contextmanager
def obtained(kind: Kind) -> Iterator[Server]:
    """The server that is found, else a throwaway one while this lasts.

    Raises:
        NoServer: neither can be had; the message has both reasons, and `NotStarted` the log.
        Unreachable: the environment names one that cannot be used.
    """
    with ExitStack() as stack:
        try:
            server = find(kind)
        except SwitchedOff:
            raise
        except NoServer as none_found:
            try:
                server = stack.enter_context(start_throwaway(kind))
            except NotStarted as fault:
                raise NotStarted(f"{none_found}; {fault}", fault.log) from fault
            except NoServer as fault:
                raise type(fault)(f"{none_found}; {fault}") from fault
        yield server
