"""A provider's query: one SELECT over tables of the source, with functions from an allow-list."""

from __future__ import annotations

import re

from sqlglot import TokenType, exp

from ordermade.errors import FilterError, did_you_mean, quoted
from ordermade.requests.parsing import tokens_of, tree_of
from ordermade.sql import DIALECT

_ORDERLESS = "count count_if sum min max avg median bool_and bool_or logical_and logical_or bit_and bit_or bit_xor"
AGGREGATES = frozenset(_ORDERLESS.split())
"""Aggregates that do not depend on the order of rows."""

_LOGIC = "and or xor not case if iif coalesce ifnull nullif greatest least exists cast try_cast try"
_TEXTS = (
    "lower lcase upper ucase trim ltrim rtrim length len strlen char_length character_length bit_length octet_length "
    "substring substr left right concat concat_ws replace reverse repeat pad lpad rpad initcap translate ascii chr "
    "unicode str_position strpos position instr contains starts_with startswith ends_with prefix suffix split_part "
    "regexp_like regexp_matches regexp_full_match regexp_replace regexp_extract strip_accents nfc_normalize hash md5 "
    "sha1 sha sha2 sha256 format printf levenshtein hamming to_char"
)
_NUMBERS = "abs sign signum floor ceil ceiling round trunc truncate mod power pow sqrt cbrt exp ln log log2 log10 pi"
_DATES = (
    "year quarter month week day hour minute second dayofweek day_of_week dayofweek_iso isodow dayofyear day_of_year "
    "day_of_month weekofyear week_of_year isoyear yearofweek yearweek decade century era epoch time_to_unix dayname "
    "monthname extract date_part datepart date_trunc timestamp_trunc datetime_trunc datediff date_diff date_add "
    "date_sub datesub date_from_parts make_date timestamp_from_parts make_timestamp last_day last_day_of_month "
    "time_to_str strftime str_to_time strptime date ts_or_ds_to_date to_days to_years to_months to_weeks to_hours "
    "to_minutes to_seconds time_from_parts timestamp add_months datetime_diff timestamp_diff"
)
_PARTS = "array struct map json_extract json_extract_scalar unnest explode cardinality array_size list_contains"

ALLOWED = AGGREGATES | frozenset(" ".join((_LOGIC, _TEXTS, _NUMBERS, _DATES, _PARTS)).split())
"""Every function that a provider's query may call, by the names that it goes by."""

_ORDERED = (
    "first last first_value last_value nth_value any_value arbitrary array_agg list group_concat string_agg listagg "
    "row_number ntile lag lead arg_max arg_min argmax argmin max_by min_by mode percent_rank cume_dist rank dense_rank "
    "reservoir_quantile approx_quantile histogram"
)
_ORDER_DEPENDENT = frozenset(_ORDERED.split())
_SPELT = {"array_agg": "LIST (ARRAY_AGG)", "group_concat": "STRING_AGG (GROUP_CONCAT)"}


def _check_reading(node: object, called: str) -> None:
    """Raises FilterError, by name, for what may read differently each time: limits, orders of rows, other functions."""
    if isinstance(node, (exp.Limit, exp.Fetch, exp.LimitOptions)):
        raise _unordered("LIMIT" if not isinstance(node, exp.Fetch) else "FETCH", called)
    if isinstance(node, exp.Offset):
        raise _unordered("OFFSET", called)
    if isinstance(node, exp.Distinct) and node.args.get("on"):
        raise _unordered("DISTINCT ON", called, "Take the least or the greatest with GROUP BY and MIN or MAX.")
    if isinstance(node, exp.Window) and (node.args.get("order") or node.args.get("spec")):
        step = "Leave ORDER BY and the frame out: COUNT, SUM, MIN, MAX and AVG OVER (PARTITION BY …) are allowed."
        raise _unordered(f"{_window(node)} OVER (ORDER BY …)", called, step)
    if isinstance(node, exp.Column) and node.name.casefold() == "rowid":
        raise _unordered("rowid", called, "Select a column of the table.")
    if isinstance(node, exp.Func):
        _check_allowed(node, called)


def _check_allowed(node: exp.Func, called: str) -> None:
    anonymous = isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc))
    names = [name.casefold() for name in ([node.name] if anonymous else node.sql_names())]
    if any(name in ALLOWED for name in names):
        return
    if any(name in _ORDER_DEPENDENT for name in names):
        raise _unordered(_SPELT.get(names[0], names[0].upper()), called, "Use COUNT, SUM, MIN, MAX or AVG.")
    step = f"{did_you_mean(names[0], ALLOWED)} The reference of request files lists them all."
    raise FilterError(f"a {called} may not call the function {quoted(names[0])}", next_step=step)


def _window(node: exp.Window) -> str:
    called = node.this
    if isinstance(called, exp.Func):
        return called.name.upper() if isinstance(called, exp.Anonymous) else called.sql_names()[0]
    return "a function"


def _unordered(name: str, called: str, step: str = "Take it out; a condition in WHERE chooses rows.") -> FilterError:
    what = f"{name} is not allowed in a {called}: it depends on the order of rows, and may read differently each time"
    return FilterError(what, next_step=step)


LONGEST_QUERY = 100_000
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


def parse_dataset_query(text: str, dialect: str = DIALECT, called: str = "dataset query") -> exp.Query:
    """The tree of a provider's query: one SELECT (WITH and UNION allowed) that reads tables of the source only.

    `called`: the word for it in messages.

    Raises:
        FilterError: another kind of statement, a second one, a file, table function, parameter or sample, or anything
            that may read differently each time: a limit, an order of rows, a function that is not allowed.
    """
    what = f"the {called}"
    tokens = tokens_of(text, what=what, longest=LONGEST_QUERY, dialect=dialect, comments=True)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise FilterError(f"{what} holds more than one statement", next_step=_ONE_SELECT)
    if not tokens or tokens[0].token_type not in _FIRST_WORDS:
        raise FilterError(f"{what} is not a SELECT", next_step=_ONE_SELECT)
    tree = tree_of(text[: tokens[-1].end + 1], what=what, into=None, dialect=dialect)
    if not isinstance(tree, (exp.Select, exp.SetOperation, exp.Subquery)):
        raise FilterError(f"{what} is not a SELECT", next_step=_ONE_SELECT)
    if isinstance(tree, exp.Select) and not tree.expressions:
        raise FilterError(f"{what} selects nothing", next_step=_ONE_SELECT)
    for node in tree.walk():
        _check(node, called)
    return tree


def _check(node: object, called: str) -> None:
    if isinstance(node, _REFUSED_NODES):
        raise FilterError(f"{type(node).__name__.upper()} is not allowed in the {called}", next_step=_ONE_SELECT)
    if isinstance(node, exp.Table):
        _check_table(node, called)
    elif isinstance(node, exp.Lateral) and not isinstance(node.this, (exp.Subquery, exp.Unnest)):
        raise _table_function("LATERAL", called)
    elif isinstance(node, exp.Func):
        _check_function(node, called)
    _check_reading(node, called)


def _check_table(node: exp.Table, called: str) -> None:
    if not isinstance(node.this, exp.Identifier):
        raise _table_function(node.this.name if isinstance(node.this, exp.Anonymous) else "", called)
    # DuckDB reads a file where no table of the name is found, quoted or not: "a.csv", a.csv, 'a.csv'.
    full = ".".join(part.name for part in node.parts)
    if _FILE_NAME.fullmatch(full):
        step = "Register the file as a source of its own with `source add`, and name that one."
        raise FilterError(f"{quoted(full)} names a file and not a table of the source", next_step=step)


def _check_function(node: exp.Func, called: str) -> None:
    names = [node.name] if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)) else node.sql_names()
    for name in (each.casefold() for each in names):
        if _REFUSED_FUNCTION.fullmatch(name):
            step = "Select from tables and columns of the source only."
            raise FilterError(f"the function {quoted(name)} is not allowed in the {called}", next_step=step)
        if _VOLATILE_FUNCTION.fullmatch(name):
            step = "A dataset must read the same each time; take it out."
            raise FilterError(f"the function {quoted(name)} answers differently each time", next_step=step)


def _table_function(name: str, called: str) -> FilterError:
    function = f"the table function {quoted(name)}" if name else "a table function"
    return FilterError(f"{function} is not allowed in the {called}", next_step="Select from tables of the source only.")
