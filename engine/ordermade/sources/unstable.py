"""The faults of views that are no datasets: other rows each time, or rows from beyond the source."""

from __future__ import annotations

import re

from sqlglot import exp

from ordermade.errors import SourceFault, quoted

UNREAD = "it is not known what a view is made of"
"""What is said where a connection is lost meanwhile."""


def unstable(view: str, what: str) -> SourceFault:
    """A view that gives other rows from one reading to the next."""
    return SourceFault(
        f"the view {quoted(view)} uses {what}, which differs from one reading to the next",
        next_step="Make a table of what it shows, or a view without it.",
    )


def of_an_order(view: str, what: str) -> SourceFault:
    """A view of what depends on the order in which rows happen to be read."""
    return SourceFault(
        f"the view {quoted(view)} uses {what}, which depends on the order of rows, and may read differently each time",
        next_step="Make a table of what it shows, or a view without it.",
    )


def of_the_server(view: str) -> SourceFault:
    """A view of what the server notes of itself."""
    return SourceFault(
        f"the view {quoted(view)} reads the server's own catalogue, which changes without it",
        next_step="Make a table of what it shows, or a view of tables alone.",
    )


def unreadable(view: str) -> SourceFault:
    """A view of which it is not known what it is made of."""
    return SourceFault(
        f"what the view {quoted(view)} is made of cannot be read", next_step="Make a table of what it shows."
    )


def beyond(view: str, what: str) -> SourceFault:
    """A view of what lies outside of its source."""
    return SourceFault(
        f"the view {quoted(view)} reads beyond its source, by {what}",
        next_step="Make a table of what it shows, or register the source with --allow-external.",
    )


_NEVER_THE_SAME = frozenset(
    re.findall(
        r"\w+",
        """
        rand random randomblob random_normal setseed uuid uuid_short uuidv4 uuidv7 gen_random_uuid uuid_generate_v1
        uuid_generate_v4 gen_random_bytes random_bytes now clock_timestamp statement_timestamp transaction_timestamp
        timeofday sysdate curdate curtime utc_date utc_time utc_timestamp current_date current_time current_timestamp
        localtime localtimestamp unix_timestamp getdate today nextval currval lastval setval next_value_for
        last_insert_id last_insert_rowid changes total_changes user current_user session_user system_user current_role
        current_catalog current_schema current_schemas current_database schema database current_query version
        current_setting set_config getvariable connection_id pg_backend_pid pg_sleep sleep txid_current
        pg_current_xact_id inet_client_addr inet_client_port row_count found_rows load_file load_extension
        pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file lo_get lo_import dblink dblink_exec query_to_xml
        table_to_xml get_lock release_lock is_free_lock is_used_lock pg_advisory_lock benchmark
        """,
    )
)
"""Functions of any database that give other values each time, or for another session, or from beyond it."""
_OF_TIME = frozenset(["date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"])
"""Functions of SQLite that are of the moment where they are given `now`, or no time at all."""
WRITTEN_LIKE_COLUMNS = frozenset(
    ["user", "current_user", "session_user", "current_role", "current_catalog", "current_schema"]
) | {"current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"}
"""Functions that are written like columns."""


def unstable_in(tree: exp.Expr, dialect: str) -> str:
    """A function of a parsed query that differs from one reading to the next, as messages write it; empty for none."""
    for node in tree.walk():
        if isinstance(node, exp.Column):
            this = node.this
            bare = isinstance(this, exp.Identifier) and not this.quoted and not node.table
            if bare and node.name.lower() in WRITTEN_LIKE_COLUMNS:
                return f"{node.name.lower()}()"
        if isinstance(node, exp.TableSample):
            return "a random sample"
        if not isinstance(node, exp.Func):
            continue
        names = {node.name.lower()} if isinstance(node, exp.Anonymous) else {each.lower() for each in node.sql_names()}
        if names & _NEVER_THE_SAME:
            return f"{node.sql(dialect=dialect).partition('(')[0].lower()}()"
    return ""


_BLANK = r"(?:\s|/\*.*?\*/|--[^\n]*\n)*"
"""What may stand between the words of SQLite, comments too."""


def sqlite_now_in(text: str) -> str:
    """A function of SQLite that is of the moment, in the text of a view; empty for none.

    Its name may stand in quotes, and `now` anywhere in the view, as a text, in double quotes, or in another query.
    """
    plain = text.lower()
    has_now = re.search(r"\bnow\b", plain) is not None
    for name in sorted(_OF_TIME):
        for match in re.finditer(rf"\b{name}[\"`\]]?{_BLANK}\({_BLANK}", plain, re.DOTALL):
            first = 1 if name == "strftime" else 0
            if has_now or len(_arguments(plain, match.end())) <= first:
                return f"{name}() of now"
    return ""


def _arguments(text: str, at: int) -> list[str]:
    """The arguments of a call whose parenthesis opens before `at`; none where there are none."""
    found, depth, in_text, argument = [], 0, False, ""
    for sign in text[at:]:
        if sign == "'":
            in_text = not in_text
        elif not in_text and sign == "(":
            depth += 1
        elif not in_text and sign == ")":
            if depth == 0:
                break
            depth -= 1
        elif not in_text and depth == 0 and sign == ",":
            found.append(argument)
            argument = ""
            continue
        argument += sign
    return [*found, argument] if argument.strip() else found


_TEXT = re.compile(r"'(?:[^'\\]|\\.|'')*'")
_CALL = re.compile(r"\b([a-z_][a-z0-9_]*)\s*\(", re.IGNORECASE)
_KEYWORD = re.compile(rf"\b({'|'.join(sorted(WRITTEN_LIKE_COLUMNS))})\b", re.IGNORECASE)


def functions_of(definition: str, quote: str) -> tuple[list[str], str]:
    """The names of the functions that a server's own text of a view calls, and the first that is not stable.

    `quote`: the sign that the server quotes names with; it quotes those that could be taken for a keyword.
    """
    plain = re.sub(rf"{quote}(?:[^{quote}]|{quote}{quote})*{quote}", " quoted ", _TEXT.sub("''", definition))
    called = [each.lower() for each in _CALL.findall(plain)]
    bare = [each.lower() for each in _KEYWORD.findall(plain)]
    first = next((each for each in (*called, *bare) if each in _NEVER_THE_SAME), "")
    return called, f"{first}()" if first else ""
