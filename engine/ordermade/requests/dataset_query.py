"""A provider's query: one SELECT over tables of the source, of the parts and functions of two lists alone."""

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

_PARTS_OF_QUERIES = (
    exp.Select, exp.SetOperation, exp.Subquery, exp.With, exp.CTE, exp.From, exp.Join, exp.Table, exp.TableAlias,
    exp.Where, exp.Group, exp.Having, exp.Qualify, exp.Order, exp.Ordered, exp.Distinct, exp.Window, exp.Filter,
    exp.IgnoreNulls, exp.Values, exp.Tuple, exp.Star, exp.Alias, exp.Column, exp.Identifier, exp.Dot, exp.Bracket,
    exp.Slice, exp.PropertyEQ, exp.JSONPath, exp.JSONPathPart, exp.Literal, exp.ByteString, exp.RawString,
    exp.Boolean, exp.Null, exp.Interval, exp.Var, exp.DataType, exp.DataTypeParam, exp.ColumnDef, exp.AtTimeZone,
    exp.Paren, exp.Neg, exp.Not, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.DPipe, exp.BitwiseAnd,
    exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot, exp.BitwiseLeftShift, exp.BitwiseRightShift, exp.EQ, exp.NEQ,
    exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Is, exp.In, exp.Between, exp.Any, exp.All,
    exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.Escape,
)  # fmt: skip
"""What a provider's query is made of, besides functions."""

_MOMENTS = re.compile(
    r"[\s\d:.,+/-]*(now|today|tomorrow|yesterday)([\s\d:.,+/-]+[a-z]{1,5})?[\s\d:.,+/-]*", re.IGNORECASE
)
"""Texts that databases read as a day or moment of the clock, a time of day and a zone beside it too."""

LONGEST_QUERY = 100_000
_FIRST_WORDS = (TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.FROM)
_ONE_SELECT = "Write one SELECT over the tables of the source; WITH and UNION are allowed."
_AS_THEY_COME = "It depends on the order of rows, and may read differently each time: "


def parse_dataset_query(text: str, dialect: str = DIALECT, called: str = "dataset query") -> exp.Query:
    """The tree of a provider's query: one SELECT (WITH and UNION allowed) that reads tables of the source only.

    `called`: the word for it in messages.

    Raises:
        FilterError: another kind of statement, a second one, or a part or function that is not on the lists: what reads
            a file, changes something or takes a parameter, and what may read differently each time (a limit, a sample,
            an order of rows, the clock) are not.
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
        _require_listed(node, called)
    return tree


def _require_listed(node: exp.Expr, called: str) -> None:
    """Raises FilterError, by name, for a part of a query that is on neither list."""
    if isinstance(node, (exp.Limit, exp.Fetch, exp.Offset)):
        raise _refused(type(node).__name__.upper(), called, f"{_AS_THEY_COME}a condition in WHERE chooses rows.")
    if isinstance(node, exp.Distinct) and node.args.get("on"):
        raise _refused("DISTINCT ON", called, f"{_AS_THEY_COME}take the least with GROUP BY and MIN.")
    if isinstance(node, exp.Window) and (node.args.get("order") or node.args.get("spec")):
        step = f"{_AS_THEY_COME}COUNT, SUM, MIN, MAX and AVG OVER (PARTITION BY …) are allowed."
        raise _refused("OVER (ORDER BY …)", called, step)
    if isinstance(node, exp.Column) and node.name.casefold() == "rowid":
        raise _refused("rowid", called, f"{_AS_THEY_COME}select a column of the table.")
    if isinstance(node, exp.With) and node.args.get("recursive"):
        raise _refused("RECURSIVE", called, "Write WITH alone, or make a view of it in the database.")
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        name = f" {quoted(node.this.name)}" if isinstance(node.this, exp.Anonymous) else ""
        raise _refused(f"the table function{name}", called, "Select from tables of the source only.")
    if isinstance(node, exp.Literal) and node.is_string and _MOMENTS.fullmatch(node.name):
        step = (
            "A database may read it as the day or moment of the clock. Compare by LIKE, or make a view in the database."
        )
        raise _refused(f"the text {quoted(node.name)}", called, step)
    if isinstance(node, exp.Func):
        _require_function(node, called)
    elif not isinstance(node, _PARTS_OF_QUERIES):
        raise _refused(type(node).__name__.upper(), called, f"{_ONE_SELECT} A view in the database may do more.")


def _require_function(node: exp.Func, called: str) -> None:
    """Raises FilterError for a function that is not on the list."""
    anonymous = isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc))
    names = [name.casefold() for name in ([node.name] if anonymous else node.sql_names())]
    if ALLOWED.isdisjoint(names):
        what = f"a {called} may not call the function {quoted(names[0])}"
        step = "None of the list depends on the clock, chance, the order of rows, files or settings: see the reference"
        near = did_you_mean(names[0], ALLOWED)
        raise FilterError(what, next_step=f"{step} of request files. {near}")


def _refused(name: str, called: str, step: str) -> FilterError:
    return FilterError(f"{name} is not allowed in a {called}", next_step=step)
