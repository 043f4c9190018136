"""Values of PostgreSQL that are equal and differ: which types have some, and which expressions none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ordermade.sources.postgresql_trees import ParseNode

Queries = tuple[ParseNode, ...]
"""The queries around a node, the outermost first."""
INSTEAD: Mapping[str, str] = {
    "numeric": "CAST(… AS numeric(p, s)), with a scale,",
    "interval": "EXTRACT(EPOCH FROM …)",
    "jsonb": "CAST(… AS text)",
    "bpchar": "CAST(… AS text)",
    "float4": "… + 0.0",
    "float8": "… + 0.0",
    "record": "the columns of the row, one by one,",
    "text": 'the texts in it, COLLATE "C",',
}
"""What has one form, by what may have several."""
EXAMPLES: Mapping[str, str] = {
    "numeric": "1.0 and 1.00",
    "interval": "1 month and 30 days",
    "jsonb": "1.0 and 1.00 in JSON",
    "bpchar": "'a' and 'a '",
    "float4": "0 and -0",
    "float8": "0 and -0",
    "record": "rows of 1.0 and 1.00",
    "text": "'a' and 'A'",
}
_TYPES = (
    *("vartype", "consttype", "funcresulttype", "opresulttype", "aggtype", "wintype", "resulttype", "casetype"),
    *("coalescetype", "minmaxtype", "array_typeid", "row_typeid", "refrestype", "refelemtype", "paramtype", "typeId"),
)
"""The fields that name the type of a value."""
_MODIFIERS = ("vartypmod", "resulttypmod")
_HEADER, _SCALE = 4, 0x7FF
_WHOLE = frozenset(["20", "21", "23"])
_OF_SCALE = frozenset(["round", "trunc"])
_WITHOUT_FRACTION = frozenset(["round", "trunc", "ceil", "ceiling", "floor"])
_ADDED = frozenset(["float8pl", "float4pl", "float48pl", "float84pl"])
_OF_NO_SIGN = frozenset(["abs", "date_part", "float8abs", "float4abs"])
_SUBQUERY, _CTE = "1", "6"
_DEEPEST = 50
"""So many queries within another are looked through; a recursive one is never."""


@dataclass(frozen=True, slots=True)
class Forms:
    """What the types of a tree have in them that has several forms, and what its functions are called, by number."""

    kinds: Mapping[int, frozenset[str]]
    functions: Mapping[int, str]
    operators: Mapping[int, str] = field(default_factory=dict)

    def several(self, value: ParseNode, queries: Queries) -> str:
        """What of a value may be equal and differ; empty where nothing may."""
        value, queries = _resolved(value, queries)
        found = self.kinds.get(int(type_of(value) or 0), frozenset())
        return "" if not found or self._form(value, queries, 0) else min(found)

    def of_type(self, kind: int, modifier: int) -> str:
        """The same of a type with its modifier, -1 where it has none."""
        found = self.kinds.get(kind, frozenset())
        return "" if not found or (modifier >= 0 and _of_modifier(found, modifier)) else min(found)

    def _form(self, value: ParseNode, queries: Queries, depth: int) -> str:
        """What the values of an expression are all written as, by a name; empty where they may not be."""
        if depth > _DEEPEST:
            return ""
        value, queries = _resolved(value, queries)
        kinds = self.kinds.get(int(type_of(value) or 0), frozenset())
        chosen = list(_chosen(value))
        if chosen:
            forms = {self._form(each, queries, depth + 1) for each in chosen if each.token("constisnull") != "true"}
            return forms.pop() if len(forms) == 1 else ""
        modifier = next((value.token(each) for each in _MODIFIERS if value.has(each)), "-1")
        if int(modifier) >= 0:
            return _of_modifier(kinds, int(modifier))
        given = value.nodes("args")
        if value.name in ("FUNCEXPR", "OPEXPR") and given:
            return self._of_call(value, given, kinds)
        is_sum = value.name == "AGGREF" and self.functions.get(int(value.token("aggfnoid") or 0)) == "sum"
        return "scale 0" if is_sum and value.fields.get("aggargtypes") == ("o", "20") else ""

    def _of_call(self, value: ParseNode, given: tuple[ParseNode, ...], kinds: frozenset[str]) -> str:
        called = self.functions.get(int(value.token("funcid") or 0), "")
        called = called or self.operators.get(int(value.token("opno") or 0), "")
        scale = _whole(given[1]) if len(given) > 1 else None
        if kinds == {called} and scale is not None:  # a cast to a length, whose function is called as the type
            return _of_modifier(kinds, scale)
        if kinds == {"numeric"}:
            if called in _OF_SCALE and scale is not None:
                return f"scale {max(0, scale)}"
            if called == "extract":
                return f"extract {given[0].fields.get('constvalue')!r}"
            is_whole = called == "numeric" and type_of(given[0]) in _WHOLE
            return "scale 0" if is_whole or (called in _WITHOUT_FRACTION and len(given) == 1) else ""
        if kinds <= {"float4", "float8"}:
            is_added = called in _ADDED and any(map(_is_constant, given))
            is_whole = called in ("float4", "float8") and type_of(given[0]) in _WHOLE
            return "zero" if is_added or is_whole or called in _OF_NO_SIGN else ""
        return ""


def type_of(value: ParseNode) -> str:
    """The number of the type of a value; empty where the tree names none."""
    return next((value.token(each) for each in _TYPES if value.has(each)), "")


def _of_modifier(kinds: frozenset[str], modifier: int) -> str:
    if kinds == {"numeric"}:
        return f"scale {(modifier - _HEADER) & _SCALE}"
    return f"length {modifier}" if kinds == {"bpchar"} else ""


def _chosen(value: ParseNode) -> Iterator[ParseNode]:
    """The values that an expression is one of."""
    if value.name in ("CASE", "CASEEXPR"):
        results = [each.fields.get("result") for each in value.nodes("args")] + [value.fields.get("defresult")]
        yield from (each for each in results if isinstance(each, ParseNode))
    elif value.name in ("COALESCE", "COALESCEEXPR", "MINMAX", "MINMAXEXPR"):
        yield from value.nodes("args")
    elif value.name == "NULLIFEXPR":
        yield from value.nodes("args")[:1]


def _is_constant(value: ParseNode) -> bool:
    while value.name in ("FUNCEXPR", "RELABELTYPE") and len(given := [*value.children()]) == 1:
        value = given[0]
    return value.name == "CONST"


def _whole(value: ParseNode) -> int | None:
    """The number of a constant of 4 bytes; None for anything else."""
    found = value.fields.get("constvalue")
    if value.name != "CONST" or type_of(value) != "23" or not isinstance(found, bytes):
        return None
    return int.from_bytes(found[:4], "little", signed=True)


def _resolved(value: ParseNode, queries: Queries) -> tuple[ParseNode, Queries]:
    """The expression that a column of a subquery is, and the queries around it; the value itself where it is none."""
    for _ in range(_DEEPEST):
        found = _below(value, queries)
        if found is None:
            break
        value, queries = found
    return value, queries


def _below(value: ParseNode, queries: Queries) -> tuple[ParseNode, Queries] | None:
    if value.name in ("COLLATE", "COLLATEEXPR"):
        given = value.fields.get("arg")
        return (given, queries) if isinstance(given, ParseNode) else None
    if value.name == "SUBLINK":
        query = value.fields.get("subselect")
        return _selected(query, 1, queries) if isinstance(query, ParseNode) else None
    if value.name != "VAR":
        return None
    level, place, number = (int(value.token(each)) for each in ("varlevelsup", "varno", "varattno"))
    if level >= len(queries) or number < 1:
        return None
    around = queries[: len(queries) - level]
    tables = around[-1].nodes("rtable")
    if not 0 < place <= len(tables):
        return None
    read = tables[place - 1]
    grouped = read.nodes("groupexprs")
    if grouped:
        return (grouped[number - 1], around) if number <= len(grouped) else None
    if read.token("rtekind") == _SUBQUERY and isinstance(query := read.fields.get("subquery"), ParseNode):
        return _selected(query, number, around)
    up = int(read.token("ctelevelsup") or 0)
    if read.token("rtekind") != _CTE or up >= len(around):
        return None
    around = around[: len(around) - up]
    for each in around[-1].nodes("cteList"):
        query = each.fields.get("ctequery")
        is_plain = each.token("cterecursive") != "true" and isinstance(query, ParseNode)
        if is_plain and each.token("ctename") == read.token("ctename"):
            return _selected(query, number, around)  # type: ignore[arg-type]
    return None


def _selected(query: ParseNode, number: int, around: Queries) -> tuple[ParseNode, Queries] | None:
    """A column of a query; None of one that is joined by UNION, whose sides may be written in other ways."""
    if query.has("setOperations"):
        return None
    found = next((each for each in query.nodes("targetList") if each.token("resno") == str(number)), None)
    value = None if found is None else found.fields.get("expr")
    return (value, (*around, query)) if isinstance(value, ParseNode) else None
