"""Errors of PostgreSQL in the engine's words: by SQLSTATE, or by the message of a connection that was not made."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg

from ordermade.errors import PasswordNeeded, SourceFault, UnfitValue
from ordermade.sources.server import Lost

CONNECTION = "the database cannot be opened"
"""The fault of a connection that is not made."""
_LOST = ("08", "57P01", "57P02", "57P03")
"""The beginnings of SQLSTATE of a connection that was ended, or refused while the server starts or stops."""
_OF_VALUES = ("21", "22", "2F", "38", "39", "P0")
"""The beginnings of SQLSTATE of an error that some value leads to: in a cast, a calculation or a function."""
_CHECK = "Check the query and the server's log; ORDERMADE_LOG=debug logs the statement."
_LOG = "Check host, port, user, password and database; the server's log has the reason."
_FULL = "The server has no connection left: run this again later, or raise max_connections."
_PASSWORD = "Check user and password, and pg_hba.conf on the server."
_ASKED = "Write it as ${SOME_VARIABLE} in the URL (quoted for the shell) and set that variable, or use .pgpass."
_TLS = "Check sslmode and the certificates of the URL, and that the server has TLS."
ADVICE: Mapping[str, str] = {
    "28": _PASSWORD,
    "3D": "Check the name of the database.",
    "42501": "Ask for the right to read it: GRANT SELECT on the table, GRANT USAGE on its schema.",
    "42P01": "The table is not there any more: `ordermade source show` lists those that are.",
    "42703": "The column is not there any more: `ordermade source show` lists those that are.",
    "55P03": "Another session locks the table: run this again, or wait longer (`ordermade --wait SECONDS …`).",
    "57014": "The server stopped the statement: raise statement_timeout, or ask for fewer columns.",
    "57P05": "The server ended the idle session: raise idle_session_timeout.",
    "25P03": "The server ended the idle transaction: raise idle_in_transaction_session_timeout.",
    "25P04": "The server ended the transaction: raise transaction_timeout.",
    "53100": "The server's disk is full: free space there, then run it again.",
    "53200": "The server ran out of memory: raise its limits, or ask for fewer columns.",
    "53300": _FULL,
    "53400": "A limit of the server is reached: raise temp_file_limit, or ask for fewer columns.",
    "40P01": "The server resolved a deadlock: run this again.",
    "40001": "The server ended the transaction, as a hot standby does for its primary's changes: run this again.",
}
_REFUSED: Mapping[str, tuple[str, str]] = {
    "too many clients": ("has no connection left", _FULL),
    "connection slots are reserved": ("has no connection left", _FULL),
    "too many connections": ("has no connection left for this role or database", _FULL),
    "password authentication failed": ("does not accept user and password", _PASSWORD),
    "no password supplied": ("asks for a password", _ASKED),
    "role ": ("does not know the user", _PASSWORD),
    "no pg_hba.conf entry": ("does not let this user in from here", _PASSWORD),
    "authentication failed": ("does not accept the user", _PASSWORD),
    "permission denied for database": ("does not let this user in", "Ask for the right: GRANT CONNECT."),
    "database ": ("has no such database", "Check the name of the database."),
    "SSL": ("and this side do not agree on TLS", _TLS),
    "certificate": ("and this side do not agree on TLS", _TLS),
}
"""Answers to a connection, which have no SQLSTATE: what the server does, and advice. The first that is found counts."""
_IS_STARTING = ("is starting up", "is shutting down", "is not accepting connections", "recovery mode")


def fault(error: psycopg.Error, what: str, where: str, advice: Mapping[str, str] = ADVICE) -> Lost | SourceFault:
    """The error for `what` failed: with SQLSTATE and its name, and nothing of the message, which may quote a value.

    `advice`: the next steps by the beginnings of SQLSTATE.
    """
    state = error.sqlstate or ""
    if state.startswith(_LOST):
        return Lost()
    if not state and isinstance(error, psycopg.OperationalError):
        return _not_connected(str(error), where) if what == CONNECTION else Lost()
    kind = f"{type(error).__name__}, {state}" if state else type(error).__name__
    next_step = next((text for begin, text in advice.items() if state.startswith(begin)), _CHECK)
    found = UnfitValue if state.startswith(_OF_VALUES) else SourceFault
    return found(f"{what} ({kind})", where=where, next_step=next_step)


def _not_connected(message: str, where: str) -> Lost | SourceFault:
    """The error for a connection that was not made; a server that is not there, or not yet, is tried once more."""
    if any(each in message for each in _IS_STARTING):
        return Lost()
    for begin, (does, advice) in _REFUSED.items():
        if begin in message:
            kind = PasswordNeeded if "password" in begin else SourceFault
            return kind(f"{CONNECTION}: PostgreSQL {does}", where=where, next_step=advice)
    if "FATAL" in message:
        return SourceFault(f"{CONNECTION}: PostgreSQL refuses the connection", where=where, next_step=_LOG)
    return Lost()
