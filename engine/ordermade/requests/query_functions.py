"""The functions of dataset queries: those that give the same for the same rows, in whatever order they come."""

from __future__ import annotations

from sqlglot import exp

from ordermade.errors import FilterError, did_you_mean, quoted

_WHAT = "a dataset query"

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
"""Every function that a dataset query may call, by the names that it goes by."""

_ORDERED = (
    "first last first_value last_value nth_value any_value arbitrary array_agg list group_concat string_agg listagg "
    "row_number ntile lag lead arg_max arg_min argmax argmin max_by min_by mode percent_rank cume_dist rank dense_rank "
    "reservoir_quantile approx_quantile histogram"
)
_ORDER_DEPENDENT = frozenset(_ORDERED.split())
_SPELT = {"array_agg": "LIST (ARRAY_AGG)", "group_concat": "STRING_AGG (GROUP_CONCAT)"}


def check_reading(node: object) -> None:
    """Raises FilterError, by name, for what may read differently each time: limits, orders of rows, other functions."""
    if isinstance(node, (exp.Limit, exp.Fetch, exp.LimitOptions)):
        raise _unordered("LIMIT" if not isinstance(node, exp.Fetch) else "FETCH")
    if isinstance(node, exp.Offset):
        raise _unordered("OFFSET")
    if isinstance(node, exp.Distinct) and node.args.get("on"):
        raise _unordered("DISTINCT ON", "Take the least or the greatest with GROUP BY and MIN or MAX.")
    if isinstance(node, exp.Window) and (node.args.get("order") or node.args.get("spec")):
        step = "Leave ORDER BY and the frame out: COUNT, SUM, MIN, MAX and AVG OVER (PARTITION BY …) are allowed."
        raise _unordered(f"{_window(node)} OVER (ORDER BY …)", step)
    if isinstance(node, exp.Column) and node.name.casefold() == "rowid":
        raise _unordered("rowid", "Select a column of the table.")
    if isinstance(node, exp.Func):
        _check_function(node)


def _check_function(node: exp.Func) -> None:
    anonymous = isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc))
    names = [name.casefold() for name in ([node.name] if anonymous else node.sql_names())]
    if any(name in ALLOWED for name in names):
        return
    if any(name in _ORDER_DEPENDENT for name in names):
        raise _unordered(_SPELT.get(names[0], names[0].upper()), "Use COUNT, SUM, MIN, MAX or AVG.")
    step = f"{did_you_mean(names[0], ALLOWED)} The reference of request files lists them all."
    raise FilterError(f"{_WHAT} may not call the function {quoted(names[0])}", next_step=step)


def _window(node: exp.Window) -> str:
    called = node.this
    if isinstance(called, exp.Func):
        return called.name.upper() if isinstance(called, exp.Anonymous) else called.sql_names()[0]
    return "a function"


def _unordered(name: str, step: str = "Take it out; a condition in WHERE chooses rows.") -> FilterError:
    what = f"{name} is not allowed in {_WHAT}: it depends on the order of rows, and may read differently each time"
    return FilterError(what, next_step=step)
