"""The web process: the portal on a socket of its own, served by uvicorn."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import uvicorn

from ordermade.errors import InputError
from ordermade.portal.application import application
from ordermade.portal.options import PortalOptions
from ordermade.portal.worker import WorkerProcess, ended_by_signals

_SHARED = 0o660
"""The mode of a Unix socket: that of its owner, and of the group that the proxy is in."""


MOST_CONNECTIONS, KEPT_SECONDS = 800, 5
"""The most connections at once, and the seconds for which an idle one is kept.

Idle ones count, and a browser has up to six. Beyond the most a visit is answered by status 503. Of the 1,024 files that
a process may mostly have open the others are for the state.
"""


_USED_BY_PAGES = (
    "argon2",
    "ordermade.catalogue.releases",
    "ordermade.certificates.certify",
    "ordermade.methods.generalization.method",
    "ordermade.methods.generalization.predict",
    "ordermade.methods.tables.method",
    "ordermade.methods.tables.predict",
    "ordermade.reports.citing",
    "ordermade.reports.gathering",
    "ordermade.service.checked",
    "ordermade.service.forecasting",
    "ordermade.service.published_releases",
    "ordermade.service.submissions",
)
"""What pages import where they use it: the first visits of a server would wait for it, one behind the other."""


def listening(host: str, port: int, path: Path | None) -> socket.socket:
    """The socket that is listened on: a Unix socket at a path, else an address. Raises InputError."""
    try:
        if path is None:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            made = socket.socket(family, socket.SOCK_STREAM)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host, port))
        else:
            made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            _remove_left(path)
            made.bind(str(path))
            path.chmod(_SHARED)
        made.listen(128)
    except OSError as error:
        where = f"{host}:{port}" if path is None else str(path)
        what = f"it cannot be listened on: {os.strerror(error.errno or 0).lower()}"
        raise InputError(what, where=where, next_step="Name another with --port or --socket.") from None
    return made


def _remove_left(path: Path) -> None:
    """Removes a socket that a server which is gone left. Raises InputError where one listens there."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
        try:
            tried.connect(str(path))
        except OSError:
            with suppress(FileNotFoundError):
                path.unlink()
            return
    raise InputError("another server listens there", where=str(path), next_step="End it, or name another socket.")


def load_ahead() -> None:
    """Imports what pages use."""
    for each in _USED_BY_PAGES:
        import_module(each)


def serve(options: PortalOptions, on: socket.socket, worker: WorkerProcess | None = None) -> None:
    """Serves the portal on a socket until it is interrupted, with a worker beside it."""
    config = uvicorn.Config(
        application(options),
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=True,
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEPT_SECONDS,
    )
    if worker is not None:
        worker.start()
    load_ahead()
    try:
        # uvicorn raises the signal that ended it again, which is not to end the process before the worker has ended.
        with suppress(KeyboardInterrupt), ended_by_signals(signal.SIGTERM, signal.SIGINT):
            uvicorn.Server(config).run(sockets=[on])
    finally:
        if worker is not None:
            worker.stop()
