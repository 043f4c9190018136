"""A provider's dataset query: one SELECT over the tables of the source and nothing else."""

from __future__ import annotations

import re

from sqlglot import TokenType, exp

from ordermade.errors import FilterError, quoted
from ordermade.requests.parsing import tokens_of, tree_of
from ordermade.requests.query_functions import check_reading
from ordermade.sql import DIALECT

LONGEST_QUERY = 100_000
_WHAT = "the dataset query"
_ONE_SELECT = "Write one SELECT over the tables of the source; WITH and UNION are allowed."

_FIRST_WORDS = (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.FROM)
_REFUSED_NODES = (
    exp.DDL,
    exp.DML,
    exp.Command,
    exp.Describe,
    exp.Drop,
    exp.Into,
    exp.Lock,
    exp.Placeholder,
    exp.Parameter,
    exp.SessionParameter,
    exp.TableSample,
    exp.HistoricalData,
    exp.Show,
    exp.Summarize,
)

# Functions that read files, settings or other databases, run text as SQL, or change something.
_REFUSED_FUNCTION = re.compile(
    r"(read|write|copy|scan|sniff|pragma|duckdb|sqlite|postgres|mysql|iceberg|delta|parquet|pg|lo|dblink|st_read)_.*"
    r"|.*_(scan|scan_pushdown|attach|query|execute|serialized_sql|serialized_plan)"
    r"|glob|getenv|query|query_table|getvariable|current_setting|set_config|setseed|nextval|currval|dblink"
    r"|load_extension|which_secret|checkpoint|force_checkpoint|sleep|benchmark|load_file|xp_cmdshell"
    r"|repeat_row|summary|test_all_types|getdatabase|add_parquet_key|enable_.*|disable_.*"
)
# Functions with a different result each time: the dataset would differ from query to query.
_VOLATILE_FUNCTION = re.compile(
    r"random|rand|randn|uuid|uuidv[47]|gen_random_uuid|newid|txid_current|random_.*"
    r"|now|today|current_.*|get_current_.*|transaction_timestamp|statement_timestamp|clock_timestamp|localtime.*"
    r"|version|user|session_user|currenttimestamp.*|currentdate|currenttime|currentuser"
)

_FILE_NAME = re.compile(
    r".*\.(csv|tsv|txt|parquet|json|jsonl|ndjson|xlsx?|arrow|arrows|feather|ipc|avro|orc|db|duckdb|sqlite3?|gz|zst|bz2"
    r"|geojson|shp|gpkg|fgb|vortex)|.*[/\\*?\[\]].*|.*://.*",
    re.IGNORECASE | re.DOTALL,
)


def parse_dataset_query(text: str, dialect: str = DIALECT) -> exp.Query:
    """The tree of a dataset query: one SELECT (WITH and UNION allowed) that reads tables of the source only.

    Raises:
        FilterError: another kind of statement, a second one, a file, table function, parameter or sample, or anything
            that may read differently each time: a limit, an order of rows, a function that is not allowed.
    """
    tokens = tokens_of(text, what=_WHAT, longest=LONGEST_QUERY, dialect=dialect, comments=True)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise FilterError(f"{_WHAT} holds more than one statement", next_step=_ONE_SELECT)
    if not tokens or tokens[0].token_type not in _FIRST_WORDS:
        raise FilterError(f"{_WHAT} is not a SELECT", next_step=_ONE_SELECT)
    tree = tree_of(text[: tokens[-1].end + 1], what=_WHAT, into=None, dialect=dialect)
    if not isinstance(tree, (exp.Select, exp.SetOperation, exp.Subquery)):
        raise FilterError(f"{_WHAT} is not a SELECT", next_step=_ONE_SELECT)
    if isinstance(tree, exp.Select) and not tree.expressions:
        raise FilterError(f"{_WHAT} selects nothing", next_step=_ONE_SELECT)
    for node in tree.walk():
        _check(node)
    return tree


def _check(node: object) -> None:
    if isinstance(node, _REFUSED_NODES):
        raise FilterError(f"{type(node).__name__.upper()} is not allowed in {_WHAT}", next_step=_ONE_SELECT)
    if isinstance(node, exp.Table):
        _check_table(node)
    elif isinstance(node, exp.Lateral) and not isinstance(node.this, (exp.Subquery, exp.Unnest)):
        raise _table_function("LATERAL")
    elif isinstance(node, exp.Func):
        _check_function(node)
    check_reading(node)


def _check_table(node: exp.Table) -> None:
    if not isinstance(node.this, exp.Identifier):
        raise _table_function(node.this.name if isinstance(node.this, exp.Anonymous) else "")
    # DuckDB reads a file where no table of the name is found, quoted or not: "a.csv", a.csv, 'a.csv'.
    full = ".".join(part.name for part in node.parts)
    if _FILE_NAME.fullmatch(full):
        step = "Register the file as a source of its own with `source add`, and name that one."
        raise FilterError(f"{quoted(full)} names a file and not a table of the source", next_step=step)


def _check_function(node: exp.Func) -> None:
    names = [node.name] if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)) else node.sql_names()
    for name in (each.casefold() for each in names):
        if _REFUSED_FUNCTION.fullmatch(name):
            step = "Select from tables and columns of the source only."
            raise FilterError(f"the function {quoted(name)} is not allowed in {_WHAT}", next_step=step)
        if _VOLATILE_FUNCTION.fullmatch(name):
            step = "A dataset must read the same each time; take it out."
            raise FilterError(f"the function {quoted(name)} answers differently each time", next_step=step)


def _table_function(name: str) -> FilterError:
    called = f"the table function {quoted(name)}" if name else "a table function"
    return FilterError(f"{called} is not allowed in {_WHAT}", next_step="Select from tables of the source only.")
