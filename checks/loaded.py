"""Commands of pages, each a process that is forked off one that has the modules of the program loaded.

To load them takes most commands longer than what they do. `python -m checks.loaded SOCKET` is the process that has
them: each connection to the socket is a command, run in a process and a folder of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import re
import shlex
import socket
import socketserver
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

import ordermade
from checks.pages import REPOSITORY
from ordermade.cli.main import run

PLAIN = re.compile(r"ordermade [^|&;<>()$`*?#~\\\n]*")
"""A command that is of the program alone, and that says the same without a shell."""


class LoadedProgram:
    """The program, loaded once, while the block lasts. Several threads may run commands at a time."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory()
        self._socket = str(Path(self._folder.name) / "socket")
        command = [sys.executable, "-m", "checks.loaded", self._socket]
        self._server = subprocess.Popen(command, cwd=REPOSITORY, env=self._environment, stdout=subprocess.PIPE)
        assert self._server.stdout is not None
        self._server.stdout.readline()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.terminate()
        self._server.communicate()
        self._folder.cleanup()

    def ended(self, command: str, folder: Path) -> subprocess.CompletedProcess[str] | None:
        """A command after it was run in `folder`, or None of one that needs a shell."""
        if not PLAIN.fullmatch(command):
            return None
        with (
            tempfile.TemporaryDirectory(dir=self._folder.name) as name,
            socket.socket(socket.AF_UNIX) as connection,
            connection.makefile("rw", encoding="utf-8") as stream,
        ):
            out, err = Path(name) / "out", Path(name) / "err"
            connection.connect(self._socket)
            print(json.dumps([shlex.split(command), str(folder), str(out), str(err)]), file=stream, flush=True)
            status = int(stream.readline())
            return subprocess.CompletedProcess(
                command, status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")
            )


class _Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    max_children = 1_000


class _Command(socketserver.StreamRequestHandler):
    """A connection: a line with the words of a command, its folder and the files of its output; then its status."""

    def handle(self) -> None:
        words, folder, out, err = json.loads(self.rfile.readline())
        child = os.fork()
        if not child:
            _become(words, folder, out, err)
        _, status = os.waitpid(child, 0)
        self.wfile.write(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(words: list[str], folder: str, out: str, err: str) -> NoReturn:
    """Be the command from here on."""
    os.chdir(folder)
    for number, path in enumerate((os.devnull, out, err)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), number)
    sys.argv = words
    run()


def main(address: str) -> NoReturn:
    """Load every module of the program, say so, and run commands until the process is ended."""
    for module in pkgutil.walk_packages(ordermade.__path__, f"{ordermade.__name__}."):
        with contextlib.suppress(ModuleNotFoundError):  # of what speaks to a Spark, where there is no PySpark
            importlib.import_module(module.name)
    with _Server(address, _Command) as server:
        print("loaded", flush=True)
        server.serve_forever()
    raise AssertionError("a server ends with its process")


if __name__ == "__main__":
    main(sys.argv[1])
