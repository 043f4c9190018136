"""What the views of PostgreSQL are made of, by the trees that its catalogue keeps of them: nothing of a view is run.

What a tree may be made of is listed here, and all else refused. A function is allowed where `pg_proc` declares it
immutable; a stable one where it is the server's own, and depends on settings alone that the session fixes.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from ordermade import sql
from ordermade.errors import SourceFault, quoted
from ordermade.sources.backend import is_named_in_with
from ordermade.sources.executor import Purpose
from ordermade.sources.postgresql_forms import EXAMPLES, INSTEAD, Forms, Queries, type_of
from ordermade.sources.postgresql_keys import DIALECT
from ordermade.sources.postgresql_trees import ParseNode, Value, read_tree
from ordermade.sources.unstable import (
    UNREAD,
    beyond,
    of_an_order,
    of_forms,
    of_fractions,
    of_names,
    of_part,
    of_spellings,
    of_the_server,
    unreadable,
    unstable,
)

if TYPE_CHECKING:
    from ordermade.sources.server import Server

_FOREIGN, _SEQUENCE = "f", "S"
"""Kinds of relations."""
_TABLES = frozenset("rpm")
"""Kinds of relations that store their rows."""
_FIRST_MADE = 16_384
"""What has a smaller number came with the server."""
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        """
        QUERY RANGETBLENTRY RTE RTEPERMISSIONINFO RANGETBLFUNCTION ALIAS FROMEXPR RANGETBLREF JOINEXPR TARGETENTRY
        COMMONTABLEEXPR SETOPERATIONSTMT SORTGROUPCLAUSE GROUPINGSET GROUPINGFUNC WINDOWCLAUSE WINDOWFUNC AGGREF
        VAR CONST FUNCEXPR NAMEDARGEXPR OPEXPR DISTINCTEXPR NULLIFEXPR SCALARARRAYOPEXPR BOOLEXPR SUBLINK FIELDSELECT
        RELABELTYPE COERCEVIAIO ARRAYCOERCEEXPR CONVERTROWTYPEEXPR COLLATE COLLATEEXPR CASE CASEEXPR WHEN CASEWHEN
        CASETESTEXPR ARRAY ARRAYEXPR ROW ROWEXPR ROWCOMPARE ROWCOMPAREEXPR COALESCE COALESCEEXPR MINMAX MINMAXEXPR
        NULLTEST BOOLEANTEST SUBSCRIPTINGREF PARAM
        """,
    )
)
"""The nodes whose rows follow from those of the tables that they read, but for what is looked at below."""
_CALLED: Mapping[str, tuple[tuple[str, str], ...]] = {
    "FUNCEXPR": (("funcid", "function"),),
    "AGGREF": (("aggfnoid", "function"),),
    "WINDOWFUNC": (("winfnoid", "function"),),
    "COERCEVIAIO": (("resulttype", "type"),),
    "SORTGROUPCLAUSE": (("eqop", "operator"), ("sortop", "operator")),
    **dict.fromkeys(("OPEXPR", "DISTINCTEXPR", "NULLIFEXPR", "SCALARARRAYOPEXPR"), (("opno", "operator"),)),
    **dict.fromkeys(("ROWCOMPARE", "ROWCOMPAREEXPR"), (("opnos", "operator"),)),
}
"""The fields that name what a node calls."""
_TYPED = re.compile(r"\w*(typ(e|eid|eids|es|Id)|Types)")
"""The fields that name the types of values."""
_COLLATION = re.compile(r"(?!inputcoll)\w*(collid|collation|collOid)")
"""The field that names how the value of a node is compared."""
_VALUES = (
    *("current_date", "current_time", "current_time", "current_timestamp", "current_timestamp", "localtime"),
    *("localtime", "localtimestamp", "localtimestamp", "current_role", "current_user", "user", "session_user"),
    *("current_catalog", "current_schema"),
)
"""The functions that are written like columns, by their number."""
_OF_ROLE = frozenset(["current_role", "current_user", "user", "session_user"])
"""What a policy may compare rows with: the role is the source's own."""
_OTHERS: Mapping[str, str] = {
    "TABLESAMPLECLAUSE": "a random sample",
    "NEXTVALUEEXPR": "nextval()",
    "ROWMARKCLAUSE": "a lock of rows",
    "COERCETODOMAIN": "a cast to a domain",
}
_OF_SETTINGS = re.compile(
    r"concat(_ws)?|format|anytextcat|textanycat|array_to_string|quote_(literal|nullable)|length|convert(_from|_to)?"
    r"|to_(char|date|timestamp|number)|date|time|timestamp|timestamptz|timetz|date_(part|trunc)|extract"
    r"|make_timestamptz|overlaps|generate_series|(date|timestamp)_\w+_timestamptz|timestamptz_\w+_(date|timestamp)"
    r"|(interval_pl_timestamptz|timestamptz_(pl|mi)_interval)|to_jsonb?|(row|array)_to_json|jsonb?_build_(array|object)"
)
"""The server's own stable functions that depend on nothing but settings which the session fixes."""
_OF_MOMENTS = re.compile(r"(date|time|timestamp|timestamptz|timetz)_in")
"""The functions that read texts such as `today` and `now`."""
_WORDS = re.compile(r"(?<![a-z])(now|today|tomorrow|yesterday)(?![a-z])", re.IGNORECASE)
"""The words that these functions read as the moment."""
_ESCAPED = re.compile(r"(?<![\w$])(u&\s*[\"']|e\s*'[^']*\\)", re.IGNORECASE)
"""Where a name or text of SQL is written by numbers of signs."""
_OF_NO_MOMENT = (
    exp.DataType.INTEGER_TYPES
    | exp.DataType.FLOAT_TYPES
    | (exp.DataType.TEXT_TYPES - {exp.DType.NAME})
    | {exp.DType.DECIMAL, exp.DType.BOOLEAN, exp.DType.UUID, exp.DType.VARBINARY, exp.DType.JSON, exp.DType.JSONB}
)
"""The types that read no text as a moment, or as a name of the catalogue."""
_MOMENTS = frozenset(["date", "time", "timetz", "timestamp", "timestamptz"])
"""The types that a call may cast to."""
_UTC = "UTC"
_WRITING = re.compile(r"(date|timestamp|timestamptz|interval|cash|enum|range|multirange|array|record|any\w*)_out")
"""The server's own functions that write values, and depend on nothing but settings which the session fixes.

Of what is made of several values each is looked at.
"""
_OF_ANY_ORDER = re.compile(
    r"count|sum|min|max|avg|bool_(and|or)|every|bit_(and|or|xor)|(var|stddev)(_pop|_samp)?|variance|corr"
    r"|covar_(pop|samp)|regr_\w+|percentile_(cont|disc)|range_(agg|intersect_agg)"
)
_SUMS = re.compile(r"sum|avg|(var|stddev)(_pop|_samp)?|variance|corr|covar_(pop|samp)|regr_(?!count)\w+")
"""Aggregates that are rounded with each fraction that is added."""
_OF_THE_ORDER = frozenset(["array_agg", "string_agg", "json_agg", "jsonb_agg", "xmlagg"])
"""Aggregates that give the same where their rows are ordered by all that they are given."""
_CHOOSING = frozenset(["min", "max", "range_agg", "range_intersect_agg"])
"""Aggregates that give back one of the values that they are given."""
_FRACTIONS = frozenset(["float4", "float8"])
"""Types whose zeros arrive with one sign, unless they are put into a text or list."""
_SUBSTRINGS = re.compile(
    r"substr(ing)?|left|right|[blr]trim|replace|translate|split_part|textcat|anytextcat|textanycat|[lr]pad|lower|upper"
)
"""Functions that make a text of the signs of the texts that they are given."""
_PASSING = frozenset(["RELABELTYPE", "COERCEVIAIO", "NULLIFEXPR", "COALESCE", "COALESCEEXPR", "COLLATE", "COLLATEEXPR"])
"""Nodes that make no signs of their own."""
_NUMBERS = frozenset(["20", "21", "23", "700", "701", "1700"])
"""The types of numbers, whose texts are no words."""
_LETTER, _HEADER = re.compile(rb"[a-zA-Z]"), 4
"""A letter in the bytes of a constant, which begin with its length."""
_ARRAY = "6"
"""The kind of a subquery whose rows become an array."""
_EXACT = 'COLLATE "C"'
_FRAMED = 1
"""The bit of the options of a frame that says that one is written."""


_A_TABLE = "a table, though it is declared immutable"
"""What a function reads."""


class _Within(enum.Enum):
    """What a tree is of."""

    VIEW = enum.auto()
    POLICY = enum.auto()
    FUNCTION = enum.auto()


@dataclass(frozen=True, slots=True)
class _Called:
    """What a function is declared to be. `type`: the type whose texts it reads, empty for any other.

    `takes_fractions`: an argument of it is a fraction of 4 or 8 bytes. `body`, `source`: what one in SQL that
    others made is written as, as the server parsed it, and its text; else None.
    """

    name: str
    stability: str
    is_own: bool
    kind: str
    type: str
    body: str | None
    source: str | None
    takes_fractions: bool


@dataclass(slots=True)
class _Calls:
    """The numbers of what a tree calls, by how it is found; the names that a text calls; the types of values."""

    numbers: dict[str, set[int]] = field(default_factory=lambda: {"function": set(), "operator": set(), "type": set()})
    names: set[str] = field(default_factory=set)
    written: set[int] = field(default_factory=set)
    collations: set[int] = field(default_factory=set)

    def note(self, tree: ParseNode) -> None:
        """Notes what a node of the tree calls."""
        for name, found_by in _CALLED.get(tree.name, ()):
            self.numbers[found_by].update(_numbers(tree.fields.get(name, "")))
        for name, value in tree.fields.items():
            if _TYPED.fullmatch(name):
                self.written.update(_numbers(value))
            elif "coll" in name.lower():
                self.collations.update(each for each in _numbers(value) if each >= _FIRST_MADE)


def _numbers(value: Value) -> list[int]:
    each = value[1:] if isinstance(value, tuple) else (value,)  # a list of numbers begins with its kind
    return [int(one) for one in each if isinstance(one, str) and one.isdigit() and one != "0"]


def look_in_postgresql(server: Server, schema: str, name: str) -> None:
    """Raises SourceFault for a view that is not stable, or a foreign table, by name; so do those under it."""
    bound = {"schema": schema, "table": name}
    with server.kept(UNREAD):
        parts = server.executor.plain(Purpose.CATALOG, sql.script("postgres/view_parts"), bound)
    for part, kind, policy, text in sorted(
        parts, key=lambda each: not each[3]
    ):  # what a view calls has the better name
        if kind == _FOREIGN and not server.allow_external:
            raise beyond(name, f"the foreign table {quoted(part)}")
        if kind == _SEQUENCE and part != name:
            raise unstable(name, f"the sequence {quoted(part)}")
        if text is not None:
            _look_in_part(server, part, policy, text)


def _look_in_part(server: Server, part: str, policy: str, text: str) -> None:
    """Raises SourceFault for the query of a view or the condition of a policy, and what the functions in it do."""
    called_by = f"the policy {quoted(policy)} of {quoted(part)}" if policy else f"the view {quoted(part)}"
    try:
        waiting = _look_in_tree(server, part, text, _Within.POLICY if policy else _Within.VIEW)
    except SourceFault as fault:
        raise of_part(called_by, part, fault) from None
    done: set[_Called] = set()
    while waiting:
        function = waiting.pop()
        if function in done:
            continue
        done.add(function)
        try:
            if function.body:
                waiting += _look_in_tree(server, part, function.body, _Within.FUNCTION)
            else:
                waiting += _look_in_text(server, part, function.source or "")
        except SourceFault as fault:
            raise of_part(f"the function {function.name}(), which {called_by} calls,", part, fault) from None


def _look_in_tree(server: Server, part: str, text: str, within: _Within) -> list[_Called]:
    """The functions that a tree calls and that can be looked into. Raises SourceFault where it is not stable."""
    try:
        tree = read_tree(text)
        roots = [*ParseNode("", {"": tree}).children()]
        calls = _Calls()
        for node in (node for root in roots for node in root.walk()):
            _require_plain(part, node, within)
            calls.note(node)
        called, collations = _declared(server, calls), _collations(server, calls)
        forms = _forms(server, roots, called)
        for root in roots:
            for node, queries in _with_queries(root):
                tables = [each.nodes("rtable") for each in queries]
                _require_called(part, node, called)
                _require_order(part, node, called)
                _require_read(part, node, tables, called)
                _require_own_values(part, node, called, collations)
                _require_one_form(part, node, queries, called, forms)
        _require_written(part, called)
    except ValueError:
        raise unreadable(part) from None
    return [each for each in called.values() if each.body or each.source]


def _look_in_text(server: Server, part: str, text: str) -> list[_Called]:
    """The same of a function that is kept as a text: which function a name is follows from settings, so it is each."""
    if _ESCAPED.search(text):
        raise unreadable(part)
    try:
        tokens, trees = sqlglot.tokenize(text, dialect=DIALECT), sqlglot.parse(text, dialect=DIALECT)
    except SqlglotError:
        raise unreadable(part) from None
    for table in (table for tree in trees if tree is not None for table in tree.find_all(exp.Table)):
        if isinstance(table.this, exp.Identifier) and not (not table.db and is_named_in_with(table)):
            raise unstable(part, _A_TABLE)
    calls = _Calls()
    if any(_is_of_a_zone(each) for tree in trees if tree is not None for each in tree.find_all(exp.AtTimeZone)):
        calls.names.add("timezone")
    kinds = [each.token_type for each in tokens]
    for token, before, after in zip(tokens, [None, *kinds], [*kinds[1:], None], strict=False):
        is_bare = before is not TokenType.DOT and token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        if is_bare and token.text.lower() in _VALUES:
            raise unstable(part, f"{token.text.lower()}()")
        is_text = token.token_type not in (TokenType.VAR, TokenType.IDENTIFIER)
        if is_text and (word := _WORDS.search(token.text)):
            raise unstable(part, f"the text {quoted(word.group())}")
        if after is TokenType.L_PAREN:
            calls.names |= {token.text, token.text.lower()}
            if token.text.lower() in _MOMENTS and before is not TokenType.DCOLON:
                raise unstable(part, _read_as(token.text.lower()))
    called = _declared(server, calls)
    for each in called.values():
        _require_declared(part, each)
    for cast in (cast for tree in trees if tree is not None for cast in tree.find_all(exp.Cast)):
        _require_no_moment(part, cast)
    return [each for each in called.values() if each.body or each.source]


def _require_no_moment(part: str, cast: exp.Cast) -> None:
    """Raises SourceFault for what a function's text casts to a type that may read a text as the moment."""
    kind: exp.Expr = cast.to
    while isinstance(kind, exp.DataType) and kind.this is exp.DType.ARRAY and kind.expressions:
        kind = kind.expressions[0]
    if not (isinstance(kind, exp.DataType) and kind.this in _OF_NO_MOMENT) and not isinstance(
        cast.this, exp.Literal | exp.Null
    ):
        raise unstable(part, _read_as(cast.to.sql(dialect=DIALECT).lower()))


def _is_of_a_zone(moment: exp.AtTimeZone) -> bool:
    """Whether a function's text moves what may be a time of day to a zone, by what is its offset today."""
    zone = moment.args["zone"]
    return not (isinstance(zone, exp.Literal) and zone.name.upper() == _UTC)


def _read_as(kind: str) -> str:
    return f"a text, which may be a word such as 'today', read as {kind}"


def _require_plain(view: str, node: ParseNode, within: _Within) -> None:
    """Raises SourceFault for a node that is not listed, and for what needs no look at the catalogue."""
    if node.name == "SQLVALUEFUNCTION":
        found = _VALUES[int(node.token("op"))] if int(node.token("op")) < len(_VALUES) else "a value of the session"
        if not (within is _Within.POLICY and found in _OF_ROLE):
            raise unstable(view, f"{found}()")
    elif node.name not in _PLAIN:
        raise unstable(view, _OTHERS.get(node.name, f"an expression of the kind {node.name}"))
    if node.name == "QUERY":
        for name, called in (("limitCount", "LIMIT"), ("limitOffset", "OFFSET")):
            if node.has(name):
                raise of_an_order(view, called)
        if node.token("hasDistinctOn") == "true":
            raise of_an_order(view, "DISTINCT ON")
    elif node.name == "WINDOWCLAUSE" and (node.nodes("orderClause") or int(node.token("frameOptions")) & _FRAMED):
        raise of_an_order(view, "OVER (ORDER BY …)")
    elif node.name == "SUBLINK" and node.token("subLinkType") == _ARRAY:
        raise of_an_order(view, "ARRAY(SELECT …)")
    elif node.name == "VAR" and node.token("varattno").startswith("-"):
        raise of_an_order(view, "a column of the server's own, such as ctid")
    elif node.name in ("RANGETBLENTRY", "RTE") and (relation := int(node.token("relid") or 0)):
        if relation < _FIRST_MADE:
            raise of_the_server(view)
        if within is _Within.FUNCTION:
            raise unstable(view, _A_TABLE)


def _declared(server: Server, calls: _Calls) -> dict[tuple[str, int], _Called]:
    numbers = {f"{found_by}s": sorted(each) for found_by, each in calls.numbers.items()}
    bound = {**numbers, "names": sorted(calls.names), "written": sorted(calls.written)}
    with server.kept(UNREAD):
        rows = server.executor.plain(Purpose.CATALOG, sql.script("postgres/called"), bound)
    return {(found_by, number): _Called(*each) for found_by, number, *each in rows}


def _collations(server: Server, calls: _Calls) -> frozenset[int]:
    """The collations of a tree under which texts may differ and be equal."""
    if not calls.collations:
        return frozenset()
    bound = {"collations": sorted(calls.collations)}
    with server.kept(UNREAD):
        rows = server.executor.plain(Purpose.CATALOG, sql.script("postgres/loose_collations"), bound)
    return frozenset(number for (number,) in rows)


def _calls_of(view: str, node: ParseNode, called: Mapping[tuple[str, int], _Called]) -> Iterator[_Called]:
    """What a node calls. Raises SourceFault for what is not in the catalogue."""
    for name, found_by in _CALLED.get(node.name, ()):
        for number in _numbers(node.fields.get(name, "")):
            found = called.get((found_by, number))
            if found is None:
                raise unreadable(view)
            yield found


def _require_called(view: str, node: ParseNode, called: Mapping[tuple[str, int], _Called]) -> None:
    """Raises SourceFault, by name, for a function that may give another value each time."""
    for each in _calls_of(view, node, called):
        if not each.type:
            _require_declared(view, each)


def _require_declared(view: str, function: _Called) -> None:
    """Raises SourceFault for a function that is declared to give another value each time."""
    if function.stability == "i":
        return
    is_fixed = function.kind == "a" or _OF_SETTINGS.fullmatch(function.name) is not None
    if not (function.stability == "s" and function.is_own and is_fixed):
        declared = "volatile" if function.stability == "v" else "stable"
        raise unstable(view, f"{function.name}()" + ("" if function.is_own else f" (declared {declared})"))


def _require_order(view: str, node: ParseNode, called: Mapping[tuple[str, int], _Called]) -> None:
    """Raises SourceFault for an aggregate that depends on the order of the rows that it is given."""
    if node.name not in ("AGGREF", "WINDOWFUNC"):
        return
    for each in _calls_of(view, node, called):
        if each.takes_fractions and _SUMS.fullmatch(each.name):
            raise of_fractions(view, f"{each.name}()")
        if each.is_own and _OF_ANY_ORDER.fullmatch(each.name):
            continue
        if not each.is_own or each.name not in _OF_THE_ORDER or not _is_ordered(node):
            raise of_an_order(view, f"{each.name}()")


def _require_own_values(
    view: str, node: ParseNode, called: Mapping[tuple[str, int], _Called], collations: frozenset[int]
) -> None:
    """Raises SourceFault where a node shows one value for several that are equal: by a collation, or as others say."""
    what, clauses, by = _compared(view, node, called)
    if any(not one.is_own for each in clauses for one in _calls_of(view, each, called)):
        raise of_spellings(view, what, f"::TEXT {_EXACT}")
    if not collations.isdisjoint(by):
        raise of_spellings(view, what, _EXACT)


def _compared(
    view: str, node: ParseNode, called: Mapping[tuple[str, int], _Called]
) -> tuple[str, tuple[ParseNode, ...], list[int]]:
    """A node that compares values and shows one of the equal ones: its name, its clauses, and their collations."""
    if node.name == "QUERY":
        what, clauses = "GROUP BY", node.nodes("groupClause")
        what, clauses = (what if clauses else "DISTINCT"), clauses + node.nodes("distinctClause")
        places = {each.token("tleSortGroupRef") for each in clauses}
        values = [each for each in node.nodes("targetList") if each.token("ressortgroupref") in places]
        return what, clauses, [_collation_of(one) for each in values for one in each.children()]
    if node.name == "SETOPERATIONSTMT" and node.nodes("groupClauses"):
        by = _numbers(node.fields.get("colCollations", ""))
        return "UNION, INTERSECT or EXCEPT", node.nodes("groupClauses"), by
    if node.name in ("AGGREF", "WINDOWFUNC"):
        names = [each.name for each in _calls_of(view, node, called)]
        if names != ["count"]:
            clauses = node.nodes("aggorder") + node.nodes("aggdistinct")
            return f"{names[0]}()", clauses, _numbers(node.fields.get("inputcollid", ""))
    return "", (), []


def _require_one_form(
    view: str, node: ParseNode, queries: Queries, called: Mapping[tuple[str, int], _Called], forms: Forms
) -> None:
    """Raises SourceFault where a node shows one of several values that their type takes for equal, as 1.0 and 1.00."""
    what, _, _ = _compared(view, node, called)
    found = set[str]()
    if node.name == "QUERY":
        clauses = node.nodes("groupClause") + node.nodes("distinctClause")
        found = {forms.several(each, queries) for each in _sorted_values(node.nodes("targetList"), clauses)}
    elif node.name == "SETOPERATIONSTMT" and what:
        pairs = zip(_signed(node.fields.get("colTypes")), _signed(node.fields.get("colTypmods")), strict=True)
        found = {forms.of_type(kind, modifier) for kind, modifier in pairs}
    elif what:
        name, given = what.removesuffix("()"), node.nodes("args")
        clauses = node.nodes("aggorder") + node.nodes("aggdistinct")
        values = [each for entry in given for each in ([entry] if entry.name != "TARGETENTRY" else entry.children())]
        shown = values if name in _CHOOSING else [*_sorted_values(given, clauses)]
        found = {forms.several(each, queries) for each in shown}
        if name not in _OF_THE_ORDER:
            found -= _FRACTIONS
    for kind in sorted(found - {""}):
        raise of_forms(view, what, EXAMPLES[kind], INSTEAD[kind])


def _sorted_values(entries: Sequence[ParseNode], clauses: Sequence[ParseNode]) -> Iterator[ParseNode]:
    """The values that clauses sort or group by."""
    places = {each.token("tleSortGroupRef") for each in clauses}
    for each in entries:
        if each.token("ressortgroupref") in places and isinstance(value := each.fields.get("expr"), ParseNode):
            yield value


def _signed(value: Value | None) -> list[int]:
    """The numbers of a list, which begins with its kind."""
    return [int(each) for each in value[1:] if isinstance(each, str)] if isinstance(value, tuple) else []


def _forms(server: Server, roots: Sequence[ParseNode], called: Mapping[tuple[str, int], _Called]) -> Forms:
    """What is known of the values of trees that may be equal and differ."""
    nodes = [node for root in roots for node in root.walk()]
    types = {int(kind) for each in nodes if (kind := type_of(each)).isdigit() and kind != "0"}
    types |= {each for node in nodes for each in _signed(node.fields.get("colTypes"))}
    with server.kept(UNREAD):
        rows = server.executor.plain(Purpose.CATALOG, sql.script("postgres/several_forms"), {"types": sorted(types)})
    kinds: dict[int, set[str]] = {}
    for number, kind in rows:
        kinds.setdefault(number, set()).add(kind)
    own = {at: each.name for at, each in called.items() if each.is_own}
    functions = {number: name for (found_by, number), name in own.items() if found_by == "function"}
    operators = {number: name for (found_by, number), name in own.items() if found_by == "operator"}
    return Forms({number: frozenset(each) for number, each in kinds.items()}, functions, operators)


def _collation_of(value: ParseNode) -> int:
    """The number of the collation of a value; 0 where it has none."""
    found = (number for name, each in value.fields.items() if _COLLATION.fullmatch(name) for number in _numbers(each))
    return next(found, 0)


def _is_ordered(aggregate: ParseNode) -> bool:
    """Whether an aggregate orders its rows by all that it is given, but for constants."""
    ordered = {each.token("tleSortGroupRef") for each in aggregate.nodes("aggorder") + aggregate.nodes("aggdistinct")}
    for each in aggregate.nodes("args"):
        given = each.fields.get("expr")
        is_constant = isinstance(given, ParseNode) and given.name == "CONST"
        if not is_constant and each.token("ressortgroupref") not in ordered:
            return False
    return bool(ordered)


def _require_read(
    view: str, node: ParseNode, tables: Sequence[Sequence[ParseNode]], called: Mapping[tuple[str, int], _Called]
) -> None:
    """Raises SourceFault for a text that is read as a type by another way than an immutable one.

    A text of a table may be read as a day or moment, and what functions cut out of it; never one that the view writes,
    or another query gives it, for that may be `today`.
    """
    if node.name != "COERCEVIAIO":
        return
    for each in _calls_of(view, node, called):
        if each.stability == "i":
            continue
        given = node.fields.get("arg")
        if not (
            _OF_MOMENTS.fullmatch(each.name) and isinstance(given, ParseNode) and _is_of_tables(given, tables, called)
        ):
            raise unstable(view, _read_as(each.type))


def _require_written(view: str, called: Mapping[tuple[str, int], _Called]) -> None:
    """Raises SourceFault for a type whose values are no fixed texts, wherever a value of it is: it may become one."""
    for (found_by, _), each in called.items():
        is_fixed = each.stability == "i" or (each.is_own and _WRITING.fullmatch(each.name) is not None)
        if found_by == "text" and not is_fixed:
            raise of_names(view, each.type)


def _is_of_tables(
    given: ParseNode, tables: Sequence[Sequence[ParseNode]], called: Mapping[tuple[str, int], _Called]
) -> bool:
    """Whether all signs of a text are of columns of tables, or no letters."""
    if given.name == "VAR":
        level, place = int(given.token("varlevelsup")), int(given.token("varno")) - 1
        if level >= len(tables) or not 0 <= place < len(tables[-1 - level]):
            return False
        read = tables[-1 - level][place]
        return read.token("rtekind") == "0" and read.token("relkind") in _TABLES
    if given.name == "CONST":
        value = given.fields.get("constvalue")
        is_text = isinstance(value, bytes) and given.token("constbyval") != "true"
        return not (is_text and isinstance(value, bytes) and _LETTER.search(value, _HEADER))
    if (given.token("funcresulttype") or given.token("opresulttype") or given.token("resulttype")) in _NUMBERS:
        return True
    signs = list(given.children())
    if given.name in ("FUNCEXPR", "OPEXPR"):
        if not all(_SUBSTRINGS.fullmatch(each.name) and each.is_own for each in _calls_of("", given, called)):
            return False
    elif given.name in ("CASE", "CASEEXPR"):
        results = [each.fields.get("result") for each in given.nodes("args")] + [given.fields.get("defresult")]
        signs = [each for each in results if isinstance(each, ParseNode)]
    elif given.name not in _PASSING:
        return False
    return all(_is_of_tables(each, tables, called) for each in signs)


def _with_queries(root: ParseNode) -> Iterator[tuple[ParseNode, Queries]]:
    """Each node of a tree, with the queries around it, the outermost first."""
    waiting: list[tuple[ParseNode, Queries]] = [(root, ())]
    while waiting:
        each, around = waiting.pop()
        if each.name == "QUERY":
            around = (*around, each)
        yield each, around
        waiting.extend((child, around) for child in each.children())
